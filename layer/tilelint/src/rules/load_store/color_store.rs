#![doc = include_str!("color_store.md")]

use super::super::dead;
use crate::call::Via;
use crate::finding::{Level, Tier};
use crate::format::Aspect;
use crate::model::Frame;
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "color-store",
    group: Group::LoadStore,
    level: Level::Warn,
    tier: Tier::F,
    folds: &["transient-load-store", "non-transient", "repeated-resolve", "dead-render-target"],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("color_store.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for (pass, attachment, plane, ops) in used_aspects(frame) {
        if attachment.is_multisampled() || ops.aspect != Aspect::Color {
            continue;
        }
        let Some(store) = dead::dead_store(cx, pass, attachment, plane) else { continue };
        let field = Field::store_of(ops.aspect);
        let mut place = Place::attachment(pass, attachment, Some(ops.aspect), field, cx.device);
        let name = attachment.name();
        let target = dead::is_resolve_target(attachment);
        let dynamic = pass.shape.via == Via::Dynamic;
        let message = if target {
            format!("the resolve into `{name}` is thrown away")
        } else {
            format!("what the pass draws to `{name}` is written to memory and thrown away")
        };
        let fix = match (target, dynamic) {
            // Dynamic rendering has no store op for the target.
            (true, true) => {
                place.location.field = Some(Field::ResolveMode.api(Via::Dynamic));
                dead::no_resolve(pass, attachment)
            }
            (true, false) => {
                let then = ", or no resolve reference in this pass";
                dead::dont_care(pass, attachment, ops.aspect, then)
            }
            (false, _) => {
                let then = ", or no attachment where the draws write nothing else";
                dead::dont_care(pass, attachment, ops.aspect, then)
            }
        };
        let why = store.why.clone();
        cx.report(store.report(place, message, why, fix));
    }
}
