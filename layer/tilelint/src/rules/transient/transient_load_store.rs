#![doc = include_str!("transient_load_store.md")]

use ash::vk;

use crate::finding::{Confidence, Cost, Fix, Level, Tier};
use crate::model::{AspectOps, Attachment, Fate, Frame, Pass, Read, State, StepKind, Undefined};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "transient-load-store",
    group: Group::Transient,
    level: Level::Warn,
    tier: Tier::F,
    folds: &["lazy-memory-committed"],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("transient_load_store.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for (pass, attachment, plane, ops) in used_aspects(frame) {
        let Some(image) = &attachment.image else { continue };
        let transient = image.info.usage.contains(vk::ImageUsageFlags::TRANSIENT_ATTACHMENT);
        if !transient || cx.device.always_live(image.id).is_some() {
            continue;
        }
        let Some(facts) = pass.aspect(attachment.slot, plane) else { continue };
        if let Some(store) = facts.store {
            match cx.device.fate(store) {
                Fate::Dead { .. } => report(cx, pass, attachment, ops, false, None),
                Fate::Live(reads) => {
                    let (how, by) = &reads[0];
                    let who = if by.what == StepKind::Pass { "pass " } else { "" };
                    let reader = format!("{} by {who}`{}`", how.word(), by.name);
                    report(cx, pass, attachment, ops, false, Some((reader, *how == Read::Load)));
                }
                Fate::Unknown => {}
            }
        } else if ops.load == Some(vk::AttachmentLoadOp::LOAD) && attachment.loads() {
            // What a pass wrote was stored by it: the store is the one finding.
            let undefined = State::Undefined(Undefined::Discarded);
            if [undefined, State::Undefined(Undefined::Never)].contains(&facts.before.state) {
                report(cx, pass, attachment, ops, true, None);
            }
        }
    }
}

fn report(
    cx: &mut Cx<'_>,
    pass: &Pass,
    attachment: &Attachment,
    ops: &AspectOps,
    load: bool,
    live: Option<(String, bool)>,
) {
    let Some(image) = attachment.image.clone() else { return };
    let field = if load { Field::load_of(ops.aspect) } else { Field::store_of(ops.aspect) };
    let place = Place::attachment(pass, attachment, Some(ops.aspect), field, cx.device);
    let (verb, op) = if load { ("loads", "LOAD") } else { ("stores", "STORE") };
    let message = format!(
        "the pass {verb} transient `{}`, so its memory must exist after all",
        attachment.name()
    );
    let bytes = cx.aspect_bytes(pass, attachment, ops.aspect);
    let mut cost = if load { Cost::load(bytes) } else { Cost::store(bytes) };
    let mut merge = None;
    let (why, fix) = match live {
        Some((reader, loaded)) => {
            if loaded {
                cost.load_bytes = bytes;
                merge = Some(Fix::text("let one pass do the work of both, and drop it"));
            }
            let usage = flag_words(&image.info.usage);
            let without = image.info.usage & !vk::ImageUsageFlags::TRANSIENT_ATTACHMENT;
            let edit = edit_image(&image, Field::Usage, &usage, &flag_words(&without));
            let lazy = image.is_lazy();
            let then = if lazy { ", and give it DEVICE_LOCAL memory" } else { "" };
            let text = format!("drop TRANSIENT_ATTACHMENT from its usage{then}");
            let mut fix = Fix::text(text).edit(edit);
            if lazy {
                let (from, to) = ("LAZILY_ALLOCATED", "DEVICE_LOCAL");
                fix = fix.edit(edit_image(&image, Field::Memory, from, to));
            }
            (format!("the content is needed: it is {reader}"), fix)
        }
        None => {
            let edit = edit_op(pass, attachment, field, op, "DONT_CARE");
            let fix = Fix::text(format!("{} = DONT_CARE", edit.field)).edit(edit);
            let why = if load { "the content is undefined" } else { "nothing reads the content" };
            (why.to_owned(), fix)
        }
    };
    let mut report = Report::new(place, Confidence::Certain, message, why, fix).cost(cost);
    if let Some(merge) = merge {
        report = report.or_fix(merge);
    }
    cx.report(report);
}
