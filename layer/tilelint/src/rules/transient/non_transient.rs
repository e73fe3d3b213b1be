#![doc = include_str!("non_transient.md")]

use ash::vk;

use super::super::mend::transient_edits;
use crate::finding::{Confidence, Cost, Fix, Level, Tier};
use crate::model::{Frame, Image, ImageUse};
use crate::profile::LazyMemory;
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "non-transient",
    group: Group::Transient,
    level: Level::Warn,
    tier: Tier::F,
    folds: &["unused-image-usage"],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("non_transient.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    let mut seen = Vec::new();
    for (pass, attachment, _, _) in used_aspects(frame) {
        let Some(id) = attachment.image.as_ref().map(|image| image.id) else { continue };
        if seen.contains(&id) {
            continue;
        }
        seen.push(id);
        let Some((image, used)) = cx.device.image(id) else { continue };
        let transient = vk::ImageUsageFlags::TRANSIENT_ATTACHMENT;
        if image.info.usage.contains(transient) || cx.device.always_live(id).is_some() {
            continue;
        }
        if !stays_on_tile(cx, used) || !has_own_memory(cx, image) {
            continue;
        }
        let bytes = image.memory_bytes().unwrap_or(0);
        let mut place = Place::image(image, Field::Usage, cx.device);
        place.variant = Some(pass.variant);
        let message = format!(
            "`{}` never needs to leave the tile, yet it has memory of its own",
            image.name.text
        );
        let why = "every pass that uses it clears or ignores what it held and drops what it drew";
        let [usage, memory] = transient_edits(image, image.info.usage);
        let fix = Fix::text(format!("usage = {}, bound to LAZILY_ALLOCATED memory", usage.to))
            .edit(usage)
            .edit(memory);
        let mut report =
            Report::new(place, Confidence::Certain, message, why, fix).cost(Cost::memory(bytes));
        if cx.profile.lazy_memory == LazyMemory::No {
            report = report.at_most(Level::Info, "this target offers no lazily allocated memory");
        }
        cx.report(report);
    }
}

/// Every use so far left nothing in memory that anything needs.
pub(super) fn stays_on_tile(cx: &Cx<'_>, used: &ImageUse) -> bool {
    used.passes > 0
        && !used.loaded
        && !used.elsewhere()
        && !used.other_role
        && !used.stored_elsewhere
        && used.stores.iter().all(|store| cx.device.fate(*store).is_dead())
}

/// An image that shares its memory with others costs nothing of its own.
fn has_own_memory(cx: &Cx<'_>, image: &Image) -> bool {
    let (memory, start) = (image.placement.memory, image.placement.offset);
    let end = start.saturating_add(image.placement.size);
    let shared = cx.device.images().any(|(other, _)| {
        let place = &other.placement;
        let overlaps = place.offset < end && start < place.offset.saturating_add(place.size);
        other.id != image.id && memory.is_some() && place.memory == memory && overlaps
    });
    !shared && image.info.mips == 1 && image.info.kind != vk::ImageType::TYPE_3D
}
