#![doc = include_str!("unaligned_render_area.md")]

use ash::vk;

use super::super::flow::{area_edit, pass_place, rect_text};
use crate::finding::{Beside, Confidence, Cost, Edit, Fix, Level, Tier};
use crate::model::{Attachment, Frame, Pass};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "unaligned-render-area",
    group: Group::LoadStore,
    level: Level::Info,
    tier: Tier::R,
    folds: &[],
    correctness: false,
    needs: Needs::NONE,
    since: "0.1",
    page: include_str!("unaligned_render_area.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    let Some(step) = cx.profile.store_granularity() else { return };
    for pass in frame.passes().filter(|pass| !pass.shape.opaque) {
        let stored = |a: &&Attachment| {
            let planes = pass.facts.get(a.slot as usize).into_iter().flatten();
            !a.is_rate() && planes.into_iter().any(|facts| facts.store.is_some())
        };
        let stored: Vec<&Attachment> = pass.shape.attachments.iter().filter(stored).collect();
        let cut = stored.iter().find_map(|a| rounded(pass.shape.area, edge(a)?, step));
        if let Some(to) = cut {
            report(cx, pass, step, to);
        }
    }
}

/// Size of what an attachment shows.
fn edge(attachment: &Attachment) -> Option<vk::Extent2D> {
    attachment.image.as_ref().map(|image| image.mip_extent(attachment.range.mip))
}

/// The area rounded outward, where its edges miss the steps and do not lie on the image's edge.
pub fn rounded(area: vk::Rect2D, edge: vk::Extent2D, step: [u32; 2]) -> Option<vk::Rect2D> {
    let [x, width] = round_side(area.offset.x, area.extent.width, edge.width, step[0])?;
    let [y, height] = round_side(area.offset.y, area.extent.height, edge.height, step[1])?;
    let to = vk::Rect2D {
        offset: vk::Offset2D { x: x as i32, y: y as i32 },
        extent: vk::Extent2D { width, height },
    };
    (to != area).then_some(to)
}

fn round_side(start: i32, length: u32, edge: u32, step: u32) -> Option<[u32; 2]> {
    let start = u32::try_from(start).ok()?;
    let end = start.checked_add(length)?;
    let from = start - start % step;
    let to = end.checked_next_multiple_of(step)?.min(edge.max(end));
    Some([from, to - from])
}

/// The draws keep to the old area, where a command can tell them to.
fn scissor(pass: &Pass) -> Option<Edit> {
    let draw = pass.draws.first()?;
    let dynamic = &draw.pipeline.as_ref()?.info.dynamic;
    let cut = draw.scissor.is_some_and(|rect| rect == pass.shape.area);
    let set = dynamic.contains(&vk::DynamicState::SCISSOR) && cut;
    let text = format!("set scissor={}", rect_text(pass.shape.area));
    let edit = Edit::insert("vkCmdSetScissor", Beside::Before(draw.line), text);
    set.then(|| edit.in_pass(pass))
}

fn report(cx: &mut Cx<'_>, pass: &Pass, [across, down]: [u32; 2], to: vk::Rect2D) {
    use vk::AttachmentLoadOp as L;
    let area = pass.shape.area;
    let field = Field::Other("area", "renderArea");
    let place = pass_place(pass, Some(field), cx.device);
    let message = format!("the render area of pass `{}` cuts through tiles", pass.name);
    let why = format!(
        "its edges lie on no multiple of {across}x{down} and not on the edge of the image, so the \
         tiles there are loaded even for a CLEAR, or stored the slow way"
    );
    let pixels = |rect: vk::Rect2D| u64::from(rect.extent.width) * u64::from(rect.extent.height);
    let (mut cost, mut keeps) = (Cost::default(), true);
    let texels = pass.shape.texels().max(1);
    for (attachment, plane, ops) in pass_aspects(pass) {
        let stores = pass.aspect(attachment.slot, plane).is_some_and(|f| f.store.is_some());
        if !attachment.stores() && !attachment.loads() {
            continue;
        }
        keeps &= stores && matches!(ops.load, Some(L::LOAD | L::NONE_EXT));
        if stores {
            let bytes = cx.aspect_bytes(pass, attachment, ops.aspect);
            let ring = (pixels(to) - pixels(area)) * bytes / texels;
            let ring = ring * u64::from(pass.shape.rendered_layers());
            cost = cost.plus(Cost { load_bytes: ring, store_bytes: ring, memory_bytes: 0 });
        }
    }
    let text = format!("renderArea = {}, and a scissor for the old area", rect_text(to));
    let text = if keeps {
        text
    } else {
        format!(
            "{text}, if the old texels of the added ring may change: CLEAR and DONT_CARE act on \
             all of it"
        )
    };
    let mut fix = Fix::text(text);
    if keeps {
        fix = fix.edit(area_edit(pass, to));
        fix.edits.extend(scissor(pass));
    }
    cx.report(
        Report::new(place, Confidence::Likely, message, why, fix)
            .cost(cost)
            .assume("the driver keeps what lies outside the area tile by tile"),
    );
}
