#![doc = include_str!("msaa_store.md")]

use super::super::dead;
use crate::finding::{Level, Tier};
use crate::format::Aspect;
use crate::model::Frame;
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "msaa-store",
    group: Group::LoadStore,
    level: Level::Warn,
    tier: Tier::F,
    folds: &["transient-load-store", "non-transient"],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("msaa_store.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for (pass, attachment, plane, ops) in used_aspects(frame) {
        if !attachment.is_multisampled() {
            continue;
        }
        let Some(store) = dead::dead_store(cx, pass, attachment, plane) else { continue };
        let resolved = !attachment.resolves.is_empty();
        let field = Field::store_of(ops.aspect);
        let place = Place::attachment(pass, attachment, Some(ops.aspect), field, cx.device);
        let what = match ops.aspect {
            Aspect::Color => "multisampled colour",
            Aspect::Depth => "multisampled depth",
            Aspect::Stencil => "multisampled stencil",
        };
        let message = format!(
            "{what} `{}` is written to memory although its samples are never read",
            attachment.name()
        );
        let why = if resolved {
            format!("the pass resolves it, the store comes on top, and {}", store.why)
        } else {
            store.why.clone()
        };
        let fix = dead::dont_care(pass, attachment, ops.aspect, "");
        cx.report(store.report(place, message, why, fix));
    }
}
