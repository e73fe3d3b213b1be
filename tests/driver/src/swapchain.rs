//! Surfaces and swapchains: images go round, nothing is shown.

use ash::vk::{self, Handle};

use crate::Alloc;
use crate::config::config;
use crate::device::{Device, Queue, unique};
use crate::entry::{Need, entries, table};
use crate::image::Image;
use crate::instance::{Instance, Physical};
use crate::queue::signal;
use crate::raw::{self, Out};

/// What the driver remembers of a VkSwapchainKHR.
pub struct Swapchain {
    images: Vec<vk::Image>,
    next: u32,
}

const MAX_IMAGES: u32 = 8;

/// The formats of surfaces, both 8-bit orders plain and sRGB.
const FORMATS: &[vk::Format] = &[
    vk::Format::B8G8R8A8_UNORM,
    vk::Format::B8G8R8A8_SRGB,
    vk::Format::R8G8B8A8_UNORM,
    vk::Format::R8G8B8A8_SRGB,
];

const MODES: &[vk::PresentModeKHR] =
    &[vk::PresentModeKHR::FIFO, vk::PresentModeKHR::MAILBOX, vk::PresentModeKHR::IMMEDIATE];

fn capabilities() -> vk::SurfaceCapabilitiesKHR {
    vk::SurfaceCapabilitiesKHR {
        min_image_count: config().swapchain_images.min(2),
        max_image_count: MAX_IMAGES,
        // The surface takes the size of the swapchain.
        current_extent: vk::Extent2D { width: u32::MAX, height: u32::MAX },
        min_image_extent: vk::Extent2D { width: 1, height: 1 },
        max_image_extent: vk::Extent2D { width: 16384, height: 16384 },
        max_image_array_layers: 2,
        supported_transforms: vk::SurfaceTransformFlagsKHR::IDENTITY | config().surface_transform,
        current_transform: config().surface_transform,
        supported_composite_alpha: vk::CompositeAlphaFlagsKHR::OPAQUE
            | vk::CompositeAlphaFlagsKHR::INHERIT,
        supported_usage_flags: vk::ImageUsageFlags::COLOR_ATTACHMENT
            | vk::ImageUsageFlags::TRANSFER_SRC
            | vk::ImageUsageFlags::TRANSFER_DST
            | vk::ImageUsageFlags::SAMPLED
            | vk::ImageUsageFlags::STORAGE
            | vk::ImageUsageFlags::INPUT_ATTACHMENT,
    }
}

fn formats() -> Vec<vk::SurfaceFormatKHR> {
    let color_space = vk::ColorSpaceKHR::SRGB_NONLINEAR;
    let usable = FORMATS.iter().filter(|format| config().format(**format));
    usable.map(|format| vk::SurfaceFormatKHR { format: *format, color_space }).collect()
}

fn create(device: &Device, info: &vk::SwapchainCreateInfoKHR<'_>) -> vk::SwapchainKHR {
    let image = Image {
        format: info.image_format,
        extent: vk::Extent3D {
            width: info.image_extent.width,
            height: info.image_extent.height,
            depth: 1,
        },
        mips: 1,
        layers: info.image_array_layers,
        samples: 1,
        usage: info.image_usage,
        tiling: vk::ImageTiling::OPTIMAL,
    };
    let mut state = device.state.lock();
    let handle: vk::SwapchainKHR = state.new_handle();
    let count = info.min_image_count.max(config().swapchain_images);
    let images: Vec<vk::Image> = (0..count).map(|_| state.new_handle()).collect();
    for handle in &images {
        state.images.insert(handle.as_raw(), image.clone());
    }
    state.swapchains.insert(handle.as_raw(), Swapchain { images, next: 0 });
    handle
}

fn acquire(
    device: &Device,
    swapchain: vk::SwapchainKHR,
    semaphore: vk::Semaphore,
    fence: vk::Fence,
    out: &Out<u32>,
) -> vk::Result {
    if let Some(swapchain) = device.state.lock().swapchains.get_mut(&swapchain.as_raw()) {
        out.set(swapchain.next);
        swapchain.next = (swapchain.next + 1) % swapchain.images.len() as u32;
    }
    signal(device, fence, [(semaphore, 0)]);
    vk::Result::SUCCESS
}

