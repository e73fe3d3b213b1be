#![doc = include_str!("depth_store.md")]

use super::super::dead;
use crate::finding::{Level, Tier};
use crate::format::Aspect;
use crate::model::Frame;
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "depth-store",
    group: Group::LoadStore,
    level: Level::Warn,
    tier: Tier::F,
    folds: &["transient-load-store", "non-transient", "repeated-resolve"],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("depth_store.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for (pass, attachment, plane, ops) in used_aspects(frame) {
        if attachment.is_multisampled() || ops.aspect != Aspect::Depth {
            continue;
        }
        let Some(store) = dead::dead_store(cx, pass, attachment, plane) else { continue };
        let place = Place::attachment(
            pass,
            attachment,
            Some(ops.aspect),
            Field::store_of(ops.aspect),
            cx.device,
        );
        let name = attachment.name();
        let message = format!("depth of `{name}` is written to memory although nothing reads it");
        let fix = dead::dont_care(pass, attachment, ops.aspect, "");
        let why = store.why.clone();
        cx.report(store.report(place, message, why, fix));
    }
}
