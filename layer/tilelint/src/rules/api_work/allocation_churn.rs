#![doc = include_str!("allocation_churn.md")]

use super::churn::{churned, report};
use crate::call::Kind;
use crate::finding::{Level, Tier};
use crate::model::Frame;
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "allocation-churn",
    group: Group::ApiWork,
    level: Level::Warn,
    tier: Tier::F,
    folds: &[],
    correctness: false,
    needs: Needs::NONE,
    since: "0.1",
    page: include_str!("allocation_churn.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    let Some((made, freed)) = churned(frame, Kind::Memory) else { return };
    let message = format!("memory allocated and freed in every frame: {made} and {freed} times");
    let why = "the kernel maps and clears the pages each time, and old devices limit the number of \
               allocations";
    let fix = "allocate large blocks while loading and place resources inside them; for what lives \
               one frame keep one block for each frame in flight";
    cx.report(report(frame, cx.device, Kind::Memory, "vkAllocateMemory", message, why, fix));
}
