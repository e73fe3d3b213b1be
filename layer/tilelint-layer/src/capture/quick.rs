//! What programs record by the thousand, where there is room for it: each function does nothing and
//! returns `false` where it cannot do all of it. None of them allocates, so that none of them
//! calls another function.

use super::Recorder;
use super::commands::{device_draw, hash, host_draw};
use super::state::{hash_words, whole_texels};
use ash::vk::{self, Handle};
use tilelint::call::{
    BufferKey, Command, Dispatch, DrawKind, DynamicState, List, PipelineKey, PipelineLayoutKey,
};

impl Recorder {
    #[inline(always)]
    fn push_within(&mut self, command: impl FnOnce() -> Command) -> bool {
        self.recording.push_within(&[], |_| command())
    }

    /// A draw whose counts the host knows.
    #[inline(always)]
    pub(crate) fn draw_within(&mut self, kind: DrawKind, vertices: u32, instances: u32) -> bool {
        self.recording.draw_within(host_draw(kind, vertices, instances))
    }

    /// A draw whose parameters lie in a buffer.
    #[inline(always)]
    pub(crate) fn draw_indirect_within(
        &mut self,
        kind: DrawKind,
        buffer: vk::Buffer,
        draw_count: u32,
    ) -> bool {
        self.recording.draw_within(device_draw(kind, buffer, draw_count))
    }

    /// A dispatch.
    #[inline(always)]
    pub(crate) fn dispatch_within(&mut self, groups: [u32; 3]) -> bool {
        self.recording.dispatch_within(Dispatch { groups, indirect: false, times: 1 })
    }

    /// `vkCmdBindPipeline`.
    #[inline(always)]
    pub(crate) fn bind_pipeline_within(
        &mut self,
        point: vk::PipelineBindPoint,
        pipeline: vk::Pipeline,
    ) -> bool {
        self.push_within(|| Command::BindPipeline {
            point,
            pipeline: PipelineKey(pipeline.as_raw()),
        })
    }

    /// `vkCmdBindDescriptorSets` of one set without dynamic offsets.
    #[inline(always)]
    pub(crate) fn bind_set_within(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        first: u32,
        set: vk::DescriptorSet,
    ) -> bool {
        let layout = PipelineLayoutKey(layout.as_raw());
        self.recording.push_within(&[set.as_raw()], |sets| {
            let offsets = List::default();
            Command::BindSets { point, layout, first, sets, offsets }
        })
    }

    /// `vkCmdBindDescriptorSets`.
    #[inline(always)]
    pub(crate) fn bind_sets_within(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        first: u32,
        sets: &[vk::DescriptorSet],
        offsets: &[u32],
    ) -> bool {
        let layout = PipelineLayoutKey(layout.as_raw());
        let sets = sets.iter().map(|set| set.as_raw());
        let offsets = offsets.iter().map(|offset| u64::from(*offset));
        self.recording.push_lists_within((sets, offsets), |sets, offsets| Command::BindSets {
            point,
            layout,
            first,
            sets,
            offsets,
        })
    }

    /// `vkCmdBindVertexBuffers` of a number of buffers that is known here.
    #[inline(always)]
    pub(crate) fn bind_vertex_within<const N: usize>(
        &mut self,
        first: u32,
        buffers: [vk::Buffer; N],
        offsets: [u64; N],
    ) -> bool {
        let mut words = [[0; 2]; N];
        for (pair, (buffer, offset)) in words.iter_mut().zip(buffers.iter().zip(offsets)) {
            *pair = [buffer.as_raw(), offset];
        }
        self.recording.push_within(words.as_flattened(), |buffers| Command::BindVertex {
            first,
            buffers,
            strides: 0,
        })
    }

    /// `vkCmdBindIndexBuffer`.
    #[inline(always)]
    pub(crate) fn bind_index_within(
        &mut self,
        buffer: vk::Buffer,
        offset: u64,
        kind: vk::IndexType,
    ) -> bool {
        self.push_within(|| Command::BindIndex { buffer: BufferKey(buffer.as_raw()), offset, kind })
    }

    /// `vkCmdPushConstants`.
    #[inline(always)]
    pub(crate) fn push_constants_within(
        &mut self,
        layout: vk::PipelineLayout,
        offset: u32,
        bytes: &[u8],
    ) -> bool {
        let (layout, size) = (PipelineLayoutKey(layout.as_raw()), bytes.len() as u32);
        let hash = hash(bytes);
        self.push_within(|| Command::PushConstants { layout, offset, size, hash })
    }

    /// `vkCmdSetViewport` of the first viewport alone.
    #[inline(always)]
    pub(crate) fn set_viewport_within(&mut self, viewport: vk::Viewport) -> bool {
        !self.odd_viewport
            && whole_texels(&viewport)
                .is_some_and(|texels| self.set_within(|| DynamicState::Viewport(texels)))
    }

    /// `vkCmdSetScissor` of the first scissor alone.
    #[inline(always)]
    pub(crate) fn set_scissor_within(&mut self, scissor: vk::Rect2D) -> bool {
        !self.odd_scissor && self.set_within(|| DynamicState::Scissor(scissor))
    }

    /// A state that is one value.
    #[inline(always)]
    pub(crate) fn set_within(&mut self, state: impl FnOnce() -> DynamicState) -> bool {
        self.push_within(|| Command::Set(state()))
    }

    /// A state that no rule reads.
    #[inline(always)]
    pub(crate) fn set_other_within<const N: usize>(
        &mut self,
        name: &'static str,
        value: [u32; N],
    ) -> bool {
        self.set_within(|| DynamicState::Other(name, hash_words(value)))
    }

    /// `vkCmdEndRenderPass` and `vkCmdEndRendering`, any form.
    #[inline(always)]
    pub(crate) fn end_pass_within(&mut self) -> bool {
        self.push_within(|| Command::EndPass)
    }
}
