//! Multisampling and resolves.

mod mid_pass_resolve;
mod missing_resolve_attachment;
mod repeated_resolve;
mod resolve_outside_pass;

use crate::rule::Rule;

/// The rules of this chapter.
pub const RULES: &[&Rule] = &[
    &missing_resolve_attachment::RULE,
    &resolve_outside_pass::RULE,
    &mid_pass_resolve::RULE,
    &repeated_resolve::RULE,
];
