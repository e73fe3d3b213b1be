//! What fits into a tile, and what keeps it there.

mod compression_blocker;
mod excess_color_attachments;
mod fat_attachment_format;
mod host_visible_attachment;
mod many_bins;
pub(super) mod narrowing;
mod signatures;
#[expect(clippy::module_inception, reason = "a rule's file has its name")]
mod tile_budget;
mod undefined_layout_every_frame;
mod unsafe_layout_transition;
mod whole_life;
mod writable_depth_layout;

use crate::rule::{Rule, RuleSetting};

/// The rules of this chapter.
pub const RULES: &[&Rule] = &[
    &tile_budget::RULE,
    &many_bins::RULE,
    &fat_attachment_format::RULE,
    &excess_color_attachments::RULE,
    &compression_blocker::RULE,
    &undefined_layout_every_frame::RULE,
    &unsafe_layout_transition::RULE,
    &host_visible_attachment::RULE,
    &writable_depth_layout::RULE,
];

/// Numbers of these rules that people may choose.
pub const SETTINGS: &[&RuleSetting] = &[&many_bins::BINS];
