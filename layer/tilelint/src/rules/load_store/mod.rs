//! Loads and stores.

mod color_store;
mod coverage;
mod depth_store;
mod load_of_undefined;
mod msaa_roundtrip;
mod msaa_store;
mod needless_load;
mod stencil_store;

use crate::rule::Rule;

pub use coverage::{is_full_screen, overwritten_first};

/// The rules of this chapter.
pub const RULES: &[&Rule] = &[
    &msaa_store::RULE,
    &msaa_roundtrip::RULE,
    &depth_store::RULE,
    &stencil_store::RULE,
    &color_store::RULE,
    &load_of_undefined::RULE,
    &needless_load::RULE,
];
