#![doc = include_str!("unused_image_usage.md")]

use ash::vk;
use rustc_hash::FxHashSet;

use super::super::mend::attachment_usage;
use super::non_transient::stays_on_tile;
use crate::finding::{Confidence, Cost, Fix, Level, Tier};
use crate::model::{Frame, Image};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "unused-image-usage",
    group: Group::Transient,
    level: Level::Info,
    tier: Tier::F,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("unused_image_usage.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    let mut seen = FxHashSet::default();
    for (pass, attachment, _, _) in used_aspects(frame) {
        let Some(id) = attachment.image.as_ref().map(|image| image.id) else { continue };
        if !seen.insert(id) {
            continue;
        }
        let Some((image, used)) = cx.device.image(id) else { continue };
        let extra = image.info.usage & !(attachment_usage() | transient());
        if extra.is_empty() || cx.device.always_live(id).is_some() || !stays_on_tile(cx, used) {
            continue;
        }
        let mut place = Place::image(image, Field::Usage, cx.device);
        place.variant = Some(pass.variant);
        cx.report(report(image, extra, place));
    }
}

fn transient() -> vk::ImageUsageFlags {
    vk::ImageUsageFlags::TRANSIENT_ATTACHMENT
}

fn report(image: &Image, extra: vk::ImageUsageFlags, place: Place) -> Report {
    let name = &image.name.text;
    let words = flag_words(&extra);
    let message = format!("`{name}` has usage {words}, which nothing makes use of");
    let usage = flag_words(&image.info.usage);
    let wanted = flag_words(&(image.info.usage & !extra));
    let edit = edit_image(image, Field::Usage, &usage, &wanted);
    if image.info.usage.contains(transient()) {
        let why = "beside TRANSIENT_ATTACHMENT the API allows only attachment usages, and a \
                   driver may give such an image real memory";
        let fix = Fix::text(format!("usage = {wanted}")).edit(edit);
        return Report::new(place, Confidence::Certain, message, why, fix);
    }
    let why = "only these bits keep it from being a transient image, which needs no memory";
    let fix = Fix::text(format!("usage = {wanted}, then TRANSIENT_ATTACHMENT")).edit(edit);
    let bytes = image.memory_bytes().unwrap_or(0);
    Report::new(place, Confidence::Certain, message, why, fix).cost(Cost::memory(bytes))
}
