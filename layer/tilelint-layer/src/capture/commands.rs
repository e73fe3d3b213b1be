//! Draws, dispatches, binds and other commands that need no conversion of create-infos.

use super::Recorder;
use ash::vk::{self, Handle};
use std::hash::Hasher;
use std::sync::Arc;
use tilelint::call::{
    BufferKey, ClearAttachments, ClearRect, Command, CommandsKey, Dispatch, Draw, DrawKind,
    Executed, PipelineKey, PipelineLayoutKey, QueryCommand, QueryPoolKey, QueryVerb, Recording,
};

/// Hashes raw bytes, so that repeats are told from changes.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

/// Hashes the sizes and strides of a bind; never 0.
#[cold]
fn hash_strides(sizes: &[u64], strides: &[u64]) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    sizes.iter().for_each(|size| hasher.write_u64(*size));
    strides.iter().for_each(|stride| hasher.write_u64(!*stride));
    hasher.finish() | 1
}

/// A draw whose counts the host knows.
#[inline(always)]
pub(super) fn host_draw(kind: DrawKind, vertices: u32, instances: u32) -> Draw {
    Draw {
        kind,
        vertices,
        instances,
        draw_count: 1,
        times: 1,
        total_vertices: u64::from(vertices),
        buffer: BufferKey::default(),
    }
}

/// A draw whose parameters lie in a buffer.
#[inline(always)]
pub(super) fn device_draw(kind: DrawKind, buffer: vk::Buffer, draw_count: u32) -> Draw {
    Draw {
        kind,
        vertices: 0,
        instances: 1,
        draw_count,
        times: 1,
        total_vertices: 0,
        buffer: BufferKey(buffer.as_raw()),
    }
}

impl Recorder {
    /// A draw whose counts the host knows.
    #[inline]
    pub(crate) fn draw(&mut self, kind: DrawKind, vertices: u32, instances: u32) {
        self.recording.draw(host_draw(kind, vertices, instances));
    }

    /// `vkCmdDrawMulti*EXT`.
    pub(crate) fn draw_multi(&mut self, counts: impl Iterator<Item = u32> + Clone, instances: u32) {
        self.recording.draw(Draw {
            kind: DrawKind::Multi,
            vertices: counts.clone().next().unwrap_or(0),
            instances,
            draw_count: counts.clone().count() as u32,
            times: 1,
            total_vertices: counts.map(u64::from).sum(),
            buffer: BufferKey::default(),
        });
    }

    /// A draw whose parameters lie in a buffer.
    #[inline]
    pub(crate) fn draw_indirect(&mut self, kind: DrawKind, buffer: vk::Buffer, draw_count: u32) {
        self.recording.draw(device_draw(kind, buffer, draw_count));
    }

    /// A dispatch.
    #[inline]
    pub(crate) fn dispatch(&mut self, groups: [u32; 3]) {
        self.recording.dispatch(Dispatch { groups, indirect: false, times: 1 });
    }

    /// A dispatch whose groups lie in a buffer.
    pub(crate) fn dispatch_indirect(&mut self) {
        self.recording.dispatch(Dispatch { groups: [0; 3], indirect: true, times: 1 });
    }

    /// `vkCmdBindPipeline`.
    #[inline]
    pub(crate) fn bind_pipeline(&mut self, point: vk::PipelineBindPoint, pipeline: vk::Pipeline) {
        self.push(Command::BindPipeline { point, pipeline: PipelineKey(pipeline.as_raw()) });
    }

    /// `vkCmdBindShadersEXT`.
    pub(crate) fn bind_shaders(&mut self, shaders: &[vk::ShaderEXT]) {
        let list = self.recording.list(shaders.iter().map(|shader| shader.as_raw()));
        self.push(Command::BindShaders(list));
    }

    /// `vkCmdBindDescriptorSets`.
    #[inline(never)]
    pub(crate) fn bind_sets(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        first: u32,
        sets: &[vk::DescriptorSet],
        offsets: &[u32],
    ) {
        let sets = self.recording.list(sets.iter().map(|set| set.as_raw()));
        let offsets = self.recording.list(offsets.iter().map(|offset| u64::from(*offset)));
        let layout = PipelineLayoutKey(layout.as_raw());
        self.push(Command::BindSets { point, layout, first, sets, offsets });
    }

