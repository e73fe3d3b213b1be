//! Swapchains.

use crate::ffi::hooks::{destroy_hooks, device_hooks};
use crate::ffi::read::{View, Views, slice};
use crate::ffi::registry::Device;
use ash::vk;

destroy_hooks! {
    destroy_swapchain_khr(vk::SwapchainKHR) |dev, key| {
        dev.capture.destroy_swapchain(key);
    }
}

device_hooks! {
    after [create_swapchain_khr](
        device: vk::Device,
        create_info: *const vk::SwapchainCreateInfoKHR<'_>,
        allocator: *const vk::AllocationCallbacks<'_>,
        swapchain: *mut vk::SwapchainKHR
    ) (dev, result) {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(create_info) } {
            // SAFETY: C7 - the call succeeded.
            made(dev, info, unsafe { *swapchain });
        }
    }
    after [create_shared_swapchains_khr](
        device: vk::Device,
        swapchain_count: u32,
        create_infos: *const vk::SwapchainCreateInfoKHR<'_>,
        allocator: *const vk::AllocationCallbacks<'_>,
        swapchains: *mut vk::SwapchainKHR
    ) (dev, result) {
        // SAFETY: C2 - as many as it says.
        let infos = unsafe { Views::new(create_infos, swapchain_count) };
        // SAFETY: C7 - the call succeeded.
        let handles = unsafe { slice(swapchains, swapchain_count as usize) };
        for (info, handle) in infos.iter().zip(handles) {
            made(dev, info, *handle);
        }
    }
    after [acquire_next_image_khr](
        device: vk::Device,
        swapchain: vk::SwapchainKHR,
        timeout: u64,
        semaphore: vk::Semaphore,
        fence: vk::Fence,
        image_index: *mut u32
    ) (dev, result) {
        if given(result) {
            // SAFETY: C7 - an image was given.
            let image = unsafe { *image_index };
            dev.capture.acquire(swapchain, image, semaphore, fence);
        }
    }
    after [acquire_next_image2_khr](
        device: vk::Device,
        acquire_info: *const vk::AcquireNextImageInfoKHR<'_>,
        image_index: *mut u32
    ) (dev, result) {
        // SAFETY: C2 - the info is valid.
        if let (true, Some(info)) = (given(result), unsafe { View::new(acquire_info) }) {
            // SAFETY: C7 - an image was given.
            let image = unsafe { *image_index };
            dev.capture.acquire(info.swapchain, image, info.semaphore, info.fence);
        }
    }
}

/// Says whether an acquire gave an image.
fn given(result: vk::Result) -> bool {
    matches!(result, vk::Result::SUCCESS | vk::Result::SUBOPTIMAL_KHR)
}

/// Tells the model about a swapchain with the images that it holds.
fn made(
    device: &Device,
    info: View<'_, vk::SwapchainCreateInfoKHR<'_>>,
    swapchain: vk::SwapchainKHR,
) {
    let mut images = Vec::new();
    if let Some(get) = device.table.get_swapchain_images_khr {
        let mut count = 0;
        // SAFETY: C5 - asks for the count only.
        let _ = unsafe { get(device.handle, swapchain, &mut count, std::ptr::null_mut()) };
        images.resize(count as usize, vk::Image::null());
        // SAFETY: C5, C7 - the array has that many elements.
        let result = unsafe { get(device.handle, swapchain, &mut count, images.as_mut_ptr()) };
        let n_given = if result == vk::Result::SUCCESS { count as usize } else { 0 };
        images.truncate(n_given);
    }
    let transform = current_transform(device, info.surface);
    device.capture.swapchain(swapchain, info, &images, transform);
}

/// Asks how the display stands that a surface is shown on.
fn current_transform(
    device: &Device,
    surface: vk::SurfaceKHR,
) -> Option<vk::SurfaceTransformFlagsKHR> {
    let get = device.instance.table.get_physical_device_surface_capabilities_khr?;
    let mut can = vk::SurfaceCapabilitiesKHR::default();
    // SAFETY: C3, C5, C7 - the surface has a swapchain on this physical device.
    let result = unsafe { get(device.physical, surface, &mut can) };
    let is_known = result == vk::Result::SUCCESS && !can.current_transform.is_empty();
    is_known.then_some(can.current_transform)
}
