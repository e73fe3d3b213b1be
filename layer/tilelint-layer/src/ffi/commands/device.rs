//! Device functions that belong to no object.

use crate::ffi::hooks::device_hooks;
use ash::vk;

pub(in crate::ffi) use crate::ffi::chain::destroy_device;

device_hooks! {
    always [device_wait_idle](device: vk::Device) (dev, result) {
        dev.capture.wait_idle(None, result);
    }
}
