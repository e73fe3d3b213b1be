//! Device functions that belong to no object.

use crate::ffi::hooks::device_hooks;
use crate::ffi::read::View;
use ash::vk;

pub(in crate::ffi) use crate::ffi::chain::destroy_device;

device_hooks! {
    timed [device_wait_idle](device: vk::Device) (dev, result, took_ns) {
        dev.capture.wait_idle(None, took_ns);
    }
    after_void [get_device_queue](
        device: vk::Device,
        family: u32,
        index: u32,
        queue: *mut vk::Queue
    ) (dev) {
        // SAFETY: C7 - the handle was written.
        dev.capture.queue(unsafe { *queue }, family);
    }
    after_void [get_device_queue2](
        device: vk::Device,
        queue_info: *const vk::DeviceQueueInfo2<'_>,
        queue: *mut vk::Queue
    ) (dev) {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(queue_info) } {
            // SAFETY: C7 - the handle was written.
            dev.capture.queue(unsafe { *queue }, info.queue_family_index);
        }
    }
}
