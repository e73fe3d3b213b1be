//! Swapchains: how many images, how often, which way up.

mod chains;
mod present_mode_not_fifo;
mod present_overdrive;
mod pretransform_mismatch;
mod redundant_present;
mod suboptimal_ignored;
mod two_image_swapchain;

use crate::rule::{Rule, RuleSetting};

/// The rules of this chapter.
pub const RULES: &[&Rule] = &[
    &present_mode_not_fifo::RULE,
    &present_overdrive::RULE,
    &redundant_present::RULE,
    &two_image_swapchain::RULE,
    &pretransform_mismatch::RULE,
    &suboptimal_ignored::RULE,
];

/// Numbers of these rules that people may choose.
pub const SETTINGS: &[&RuleSetting] =
    &[&present_overdrive::EXCESS_PERCENT, &suboptimal_ignored::PRESENTS];
