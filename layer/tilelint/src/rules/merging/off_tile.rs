//! Commands that take a whole pass off the tiles once they are recorded.

use ash::vk;

use super::dependency::framebuffer_stages;
use crate::call::{Line, Via};
use crate::finding::{Edit, EditObject, Fix};
use crate::model::{BarrierFacts, Pass};
use crate::rule::{Cx, flag_words};

/// What takes the pass off the tiles.
pub struct Reason {
    /// Line of the command.
    pub line: Line,
    /// The command, where there is no listing.
    pub text: &'static str,
    /// What.
    pub message: String,
    /// Why.
    pub why: &'static str,
    /// How to mend it.
    pub fix: Fix,
    /// It was seen, not only read of.
    pub certain: bool,
}

/// A barrier with a stage that no tile can wait for. In dynamic rendering the API allows none.
pub fn wide_barrier(pass: &Pass, cx: &Cx<'_>) -> Option<Reason> {
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
    for (bad, key, field, to) in [
        (src, "src_stage", "srcStageMask", S::COLOR_ATTACHMENT_OUTPUT),
        (dst, "dst_stage", "dstStageMask", S::FRAGMENT_SHADER),
    ] {
        if !bad.is_empty() {
            let (from, to) = (flag_words(&bad), flag_words(&to));
            let edit = Edit::set(EditObject::Command, "vkCmdPipelineBarrier", field, from, to);
            fix = fix.edit(edit.in_pass(pass).said_by(key, facts.line));
        }
    }
    if !facts.command.flags.contains(vk::DependencyFlags::BY_REGION) {
        let flags = facts.command.flags;
        let to = flag_words(&(flags | vk::DependencyFlags::BY_REGION));
        let name = "vkCmdPipelineBarrier";
        let field = "dependencyFlags";
        let edit = Edit::set(EditObject::Command, name, field, flag_words(&flags), to);
        fix = fix.edit(edit.in_pass(pass).said_by("flags", facts.line));
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
pub fn drawing(pass: &Pass) -> Vec<Reason> {
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

/// A layered framebuffer without multiview.
pub fn layers(pass: &Pass) -> Option<Reason> {
    (pass.shape.view_mask == 0 && pass.shape.layers > 1).then(|| Reason {
        line: pass.line,
        text: "pass",
        message: "a layered framebuffer takes the whole pass off the tiles as well".into(),
        why: "the driver draws such a pass straight to memory, all of it",
        fix: Fix::text("use multiview, or one pass for each layer"),
        certain: false,
    })
}
