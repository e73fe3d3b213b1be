//! Shaders and pipelines.

use crate::ffi::hooks::{create_hooks, destroy_hooks, device_hooks};
use crate::ffi::read::{Views, slice};
use ash::vk::{self, Handle};
use tilelint::call::{PipelineKey, ShaderKey};

create_hooks! {
    create_shader_module(vk::ShaderModuleCreateInfo<'_>, vk::ShaderModule) => shader_module;
}

destroy_hooks! {
    destroy_pipeline(vk::Pipeline) |dev, key| { dev.capture.destroy(PipelineKey(key.as_raw())); }
    destroy_shader_ext(vk::ShaderEXT) |dev, key| { dev.capture.destroy(ShaderKey(key.as_raw())); }
    destroy_shader_module(vk::ShaderModule) |dev, key| {
        dev.capture.destroy(ShaderKey(key.as_raw()));
    }
}

/// The pipelines of a call that were really made: a failed call may leave some NULL.
///
/// # Safety
/// C2, C7: both arrays have `count` elements.
unsafe fn made<'a, I, H>(
    infos: *const I,
    handles: *const H,
    count: u32,
) -> impl Iterator<Item = (crate::ffi::read::View<'a, I>, H)>
where
    I: 'a,
    H: Handle + Copy + 'a,
{
    // SAFETY: the caller's promise.
    let infos = unsafe { Views::new(infos, count) };
    // SAFETY: the caller's promise.
    let handles: &'a [H] = unsafe { slice(handles, count as usize) };
    infos.iter().zip(handles.iter().copied()).filter(|(_, handle)| !handle.is_null())
}

device_hooks! {
    after [create_graphics_pipelines](
        device: vk::Device,
        cache: vk::PipelineCache,
        count: u32,
        create_infos: *const vk::GraphicsPipelineCreateInfo<'_>,
        allocator: *const vk::AllocationCallbacks<'_>,
        pipelines: *mut vk::Pipeline
    ) (dev, result) {
        // SAFETY: C2, C7 - as many as it says.
        for (info, pipeline) in unsafe { made(create_infos, pipelines, count) } {
            dev.capture.graphics_pipeline(pipeline, info);
        }
    }
    after [create_compute_pipelines](
        device: vk::Device,
        cache: vk::PipelineCache,
        count: u32,
        create_infos: *const vk::ComputePipelineCreateInfo<'_>,
        allocator: *const vk::AllocationCallbacks<'_>,
        pipelines: *mut vk::Pipeline
    ) (dev, result) {
        // SAFETY: C2, C7 - as many as it says.
        for (info, pipeline) in unsafe { made(create_infos, pipelines, count) } {
            dev.capture.compute_pipeline(pipeline, info);
        }
    }
    after [create_ray_tracing_pipelines_khr](
        device: vk::Device,
        deferred_operation: vk::DeferredOperationKHR,
        cache: vk::PipelineCache,
        count: u32,
        create_infos: *const vk::RayTracingPipelineCreateInfoKHR<'_>,
        allocator: *const vk::AllocationCallbacks<'_>,
        pipelines: *mut vk::Pipeline
    ) (dev, result) {
        // A deferred operation writes the handles later.
        if result == vk::Result::SUCCESS {
            // SAFETY: C2, C7 - as many as it says.
            for (_, pipeline) in unsafe { made(create_infos, pipelines, count) } {
                let point = vk::PipelineBindPoint::RAY_TRACING_KHR;
                dev.capture.other_pipeline(pipeline, point);
            }
        }
    }
    after [create_shaders_ext](
        device: vk::Device,
        count: u32,
        create_infos: *const vk::ShaderCreateInfoEXT<'_>,
        allocator: *const vk::AllocationCallbacks<'_>,
        shaders: *mut vk::ShaderEXT
    ) (dev, result) {
        // SAFETY: C2, C7 - as many as it says.
        for (info, shader) in unsafe { made(create_infos, shaders, count) } {
            dev.capture.shader(shader, info);
        }
    }
}
