#![doc = include_str!("depth_dont_care_load.md")]

use ash::vk;

use super::depth_draws::depth_draws;
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::format::Aspect;
use crate::model::{Attachment, FirstUse, Frame, Pass};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "depth-dont-care-load",
    group: Group::HiddenSurface,
    level: Level::Info,
    tier: Tier::R,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("depth_dont_care_load.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    if !cx.profile.has_coarse_depth() {
        return;
    }
    for pass in frame.passes().filter(|pass| !pass.unknown && !pass.shape.opaque) {
        for attachment in pass.shape.attachments.iter().filter(|a| a.loads() && !a.is_rate()) {
            check_depth(pass, attachment, cx);
        }
    }
}

fn check_depth(pass: &Pass, attachment: &Attachment, cx: &mut Cx<'_>) {
    use vk::AttachmentLoadOp as L;
    let planes = || attachment.aspects.iter().enumerate();
    let Some((plane, ops)) = planes().find(|(_, ops)| ops.aspect == Aspect::Depth) else { return };
    let Some(facts) = pass.aspect(attachment.slot, plane) else { return };
    // Only a test can gain from what the coarse buffer knows.
    let draws = || depth_draws(pass).filter(|at| at.attachment.slot == attachment.slot);
    if !ops.named || !draws().any(|at| at.draw.effect.depth_reads) {
        return;
    }
    let cleared = match facts.first {
        Some(FirstUse::Clear(index)) => {
            pass.clears.get(index as usize).filter(|clear| clear.covers_area && !clear.conditional)
        }
        _ => None,
    };
    let dropped = ops.load == Some(L::DONT_CARE);
    let cleared_late = cleared.is_some() && ops.load == Some(L::LOAD);
    if !dropped && !cleared_late {
        return;
    }
    let field = Field::Load;
    let mut place = Place::attachment(pass, attachment, Some(Aspect::Depth), field, cx.device);
    let name = attachment.name();
    let (message, why) = match cleared {
        Some(clear) => {
            let text = "    clear-attachments".to_owned();
            place = place.explained(clear.line, text, "", "clears the depth by command");
            let message =
                format!("the depth of `{name}` is cleared by command, not by its load op");
            (message, "a clear by command is a draw: the coarse depth buffer is off for the pass")
        }
        None => {
            let message =
                format!("draws test against `{name}`, whose depth is loaded as DONT_CARE");
            (
                message,
                "without a clear the coarse depth buffer has nothing to start from: it is off",
            )
        }
    };
    let op = op_name(pass, Aspect::Depth, field);
    let edit = edit_op(pass, attachment, field, load_word(ops.load), "CLEAR");
    let fix = Fix::text(format!("{op} = CLEAR")).edit(edit);
    let mut report = Report::new(place, Confidence::Certain, message, why, fix);
    let always = draws().any(|at| {
        let compare = at.draw.effect.depth_compare;
        at.writes && matches!(compare, Some(vk::CompareOp::ALWAYS | vk::CompareOp::NOT_EQUAL))
    });
    if always {
        report =
            report.why("a draw also writes depth with ALWAYS or NOT_EQUAL, to the same effect");
    }
    if draws().any(|at| at.writes && at.draw.effect.stencil_writes) {
        report = report.why("a draw also writes stencil together with depth, to the same effect");
    }
    cx.report(report);
}
