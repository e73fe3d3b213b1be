#![doc = include_str!("host_visible_attachment.md")]

use ash::vk;

use super::whole_life::{Target, is_for_the_host, targets};
use crate::call::ImageOrigin;
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::{Frame, Image};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "host-visible-attachment",
    group: Group::TileBudget,
    level: Level::Warn,
    tier: Tier::C,
    folds: &["compression-blocker"],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("host_visible_attachment.md"),
    checks: &[Check::Frame(check)],
};

const TILING: Field = Field::Other("tiling", "tiling");

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for target in targets(frame, cx) {
        let image = &target.image;
        let own = image.info.origin == ImageOrigin::Application;
        if !own || is_for_the_host(image, target.used) {
            continue;
        }
        if image.info.tiling == vk::ImageTiling::LINEAR {
            report_linear(&target, cx);
        } else if let Some(better) = device_local_type(image, cx) {
            report_memory(&target, better, cx);
        }
    }
}

fn report_linear(target: &Target<'_>, cx: &mut Cx<'_>) {
    let image = &target.image;
    let mut place = Place::image(image, TILING, cx.device);
    place.variant = Some(target.pass.variant);
    let message = format!("`{}` is drawn to with LINEAR tiling", image.name.text);
    let why = "rows instead of blocks: tiles are stored in pieces, uncompressed, and texture \
               caches fetch more than they need";
    let mut fix = Fix::text("tiling = OPTIMAL in DEVICE_LOCAL memory")
        .edit(edit_image(image, TILING, "LINEAR", "OPTIMAL"));
    if device_local_type(image, cx).is_some() {
        fix = fix.edit(edit_image(image, Field::Memory, "", "DEVICE_LOCAL"));
    }
    let copy = Fix::text("for the host: draw to an OPTIMAL image and copy it into a buffer");
    cx.report(Report::new(place, Confidence::Certain, message, why, fix).or_fix(copy));
}

fn report_memory(target: &Target<'_>, better: usize, cx: &mut Cx<'_>) {
    let image = &target.image;
    let mut place = Place::image(image, Field::Memory, cx.device);
    place.variant = Some(target.pass.variant);
    place.location.call = Some("vkBindImageMemory");
    let message = format!(
        "`{}` is drawn to in memory that is not DEVICE_LOCAL, though such a type is offered",
        image.name.text
    );
    let why = "every load and store of the pass goes to memory that is far from the GPU or not \
               cached by it";
    let fix = Fix::text(format!("bind it to memory type {better} (DEVICE_LOCAL)"))
        .edit(edit_image(image, Field::Memory, "", "DEVICE_LOCAL"));
    cx.report(Report::new(place, Confidence::Certain, message, why, fix));
}

/// A device-local type that the image allows, where its own is none. Types that it is not known
/// to allow prove nothing.
fn device_local_type(image: &Image, cx: &Cx<'_>) -> Option<usize> {
    use vk::MemoryPropertyFlags as F;
    if image.placement.flags?.contains(F::DEVICE_LOCAL) {
        return None;
    }
    let allows = |index: usize| {
        let bit = 1u32.checked_shl(index as u32).unwrap_or(0);
        image.placement.allowed_types & bit != 0
    };
    let types = cx.device.memory_types.iter().enumerate();
    types
        .filter(|(index, _)| allows(*index))
        .find(|(_, (flags, _))| {
            flags.contains(F::DEVICE_LOCAL) && !flags.contains(F::LAZILY_ALLOCATED)
        })
        .map(|(index, _)| index)
}
