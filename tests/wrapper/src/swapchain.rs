//! Devices and swapchains: images of the other driver that go round.

use std::collections::HashMap;
use std::ffi::{CStr, c_char};
use std::sync::{Mutex, MutexGuard};

use ash::vk::{self, Handle};

use crate::instance::{self, enumerate};
use crate::{Alloc, asked, destroy, inner_proc, memory, void};

/// The formats of surfaces, both 8-bit orders plain and sRGB.
pub const SURFACE_FORMATS: [vk::Format; 4] = [
    vk::Format::B8G8R8A8_UNORM,
    vk::Format::B8G8R8A8_SRGB,
    vk::Format::R8G8B8A8_UNORM,
    vk::Format::R8G8B8A8_SRGB,
];

/// The present modes. Nothing is shown, so that they are all alike.
pub const MODES: [vk::PresentModeKHR; 4] = [
    vk::PresentModeKHR::FIFO,
    vk::PresentModeKHR::FIFO_RELAXED,
    vk::PresentModeKHR::MAILBOX,
    vk::PresentModeKHR::IMMEDIATE,
];

/// What a surface is like.
pub fn capabilities() -> vk::SurfaceCapabilitiesKHR {
    vk::SurfaceCapabilitiesKHR {
        min_image_count: 1,
        max_image_count: 8,
        // The surface takes the size of the swapchain.
        current_extent: vk::Extent2D { width: u32::MAX, height: u32::MAX },
        min_image_extent: vk::Extent2D { width: 1, height: 1 },
        max_image_extent: vk::Extent2D { width: 4096, height: 4096 },
        max_image_array_layers: 2,
        // Nobody sees which way a picture is turned.
        supported_transforms: vk::SurfaceTransformFlagsKHR::IDENTITY
            | vk::SurfaceTransformFlagsKHR::ROTATE_90
            | vk::SurfaceTransformFlagsKHR::ROTATE_180
            | vk::SurfaceTransformFlagsKHR::ROTATE_270,
        current_transform: vk::SurfaceTransformFlagsKHR::IDENTITY,
        supported_composite_alpha: vk::CompositeAlphaFlagsKHR::OPAQUE,
        supported_usage_flags: vk::ImageUsageFlags::COLOR_ATTACHMENT
            | vk::ImageUsageFlags::TRANSFER_SRC
            | vk::ImageUsageFlags::TRANSFER_DST
            | vk::ImageUsageFlags::SAMPLED
            | vk::ImageUsageFlags::STORAGE
            | vk::ImageUsageFlags::INPUT_ATTACHMENT,
    }
}

/// The functions that are not the other driver's.
pub fn own(name: &CStr) -> vk::PFN_vkVoidFunction {
    match name.to_bytes() {
        b"vkGetDeviceProcAddr" => void!(device_proc as vk::PFN_vkGetDeviceProcAddr),
        b"vkDestroyDevice" => void!(destroy_device as vk::PFN_vkDestroyDevice),
        b"vkCreateSwapchainKHR" => void!(create as vk::PFN_vkCreateSwapchainKHR),
        b"vkDestroySwapchainKHR" => void!(destroy_chain as vk::PFN_vkDestroySwapchainKHR),
        b"vkGetSwapchainImagesKHR" => void!(images as vk::PFN_vkGetSwapchainImagesKHR),
        b"vkAcquireNextImageKHR" => void!(acquire as vk::PFN_vkAcquireNextImageKHR),
        b"vkSetDebugUtilsObjectNameEXT" => void!(set_name as vk::PFN_vkSetDebugUtilsObjectNameEXT),
        b"vkQueuePresentKHR" => void!(present as vk::PFN_vkQueuePresentKHR),
        _ => destroy::own(name).or_else(|| memory::own(name)),
    }
}

/// A device of the other driver.
pub struct Device {
    /// Its functions.
    pub functions: ash::Device,
    /// The memory types that each image may use.
    pub image_types: HashMap<u64, u32>,
    swapchains: HashMap<u64, Swapchain>,
    last: u64,
}

struct Swapchain {
    images: Vec<(vk::Image, vk::DeviceMemory)>,
    next: u32,
}

static DEVICES: Mutex<Option<HashMap<u64, Device>>> = Mutex::new(None);

