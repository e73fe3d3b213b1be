#![doc = include_str!("broad_barrier.md")]

use ash::vk;
use vk::PipelineStageFlags2 as S;

use super::windows::{self, Needed, Windows};
use crate::call::{Barrier, BarrierTarget, Line};
use crate::finding::{Confidence, Edit, EditObject, Fix, Level, Tier};
use crate::model::{BarrierFacts, Frame, Step, StepRef, without_digits};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "broad-barrier",
    group: Group::Sync,
    level: Level::Warn,
    tier: Tier::R,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("broad_barrier.md"),
    checks: &[Check::Frame(check)],
};

/// Everything before waits for everything behind; a transfer of ownership has rules of its own.
fn is_broad(barrier: &Barrier) -> bool {
    let all = S::ALL_COMMANDS | S::ALL_GRAPHICS;
    barrier.src_stage.intersects(all | S::BOTTOM_OF_PIPE)
        && barrier.dst_stage.intersects(all | S::TOP_OF_PIPE)
        && barrier.src_queue == barrier.dst_queue
}

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    let barriers = || {
        frame.steps.iter().enumerate().filter_map(|(at, step)| match step {
            Step::Barrier { step, facts }
                if !facts.event && facts.command.barriers.iter().any(is_broad) =>
            {
                Some((at, step, facts))
            }
            _ => None,
        })
    };
    let broad = barriers().count();
    if broad == 0 {
        return;
    }
    let windows = Windows::new(frame, cx.device);
    for (at, step, facts) in barriers() {
        for barrier in facts.command.barriers.iter().filter(|barrier| is_broad(barrier)) {
            if let Some(needed) = windows.needed(at, facts.queue, barrier) {
                report(cx, step, facts, barrier, needed, broad == 1);
            }
        }
    }
}

fn words(flags: S, version: u8) -> String {
    match flag_words(&flags).as_str() {
        "0" => "BOTTOM_OF_PIPE".to_owned(),
        text if version == 1 => text.replace("ALL_TRANSFER", "TRANSFER"),
        text => text.to_owned(),
    }
}

fn place(
    cx: &Cx<'_>,
    step: &StepRef,
    facts: &BarrierFacts,
    barrier: &Barrier,
) -> (Place, Option<String>) {
    let image = match &barrier.target {
        BarrierTarget::Image { image, .. } => cx.device.image_id(*image),
        _ => None,
    };
    let image = image.and_then(|id| cx.device.image(id)).map(|(image, _)| image);
    let name = image.map(|image| image.name.text.to_string());
    let (src, dst) = (flag_words(&barrier.src_stage), flag_words(&barrier.dst_stage));
    let subject = name.as_deref().map(|name| format!(" {}", identifier(name))).unwrap_or_default();
    let text = format!("barrier{subject} src_stage={src} dst_stage={dst}");
    let mut place = Place::step(step, text, "src_stage", cx.device);
    place.location.image.clone_from(&name);
    place.location.commands = Some(facts.commands.to_string());
    place.location.labels = facts.labels.iter().map(ToString::to_string).collect();
    place.location.field = Some("srcStageMask");
    place.location.call = Some(match facts.command.version {
        1 => "vkCmdPipelineBarrier",
        _ => "vkCmdPipelineBarrier2",
    });
    place.object = match image {
        Some(image) if image.name.given => without_digits(&image.name.text),
        Some(_) => "image".to_owned(),
        None => format!("memory {}", facts.labels.join("/")),
    };
    place.objects.extend(image.map(|image| (image.key.into(), image.name.text.to_string())));
    (place, name)
}

fn report(
    cx: &mut Cx<'_>,
    step: &StepRef,
    facts: &BarrierFacts,
    barrier: &Barrier,
    [before, behind]: Needed,
    alone: bool,
) {
    let version = facts.command.version;
    let (place, name) = place(cx, step, facts, barrier);
    let [src, dst] = [words(before.stages, version), words(behind.stages, version)];
    // Only writes have to be made available.
    let src_access = flag_words(&windows::writes(before.access));
    let dst_access = flag_words(&behind.access);
    let message = match &name {
        Some(name) => format!("the barrier on `{name}` stops all work before and behind it"),
        None => "a memory barrier stops all work before and behind it".to_owned(),
    };
    let name = name.unwrap_or_else(|| "memory".to_owned());
    let why = format!("what it orders happens before it in {src}, behind it in {dst}");
    let line = if facts.command.barriers.len() == 1 { facts.line } else { Line(0) };
    let edit = |key, field, from: String, to: &str| {
        Edit::set(EditObject::Command, name.clone(), field, from, to).said_by(key, line)
    };
    let fix = Fix::text(format!(
        "srcStageMask = {src}, srcAccessMask = {src_access}, dstStageMask = {dst}, \
         dstAccessMask = {dst_access}"
    ))
    .edit(edit("src_stage", "srcStageMask", flag_words(&barrier.src_stage), &src))
    .edit(edit("src_access", "srcAccessMask", flag_words(&barrier.src_access), &src_access))
    .edit(edit("dst_stage", "dstStageMask", flag_words(&barrier.dst_stage), &dst))
    .edit(edit("dst_access", "dstAccessMask", flag_words(&barrier.dst_access), &dst_access));
    let mut report = Report::new(place, Confidence::Likely, message, why, fix)
        .assume("the frame shows every use of what the barrier orders");
    if alone {
        report = report.at_most(Level::Info, "it is the only such barrier of the frame");
    }
    cx.report(report);
}
