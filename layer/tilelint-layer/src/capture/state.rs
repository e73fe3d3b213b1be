//! Dynamic state.

use super::Recorder;
use super::commands::hash;
use ash::vk;
use tilelint::call::{Command, DynamicState};

impl Recorder {
    fn set(&mut self, state: DynamicState) {
        self.push(Command::Set(Box::new(state)));
    }

    /// `vkCmdSetViewport`, any form; only the first counts.
    pub(crate) fn set_viewports(&mut self, first: u32, viewports: &[vk::Viewport]) {
        if let (0, Some(viewport)) = (first, viewports.first()) {
            self.set(DynamicState::Viewport(viewport_texels(viewport)));
        }
    }

    /// `vkCmdSetScissor`, any form; only the first counts.
    pub(crate) fn set_scissors(&mut self, first: u32, scissors: &[vk::Rect2D]) {
        if let (0, Some(scissor)) = (first, scissors.first()) {
            self.set(DynamicState::Scissor(*scissor));
        }
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

/// Returns a viewport in whole texels; one of negative height is the same area, upside down.
pub(super) fn viewport_texels(viewport: &vk::Viewport) -> [i32; 4] {
    let top = viewport.y.min(viewport.y + viewport.height);
    [viewport.x, top, viewport.width, viewport.height.abs()].map(|value| value.round() as i32)
}
