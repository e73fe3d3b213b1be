#![doc = include_str!("subpass_merge_blocked.md")]

use super::super::tile_budget::narrowing;
use super::dependency;
use crate::finding::{Confidence, Fix, Level, Mark, QuoteLine, Tier};
use crate::model::Pass;
use crate::profile::Evidence;
use crate::rule::*;
use crate::tiler::budget::narrower;
use crate::tiler::{self, MergeStatus, PassShape, SubpassMerge, merge};

/// The rule.
pub static RULE: Rule = Rule {
    name: "subpass-merge-blocked",
    group: Group::Merging,
    level: Level::Warn,
    tier: Tier::C,
    folds: &["excess-color-attachments"],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("subpass_merge_blocked.md"),
    checks: &[Check::Pass(check)],
};

fn check(pass: &Pass, cx: &mut Cx<'_>) {
    // Where nothing merges, `portability-subpass` says so once.
    if !cx.profile.merges_subpasses() || pass.shape.subpasses.len() < 2 {
        return;
    }
    let Some(shape) = tiler::shape_of(pass) else { return };
    let merges = merge::evaluate(&shape, cx.profile);
    let visits = merge::visits(&merges);
    for merged in &merges {
        let visit = visits.iter().find(|visit| visit.end == merged.subpass);
        // Dependencies have rules of their own, and so have resolves where they split.
        let resolves =
            matches!(cx.profile.resolve_mid_pass_splits(), Evidence::Likely | Evidence::Certain);
        let silent = match merged.status {
            MergeStatus::Merged | MergeStatus::Dependencies | MergeStatus::SingleSubpass => true,
            MergeStatus::ResolveAttachmentReuse => resolves,
            _ => false,
        };
        let next = merged.subpass as u32;
        if let (Some(visit), false) = (visit, silent || cx.driver_merges(pass, next..=next))
            && shares(&shape, visit, merged.subpass)
        {
            report(cx, pass, merged);
        }
    }
}

/// The subpass works on something that the visit before it drew or resolved.
fn shares(shape: &PassShape, visit: &merge::Visit, next: usize) -> bool {
    let Some(next) = shape.subpasses.get(next) else { return false };
    let before = shape.subpasses.get(visit.clone()).unwrap_or_default();
    let made = |index: usize| {
        before.iter().any(|s| {
            s.drawn().any(|drawn| drawn == index) || s.resolves().any(|(_, to)| to == index)
        })
    };
    next.drawn().chain(next.inputs()).any(made)
}

fn report(cx: &mut Cx<'_>, pass: &Pass, merged: &SubpassMerge) {
    let next = merged.subpass;
    let mut place = Place::pass(pass, cx.device);
    place.location.subpass = Some(next as u32);
    place.location.field = Some("pSubpasses");
    place.location.call = Some("vkCreateRenderPass2");
    place.object = format!("subpass {next}");
    if let Some(subpass) = pass.shape.subpasses.get(next) {
        let label =
            if subpass.label.is_empty() { next.to_string() } else { subpass.label.to_string() };
        let text = format!("  subpass {label}");
        place.quote.lines.push(QuoteLine { number: subpass.line.0, text });
        place.quote.marks.push(Mark { line: 0, key: "", label: String::new(), primary: true });
    }
    let message = format!(
        "subpass {next} cannot share a visit to the tiles with those before it: {}",
        merged.status.as_str()
    );
    let seen = cx.profile.merge_rules_are_seen();
    let confidence = if seen { Confidence::Certain } else { Confidence::Likely };
    let why = format!("{}; what the subpasses share is stored and loaded again", merged.text);
    let mut fix = Fix::text(fix(merged.status, next));
    if merged.status == MergeStatus::InsufficientStorage {
        fix = narrowed(fix, cx, pass, next);
    }
    let mut report = Report::new(place, confidence, message, why, fix)
        .cost(dependency::crossing_into(cx, pass, next as u32));
    if !seen {
        report = report.assume("the vendor's driver merges as its guide says");
    }
    cx.report(report);
}

/// Narrower formats, where they are enough.
fn narrowed(fix: Fix, cx: &Cx<'_>, pass: &Pass, next: usize) -> Fix {
    let Some(mut shape) = tiler::shape_of(pass) else { return fix };
    let mut narrowed = fix.clone();
    for attachment in narrowing::widest(pass) {
        let slot = attachment.slot as usize;
        let to = narrower(attachment.format, attachment.samples);
        if let (Some(to), Some(own)) = (to, shape.attachments.get_mut(slot)) {
            own.format = to;
            narrowed = narrowing::edit(narrowed, pass, attachment, to);
        }
    }
    let merged = merge::evaluate(&shape, cx.profile);
    let fits = merged.iter().any(|m| m.subpass == next && m.status == MergeStatus::Merged);
    if fits { narrowed } else { fix }
}

/// What mends a status.
pub fn fix(status: MergeStatus, next: usize) -> String {
    match status {
        MergeStatus::SamplesMismatch => format!(
            "give all subpasses one sample count, or end the pass before subpass {next} and let \
             its resolve be the last thing in it"
        ),
        MergeStatus::ViewsMismatch => "give all subpasses one view mask".into(),
        MergeStatus::Aliasing => {
            "give the attachments memory of their own, without MAY_ALIAS".into()
        }
        MergeStatus::SideEffects => {
            "move storage writes and queries to the first or last subpass, or out of the pass"
                .into()
        }
        MergeStatus::IncompatibleInputAttachment => {
            "copy what the shader needs into a colour attachment, and read that as input".into()
        }
        MergeStatus::TooManyAttachments => "pack the outputs into fewer attachments".into(),
        MergeStatus::InsufficientStorage => {
            "use smaller formats or fewer attachments, so that all of them fit the tile".into()
        }
        MergeStatus::DepthStencilCount => {
            "use one depth/stencil attachment in all subpasses, or none".into()
        }
        MergeStatus::ResolveAttachmentReuse => {
            "resolve in the last subpass that draws, and read the samples before".into()
        }
        _ => "draw all subpasses to one set of attachments".into(),
    }
}