    /// `vkCmdBindVertexBuffers`, any form; sizes and strides are those of the newer one.
    #[inline(never)]
    pub(crate) fn bind_vertex(
        &mut self,
        first: u32,
        buffers: &[vk::Buffer],
        offsets: &[u64],
        sizes: &[u64],
        strides: &[u64],
    ) {
        // In turn: half of the words are buffers, half are offsets.
        let count = buffers.len().min(offsets.len());
        let words = (0..count * 2).map(|at| {
            let idx = at / 2;
            if at % 2 == 0 { buffers[idx].as_raw() } else { offsets[idx] }
        });
        let buffers = self.recording.list(words);
        let none = sizes.is_empty() && strides.is_empty();
        let strides = if none { 0 } else { hash_strides(sizes, strides) };
        self.push(Command::BindVertex { first, buffers, strides });
    }

    /// `vkCmdBindIndexBuffer`, any form.
    #[inline]
    pub(crate) fn bind_index(&mut self, buffer: vk::Buffer, offset: u64, kind: vk::IndexType) {
        self.push(Command::BindIndex { buffer: BufferKey(buffer.as_raw()), offset, kind });
    }

    /// `vkCmdPushConstants`, any form.
    #[inline]
    pub(crate) fn push_constants(&mut self, layout: vk::PipelineLayout, offset: u32, bytes: &[u8]) {
        self.push(Command::PushConstants {
            layout: PipelineLayoutKey(layout.as_raw()),
            offset,
            size: bytes.len() as u32,
            hash: hash(bytes),
        });
    }

    /// `vkCmdExecuteCommands`.
    pub(crate) fn execute(
        &mut self,
        buffers: &[vk::CommandBuffer],
        find: &dyn Fn(vk::CommandBuffer) -> Option<Arc<Recording>>,
    ) {
        let executed = |buffer: &vk::CommandBuffer| {
            let recording = find(*buffer);
            let key = recording.is_some().then(|| CommandsKey(buffer.as_raw()));
            Executed { key, recording }
        };
        self.push(Command::Execute(buffers.iter().map(executed).collect()));
    }

    /// `vkCmdClearAttachments`: aspects, colour attachment and raw value of each.
    pub(crate) fn clear_attachments(
        &mut self,
        attachments: Vec<(vk::ImageAspectFlags, u32, [u32; 4])>,
        rects: &[vk::ClearRect],
    ) {
        let rect = |rect: &vk::ClearRect| ClearRect {
            rect: rect.rect,
            base_layer: rect.base_array_layer,
            layers: rect.layer_count,
        };
        let rects = rects.iter().map(rect).collect();
        self.push(Command::ClearAttachments(Box::new(ClearAttachments { attachments, rects })));
    }

    /// A query command.
    pub(crate) fn query(&mut self, verb: QueryVerb, pool: vk::QueryPool, index: u32, count: u32) {
        self.query_command(QueryCommand {
            verb,
            pool: QueryPoolKey(pool.as_raw()),
            index,
            count,
            stage: vk::PipelineStageFlags2::empty(),
            to: BufferKey::default(),
            version: 1,
        });
    }

    /// `vkCmdCopyQueryPoolResults`.
    pub(crate) fn query_copy(
        &mut self,
        pool: vk::QueryPool,
        index: u32,
        count: u32,
        to: vk::Buffer,
    ) {
        self.query_command(QueryCommand {
            verb: QueryVerb::Copy,
            pool: QueryPoolKey(pool.as_raw()),
            index,
            count,
            stage: vk::PipelineStageFlags2::empty(),
            to: BufferKey(to.as_raw()),
            version: 1,
        });
    }

    /// `vkCmdWriteTimestamp`, any form.
    pub(crate) fn timestamp(
        &mut self,
        stage: vk::PipelineStageFlags2,
        pool: vk::QueryPool,
        index: u32,
        version: u8,
    ) {
        self.query_command(QueryCommand {
            verb: QueryVerb::Timestamp,
            pool: QueryPoolKey(pool.as_raw()),
            index,
            count: 1,
            stage,
            to: BufferKey::default(),
            version,
        });
    }

    /// `vkCmdWriteTimestamp` with an older stage.
    pub(crate) fn timestamp_1(
        &mut self,
        stage: vk::PipelineStageFlags,
        pool: vk::QueryPool,
        index: u32,
    ) {
        self.timestamp(super::render_pass::stages(stage), pool, index, 1);
    }

    fn query_command(&mut self, command: QueryCommand) {
        self.push(Command::Query(Box::new(command)));
    }

    /// `vkCmdBeginConditionalRenderingEXT`.
    pub(crate) fn conditional_begin(&mut self, buffer: vk::Buffer, offset: u64) {
        self.push(Command::ConditionalBegin { buffer: BufferKey(buffer.as_raw()), offset });
    }

    /// `vkCmdEndConditionalRenderingEXT`.
    pub(crate) fn conditional_end(&mut self) {
        self.push(Command::ConditionalEnd);
    }
}
