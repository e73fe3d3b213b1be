//! The seven exported functions: thin wrappers and nothing else.
//!
//! No other code may name them. The address of an exported symbol can be bound to a function of the
//! same name in the program (libvulkan exports most of these names too), so everything inside the
//! layer uses the private functions in [`super::proc_addr`] and [`super::enumerate`].

use super::{abi, enumerate, proc_addr};
use ash::vk;
use std::ffi::c_char;

/// Agrees on the interface version and hands the loader the entry points.
///
/// # Safety
/// C1: `version_struct` is NULL or valid for reads and writes.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "system" fn vkNegotiateLoaderLayerInterfaceVersion(
    version_struct: *mut abi::NegotiateLayerInterface,
) -> vk::Result {
    // SAFETY: C1 - the argument is passed on as it came.
    unsafe { proc_addr::negotiate(version_struct) }
}

/// Returns an instance-level function.
///
/// # Safety
/// C2: `name` is a NUL-terminated string.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "system" fn vkGetInstanceProcAddr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: C2 - the arguments are passed on as they came.
    unsafe { proc_addr::get_instance_proc_addr(instance, name) }
}

/// Returns a device-level function.
///
/// # Safety
/// C2: `name` is a NUL-terminated string.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "system" fn vkGetDeviceProcAddr(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: C2 - the arguments are passed on as they came.
    unsafe { proc_addr::get_device_proc_addr(device, name) }
}

/// Lists this layer.
///
/// # Safety
/// C2: `properties` is NULL or has room for `*property_count` elements.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "system" fn vkEnumerateInstanceLayerProperties(
    property_count: *mut u32,
    properties: *mut vk::LayerProperties,
) -> vk::Result {
    // SAFETY: C2 - the arguments are passed on as they came.
    unsafe { enumerate::instance_layers(property_count, properties) }
}

/// Lists the instance extensions of this layer.
///
/// # Safety
/// C2: `properties` is NULL or has room for `*property_count` elements.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "system" fn vkEnumerateInstanceExtensionProperties(
    layer_name: *const c_char,
    property_count: *mut u32,
    properties: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: C2 - the arguments are passed on as they came.
    unsafe { enumerate::instance_extensions(layer_name, property_count, properties) }
}

/// Lists this layer, byte for byte as [`vkEnumerateInstanceLayerProperties`] does: Android's loader
/// compares the two and leaves a layer that differs out of the device chain.
///
/// # Safety
/// C2: `properties` is NULL or has room for `*property_count` elements.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "system" fn vkEnumerateDeviceLayerProperties(
    physical_device: vk::PhysicalDevice,
    property_count: *mut u32,
    properties: *mut vk::LayerProperties,
) -> vk::Result {
    // SAFETY: C2 - the arguments are passed on as they came.
    unsafe { enumerate::device_layers(physical_device, property_count, properties) }
}

/// Lists the device extensions of this layer, or of the driver below.
///
/// # Safety
/// C2: `properties` is NULL or has room for `*property_count` elements.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "system" fn vkEnumerateDeviceExtensionProperties(
    physical_device: vk::PhysicalDevice,
    layer_name: *const c_char,
    property_count: *mut u32,
    properties: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: C2 - the arguments are passed on as they came.
    unsafe { enumerate::device_extensions(physical_device, layer_name, property_count, properties) }
}
