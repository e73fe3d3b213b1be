//! Instances, surfaces, and what a physical device says of them.

use std::ffi::{CStr, c_char};
use std::sync::Mutex;

use ash::vk::{self, Handle};

use crate::swapchain::{self, MODES, SURFACE_FORMATS};
use crate::{Alloc, inner_proc, memory, void};

/// The instance that was made last: programs of tests make one at a time.
static LAST: Mutex<vk::Instance> = Mutex::new(vk::Instance::null());

/// See there.
pub fn last() -> vk::Instance {
    *LAST.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// The functions that are not the other driver's.
pub fn own(name: &CStr) -> vk::PFN_vkVoidFunction {
    match name.to_bytes() {
        b"vkGetInstanceProcAddr" => {
            void!(crate::vk_icdGetInstanceProcAddr as vk::PFN_vkGetInstanceProcAddr)
        }
        b"vkEnumerateInstanceExtensionProperties" => {
            void!(extensions as vk::PFN_vkEnumerateInstanceExtensionProperties)
        }
        b"vkCreateInstance" => void!(create_instance as vk::PFN_vkCreateInstance),
        b"vkCreateHeadlessSurfaceEXT" => {
            void!(create_surface as vk::PFN_vkCreateHeadlessSurfaceEXT)
        }
        b"vkDestroySurfaceKHR" => void!(destroy_surface as vk::PFN_vkDestroySurfaceKHR),
        b"vkCreateDevice" => void!(swapchain::create_device as vk::PFN_vkCreateDevice),
        _ => of_physical_device(name),
    }
}

/// Those whose first parameter is a physical device.
pub fn of_physical_device(name: &CStr) -> vk::PFN_vkVoidFunction {
    match name.to_bytes() {
        b"vkGetPhysicalDeviceSurfaceSupportKHR" => {
            void!(support as vk::PFN_vkGetPhysicalDeviceSurfaceSupportKHR)
        }
        b"vkGetPhysicalDeviceSurfaceCapabilitiesKHR" => {
            void!(capabilities as vk::PFN_vkGetPhysicalDeviceSurfaceCapabilitiesKHR)
        }
        b"vkGetPhysicalDeviceSurfaceFormatsKHR" => {
            void!(formats as vk::PFN_vkGetPhysicalDeviceSurfaceFormatsKHR)
        }
        b"vkGetPhysicalDeviceSurfacePresentModesKHR" => {
            void!(modes as vk::PFN_vkGetPhysicalDeviceSurfacePresentModesKHR)
        }
        _ => memory::of_physical_device(name),
    }
}

/// Answers a question for a list as Vulkan does: with its length, or with what there is room for.
///
/// # Safety
///
/// `count` and `out` are the caller's, as every such function demands.
pub unsafe fn enumerate<T: Copy>(list: &[T], count: *mut u32, out: *mut T) -> vk::Result {
    let all = list.len() as u32;
    // SAFETY: promised by the caller.
    let room = unsafe { count.read() };
    let given = if out.is_null() { all } else { room.min(all) };
    // SAFETY: promised by the caller.
    unsafe { count.write(given) };
    if out.is_null() {
        return vk::Result::SUCCESS;
    }
    // SAFETY: there is room for so many, and the list holds them.
    unsafe { std::ptr::copy_nonoverlapping(list.as_ptr(), out, given as usize) };
    if given < all { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
}

/// What the other driver offers.
fn offered() -> Option<Vec<vk::ExtensionProperties>> {
    let find = |name: &CStr| {
        let found = inner_proc(vk::Instance::null(), name);
        found.map_or(std::ptr::null(), |f| f as *const std::ffi::c_void)
    };
    let entry = ash::EntryFnV1_0::load(find);
    let ask = entry.enumerate_instance_extension_properties;
    let mut count = 0;
    // SAFETY: a null list asks for the length.
    let length = unsafe { ask(std::ptr::null(), &mut count, std::ptr::null_mut()) };
    (length == vk::Result::SUCCESS).then_some(())?;
    let mut list = vec![vk::ExtensionProperties::default(); count as usize];
    // SAFETY: the list has the length that was asked for.
    let filled = unsafe { ask(std::ptr::null(), &mut count, list.as_mut_ptr()) };
    (filled == vk::Result::SUCCESS).then_some(list)
}

unsafe extern "system" fn extensions(
    _layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    let Some(mut list) = offered() else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    for name in [ash::khr::surface::NAME, ash::ext::headless_surface::NAME] {
        let is = |e: &vk::ExtensionProperties| e.extension_name_as_c_str() == Ok(name);
        if !list.iter().any(is) {
            let own = vk::ExtensionProperties::default().spec_version(1);
            list.extend(own.extension_name(name));
        }
    }
    // SAFETY: passed on as it came.
    unsafe { enumerate(&list, count, out) }
}

unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo<'_>,
    alloc: Alloc<'_>,
    out: *mut vk::Instance,
) -> vk::Result {
    let Some(create) = inner_proc(vk::Instance::null(), c"vkCreateInstance") else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    // SAFETY: the other driver's function of this name has this signature.
    let create: vk::PFN_vkCreateInstance = unsafe { std::mem::transmute(create) };
    // SAFETY: the loader's structure lives during the call.
    let mut info = unsafe { *info };
    let count = info.enabled_extension_count as usize;
    // SAFETY: a null list is not read: its length is 0.
    let given = if count == 0 {
        &[][..]
    } else {
        // SAFETY: the loader's list has the length that it says.
        unsafe { std::slice::from_raw_parts(info.pp_enabled_extension_names, count) }
    };
    // The other driver need not know the extension.
    let kept: Vec<*const c_char> = given
        .iter()
        .copied()
        .filter(|name| {
            // SAFETY: names in the loader's list end with a zero.
            let name = unsafe { CStr::from_ptr(*name) };
            name != ash::ext::headless_surface::NAME
        })
        .collect();
    info = info.enabled_extension_names(&kept);
    // SAFETY: everything that the structure points to lives until the call returns.
    let result = unsafe { create(&info, alloc, out) };
    if result == vk::Result::SUCCESS {
        // SAFETY: the call wrote it.
        let instance = unsafe { out.read() };
        *LAST.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = instance;
    }
    result
}

unsafe extern "system" fn create_surface(
    _instance: vk::Instance,
    _info: *const vk::HeadlessSurfaceCreateInfoEXT<'_>,
    _alloc: Alloc<'_>,
    out: *mut vk::SurfaceKHR,
) -> vk::Result {
    // SAFETY: the caller's. All surfaces are alike.
    unsafe { out.write(vk::SurfaceKHR::from_raw(1)) };
    vk::Result::SUCCESS
}

unsafe extern "system" fn destroy_surface(
    _instance: vk::Instance,
    _surface: vk::SurfaceKHR,
    _alloc: Alloc<'_>,
) {
}

unsafe extern "system" fn support(
    _physical: vk::PhysicalDevice,
    family: u32,
    _surface: vk::SurfaceKHR,
    out: *mut vk::Bool32,
) -> vk::Result {
    // SAFETY: the caller's.
    unsafe { out.write(u32::from(family == 0)) };
    vk::Result::SUCCESS
}

unsafe extern "system" fn capabilities(
    _physical: vk::PhysicalDevice,
    _surface: vk::SurfaceKHR,
    out: *mut vk::SurfaceCapabilitiesKHR,
) -> vk::Result {
    // SAFETY: the caller's.
    unsafe { out.write(swapchain::capabilities()) };
    vk::Result::SUCCESS
}

unsafe extern "system" fn formats(
    _physical: vk::PhysicalDevice,
    _surface: vk::SurfaceKHR,
    count: *mut u32,
    out: *mut vk::SurfaceFormatKHR,
) -> vk::Result {
    let color_space = vk::ColorSpaceKHR::SRGB_NONLINEAR;
    let list = SURFACE_FORMATS.map(|format| vk::SurfaceFormatKHR { format, color_space });
    // SAFETY: passed on as it came.
    unsafe { enumerate(&list, count, out) }
}

unsafe extern "system" fn modes(
    _physical: vk::PhysicalDevice,
    _surface: vk::SurfaceKHR,
    count: *mut u32,
    out: *mut vk::PresentModeKHR,
) -> vk::Result {
    // SAFETY: passed on as it came.
    unsafe { enumerate(&MODES, count, out) }
}
