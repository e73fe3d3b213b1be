#![doc = include_str!("repeated_resolve.md")]

use super::super::dead;
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::{End, Frame};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "repeated-resolve",
    group: Group::Resolve,
    level: Level::Warn,
    tier: Tier::F,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("repeated_resolve.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for (pass, target, plane, ops) in used_aspects(frame) {
        if !dead::is_resolve_target(target) {
            continue;
        }
        let Some(store) = dead::dead_store(cx, pass, target, plane) else { continue };
        if store.end != End::Resolved {
            continue;
        }
        let place = Place::attachment(
            pass,
            target,
            Some(ops.aspect),
            Field::store_of(ops.aspect),
            cx.device,
        );
        let message =
            format!("`{}` is resolved again before anything reads the first result", target.name());
        let fix = Fix::text("resolve only in the last pass that draws the samples")
            .edit(dead::left_out(pass, target));
        cx.report(
            Report::new(place, Confidence::Certain, message, store.why, fix)
                .cost(store.cost)
                .seen_over(store.frames),
        );
    }
}
