//! Submission and what waits for it. Work is done the moment it is submitted.

use std::ffi::{c_int, c_void};
use std::time::{Duration, Instant};

use ash::vk::{self, Handle};

use crate::device::{Device, Queue, State};
use crate::entry::{Need, V1_0, V1_2, V1_3, entries, table};
use crate::raw::{self, Array, Out};
use crate::{Alloc, memory};

/// What the driver remembers of a VkQueryPool: how many values a query has.
pub struct Query {
    values: usize,
}

fn device_of(queue: &Queue) -> &Device {
    raw::read(queue.device).expect("a queue lives inside its device")
}

/// Marks a fence, and a semaphore's value, as reached.
pub fn signal(
    device: &Device,
    fence: vk::Fence,
    semaphores: impl IntoIterator<Item = (vk::Semaphore, u64)>,
) {
    let mut state = device.state.lock();
    if let Some(signalled) = state.fences.get_mut(&fence.as_raw()) {
        *signalled = true;
    }
    for (semaphore, value) in semaphores {
        if let Some(counter) = state.semaphores.get_mut(&semaphore.as_raw()) {
            *counter = value.max(*counter);
        }
    }
    device.signalled.notify_all();
}

fn signals(submit: &vk::SubmitInfo<'_>) -> Vec<(vk::Semaphore, u64)> {
    let semaphores = raw::slice(submit.p_signal_semaphores, submit.signal_semaphore_count);
    let timeline = raw::find::<vk::TimelineSemaphoreSubmitInfo<'_>>(submit.p_next);
    let values = timeline.map_or(&[][..], |t| {
        raw::slice(t.p_signal_semaphore_values, t.signal_semaphore_value_count)
    });
    let value = |i: usize| values.get(i).copied().unwrap_or(0);
    semaphores.iter().enumerate().map(|(i, s)| (*s, value(i))).collect()
}

/// Waits until `reached`, another thread's submission or signal, or the time is over.
fn wait(device: &Device, timeout: u64, reached: impl Fn(&State) -> bool) -> vk::Result {
    // Too far away to be a moment means without an end.
    let end = Instant::now().checked_add(Duration::from_nanos(timeout));
    let mut state = device.state.lock();
    while !reached(&state) {
        let late = match end {
            Some(end) => device.signalled.wait_until(&mut state, end).timed_out(),
            None => {
                device.signalled.wait(&mut state);
                false
            }
        };
        if late && !reached(&state) {
            return vk::Result::TIMEOUT;
        }
    }
    vk::Result::SUCCESS
}

fn status(flag: Option<&bool>, set: vk::Result, unset: vk::Result) -> vk::Result {
    if flag.copied().unwrap_or(false) { set } else { unset }
}

/// Every query has happened; its values are 1, 2, 3, ... so that differences are not 0.
fn results(
    query: &Query,
    count: u32,
    bytes: &mut [u8],
    stride: usize,
    flags: vk::QueryResultFlags,
) {
    let width = if flags.contains(vk::QueryResultFlags::TYPE_64) { 8 } else { 4 };
    let extra = usize::from(flags.contains(vk::QueryResultFlags::WITH_AVAILABILITY));
    for i in 0..count as usize {
        for value in 0..query.values + extra {
            let number = if value < query.values { i as u64 + 1 } else { 1 };
            let start = i * stride + value * width;
            if let Some(place) = bytes.get_mut(start..start + width) {
                place.copy_from_slice(&number.to_ne_bytes()[..width]);
            }
        }
    }
}

