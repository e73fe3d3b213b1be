//! Broken content: these work out the same on every GPU.

mod aliased_attachment;
mod discard_then_load;
mod first_use;
mod resolve_not_stored;

use crate::rule::Rule;

/// The rules of this chapter.
pub const RULES: &[&Rule] =
    &[&discard_then_load::RULE, &resolve_not_stored::RULE, &aliased_attachment::RULE];
