#![doc = include_str!("mid_pass_resolve.md")]

use crate::finding::{Confidence, Cost, Edit, EditObject, Fix, Level, Tier};
use crate::model::{Attachment, Pass, PassShape};
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

/// Samples that a subpass draws.
fn samples(shape: &PassShape, subpass: u32) -> u32 {
    let references = shape.subpasses.get(subpass as usize).into_iter();
    let mut drawn = references.flat_map(|s| s.color.iter().chain([&s.depth]).flatten());
    let attachment = drawn.find_map(|r| shape.attachments.get(r.attachment as usize));
    attachment.map_or(0, |attachment| attachment.samples)
}

/// The first and the last subpass after `subpass` that draw to an attachment.
fn drawn_after(shape: &PassShape, subpass: u32, slot: u32) -> (Option<u32>, Option<u32>) {
    let later = shape.subpasses.iter().enumerate().skip(subpass as usize + 1);
    let draws = later
        .filter(|(_, s)| s.color.iter().chain([&s.depth]).flatten().any(|r| r.attachment == slot));
    let mut draws = draws.map(|(index, _)| index as u32);
    let first = draws.next();
    (first, draws.next_back().or(first))
}

/// The first subpass after `subpass` that reads an attachment as an input.
fn read_after(shape: &PassShape, subpass: u32, slot: u32) -> Option<u32> {
    let mut later = shape.subpasses.iter().enumerate().skip(subpass as usize + 1);
    later
        .find(|(_, s)| s.input.iter().flatten().any(|r| r.attachment == slot))
        .map(|(index, _)| index as u32)
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
    let to_field = match what {
        Later::DrawsSamples(_) => format!("UNUSED here, {to} in subpass {last}"),
        _ => "UNUSED".to_owned(),
    };
    let fix = Fix::text(text).edit(Edit {
        object: EditObject::Subpass,
        name: from,
        pass: Some(pass.name.to_string()),
        slot: Some(subpass),
        field: "pResolveAttachments",
        from: to,
        to: to_field,
    });
    let mut report = Report::new(place, confidence, message, why, fix).cost(cost);
    if confidence == Confidence::Likely {
        report =
            report.assume("the vendor's driver ends the pass at such a resolve, as documented");
    }
    cx.report(report);
}
