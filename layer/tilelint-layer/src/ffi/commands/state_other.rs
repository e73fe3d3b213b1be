//! Dynamic state whose value no rule reads: it only tells a repeat from a change.

use crate::ffi::hooks::cmd_hooks;
use ash::vk;

cmd_hooks! {
    [cmd_set_blend_constants](
        command_buffer: vk::CommandBuffer,
        constants: *const [f32; 4]
    ) (dev, recorder) {
        // SAFETY: C2 - four floats.
        let constants = unsafe { constants.as_ref() }.copied().unwrap_or_default();
        let bytes: Vec<u8> = constants.iter().flat_map(|value| value.to_ne_bytes()).collect();
        recorder.set_other("vkCmdSetBlendConstants", &bytes);
    }
    [cmd_set_cull_mode cmd_set_cull_mode_ext](
        command_buffer: vk::CommandBuffer,
        cull_mode: vk::CullModeFlags
    ) (dev, recorder) {
        recorder.set_other("vkCmdSetCullMode", &cull_mode.as_raw().to_ne_bytes());
    }
    [cmd_set_front_face cmd_set_front_face_ext](
        command_buffer: vk::CommandBuffer,
        front_face: vk::FrontFace
    ) (dev, recorder) {
        recorder.set_other("vkCmdSetFrontFace", &front_face.as_raw().to_ne_bytes());
    }
    [cmd_set_depth_bias](
        command_buffer: vk::CommandBuffer,
        constant: f32,
        clamp: f32,
        slope: f32
    ) (dev, recorder) {
        let values = [constant, clamp, slope];
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
        recorder.set_other("vkCmdSetDepthBias", &bytes);
    }
    [cmd_set_depth_bias_enable cmd_set_depth_bias_enable_ext](
        command_buffer: vk::CommandBuffer,
        enable: vk::Bool32
    ) (dev, recorder) {
        recorder.set_other("vkCmdSetDepthBiasEnable", &enable.to_ne_bytes());
    }
    [cmd_set_line_width](command_buffer: vk::CommandBuffer, width: f32) (dev, recorder) {
        recorder.set_other("vkCmdSetLineWidth", &width.to_ne_bytes());
    }
    [cmd_set_stencil_compare_mask](
        command_buffer: vk::CommandBuffer,
        faces: vk::StencilFaceFlags,
        mask: u32
    ) (dev, recorder) {
        let words = [faces.as_raw(), mask];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        recorder.set_other("vkCmdSetStencilCompareMask", &bytes);
    }
    [cmd_set_stencil_reference](
        command_buffer: vk::CommandBuffer,
        faces: vk::StencilFaceFlags,
        reference: u32
    ) (dev, recorder) {
        let words = [faces.as_raw(), reference];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        recorder.set_other("vkCmdSetStencilReference", &bytes);
    }
}
