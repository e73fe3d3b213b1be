#![doc = include_str!("msaa_roundtrip.md")]

use ash::vk;

use super::super::merging::{joined, pairs};
use crate::finding::{Confidence, Cost, Fix, Level, Tier};
use crate::format::Aspect;
use crate::model::{Attachment, Frame, Pass, Read};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "msaa-roundtrip",
    group: Group::LoadStore,
    level: Level::Warn,
    tier: Tier::F,
    folds: &["transient-load-store"],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("msaa_roundtrip.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    let groups = pairs::groups(frame, cx);
    for (pass, attachment, plane, ops) in used_aspects(frame) {
        if !attachment.is_multisampled() {
            continue;
        }
        let Some(store) = pass.aspect(attachment.slot, plane).and_then(|facts| facts.store) else {
            continue;
        };
        let Some(image) = &attachment.image else { continue };
        let shared = matches!(
            cx.device.always_live(image.id),
            Some(crate::model::AlwaysLive::TileMemory | crate::model::AlwaysLive::Opaque)
        );
        let fate = cx.device.fate(store);
        let Some(loader) = fate.read_by(Read::Load).filter(|_| !shared) else { continue };
        let bytes = cx.aspect_bytes(pass, attachment, ops.aspect);
        let place = Place::attachment(
            pass,
            attachment,
            Some(ops.aspect),
            Field::store_of(ops.aspect),
            cx.device,
        );
        let stencil = if ops.aspect == Aspect::Stencil { "stencil " } else { "" };
        let message = format!(
            "the {stencil}samples of `{}` go to memory and come back in pass `{}`",
            attachment.name(),
            loader.name
        );
        let why = format!(
            "a multisampled round trip moves every one of {} samples twice",
            attachment.samples
        );
        let fix = Fix::text(
            "let one pass do the work of both, move what lies between, or draw the later part \
             from the resolved picture",
        );
        let goes = |pair: &pairs::Pair<'_>| pair.first.step == pass.step;
        let fix = match groups.iter().find(|group| group.pairs.iter().any(goes)) {
            Some(group) => joined::edits(fix, cx, frame, group),
            None => fix,
        };
        let mut report = Report::new(place, Confidence::Certain, message, why, fix).cost(Cost {
            load_bytes: bytes,
            store_bytes: bytes,
            memory_bytes: 0,
        });
        if read_between(frame, pass, attachment) {
            report = report.at_most(
                Level::Info,
                "what the first pass made is read between the two, so samples and resolved \
                 picture are both needed",
            );
        }
        cx.report(report);
    }
}

/// Says whether a step between this pass and the next that loads the attachment reads something
/// that this pass made.
fn read_between(frame: &Frame, pass: &Pass, attachment: &Attachment) -> bool {
    let Some(image) = &attachment.image else { return false };
    let loads = |later: &&Pass| {
        later.step.index > pass.step.index
            && later.shape.attachments.iter().any(|a| {
                a.image.as_ref().is_some_and(|i| i.id == image.id)
                    && a.aspects.iter().any(|ops| ops.load == Some(vk::AttachmentLoadOp::LOAD))
            })
    };
    let Some(later) = frame.passes().find(loads) else { return false };
    let made = pass.shape.attachments.iter().filter_map(|a| a.image.as_ref());
    made.map(|image| image.id).any(|id| {
        // The loading pass itself may sample the resolved picture.
        frame.reads_between(id, pass.step.index, later.step.index) || later.reads_image(id)
    })
}
