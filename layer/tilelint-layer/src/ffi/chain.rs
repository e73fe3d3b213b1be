//! The instance and device chains: creating, destroying, and finding the next layer.

use super::abi::{self, LayerDeviceCreateInfo, LayerInstanceCreateInfo};
use super::asked::{Additions, Asked};
use super::commands::command_buffer::in_order;
use super::debug::{self, Debug};
use super::device_info::PhysicalInfo;
use super::read::{View, slice, string};
use super::registry::{self, Device, Instance};
use super::table::{DeviceTable, InstanceTable};
use super::{exit, guard, pin};
use crate::capture::DeviceCapture;
use crate::message;
use crate::settings::InstanceSettings;
use ash::vk::{self, Handle};
use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;
use std::sync::Arc;

/// Longest create-info chain searched for the loader's node.
const CHAIN_LIMIT: usize = 256;

/// Finds the loader's link node in a create-info chain. Other nodes of the loader share its sType,
/// so `function` decides.
///
/// # Safety
/// C1: `p_next` is a valid chain.
unsafe fn find_link(p_next: *const c_void, s_type: vk::StructureType) -> Option<*mut c_void> {
    let mut current = p_next;
    for _ in 0..CHAIN_LIMIT {
        if current.is_null() {
            return None;
        }
        // SAFETY: C1 - every element starts with sType and pNext.
        let base = unsafe { &*current.cast::<vk::BaseInStructure<'_>>() };
        if base.s_type == s_type {
            // SAFETY: C1 - both of the loader's nodes have `function` in the same place.
            let function = unsafe { (*current.cast::<LayerDeviceCreateInfo>()).function };
            if function == abi::LAYER_LINK_INFO {
                return Some(current.cast_mut());
            }
        }
        current = base.p_next.cast();
    }
    None
}

/// `vkCreateInstance`: makes the chain below, then takes every function that it will need.
///
/// # Safety
/// C1, C2, C7.
pub(super) unsafe extern "system" fn create_instance(
    create_info: *const vk::InstanceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    instance: *mut vk::Instance,
) -> vk::Result {
    pin::pin_library();
    exit::register();
    crate::log::install_panic_hook();
    // SAFETY: C2 - the create-info is valid.
    let Some(info) = (unsafe { View::new(create_info) }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    let s_type = vk::StructureType::LOADER_INSTANCE_CREATE_INFO;
    // SAFETY: C1 - the loader's chain.
    let Some(node) = (unsafe { find_link(info.p_next, s_type) }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    // SAFETY: C1 - the node found has this type and is writable.
    let node = unsafe { &mut *node.cast::<LayerInstanceCreateInfo>() };
    // SAFETY: C1 - the link is NULL or valid.
    let Some(link) = (unsafe { node.p_layer_info.as_ref() }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    let Some(get) = link.pfn_next_get_instance_proc_addr else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    // SAFETY: C5 - global functions are asked for with a NULL instance.
    let next = unsafe { get(vk::Instance::null(), c"vkCreateInstance".as_ptr()) };
    let Some(next) = next else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    // SAFETY: C5 - the function has the type of its name.
    let next = unsafe {
        std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkCreateInstance>(next)
    };
    let get_physical = link.pfn_next_get_physical_device_proc_addr;
    node.p_layer_info = link.p_next;
    // SAFETY: C5 - the arguments go down as they came.
    let result = unsafe { next(create_info, allocator, instance) };
    if result != vk::Result::SUCCESS {
        return result;
    }
    guard::run_without_device("create_instance", || {
        // SAFETY: C7 - the call succeeded, so the handle was written.
        let handle = unsafe { *instance };
        // SAFETY: C2 - the create-info is still valid.
        unsafe { add_instance(info, handle, get, get_physical) };
    });
    result
}

/// Fills the instance table once, now: a later look-up through the saved link may answer with the
/// functions of layers above.
///
/// # Safety
/// C2, C3, C5.
unsafe fn add_instance(
    info: View<'_, vk::InstanceCreateInfo<'_>>,
    handle: vk::Instance,
    get: vk::PFN_vkGetInstanceProcAddr,
    get_physical: Option<abi::PfnGetPhysicalDeviceProcAddr>,
) {
    let ask = |name: &CStr| {
        // SAFETY: C5 - the instance lives and the name is a C string.
        unsafe { get(handle, name.as_ptr()) }
    };
    // SAFETY: C5 - `ask` asks the next layer.
    let table = unsafe { InstanceTable::load(ask) };
    // SAFETY: C2 - the list has as many names as it says.
    let extensions =
        unsafe { extension_names(info.pp_enabled_extension_names, info.enabled_extension_count) };
    let debug = Debug::new(&extensions, &table, info);
    let (settings, problems) = InstanceSettings::load(info);
    for problem in &problems {
        debug.tell_chained(&message::problem(problem));
    }
    let instance = Instance {
        handle,
        get_instance_proc_addr: get,
        get_physical_device_proc_addr: get_physical,
        debug,
        settings,
        table,
    };
    // SAFETY: C3 - a new instance.
    if let Some(key) = unsafe { registry::key(handle) } {
        registry::add_instance(key, Arc::new(instance));
    }
}

/// Returns the names of enabled extensions.
///
/// # Safety
/// C2: `names` has `count` strings.
unsafe fn extension_names<'a>(names: *const *const std::ffi::c_char, count: u32) -> Vec<&'a CStr> {
    // SAFETY: the caller's promise.
    let names = unsafe { slice(names, count as usize) };
    names
        .iter()
        .filter_map(|name| {
            // SAFETY: C2 - each element is a string.
            unsafe { string(*name) }
        })
        .collect()
}

/// `vkDestroyInstance`.
///
/// # Safety
/// C2, C3, C6.
pub(super) unsafe extern "system" fn destroy_instance(
    instance: vk::Instance,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: C3 - NULL or a live instance; read before it is gone.
    let Some(key) = (unsafe { registry::key(instance) }) else { return };
    let Some(entry) = registry::remove_instance(key) else { return };
    guard::run_without_device("destroy_instance", || {
        for message in crate::session::instance_ends() {
            entry.debug.tell_chained(&message);
        }
    });
    if let Some(next) = entry.table.destroy_instance {
        // SAFETY: C5 - the arguments go down as they came.
        unsafe { next(instance, allocator) };
    }
}

/// `vkCreateDevice`.
///
/// # Safety
/// C1, C2, C3, C7.
pub(super) unsafe extern "system" fn create_device(
    physical_device: vk::PhysicalDevice,
    create_info: *const vk::DeviceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    device: *mut vk::Device,
) -> vk::Result {
    // SAFETY: C3 - a live physical device.
    let Some(instance) = (unsafe { registry::instance_of(physical_device) }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    // SAFETY: C2 - the create-info is valid.
    let Some(info) = (unsafe { View::new(create_info) }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    let s_type = vk::StructureType::LOADER_DEVICE_CREATE_INFO;
    // SAFETY: C1 - the loader's chain.
    let Some(node) = (unsafe { find_link(info.p_next, s_type) }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    // SAFETY: C1 - the node found has this type and is writable.
    let node = unsafe { &mut *node.cast::<LayerDeviceCreateInfo>() };
    // SAFETY: C1 - the link is NULL or valid.
    let Some(link) = (unsafe { node.p_layer_info.as_ref() }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    let Some(get) = link.pfn_next_get_device_proc_addr else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    let next = match link.pfn_next_get_instance_proc_addr {
        // SAFETY: C5 - asked with the live instance; NULL would be illegal for this name.
        Some(get) => unsafe { get(instance.handle, c"vkCreateDevice".as_ptr()) }.map(|next| {
            // SAFETY: C5 - the function has the type of its name.
            unsafe {
                std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkCreateDevice>(next)
            }
        }),
        None => None,
    };
    let Some(next) = next.or(instance.table.create_device) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    // SAFETY: C3, C5 - a live physical device of this instance.
    let physical = unsafe { super::device_info::read(&instance, physical_device) };
    // SAFETY: C2 - the list has as many names as it says.
    let extensions =
        unsafe { extension_names(info.pp_enabled_extension_names, info.enabled_extension_count) };
    let additions = guard::run_without_device("create_device", || {
        // SAFETY: C2, C3, C5 - as above.
        unsafe { Additions::new(&instance, physical_device, &physical, info, &extensions) }
    });
    let mut make = |info: *const vk::DeviceCreateInfo<'_>| {
        node.p_layer_info = link.p_next;
        // SAFETY: C5 - the arguments go down as they came, the info perhaps as a copy.
        unsafe { next(physical_device, info, allocator, device) }
    };
    // SAFETY: C1, C7 - the variable is the loader's own.
    let (result, asked) = unsafe { make_device(additions, info, device, &mut make) };
    if result != vk::Result::SUCCESS {
        return result;
    }
    guard::run_without_device("create_device", || {
        // SAFETY: C7 - the call succeeded, so the handle was written.
        let handle = unsafe { *device };
        // SAFETY: C2, C5 - the create-info is still valid, the device is new.
        unsafe { add_device(instance, physical, info, handle, get, asked) };
    });
    result
}

/// Makes a device with what the layer adds to it; where that is refused, as it was asked for.
///
/// # Safety
/// C1, C7: `device` is the variable that `make` writes.
unsafe fn make_device(
    additions: Option<Additions>,
    info: View<'_, vk::DeviceCreateInfo<'_>>,
    device: *mut vk::Device,
    make: &mut dyn FnMut(*const vk::DeviceCreateInfo<'_>) -> vk::Result,
) -> (vk::Result, Asked) {
    let Some(mut additions) = additions else { return (make(info.get()), Asked::default()) };
    if !additions.is_empty() {
        // SAFETY: C1 - the loader hands something over in it that a failed call must not change.
        let before = unsafe { device.cast::<MaybeUninit<vk::Device>>().read() };
        let result = make(&additions.info(info));
        if result == vk::Result::SUCCESS {
            return (result, additions.asked(true));
        }
        // SAFETY: C7 - the same variable.
        unsafe { device.cast::<MaybeUninit<vk::Device>>().write(before) };
    }
    (make(info.get()), additions.asked(false))
}

/// Fills the device table and opens the capture of a new device.
///
/// # Safety
/// C2, C3, C5.
unsafe fn add_device(
    instance: Arc<Instance>,
    physical: PhysicalInfo,
    info: View<'_, vk::DeviceCreateInfo<'_>>,
    handle: vk::Device,
    get: vk::PFN_vkGetDeviceProcAddr,
    asked: Asked,
) {
    let ask = |name: &CStr| {
        // SAFETY: C5 - the device lives and the name is a C string.
        unsafe { get(handle, name.as_ptr()) }
    };
    // SAFETY: C5 - `ask` asks the next layer.
    let table = unsafe { DeviceTable::load(ask) };
    // SAFETY: C2 - the list has as many names as it says.
    let extensions =
        unsafe { extension_names(info.pp_enabled_extension_names, info.enabled_extension_count) };
    let physical_device = physical.handle;
    let debug_marker = extensions.contains(&ash::ext::debug_marker::NAME);
    // A panic in here must still leave a device that forwards.
    let capture = guard::run_without_device("create_device", || {
        DeviceCapture::new(&instance.settings, physical, info, &extensions, asked)
    });
    let capture = capture.unwrap_or_else(DeviceCapture::off);
    let device = Device::new(handle, physical_device, instance, get, table, debug_marker, capture);
    // SAFETY: C3 - the device's first word is set when the call below returns.
    if let Some(key) = unsafe { registry::key(handle) } {
        registry::add_device(key, Arc::new(device));
    }
}

/// `vkDestroyDevice`: what waits is analysed and delivered before the device goes.
///
/// # Safety
/// C2, C3, C6.
pub(super) unsafe extern "system" fn destroy_device(
    device: vk::Device,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    if device.is_null() {
        return;
    }
    // SAFETY: C3 - a live device; its key is read before it is gone.
    let Some(key) = (unsafe { registry::key(device) }) else { return };
    let Some(entry) = registry::remove_device(key) else { return };
    guard::run(&entry, "destroy_device", || entry.capture.finish());
    debug::deliver(&entry);
    let pools: Vec<_> = entry.pools.lock().drain().map(|(_, buffers)| buffers).collect();
    for buffer in pools.iter().flat_map(in_order) {
        // SAFETY: C4, C6 - the device is being destroyed, so nothing uses its command buffers.
        unsafe { super::slots::remove(buffer) };
    }
    if let Some(next) = entry.table.destroy_device {
        // SAFETY: C5 - the arguments go down as they came.
        unsafe { next(device, allocator) };
    }
}
