#![doc = include_str!("depth_direction_flip.md")]

use ash::vk;

use super::depth_draws::{DepthDraw, depth_draws, draw_place, draw_text};
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::{Frame, Pass};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "depth-direction-flip",
    group: Group::HiddenSurface,
    level: Level::Warn,
    tier: Tier::R,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("depth_direction_flip.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    if cx.profile.is_tiler() {
        frame.passes().for_each(|pass| check_pass(pass, cx));
    }
}

/// LESS (`true`) or GREATER; `None` for comparisons without a direction.
fn is_less(at: &DepthDraw<'_>) -> Option<bool> {
    use vk::CompareOp as C;
    match at.draw.effect.depth_compare? {
        C::LESS | C::LESS_OR_EQUAL => Some(true),
        C::GREATER | C::GREATER_OR_EQUAL => Some(false),
        _ => None,
    }
}

fn check_pass(pass: &Pass, cx: &mut Cx<'_>) {
    let mut writers = depth_draws(pass).filter(|at| at.writes && is_less(at).is_some());
    let Some(first) = writers.next() else { return };
    let flips = |at: &DepthDraw<'_>| {
        is_less(at) != is_less(&first) && at.attachment.slot == first.attachment.slot
    };
    let Some(flip) = writers.find(flips) else { return };
    let word = |at: &DepthDraw<'_>| if is_less(at) == Some(true) { "LESS" } else { "GREATER" };
    let name = first.attachment.name();
    let label = format!("writes with {}", word(&flip));
    let place = draw_place(pass, &flip, &label, cx.device).explained(
        first.draw.line,
        draw_text(first.draw),
        "",
        &format!("writes with {}", word(&first)),
    );
    let message = format!("the direction of the depth test against `{name}` changes in the pass");
    let certain = cx.profile.has_coarse_depth();
    let confidence = if certain { Confidence::Certain } else { Confidence::Likely };
    let why = "a coarse depth buffer holds the nearest or the farthest depth, not both: from the \
               change on it is off for the rest of the pass, and hidden fragments are shaded";
    let mut fix = Fix::text(
        "one direction for all draws that write depth; what needs the other one goes without \
         depth write, or into a pass of its own",
    );
    if let Some(pipeline) = &flip.draw.pipeline
        && !pipeline.info.dynamic.contains(&vk::DynamicState::DEPTH_WRITE_ENABLE)
    {
        fix = fix.edit(edit_pipeline(pipeline, "depth_write", "depthWriteEnable", "on", "off"));
    }
    let mut report = Report::new(place, confidence, message, why, fix);
    if !certain {
        report = report.assume("the GPU rejects hidden fragments by a coarse depth buffer");
    }
    cx.report(report);
}
