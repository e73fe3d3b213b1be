//! Multisampling and resolves.

mod averaged;
mod excess_samples;
mod inputs;
mod later;
mod mid_pass_resolve;
mod missing_depth_resolve;
mod missing_resolve_attachment;
mod msaa_framebuffer_fetch;
mod msaa_gbuffer;
mod msaa_input_attachment;
mod msrtss_opportunity;
mod repeated_resolve;
mod resolve_mode_none;
mod resolve_only_pass;
mod resolve_outside_pass;
mod resolving;
mod sampling;
mod slow_resolve_format;
#[cfg(test)]
mod tests;

use crate::rule::Rule;

/// The rules of this chapter.
pub const RULES: &[&Rule] = &[
    &missing_resolve_attachment::RULE,
    &resolve_outside_pass::RULE,
    &resolve_mode_none::RULE,
    &mid_pass_resolve::RULE,
    &resolve_only_pass::RULE,
    &repeated_resolve::RULE,
    &missing_depth_resolve::RULE,
    &slow_resolve_format::RULE,
    &excess_samples::RULE,
    &msaa_input_attachment::RULE,
    &msaa_framebuffer_fetch::RULE,
    &msaa_gbuffer::RULE,
    &msrtss_opportunity::RULE,
];
