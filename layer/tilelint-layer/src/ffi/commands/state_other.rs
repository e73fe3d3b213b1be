//! Dynamic state whose value no rule reads: it only tells a repeat from a change.

use crate::ffi::hooks::cmd_hooks;
use crate::ffi::read::one;
use ash::vk;

/// Declares functions by their names in Vulkan and the words that they set.
macro_rules! state_hooks {
    ($([$($field:ident)+] $arguments:tt => $name:literal, $words:expr;)*) => {
        cmd_hooks! {$(
            quick [$($field)+] $arguments (dev, recorder) {
                recorder.set_other_within($name, $words)
            } else {
                recorder.set_other($name, $words);
            }
        )*}
    };
}

state_hooks! {
    [cmd_set_blend_constants](
        command_buffer: vk::CommandBuffer,
        constants: *const [f32; 4]
    ) => "vkCmdSetBlendConstants", {
        // SAFETY: C2 - four floats.
        unsafe { one(constants) }.map(f32::to_bits)
    };
    [cmd_set_cull_mode cmd_set_cull_mode_ext](
        command_buffer: vk::CommandBuffer,
        cull_mode: vk::CullModeFlags
    ) => "vkCmdSetCullMode", [cull_mode.as_raw()];
    [cmd_set_front_face cmd_set_front_face_ext](
        command_buffer: vk::CommandBuffer,
        front_face: vk::FrontFace
    ) => "vkCmdSetFrontFace", [front_face.as_raw() as u32];
    [cmd_set_depth_bias](
        command_buffer: vk::CommandBuffer,
        constant: f32,
        clamp: f32,
        slope: f32
    ) => "vkCmdSetDepthBias", [constant, clamp, slope].map(f32::to_bits);
    [cmd_set_depth_bias_enable cmd_set_depth_bias_enable_ext](
        command_buffer: vk::CommandBuffer,
        enable: vk::Bool32
    ) => "vkCmdSetDepthBiasEnable", [enable];
    [cmd_set_line_width](
        command_buffer: vk::CommandBuffer,
        width: f32
    ) => "vkCmdSetLineWidth", [width.to_bits()];
    [cmd_set_stencil_compare_mask](
        command_buffer: vk::CommandBuffer,
        faces: vk::StencilFaceFlags,
        mask: u32
    ) => "vkCmdSetStencilCompareMask", [faces.as_raw(), mask];
    [cmd_set_stencil_reference](
        command_buffer: vk::CommandBuffer,
        faces: vk::StencilFaceFlags,
        reference: u32
    ) => "vkCmdSetStencilReference", [faces.as_raw(), reference];
}
