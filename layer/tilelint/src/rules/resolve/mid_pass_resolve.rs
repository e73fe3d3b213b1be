#![doc = include_str!("mid_pass_resolve.md")]

use super::super::mend::left_out;
use super::inputs;
use super::later::{drawn_after, read_after, samples};
use crate::finding::{Confidence, Cost, Fix, Level, Tier};
use crate::model::{Attachment, Pass, Roles};
use crate::profile::Evidence;
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "mid-pass-resolve",
    group: Group::Resolve,
    level: Level::Warn,
    tier: Tier::C,
    folds: &[],
    correctness: false,
    needs: Needs::NONE,
    since: "0.1",
    page: include_str!("mid_pass_resolve.md"),
    checks: &[Check::Pass(check)],
};

/// What a later subpass does with a resolved attachment.
enum Later {
    /// Draws to the samples again, last in this subpass.
    DrawsSamples(u32),
    /// Draws to the resolve target.
    DrawsTarget,
    /// Reads the resolve target as an input.
    ReadsTarget,
}

fn check(pass: &Pass, cx: &mut Cx<'_>) {
    if pass.shape.opaque {
        return;
    }
    for source in &pass.shape.attachments {
        for resolve in &source.resolves {
            let Some(target) = pass.shape.attachments.get(resolve.target as usize) else {
                continue;
            };
            let (shape, from) = (&pass.shape, resolve.subpass);
            let drawn = |slot| drawn_after(shape, from, slot);
            let found = if let (Some(first), Some(last)) = drawn(source.slot) {
                (first, Later::DrawsSamples(last))
            } else if let (Some(first), _) = drawn(target.slot) {
                (first, Later::DrawsTarget)
            } else if let Some(first) = read_after(shape, from, target.slot) {
                (first, Later::ReadsTarget)
            } else {
                continue;
            };
            // Such a pass ends there anyway: `subpass-merge-blocked` says why.
            if !cx.profile.merges_mixed_samples() && samples(shape, found.0) != source.samples {
                continue;
            }
            report(cx, pass, source, target, from, found);
        }
    }
}

fn report(
    cx: &mut Cx<'_>,
    pass: &Pass,
    source: &Attachment,
    target: &Attachment,
    subpass: u32,
    (later, what): (u32, Later),
) {
    let confidence = match cx.profile.resolve_mid_pass_splits() {
        _ if cx.driver_merges(pass, subpass + 1..=later) => return,
        Evidence::Certain => Confidence::Certain,
        Evidence::Likely => Confidence::Likely,
        Evidence::No | Evidence::Unknown => return,
    };
    let place = Place::resolve(pass, source, target, subpass, cx.device);
    let (from, to) = (source.name(), target.name());
    let bytes: u64 =
        target.aspects.iter().map(|ops| cx.aspect_bytes(pass, target, ops.aspect)).sum();
    let (does, last, text) = match what {
        Later::DrawsSamples(last) => (
            format!("draws to `{from}` again"),
            last,
            format!("resolve `{from}` once, in subpass {last}, the last that draws it"),
        ),
        Later::DrawsTarget => (
            format!("draws to `{to}`"),
            later,
            format!("draw all of it to the samples, and resolve `{from}` in subpass {later}"),
        ),
        Later::ReadsTarget => (
            format!("reads `{to}`"),
            later,
            format!(
                "let subpass {later} read the samples of `{from}` as an input attachment and \
                 average them itself"
            ),
        ),
    };
    let load_bytes = if matches!(what, Later::DrawsSamples(_)) { 0 } else { bytes };
    let cost = Cost { load_bytes, store_bytes: bytes, memory_bytes: 0 };
    let message = format!("`{from}` is resolved in subpass {subpass}, but subpass {later} {does}");
    let why = format!(
        "a resolve belongs to the store at the end of the pass: in its middle `{to}` leaves the \
         tile early"
    );
    let fix = edits(Fix::text(text), pass, (source, target), subpass, (last, &what));
    let mut report = Report::new(place, confidence, message, why, fix).cost(cost);
    if confidence == Confidence::Likely {
        report =
            report.assume("the vendor's driver ends the pass at such a resolve, as documented");
    }
    cx.report(report);
}

/// The references that change, with the image that the tile keeps or does without.
fn edits(
    fix: Fix,
    pass: &Pass,
    (source, target): (&Attachment, &Attachment),
    subpass: u32,
    (last, what): (u32, &Later),
) -> Fix {
    let (from, to) = (source.name(), target.name());
    let depth = source.roles.any(Roles::DEPTH_STENCIL);
    let (draw, resolve) = if depth { ("depth", "depth_resolve") } else { ("color", "resolve") };
    let refer = |subpass, key, from: &str, to: &str| edit_reference(pass, subpass, key, from, to);
    let fix = fix.edit(refer(subpass, resolve, &to, "UNUSED"));
    match what {
        // The last of them resolves it already, or does so now.
        Later::DrawsSamples(_) if source.resolves.iter().any(|r| r.subpass == last) => fix,
        Later::DrawsSamples(_) => fix.edit(refer(last, resolve, "UNUSED", &to)),
        Later::DrawsTarget => {
            fix.edit(refer(last, draw, &to, &from)).edit(refer(last, resolve, "UNUSED", &to))
        }
        Later::ReadsTarget => {
            let fix = inputs::readable(fix.edit(refer(last, "input", &to, &from)), source);
            let needless = target.roles.only(Roles::RESOLVE.or(Roles::INPUT));
            if !needless || source.resolves.len() > 1 {
                return fix;
            }
            fix.edit(left_out(pass, target))
        }
    }
}
