//! What the layer says about itself.

use super::read::string;
use super::registry;
use ash::vk;
use std::ffi::{CStr, c_char};

/// The layer's name.
pub(crate) const LAYER_NAME: &CStr = c"VK_LAYER_TILELINT_lint";
/// The layer's description.
pub(super) const DESCRIPTION: &CStr = c"Lints an application for tile-based GPUs";
/// The newest Vulkan that the layer handles.
const SPEC_VERSION: u32 = vk::make_api_version(0, 1, 4, 0);
const IMPLEMENTATION_VERSION: u32 = 1;

/// Copies a string and leaves zeros behind it.
pub(super) fn write_name(target: &mut [c_char], text: &CStr) {
    target.fill(0);
    let room = target.len() - 1;
    for (to, from) in target.iter_mut().zip(text.to_bytes().iter().take(room)) {
        *to = *from as c_char;
    }
}

/// Returns this layer's properties; the tails of the strings are zero.
fn layer() -> vk::LayerProperties {
    let mut properties = vk::LayerProperties {
        spec_version: SPEC_VERSION,
        implementation_version: IMPLEMENTATION_VERSION,
        ..Default::default()
    };
    write_name(&mut properties.layer_name, LAYER_NAME);
    write_name(&mut properties.description, DESCRIPTION);
    properties
}

fn extension(name: &CStr, spec_version: u32) -> vk::ExtensionProperties {
    let mut properties = vk::ExtensionProperties { spec_version, ..Default::default() };
    write_name(&mut properties.extension_name, name);
    properties
}

/// Answers an enumeration: the count, or as many elements as there is room for.
///
/// # Safety
/// C2: `count` is valid; `out` is NULL or has room for `*count` elements.
pub(super) unsafe fn answer<T: Copy>(items: &[T], count: *mut u32, out: *mut T) -> vk::Result {
    // SAFETY: C2 - the count is valid for reads and writes.
    let Some(count) = (unsafe { count.as_mut() }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    if out.is_null() {
        *count = items.len() as u32;
        return vk::Result::SUCCESS;
    }
    let n_written = items.len().min(*count as usize);
    // SAFETY: C2 - there is room for that many, and `items` is the layer's own.
    unsafe { std::ptr::copy_nonoverlapping(items.as_ptr(), out, n_written) };
    *count = n_written as u32;
    if n_written < items.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
}

/// `vkEnumerateInstanceLayerProperties`.
///
/// # Safety
/// C2.
pub(super) unsafe extern "system" fn instance_layers(
    property_count: *mut u32,
    properties: *mut vk::LayerProperties,
) -> vk::Result {
    // SAFETY: C2.
    unsafe { answer(&[layer()], property_count, properties) }
}

/// `vkEnumerateDeviceLayerProperties`.
///
/// # Safety
/// C2.
pub(super) unsafe extern "system" fn device_layers(
    _physical_device: vk::PhysicalDevice,
    property_count: *mut u32,
    properties: *mut vk::LayerProperties,
) -> vk::Result {
    // SAFETY: C2.
    unsafe { answer(&[layer()], property_count, properties) }
}

/// `vkEnumerateInstanceExtensionProperties`: answers for this layer's name only.
///
/// # Safety
/// C2.
pub(super) unsafe extern "system" fn instance_extensions(
    layer_name: *const c_char,
    property_count: *mut u32,
    properties: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: C2 - NULL or a string.
    if unsafe { string(layer_name) } != Some(LAYER_NAME) {
        return vk::Result::ERROR_LAYER_NOT_PRESENT;
    }
    let own = [
        extension(ash::ext::debug_report::NAME, 10),
        extension(ash::ext::debug_utils::NAME, 2),
        extension(ash::ext::layer_settings::NAME, 2),
    ];
    // SAFETY: C2.
    unsafe { answer(&own, property_count, properties) }
}

/// `vkEnumerateDeviceExtensionProperties`: own list for this layer's name, else the one below.
///
/// # Safety
/// C2, C3.
pub(super) unsafe extern "system" fn device_extensions(
    physical_device: vk::PhysicalDevice,
    layer_name: *const c_char,
    property_count: *mut u32,
    properties: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: C2 - NULL or a string.
    if unsafe { string(layer_name) } == Some(LAYER_NAME) {
        let own = [
            extension(ash::ext::debug_marker::NAME, 4),
            extension(ash::ext::tooling_info::NAME, 1),
        ];
        // SAFETY: C2.
        return unsafe { answer(&own, property_count, properties) };
    }
    // SAFETY: C3 - NULL or a live physical device.
    let instance = unsafe { registry::instance_of(physical_device) };
    let next = instance.and_then(|instance| instance.table.enumerate_device_extension_properties);
    let Some(next) = next else { return vk::Result::ERROR_LAYER_NOT_PRESENT };
    // SAFETY: C5 - the arguments go down as they came.
    unsafe { next(physical_device, layer_name, property_count, properties) }
}
