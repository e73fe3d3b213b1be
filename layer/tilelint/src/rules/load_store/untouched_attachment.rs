#![doc = include_str!("untouched_attachment.md")]

use super::super::dead;
use super::super::idle::{Idle, idle};
use super::super::mend::then_dead;
use crate::call::Via;
use crate::finding::{Confidence, Cost, Fix, Level, Tier};
use crate::format::Aspect;
use crate::model::{Attachment, Frame, Pass, Roles};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "untouched-attachment",
    group: Group::LoadStore,
    level: Level::Warn,
    tier: Tier::F,
    folds: &[
        "msaa-store",
        "msaa-roundtrip",
        "depth-store",
        "stencil-store",
        "color-store",
        "intermediate-subpass-store",
        "needless-load",
        "store-op-none-candidate",
        "transient-load-store",
        "non-transient",
    ],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("untouched_attachment.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for pass in frame.passes().filter(|pass| !pass.unknown && !pass.shape.opaque) {
        for attachment in &pass.shape.attachments {
            if attachment.roles == Roles::default() {
                unreferenced(cx, pass, attachment);
            } else if attachment.loads() && !attachment.is_rate() {
                unused(cx, frame, pass, attachment);
            }
        }
    }
}

fn unreferenced(cx: &mut Cx<'_>, pass: &Pass, attachment: &Attachment) {
    let place = Place::attachment(pass, attachment, None, Field::Load, cx.device);
    let name = attachment.name();
    let message = format!("`{name}` is in the attachment list, but no subpass uses it");
    let why = "its ops are ignored: it costs a view, a clear value and a place in the list";
    let fix = Fix::text("leave it out of the attachment list and of the framebuffer");
    cx.report(Report::new(place, Confidence::Certain, message, why, fix));
}

fn unused(cx: &mut Cx<'_>, frame: &Frame, pass: &Pass, attachment: &Attachment) {
    let aspects = attachment.aspects.iter().enumerate();
    let named = aspects.filter(|(_, ops)| ops.named).count();
    let idle: Vec<Idle<'_>> =
        (0..attachment.aspects.len()).filter_map(|p| idle(cx, pass, attachment, p)).collect();
    let whole = idle.len() == named;
    for part in idle.chunks(if whole { named.max(1) } else { 1 }) {
        report(cx, frame, (pass, attachment), part, !whole || named == 1);
    }
}

fn report(
    cx: &mut Cx<'_>,
    frame: &Frame,
    (pass, attachment): (&Pass, &Attachment),
    idle: &[Idle<'_>],
    one: bool,
) {
    let Some(first) = idle.first() else { return };
    let aspect = first.ops.aspect;
    let (loads, stores) = (idle.iter().any(|i| i.loads), idle.iter().any(|i| i.stores));
    let field = if loads { Field::load_of(aspect) } else { Field::store_of(aspect) };
    let place = Place::attachment(pass, attachment, one.then_some(aspect), field, cx.device);
    let part = if one && attachment.aspects.len() > 1 {
        format!("the {} of `{}`", aspect_text(aspect), attachment.name())
    } else {
        format!("`{}`", attachment.name())
    };
    let moved = match (loads, stores) {
        (true, true) => "loaded and stored",
        (true, false) => "loaded",
        _ => "stored",
    };
    let message = format!("nothing in the pass uses {part}, yet it is {moved}");
    let dead = idle.iter().find_map(|i| i.dead.as_ref());
    let why = match dead {
        Some(dead) => format!("no draw tests or writes it, and {}", dead.why),
        None => "no draw tests or writes it, no clear or resolve touches it".to_owned(),
    };
    let whole = !one || attachment.aspects.len() == 1;
    let loaded: Vec<_> = idle.iter().filter(|i| i.loads).map(|i| i.ops.aspect).collect();
    let unread = |fix: Fix| match &attachment.image {
        Some(image) => then_dead(fix, cx, frame, (&[pass], image), &loaded),
        None => fix,
    };
    let ops = unread(keep_out(pass, attachment, idle));
    let (fix, or) =
        if whole { (unread(leave_out(pass, attachment)), Some(ops)) } else { (ops, None) };
    let cost = idle.iter().fold(Cost::default(), |cost, i| cost.plus(i.cost));
    let mut report = Report::new(place, Confidence::Certain, message, why, fix)
        .cost(cost)
        .seen_over(dead.map_or(0, |dead| dead.frames));
    report.fixes.extend(or);
    if let Some((level, reason)) = dead.and_then(|dead| dead.at_most) {
        report = report.at_most(level, reason);
    }
    cx.report(report);
}

fn leave_out(pass: &Pass, attachment: &Attachment) -> Fix {
    let text = match pass.shape.via {
        Via::Dynamic => {
            "leave it out: imageView = NULL, and with dynamicRenderingUnusedAttachments the \
             pipelines may stay as they are"
        }
        _ => "leave it out of the pass",
    };
    Fix::text(text).edit(dead::left_out(pass, attachment))
}

/// Ops that move nothing. A DONT_CARE load would be a write, so a kept content needs NONE.
fn keep_out(pass: &Pass, attachment: &Attachment, idle: &[Idle<'_>]) -> Fix {
    let drops = idle.iter().all(|i| i.dead.is_some() || !i.stores);
    let to = if drops { "DONT_CARE" } else { "NONE" };
    let mut edits = Vec::new();
    for i in idle {
        if i.loads {
            edits.push(edit_op(pass, attachment, Field::load_of(i.ops.aspect), "LOAD", to));
        }
        if i.stores {
            edits.push(edit_op(pass, attachment, Field::store_of(i.ops.aspect), "STORE", to));
        }
    }
    let fields: Vec<&str> = edits.iter().map(|edit| edit.field).collect();
    let mut text = format!("{} = {to}", fields.join(", "));
    let alone = idle.len() == 1 && attachment.aspects.len() > 1;
    if alone && idle[0].ops.aspect == Aspect::Stencil {
        text += "; where no pass uses the stencil, a depth-only format will do";
    } else if !drops && idle.iter().any(|i| i.loads) {
        text += ", or the store alone, beside LOAD";
    }
    Fix { text, edits }
}
