//! Memory types: as a tiler has them, all of them the other driver's one.

use std::ffi::CStr;
use std::sync::LazyLock;

use ash::vk::{self, Handle};

use crate::swapchain::{Device, api, with};
use crate::{Alloc, inner_proc, instance, void};

/// The types: those that the variable `WRAPPER_TYPES` names by their flags' values, as
/// in `1,6,17`; that list is also the default.
static TYPES: LazyLock<Vec<vk::MemoryPropertyFlags>> = LazyLock::new(|| {
    let text = std::env::var("WRAPPER_TYPES").unwrap_or_default();
    let flags = text.split(',').filter_map(|word| word.parse().ok());
    let flags: Vec<u32> = flags.collect();
    let flags = if flags.is_empty() { vec![1, 6, 17] } else { flags };
    flags.into_iter().map(vk::MemoryPropertyFlags::from_raw).collect()
});

/// The functions that are not the other driver's.
pub fn own(name: &CStr) -> vk::PFN_vkVoidFunction {
    match name.to_bytes() {
        b"vkCreateImage" => void!(create_image as vk::PFN_vkCreateImage),
        b"vkGetDeviceMemoryCommitment" => {
            void!(commitment as vk::PFN_vkGetDeviceMemoryCommitment)
        }
        b"vkAllocateMemory" => void!(allocate as vk::PFN_vkAllocateMemory),
        b"vkGetImageMemoryRequirements" => {
            void!(of_image as vk::PFN_vkGetImageMemoryRequirements)
        }
        b"vkGetImageMemoryRequirements2" => {
            void!(of_image_2 as vk::PFN_vkGetImageMemoryRequirements2)
        }
        b"vkGetDeviceImageMemoryRequirements" => {
            void!(of_image_info as vk::PFN_vkGetDeviceImageMemoryRequirements)
        }
        b"vkGetBufferMemoryRequirements" => {
            void!(of_buffer as vk::PFN_vkGetBufferMemoryRequirements)
        }
        b"vkGetBufferMemoryRequirements2" => {
            void!(of_buffer_2 as vk::PFN_vkGetBufferMemoryRequirements2)
        }
        b"vkGetDeviceBufferMemoryRequirements" => {
            void!(of_buffer_info as vk::PFN_vkGetDeviceBufferMemoryRequirements)
        }
        _ => None,
    }
}

/// Those whose first parameter is a physical device.
pub fn of_physical_device(name: &CStr) -> vk::PFN_vkVoidFunction {
    match name.to_bytes() {
        b"vkGetPhysicalDeviceMemoryProperties" => {
            void!(properties as vk::PFN_vkGetPhysicalDeviceMemoryProperties)
        }
        b"vkGetPhysicalDeviceMemoryProperties2" | b"vkGetPhysicalDeviceMemoryProperties2KHR" => {
            void!(properties_2 as vk::PFN_vkGetPhysicalDeviceMemoryProperties2)
        }
        _ => None,
    }
}

/// Which of the types fit, as a mask.
fn bits(fits: impl Fn(vk::MemoryPropertyFlags) -> bool) -> u32 {
    let all = (0..).zip(TYPES.iter());
    all.filter(|(_, flags)| fits(**flags)).map(|(index, _)| 1 << index).sum()
}

fn image_bits(info: &vk::ImageCreateInfo<'_>) -> u32 {
    let transient = info.usage.contains(vk::ImageUsageFlags::TRANSIENT_ATTACHMENT);
    if transient { bits(|_| true) } else { buffer_bits() }
}

fn buffer_bits() -> u32 {
    bits(|flags| !flags.contains(vk::MemoryPropertyFlags::LAZILY_ALLOCATED))
}

fn replace(properties: &mut vk::PhysicalDeviceMemoryProperties) {
    properties.memory_type_count = TYPES.len() as u32;
    for (kind, flags) in properties.memory_types.iter_mut().zip(TYPES.iter()) {
        *kind = vk::MemoryType { property_flags: *flags, heap_index: 0 };
    }
}

unsafe extern "system" fn properties(
    physical: vk::PhysicalDevice,
    out: *mut vk::PhysicalDeviceMemoryProperties,
) {
    let Some(get) = inner_proc(instance::last(), c"vkGetPhysicalDeviceMemoryProperties") else {
        return;
    };
    // SAFETY: the other driver's function of this name has this signature.
    let get: vk::PFN_vkGetPhysicalDeviceMemoryProperties = unsafe { std::mem::transmute(get) };
    api!(get(physical, out));
    // SAFETY: the caller's structure.
    replace(unsafe { &mut *out });
}

unsafe extern "system" fn properties_2(
    physical: vk::PhysicalDevice,
    out: *mut vk::PhysicalDeviceMemoryProperties2<'_>,
) {
    // SAFETY: the caller's structure; what is chained to it holds budgets of heaps at most, which
    // stay as they are.
    let out = unsafe { &mut *out };
    // SAFETY: passed on as it came.
    unsafe { properties(physical, &mut out.memory_properties) };
}