entries! {
    fn vkCreateXcbSurfaceKHR | vkCreateXlibSurfaceKHR | vkCreateWaylandSurfaceKHR |
        vkCreateHeadlessSurfaceEXT(
        _instance: &Instance, _info: &vk::BaseInStructure<'_>, _alloc: Alloc,
        out: Out<vk::SurfaceKHR>
    ) -> vk::Result {
        out.set(vk::SurfaceKHR::from_raw(unique()));
        vk::Result::SUCCESS
    }

    fn vkDestroySurfaceKHR() {}

    fn vkGetPhysicalDeviceXcbPresentationSupportKHR |
        vkGetPhysicalDeviceXlibPresentationSupportKHR |
        vkGetPhysicalDeviceWaylandPresentationSupportKHR() -> vk::Bool32 {
        vk::TRUE
    }

    fn vkGetPhysicalDeviceSurfaceSupportKHR(
        _: &Physical, family: u32, _surface: vk::SurfaceKHR, out: Out<vk::Bool32>
    ) -> vk::Result {
        out.set(u32::from(family == 0));
        vk::Result::SUCCESS
    }

    fn vkGetPhysicalDeviceSurfaceCapabilitiesKHR(
        _: &Physical, _surface: vk::SurfaceKHR, out: Out<vk::SurfaceCapabilitiesKHR>
    ) -> vk::Result {
        out.set(capabilities());
        vk::Result::SUCCESS
    }

    fn vkGetPhysicalDeviceSurfaceCapabilities2KHR(
        _: &Physical, _info: &vk::BaseInStructure<'_>, out: &mut vk::SurfaceCapabilities2KHR<'_>
    ) -> vk::Result {
        out.surface_capabilities = capabilities();
        vk::Result::SUCCESS
    }

    fn vkGetPhysicalDeviceSurfaceFormatsKHR(
        _: &Physical, _surface: vk::SurfaceKHR, count: &mut u32, out: Out<vk::SurfaceFormatKHR>
    ) -> vk::Result {
        raw::enumerate(&formats(), count, &out)
    }

    fn vkGetPhysicalDeviceSurfaceFormats2KHR(
        _: &Physical, _info: &vk::BaseInStructure<'_>, count: &mut u32,
        out: Out<vk::SurfaceFormat2KHR<'_>>
    ) -> vk::Result {
        let formats = formats();
        raw::enumerate_with(formats.len(), count, out.is_null(), |i| {
            raw::begun(out.pointer(), i).surface_format = formats[i];
        })
    }

    fn vkGetPhysicalDeviceSurfacePresentModesKHR(
        _: &Physical, _surface: vk::SurfaceKHR, count: &mut u32, out: Out<vk::PresentModeKHR>
    ) -> vk::Result {
        raw::enumerate(MODES, count, &out)
    }

    fn vkGetPhysicalDevicePresentRectanglesKHR(
        _: &Physical, _surface: vk::SurfaceKHR, count: &mut u32, out: Out<vk::Rect2D>
    ) -> vk::Result {
        let extent = capabilities().max_image_extent;
        raw::enumerate(&[vk::Rect2D { extent, ..Default::default() }], count, &out)
    }

    fn vkGetDeviceGroupPresentCapabilitiesKHR(
        _device: &Device, out: &mut vk::DeviceGroupPresentCapabilitiesKHR<'_>
    ) -> vk::Result {
        out.present_mask = [0; vk::MAX_DEVICE_GROUP_SIZE];
        out.present_mask[0] = 1;
        out.modes = vk::DeviceGroupPresentModeFlagsKHR::LOCAL;
        vk::Result::SUCCESS
    }

    fn vkGetDeviceGroupSurfacePresentModesKHR(
        _device: &Device, _surface: vk::SurfaceKHR,
        out: Out<vk::DeviceGroupPresentModeFlagsKHR>
    ) -> vk::Result {
        out.set(vk::DeviceGroupPresentModeFlagsKHR::LOCAL);
        vk::Result::SUCCESS
    }

    fn vkCreateSwapchainKHR(
        device: &Device, info: &vk::SwapchainCreateInfoKHR<'_>, _alloc: Alloc,
        out: Out<vk::SwapchainKHR>
    ) -> vk::Result {
        out.set(create(device, info));
        vk::Result::SUCCESS
    }

    fn vkDestroySwapchainKHR(device: &Device, swapchain: vk::SwapchainKHR, _alloc: Alloc) {
        let mut state = device.state.lock();
        let images = state.swapchains.remove(&swapchain.as_raw()).map(|s| s.images);
        for image in images.into_iter().flatten() {
            state.images.remove(&image.as_raw());
            state.free_handle(image);
        }
        state.free_handle(swapchain);
    }

    fn vkGetSwapchainImagesKHR(
        device: &Device, swapchain: vk::SwapchainKHR, count: &mut u32, out: Out<vk::Image>
    ) -> vk::Result {
        let state = device.state.lock();
        let images = state.swapchains.get(&swapchain.as_raw()).map(|s| s.images.as_slice());
        raw::enumerate(images.unwrap_or_default(), count, &out)
    }

    fn vkAcquireNextImageKHR(
        device: &Device, swapchain: vk::SwapchainKHR, _timeout: u64, semaphore: vk::Semaphore,
        fence: vk::Fence, out: Out<u32>
    ) -> vk::Result {
        acquire(device, swapchain, semaphore, fence, &out)
    }

    fn vkAcquireNextImage2KHR(
        device: &Device, info: &vk::AcquireNextImageInfoKHR<'_>, out: Out<u32>
    ) -> vk::Result {
        acquire(device, info.swapchain, info.semaphore, info.fence, &out)
    }

    fn vkQueuePresentKHR(_queue: &Queue, info: &vk::PresentInfoKHR<'_>) -> vk::Result {
        let results = Out::at(info.p_results);
        (0..info.swapchain_count as usize).for_each(|i| results.set_at(i, vk::Result::SUCCESS));
        vk::Result::SUCCESS
    }
}

