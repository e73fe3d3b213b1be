//! `vkGetPhysicalDeviceToolProperties`: the layer's own entry first, then those from below.

use super::enumerate::{DESCRIPTION, LAYER_NAME, answer, write_name};
use super::registry::{self, Instance};
use ash::vk;
use std::ptr;

/// The next layer's function, under either name.
type Next = Option<vk::PFN_vkGetPhysicalDeviceToolProperties>;

/// Returns the layer's own entry.
fn own() -> vk::PhysicalDeviceToolProperties<'static> {
    let mut tool = vk::PhysicalDeviceToolProperties {
        purposes: vk::ToolPurposeFlags::VALIDATION
            | vk::ToolPurposeFlags::DEBUG_REPORTING_EXT
            | vk::ToolPurposeFlags::DEBUG_MARKERS_EXT,
        ..Default::default()
    };
    write_name(&mut tool.name, c"tilelint");
    write_name(&mut tool.version, VERSION);
    write_name(&mut tool.description, DESCRIPTION);
    write_name(&mut tool.layer, LAYER_NAME);
    tool
}

/// The version of this build.
const VERSION: &std::ffi::CStr = match std::ffi::CStr::from_bytes_with_nul(
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes(),
) {
    Ok(version) => version,
    Err(_) => panic!("the version has a NUL inside"),
};

/// Answers under one of the two names.
///
/// # Safety
/// C2, C3.
pub(super) unsafe fn tool_properties(
    physical_device: vk::PhysicalDevice,
    count: *mut u32,
    properties: *mut vk::PhysicalDeviceToolProperties<'_>,
    pick: impl Fn(&Instance) -> Next,
) -> vk::Result {
    // SAFETY: C3 - a live physical device.
    let instance = unsafe { registry::instance_of(physical_device) };
    let next = instance.as_deref().and_then(pick);
    // SAFETY: C2 - the count is valid for reads and writes.
    let Some(room) = (unsafe { count.as_mut() }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    let Some(next) = next else {
        // SAFETY: C2 - the caller's array.
        return unsafe { answer(&[own()], count, properties) };
    };
    if properties.is_null() {
        let mut n_below = 0;
        // SAFETY: C5 - asks for the count only.
        let result = unsafe { next(physical_device, &mut n_below, ptr::null_mut()) };
        *room = n_below + 1;
        return result;
    }
    if *room == 0 {
        return vk::Result::INCOMPLETE;
    }
    let mut n_below = *room - 1;
    // SAFETY: C2 - the array has at least one element.
    unsafe { write_own(properties) };
    // SAFETY: C2 - one past the first element is still inside, or one past the end.
    let rest = unsafe { properties.add(1) };
    // SAFETY: C5 - `rest` has room for `n_below` elements.
    let result = unsafe { next(physical_device, &mut n_below, rest) };
    *room = n_below + 1;
    result
}

/// Writes the own entry and leaves the application's sType and pNext in place.
///
/// # Safety
/// C2: `target` is a valid structure.
unsafe fn write_own(target: *mut vk::PhysicalDeviceToolProperties<'_>) {
    // SAFETY: the caller's promise.
    let Some(target) = (unsafe { target.as_mut() }) else { return };
    let own = own();
    target.name = own.name;
    target.version = own.version;
    target.purposes = own.purposes;
    target.description = own.description;
    target.layer = own.layer;
}
