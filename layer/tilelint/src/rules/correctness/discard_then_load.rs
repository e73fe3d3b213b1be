#![doc = include_str!("discard_then_load.md")]

use std::sync::Arc;

use ash::vk;

use super::super::load_store::{is_full_screen, overwritten_first};
use super::super::mend::{Taken, stored, then_transient};
use super::first_use;
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::format::Aspect;
use crate::model::{
    AspectOps, Attachment, Frame, ImageId, Pass, Roles, State, Step, StepRef, Undefined,
    without_digits,
};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "discard-then-load",
    group: Group::Correctness,
    level: Level::Deny,
    tier: Tier::F,
    folds: &["transient-load-store", "needless-load", "depth-dont-care-load", "non-transient"],
    correctness: true,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("discard_then_load.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for (pass, attachment, plane, ops) in used_aspects(frame) {
        check_load(cx, frame, (pass, attachment), plane, ops);
        first_use::check(cx, pass, attachment, plane, ops);
    }
    for step in &frame.steps {
        match step {
            Step::Pass(pass) => {
                for read in &pass.reads {
                    let Some(by) = &read.discarded_by else { continue };
                    if read.certain {
                        check_read(cx, &pass.step, read.image, by, "sampled", Some(pass));
                    }
                }
            }
            Step::Transfer(transfer) => {
                let discarded = transfer.source.state == State::Undefined(Undefined::Discarded);
                if let (Some(image), Some(by), true) =
                    (transfer.from, &transfer.source.by, discarded)
                {
                    check_read(cx, &transfer.step, image, by, "read", None);
                }
            }
            Step::Present { step, image, content, .. } => {
                if let (State::Undefined(Undefined::Discarded), Some(by)) =
                    (content.state, &content.by)
                {
                    check_read(cx, step, *image, by, "presented", None);
                }
            }
            _ => {}
        }
    }
}

fn check_load(
    cx: &mut Cx<'_>,
    frame: &Frame,
    (pass, attachment): (&Pass, &Attachment),
    plane: usize,
    ops: &AspectOps,
) {
    let Some(facts) = pass.aspect(attachment.slot, plane) else { return };
    let discarded = facts.before.state == State::Undefined(Undefined::Discarded);
    let reads = attachment.roles.any(Roles::COLOR.or(Roles::DEPTH_STENCIL).or(Roles::INPUT));
    let loads = ops.load == Some(vk::AttachmentLoadOp::LOAD);
    if !discarded || !loads || !reads || overwritten_first(pass, attachment, plane) {
        return;
    }
    let Some(by) = &facts.before.by else { return };
    let field = Field::load_of(ops.aspect);
    let place = Place::attachment(pass, attachment, Some(ops.aspect), field, cx.device);
    let message = format!(
        "{} of `{}` is loaded after pass `{}` dropped it",
        aspect_text(ops.aspect),
        attachment.name(),
        by.name
    );
    let why = "a DONT_CARE store leaves memory undefined: some GPUs keep the old picture, others \
               load garbage";
    let store = op_name(pass, ops.aspect, Field::store_of(ops.aspect));
    let fix = Fix::text(format!("{store} = STORE in pass `{}`, if the content counts", by.name));
    let fix = stored(fix, frame, by, attachment, ops.aspect);
    let edit = edit_op(pass, attachment, field, "LOAD", "CLEAR");
    let op = op_name(pass, ops.aspect, field);
    let mut or = Fix::text(format!("{op} = CLEAR here, if it does not")).edit(edit);
    if let Some(image) = &attachment.image {
        let taken = Taken { steps: &[&pass.step], ..Taken::default() };
        or = then_transient(or, cx, frame, image, &taken);
    }
    let redraw = pass.draws.first().is_some_and(|draw| is_full_screen(draw, pass));
    let redraw = redraw && ops.aspect == Aspect::Color;
    let (fix, or) = if redraw { (or, fix) } else { (fix, or) };
    let mut report = Report::new(place, Confidence::Certain, message, why, fix).or_fix(or);
    if redraw {
        report = report.at_most(
            Level::Warn,
            "the first draw may redraw the whole picture, then nobody sees what was loaded",
        );
    }
    cx.report(report);
}

fn check_read(
    cx: &mut Cx<'_>,
    step: &Arc<StepRef>,
    image: ImageId,
    by: &Arc<StepRef>,
    how: &str,
    pass: Option<&Pass>,
) {
    let Some((image, _)) = cx.device.image(image) else { return };
    let text = match pass {
        Some(pass) => format!("pass {}", identifier(&pass.name)),
        None => step.name.to_string(),
    };
    let mut place = Place::step(step, text, "", cx.device);
    if let Some(pass) = pass {
        place.location.pass = Some(pass.name.to_string());
        place.variant = Some(pass.variant);
    }
    place.location.image = Some(image.name.text.to_string());
    place.object = without_digits(&image.name.text);
    place.objects.push((image.key.into(), image.name.text.to_string()));
    let message = format!("`{}` is {how} after pass `{}` dropped it", image.name.text, by.name);
    let why = "a DONT_CARE store leaves memory undefined";
    let fix = Fix::text(format!("storeOp = STORE in pass `{}`", by.name));
    let mut report = Report::new(place, Confidence::Certain, message, why, fix);
    if pass.is_some() {
        report.confidence = Confidence::Likely;
        report = report
            .at_most(Level::Warn, "")
            .assume("the shader really reads the descriptor that is bound");
    }
    cx.report(report);
}
