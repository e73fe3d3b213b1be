//! Images whose unchanged tiles a target does not write again, and the layouts that keep it so.

use ash::vk;

use crate::call::ImageOrigin;
use crate::model::{Attachment, Frame, Image, ImageId, Pass, Roles, Step, without_digits};
use crate::rule::{Cx, Place};
use crate::tiler::{forecast, shape_of};

/// Pixels of the smallest tile that has a signature: 16x16.
const SIGNED_PIXELS: u32 = 256;

/// The single-sampled colour attachments of a pass whose tiles have signatures: stored, of the
/// application's own making, alone in their memory, with one mip and a tile that is large enough.
pub fn color_targets<'a>(
    pass: &'a Pass,
    cx: &Cx<'_>,
) -> impl Iterator<Item = &'a Attachment> + use<'a> {
    let tile = shape_of(pass).and_then(|shape| forecast(&shape, cx.profile).tile);
    let signed = tile.is_some_and(|[width, height]| width * height >= SIGNED_PIXELS);
    let alone = |image: &Image| !cx.device.is_aliased(image.id);
    let targets: Vec<&Attachment> = pass
        .shape
        .attachments
        .iter()
        .filter(|a| {
            let stores = a
                .aspects
                .iter()
                .any(|ops| pass.shape.store_bytes(a, ops).is_some_and(|bytes| bytes > 0));
            signed && stores && a.samples == 1 && a.roles.any(Roles::COLOR)
        })
        .filter(|a| a.image.as_ref().is_some_and(|image| is_signed(image) && alone(image)))
        .collect();
    targets.into_iter()
}

fn is_signed(image: &Image) -> bool {
    let info = &image.info;
    info.origin == ImageOrigin::Application
        && info.mips == 1
        && !info.opaque
        && !info.external
        && !image.placement.external
        && !info.flags.contains(vk::ImageCreateFlags::ALIAS)
        && !info.usage.contains(vk::ImageUsageFlags::TRANSIENT_ATTACHMENT)
}

/// Says whether a pass draws to an image after a step of the frame, as a target with signatures.
pub fn next_color_pass(frame: &Frame, cx: &Cx<'_>, image: ImageId, after: u32) -> bool {
    let later = frame.passes().filter(|pass| pass.step.index > after);
    later.into_iter().any(|pass| draws_to(pass, cx, image))
}

/// Says whether a pass draws to an image as a target with signatures.
pub fn draws_to(pass: &Pass, cx: &Cx<'_>, image: ImageId) -> bool {
    let is = |a: &Attachment| a.image.as_ref().is_some_and(|own| own.id == image);
    color_targets(pass, cx).any(is)
}

/// Any pass of the frame draws to it in a layout that keeps signatures.
pub fn is_drawn_safely(frame: &Frame, cx: &Cx<'_>, image: ImageId) -> bool {
    frame.steps.iter().any(|step| match step {
        Step::Pass(pass) => draws_to(pass, cx, image) && is_safe_in(pass, image),
        _ => false,
    })
}

fn is_safe_in(pass: &Pass, image: ImageId) -> bool {
    let slot = |a: &&Attachment| a.image.as_ref().is_some_and(|own| own.id == image);
    let Some(slot) = pass.shape.attachments.iter().find(slot).map(|a| a.slot) else {
        return false;
    };
    pass.shape.subpasses.iter().flat_map(|subpass| subpass.color.iter().flatten()).any(|color| {
        color.attachment == slot && color.layout == vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL
    })
}

/// A layout in which only fragment shading writes the image.
pub fn is_safe(layout: vk::ImageLayout) -> bool {
    matches!(
        layout,
        vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL
            | vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL
            | vk::ImageLayout::TRANSFER_SRC_OPTIMAL
            | vk::ImageLayout::PRESENT_SRC_KHR
    )
}

/// Gives the place of a command the image that it concerns.
pub fn image_place(mut place: Place, image: &Image, field: &'static str) -> Place {
    place.location.image = Some(image.name.text.to_string());
    place.location.field = Some(field);
    place.object = without_digits(&image.name.text);
    place.objects.push((image.key.into(), image.name.text.to_string()));
    place
}
