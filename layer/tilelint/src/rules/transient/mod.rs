//! Memory that need not exist.

mod non_lazy_memory;
mod non_transient;
mod transient_load_store;

use crate::rule::Rule;

/// The rules of this chapter.
pub const RULES: &[&Rule] =
    &[&non_transient::RULE, &non_lazy_memory::RULE, &transient_load_store::RULE];
