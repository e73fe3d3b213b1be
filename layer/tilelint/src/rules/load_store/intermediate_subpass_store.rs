#![doc = include_str!("intermediate_subpass_store.md")]

use super::super::dead;
use crate::finding::{Confidence, Level, Tier};
use crate::model::{Attachment, Frame, PassShape, Roles};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "intermediate-subpass-store",
    group: Group::LoadStore,
    level: Level::Warn,
    tier: Tier::F,
    folds: &[
        "msaa-store",
        "depth-store",
        "stencil-store",
        "color-store",
        "dead-render-target",
        "transient-load-store",
        "non-transient",
    ],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("intermediate_subpass_store.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for (pass, attachment, plane, ops) in used_aspects(frame) {
        let Some(use_) = intermediate(&pass.shape, attachment) else { continue };
        let Some(store) = dead::dead_store(cx, pass, attachment, plane) else { continue };
        let field = Field::store_of(ops.aspect);
        let mut place = Place::attachment(pass, attachment, Some(ops.aspect), field, cx.device);
        if let Some(subpass) = pass.shape.subpasses.get(use_.subpass as usize) {
            let text = format!("  subpass {}", use_.subpass);
            let label = if use_.reads { "read here, inside the pass" } else { "last used here" };
            place = place.explained(subpass.line, text, "", label);
        }
        let message = format!(
            "{} of `{}` only passes from subpass to subpass, yet it is written to memory",
            aspect_text(ops.aspect),
            attachment.name()
        );
        let why = format!(
            "a store op speaks of the end of the pass, not of the next subpass, and {}",
            store.why
        );
        let fix = dead::dont_care(pass, attachment, ops.aspect, "");
        let mut report = Report::new(place, Confidence::Certain, message, why, fix)
            .cost(store.cost)
            .seen_over(store.frames);
        if let Some((level, reason)) = store.at_most {
            report = report.at_most(level, reason);
        }
        cx.report(report);
    }
}

/// The last use of an attachment that is over before the pass is, or no more than an input.
struct LastUse {
    subpass: u32,
    reads: bool,
}

fn intermediate(shape: &PassShape, attachment: &Attachment) -> Option<LastUse> {
    let last = shape.subpasses.len().checked_sub(1).filter(|last| *last > 0)? as u32;
    let at = |r: &Option<crate::call::AttachmentReference>| {
        r.is_some_and(|r| r.attachment == attachment.slot)
    };
    let subpasses = || shape.subpasses.iter().enumerate();
    let draws = |s: &crate::call::SubpassDescription| s.color.iter().any(at) || at(&s.depth);
    let resolves = |s: &crate::call::SubpassDescription| {
        s.resolve.iter().any(at)
            || s.depth_resolve.is_some_and(|d| d.target.attachment == attachment.slot)
    };
    let made = |s: &crate::call::SubpassDescription| draws(s) || resolves(s);
    let drawn = subpasses().filter(|(_, s)| made(s)).map(|(i, _)| i as u32).next_back()?;
    let inputs = subpasses().filter(|(_, s)| s.input.iter().any(at) && !draws(s));
    let read = inputs.map(|(i, _)| i as u32).next_back().filter(|read| *read > drawn);
    match read {
        Some(subpass) => Some(LastUse { subpass, reads: true }),
        // A resolve that nothing in the pass reads is no matter of subpasses.
        None if attachment.roles.any(Roles::RESOLVE) => None,
        None => (drawn < last).then_some(LastUse { subpass: drawn, reads: false }),
    }
}
