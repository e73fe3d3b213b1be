//! Fragment density, shading rate, and views that are drawn together.

mod density_map_dependency;
mod density_map_direct_mode;
mod density_map_missing;
mod density_map_not_subsampled;
mod foveation_mismatch;
mod maps;
mod multiview_opportunity;
mod twins;

use crate::rule::{Rule, RuleSetting};

/// The rules of this chapter.
pub const RULES: &[&Rule] = &[
    &density_map_missing::RULE,
    &density_map_direct_mode::RULE,
    &density_map_not_subsampled::RULE,
    &density_map_dependency::RULE,
    &multiview_opportunity::RULE,
    &foveation_mismatch::RULE,
];

/// Numbers of these rules that people may choose.
pub const SETTINGS: &[&RuleSetting] = &[&density_map_missing::DRAWS, &multiview_opportunity::DRAWS];