entries! {
    fn vkQueueSubmit(
        queue: &Queue, count: u32, submits: Array<vk::SubmitInfo<'_>>, fence: vk::Fence
    ) -> vk::Result {
        signal(device_of(queue), fence, submits.of(count).iter().flat_map(signals));
        vk::Result::SUCCESS
    }

    fn vkQueueSubmit2 | vkQueueSubmit2KHR(
        queue: &Queue, count: u32, submits: Array<vk::SubmitInfo2<'_>>, fence: vk::Fence
    ) -> vk::Result {
        let infos = submits.of(count).iter().flat_map(|submit| {
            raw::slice(submit.p_signal_semaphore_infos, submit.signal_semaphore_info_count)
        });
        signal(device_of(queue), fence, infos.map(|info| (info.semaphore, info.value)));
        vk::Result::SUCCESS
    }

    fn vkQueueBindSparse(
        queue: &Queue, _count: u32, _infos: Array<vk::BindSparseInfo<'_>>, fence: vk::Fence
    ) -> vk::Result {
        signal(device_of(queue), fence, []);
        vk::Result::SUCCESS
    }

    fn vkCreateFence(
        device: &Device, info: &vk::FenceCreateInfo<'_>, _alloc: Alloc, out: Out<vk::Fence>
    ) -> vk::Result {
        let mut state = device.state.lock();
        let fence: vk::Fence = state.new_handle();
        let signalled = info.flags.contains(vk::FenceCreateFlags::SIGNALED);
        state.fences.insert(fence.as_raw(), signalled);
        out.set(fence);
        vk::Result::SUCCESS
    }

    fn vkDestroyFence(device: &Device, fence: vk::Fence, _alloc: Alloc) {
        let mut state = device.state.lock();
        state.fences.remove(&fence.as_raw());
        state.free_handle(fence);
    }

    fn vkResetFences(device: &Device, count: u32, fences: Array<vk::Fence>) -> vk::Result {
        let mut state = device.state.lock();
        for fence in fences.of(count) {
            state.fences.insert(fence.as_raw(), false);
        }
        vk::Result::SUCCESS
    }

    fn vkGetFenceStatus(device: &Device, fence: vk::Fence) -> vk::Result {
        let state = device.state.lock();
        let flag = state.fences.get(&fence.as_raw());
        status(flag, vk::Result::SUCCESS, vk::Result::NOT_READY)
    }

    fn vkWaitForFences(
        device: &Device, count: u32, fences: Array<vk::Fence>, all: vk::Bool32, timeout: u64
    ) -> vk::Result {
        let fences = fences.of(count);
        wait(device, timeout, |state| {
            let mut done = fences.iter().map(|f| state.fences.get(&f.as_raw()) == Some(&true));
            if all == vk::FALSE { done.any(|d| d) } else { done.all(|d| d) }
        })
    }

    fn vkCreateSemaphore(
        device: &Device, info: &vk::SemaphoreCreateInfo<'_>, _alloc: Alloc,
        out: Out<vk::Semaphore>
    ) -> vk::Result {
        let kind = raw::find::<vk::SemaphoreTypeCreateInfo<'_>>(info.p_next);
        let mut state = device.state.lock();
        let semaphore: vk::Semaphore = state.new_handle();
        state.semaphores.insert(semaphore.as_raw(), kind.map_or(0, |k| k.initial_value));
        out.set(semaphore);
        vk::Result::SUCCESS
    }

    fn vkDestroySemaphore(device: &Device, semaphore: vk::Semaphore, _alloc: Alloc) {
        let mut state = device.state.lock();
        state.semaphores.remove(&semaphore.as_raw());
        state.free_handle(semaphore);
    }

    fn vkGetSemaphoreCounterValue | vkGetSemaphoreCounterValueKHR(
        device: &Device, semaphore: vk::Semaphore, out: Out<u64>
    ) -> vk::Result {
        let state = device.state.lock();
        out.set(state.semaphores.get(&semaphore.as_raw()).copied().unwrap_or(0));
        vk::Result::SUCCESS
    }

    fn vkWaitSemaphores | vkWaitSemaphoresKHR(
        device: &Device, info: &vk::SemaphoreWaitInfo<'_>, timeout: u64
    ) -> vk::Result {
        let semaphores = raw::slice(info.p_semaphores, info.semaphore_count);
        let values = raw::slice(info.p_values, info.semaphore_count);
        let any = info.flags.contains(vk::SemaphoreWaitFlags::ANY);
        wait(device, timeout, |state| {
            let counter = |s: &vk::Semaphore| state.semaphores.get(&s.as_raw()).copied();
            let mut done = semaphores.iter().zip(values).map(|(s, v)| counter(s) >= Some(*v));
            if any { done.any(|d| d) } else { done.all(|d| d) }
        })
    }

    fn vkSignalSemaphore | vkSignalSemaphoreKHR(
        device: &Device, info: &vk::SemaphoreSignalInfo<'_>
    ) -> vk::Result {
        signal(device, vk::Fence::null(), [(info.semaphore, info.value)]);
        vk::Result::SUCCESS
    }

    fn vkImportSemaphoreFdKHR(
        _device: &Device, info: &vk::ImportSemaphoreFdInfoKHR<'_>
    ) -> vk::Result {
        memory::close(info.fd);
        vk::Result::SUCCESS
    }

    fn vkImportFenceFdKHR(device: &Device, info: &vk::ImportFenceFdInfoKHR<'_>) -> vk::Result {
        memory::close(info.fd);
        signal(device, info.fence, []);
        vk::Result::SUCCESS
    }

    fn vkGetSemaphoreFdKHR | vkGetFenceFdKHR(
        _device: &Device, _info: &vk::BaseInStructure<'_>, out: Out<c_int>
    ) -> vk::Result {
        memory::export(&out)
    }

    fn vkCreateEvent(
        device: &Device, _info: &vk::EventCreateInfo<'_>, _alloc: Alloc, out: Out<vk::Event>
    ) -> vk::Result {
        let mut state = device.state.lock();
        let event: vk::Event = state.new_handle();
        state.events.insert(event.as_raw(), false);
        out.set(event);
        vk::Result::SUCCESS
    }

    fn vkDestroyEvent(device: &Device, event: vk::Event, _alloc: Alloc) {
        let mut state = device.state.lock();
        state.events.remove(&event.as_raw());
        state.free_handle(event);
    }

    fn vkGetEventStatus(device: &Device, event: vk::Event) -> vk::Result {
        let state = device.state.lock();
        let flag = state.events.get(&event.as_raw());
        status(flag, vk::Result::EVENT_SET, vk::Result::EVENT_RESET)
    }

    fn vkSetEvent(device: &Device, event: vk::Event) -> vk::Result {
        device.state.lock().events.insert(event.as_raw(), true);
        vk::Result::SUCCESS
    }

    fn vkResetEvent(device: &Device, event: vk::Event) -> vk::Result {
        device.state.lock().events.insert(event.as_raw(), false);
        vk::Result::SUCCESS
    }

    fn vkCreateQueryPool(
        device: &Device, info: &vk::QueryPoolCreateInfo<'_>, _alloc: Alloc,
        out: Out<vk::QueryPool>
    ) -> vk::Result {
        let values = match info.query_type {
            vk::QueryType::PIPELINE_STATISTICS => {
                info.pipeline_statistics.as_raw().count_ones() as usize
            }
            vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT => 2,
            _ => 1,
        };
        let mut state = device.state.lock();
        let pool: vk::QueryPool = state.new_handle();
        state.queries.insert(pool.as_raw(), Query { values });
        out.set(pool);
        vk::Result::SUCCESS
    }

    fn vkDestroyQueryPool(device: &Device, pool: vk::QueryPool, _alloc: Alloc) {
        let mut state = device.state.lock();
        state.queries.remove(&pool.as_raw());
        state.free_handle(pool);
    }

    fn vkGetQueryPoolResults(
        device: &Device, pool: vk::QueryPool, _first: u32, count: u32, size: usize,
        out: *mut c_void, stride: u64, flags: vk::QueryResultFlags
    ) -> vk::Result {
        let state = device.state.lock();
        if let Some(query) = state.queries.get(&pool.as_raw()) {
            results(query, count, raw::bytes_mut(out, size), stride as usize, flags);
        }
        vk::Result::SUCCESS
    }
}

table! {
    Device(V1_0) {
        vkQueueSubmit vkQueueBindSparse vkCreateFence vkDestroyFence vkResetFences
        vkGetFenceStatus vkWaitForFences vkCreateSemaphore vkDestroySemaphore vkCreateEvent
        vkDestroyEvent vkGetEventStatus vkSetEvent vkResetEvent vkCreateQueryPool
        vkDestroyQueryPool vkGetQueryPoolResults
    }
    Device(V1_2) { vkGetSemaphoreCounterValue vkWaitSemaphores vkSignalSemaphore }
    Device(V1_3) { vkQueueSubmit2 }
    Device(Need::Extension("VK_KHR_synchronization2")) { vkQueueSubmit2KHR }
    Device(Need::Extension("VK_KHR_timeline_semaphore")) {
        vkGetSemaphoreCounterValueKHR vkWaitSemaphoresKHR vkSignalSemaphoreKHR
    }
    Device(Need::Extension("VK_KHR_external_semaphore_fd")) {
        vkImportSemaphoreFdKHR vkGetSemaphoreFdKHR
    }
    Device(Need::Extension("VK_KHR_external_fence_fd")) { vkImportFenceFdKHR vkGetFenceFdKHR }
}
