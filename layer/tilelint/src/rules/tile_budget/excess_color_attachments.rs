#![doc = include_str!("excess_color_attachments.md")]

use crate::finding::{Confidence, Cost, Fix, Level, Tier};
use crate::model::{Attachment, Pass, PassShape, Roles};
use crate::rule::*;
use crate::rules::flow::pass_place;

/// The rule.
pub static RULE: Rule = Rule {
    name: "excess-color-attachments",
    group: Group::TileBudget,
    level: Level::Info,
    tier: Tier::C,
    folds: &[],
    correctness: false,
    needs: Needs::NONE,
    since: "0.1",
    page: include_str!("excess_color_attachments.md"),
    checks: &[Check::Pass(check)],
};

fn check(pass: &Pass, cx: &mut Cx<'_>) {
    let Some((max, inputs)) = cx.profile.max_attachments() else { return };
    // A pass of one subpass has nothing to merge.
    if pass.shape.opaque || pass.shape.subpasses.len() < 2 {
        return;
    }
    let roles = if inputs { Roles::COLOR.or(Roles::INPUT) } else { Roles::COLOR };
    let counted = pass.shape.attachments.iter().filter(|a| a.roles.any(roles)).count();
    if counted <= max as usize {
        return;
    }
    let mut place = pass_place(pass, None, cx.device);
    place.location.subpass = first_over(&pass.shape, inputs, max as usize);
    let what = if inputs { "colour and input attachments" } else { "colour attachments" };
    let message = format!("the subpasses use {counted} different {what}, more than {max}");
    let why = format!(
        "the target merges subpasses up to {max} attachments; beyond that the pass is split, and \
         what one subpass hands to the next goes through memory"
    );
    let fix =
        Fix::text("pack the attachments into fewer ones, or reuse one that is no longer read");
    let bytes = pass
        .shape
        .attachments
        .iter()
        .filter(|attachment| is_handed_on(attachment))
        .flat_map(|a| a.aspects.iter().map(move |ops| (a, ops)))
        .map(|(a, ops)| cx.aspect_bytes(pass, a, ops.aspect))
        .sum();
    let cost = Cost { load_bytes: bytes, store_bytes: bytes, memory_bytes: 0 };
    let report = Report::new(place, Confidence::Likely, message, why, fix).cost(cost);
    cx.report(report.assume("the documented limit holds for this driver"));
}

/// The subpass that brings one attachment too many.
fn first_over(shape: &PassShape, inputs: bool, max: usize) -> Option<u32> {
    let mut seen = Vec::new();
    let mut subpasses = shape.subpasses.iter();
    let over = subpasses.position(|subpass| {
        let read = subpass.input.iter().filter(|_| inputs);
        for reference in subpass.color.iter().chain(read).flatten() {
            if !seen.contains(&reference.attachment) {
                seen.push(reference.attachment);
            }
        }
        seen.len() > max
    });
    over.map(|index| index as u32)
}

/// Drawn by one subpass, read by another.
fn is_handed_on(attachment: &Attachment) -> bool {
    attachment.roles.any(Roles::INPUT) && attachment.loads()
}
