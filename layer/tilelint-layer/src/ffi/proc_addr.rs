//! Which function answers to which name.

use super::abi::{self, NegotiateLayerInterface};
use super::read::string;
use super::registry::{self, Device, Instance};
use super::table::{DeviceTable, InstanceTable, VoidFunction};
use super::{chain, enumerate};
use ash::vk::{self, Handle};
use std::ffi::{CStr, c_char};

/// Agrees on the interface version. The first call of all: nothing may be called down from here.
///
/// # Safety
/// C1.
pub(super) unsafe fn negotiate(version_struct: *mut NegotiateLayerInterface) -> vk::Result {
    // SAFETY: C1 - NULL or valid.
    let Some(negotiate) = (unsafe { version_struct.as_mut() }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    if negotiate.s_type != abi::LAYER_NEGOTIATE_INTERFACE_STRUCT {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    }
    let version = negotiate.loader_layer_interface_version.min(abi::LOADER_LAYER_INTERFACE_VERSION);
    negotiate.loader_layer_interface_version = version;
    if version >= 2 {
        negotiate.pfn_get_instance_proc_addr = Some(get_instance_proc_addr);
        negotiate.pfn_get_device_proc_addr = Some(get_device_proc_addr);
        negotiate.pfn_get_physical_device_proc_addr = Some(get_physical_device_proc_addr);
    }
    vk::Result::SUCCESS
}

/// Forgets a function's type, as `vkGet*ProcAddr` returns it.
macro_rules! untyped {
    ($function:expr, $pfn:ty) => {{
        let function: $pfn = $function;
        // SAFETY: C8 - function pointers have one size; the caller restores the type by its name.
        Some(unsafe { std::mem::transmute::<$pfn, VoidFunction>(function) })
    }};
}

/// Returns the functions that exist without an instance.
fn global(name: &CStr) -> vk::PFN_vkVoidFunction {
    match name.to_bytes() {
        b"vkCreateInstance" => untyped!(chain::create_instance, vk::PFN_vkCreateInstance),
        b"vkGetInstanceProcAddr" => {
            untyped!(get_instance_proc_addr, vk::PFN_vkGetInstanceProcAddr)
        }
        b"vkEnumerateInstanceLayerProperties" => {
            untyped!(enumerate::instance_layers, vk::PFN_vkEnumerateInstanceLayerProperties)
        }
        b"vkEnumerateInstanceExtensionProperties" => {
            untyped!(enumerate::instance_extensions, vk::PFN_vkEnumerateInstanceExtensionProperties)
        }
        _ => None,
    }
}

/// `vkGetInstanceProcAddr`.
///
/// # Safety
/// C2, C3.
pub(super) unsafe extern "system" fn get_instance_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: C2 - NULL or a string.
    let name = unsafe { string(name) }?;
    if let Some(function) = global(name) {
        return Some(function);
    }
    if name == c"vkGetDeviceProcAddr" {
        return untyped!(get_device_proc_addr, vk::PFN_vkGetDeviceProcAddr);
    }
    // SAFETY: C3 - NULL or a live instance.
    let entry = unsafe { registry::instance_of(instance) }?;
    if let Some(function) = physical_device_function(&entry, name) {
        return Some(function);
    }
    if let Some(command) = InstanceTable::command(name) {
        let ours = (command.is_below)(&entry.table) || entry.debug.implements(name);
        return ours.then_some(command.ours);
    }
    // SAFETY: C5 - the instance lives and the name is a C string.
    let below = unsafe { (entry.get_instance_proc_addr)(instance, name.as_ptr()) };
    let needs = entry.settings.wants().needs;
    match DeviceTable::command(name) {
        Some(command) if !needs.has(command.group()) => below,
        // The device's own table decides again when the function is called.
        Some(command) if below.is_some() || entry.debug.implements(name) => Some(command.ours),
        Some(_) => None,
        None => below,
    }
}

/// `vkGetDeviceProcAddr`.
///
/// # Safety
/// C2, C3.
pub(super) unsafe extern "system" fn get_device_proc_addr(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: C2 - NULL or a string.
    let name = unsafe { string(name) }?;
    if name == c"vkGetDeviceProcAddr" {
        return untyped!(get_device_proc_addr, vk::PFN_vkGetDeviceProcAddr);
    }
    if device.is_null() {
        return None;
    }
    // SAFETY: C3 - a live device.
    let entry = unsafe { registry::device_of(device) }?;
    let needs = entry.instance.settings.wants().needs;
    match DeviceTable::command(name).filter(|command| needs.has(command.group())) {
        Some(command) => {
            let ours = (command.is_below)(&entry.table) || implements(&entry, name);
            ours.then_some(command.ours)
        }
        // SAFETY: C5 - the device lives and the name is a C string.
        None => unsafe { (entry.get_device_proc_addr)(device, name.as_ptr()) },
    }
}

/// Returns whether the layer itself implements the function for this device.
fn implements(device: &Device, name: &CStr) -> bool {
    let is_marker = name.to_bytes().windows(11).any(|part| part == b"DebugMarker");
    (is_marker && device.debug_marker) || device.instance.debug.implements(name)
}

/// Returns the physical-device functions that the layer has whatever is below.
fn physical_device_function(instance: &Instance, name: &CStr) -> vk::PFN_vkVoidFunction {
    let command = InstanceTable::command(name)?;
    match name.to_bytes() {
        b"vkCreateDevice"
        | b"vkEnumerateDeviceExtensionProperties"
        | b"vkEnumerateDeviceLayerProperties"
        // A device extension of the layer's own.
        | b"vkGetPhysicalDeviceToolPropertiesEXT" => Some(command.ours),
        b"vkGetPhysicalDeviceToolProperties" => {
            (command.is_below)(&instance.table).then_some(command.ours)
        }
        _ => None,
    }
}

/// `vk_layerGetPhysicalDeviceProcAddr`: says whether a name is a physical-device function.
///
/// # Safety
/// C2, C3.
unsafe extern "system" fn get_physical_device_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: C2 - NULL or a string.
    let known = unsafe { string(name) }?;
    // SAFETY: C3 - NULL or a live instance.
    let entry = unsafe { registry::instance_of(instance) }?;
    if let Some(function) = physical_device_function(&entry, known) {
        return Some(function);
    }
    if InstanceTable::command(known).is_some() || DeviceTable::command(known).is_some() {
        return None;
    }
    let next = entry.get_physical_device_proc_addr?;
    // SAFETY: C5 - the instance lives and the name is a C string.
    unsafe { next(instance, name) }
}
