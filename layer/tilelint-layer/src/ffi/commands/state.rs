//! Dynamic state that rules read.

use crate::ffi::hooks::cmd_hooks;
use crate::ffi::read::{View, one, slice};
use ash::vk;
use tilelint::call::DynamicState;

/// Declares the functions that set a state of one value.
macro_rules! state_hooks {
    ($([$($field:ident)+] $arguments:tt => $state:expr;)*) => {
        cmd_hooks! {$(
            quick [$($field)+] $arguments (dev, recorder) {
                recorder.set_within(|| $state)
            } else {
                recorder.set_state($state);
            }
        )*}
    };
}

cmd_hooks! {
    quick [cmd_set_viewport](
        command_buffer: vk::CommandBuffer,
        first: u32,
        count: u32,
        viewports: *const vk::Viewport
    ) (dev, recorder) {
        if first == 0 && count == 1 {
            // SAFETY: C2 - one viewport.
            recorder.set_viewport_within(unsafe { one(viewports) })
        } else {
            false
        }
    } else {
        // SAFETY: C2 - as many as it says.
        recorder.set_viewports(first, unsafe { slice(viewports, count as usize) });
    }
    quick [cmd_set_viewport_with_count cmd_set_viewport_with_count_ext](
        command_buffer: vk::CommandBuffer,
        count: u32,
        viewports: *const vk::Viewport
    ) (dev, recorder) {
        if count == 1 {
            // SAFETY: C2 - one viewport.
            recorder.set_viewport_within(unsafe { one(viewports) })
        } else {
            false
        }
    } else {
        // SAFETY: C2 - as many as it says.
        recorder.set_viewports(0, unsafe { slice(viewports, count as usize) });
    }
    quick [cmd_set_scissor](
        command_buffer: vk::CommandBuffer,
        first: u32,
        count: u32,
        scissors: *const vk::Rect2D
    ) (dev, recorder) {
        if first == 0 && count == 1 {
            // SAFETY: C2 - one scissor.
            recorder.set_scissor_within(unsafe { one(scissors) })
        } else {
            false
        }
    } else {
        // SAFETY: C2 - as many as it says.
        recorder.set_scissors(first, unsafe { slice(scissors, count as usize) });
    }
    quick [cmd_set_scissor_with_count cmd_set_scissor_with_count_ext](
        command_buffer: vk::CommandBuffer,
        count: u32,
        scissors: *const vk::Rect2D
    ) (dev, recorder) {
        if count == 1 {
            // SAFETY: C2 - one scissor.
            recorder.set_scissor_within(unsafe { one(scissors) })
        } else {
            false
        }
    } else {
        // SAFETY: C2 - as many as it says.
        recorder.set_scissors(0, unsafe { slice(scissors, count as usize) });
    }
}

state_hooks! {
    [cmd_set_depth_test_enable cmd_set_depth_test_enable_ext](
        command_buffer: vk::CommandBuffer,
        enable: vk::Bool32
    ) => DynamicState::DepthTest(enable != 0);
    [cmd_set_depth_write_enable cmd_set_depth_write_enable_ext](
        command_buffer: vk::CommandBuffer,
        enable: vk::Bool32
    ) => DynamicState::DepthWrite(enable != 0);
    [cmd_set_depth_compare_op cmd_set_depth_compare_op_ext](
        command_buffer: vk::CommandBuffer,
        compare_op: vk::CompareOp
    ) => DynamicState::DepthCompare(compare_op);
    [cmd_set_depth_bounds_test_enable cmd_set_depth_bounds_test_enable_ext](
        command_buffer: vk::CommandBuffer,
        enable: vk::Bool32
    ) => DynamicState::DepthBounds(enable != 0);
    [cmd_set_stencil_test_enable cmd_set_stencil_test_enable_ext](
        command_buffer: vk::CommandBuffer,
        enable: vk::Bool32
    ) => DynamicState::StencilTest(enable != 0);
    [cmd_set_stencil_op cmd_set_stencil_op_ext](
        command_buffer: vk::CommandBuffer,
        faces: vk::StencilFaceFlags,
        fail_op: vk::StencilOp,
        pass_op: vk::StencilOp,
        depth_fail_op: vk::StencilOp,
        compare_op: vk::CompareOp
    ) => DynamicState::StencilOp(faces, fail_op, pass_op, depth_fail_op, compare_op);
    [cmd_set_stencil_write_mask](
        command_buffer: vk::CommandBuffer,
        faces: vk::StencilFaceFlags,
        mask: u32
    ) => DynamicState::StencilWriteMask(faces, mask);
    [cmd_set_rasterizer_discard_enable cmd_set_rasterizer_discard_enable_ext](
        command_buffer: vk::CommandBuffer,
        enable: vk::Bool32
    ) => DynamicState::RasterizerDiscard(enable != 0);
    [cmd_set_primitive_topology cmd_set_primitive_topology_ext](
        command_buffer: vk::CommandBuffer,
        topology: vk::PrimitiveTopology
    ) => DynamicState::Topology(topology);
    [cmd_set_rasterization_samples_ext](
        command_buffer: vk::CommandBuffer,
        samples: vk::SampleCountFlags
    ) => DynamicState::Samples(samples.as_raw());
    [cmd_set_logic_op_enable_ext](
        command_buffer: vk::CommandBuffer,
        enable: vk::Bool32
    ) => DynamicState::LogicOpEnable(enable != 0);
}

cmd_hooks! {
    [cmd_set_color_blend_enable_ext](
        command_buffer: vk::CommandBuffer,
        first: u32,
        count: u32,
        enables: *const vk::Bool32
    ) (dev, recorder) {
        // SAFETY: C2 - as many as it says.
        recorder.set_blend_enables(first, unsafe { slice(enables, count as usize) });
    }
    [cmd_set_color_write_mask_ext](
        command_buffer: vk::CommandBuffer,
        first: u32,
        count: u32,
        masks: *const vk::ColorComponentFlags
    ) (dev, recorder) {
        // SAFETY: C2 - as many as it says.
        recorder.set_write_masks(first, unsafe { slice(masks, count as usize) });
    }
    [cmd_set_color_write_enable_ext](
        command_buffer: vk::CommandBuffer,
        count: u32,
        enables: *const vk::Bool32
    ) (dev, recorder) {
        // SAFETY: C2 - as many as it says.
        recorder.set_color_write_enables(unsafe { slice(enables, count as usize) });
    }
    [
        cmd_set_rendering_attachment_locations cmd_set_rendering_attachment_locations_khr
    ](
        command_buffer: vk::CommandBuffer,
        info: *const vk::RenderingAttachmentLocationInfoKHR<'_>
    ) (dev, recorder) {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(info) } {
            let locations = info.locations().as_slice().to_vec();
            recorder.set_state(DynamicState::ColorLocations(locations));
        }
    }
    [
        cmd_set_rendering_input_attachment_indices
        cmd_set_rendering_input_attachment_indices_khr
    ](
        command_buffer: vk::CommandBuffer,
        info: *const vk::RenderingInputAttachmentIndexInfoKHR<'_>
    ) (dev, recorder) {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(info) } {
            let indices = info.indices().as_slice().to_vec();
            recorder.set_state(DynamicState::InputIndices(indices));
        }
    }
}
