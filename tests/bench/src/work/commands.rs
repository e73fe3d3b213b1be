//! Loads of one command, over and over.

use ash::vk;

use super::record::Recorder;
use super::scene::SIDE;

/// A command with all that it needs.
pub struct Single {
    /// Its name in Vulkan, and what of it where there is more than one.
    pub name: &'static str,
    /// It belongs into a pass.
    pub in_pass: bool,
    /// Records it, each time with other values than the time before.
    pub record: fn(&Recorder<'_>, usize),
}

const fn drawing(name: &'static str, record: fn(&Recorder<'_>, usize)) -> Single {
    Single { name, in_pass: true, record }
}

/// The commands that can be measured one by one.
pub const SINGLES: [Single; 15] = [
    drawing("vkCmdDraw", draw),
    drawing("vkCmdDrawIndexed", draw_indexed),
    drawing("vkCmdDrawIndexedIndirect", draw_indexed_indirect),
    drawing("vkCmdBindVertexBuffers", bind_vertex::<1>),
    drawing("vkCmdBindVertexBuffers-2", bind_vertex::<2>),
    drawing("vkCmdBindIndexBuffer", bind_index),
    drawing("vkCmdBindDescriptorSets-2-dynamic", bind_sets),
    drawing("vkCmdPushConstants-16", push_constants::<16>),
    drawing("vkCmdPushConstants-64", push_constants::<64>),
    drawing("vkCmdSetViewport", set_viewport),
    drawing("vkCmdSetScissor", set_scissor),
    drawing("vkCmdSetDepthBias", set_depth_bias),
    drawing("vkCmdSetStencilReference", set_stencil_reference),
    drawing("vkCmdSetDepthTestEnable", set_depth_test),
    Single { name: "vkCmdDispatch", in_pass: false, record: dispatch },
];

impl Recorder<'_> {
    /// `n` calls of a single command.
    pub fn singles(&self, single: &Single, n: usize) {
        let body = |r: &Self| (0..n).for_each(|at| (single.record)(r, at));
        if single.in_pass { self.pass(&self.scene.target, body) } else { body(self) }
    }
}

fn draw(r: &Recorder<'_>, at: usize) {
    let instances = 1 + at as u32 % 2;
    // SAFETY: the command buffer is being recorded.
    unsafe { r.gpu.device.cmd_draw(r.buffer, 3, instances, 0, 0) };
}

fn draw_indexed(r: &Recorder<'_>, at: usize) {
    let instances = 1 + at as u32 % 2;
    // SAFETY: as above.
    unsafe { r.gpu.device.cmd_draw_indexed(r.buffer, 3, instances, 0, 0, 0) };
}

fn draw_indexed_indirect(r: &Recorder<'_>, at: usize) {
    let n_draws = 1 + at as u32 % 2;
    let buffer = r.scene.buffer;
    // SAFETY: the buffer lives and holds the draws.
    unsafe { r.gpu.device.cmd_draw_indexed_indirect(r.buffer, buffer, 0, n_draws, 20) };
}

fn dispatch(r: &Recorder<'_>, at: usize) {
    let groups = 1 + at as u32 % 2;
    // SAFETY: the command buffer is being recorded.
    unsafe { r.gpu.device.cmd_dispatch(r.buffer, groups, 1, 1) };
}

fn bind_vertex<const N: usize>(r: &Recorder<'_>, at: usize) {
    let (buffers, offsets) = ([r.scene.buffer; N], [at as u64 % 2 * 16; N]);
    // SAFETY: the buffer lives.
    unsafe { r.gpu.device.cmd_bind_vertex_buffers(r.buffer, 0, &buffers, &offsets) };
}

fn bind_index(r: &Recorder<'_>, at: usize) {
    let (buffer, offset) = (r.scene.buffer, at as u64 % 2 * 16);
    let kind = vk::IndexType::UINT16;
    // SAFETY: the buffer lives.
    unsafe { r.gpu.device.cmd_bind_index_buffer(r.buffer, buffer, offset, kind) };
}

fn bind_sets(r: &Recorder<'_>, at: usize) {
    let (device, layout) = (&r.gpu.device, r.scene.layout);
    let point = vk::PipelineBindPoint::GRAPHICS;
    let sets = [r.scene.sets[0], r.scene.sets[1]];
    let offsets = [at as u32 % 2 * 256];
    // SAFETY: the sets live.
    unsafe { device.cmd_bind_descriptor_sets(r.buffer, point, layout, 0, &sets, &offsets) };
}

fn push_constants<const N: usize>(r: &Recorder<'_>, at: usize) {
    let mut bytes = [0; N];
    bytes[0] = at as u8;
    let (device, layout) = (&r.gpu.device, r.scene.layout);
    let stage = vk::ShaderStageFlags::VERTEX;
    // SAFETY: the layout has this range.
    unsafe { device.cmd_push_constants(r.buffer, layout, stage, 0, &bytes) };
}

fn set_viewport(r: &Recorder<'_>, at: usize) {
    let side = (SIDE - at as u32 % 2) as f32;
    let (min_depth, max_depth) = (0.0, 1.0);
    let viewport = vk::Viewport { x: 0.0, y: 0.0, width: side, height: side, min_depth, max_depth };
    // SAFETY: the command buffer is being recorded.
    unsafe { r.gpu.device.cmd_set_viewport(r.buffer, 0, &[viewport]) };
}

fn set_scissor(r: &Recorder<'_>, at: usize) {
    let side = SIDE - at as u32 % 2;
    let extent = vk::Extent2D { width: side, height: side };
    let scissor = vk::Rect2D { offset: vk::Offset2D::default(), extent };
    // SAFETY: as above.
    unsafe { r.gpu.device.cmd_set_scissor(r.buffer, 0, &[scissor]) };
}

fn set_depth_bias(r: &Recorder<'_>, at: usize) {
    // SAFETY: as above.
    unsafe { r.gpu.device.cmd_set_depth_bias(r.buffer, (at % 2) as f32, 0.0, 1.0) };
}

fn set_stencil_reference(r: &Recorder<'_>, at: usize) {
    let faces = vk::StencilFaceFlags::FRONT_AND_BACK;
    // SAFETY: as above.
    unsafe { r.gpu.device.cmd_set_stencil_reference(r.buffer, faces, at as u32 % 2) };
}

fn set_depth_test(r: &Recorder<'_>, at: usize) {
    // SAFETY: as above.
    unsafe { r.gpu.device.cmd_set_depth_test_enable(r.buffer, at.is_multiple_of(2)) };
}
