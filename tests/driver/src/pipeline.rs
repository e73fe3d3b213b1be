//! Pipelines, passes and command pools.

use std::ffi::c_void;

use ash::vk::{self, Handle};

use crate::config::config;
use crate::device::{Device, State};
use crate::entry::{Need, V1_0, V1_2, V1_4, entries, objects, table};
use crate::raw::{self, Array, Out};
use crate::{Alloc, MAGIC, properties};

/// A VkCommandBuffer. The loader writes its dispatch pointer over the first word.
#[repr(C)]
struct CommandBuffer {
    magic: usize,
}

/// A pipeline cache has the header alone: size, version, vendor, device, identity.
fn cache_header() -> [u8; 32] {
    let config = config();
    let mut bytes = [0; 32];
    let words = [32, 1, config.vendor_id, config.device_id];
    for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_ne_bytes());
    }
    bytes[16..].copy_from_slice(&properties::uuid(0));
    bytes
}

/// Vulkan's two-call protocol for opaque data.
fn data(bytes: &[u8], size: &mut usize, out: *mut c_void) -> vk::Result {
    if out.is_null() {
        *size = bytes.len();
        return vk::Result::SUCCESS;
    }
    let written = if *size < bytes.len() { 0 } else { bytes.len() };
    raw::bytes_mut(out, written).copy_from_slice(&bytes[..written]);
    *size = written;
    if written == 0 { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
}

fn create_many<H: Handle>(device: &Device, count: u32, out: &Out<H>) -> vk::Result {
    for i in 0..count as usize {
        out.set_at(i, device.new_handle());
    }
    vk::Result::SUCCESS
}

/// No array of new objects is left undefined by an error.
pub fn clear<H: Handle>(count: u32, out: &Out<H>) {
    (0..count as usize).for_each(|i| out.set_at(i, H::from_raw(0)));
}

fn free_buffers(state: &mut State, pool: vk::CommandPool, some: Option<&[vk::CommandBuffer]>) {
    let Some(all) = state.command_buffers.get_mut(&pool.as_raw()) else { return };
    let wanted = |address: &u64| some.is_none_or(|s| s.iter().any(|b| b.as_raw() == *address));
    let freed: Vec<u64> = all.extract_if(.., |address| wanted(address)).collect();
    if config().reuse_handles {
        state.free_command_buffers.extend(freed);
    } else {
        freed.iter().for_each(|address| raw::take(*address as *mut CommandBuffer));
    }
}

/// The tiles of the settings, for programs that ask; a rendering instance has the first.
fn tile(count: Option<&mut u32>, out: &Out<vk::TilePropertiesQCOM<'_>>) -> vk::Result {
    let write = |index: usize| {
        let tile = raw::begun(out.pointer(), index);
        let [width, height] = config().tiles[index];
        tile.tile_size = vk::Extent3D { width, height, depth: 1 };
        tile.apron_size = vk::Extent2D::default();
        tile.origin = vk::Offset2D::default();
    };
    raw::enumerate_with(config().tiles.len(), count.unwrap_or(&mut 1), out.is_null(), write)
}

/// Answers which subpasses are merged, as the settings say; those that they do not name are, but
/// for the first, which has none before it.
fn tell_merging(info: &vk::RenderPassCreateInfo2<'_>) {
    let merged = vk::SubpassMergeStatusEXT::MERGED;
    let subpasses = raw::slice(info.p_subpasses, info.subpass_count);
    let mut left = 1;
    for (index, subpass) in subpasses.iter().enumerate() {
        let told = config().merge.get(index);
        let (status, visit, text) =
            told.map_or((merged, 0, ""), |(status, visit, text)| (*status, *visit, text.as_str()));
        left += u32::from(index > 0 && status != merged);
        let node = raw::find::<vk::RenderPassSubpassFeedbackCreateInfoEXT<'_>>(subpass.p_next);
        if let Some(node) = node {
            Out::at(node.p_subpass_feedback).set(vk::RenderPassSubpassFeedbackInfoEXT {
                subpass_merge_status: status,
                description: raw::name(text),
                post_merge_index: visit,
            });
        }
    }
    let node = raw::find::<vk::RenderPassCreationFeedbackCreateInfoEXT<'_>>(info.p_next);
    if let Some(node) = node {
        Out::at(node.p_render_pass_feedback)
            .set(vk::RenderPassCreationFeedbackInfoEXT { post_merge_subpass_count: left });
    }
}

objects! {
    vkCreateShaderModule, vkDestroyShaderModule: ShaderModuleCreateInfo => ShaderModule
    vkCreatePipelineCache, vkDestroyPipelineCache: PipelineCacheCreateInfo => PipelineCache
    vkCreatePipelineLayout, vkDestroyPipelineLayout: PipelineLayoutCreateInfo => PipelineLayout
    vkCreateFramebuffer, vkDestroyFramebuffer: FramebufferCreateInfo => Framebuffer
    vkCreateRenderPass, vkDestroyRenderPass: RenderPassCreateInfo => RenderPass
}

entries! {
    fn vkCreateRenderPass2 | vkCreateRenderPass2KHR(
        device: &Device, info: &vk::RenderPassCreateInfo2<'_>, _alloc: Alloc,
        out: Out<vk::RenderPass>
    ) -> vk::Result {
        if device.extensions.iter().any(|name| name == "VK_EXT_subpass_merge_feedback") {
            tell_merging(info);
        }
        out.set(device.new_handle());
        vk::Result::SUCCESS
    }

    fn vkGetRenderAreaGranularity(
        _device: &Device, _pass: vk::RenderPass, out: Out<vk::Extent2D>
    ) {
        out.set(vk::Extent2D { width: 1, height: 1 });
    }

    fn vkGetRenderingAreaGranularity | vkGetRenderingAreaGranularityKHR(
        _device: &Device, _info: &vk::RenderingAreaInfoKHR<'_>, out: Out<vk::Extent2D>
    ) {
        out.set(vk::Extent2D { width: 1, height: 1 });
    }

    fn vkGetFramebufferTilePropertiesQCOM(
        _device: &Device, _framebuffer: vk::Framebuffer, count: &mut u32,
        out: Out<vk::TilePropertiesQCOM<'_>>
    ) -> vk::Result {
        tile(Some(count), &out)
    }

    fn vkGetDynamicRenderingTilePropertiesQCOM(
        _device: &Device, _info: &vk::RenderingInfo<'_>, out: Out<vk::TilePropertiesQCOM<'_>>
    ) -> vk::Result {
        tile(None, &out)
    }

    fn vkCreateGraphicsPipelines(
        device: &Device, _cache: vk::PipelineCache, count: u32,
        _infos: Array<vk::GraphicsPipelineCreateInfo<'_>>, _alloc: Alloc,
        out: Out<vk::Pipeline>
    ) -> vk::Result {
        create_many(device, count, &out)
    } else {
        clear(count, &out);
    }

    fn vkCreateComputePipelines(
        device: &Device, _cache: vk::PipelineCache, count: u32,
        _infos: Array<vk::ComputePipelineCreateInfo<'_>>, _alloc: Alloc, out: Out<vk::Pipeline>
    ) -> vk::Result {
        create_many(device, count, &out)
    } else {
        clear(count, &out);
    }

    fn vkDestroyPipeline(device: &Device, pipeline: vk::Pipeline, _alloc: Alloc) {
        device.free_handle(pipeline);
    }

    fn vkCreateShadersEXT(
        device: &Device, count: u32, _infos: Array<vk::ShaderCreateInfoEXT<'_>>, _alloc: Alloc,
        out: Out<vk::ShaderEXT>
    ) -> vk::Result {
        create_many(device, count, &out)
    } else {
        clear(count, &out);
    }

    fn vkDestroyShaderEXT(device: &Device, shader: vk::ShaderEXT, _alloc: Alloc) {
        device.free_handle(shader);
    }

    fn vkGetShaderBinaryDataEXT(
        _device: &Device, _shader: vk::ShaderEXT, size: &mut usize, out: *mut c_void
    ) -> vk::Result {
        data(&cache_header(), size, out)
    }

    fn vkGetPipelineCacheData(
        _device: &Device, _cache: vk::PipelineCache, size: &mut usize, out: *mut c_void
    ) -> vk::Result {
        data(&cache_header(), size, out)
    }

    fn vkCreateCommandPool(
        device: &Device, _info: &vk::CommandPoolCreateInfo<'_>, _alloc: Alloc,
        out: Out<vk::CommandPool>
    ) -> vk::Result {
        out.set(device.new_handle());
        vk::Result::SUCCESS
    }

    fn vkDestroyCommandPool(device: &Device, pool: vk::CommandPool, _alloc: Alloc) {
        let mut state = device.state.lock();
        free_buffers(&mut state, pool, None);
        state.command_buffers.remove(&pool.as_raw());
        state.free_handle(pool);
    }

    fn vkAllocateCommandBuffers(
        device: &Device, info: &vk::CommandBufferAllocateInfo<'_>, out: Out<vk::CommandBuffer>
    ) -> vk::Result {
        let mut state = device.state.lock();
        for i in 0..info.command_buffer_count {
            let new = CommandBuffer { magic: MAGIC };
            let address = match state.free_command_buffers.pop() {
                Some(address) => raw::renew(address, new),
                None => raw::give(new),
            };
            let of_pool = state.command_buffers.entry(info.command_pool.as_raw()).or_default();
            of_pool.push(address);
            out.set_at(i as usize, vk::CommandBuffer::from_raw(address));
        }
        vk::Result::SUCCESS
    } else {
        clear(info.command_buffer_count, &out);
    }

    fn vkFreeCommandBuffers(
        device: &Device, pool: vk::CommandPool, count: u32, buffers: Array<vk::CommandBuffer>
    ) {
        free_buffers(&mut device.state.lock(), pool, Some(buffers.of(count)));
    }
}

table! {
    Device(V1_0) {
        vkCreateShaderModule vkDestroyShaderModule vkCreatePipelineCache vkDestroyPipelineCache
        vkCreatePipelineLayout vkDestroyPipelineLayout vkCreateFramebuffer vkDestroyFramebuffer
        vkCreateRenderPass vkDestroyRenderPass vkGetRenderAreaGranularity
        vkCreateGraphicsPipelines vkCreateComputePipelines vkDestroyPipeline
        vkGetPipelineCacheData vkCreateCommandPool vkDestroyCommandPool
        vkAllocateCommandBuffers vkFreeCommandBuffers
    }
    Device(V1_2) { vkCreateRenderPass2 }
    Device(Need::Extension("VK_KHR_create_renderpass2")) { vkCreateRenderPass2KHR }
    Device(V1_4) { vkGetRenderingAreaGranularity }
    Device(Need::Extension("VK_KHR_maintenance5")) { vkGetRenderingAreaGranularityKHR }
    Device(Need::Extension("VK_QCOM_tile_properties")) {
        vkGetFramebufferTilePropertiesQCOM vkGetDynamicRenderingTilePropertiesQCOM
    }
    Device(Need::Extension("VK_EXT_shader_object")) {
        vkCreateShadersEXT vkDestroyShaderEXT vkGetShaderBinaryDataEXT
    }
}
