//! Memory that need not exist.

mod aliasable_attachments;
mod lazy_memory_committed;
mod lifetimes;
mod non_lazy_memory;
mod non_transient;
mod packing;
mod transient_load_store;
mod unused_image_usage;

use crate::rule::{Rule, RuleSetting};

/// The rules of this chapter.
pub const RULES: &[&Rule] = &[
    &non_transient::RULE,
    &non_lazy_memory::RULE,
    &transient_load_store::RULE,
    &lazy_memory_committed::RULE,
    &unused_image_usage::RULE,
    &aliasable_attachments::RULE,
];

/// Numbers of these rules that people may choose.
pub const SETTINGS: &[&RuleSetting] = &[&aliasable_attachments::BYTES];
