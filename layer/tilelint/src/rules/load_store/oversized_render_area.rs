#![doc = include_str!("oversized_render_area.md")]

use ash::vk;

use super::super::flow::{area_edit, pass_place, rect_text};
use super::unaligned_render_area::rounded;
use crate::finding::{Confidence, Cost, Fix, Level, Tier};
use crate::model::{Frame, Pass};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "oversized-render-area",
    group: Group::LoadStore,
    level: Level::Info,
    tier: Tier::R,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("oversized_render_area.md"),
    checks: &[Check::Frame(check)],
};

/// Share of the render area that draws fill, in percent, below which it is told.
pub const USED_PERCENT: RuleSetting = RuleSetting {
    rule: "oversized-render-area",
    name: "used_percent",
    default: 60,
    least: 1,
    most: 100,
    about: "share of the render area that draws fill, in percent, below which it is told",
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for pass in frame.passes().filter(|pass| !pass.unknown && !pass.shape.opaque) {
        let Some(used) = used(pass).filter(|_| shrinkable(pass)) else { continue };
        let step = cx.profile.store_granularity().unwrap_or([1, 1]);
        let to =
            within(rounded(used, edge(pass.shape.area), step).unwrap_or(used), pass.shape.area);
        if pixels(to) * 100 < pixels(pass.shape.area) * cx.setting(&USED_PERCENT) {
            report(cx, pass, to);
        }
    }
}

fn pixels(rect: vk::Rect2D) -> u64 {
    u64::from(rect.extent.width) * u64::from(rect.extent.height)
}

/// Where the render area ends: rounding reaches no further.
fn edge(area: vk::Rect2D) -> vk::Extent2D {
    let end = |offset: i32, extent: u32| (offset.max(0) as u32).saturating_add(extent);
    vk::Extent2D {
        width: end(area.offset.x, area.extent.width),
        height: end(area.offset.y, area.extent.height),
    }
}

/// The smallest rectangle that holds all that the draws and clears of the pass may touch.
fn used(pass: &Pass) -> Option<vk::Rect2D> {
    let area = pass.shape.area;
    let mut union: Option<vk::Rect2D> = None;
    let scissors = pass.draws.iter().map(|draw| draw.scissor);
    let clears = pass.clears.iter().flat_map(|clear| &clear.clear.rects);
    for rect in scissors.chain(clears.map(|rect| Some(rect.rect))) {
        let rect = within(rect?, area);
        if pixels(rect) != 0 {
            union = Some(union.map_or(rect, |union| around(union, rect)));
        }
    }
    union
}

/// Nothing outside the used part changes when the area shrinks to it: whatever is loaded is
/// stored as it was, nothing is cleared or resolved.
fn shrinkable(pass: &Pass) -> bool {
    let mut moves = false;
    let same = pass_aspects(pass).all(|(attachment, plane, ops)| {
        let stores = pass.aspect(attachment.slot, plane).is_some_and(|f| f.store.is_some());
        let loads = ops.load == Some(vk::AttachmentLoadOp::LOAD);
        moves |= attachment.loads() && (loads || stores);
        let kept = !stores || loads || ops.load == Some(vk::AttachmentLoadOp::NONE_EXT);
        kept && attachment.resolves.is_empty()
    });
    same && moves
}

fn within(rect: vk::Rect2D, area: vk::Rect2D) -> vk::Rect2D {
    let side = |from: i32, length: u32, low: i32, limit: u32| {
        let start = i64::from(from.max(low));
        let end = (i64::from(from) + i64::from(length)).min(i64::from(low) + i64::from(limit));
        (start as i32, (end - start).max(0) as u32)
    };
    let (x, width) = side(rect.offset.x, rect.extent.width, area.offset.x, area.extent.width);
    let (y, height) = side(rect.offset.y, rect.extent.height, area.offset.y, area.extent.height);
    vk::Rect2D { offset: vk::Offset2D { x, y }, extent: vk::Extent2D { width, height } }
}

fn around(a: vk::Rect2D, b: vk::Rect2D) -> vk::Rect2D {
    let side = |a: i32, a_length: u32, b: i32, b_length: u32| {
        let end = (i64::from(a) + i64::from(a_length)).max(i64::from(b) + i64::from(b_length));
        (a.min(b), (end - i64::from(a.min(b))) as u32)
    };
    let (x, width) = side(a.offset.x, a.extent.width, b.offset.x, b.extent.width);
    let (y, height) = side(a.offset.y, a.extent.height, b.offset.y, b.extent.height);
    vk::Rect2D { offset: vk::Offset2D { x, y }, extent: vk::Extent2D { width, height } }
}

fn report(cx: &mut Cx<'_>, pass: &Pass, to: vk::Rect2D) {
    let area = pass.shape.area;
    let field = Field::Other("area", "renderArea");
    let place = pass_place(pass, Some(field), cx.device);
    let share = pixels(to) * 100 / pixels(area).max(1);
    let message = format!("pass `{}` draws to {share} % of its render area at most", pass.name);
    let why = "the scissors of all its draws leave the rest out, which is loaded and stored all \
               the same";
    let saved = |bytes: u64| {
        let part = u128::from(bytes) * u128::from(pixels(to)) / u128::from(pixels(area).max(1));
        bytes.saturating_sub(part as u64)
    };
    let cost = pass_aspects(pass).fold(Cost::default(), |cost, (attachment, _, ops)| {
        let load = pass.shape.load_bytes(attachment, ops).unwrap_or(0);
        let store = pass.shape.store_bytes(attachment, ops).unwrap_or(0);
        cost.plus(Cost { load_bytes: saved(load), store_bytes: saved(store), memory_bytes: 0 })
    });
    let fix = Fix::text(format!("renderArea = {}", rect_text(to))).edit(area_edit(pass, to));
    cx.report(
        Report::new(place, Confidence::Likely, message, why, fix)
            .cost(cost)
            .assume("no draw uses a viewport and scissor but the first"),
    );
}
