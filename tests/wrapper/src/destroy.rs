//! Destroying waits until nothing runs: a listing need not say that the program waited.

use std::ffi::CStr;

use ash::vk;

use crate::swapchain::{api, with};
use crate::{Alloc, void};

macro_rules! waits {
    ($($name:literal $function:ident $kind:ident $object:ident)*) => {
        /// The functions that are not the other driver's.
        pub fn own(name: &CStr) -> vk::PFN_vkVoidFunction {
            match name.to_bytes() {
                $($name => void!($function as vk::$kind),)*
                _ => None,
            }
        }

        $(
            unsafe extern "system" fn $function(
                device: vk::Device,
                object: vk::$object,
                alloc: Alloc<'_>,
            ) {
                let _ = with(device, |known| {
                    api!(known.functions.device_wait_idle())?;
                    api!((known.functions.fp_v1_0().$function)(device, object, alloc));
                    Ok(())
                });
            }
        )*
    };
}

waits! {
    b"vkDestroyBuffer" destroy_buffer PFN_vkDestroyBuffer Buffer
    b"vkDestroyDescriptorPool" destroy_descriptor_pool PFN_vkDestroyDescriptorPool DescriptorPool
    b"vkDestroyEvent" destroy_event PFN_vkDestroyEvent Event
    b"vkDestroyFence" destroy_fence PFN_vkDestroyFence Fence
    b"vkDestroyFramebuffer" destroy_framebuffer PFN_vkDestroyFramebuffer Framebuffer
    b"vkDestroyImage" destroy_image PFN_vkDestroyImage Image
    b"vkDestroyImageView" destroy_image_view PFN_vkDestroyImageView ImageView
    b"vkDestroyPipeline" destroy_pipeline PFN_vkDestroyPipeline Pipeline
    b"vkDestroyQueryPool" destroy_query_pool PFN_vkDestroyQueryPool QueryPool
    b"vkDestroyRenderPass" destroy_render_pass PFN_vkDestroyRenderPass RenderPass
    b"vkDestroySampler" destroy_sampler PFN_vkDestroySampler Sampler
    b"vkDestroySemaphore" destroy_semaphore PFN_vkDestroySemaphore Semaphore
    b"vkFreeMemory" free_memory PFN_vkFreeMemory DeviceMemory
}
