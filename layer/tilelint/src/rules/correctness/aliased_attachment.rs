#![doc = include_str!("aliased_attachment.md")]

use super::super::dead;
use crate::call::Via;
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::{Attachment, Frame, Image, Pass, PassShape};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "aliased-attachment",
    group: Group::Correctness,
    level: Level::Warn,
    tier: Tier::R,
    folds: &["color-store", "depth-store", "stencil-store", "msaa-store", "dead-render-target"],
    correctness: true,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("aliased_attachment.md"),
    checks: &[Check::Pass(check), Check::Frame(check_frame)],
};

/// What the first look said folds what frames prove later only where it is said again.
fn check_frame(frame: &Frame, cx: &mut Cx<'_>) {
    frame.passes().for_each(|pass| check(pass, cx));
}

fn check(pass: &Pass, cx: &mut Cx<'_>) {
    let used: Vec<&Attachment> =
        pass.shape.attachments.iter().filter(|a| !a.is_rate() && !a.roles.is_none()).collect();
    for (index, second) in used.iter().enumerate() {
        for first in &used[..index] {
            if !shares_memory(&pass.shape, first, second) {
                continue;
            }
            let together = outputs_together(&pass.shape, first.slot, second.slot);
            let declared = first.may_alias && second.may_alias;
            if together.is_some() || (!declared && pass.shape.via != Via::Dynamic) {
                report(cx, pass, first, second, together);
            }
        }
    }
}

/// Both show a texel of the same memory.
fn shares_memory(shape: &PassShape, a: &Attachment, b: &Attachment) -> bool {
    let (Some(image), Some(other)) = (&a.image, &b.image) else { return false };
    if image.id != other.id {
        return overlaps_in_memory(image, other);
    }
    let aspects = a.aspects.iter().filter(|ops| ops.named);
    let both = aspects.filter_map(|ops| b.ops(ops.aspect)).any(|ops| ops.named);
    // Views of slices of one 3D image: which slices is not known.
    let known = a.range.whole && b.range.whole;
    let (from, to) = (a.range.base_layer, b.range.base_layer);
    let layers = shape.layer_indices().any(|i| shape.layer_indices().any(|j| from + i == to + j));
    known && both && a.range.mip == b.range.mip && layers
}

fn overlaps_in_memory(a: &Image, b: &Image) -> bool {
    let (a, b) = (&a.placement, &b.placement);
    a.memory.is_some()
        && a.memory == b.memory
        && a.size != 0
        && b.size != 0
        && a.offset < b.offset.saturating_add(b.size)
        && b.offset < a.offset.saturating_add(a.size)
}

/// The subpass in which both are outputs.
fn outputs_together(shape: &PassShape, a: u32, b: u32) -> Option<u32> {
    let subpass = shape.subpasses.iter().position(|subpass| {
        let mut outputs: Vec<u32> =
            subpass.color.iter().chain(&subpass.resolve).flatten().map(|r| r.attachment).collect();
        outputs.extend(subpass.depth.iter().map(|r| r.attachment));
        outputs.extend(subpass.depth_resolve.iter().map(|r| r.target.attachment));
        outputs.contains(&a) && outputs.contains(&b)
    });
    subpass.map(|subpass| subpass as u32)
}

fn report(
    cx: &mut Cx<'_>,
    pass: &Pass,
    first: &Attachment,
    second: &Attachment,
    together: Option<u32>,
) {
    let field = Field::Other("", "attachment");
    let mut place = Place::attachment(pass, second, None, field, cx.device);
    let quote = Place::attachment(pass, first, None, field, cx.device).quote;
    if let Some(line) = quote.lines.into_iter().next() {
        place = place.explained(first.line, line.text, "", "the same memory");
    }
    let same = first.image.as_ref().map(|i| i.id) == second.image.as_ref().map(|i| i.id);
    let (a, b) = (first.name(), second.name());
    let message = if same {
        format!("`{b}` is attached twice, in slots {} and {}", first.slot, second.slot)
    } else {
        format!("`{a}` and `{b}` are attached together and share memory")
    };
    let why = match together {
        Some(subpass) => format!(
            "both are outputs of subpass {subpass}: each has its own copy on the tile, and the one \
             stored last wins"
        ),
        None => {
            "without MAY_ALIAS the order in which the two reach memory is not defined".to_owned()
        }
    };
    let fix = match together {
        Some(_) => Fix::text("leave one of the two out").edit(dead::left_out(pass, second)),
        None => [first, second].into_iter().fold(
            Fix::text("flags |= MAY_ALIAS on both, with a dependency between the subpasses"),
            |fix, a| fix.edit(edit_op(pass, a, Field::Other("flags", "flags"), "", "MAY_ALIAS")),
        ),
    };
    cx.report(Report::new(place, Confidence::Certain, message, why, fix));
}
