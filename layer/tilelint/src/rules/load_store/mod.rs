//! Loads and stores.

mod clear_in_pass;
mod clear_only_pass;
mod clear_outside_pass;
mod color_store;
mod coverage;
mod dead_render_pass;
mod dead_render_target;
mod depth_store;
mod intermediate_subpass_store;
mod load_of_undefined;
mod msaa_roundtrip;
mod msaa_store;
mod needless_load;
mod oversized_render_area;
mod redundant_clear;
mod stencil_store;
mod store_op_none_candidate;
mod transfer_then_load;
mod unaligned_render_area;
mod untouched_attachment;

use crate::rule::{Rule, RuleSetting};

pub use coverage::{is_full_screen, overwritten_first};

/// The rules of this chapter.
pub const RULES: &[&Rule] = &[
    &msaa_store::RULE,
    &msaa_roundtrip::RULE,
    &depth_store::RULE,
    &stencil_store::RULE,
    &color_store::RULE,
    &load_of_undefined::RULE,
    &needless_load::RULE,
    &store_op_none_candidate::RULE,
    &untouched_attachment::RULE,
    &intermediate_subpass_store::RULE,
    &clear_outside_pass::RULE,
    &clear_only_pass::RULE,
    &clear_in_pass::RULE,
    &redundant_clear::RULE,
    &transfer_then_load::RULE,
    &dead_render_pass::RULE,
    &dead_render_target::RULE,
    &unaligned_render_area::RULE,
    &oversized_render_area::RULE,
];

/// Numbers of these rules that people may choose.
pub const SETTINGS: &[&RuleSetting] = &[&oversized_render_area::USED_PERCENT];
