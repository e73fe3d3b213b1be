#![doc = include_str!("clear_only_pass.md")]

use ash::vk;

use super::super::flow::{next_pass, pass_place};
use super::super::mend::then_dead;
use crate::finding::{Confidence, Cost, Edit, Fix, Level, Tier};
use crate::format::Aspect;
use crate::model::{AlwaysLive, AspectOps, Attachment, Fate, FirstUse, Frame, Pass, Read};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "clear-only-pass",
    group: Group::LoadStore,
    level: Level::Warn,
    tier: Tier::S,
    folds: &[
        "needless-load",
        "clear-in-pass",
        "clear-outside-pass",
        "split-pass",
        "redundant-clear",
        "untouched-attachment",
        "msaa-roundtrip",
    ],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("clear_only_pass.md"),
    checks: &[Check::Frame(check)],
};

/// A clear that the pass which loads it could do by itself.
struct Moved<'a> {
    attachment: &'a Attachment,
    to: &'a Pass,
    target: &'a Attachment,
    aspect: Aspect,
}

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for pass in frame.passes() {
        let known = !pass.unknown && !pass.shape.opaque && !pass.side_effects;
        if !known || !pass.draws.is_empty() {
            continue;
        }
        let moved = moved(frame, cx, pass).unwrap_or_default();
        if let Some(first) = moved.first() {
            report(cx, frame, pass, first, &moved);
        }
    }
}

/// The clears of the pass, where every one of its outputs is one that can move.
fn moved<'a>(frame: &'a Frame, cx: &Cx<'_>, pass: &'a Pass) -> Option<Vec<Moved<'a>>> {
    let mut moved = Vec::new();
    for (attachment, plane, ops) in pass_aspects(pass) {
        let facts = pass.aspect(attachment.slot, plane)?;
        let by_load = ops.load? == vk::AttachmentLoadOp::CLEAR;
        let changes = by_load || facts.cleared || ops.load? == vk::AttachmentLoadOp::DONT_CARE;
        let Some(store) = facts.store.filter(|_| changes) else { continue };
        let by_command = matches!(facts.first, Some(FirstUse::Clear(index))
            if pass.clears.get(index as usize).is_some_and(|c| c.covers_area && !c.conditional));
        if facts.resolved || !attachment.loads() {
            return None;
        }
        let fate = cx.device.fate(store);
        if fate.is_dead() {
            continue;
        }
        let Fate::Live(reads) = fate else { return None };
        if !(by_load || by_command) || reads.iter().any(|(read, _)| *read != Read::Load) {
            return None;
        }
        let (to, target) = loader(frame, cx, pass, attachment, ops)?;
        moved.push(Moved { attachment, to, target, aspect: ops.aspect });
    }
    Some(moved)
}

/// The next pass on the target, where it loads exactly what this pass cleared.
fn loader<'a>(
    frame: &'a Frame,
    cx: &Cx<'_>,
    pass: &Pass,
    attachment: &Attachment,
    ops: &AspectOps,
) -> Option<(&'a Pass, &'a Attachment)> {
    let image = attachment.image.as_ref()?;
    let shared = cx.device.always_live(image.id).is_some_and(|why| {
        !matches!(why, AlwaysLive::Swapchain | AlwaysLive::NotOurs | AlwaysLive::External)
    });
    let next = next_pass(frame, image, &pass.step)?;
    let same = |a: &&Attachment| {
        a.image.as_ref().is_some_and(|other| other.id == image.id)
            && a.range == attachment.range
            && a.format == attachment.format
    };
    let target = next.shape.attachments.iter().find(same)?;
    let loads = target.ops(ops.aspect)?.load? == vk::AttachmentLoadOp::LOAD;
    let area = next.shape.area == pass.shape.area
        && next.shape.view_mask == pass.shape.view_mask
        && next.shape.layers == pass.shape.layers;
    let ours = !shared && !next.unknown && !next.shape.opaque && !next.reads_image(image.id);
    (loads && area && ours && target.loads()).then_some((next, target))
}

fn report(cx: &mut Cx<'_>, frame: &Frame, pass: &Pass, first: &Moved<'_>, moved: &[Moved<'_>]) {
    let next = &first.to.name;
    let place = pass_place(pass, None, cx.device).explained(
        first.target.line,
        format!("  attach {} load=LOAD", identifier(&first.target.name())),
        "load",
        "loaded here",
    );
    let message = format!("pass `{}` draws nothing: it only clears for pass `{next}`", pass.name);
    let why = format!(
        "what it clears goes to memory, and pass `{next}` loads it back; a CLEAR load there would \
         start on the tile"
    );
    let mut fix =
        Fix::text(format!("loadOp = CLEAR in pass `{next}`, and no pass `{}`", pass.name));
    let mut cost = Cost::default();
    for one in moved {
        let field = Field::load_of(one.aspect);
        fix = fix.edit(edit_op(one.to, one.target, field, "LOAD", "CLEAR"));
        cost.load_bytes += cx.aspect_bytes(one.to, one.target, one.aspect);
        cost.store_bytes += cx.aspect_bytes(pass, one.attachment, one.aspect);
    }
    for (attachment, _, ops) in pass_aspects(pass) {
        cost.load_bytes += pass.shape.load_bytes(attachment, ops).unwrap_or(0);
    }
    let mut fix = fix.edit(Edit::remove_pass(pass));
    for image in moved.iter().filter_map(|one| one.target.image.as_ref()) {
        let passes = [pass, first.to];
        fix = then_dead(fix, cx, frame, (&passes, image), image.aspects());
    }
    cx.report(Report::new(place, Confidence::Certain, message, why, fix).cost(cost));
}
