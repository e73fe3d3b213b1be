#![doc = include_str!("dead_render_target.md")]

use ash::vk;

use super::super::dead;
use super::super::dead_pass::dead_passes;
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::format::Aspect;
use crate::model::{Attachment, Frame, Pass, Roles};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "dead-render-target",
    group: Group::LoadStore,
    level: Level::Warn,
    tier: Tier::F,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("dead_render_target.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    let dead = dead_passes(frame, cx.device);
    for pass in frame.passes().filter(|pass| !dead.contains(&pass.step.index)) {
        if pass.unknown || !has_live_output(cx, pass) {
            continue;
        }
        for (attachment, plane, ops) in pass_aspects(pass) {
            if ops.aspect == Aspect::Color && one_of_several(pass, attachment) {
                judge(cx, pass, attachment, plane);
            }
        }
    }
}

/// Some output of the pass is stored, and somebody reads it.
fn has_live_output(cx: &Cx<'_>, pass: &Pass) -> bool {
    pass_aspects(pass).any(|(attachment, plane, _)| {
        let store = pass.aspect(attachment.slot, plane).and_then(|facts| facts.store);
        let image = attachment.image.as_ref();
        store.is_some_and(|store| {
            image.is_some_and(|image| cx.device.always_live(image.id).is_some())
                || matches!(cx.device.fate(store), crate::model::Fate::Live(_))
        })
    })
}

/// A colour output beside others of its subpass.
fn one_of_several(pass: &Pass, attachment: &Attachment) -> bool {
    pass.shape.subpasses.iter().any(|subpass| {
        let outputs = || subpass.color.iter().flatten();
        outputs().count() > 1 && outputs().any(|r| r.attachment == attachment.slot)
    })
}

fn judge(cx: &mut Cx<'_>, pass: &Pass, attachment: &Attachment, plane: usize) {
    let Some(facts) = pass.aspect(attachment.slot, plane) else { return };
    let (why, cost, frames, at_most) = if facts.store.is_some() {
        let Some(store) = dead::dead_store(cx, pass, attachment, plane) else { return };
        (store.why, store.cost, store.frames, store.at_most)
    } else if facts.written && dropped(cx, pass, attachment, plane) {
        let why = "its store op drops what the draws wrote, and nothing in the pass reads it";
        (why.to_owned(), crate::finding::Cost::default(), 0, None)
    } else {
        return;
    };
    let field = Field::Store;
    let place = Place::attachment(pass, attachment, Some(Aspect::Color), field, cx.device);
    let name = attachment.name();
    let message = format!("nothing reads the output `{name}` of pass `{}`", pass.name);
    let fix = Fix::text("leave the attachment out, or a write mask of 0 for it")
        .edit(dead::left_out(pass, attachment));
    let mut report =
        Report::new(place, Confidence::Certain, message, why, fix).cost(cost).seen_over(frames);
    if let Some((level, reason)) = at_most {
        report = report.at_most(level, reason);
    }
    cx.report(report);
}

/// The output ends in the pass, and nothing in the pass could read it: no subpass, no resolve,
/// no shader that reads the tile.
fn dropped(cx: &Cx<'_>, pass: &Pass, attachment: &Attachment, plane: usize) -> bool {
    let store = attachment.aspects[plane].store;
    let drops =
        matches!(store, Some(vk::AttachmentStoreOp::DONT_CARE | vk::AttachmentStoreOp::NONE));
    let Some(image) = &attachment.image else { return false };
    let inputs =
        vk::ImageUsageFlags::INPUT_ATTACHMENT | vk::ImageUsageFlags::ATTACHMENT_FEEDBACK_LOOP_EXT;
    let readable = attachment.roles.any(Roles::INPUT)
        || image.info.usage.intersects(inputs)
        || cx.device.info.has_feature("shaderTileImageColorReadAccess")
        || pass.reads_image(image.id);
    drops && attachment.resolves.is_empty() && !readable
}
