//! Semaphores, fences, events and query pools.

use crate::ffi::hooks::{create_hooks, destroy_hooks, device_hooks};
use crate::ffi::read::{View, slice};
use ash::vk::{self, Handle};
use std::ffi::c_void;
use tilelint::call::{EventKey, FenceKey, QueryPoolKey};

create_hooks! {
    create_fence(vk::FenceCreateInfo<'_>, vk::Fence) => fence;
    create_query_pool(vk::QueryPoolCreateInfo<'_>, vk::QueryPool) => query_pool;
    create_semaphore(vk::SemaphoreCreateInfo<'_>, vk::Semaphore) => semaphore;
}

destroy_hooks! {
    destroy_event(vk::Event) |dev, key| { dev.capture.destroy(EventKey(key.as_raw())); }
    destroy_fence(vk::Fence) |dev, key| { dev.capture.destroy(FenceKey(key.as_raw())); }
    destroy_query_pool(vk::QueryPool) |dev, key| {
        dev.capture.destroy(QueryPoolKey(key.as_raw()));
    }
    destroy_semaphore(vk::Semaphore) |dev, key| { dev.capture.destroy_semaphore(key); }
}

device_hooks! {
    after [create_event](
        device: vk::Device,
        create_info: *const vk::EventCreateInfo<'_>,
        allocator: *const vk::AllocationCallbacks<'_>,
        event: *mut vk::Event
    ) (dev, result) {
        // SAFETY: C7 - the call succeeded.
        dev.capture.event(unsafe { *event });
    }
    timed [wait_for_fences](
        device: vk::Device,
        fence_count: u32,
        fences: *const vk::Fence,
        wait_all: vk::Bool32,
        timeout: u64
    ) (dev, result, took_ns) {
        if result == vk::Result::SUCCESS {
            // SAFETY: C2 - as many as it says.
            let fences = unsafe { slice(fences, fence_count as usize) };
            dev.capture.wait_fences(fences, wait_all != 0, timeout, took_ns);
        }
    }
    before [reset_fences](
        device: vk::Device,
        fence_count: u32,
        fences: *const vk::Fence
    ) (dev) {
        // SAFETY: C2 - as many as it says.
        dev.capture.reset_fences(unsafe { slice(fences, fence_count as usize) });
    }
    timed [wait_semaphores wait_semaphores_khr](
        device: vk::Device,
        wait_info: *const vk::SemaphoreWaitInfo<'_>,
        timeout: u64
    ) (dev, result, took_ns) {
        // SAFETY: C2 - the info is valid.
        let info = unsafe { View::new(wait_info) };
        if let (vk::Result::SUCCESS, Some(info)) = (result, info) {
            dev.capture.wait_semaphores(info, timeout, took_ns);
        }
    }
    before [signal_semaphore signal_semaphore_khr](
        device: vk::Device,
        signal_info: *const vk::SemaphoreSignalInfo<'_>
    ) (dev) {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(signal_info) } {
            dev.capture.signal(info);
        }
    }
    timed [get_query_pool_results](
        device: vk::Device,
        query_pool: vk::QueryPool,
        first_query: u32,
        query_count: u32,
        data_size: usize,
        data: *mut c_void,
        stride: vk::DeviceSize,
        flags: vk::QueryResultFlags
    ) (dev, result, took_ns) {
        let wait = flags.contains(vk::QueryResultFlags::WAIT);
        dev.capture.query_read(query_pool, first_query, query_count, wait, took_ns);
    }
}
