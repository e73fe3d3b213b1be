//! Dynamic state.

use super::Recorder;
use super::commands::hash;
use ash::vk;
use tilelint::call::{Command, DynamicState, whole_texels};

impl Recorder {
    fn set(&mut self, state: DynamicState) {
        self.push(Command::Set(state));
    }

    /// `vkCmdSetViewport`, any form; only the first counts, in whole texels. What that leaves out
    /// is kept as a hash, so that repeats are told from changes.
    pub(crate) fn set_viewports(&mut self, first: u32, viewports: &[vk::Viewport]) {
        if let (0, [viewport], false) = (first, viewports, self.odd_viewport)
            && let Some(texels) = whole_texels(viewport)
        {
            self.set(DynamicState::Viewport(texels));
        } else {
            self.set_odd_viewports(first, viewports);
        }
    }

    #[cold]
    #[inline(never)]
    fn set_odd_viewports(&mut self, first: u32, viewports: &[vk::Viewport]) {
        let plain = matches!(viewports, [one] if first == 0 && whole_texels(one).is_some());
        let rest = viewports.iter().flat_map(|v| {
            [v.x, v.y, v.width, v.height, v.min_depth, v.max_depth].map(f32::to_bits)
        });
        self.set_rest("vkCmdSetViewport", first, rest);
        self.odd_viewport = !plain;
        if let (0, Some(viewport)) = (first, viewports.first()) {
            self.set(DynamicState::Viewport(viewport_texels(viewport)));
        }
    }

    /// `vkCmdSetScissor`, any form; only the first counts, beside a hash of the others.
    pub(crate) fn set_scissors(&mut self, first: u32, scissors: &[vk::Rect2D]) {
        if let (0, [scissor], false) = (first, scissors, self.odd_scissor) {
            self.set(DynamicState::Scissor(*scissor));
        } else {
            self.set_odd_scissors(first, scissors);
        }
    }

    #[cold]
    #[inline(never)]
    fn set_odd_scissors(&mut self, first: u32, scissors: &[vk::Rect2D]) {
        let rest = scissors.iter().flat_map(|s| {
            let (offset, extent) = (s.offset, s.extent);
            [offset.x as u32, offset.y as u32, extent.width, extent.height]
        });
        self.set_rest("vkCmdSetScissor", first, rest);
        self.odd_scissor = first != 0 || scissors.len() != 1;
        if let (0, Some(scissor)) = (first, scissors.first()) {
            self.set(DynamicState::Scissor(*scissor));
        }
    }

    fn set_rest(&mut self, name: &'static str, first: u32, rest: impl Iterator<Item = u32>) {
        let words = std::iter::once(first).chain(rest);
        let bytes: Vec<u8> = words.flat_map(u32::to_ne_bytes).collect();
        self.set(DynamicState::Other(name, hash(&bytes)));
    }

    /// A state that is one value.
    pub(crate) fn set_state(&mut self, state: DynamicState) {
        self.set(state);
    }

    /// `vkCmdSetColorBlendEnableEXT`.
    pub(crate) fn set_blend_enables(&mut self, first: u32, enables: &[vk::Bool32]) {
        let enables = enables.iter().map(|enable| *enable != 0).collect();
        self.set(DynamicState::BlendEnable(first, enables));
    }

    /// `vkCmdSetColorWriteMaskEXT`.
    pub(crate) fn set_write_masks(&mut self, first: u32, masks: &[vk::ColorComponentFlags]) {
        self.set(DynamicState::WriteMask(first, masks.to_vec()));
    }

    /// `vkCmdSetColorWriteEnableEXT`.
    pub(crate) fn set_color_write_enables(&mut self, enables: &[vk::Bool32]) {
        let enables = enables.iter().map(|enable| *enable != 0).collect();
        self.set(DynamicState::ColorWriteEnable(enables));
    }

    /// A state that no rule reads: its value only tells repeats from changes.
    pub(crate) fn set_other<const N: usize>(&mut self, name: &'static str, value: [u32; N]) {
        self.set(DynamicState::Other(name, hash_words(value)));
    }
}

/// Hashes the value of a state.
#[inline(always)]
pub(super) fn hash_words<const N: usize>(value: [u32; N]) -> u64 {
    hash(value.map(u32::to_ne_bytes).as_flattened())
}

/// Returns a viewport in whole texels; one of negative height is the same area, upside down.
pub(super) fn viewport_texels(viewport: &vk::Viewport) -> [i32; 4] {
    let top = viewport.y.min(viewport.y + viewport.height);
    [viewport.x, top, viewport.width, viewport.height.abs()].map(|value| value.round() as i32)
}
