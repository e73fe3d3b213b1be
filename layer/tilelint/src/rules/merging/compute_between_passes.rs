#![doc = include_str!("compute_between_passes.md")]

use std::sync::Arc;

use crate::call::Dispatch;
use crate::finding::{Confidence, Cost, Fix, Level, Tier};
use crate::model::{
    Attachment, DeviceModel, Frame, ImageId, ImageRead, Pass, Read, Step, StepRef, without_digits,
};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "compute-between-passes",
    group: Group::Merging,
    level: Level::Info,
    tier: Tier::S,
    folds: &["fragment-compute-fragment"],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("compute_between_passes.md"),
    checks: &[Check::Frame(check)],
};

/// Texels read for each one written from which on a dispatch looks at the whole picture.
const GLOBAL: u64 = 4096;

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for (index, step) in frame.steps.iter().enumerate() {
        let Step::Dispatch { step, dispatch, reads, writes, .. } = step else { continue };
        let before = frame.steps.iter().take(index).rev().find_map(as_pass);
        let after = frame.steps.iter().skip(index + 1).find_map(as_pass);
        let (Some(before), Some(after)) = (before, after) else { continue };
        let known = |pass: &Pass| !pass.unknown && !pass.shape.opaque;
        if known(before) && known(after) {
            judge(cx, (step, dispatch), (reads, writes), before, after);
        }
    }
}

fn as_pass(step: &Step) -> Option<&Pass> {
    match step {
        Step::Pass(pass) => Some(pass),
        _ => None,
    }
}

fn judge(
    cx: &mut Cx<'_>,
    (step, dispatch): (&Arc<StepRef>, &Dispatch),
    (reads, writes): (&[ImageRead], &[ImageId]),
    before: &Pass,
    after: &Pass,
) {
    let read = |id: ImageId| reads.iter().any(|r| r.image == id && r.how != Read::Perhaps);
    let drawn = before.shape.attachments.iter().filter(|a| a.stores());
    let mut drawn = drawn.filter(|a| a.image.as_ref().is_some_and(|i| read(i.id)));
    let Some(attachment) = drawn.next() else { return };
    let Some(image) = &attachment.image else { return };
    let fed = writes.iter().find(|id| **id != image.id && after.reads_image(**id));
    let Some((fed, _)) = fed.and_then(|id| cx.device.image(*id)) else { return };
    let one = dispatch.indirect || dispatch.groups == [1, 1, 1];
    let few = texels(image) >= texels(fed).saturating_mul(GLOBAL);
    if one || few || !goes_on(after, image.id) {
        return;
    }
    let place = place(step, dispatch, before, attachment, cx.device);
    let name = attachment.name();
    let message =
        format!("a dispatch between passes `{}` and `{}` reads `{name}`", before.name, after.name);
    let why = format!("`{name}` is stored for it, and pass `{}` takes it up again", after.name);
    let per_tile = cx.device.info.has_extension("VK_QCOM_tile_shading")
        || cx.device.info.has_extension("VK_HUAWEI_subpass_shading");
    let fix = Fix::text(if per_tile {
        "dispatch inside the pass, per tile: the device has an extension for it"
    } else {
        "where the device has per-tile dispatches, dispatch inside the pass; else compute from \
         the picture of the frame before, or before the pass"
    });
    let bytes: u64 =
        attachment.aspects.iter().map(|ops| cx.aspect_bytes(before, attachment, ops.aspect)).sum();
    let cost = Cost { load_bytes: bytes, store_bytes: bytes, memory_bytes: 0 };
    cx.report(
        Report::new(place, Confidence::Likely, message, why, fix)
            .cost(cost)
            .assume("each work group looks at the texels of one tile alone"),
    );
}

fn texels(image: &crate::model::Image) -> u64 {
    let extent = image.info.extent;
    u64::from(extent.width) * u64::from(extent.height) * u64::from(image.info.layers)
}

/// The pass draws on, tests against or reads the image.
fn goes_on(pass: &Pass, image: ImageId) -> bool {
    let attached = pass.shape.attachments.iter().any(|a| {
        a.loads()
            && a.image.as_ref().is_some_and(|i| i.id == image)
            && a.aspects.iter().any(|ops| ops.load == Some(ash::vk::AttachmentLoadOp::LOAD))
    });
    attached || pass.reads_image(image)
}

fn place(
    step: &Arc<StepRef>,
    dispatch: &Dispatch,
    before: &Pass,
    attachment: &Attachment,
    device: &DeviceModel,
) -> Place {
    let [x, y, z] = dispatch.groups;
    let mut place = Place::step(step, format!("dispatch groups={x}x{y}x{z}"), "", device);
    let pass = Place::pass(before, device);
    place.location = pass.location;
    place.variant = pass.variant;
    place.location.image = attachment.image.as_ref().map(|image| image.name.text.to_string());
    place.object = without_digits(&attachment.name());
    place
}
