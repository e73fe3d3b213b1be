//! Submission and presentation. The event takes its place in the queue before the call down, so
//! that a thread which waits for the work comes after it, and learns the result afterwards.

use super::memory::ask_commitments;
use crate::api_time;
use crate::ffi::hooks::{after_call, device_hooks, timer};
use crate::ffi::read::{View, Views, slice};
use crate::ffi::{guard, registry, slots};
use crate::queue::Ticket;
use ash::vk;
use std::sync::Arc;
use tilelint::call::Recording;

/// Returns what a submitted or executed command buffer holds.
pub(super) fn recorded(buffer: vk::CommandBuffer) -> Option<Arc<Recording>> {
    let slot = slots::find(buffer)?;
    // SAFETY: C4 - a submitted command buffer is not being recorded.
    unsafe { slot.recorded() }?.finished().cloned()
}

/// Declares the functions that submit work.
macro_rules! submit_hooks {
    ($($field:ident ($queue:ident, $count:ident, $infos:ident: $info:ty, $fence:ident)
        |$dev:ident| $body:expr;)*) => {$(
        #[doc = concat!("Calls `", stringify!($field), "` of the next layer and looks at it.")]
        ///
        /// # Safety
        /// C2, C3, as Vulkan asks of the application.
        pub(in crate::ffi) unsafe extern "system" fn $field(
            $queue: vk::Queue,
            $count: u32,
            $infos: *const $info,
            $fence: vk::Fence,
        ) -> vk::Result {
            // SAFETY: C3 - a live queue.
            let Some(device) = (unsafe { registry::device_of($queue) }) else {
                return vk::Result::ERROR_DEVICE_LOST;
            };
            let Some(next) = device.table.$field else {
                return vk::Result::ERROR_EXTENSION_NOT_PRESENT;
            };
            let $dev = &device;
            let ticket: Option<Ticket> =
                guard::run(&device, stringify!($field), || $body).flatten();
            let timer = timer!($field);
            // SAFETY: C5 - the arguments go down as they came.
            let result = unsafe { next($queue, $count, $infos, $fence) };
            timer.stop();
            api_time::submitted();
            device.capture.resolve(ticket, result);
            guard::run(&device, stringify!($field), || ask_commitments(&device));
            after_call(&device);
            result
        }
    )*};
}

submit_hooks! {
    queue_submit(queue, count, submits: vk::SubmitInfo<'_>, fence) |dev| {
        // SAFETY: C2 - as many as it says.
        let infos = unsafe { Views::new(submits, count) };
        dev.capture.submit_1(queue, infos, fence, &recorded)
    };
    queue_submit2(queue, count, submits: vk::SubmitInfo2<'_>, fence) |dev| {
        // SAFETY: C2 - as many as it says.
        let infos = unsafe { Views::new(submits, count) };
        dev.capture.submit_2(queue, infos, fence, &recorded)
    };
    queue_submit2_khr(queue, count, submits: vk::SubmitInfo2<'_>, fence) |dev| {
        // SAFETY: C2 - as many as it says.
        let infos = unsafe { Views::new(submits, count) };
        dev.capture.submit_2(queue, infos, fence, &recorded)
    };
    queue_bind_sparse(queue, count, binds: vk::BindSparseInfo<'_>, fence) |dev| {
        // SAFETY: C2 - as many as it says.
        let infos = unsafe { Views::new(binds, count) };
        dev.capture.bind_sparse(queue, infos, fence)
    };
}

/// `vkQueuePresentKHR`.
///
/// # Safety
/// C2, C3.
pub(in crate::ffi) unsafe extern "system" fn queue_present_khr(
    queue: vk::Queue,
    present_info: *const vk::PresentInfoKHR<'_>,
) -> vk::Result {
    // SAFETY: C3 - a live queue.
    let Some(device) = (unsafe { registry::device_of(queue) }) else {
        return vk::Result::ERROR_DEVICE_LOST;
    };
    let Some(next) = device.table.queue_present_khr else {
        return vk::Result::ERROR_EXTENSION_NOT_PRESENT;
    };
    // SAFETY: C2 - the info is valid.
    let info = unsafe { View::new(present_info) };
    let tickets = guard::run(&device, "queue_present_khr", || {
        info.map_or_else(Vec::new, |info| device.capture.present(queue, info))
    });
    let timer = timer!(queue_present_khr);
    // SAFETY: C5 - the arguments go down as they came.
    let result = unsafe { next(queue, present_info) };
    timer.stop();
    api_time::presented();
    // SAFETY: C7 - NULL, or as many results as swapchains, written by the call.
    let results = info.map_or(&[][..], |info| unsafe {
        slice(info.p_results.cast_const(), info.swapchain_count as usize)
    });
    device.capture.resolve_present(tickets.unwrap_or_default(), result, results);
    after_call(&device);
    result
}

device_hooks! {
    timed [queue_wait_idle](queue: vk::Queue) (dev, result, took_ns) {
        dev.capture.wait_idle(Some(queue), took_ns);
    }
}
