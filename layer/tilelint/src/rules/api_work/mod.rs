//! Work of the API itself: state that is set for nothing, objects that are made every frame.

mod allocation_churn;
mod barrier_scope;
mod churn;
mod object_churn;
mod redundant_barrier;
mod redundant_buffer_bind;
mod redundant_descriptor_bind;
mod redundant_dynamic_state;
mod redundant_pipeline_bind;
mod redundant_push_constants;
mod state_walk;
mod tally;
mod unused_state_set;

use crate::rule::{Rule, RuleSetting};

/// The rules of this chapter.
pub const RULES: &[&Rule] = &[
    &redundant_pipeline_bind::RULE,
    &redundant_descriptor_bind::RULE,
    &redundant_buffer_bind::RULE,
    &redundant_dynamic_state::RULE,
    &redundant_push_constants::RULE,
    &unused_state_set::RULE,
    &redundant_barrier::RULE,
    &object_churn::RULE,
    &allocation_churn::RULE,
];

/// Numbers of these rules that people may choose.
pub const SETTINGS: &[&RuleSetting] = &[
    &unused_state_set::CALLS,
    &redundant_pipeline_bind::CALLS,
    &redundant_descriptor_bind::CALLS,
    &redundant_buffer_bind::CALLS,
    &redundant_dynamic_state::CALLS,
    &redundant_push_constants::CALLS,
];
