//! Dynamic state.

use ash::vk;
use tilelint::call::*;

use crate::error::Done;
use crate::gpu::api;
use crate::memory::samples;
use crate::player::Player;
use crate::record::Tape;

fn bools(list: &[bool]) -> Vec<vk::Bool32> {
    list.iter().map(|on| vk::Bool32::from(*on)).collect()
}

impl Player<'_> {
    /// One `vkCmdSet…`.
    pub(crate) fn set_state(&self, tape: &mut Tape, state: &DynamicState) -> Done {
        use DynamicState as D;
        let at = tape.commands;
        let device = &self.gpu.device;
        match state {
            D::Viewport([x, y, width, height]) => {
                let viewport = vk::Viewport {
                    x: *x as f32,
                    y: *y as f32,
                    width: *width as f32,
                    height: *height as f32,
                    min_depth: 0.0,
                    max_depth: 1.0,
                };
                tape.set.push(vk::DynamicState::VIEWPORT);
                api!(device.cmd_set_viewport(at, 0, &[viewport]));
            }
            D::Scissor(rect) => {
                tape.set.push(vk::DynamicState::SCISSOR);
                api!(device.cmd_set_scissor(at, 0, &[*rect]));
            }
            D::DepthTest(on) => api!(device.cmd_set_depth_test_enable(at, *on)),
            D::DepthWrite(on) => api!(device.cmd_set_depth_write_enable(at, *on)),
            D::DepthCompare(op) => api!(device.cmd_set_depth_compare_op(at, *op)),
            D::DepthBounds(on) => api!(device.cmd_set_depth_bounds_test_enable(at, *on)),
            D::StencilTest(on) => api!(device.cmd_set_stencil_test_enable(at, *on)),
            D::StencilWriteMask(faces, mask) => {
                api!(device.cmd_set_stencil_write_mask(at, *faces, *mask));
            }
            D::StencilOp(faces, fail, pass, depth_fail, compare) => {
                api!(device.cmd_set_stencil_op(at, *faces, *fail, *pass, *depth_fail, *compare));
            }
            D::RasterizerDiscard(on) => api!(device.cmd_set_rasterizer_discard_enable(at, *on)),
            D::Topology(topology) => api!(device.cmd_set_primitive_topology(at, *topology)),
            other => return self.set_extended(at, other),
        }
        Ok(())
    }

    /// State of extensions.
    fn set_extended(&self, at: vk::CommandBuffer, state: &DynamicState) -> Done {
        use DynamicState as D;
        let gpu = &self.gpu;
        match state {
            D::BlendEnable(first, list) => {
                api!(gpu.state3.cmd_set_color_blend_enable(at, *first, &bools(list)));
            }
            D::WriteMask(first, list) => {
                api!(gpu.state3.cmd_set_color_write_mask(at, *first, list));
            }
            D::LogicOpEnable(on) => api!(gpu.state3.cmd_set_logic_op_enable(at, *on)),
            D::Samples(count) => {
                api!(gpu.state3.cmd_set_rasterization_samples(at, samples(*count)));
            }
            D::ColorWriteEnable(list) => {
                let call = gpu.color_write.fp().cmd_set_color_write_enable_ext;
                let list = bools(list);
                api!(call(at, list.len() as u32, list.as_ptr()));
            }
            D::ColorLocations(list) => {
                let info = vk::RenderingAttachmentLocationInfoKHR::default()
                    .color_attachment_locations(list);
                api!(gpu.local_read.cmd_set_rendering_attachment_locations(at, &info));
            }
            D::InputIndices(list) => {
                let info = vk::RenderingInputAttachmentIndexInfoKHR::default()
                    .color_attachment_input_indices(list);
                api!(gpu.local_read.cmd_set_rendering_input_attachment_indices(at, &info));
            }
            D::Other(name, _) => return self.bad(format!("{name} cannot be played")),
            _ => return self.bad("this dynamic state cannot be played"),
        }
        Ok(())
    }
}
