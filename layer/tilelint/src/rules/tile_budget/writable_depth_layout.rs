#![doc = include_str!("writable_depth_layout.md")]

use ash::vk;

use crate::call::{AttachmentReference, Via};
use crate::finding::{Confidence, Edit, EditObject, Fix, Level, Tier};
use crate::format::Aspect;
use crate::model::{Attachment, Frame, Pass};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "writable-depth-layout",
    group: Group::TileBudget,
    level: Level::Info,
    tier: Tier::R,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("writable_depth_layout.md"),
    checks: &[Check::Frame(check)],
};

const LAYOUT: Field = Field::Other("layout", "layout");

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    if !cx.profile.read_only_depth_is_faster() {
        return;
    }
    for pass in frame.passes().filter(|pass| !pass.shape.opaque && !pass.unknown) {
        for (index, subpass) in pass.shape.subpasses.iter().enumerate() {
            let Some(reference) = subpass.depth.filter(is_writable) else { continue };
            let Some(depth) = pass.shape.attachments.get(reference.attachment as usize) else {
                continue;
            };
            let Some(writes_stencil) = only_tests(pass, index as u32) else { continue };
            if may_be_read_only(pass, depth, index, cx) {
                report(cx, pass, depth, index as u32, reference.layout, writes_stencil);
            }
        }
    }
}

/// A layout that is for writing depth: GENERAL may be there for other reasons.
fn is_writable(reference: &AttachmentReference) -> bool {
    matches!(
        reference.layout,
        vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL
            | vk::ImageLayout::DEPTH_ATTACHMENT_OPTIMAL
            | vk::ImageLayout::DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL
    )
}

/// Every draw of the subpass is known, some test depth and none writes it; says whether stencil
/// is written.
fn only_tests(pass: &Pass, subpass: u32) -> Option<bool> {
    let draws = || pass.draws.iter().filter(|draw| draw.subpass == subpass);
    let clears = pass.clears.iter().any(|clear| {
        let both = vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL;
        let mut aspects = clear.clear.attachments.iter();
        clear.subpass == subpass && aspects.any(|(aspect, ..)| aspect.intersects(both))
    });
    let known = |unknown: bool| !unknown;
    let quiet = draws().all(|draw| known(draw.effect.unknown) && !draw.effect.depth_writes);
    let tests = draws().any(|draw| draw.effect.depth_reads);
    let stencil = draws().any(|draw| draw.effect.stencil_writes);
    (quiet && tests && !clears).then_some(stencil)
}

/// A read-only layout forbids a CLEAR in it; what the subpass tests against must come from memory
/// or from an earlier subpass. No other execution of the pass wrote it.
fn may_be_read_only(pass: &Pass, depth: &Attachment, subpass: usize, cx: &Cx<'_>) -> bool {
    let Some(plane) = depth.aspects.iter().position(|ops| ops.aspect == Aspect::Depth) else {
        return false;
    };
    let is_depth = |s: &crate::call::SubpassDescription| {
        s.depth.is_some_and(|depth_ref| depth_ref.attachment == depth.slot)
    };
    let first = pass.shape.subpasses.iter().position(is_depth) == Some(subpass);
    let resolved = depth.resolves.iter().any(|resolve| resolve.subpass as usize == subpass);
    if !first {
        return !resolved;
    }
    let ops = &depth.aspects[plane];
    let stencil_clears = depth
        .ops(Aspect::Stencil)
        .is_some_and(|stencil| stencil.named && stencil.load == Some(vk::AttachmentLoadOp::CLEAR));
    let alone = pass.shape.subpasses.len() == 1;
    let written = alone && cx.device.touches(pass.variant, depth.slot, plane).1;
    ops.named
        && ops.load == Some(vk::AttachmentLoadOp::LOAD)
        && !stencil_clears
        && !written
        && !resolved
}

fn report(
    cx: &mut Cx<'_>,
    pass: &Pass,
    depth: &Attachment,
    subpass: u32,
    from: vk::ImageLayout,
    writes_stencil: bool,
) {
    let mut place = Place::attachment(pass, depth, Some(Aspect::Depth), LAYOUT, cx.device);
    place.location.subpass = (pass.shape.subpasses.len() > 1).then_some(subpass);
    place.quote.marks[0].key = "";
    let to = if writes_stencil {
        "DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL"
    } else {
        "DEPTH_STENCIL_READ_ONLY_OPTIMAL"
    };
    let message = format!(
        "depth of `{}` is only tested, yet its layout lets the pass write it",
        depth.name()
    );
    let why = "with a layout that no draw can write, hidden fragments can be rejected before they \
               are shaded, whatever the shaders do";
    let field = match pass.shape.via {
        Via::Dynamic => "imageLayout",
        _ => "layout",
    };
    let described = pass.shape.subpasses.get(subpass as usize);
    let own =
        described.map(|s| s.line).filter(|line| pass.shape.subpasses.len() > 1 && line.0 != 0);
    // The reference of a subpass carries its layout; the short form says it of the attachment.
    let edit = match own {
        Some(line) => {
            let name = identifier(&depth.name());
            let (from, to) = (format!("{name}:{}", flag_words(&from)), format!("{name}:{to}"));
            Edit::set(EditObject::Subpass, format!("subpass {subpass}"), field, from, to)
                .in_pass(pass)
                .slot(subpass)
                .said_by("depth", line)
        }
        None => edit_op(pass, depth, Field::Other("layout", field), &flag_words(&from), to),
    };
    let fix = Fix::text(format!("{field} = {to} in this subpass")).edit(edit);
    let report = Report::new(place, Confidence::Likely, message, why, fix);
    cx.report(report.assume("the driver decides by the layout when depth is tested"));
}