unsafe extern "system" fn create_image(
    device: vk::Device,
    info: *const vk::ImageCreateInfo<'_>,
    alloc: Alloc<'_>,
    out: *mut vk::Image,
) -> vk::Result {
    with(device, |device| {
        let create = device.functions.fp_v1_0().create_image;
        api!(create(device.functions.handle(), info, alloc, out)).result()?;
        // SAFETY: the caller's structure lives during the call.
        let types = image_bits(unsafe { &*info });
        // SAFETY: the call wrote it.
        let image = unsafe { out.read() };
        device.image_types.insert(image.as_raw(), types);
        Ok(())
    })
}

unsafe extern "system" fn allocate(
    device: vk::Device,
    info: *const vk::MemoryAllocateInfo<'_>,
    alloc: Alloc<'_>,
    out: *mut vk::DeviceMemory,
) -> vk::Result {
    with(device, |device| {
        // SAFETY: the caller's structure lives during the call.
        let mut info = unsafe { *info };
        info.memory_type_index = 0;
        let allocate = device.functions.fp_v1_0().allocate_memory;
        api!(allocate(device.functions.handle(), &info, alloc, out)).result()
    })
}

/// The number of the variable `WRAPPER_COMMITTED`, of whichever memory.
unsafe extern "system" fn commitment(
    _device: vk::Device,
    _memory: vk::DeviceMemory,
    out: *mut vk::DeviceSize,
) {
    let text = std::env::var("WRAPPER_COMMITTED").unwrap_or_default();
    // SAFETY: the caller's.
    unsafe { out.write(text.parse().unwrap_or(0)) };
}

/// Answers a question for requirements as the other driver does, but for the types.
fn require(
    device: vk::Device,
    types: impl FnOnce(&Device) -> u32,
    ask: impl FnOnce(&Device),
    out: *mut vk::MemoryRequirements,
) {
    let _ = with(device, |device| {
        ask(device);
        // SAFETY: the caller's structure, which the call filled.
        unsafe { (*out).memory_type_bits = types(device) };
        Ok(())
    });
}

fn plain(out: *mut vk::MemoryRequirements2<'_>) -> *mut vk::MemoryRequirements {
    // SAFETY: the caller's structure.
    unsafe { &raw mut (*out).memory_requirements }
}

fn known(device: &Device, image: vk::Image) -> u32 {
    device.image_types.get(&image.as_raw()).copied().unwrap_or(0)
}

unsafe extern "system" fn of_image(
    handle: vk::Device,
    image: vk::Image,
    out: *mut vk::MemoryRequirements,
) {
    let ask = |device: &Device| {
        let get = device.functions.fp_v1_0().get_image_memory_requirements;
        api!(get(handle, image, out));
    };
    require(handle, |device| known(device, image), ask, out);
}

unsafe extern "system" fn of_image_2(
    handle: vk::Device,
    info: *const vk::ImageMemoryRequirementsInfo2<'_>,
    out: *mut vk::MemoryRequirements2<'_>,
) {
    // SAFETY: the caller's structure lives during the call.
    let image = unsafe { &*info }.image;
    let ask = |device: &Device| {
        let get = device.functions.fp_v1_1().get_image_memory_requirements2;
        api!(get(handle, info, out));
    };
    require(handle, |device| known(device, image), ask, plain(out));
}

unsafe extern "system" fn of_image_info(
    handle: vk::Device,
    info: *const vk::DeviceImageMemoryRequirements<'_>,
    out: *mut vk::MemoryRequirements2<'_>,
) {
    // SAFETY: the caller's structure lives during the call.
    let create = unsafe { &*info }.p_create_info;
    // SAFETY: so does the one that it points to.
    let types = image_bits(unsafe { &*create });
    let ask = |device: &Device| {
        let get = device.functions.fp_v1_3().get_device_image_memory_requirements;
        api!(get(handle, info, out));
    };
    require(handle, |_| types, ask, plain(out));
}

unsafe extern "system" fn of_buffer(
    handle: vk::Device,
    buffer: vk::Buffer,
    out: *mut vk::MemoryRequirements,
) {
    let ask = |device: &Device| {
        let get = device.functions.fp_v1_0().get_buffer_memory_requirements;
        api!(get(handle, buffer, out));
    };
    require(handle, |_| buffer_bits(), ask, out);
}

unsafe extern "system" fn of_buffer_2(
    handle: vk::Device,
    info: *const vk::BufferMemoryRequirementsInfo2<'_>,
    out: *mut vk::MemoryRequirements2<'_>,
) {
    let ask = |device: &Device| {
        let get = device.functions.fp_v1_1().get_buffer_memory_requirements2;
        api!(get(handle, info, out));
    };
    require(handle, |_| buffer_bits(), ask, plain(out));
}

unsafe extern "system" fn of_buffer_info(
    handle: vk::Device,
    info: *const vk::DeviceBufferMemoryRequirements<'_>,
    out: *mut vk::MemoryRequirements2<'_>,
) {
    let ask = |device: &Device| {
        let get = device.functions.fp_v1_3().get_device_buffer_memory_requirements;
        api!(get(handle, info, out));
    };
    require(handle, |_| buffer_bits(), ask, plain(out));
}