table! {
    Instance(Need::Extension("VK_KHR_surface")) { vkDestroySurfaceKHR }
    Instance(Need::Extension("VK_KHR_xcb_surface")) { vkCreateXcbSurfaceKHR }
    Instance(Need::Extension("VK_KHR_xlib_surface")) { vkCreateXlibSurfaceKHR }
    Instance(Need::Extension("VK_KHR_wayland_surface")) { vkCreateWaylandSurfaceKHR }
    Instance(Need::Extension("VK_EXT_headless_surface")) { vkCreateHeadlessSurfaceEXT }
    Physical(Need::Extension("VK_KHR_xcb_surface")) {
        vkGetPhysicalDeviceXcbPresentationSupportKHR
    }
    Physical(Need::Extension("VK_KHR_xlib_surface")) {
        vkGetPhysicalDeviceXlibPresentationSupportKHR
    }
    Physical(Need::Extension("VK_KHR_wayland_surface")) {
        vkGetPhysicalDeviceWaylandPresentationSupportKHR
    }
    Physical(Need::Extension("VK_KHR_surface")) {
        vkGetPhysicalDeviceSurfaceSupportKHR vkGetPhysicalDeviceSurfaceCapabilitiesKHR
        vkGetPhysicalDeviceSurfaceFormatsKHR vkGetPhysicalDeviceSurfacePresentModesKHR
    }
    Physical(Need::Extension("VK_KHR_get_surface_capabilities2")) {
        vkGetPhysicalDeviceSurfaceCapabilities2KHR vkGetPhysicalDeviceSurfaceFormats2KHR
    }
    Physical(Need::Extension("VK_KHR_swapchain VK_KHR_device_group")) {
        vkGetPhysicalDevicePresentRectanglesKHR
    }
    Device(Need::Extension("VK_KHR_swapchain")) {
        vkCreateSwapchainKHR vkDestroySwapchainKHR vkGetSwapchainImagesKHR
        vkAcquireNextImageKHR vkAcquireNextImage2KHR vkQueuePresentKHR
        vkGetDeviceGroupPresentCapabilitiesKHR vkGetDeviceGroupSurfacePresentModesKHR
    }
}
