//! The part of `discard-then-load` that looks at what a pass itself neither loads nor clears.

use ash::vk;

use crate::finding::{Confidence, Fix, Level};
use crate::format::Aspect;
use crate::model::{AspectOps, Attachment, FirstUse, Pass};
use crate::rule::*;

/// An aspect that the pass neither loads nor clears, read by the first draw that uses it.
pub fn check(cx: &mut Cx<'_>, pass: &Pass, attachment: &Attachment, plane: usize, ops: &AspectOps) {
    let dropped =
        matches!(ops.load, Some(vk::AttachmentLoadOp::DONT_CARE | vk::AttachmentLoadOp::NONE_EXT));
    let Some(facts) = pass.aspect(attachment.slot, plane) else { return };
    let Some(FirstUse::Draw(index)) = facts.first.filter(|_| dropped && attachment.loads()) else {
        return;
    };
    let Some(draw) = pass.draws.get(index as usize) else { return };
    let Some(subpass) = pass.shape.subpasses.get(draw.subpass as usize) else { return };
    let at = |r: &Option<crate::call::AttachmentReference>| {
        r.is_some_and(|r| r.attachment == attachment.slot)
    };
    let input = subpass.input.iter().any(at);
    let blends = subpass.color.iter().position(at).is_some_and(|position| {
        draw.effect.color_reads & 1u32.checked_shl(position as u32).unwrap_or(0) != 0
    });
    let (how, certain) = match ops.aspect {
        _ if input && !subpass.color.iter().any(at) => ("reads", true),
        Aspect::Depth if draw.effect.depth_reads => ("tests against", true),
        Aspect::Stencil if draw.effect.stencil_reads => ("tests against", true),
        Aspect::Color if blends => ("blends with", false),
        _ => return,
    };
    let field = Field::load_of(ops.aspect);
    let place = Place::attachment(pass, attachment, Some(ops.aspect), field, cx.device);
    let message = format!(
        "the first draw {how} the {} of `{}`, which is neither loaded nor cleared",
        aspect_text(ops.aspect),
        attachment.name()
    );
    let why = format!("after a {} load it holds anything", load_word(ops.load));
    let edit = edit_op(pass, attachment, field, load_word(ops.load), "CLEAR");
    let op = op_name(pass, ops.aspect, field);
    let fix = Fix::text(format!("{op} = CLEAR")).edit(edit);
    let confidence = if certain { Confidence::Certain } else { Confidence::Likely };
    let mut report = Report::new(place, confidence, message, why, fix);
    if !certain {
        report = report
            .at_most(Level::Warn, "")
            .assume("the blend factor of the old colour is not zero");
    }
    cx.report(report);
}
