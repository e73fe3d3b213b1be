#![doc = include_str!("fullscreen_quad.md")]

use ash::vk;

use super::super::flow::pass_place;
use super::depth_draws::draw_text;
use crate::call::DrawKind;
use crate::finding::{Confidence, Edit, EditObject, Fix, Level, Mark, QuoteLine, Tier};
use crate::model::{DrawFacts, Frame, Pass};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "fullscreen-quad",
    group: Group::HiddenSurface,
    level: Level::Allow,
    tier: Tier::R,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("fullscreen_quad.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for pass in frame.passes().filter(|pass| !pass.unknown && !pass.shape.opaque) {
        if let Some(draw) = pass.draws.iter().find(|draw| is_quad(pass, draw)) {
            report(pass, draw, cx);
        }
    }
}

/// Two triangles without vertex buffers over the whole render area, in a subpass without depth.
fn is_quad(pass: &Pass, draw: &DrawFacts) -> bool {
    use vk::PrimitiveTopology as T;
    let Some(pipeline) = &draw.pipeline else { return false };
    let subpass = pass.shape.subpasses.get(draw.subpass as usize);
    let vertices = match pipeline.info.topology {
        _ if pipeline.info.dynamic.contains(&vk::DynamicState::PRIMITIVE_TOPOLOGY) => return false,
        T::TRIANGLE_STRIP | T::TRIANGLE_FAN => 4,
        T::TRIANGLE_LIST => 6,
        _ => return false,
    };
    let area = pass.shape.area;
    let covers = |x: i32, y: i32, width: u32, height: u32| {
        x <= area.offset.x
            && y <= area.offset.y
            && i64::from(x) + i64::from(width)
                >= i64::from(area.offset.x) + i64::from(area.extent.width)
            && i64::from(y) + i64::from(height)
                >= i64::from(area.offset.y) + i64::from(area.extent.height)
    };
    let viewport = draw.viewport.is_some_and(|[x, y, width, height]| {
        covers(x, y, width.max(0) as u32, height.max(0) as u32)
    });
    let scissor = draw.scissor.is_some_and(|rect| {
        covers(rect.offset.x, rect.offset.y, rect.extent.width, rect.extent.height)
    });
    let one = draw.draw.times == 1 && draw.draw.instances == 1;
    subpass.is_some_and(|subpass| subpass.depth.is_none())
        && matches!(draw.draw.kind, DrawKind::Direct | DrawKind::Indexed)
        && draw.draw.vertices == vertices
        && !draw.vertex_buffers
        && draw.effect.color_writes != 0
        && one
        && viewport
        && scissor
}

fn report(pass: &Pass, draw: &DrawFacts, cx: &mut Cx<'_>) {
    let mut place = pass_place(pass, None, cx.device);
    place.location.call = Some("vkCmdDraw");
    place.quote.lines = vec![QuoteLine { number: draw.line.0, text: draw_text(draw) }];
    place.quote.marks =
        vec![Mark { line: 0, key: "vertices", label: String::new(), primary: true }];
    let message = "two triangles cover the target where one would";
    let why = "along the diagonal both triangles shade the same 2x2 pixels, and tiles on it hold \
               two primitives";
    let from = draw.draw.vertices.to_string();
    let edit = Edit::set(EditObject::Command, "draw", "vertexCount", from, "3");
    let fix = Fix::text("draw 3 vertices: one triangle that reaches beyond two edges")
        .edit(edit.in_pass(pass).said_by("vertices", draw.line));
    let report = Report::new(place, Confidence::Likely, message, why, fix)
        .assume("the vertex shader makes a quad over the whole viewport");
    cx.report(report);
}
