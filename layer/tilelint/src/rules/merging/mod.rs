//! Passes and subpasses that could be one.

mod between;
mod compute_between_passes;
mod dependency;
mod depth_copy_for_read;
mod driver_merge_feedback;
mod excess_passes;
mod in_pass_barrier;
pub(super) mod joined;
mod local_read_available;
mod off_tile;
mod off_tile_input_attachment;
mod own_pixel;
pub(super) mod pairs;
mod portability_subpass;
mod separable_pass;
mod split_pass;
mod subpass_dep_not_by_region;
mod subpass_dep_shader_read;
mod subpass_dep_wide_stage;
mod subpass_merge_blocked;
mod target_ping_pong;
#[cfg(test)]
mod tests;

use crate::rule::{Rule, RuleSetting};

/// The rules of this chapter.
pub const RULES: &[&Rule] = &[
    &subpass_dep_shader_read::RULE,
    &subpass_dep_not_by_region::RULE,
    &subpass_dep_wide_stage::RULE,
    &subpass_merge_blocked::RULE,
    &driver_merge_feedback::RULE,
    &separable_pass::RULE,
    &split_pass::RULE,
    &target_ping_pong::RULE,
    &in_pass_barrier::RULE,
    &local_read_available::RULE,
    &compute_between_passes::RULE,
    &depth_copy_for_read::RULE,
    &off_tile_input_attachment::RULE,
    &portability_subpass::RULE,
    &excess_passes::RULE,
];

/// Numbers of these rules that people may choose.
pub const SETTINGS: &[&RuleSetting] = &[&in_pass_barrier::BARRIERS, &excess_passes::PASSES];
