//! A Vulkan layer that does nothing: the floor of what a layer costs.
//!
//! It intercepts the device commands that tilelint can intercept, under the same names, and each
//! goes on to the next layer with a single jump through a table, whatever its arguments are. There
//! is one table: a process has one device at a time.

#![allow(non_snake_case, reason = "the file's name is that of a layer")]

mod forward;
mod loader;
mod names;

use std::ffi::{CStr, c_char, c_void};
use std::mem::transmute;
use std::sync::atomic::{AtomicPtr, Ordering};

use ash::vk;
use loader::{DeviceCreateInfo, InstanceCreateInfo, Negotiate};

static NEXT_INSTANCE_PROC: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
static NEXT_DEVICE_PROC: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
static INSTANCE: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// Any function, as `vkGet*ProcAddr` gives it.
type Function = unsafe extern "system" fn();

/// The loader's first call: agrees on version 2 of the interface.
///
/// # Safety
/// `negotiate` is the loader's structure.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vkNegotiateLoaderLayerInterfaceVersion(
    negotiate: &mut Negotiate,
) -> vk::Result {
    negotiate.version = negotiate.version.min(2);
    negotiate.instance_proc = Some(instance_proc);
    negotiate.device_proc = Some(device_proc);
    negotiate.physical_device_proc = std::ptr::null();
    vk::Result::SUCCESS
}

/// Forgets a function's type.
macro_rules! untyped {
    ($function:expr, $pfn:ty) => {{
        let function: $pfn = $function;
        // SAFETY: function pointers have one size; the caller restores the type by its name.
        Some(unsafe { transmute::<$pfn, Function>(function) })
    }};
}

/// `vkGetInstanceProcAddr`.
unsafe extern "system" fn instance_proc(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: valid usage makes it a C string.
    match unsafe { CStr::from_ptr(name) }.to_bytes() {
        b"vkGetInstanceProcAddr" => untyped!(instance_proc, vk::PFN_vkGetInstanceProcAddr),
        b"vkGetDeviceProcAddr" => untyped!(device_proc, vk::PFN_vkGetDeviceProcAddr),
        b"vkCreateInstance" => untyped!(create_instance, vk::PFN_vkCreateInstance),
        b"vkCreateDevice" => untyped!(create_device, vk::PFN_vkCreateDevice),
        _ => next_instance_proc(instance, name),
    }
}

fn next_instance_proc(instance: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction {
    let next = NEXT_INSTANCE_PROC.load(Ordering::Relaxed);
    if next.is_null() {
        return None;
    }
    // SAFETY: it was stored as a function of this type.
    let next = unsafe { transmute::<*mut c_void, vk::PFN_vkGetInstanceProcAddr>(next) };
    // SAFETY: the arguments go on as they came.
    unsafe { next(instance, name) }
}

/// `vkGetDeviceProcAddr`: what the next layer has is forwarded if tilelint could intercept it.
unsafe extern "system" fn device_proc(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: valid usage makes it a C string.
    let known = unsafe { CStr::from_ptr(name) }.to_bytes();
    if known == b"vkGetDeviceProcAddr" {
        return untyped!(device_proc, vk::PFN_vkGetDeviceProcAddr);
    }
    let next = NEXT_DEVICE_PROC.load(Ordering::Relaxed);
    if next.is_null() {
        return None;
    }
    // SAFETY: it was stored as a function of this type.
    let next = unsafe { transmute::<*mut c_void, vk::PFN_vkGetDeviceProcAddr>(next) };
    // SAFETY: the arguments go on as they came.
    let below = unsafe { next(device, name) }?;
    match names::index(known) {
        Some(index) => Some(forward::to(index, below)),
        None => Some(below),
    }
}

/// `vkCreateInstance`.
unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    instance: *mut vk::Instance,
) -> vk::Result {
    let failed = vk::Result::ERROR_INITIALIZATION_FAILED;
    let kind = vk::StructureType::LOADER_INSTANCE_CREATE_INFO;
    // SAFETY: valid usage makes it a structure.
    let chain = unsafe { &*info }.p_next;
    let Some(node) = loader::link::<InstanceCreateInfo>(chain, kind) else { return failed };
    // SAFETY: the node holds the loader's link.
    let link = unsafe { &*node.link };
    NEXT_INSTANCE_PROC.store(link.instance_proc as *mut c_void, Ordering::Relaxed);
    node.link = link.next;
    let Some(next) = next_instance_proc(vk::Instance::null(), c"vkCreateInstance".as_ptr()) else {
        return failed;
    };
    // SAFETY: the function has the type of its name.
    let next = unsafe { transmute::<Function, vk::PFN_vkCreateInstance>(next) };
    // SAFETY: the arguments go on as they came.
    let result = unsafe { next(info, allocator, instance) };
    if result == vk::Result::SUCCESS {
        // SAFETY: the call succeeded, so the handle was written.
        let handle = unsafe { *instance };
        INSTANCE.store(vk::Handle::as_raw(handle) as *mut c_void, Ordering::Relaxed);
    }
    result
}

/// `vkCreateDevice`.
unsafe extern "system" fn create_device(
    physical_device: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    device: *mut vk::Device,
) -> vk::Result {
    let failed = vk::Result::ERROR_INITIALIZATION_FAILED;
    let kind = vk::StructureType::LOADER_DEVICE_CREATE_INFO;
    // SAFETY: valid usage makes it a structure.
    let chain = unsafe { &*info }.p_next;
    let Some(node) = loader::link::<DeviceCreateInfo>(chain, kind) else { return failed };
    // SAFETY: the node holds the loader's link.
    let link = unsafe { &*node.link };
    NEXT_DEVICE_PROC.store(link.device_proc as *mut c_void, Ordering::Relaxed);
    node.link = link.next;
    let instance = vk::Handle::from_raw(INSTANCE.load(Ordering::Relaxed) as u64);
    // SAFETY: the link is the next layer's; the instance lives.
    let next = unsafe { (link.instance_proc)(instance, c"vkCreateDevice".as_ptr()) };
    let Some(next) = next else { return failed };
    // SAFETY: the function has the type of its name.
    let next = unsafe { transmute::<Function, vk::PFN_vkCreateDevice>(next) };
    // SAFETY: the arguments go on as they came.
    unsafe { next(physical_device, info, allocator, device) }
}
