//! The commands of each load. The loops hold nothing but the commands themselves.

use ash::vk;

use super::gpu::Gpu;
use super::scene::{SIDE, Scene, Target};

/// Passes of the engine-like frame.
pub const ENGINE_PASSES: usize = 12;
/// Draws of each pass of the load with many passes.
pub const DRAWS_PER_PASS: usize = 20;

const CLEARS: [vk::ClearValue; 2] = [
    vk::ClearValue { color: vk::ClearColorValue { float32: [0.0; 4] } },
    vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth: 1.0, stencil: 0 } },
];

/// Records into one command buffer, which is begun and ended here.
pub struct Recorder<'a> {
    pub gpu: &'a Gpu,
    pub scene: &'a Scene,
    pub buffer: vk::CommandBuffer,
}

impl Recorder<'_> {
    /// Begins the command buffer, records `body`, ends it.
    pub fn whole(&self, body: impl FnOnce(&Self)) {
        let info = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: this thread has the command buffer to itself, and it is not pending.
        unsafe { self.gpu.device.begin_command_buffer(self.buffer, &info) }.expect("it begins");
        body(self);
        // SAFETY: it was begun.
        unsafe { self.gpu.device.end_command_buffer(self.buffer) }.expect("it ends");
    }

    /// A render pass on a target, with `body` in it.
    pub fn pass(&self, target: &Target, body: impl FnOnce(&Self)) {
        let info = vk::RenderPassBeginInfo::default()
            .render_pass(target.pass)
            .framebuffer(target.framebuffer)
            .render_area(vk::Rect2D {
                offset: vk::Offset2D::default(),
                extent: vk::Extent2D { width: SIDE, height: SIDE },
            })
            .clear_values(&CLEARS);
        let inline = vk::SubpassContents::INLINE;
        // SAFETY: the command buffer is being recorded; pass and framebuffer live.
        unsafe { self.gpu.device.cmd_begin_render_pass(self.buffer, &info, inline) };
        body(self);
        // SAFETY: the pass was begun.
        unsafe { self.gpu.device.cmd_end_render_pass(self.buffer) };
    }

    /// Binds a pipeline.
    pub fn pipeline(&self, at: usize) {
        let pipeline = self.scene.pipelines[at % 2];
        let point = vk::PipelineBindPoint::GRAPHICS;
        // SAFETY: the pipeline lives and fits the pass.
        unsafe { self.gpu.device.cmd_bind_pipeline(self.buffer, point, pipeline) };
    }

    /// Binds a set of all sampled images.
    pub fn set(&self, set: vk::DescriptorSet) {
        let point = vk::PipelineBindPoint::GRAPHICS;
        let sets = [set];
        let (device, layout) = (&self.gpu.device, self.scene.layout);
        // SAFETY: the set lives and fits the layout.
        unsafe { device.cmd_bind_descriptor_sets(self.buffer, point, layout, 0, &sets, &[]) };
    }

    /// One draw.
    pub fn draw(&self) {
        // SAFETY: pipeline and sets are bound, in a pass.
        unsafe { self.gpu.device.cmd_draw(self.buffer, 3, 1, 0, 0) };
    }

    /// Binds a pipeline and a set, and draws `n` times.
    pub fn draws(&self, n: usize) {
        self.pipeline(0);
        self.set(self.scene.sets[0]);
        for _ in 0..n {
            self.draw();
        }
    }

    /// Binds a pipeline, and draws `n` times with another set each.
    pub fn changes(&self, n: usize) {
        self.pipeline(0);
        for at in 0..n {
            self.set(self.scene.sets[at % 2]);
            self.draw();
        }
    }

    /// `n` binds of descriptor sets in one pass.
    pub fn binds(&self, n: usize) {
        self.pipeline(0);
        for at in 0..n {
            self.set(self.scene.sets[at % 2]);
        }
        self.draw();
    }

    /// `n` binds of pipelines in one pass.
    pub fn pipelines(&self, n: usize) {
        self.set(self.scene.sets[0]);
        for at in 0..n {
            self.pipeline(at);
        }
        self.draw();
    }

    /// `n` barriers, each of one image.
    pub fn barriers(&self, n: usize) {
        let barriers = self.scene.transitions(vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL);
        for at in 0..n {
            self.barrier(&barriers[at % barriers.len()..][..1]);
        }
    }

    /// One barrier of some images.
    pub fn barrier(&self, images: &[vk::ImageMemoryBarrier<'_>]) {
        let stage = vk::PipelineStageFlags::FRAGMENT_SHADER;
        let none = vk::DependencyFlags::empty();
        let device = &self.gpu.device;
        // SAFETY: the command buffer is being recorded outside a pass; the images live.
        unsafe { device.cmd_pipeline_barrier(self.buffer, stage, stage, none, &[], &[], images) };
    }

    /// Pushes a matrix.
    pub fn push(&self, at: usize) {
        let mut matrix = [0; 64];
        matrix[0] = at as u8;
        let (device, layout) = (&self.gpu.device, self.scene.layout);
        let stage = vk::ShaderStageFlags::VERTEX;
        // SAFETY: the layout has this range.
        unsafe { device.cmd_push_constants(self.buffer, layout, stage, 0, &matrix) };
    }

    /// Passes as an engine records them: a barrier before each, state changes between draws.
    pub fn engine(&self, n_passes: usize, n_draws: usize) {
        let barriers = self.scene.transitions(vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL);
        for pass in 0..n_passes {
            self.barrier(&barriers[pass % barriers.len()..][..1]);
            self.pass(&self.scene.target, |r| {
                for at in 0..n_draws / n_passes {
                    if at % 8 == 0 {
                        r.pipeline(at / 8);
                    }
                    r.set(r.scene.sets[at % 2]);
                    r.push(at);
                    r.draw();
                }
            });
        }
    }
}
