//! Passes and subpasses that could be one.

mod dependency;
mod subpass_dep_not_by_region;
mod subpass_dep_shader_read;
mod subpass_dep_wide_stage;

use crate::rule::Rule;

/// The rules of this chapter.
pub const RULES: &[&Rule] = &[
    &subpass_dep_shader_read::RULE,
    &subpass_dep_not_by_region::RULE,
    &subpass_dep_wide_stage::RULE,
];
