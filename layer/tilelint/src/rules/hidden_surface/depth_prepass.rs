#![doc = include_str!("depth_prepass.md")]

use ash::vk;

use super::depth_draws::{DepthDraw, depth_draws, draw_place, draw_text, draws_of};
use crate::finding::{Confidence, Edit, Fix, Level, Tier};
use crate::format::Aspect;
use crate::model::{Attachment, Frame, Pass};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "depth-prepass",
    group: Group::HiddenSurface,
    level: Level::Info,
    tier: Tier::R,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("depth_prepass.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    let Some([draws, vertices]) = cx.profile.prepass_costs() else { return };
    for pass in frame.passes() {
        let enough = |at: &DepthDraw<'_>| average(at) >= u64::from(vertices);
        let mut second = depth_draws(pass).filter(|at| enough(at) && shades_again(at)).peekable();
        let Some(first) = second.peek().copied() else { continue };
        let shaded: u64 = second.map(|at| draws_of(at.draw)).sum();
        let here = depth_draws(pass).filter(|at| at.index < first.index);
        let mut lays = earlier_passes(frame, pass, first.attachment)
            .filter(|earlier| depth_draws(earlier).any(|at| enough(&at) && depth_only(&at)));
        if lays.any(|by| is_wanted(frame, by, pass)) {
            continue;
        }
        let earlier = earlier_passes(frame, pass, first.attachment);
        let before = earlier.flat_map(depth_draws).chain(here);
        let mut before = before.filter(|at| {
            let image = |a: &Attachment| a.image.as_ref().map(|image| image.id);
            enough(at) && depth_only(at) && image(at.attachment) == image(first.attachment)
        });
        let Some(prepass) = before.next() else { continue };
        let laid = draws_of(prepass.draw) + before.map(|at| draws_of(at.draw)).sum::<u64>();
        if laid < u64::from(draws) || shaded < u64::from(draws) {
            continue;
        }
        let place = draw_place(pass, &first, "draws the same again", cx.device).explained(
            prepass.draw.line,
            draw_text(prepass.draw),
            "",
            "lays down depth alone",
        );
        let message = format!(
            "{laid} draws lay down the depth of `{}` before {shaded} draws shade it",
            first.attachment.name()
        );
        let why = "a tiler already keeps hidden fragments from being shaded; the prepass pays \
                   for all vertices and their tile lists a second time";
        let fix = Fix::text("drop the prepass, and sort opaque draws from front to back");
        let fix = without(fix, pass, &first);
        let report = Report::new(place, Confidence::Likely, message, why, fix)
            .assume("both draw the same geometry, and fragments are not unusually expensive");
        cx.report(report);
    }
}

/// The draws that lay down depth in the pass go; those that shade write it instead.
fn without(fix: Fix, pass: &Pass, first: &DepthDraw<'_>) -> Fix {
    let mut fix = fix;
    for at in depth_draws(pass).filter(|at| at.index < first.index && depth_only(at)) {
        let text = draw_text(at.draw).trim().to_owned();
        fix = fix.edit(Edit::remove(text, "vkCmdDraw", at.draw.line).in_pass(pass));
    }
    let mut seen = Vec::new();
    for at in depth_draws(pass).filter(|at| at.index >= first.index && shades_again(at)) {
        let Some(pipeline) = at.draw.pipeline.as_ref().filter(|p| !seen.contains(&p.id)) else {
            continue;
        };
        seen.push(pipeline.id);
        let dynamic = &pipeline.info.dynamic;
        if dynamic.contains(&vk::DynamicState::DEPTH_COMPARE_OP)
            || dynamic.contains(&vk::DynamicState::DEPTH_WRITE_ENABLE)
        {
            continue;
        }
        if at.draw.effect.depth_compare == Some(vk::CompareOp::EQUAL) {
            let field = "depthCompareOp";
            let edit = edit_pipeline(pipeline, "depth_compare", field, "EQUAL", "LESS");
            fix = fix.edit(edit);
        }
        if !at.writes {
            fix = fix.edit(edit_pipeline(pipeline, "depth_write", "depthWriteEnable", "off", "on"));
        }
    }
    fix
}

/// Passes before a pass that LOADs what they stored as depth.
fn earlier_passes<'a>(
    frame: &'a Frame,
    pass: &Pass,
    depth: &Attachment,
) -> impl Iterator<Item = &'a Pass> {
    let loads = depth.ops(Aspect::Depth).and_then(|ops| ops.load);
    let loads = loads == Some(vk::AttachmentLoadOp::LOAD);
    let until = pass.step.index;
    frame.passes().filter(move |other| loads && other.step.index < until)
}

/// Something wants what the earlier pass made, its depth resolved or not, by the time that the
/// scene is shaded.
fn is_wanted(frame: &Frame, by: &Pass, shading: &Pass) -> bool {
    let made = by.shape.attachments.iter().filter_map(|a| a.image.as_ref());
    made.map(|image| image.id).any(|id| {
        shading.reads_image(id) || frame.reads_between(id, by.step.index, shading.step.index)
    })
}

/// Vertices of a draw, on average; 0 where the device decides.
fn average(at: &DepthDraw<'_>) -> u64 {
    at.draw.draw.total_vertices / draws_of(at.draw).max(1)
}

fn depth_only(at: &DepthDraw<'_>) -> bool {
    at.writes && at.draw.effect.depth_reads && at.draw.effect.color_writes == 0
}

fn shades_again(at: &DepthDraw<'_>) -> bool {
    use vk::CompareOp as C;
    let same = matches!(
        at.draw.effect.depth_compare,
        Some(C::EQUAL | C::LESS_OR_EQUAL | C::GREATER_OR_EQUAL)
    );
    same && at.draw.effect.color_writes != 0
}
