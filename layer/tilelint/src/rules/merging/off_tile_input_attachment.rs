#![doc = include_str!("off_tile_input_attachment.md")]

use ash::vk;

use crate::call::SubpassDescription;
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::{Attachment, Pass};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "off-tile-input-attachment",
    group: Group::Merging,
    level: Level::Info,
    tier: Tier::C,
    folds: &[],
    correctness: false,
    needs: Needs::NONE,
    since: "0.1",
    page: include_str!("off_tile_input_attachment.md"),
    checks: &[Check::Pass(check)],
};

const INPUT: Field = Field::Other("input", "pInputAttachments");

fn check(pass: &Pass, cx: &mut Cx<'_>) {
    if pass.shape.opaque || !cx.profile.merges_subpasses() {
        return;
    }
    for attachment in &pass.shape.attachments {
        if attachment.is_rate() {
            continue;
        }
        let reads = |s: &SubpassDescription| {
            s.input.iter().flatten().any(|r| r.attachment == attachment.slot)
        };
        // Written anywhere in the pass: on the tile by then, or loaded for what follows.
        let written = pass.shape.subpasses.iter().any(|s| writes(s, attachment.slot));
        let Some(reader) = pass.shape.subpasses.iter().position(reads) else { continue };
        if !written {
            report(cx, pass, attachment, reader);
        }
    }
}

fn writes(subpass: &SubpassDescription, slot: u32) -> bool {
    let references = subpass.color.iter().chain([&subpass.depth]).chain(&subpass.resolve).flatten();
    let depth = subpass.depth_resolve.iter().map(|resolve| resolve.target.attachment);
    references.map(|r| r.attachment).chain(depth).any(|attachment| attachment == slot)
}

fn report(cx: &mut Cx<'_>, pass: &Pass, attachment: &Attachment, reader: usize) {
    let mut place = Place::attachment(pass, attachment, None, INPUT, cx.device);
    place.location.subpass = Some(reader as u32);
    if let Some(mark) = place.quote.marks.first_mut() {
        mark.key = "";
    }
    let name = attachment.name();
    let message = format!(
        "subpass {reader} reads `{name}` as an input attachment, but nothing in the pass writes it"
    );
    let why = "an input attachment is read from the tile only where this pass put it there; this \
               one is read from memory, like a texture";
    let none = attachment
        .aspects
        .iter()
        .any(|ops| ops.named && ops.load == Some(vk::AttachmentLoadOp::NONE_EXT));
    let then = if none {
        "; while it is an input, loadOp = LOAD (with NONE what the shader reads is undefined)"
    } else {
        "; while it is an input, keep loadOp = LOAD"
    };
    let fix = Fix::text(format!(
        "sample `{name}` instead, or let this pass draw it in an earlier subpass{then}"
    ));
    cx.report(Report::new(place, Confidence::Certain, message, why, fix));
}
