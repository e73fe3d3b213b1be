//! What the first use of an attachment covers, for the rules on loads and undefined content.

use ash::vk;

use crate::call::DrawKind;
use crate::format::Aspect;
use crate::model::{AspectOps, Attachment, DrawFacts, FirstUse, Pass, contains};

/// Says whether the first draw covers a colour attachment: certainly, or by all but its shader.
pub fn overdrawn(
    pass: &Pass,
    attachment: &Attachment,
    plane: usize,
    ops: &AspectOps,
) -> Option<bool> {
    if ops.aspect != Aspect::Color {
        return None;
    }
    let facts = pass.aspect(attachment.slot, plane)?;
    let Some(FirstUse::Draw(index)) = facts.first else { return None };
    if index != 0 {
        return None;
    }
    let draw = pass.draws.get(index as usize)?;
    let subpass = pass.shape.subpasses.get(draw.subpass as usize)?;
    let position =
        subpass.color.iter().position(|r| r.is_some_and(|r| r.attachment == attachment.slot))?;
    let writes = draw.effect.color_writes & 1u32.checked_shl(position as u32)? != 0;
    if !writes || !draw.effect.plain || !is_full_screen(draw, pass) {
        return None;
    }
    let covers = draw.pipeline.as_ref().is_some_and(|pipeline| pipeline.covers_target());
    Some(covers && draw.draw.vertices == 3)
}

/// Says whether a draw looks like one that covers the target: few vertices, no vertex buffer,
/// viewport and scissor that leave nothing out.
pub fn is_full_screen(draw: &DrawFacts, pass: &Pass) -> bool {
    let area = pass.shape.area;
    let viewport = draw.viewport.is_some_and(|[x, y, width, height]| {
        let rect = vk::Rect2D {
            offset: vk::Offset2D { x, y: if height < 0 { y + height } else { y } },
            extent: vk::Extent2D { width: width.unsigned_abs(), height: height.unsigned_abs() },
        };
        contains(rect, area)
    });
    draw.draw.kind == DrawKind::Direct
        && (3..=6).contains(&draw.draw.vertices)
        && !draw.vertex_buffers
        && !draw.conditional
        && viewport
        && draw.scissor.is_some_and(|scissor| contains(scissor, area))
}

/// Says whether every texel of an aspect is overwritten before anything reads it.
pub fn overwritten_first(pass: &Pass, attachment: &Attachment, plane: usize) -> bool {
    let Some(ops) = attachment.aspects.get(plane) else { return false };
    let Some(facts) = pass.aspect(attachment.slot, plane) else { return false };
    match facts.first {
        Some(FirstUse::Clear(index)) => {
            pass.clears.get(index as usize).is_some_and(|c| c.covers_area && !c.conditional)
        }
        Some(FirstUse::Draw(_)) => overdrawn(pass, attachment, plane, ops) == Some(true),
        _ => false,
    }
}
