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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Sink;
    use std::sync::Arc;
    use tilelint::call::{CommandsKey, DeviceKey};

    const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::GRAPHICS;

    fn recorder() -> Recorder {
        Recorder::new(DeviceKey(1), CommandsKey(1), false, Sink::nowhere(), Arc::default())
    }

    /// Records a command of some kind, first the quick way if `is_quick`; says whether that did it.
    fn record(recorder: &mut Recorder, kind: u32, number: u32, is_quick: bool) -> bool {
        let layout = vk::PipelineLayout::from_raw(7);
        let set = vk::DescriptorSet::from_raw(u64::from(number));
        let buffer = vk::Buffer::from_raw(u64::from(number));
        // Some are not whole, some are upside down.
        let (side, height) =
            (number as f32 / 2.0, if number.is_multiple_of(5) { -2.0 } else { 2.0 });
        let viewport = vk::Viewport { x: side, height, max_depth: 1.0, ..Default::default() };
        let scissor =
            vk::Rect2D { extent: vk::Extent2D { width: number, height: 1 }, ..Default::default() };
        let is_done = is_quick
            && match kind {
                0 => recorder.draw_within(DrawKind::Direct, 3, number),
                1 => recorder.bind_sets_within::<1, 0, 1>(POINT, layout, 0, [set], []),
                2 => recorder.bind_sets_within::<2, 1, 3>(POINT, layout, 1, [set; 2], [number]),
                3 => recorder.bind_vertex_within::<2, 4>(0, [buffer; 2], [4, 5]),
                4 => recorder.set_viewport_within(viewport),
                5 => recorder.set_scissor_within(scissor),
                6 => recorder.push_constants_within(layout, 4, &number.to_ne_bytes()),
                7 => recorder.set_other_within("vkCmdSetCullMode", [number]),
                _ => recorder.dispatch_within([number, 1, 1]),
            };
        if is_done {
            return true;
        }
        match kind {
            0 => recorder.draw(DrawKind::Direct, 3, number),
            1 => recorder.bind_sets(POINT, layout, 0, &[set], &[]),
            2 => recorder.bind_sets(POINT, layout, 1, &[set; 2], &[number]),
            3 => recorder.bind_vertex(0, &[buffer; 2], &[4, 5], &[], &[]),
            4 => recorder.set_viewports(0, &[viewport]),
            5 if number.is_multiple_of(3) => recorder.set_scissors(0, &[scissor; 2]),
            5 => recorder.set_scissors(0, &[scissor]),
            6 => recorder.push_constants(layout, 4, &number.to_ne_bytes()),
            7 => recorder.set_other("vkCmdSetCullMode", [number]),
            _ => recorder.dispatch([number, 1, 1]),
        }
        false
    }

    #[test]
    fn both_ways_record_the_same() {
        let (mut quick, mut slow) = (recorder(), recorder());
        let mut n_quick = 0;
        for step in 0..5_000_u32 {
            // Some come twice in a row; a second scissor is nothing that is quick.
            let (kind, number) = (step / 2 % 9, step / 7 % 11);
            let is_quick = !(kind == 5 && number.is_multiple_of(3));
            n_quick += u32::from(record(&mut quick, kind, number, is_quick));
            record(&mut slow, kind, number, false);
        }
        assert!(n_quick > 3_000, "{n_quick}");
        assert_eq!(quick.recording, slow.recording);
        assert_eq!(quick.recording.n_words(), slow.recording.n_words());
    }
}
