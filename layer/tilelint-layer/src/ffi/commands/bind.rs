//! Binding pipelines, shaders and buffers; push constants; secondary command buffers.

use super::queue::recorded;
use crate::ffi::hooks::cmd_hooks;
use crate::ffi::read::{View, slice, some};
use ash::vk;
use std::ffi::c_void;

cmd_hooks! {
    quick [cmd_bind_pipeline](
        command_buffer: vk::CommandBuffer,
        point: vk::PipelineBindPoint,
        pipeline: vk::Pipeline
    ) (dev, recorder) {
        recorder.bind_pipeline_within(point, pipeline)
    } else {
        recorder.bind_pipeline(point, pipeline);
    }
    quick [cmd_bind_vertex_buffers](
        command_buffer: vk::CommandBuffer,
        first_binding: u32,
        binding_count: u32,
        buffers: *const vk::Buffer,
        offsets: *const vk::DeviceSize
    ) (dev, recorder) {
        macro_rules! bind {
            ($n_buffers:literal, $n_words:literal) => {{
                // SAFETY: C2 - as many as it says.
                let buffers = unsafe { some::<_, $n_buffers>(buffers) };
                // SAFETY: C2 - as many as it says.
                let offsets = unsafe { some::<_, $n_buffers>(offsets) };
                recorder.bind_vertex_within::<_, $n_words>(first_binding, buffers, offsets)
            }};
        }
        match binding_count {
            1 => bind!(1, 2),
            2 => bind!(2, 4),
            _ => false,
        }
    } else {
        // SAFETY: C2 - as many as it says.
        let buffers = unsafe { slice(buffers, binding_count as usize) };
        // SAFETY: C2 - as many as it says.
        let offsets = unsafe { slice(offsets, binding_count as usize) };
        recorder.bind_vertex(first_binding, buffers, offsets, &[], &[]);
    }
    quick [cmd_bind_index_buffer](
        command_buffer: vk::CommandBuffer,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        index_type: vk::IndexType
    ) (dev, recorder) {
        recorder.bind_index_within(buffer, offset, index_type)
    } else {
        recorder.bind_index(buffer, offset, index_type);
    }
    quick [cmd_bind_index_buffer2 cmd_bind_index_buffer2_khr](
        command_buffer: vk::CommandBuffer,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        size: vk::DeviceSize,
        index_type: vk::IndexType
    ) (dev, recorder) {
        recorder.bind_index_within(buffer, offset, index_type)
    } else {
        recorder.bind_index(buffer, offset, index_type);
    }
    quick [cmd_push_constants](
        command_buffer: vk::CommandBuffer,
        layout: vk::PipelineLayout,
        stages: vk::ShaderStageFlags,
        offset: u32,
        size: u32,
        values: *const c_void
    ) (dev, recorder) {
        // SAFETY: C2 - `size` bytes.
        let bytes = unsafe { slice(values.cast(), size as usize) };
        recorder.push_constants_within(layout, offset, bytes)
    } else {
        // SAFETY: C2 - `size` bytes.
        recorder.push_constants(layout, offset, unsafe { slice(values.cast(), size as usize) });
    }
}

cmd_hooks! {
    [cmd_bind_shaders_ext](
        command_buffer: vk::CommandBuffer,
        stage_count: u32,
        stages: *const vk::ShaderStageFlags,
        shaders: *const vk::ShaderEXT
    ) (dev, recorder) {
        // SAFETY: C2 - NULL or as many as it says.
        recorder.bind_shaders(unsafe { slice(shaders, stage_count as usize) });
    }
    [cmd_bind_vertex_buffers2 cmd_bind_vertex_buffers2_ext](
        command_buffer: vk::CommandBuffer,
        first_binding: u32,
        binding_count: u32,
        buffers: *const vk::Buffer,
        offsets: *const vk::DeviceSize,
        sizes: *const vk::DeviceSize,
        strides: *const vk::DeviceSize
    ) (dev, recorder) {
        // SAFETY: C2 - as many as it says.
        let buffers = unsafe { slice(buffers, binding_count as usize) };
        // SAFETY: C2 - as many as it says.
        let offsets = unsafe { slice(offsets, binding_count as usize) };
        // SAFETY: C2 - NULL or as many as it says.
        let sizes = unsafe { slice(sizes, binding_count as usize) };
        // SAFETY: C2 - NULL or as many as it says.
        let strides = unsafe { slice(strides, binding_count as usize) };
        recorder.bind_vertex(first_binding, buffers, offsets, sizes, strides);
    }
    [cmd_push_constants2 cmd_push_constants2_khr](
        command_buffer: vk::CommandBuffer,
        info: *const vk::PushConstantsInfoKHR<'_>
    ) (dev, recorder) {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(info) } {
            // SAFETY: C2 - `size` bytes.
            let bytes = unsafe { slice(info.p_values.cast::<u8>(), info.size as usize) };
            recorder.push_constants(info.layout, info.offset, bytes);
        }
    }
    [cmd_execute_commands](
        command_buffer: vk::CommandBuffer,
        count: u32,
        command_buffers: *const vk::CommandBuffer
    ) (dev, recorder) {
        // SAFETY: C2 - as many as it says.
        let buffers = unsafe { slice(command_buffers, count as usize) };
        recorder.execute(buffers, &recorded);
    }
    [cmd_begin_conditional_rendering_ext](
        command_buffer: vk::CommandBuffer,
        begin_info: *const vk::ConditionalRenderingBeginInfoEXT<'_>
    ) (dev, recorder) {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(begin_info) } {
            recorder.conditional_begin(info.buffer, info.offset);
        }
    }
    [cmd_end_conditional_rendering_ext](
        command_buffer: vk::CommandBuffer
    ) (dev, recorder) {
        recorder.conditional_end();
    }
}
