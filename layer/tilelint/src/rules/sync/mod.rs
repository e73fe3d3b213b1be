//! Barriers, submissions and waits that let the GPU or the host run dry.

mod backward_dependency;
mod batches;
mod broad_barrier;
mod early_acquire;
mod early_acquire_wait_stage;
mod empty_submit;
mod event_set_then_wait;
mod excess_submits;
mod fragment_compute_fragment;
mod places;
mod query_wait;
mod readback;
mod semaphore_within_queue;
mod steps;
mod submit_then_wait;
mod synchronous_readback;
mod timestamp_in_pass;
mod uses;
mod wait_idle_in_frame;
mod windows;

use crate::rule::{Rule, RuleSetting};

/// The rules of this chapter.
pub const RULES: &[&Rule] = &[
    &broad_barrier::RULE,
    &backward_dependency::RULE,
    &fragment_compute_fragment::RULE,
    &wait_idle_in_frame::RULE,
    &submit_then_wait::RULE,
    &synchronous_readback::RULE,
    &query_wait::RULE,
    &timestamp_in_pass::RULE,
    &excess_submits::RULE,
    &empty_submit::RULE,
    &event_set_then_wait::RULE,
    &semaphore_within_queue::RULE,
    &early_acquire::RULE,
    &early_acquire_wait_stage::RULE,
];

/// Numbers of these rules that people may choose.
pub const SETTINGS: &[&RuleSetting] = &[&early_acquire::PERCENT, &excess_submits::SUBMITS];
