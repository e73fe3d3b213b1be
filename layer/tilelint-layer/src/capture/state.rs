//! Dynamic state.

use super::Recorder;
use super::commands::hash;
use ash::vk;
use tilelint::call::{Command, DynamicState};

impl Recorder {
    #[inline]
    fn set(&mut self, state: DynamicState) {
        self.push(Command::Set(state));
    }

    /// `vkCmdSetViewport`, any form; only the first counts, in whole texels. What that
    /// leaves out is kept as a hash, so that repeats are told from changes.
    #[inline]
    pub(crate) fn set_viewports(&mut self, first: u32, viewports: &[vk::Viewport]) {
        let plain = first == 0 && viewports.len() == 1 && viewports.iter().all(is_plain);
        if !plain || self.odd_viewport {
            let rest = viewports.iter().flat_map(|v| {
                [v.x, v.y, v.width, v.height, v.min_depth, v.max_depth].map(f32::to_bits)
            });
            self.set_rest("vkCmdSetViewport", first, rest);
        }
        self.odd_viewport = !plain;
        if let (0, Some(viewport)) = (first, viewports.first()) {
            self.set(DynamicState::Viewport(viewport_texels(viewport)));
        }
    }

    /// `vkCmdSetScissor`, any form; only the first counts, beside a hash of the others.
    #[inline]
    pub(crate) fn set_scissors(&mut self, first: u32, scissors: &[vk::Rect2D]) {
        let plain = first == 0 && scissors.len() == 1;
        if !plain || self.odd_scissor {
            let rest = scissors.iter().flat_map(|s| {
                let (offset, extent) = (s.offset, s.extent);
                [offset.x as u32, offset.y as u32, extent.width, extent.height]
            });
            self.set_rest("vkCmdSetScissor", first, rest);
        }
        self.odd_scissor = !plain;
        if let (0, Some(scissor)) = (first, scissors.first()) {
            self.set(DynamicState::Scissor(*scissor));
        }
    }

    #[cold]
    fn set_rest(&mut self, name: &'static str, first: u32, rest: impl Iterator<Item = u32>) {
        let bytes: Vec<u8> =
            std::iter::once(first).chain(rest).flat_map(u32::to_ne_bytes).collect();
        self.set_other(name, &bytes);
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
    pub(crate) fn set_other(&mut self, name: &'static str, value: &[u8]) {
        self.set(DynamicState::Other(name, hash(value)));
    }
}

/// Whole texels say all of a viewport.
fn is_plain(viewport: &vk::Viewport) -> bool {
    let v = viewport;
    let whole = [v.x, v.y, v.width, v.height].iter().all(|value| rounded(*value) as f32 == *value);
    whole && v.height >= 0.0 && v.min_depth == 0.0 && v.max_depth == 1.0
}

/// Returns a viewport in whole texels; one of negative height is the same area, upside down.
pub(super) fn viewport_texels(viewport: &vk::Viewport) -> [i32; 4] {
    let top = viewport.y.min(viewport.y + viewport.height);
    [viewport.x, top, viewport.width, viewport.height.abs()].map(rounded)
}

/// Rounds half away from zero, like `f32::round`, which is a call into the system's library where
/// the processor's own instruction may be missing.
fn rounded(value: f32) -> i32 {
    let value = f64::from(value);
    (value + 0.5f64.copysign(value)) as i32
}
