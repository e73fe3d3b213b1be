#![doc = include_str!("load_of_undefined.md")]

use ash::vk;

use crate::call::Via;
use crate::finding::{Confidence, Cost, Fix, Level, Tier};
use crate::model::{AspectOps, Attachment, Frame, Pass, Roles, State, StepKind, Undefined};
use crate::rule::*;

use super::coverage::overwritten_first;

/// The rule.
pub static RULE: Rule = Rule {
    name: "load-of-undefined",
    group: Group::LoadStore,
    level: Level::Deny,
    tier: Tier::R,
    folds: &["needless-load"],
    correctness: true,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("load_of_undefined.md"),
    checks: &[Check::Pass(check_object), Check::Frame(check_barrier)],
};

/// A pass asks for content that it reads.
fn asks(attachment: &Attachment, ops: &AspectOps) -> bool {
    ops.load == Some(vk::AttachmentLoadOp::LOAD)
        && attachment.roles.any(Roles::COLOR.or(Roles::DEPTH_STENCIL).or(Roles::INPUT))
}

fn check_object(pass: &Pass, cx: &mut Cx<'_>) {
    if pass.shape.via == Via::Dynamic {
        return;
    }
    for (attachment, _, ops) in pass_aspects(pass) {
        if asks(attachment, ops) && ops.initial == vk::ImageLayout::UNDEFINED {
            let why = "initialLayout = UNDEFINED lets the driver drop the content, so the load \
                       reads anything";
            report(cx, pass, attachment, ops, why, Tier::C);
        }
    }
}

fn check_barrier(frame: &Frame, cx: &mut Cx<'_>) {
    for (pass, attachment, plane, ops) in used_aspects(frame) {
        let Some(facts) = pass.aspect(attachment.slot, plane) else { continue };
        let by_barrier = facts.before.state == State::Undefined(Undefined::Transition)
            && facts.before.by.as_ref().is_some_and(|by| by.what == StepKind::Barrier);
        if !by_barrier || !asks(attachment, ops) || overwritten_first(pass, attachment, plane) {
            continue;
        }
        let why = "a barrier from layout UNDEFINED just dropped the content";
        report(cx, pass, attachment, ops, why, Tier::R);
    }
}

fn report(
    cx: &mut Cx<'_>,
    pass: &Pass,
    attachment: &Attachment,
    ops: &AspectOps,
    why: &str,
    tier: Tier,
) {
    let field = Field::load_of(ops.aspect);
    let place = Place::attachment(pass, attachment, Some(ops.aspect), field, cx.device);
    let word = aspect_text(ops.aspect);
    let message = format!("the {word} of `{}` is loaded from undefined content", attachment.name());
    let edit = edit_op(pass, attachment, field, "LOAD", "DONT_CARE");
    let text = format!(
        "{} = DONT_CARE, or CLEAR if any pixel may stay undrawn; to keep the content, name its \
         real layout",
        op_name(pass, ops.aspect, field)
    );
    let bytes = pass.shape.load_bytes(attachment, ops).unwrap_or(0);
    let fix = Fix::text(text).edit(edit);
    cx.report(
        Report::new(place, Confidence::Certain, message, why, fix)
            .cost(Cost::load(bytes))
            .tier(tier),
    );
}
