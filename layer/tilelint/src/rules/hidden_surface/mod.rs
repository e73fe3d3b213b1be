//! Removal of hidden surfaces: what turns it off, and what does its work a second time.

mod depth_direction_flip;
mod depth_dont_care_load;
mod depth_draws;
mod depth_prepass;
mod depth_write_with_blend;
mod fullscreen_quad;
mod late_z_shader;

use crate::rule::Rule;

/// The rules of this chapter.
pub const RULES: &[&Rule] = &[
    &depth_direction_flip::RULE,
    &depth_prepass::RULE,
    &late_z_shader::RULE,
    &depth_write_with_blend::RULE,
    &depth_dont_care_load::RULE,
    &fullscreen_quad::RULE,
];