fn devices() -> MutexGuard<'static, Option<HashMap<u64, Device>>> {
    DEVICES.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Does something with a device; an error if it is not there.
pub fn with(handle: vk::Device, act: impl FnOnce(&mut Device) -> Done) -> vk::Result {
    let mut devices = devices();
    let device = devices.as_mut().and_then(|all| all.get_mut(&handle.as_raw()));
    let done = device.ok_or(vk::Result::ERROR_DEVICE_LOST).and_then(act);
    done.map_or_else(|error| error, |()| vk::Result::SUCCESS)
}

/// What a call of the other driver gives.
pub type Done<T = ()> = Result<T, vk::Result>;

/// A call of the other driver.
macro_rules! api {
    ($call:expr) => {
        // SAFETY: the handles are the caller's, passed on as they came, or were made here and not
        // destroyed; the structures live until the call returns.
        unsafe { $call }
    };
}
pub(crate) use api;

unsafe extern "system" fn device_proc(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller's names end with a zero.
    if let Some(own) = own(unsafe { asked(name) }) {
        return Some(own);
    }
    let instance = instance::last();
    let get = inner_proc(instance, c"vkGetDeviceProcAddr")?;
    // SAFETY: the other driver's function of this name has this signature.
    let get: vk::PFN_vkGetDeviceProcAddr = unsafe { std::mem::transmute(get) };
    api!(get(device, name))
}

/// `vkCreateDevice`, remembering what swapchains need of the device.
pub unsafe extern "system" fn create_device(
    physical: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    alloc: Alloc<'_>,
    out: *mut vk::Device,
) -> vk::Result {
    let instance = instance::last();
    let find = |name: &CStr| {
        let found = inner_proc(instance, name);
        found.map_or(std::ptr::null(), |f| f as *const std::ffi::c_void)
    };
    let functions = api!(ash::Instance::load_with(find, instance));
    let result = api!((functions.fp_v1_0().create_device)(physical, info, alloc, out));
    if result != vk::Result::SUCCESS {
        return result;
    }
    // SAFETY: the call wrote it.
    let handle = unsafe { out.read() };
    let device = Device {
        functions: api!(ash::Device::load(functions.fp_v1_0(), handle)),
        image_types: HashMap::new(),
        swapchains: HashMap::new(),
        last: 0,
    };
    devices().get_or_insert_default().insert(handle.as_raw(), device);
    result
}

unsafe extern "system" fn destroy_device(device: vk::Device, alloc: Alloc<'_>) {
    let known = devices().as_mut().and_then(|all| all.remove(&device.as_raw()));
    if let Some(known) = known {
        api!((known.functions.fp_v1_0().destroy_device)(device, alloc));
    }
}

impl Device {
    fn image(&self, info: &vk::SwapchainCreateInfoKHR<'_>) -> Done<(vk::Image, vk::DeviceMemory)> {
        let create = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(info.image_format)
            .extent(info.image_extent.into())
            .mip_levels(1)
            .array_layers(info.image_array_layers)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(info.image_usage);
        let image = api!(self.functions.create_image(&create, None))?;
        let needs = api!(self.functions.get_image_memory_requirements(image));
        // The other driver has one type.
        let allocate = vk::MemoryAllocateInfo::default().allocation_size(needs.size);
        let memory = api!(self.functions.allocate_memory(&allocate, None))?;
        api!(self.functions.bind_image_memory(image, memory, 0))?;
        Ok((image, memory))
    }

    /// Signals a semaphore and a fence once the first queue is done with what it has.
    fn signal(&self, semaphore: vk::Semaphore, fence: vk::Fence) -> Done {
        let queue = api!(self.functions.get_device_queue(0, 0));
        let semaphores = [semaphore];
        let mut submit = vk::SubmitInfo::default();
        if semaphore != vk::Semaphore::null() {
            submit = submit.signal_semaphores(&semaphores);
        }
        api!(self.functions.queue_submit(queue, &[submit], fence))
    }
}

