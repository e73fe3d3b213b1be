#![doc = include_str!("depth_write_with_blend.md")]

use ash::vk;

use super::depth_draws::{DepthDraw, depth_draws, draw_place, draw_text};
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::{Frame, Pass};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "depth-write-with-blend",
    group: Group::HiddenSurface,
    level: Level::Info,
    tier: Tier::R,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("depth_write_with_blend.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    if cx.profile.has_coarse_depth() {
        frame.passes().for_each(|pass| check_pass(pass, cx));
    }
}

fn check_pass(pass: &Pass, cx: &mut Cx<'_>) {
    let blended = depth_draws(pass).filter(|at| at.writes && at.draw.effect.depth_reads);
    let Some((at, how)) = blended.filter_map(|at| Some((at, blends(pass, &at)?))).next() else {
        return;
    };
    // The last draws of a pass take nothing from those after them.
    let later = |other: &DepthDraw<'_>| {
        other.index > at.index
            && other.attachment.slot == at.attachment.slot
            && other.draw.effect.depth_reads
            && !(other.writes && blends(pass, other).is_some())
    };
    let Some(next) = depth_draws(pass).find(later) else { return };
    let place = draw_place(pass, &at, "writes depth", cx.device).explained(
        next.draw.line,
        draw_text(next.draw),
        "",
        "is tested without the coarse depth buffer",
    );
    let message =
        format!("a draw writes the depth of `{}` together with {how}", at.attachment.name());
    let why = "what lies behind may show through, so the coarse depth buffer is turned off for \
               the rest of the pass";
    let mut fix = Fix::text("draw what blends without depth write, after all that is opaque");
    if let Some(pipeline) = &at.draw.pipeline
        && !pipeline.info.dynamic.contains(&vk::DynamicState::DEPTH_WRITE_ENABLE)
    {
        fix = fix.edit(edit_pipeline(pipeline, "depth_write", "depthWriteEnable", "on", "off"));
    }
    cx.report(Report::new(place, Confidence::Certain, message, why, fix));
}

/// What makes the old colour count in a draw, if it does.
fn blends(pass: &Pass, at: &DepthDraw<'_>) -> Option<&'static str> {
    use vk::DynamicState as D;
    let info = &at.draw.pipeline.as_ref()?.info;
    let subpass = pass.shape.subpasses.get(at.draw.subpass as usize)?;
    let bits = at.draw.effect.color_reads;
    let read = (0..32u32).filter(|bit| bits & (1 << bit) != 0);
    read.into_iter().find_map(|index| {
        let state = info.blend.get(index as usize).or(info.blend.last()).copied();
        let state = state.unwrap_or_default();
        let dynamic = info.dynamic.contains(&D::COLOR_BLEND_ENABLE_EXT);
        if state.enable && !dynamic {
            return Some("blending");
        }
        if info.logic_op.is_some() {
            return Some("a logic op");
        }
        // Channels that the format does not have are not missing.
        let attachment = subpass.color.get(index as usize).copied().flatten()?.attachment;
        let format = pass.shape.attachments.get(attachment as usize)?.format;
        let name = format!("{format:?}");
        let alpha = name.as_bytes().windows(2).any(|w| w[0] == b'A' && w[1].is_ascii_digit());
        if dynamic { Some("blending") } else { alpha.then_some("a partial colour mask") }
    })
}
