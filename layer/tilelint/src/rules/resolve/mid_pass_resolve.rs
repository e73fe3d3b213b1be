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

fn check(pass: &Pass, cx: &mut Cx<'_>) {
    if pass.shape.opaque {
        return;
    }
    for source in &pass.shape.attachments {
        for resolve in &source.resolves {
            let Some(target) = pass.shape.attachments.get(resolve.target as usize) else {
                continue;
            };
            let drawn = drawn_after(&pass.shape, resolve.subpass, source.slot);
            let target_drawn = drawn_after(&pass.shape, resolve.subpass, target.slot);
            let target_read = read_after(&pass.shape, resolve.subpass, target.slot);
            let Some(later) = drawn.or(target_drawn).or(target_read) else { continue };
            let reloads = target_drawn.or(target_read).is_some();
            report(cx, pass, source, target, resolve.subpass, later, reloads);
        }
    }
}

/// The first subpass after `subpass` that draws to an attachment.
fn drawn_after(shape: &PassShape, subpass: u32, slot: u32) -> Option<u32> {
    let mut later = shape.subpasses.iter().enumerate().skip(subpass as usize + 1);
    later
        .find(|(_, s)| s.color.iter().chain([&s.depth]).flatten().any(|r| r.attachment == slot))
        .map(|(index, _)| index as u32)
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
    later: u32,
    reloads: bool,
) {
    let confidence = match cx.profile.resolve_mid_pass_splits() {
        Evidence::Certain => Confidence::Certain,
        Evidence::Likely => Confidence::Likely,
        Evidence::No | Evidence::Unknown => return,
    };
    let mut place = Place::attachment(pass, source, None, Field::Resolve, cx.device);
    place.location.subpass = Some(subpass);
    let bytes: u64 =
        target.aspects.iter().map(|ops| cx.aspect_bytes(pass, target, ops.aspect)).sum();
    let cost =
        Cost { load_bytes: if reloads { bytes } else { 0 }, store_bytes: bytes, memory_bytes: 0 };
    let message = format!(
        "`{}` is resolved in subpass {subpass}, but subpass {later} still works on it",
        source.name()
    );
    let why = format!(
        "a resolve belongs to the store at the end of the pass: in its middle `{}` leaves the \
         tile early",
        target.name()
    );
    let last = pass.shape.subpasses.len().saturating_sub(1);
    let fix = Fix::text(format!(
        "let subpass {later} read the multisampled `{}` as an input attachment, and resolve once, \
         in the last subpass that draws it",
        source.name()
    ))
    .edit(Edit {
        object: EditObject::Subpass,
        name: source.name(),
        pass: Some(pass.name.to_string()),
        slot: Some(subpass),
        field: "pResolveAttachments",
        from: target.name(),
        to: format!("UNUSED here, {} in subpass {last}", target.name()),
    });
    let mut report = Report::new(place, confidence, message, why, fix).cost(cost);
    if confidence == Confidence::Likely {
        report =
            report.assume("the vendor's driver ends the pass at such a resolve, as documented");
    }
    cx.report(report);
}
