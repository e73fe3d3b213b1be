//! What programs record by the thousand, where there is room for it: each function does nothing and
//! returns `false` where it cannot do all of it. None of them calls another function: none
//! allocates, and a command is made where it stays, so that none has to be dropped.

use super::Recorder;
use super::commands::{device_draw, hash, host_draw};
use super::state::hash_words;
use ash::vk::{self, Handle};
use tilelint::call::{
    BufferKey, Command, Dispatch, DrawKind, DynamicState, PipelineKey, PipelineLayoutKey,
    whole_texels,
};

impl Recorder {
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
        self.recording.push_alone(|| Command::BindPipeline {
            point,
            pipeline: PipelineKey(pipeline.as_raw()),
        })
    }

    /// `vkCmdBindDescriptorSets` of as many sets and dynamic offsets as is known here.
    #[inline(always)]
    pub(crate) fn bind_sets_within<const SETS: usize, const OFFSETS: usize, const WORDS: usize>(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        first: u32,
        sets: [vk::DescriptorSet; SETS],
        offsets: [u32; OFFSETS],
    ) -> bool {
        const { assert!(SETS + OFFSETS == WORDS) };
        let layout = PipelineLayoutKey(layout.as_raw());
        let mut words = [0; WORDS];
        let both = sets.iter().map(|set| set.as_raw()).chain(offsets.map(u64::from));
        words.iter_mut().zip(both).for_each(|(place, word)| *place = word);
        self.recording.push_within(words, |all| {
            let (sets, offsets) = all.split(SETS as u32);
            Command::BindSets { point, layout, first, sets, offsets }
        })
    }

    /// `vkCmdBindVertexBuffers` of as many buffers as is known here.
    #[inline(always)]
    pub(crate) fn bind_vertex_within<const BUFFERS: usize, const WORDS: usize>(
        &mut self,
        first: u32,
        buffers: [vk::Buffer; BUFFERS],
        offsets: [u64; BUFFERS],
    ) -> bool {
        const { assert!(2 * BUFFERS == WORDS) };
        let mut words = [0; WORDS];
        for (at, (buffer, offset)) in buffers.iter().zip(offsets).enumerate() {
            (words[2 * at], words[2 * at + 1]) = (buffer.as_raw(), offset);
        }
        self.recording.push_within(words, |buffers| {
            let strides = 0;
            Command::BindVertex { first, buffers, strides }
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
        self.recording.push_alone(|| Command::BindIndex {
            buffer: BufferKey(buffer.as_raw()),
            offset,
            kind,
        })
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
        self.recording.push_alone(|| Command::PushConstants { layout, offset, size, hash })
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
        self.recording.push_alone(|| Command::Set(state()))
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
        self.recording.push_alone(|| Command::EndPass)
    }
}
