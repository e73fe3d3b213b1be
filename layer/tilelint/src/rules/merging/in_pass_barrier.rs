#![doc = include_str!("in_pass_barrier.md")]

use ash::vk;

use super::dependency::framebuffer_stages;
use crate::call::{Line, Via};
use crate::finding::{Confidence, Cost, Edit, EditObject, Fix, Level, Mark, QuoteLine, Tier};
use crate::model::{BarrierFacts, Pass};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "in-pass-barrier",
    group: Group::Merging,
    level: Level::Warn,
    tier: Tier::R,
    folds: &[],
    correctness: false,
    since: "0.1",
    page: include_str!("in_pass_barrier.md"),
    checks: &[Check::Pass(check)],
};

/// Barriers in a pass that are fine.
const MANY: usize = 16;

/// What takes the pass off the tiles.
struct Reason {
    line: Line,
    text: &'static str,
    message: String,
    why: &'static str,
    fix: Fix,
    certain: bool,
}

fn check(pass: &Pass, cx: &mut Cx<'_>) {
    if pass.shape.opaque {
        return;
    }
    let mut reasons = Vec::new();
    if cx.profile.one_command_costs_whole_pass() {
        reasons.extend(wide_barrier(pass, cx));
        reasons.extend(drawing(pass));
    }
    if let Some(reason) = reasons.first() {
        let confidence = if reason.certain { Confidence::Certain } else { Confidence::Likely };
        let mut report = Report::new(
            place(pass, reason, cx),
            confidence,
            reason.message.clone(),
            reason.why,
            reason.fix.clone(),
        );
        report = report.cost(Cost::store(untiled(pass, cx)));
        for other in reasons.iter().skip(1) {
            report = report.why(other.message.clone()).or_fix(other.fix.clone());
        }
        if !reason.certain {
            report = report
                .at_most(Level::Info, "")
                .assume("the target's driver decides as the open driver does");
        }
        cx.report(report);
    } else if pass.barriers.len() > MANY {
        many(pass, cx);
    }
}

/// Bytes that the tile would have kept: of what is drawn and not stored.
fn untiled(pass: &Pass, cx: &Cx<'_>) -> u64 {
    let kept = pass_aspects(pass).filter(|(attachment, _, ops)| {
        attachment.loads() && ops.store != Some(vk::AttachmentStoreOp::STORE)
    });
    kept.map(|(attachment, _, ops)| cx.aspect_bytes(pass, attachment, ops.aspect)).sum()
}

fn place(pass: &Pass, reason: &Reason, cx: &Cx<'_>) -> Place {
    let mut place = Place::pass(pass, cx.device);
    place.object = "pass".into();
    place.quote.lines.push(QuoteLine { number: reason.line.0, text: reason.text.to_owned() });
    place.quote.marks.push(Mark { line: 0, key: "", label: String::new(), primary: true });
    place
}

/// A barrier with a stage that no tile can wait for. In dynamic rendering the API allows none.
fn wide_barrier(pass: &Pass, cx: &Cx<'_>) -> Option<Reason> {
    use vk::PipelineStageFlags2 as S;
    // Stages of work on single tiles belong to the framebuffer there.
    let per_tile = cx.device.info.has_extension("VK_QCOM_tile_shading");
    if per_tile || pass.shape.via == Via::Dynamic {
        return None;
    }
    let stages = framebuffer_stages();
    let wide = |facts: &BarrierFacts| -> Option<(S, S)> {
        let barriers = facts.command.barriers.iter();
        barriers
            .map(|b| {
                (
                    b.src_stage & !(stages | S::TOP_OF_PIPE),
                    b.dst_stage & !(stages | S::BOTTOM_OF_PIPE),
                )
            })
            .find(|(src, dst)| !src.is_empty() || !dst.is_empty())
    };
    let (facts, (src, dst)) = pass.barriers.iter().find_map(|facts| Some((facts, wide(facts)?)))?;
    let words = flag_words(&(src | dst));
    let mut fix = Fix::text(
        "name FRAGMENT_SHADER, the fragment tests or COLOR_ATTACHMENT_OUTPUT alone, with \
         BY_REGION; to read what was just drawn, rasterization order access needs no barrier",
    );
    for (bad, field, to) in [
        (src, "srcStageMask", S::COLOR_ATTACHMENT_OUTPUT),
        (dst, "dstStageMask", S::FRAGMENT_SHADER),
    ] {
        if !bad.is_empty() {
            fix = fix.edit(Edit {
                object: EditObject::Command,
                name: "vkCmdPipelineBarrier".into(),
                pass: Some(pass.name.to_string()),
                slot: None,
                field,
                from: flag_words(&bad),
                to: flag_words(&to),
            });
        }
    }
    Some(Reason {
        line: facts.line,
        text: "  barrier",
        message: format!("a barrier inside the pass names {words}, which no tile can wait for"),
        why: "only fragment work happens tile by tile: one such barrier sends the whole pass to \
              memory, decided when it is recorded",
        fix,
        certain: true,
    })
}

/// Other ways to take a whole pass off the tiles.
fn drawing(pass: &Pass) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let mut add = |line, text, message: &str, fix: &str| {
        reasons.push(Reason {
            line,
            text,
            message: message.into(),
            why: "the driver draws such a pass straight to memory, all of it",
            fix: Fix::text(fix),
            certain: false,
        });
    };
    let flag = |flags: vk::PipelineCreateFlags| {
        pass.draws
            .iter()
            .find(|d| d.pipeline.as_ref().is_some_and(|p| p.info.flags.intersects(flags)))
    };
    let patches = pass.draws.iter().find(|draw| {
        let pipeline = draw.pipeline.as_ref();
        pipeline.is_some_and(|p| p.info.topology == vk::PrimitiveTopology::PATCH_LIST)
    });
    if let Some(draw) = patches {
        add(
            draw.line,
            "  draw",
            "a tessellated draw takes the whole pass off the tiles",
            "give tessellated draws a pass of their own, or meshes made beforehand",
        );
    }
    if pass.shape.view_mask == 0 && pass.shape.layers > 1 {
        add(
            pass.line,
            "pass",
            "a layered framebuffer takes the whole pass off the tiles",
            "use multiview, or one pass for each layer",
        );
    }
    let feedback = vk::PipelineCreateFlags::COLOR_ATTACHMENT_FEEDBACK_LOOP_EXT
        | vk::PipelineCreateFlags::DEPTH_STENCIL_ATTACHMENT_FEEDBACK_LOOP_EXT;
    if let Some(draw) = flag(feedback) {
        add(
            draw.line,
            "  draw",
            "a feedback loop takes the whole pass off the tiles",
            "read the attachment as an input attachment",
        );
    }
    reasons
}

fn many(pass: &Pass, cx: &mut Cx<'_>) {
    let Some(last) = pass.barriers.get(MANY) else { return };
    let reason = Reason {
        line: last.line,
        text: "  barrier",
        message: format!("{} barriers inside one pass", pass.barriers.len()),
        why: "each of them drains the fragment work of the tile before the next draw",
        fix: Fix::text(
            "draw what does not overlap between two barriers, or use rasterization order access",
        ),
        certain: false,
    };
    let place = place(pass, &reason, cx);
    cx.report(
        Report::new(place, Confidence::Likely, reason.message, reason.why, reason.fix)
            .at_most(Level::Info, "")
            .assume("the barriers stand between draws that could go without"),
    );
}