unsafe extern "system" fn create(
    device: vk::Device,
    info: *const vk::SwapchainCreateInfoKHR<'_>,
    _alloc: Alloc<'_>,
    out: *mut vk::SwapchainKHR,
) -> vk::Result {
    // SAFETY: the caller's structure lives during the call.
    let info = unsafe { &*info };
    with(device, |device| {
        let images: Done<Vec<_>> = (0..info.min_image_count).map(|_| device.image(info)).collect();
        device.last += 1;
        device.swapchains.insert(device.last, Swapchain { images: images?, next: 0 });
        // SAFETY: the caller's.
        unsafe { out.write(vk::SwapchainKHR::from_raw(device.last)) };
        Ok(())
    })
}

unsafe extern "system" fn destroy_chain(device: vk::Device, chain: vk::SwapchainKHR, _: Alloc<'_>) {
    let _ = with(device, |device| {
        api!(device.functions.device_wait_idle())?;
        let chain = device.swapchains.remove(&chain.as_raw());
        for (image, memory) in chain.into_iter().flat_map(|chain| chain.images) {
            api!(device.functions.destroy_image(image, None));
            api!(device.functions.free_memory(memory, None));
        }
        Ok(())
    });
}

unsafe extern "system" fn images(
    device: vk::Device,
    chain: vk::SwapchainKHR,
    count: *mut u32,
    out: *mut vk::Image,
) -> vk::Result {
    let mut images = Vec::new();
    let known = with(device, |device| {
        let chain = device.swapchains.get(&chain.as_raw());
        images.extend(chain.into_iter().flat_map(|chain| &chain.images).map(|image| image.0));
        Ok(())
    });
    if known != vk::Result::SUCCESS {
        return known;
    }
    // SAFETY: passed on as it came.
    unsafe { enumerate(&images, count, out) }
}

/// The other driver would look for a name's place in an object that is not its own.
unsafe extern "system" fn set_name(
    device: vk::Device,
    info: *const vk::DebugUtilsObjectNameInfoEXT<'_>,
) -> vk::Result {
    // SAFETY: the caller's structure lives during the call.
    let kind = unsafe { &*info }.object_type;
    if [vk::ObjectType::SURFACE_KHR, vk::ObjectType::SWAPCHAIN_KHR].contains(&kind) {
        return vk::Result::SUCCESS;
    }
    let instance = instance::last();
    let Some(name) = inner_proc(instance, c"vkSetDebugUtilsObjectNameEXT") else {
        return vk::Result::SUCCESS;
    };
    // SAFETY: the other driver's function of this name has this signature.
    let name: vk::PFN_vkSetDebugUtilsObjectNameEXT = unsafe { std::mem::transmute(name) };
    api!(name(device, info))
}

unsafe extern "system" fn acquire(
    device: vk::Device,
    chain: vk::SwapchainKHR,
    _timeout: u64,
    semaphore: vk::Semaphore,
    fence: vk::Fence,
    out: *mut u32,
) -> vk::Result {
    with(device, |device| {
        let chain = device.swapchains.get_mut(&chain.as_raw());
        let chain = chain.ok_or(vk::Result::ERROR_SURFACE_LOST_KHR)?;
        // SAFETY: the caller's.
        unsafe { out.write(chain.next) };
        chain.next = (chain.next + 1) % chain.images.len() as u32;
        device.signal(semaphore, fence)
    })
}

unsafe extern "system" fn present(
    queue: vk::Queue,
    info: *const vk::PresentInfoKHR<'_>,
) -> vk::Result {
    // SAFETY: the caller's structure lives during the call.
    let info = unsafe { &*info };
    let waits = info.wait_semaphore_count as usize;
    let stages = vec![vk::PipelineStageFlags::ALL_COMMANDS; waits];
    let mut submit = vk::SubmitInfo::default().wait_dst_stage_mask(&stages);
    submit.p_wait_semaphores = info.p_wait_semaphores;
    if !info.p_results.is_null() {
        let count = info.swapchain_count as usize;
        // SAFETY: the caller gives room for a result for each swapchain.
        unsafe { std::slice::from_raw_parts_mut(info.p_results, count) }.fill(vk::Result::SUCCESS);
    }
    // Functions are those of any device: the other driver finds its own by the queue.
    let devices = devices();
    let Some(device) = devices.as_ref().and_then(|all| all.values().next()) else {
        return vk::Result::ERROR_DEVICE_LOST;
    };
    let submitted = api!(device.functions.queue_submit(queue, &[submit], vk::Fence::null()));
    submitted.map_or_else(|error| error, |()| vk::Result::SUCCESS)
}
