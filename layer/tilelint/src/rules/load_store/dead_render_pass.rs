#![doc = include_str!("dead_render_pass.md")]

use ash::vk;
use rustc_hash::FxHashMap;

use super::super::dead_pass::dead_passes;
use super::super::flow::pass_place;
use crate::finding::{Confidence, Cost, Edit, Fix, Level, Tier};
use crate::model::{DeviceModel, Fate, Frame, ImageId, Pass, Read};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "dead-render-pass",
    group: Group::LoadStore,
    level: Level::Warn,
    tier: Tier::F,
    folds: &[
        "msaa-store",
        "msaa-roundtrip",
        "depth-store",
        "stencil-store",
        "color-store",
        "needless-load",
        "store-op-none-candidate",
        "untouched-attachment",
        "intermediate-subpass-store",
        "clear-in-pass",
        "redundant-clear",
        "repeated-resolve",
        "missing-resolve-attachment",
        "transient-load-store",
        "non-transient",
    ],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("dead_render_pass.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    let dead = dead_passes(frame, cx.device);
    let passes = frame.passes().filter(|pass| dead.contains(&pass.step.index));
    let mut dead: Vec<(&Pass, Outcome)> =
        passes.map(|pass| (pass, outcome(pass, cx.device))).collect();
    hand_on_copies(&mut dead);
    for (pass, outcome) in dead {
        report(cx, pass, outcome);
    }
}

/// A screenshot may still copy what a dead pass makes of what another makes: both stay.
fn hand_on_copies(dead: &mut [(&Pass, Outcome)]) {
    let attached = |pass: &Pass| {
        let images = pass.shape.attachments.iter().filter_map(|a| a.image.as_ref());
        images.map(|image| image.id).collect::<Vec<_>>()
    };
    let mut makers: FxHashMap<ImageId, Vec<usize>> = FxHashMap::default();
    for (index, (pass, _)) in dead.iter().enumerate() {
        attached(pass).into_iter().for_each(|id| makers.entry(id).or_default().push(index));
    }
    let mut waiting: Vec<usize> = (0..dead.len()).filter(|index| dead[*index].1.may_copy).collect();
    while let Some(index) = waiting.pop() {
        let pass = dead[index].0;
        for id in pass.reads.iter().map(|read| read.image).chain(attached(pass)) {
            // Taken out: whoever makes the image needs to be told once.
            for maker in makers.remove(&id).into_iter().flatten() {
                if !std::mem::replace(&mut dead[maker].1.may_copy, true) {
                    waiting.push(maker);
                }
            }
        }
    }
}

fn report(cx: &mut Cx<'_>, pass: &Pass, outcome: Outcome) {
    let place = pass_place(pass, None, cx.device);
    let message = format!("nothing that pass `{}` makes is ever used", pass.name);
    let mut cost = Cost::default();
    for (attachment, _, ops) in pass_aspects(pass) {
        cost.load_bytes += pass.shape.load_bytes(attachment, ops).unwrap_or(0);
        cost.store_bytes += pass.shape.store_bytes(attachment, ops).unwrap_or(0);
    }
    let fix = Fix::text("delete the pass, or run it only in frames that use what it makes")
        .edit(Edit::remove_pass(pass));
    let addresses = cx.device.info.has_feature("bufferDeviceAddress") && pass.draw_count > 0;
    let confidence = if addresses { Confidence::Likely } else { Confidence::Certain };
    let mut report = Report::new(place, confidence, message, outcome.why, fix)
        .cost(cost)
        .seen_over(outcome.frames);
    if addresses {
        report = report.assume("its shaders write nothing through buffer addresses");
    }
    if outcome.may_copy {
        let reason = "an output has TRANSFER_SRC in its usage: a screenshot may still copy it";
        report = report.at_most(Level::Info, reason);
    }
    cx.report(report);
}

/// What becomes of the outputs of a dead pass.
struct Outcome {
    why: String,
    /// Fewest steady frames over which an output was seen to end.
    frames: u32,
    may_copy: bool,
}

fn outcome(pass: &Pass, device: &DeviceModel) -> Outcome {
    let (mut parts, mut frames, mut may_copy) = (Vec::<String>::new(), u32::MAX, false);
    for attachment in &pass.shape.attachments {
        let Some(image) = &attachment.image else { continue };
        let planes = pass.facts.get(attachment.slot as usize).into_iter().flatten();
        for store in planes.filter_map(|facts| facts.store) {
            let name = attachment.name();
            let part = match device.fate(store) {
                Fate::Live(reads) => {
                    let readers = reads.iter().map(|(_, step)| format!("`{}`", step.name));
                    let mut readers: Vec<String> = readers.collect();
                    readers.dedup();
                    format!("`{name}` is read by {} alone, which is dead too", readers.join(", "))
                }
                _ => format!("`{name}` is written over or dropped unread"),
            };
            if !parts.contains(&part) {
                parts.push(part);
            }
            frames = frames.min(device.ended(store));
            let copied = device.image(image.id).is_some_and(|(_, used)| {
                used.reads & (1 << Read::Copy as u8 | 1 << Read::Blit as u8) != 0
            });
            let source = image.info.usage.contains(vk::ImageUsageFlags::TRANSFER_SRC);
            may_copy |= source && !copied;
        }
    }
    Outcome { why: parts.join(", "), frames, may_copy }
}
