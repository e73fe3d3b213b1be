//! The rules, one slice per chapter. A rule's file has its name, with underscores; the page
//! beside it is documentation and test.

mod api_work;
mod clears;
mod correctness;
mod dead;
mod dead_pass;
mod flow;
mod foveation;
mod hidden_surface;
mod idle;
mod load_store;
mod mend;
mod merging;
mod presentation;
mod resolve;
mod suspect;
mod sync;
mod tile_budget;
mod transient;

pub use suspect::{Suspicion, suspect};

use crate::rule::{Rule, RuleSetting};

/// All rules, in the order of the catalogue.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    let chapters = [
        load_store::RULES,
        resolve::RULES,
        transient::RULES,
        merging::RULES,
        tile_budget::RULES,
        foveation::RULES,
        sync::RULES,
        presentation::RULES,
        api_work::RULES,
        hidden_surface::RULES,
        correctness::RULES,
    ];
    chapters.into_iter().flatten().copied()
}

/// Finds a rule by name.
pub fn by_name(name: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.name == name)
}

/// Numbers of rules that people may choose, by rule.
pub fn settings() -> impl Iterator<Item = &'static RuleSetting> {
    let chapters = [
        load_store::SETTINGS,
        transient::SETTINGS,
        merging::SETTINGS,
        tile_budget::SETTINGS,
        foveation::SETTINGS,
        sync::SETTINGS,
        presentation::SETTINGS,
        api_work::SETTINGS,
    ];
    chapters.into_iter().flatten().copied()
}
