#![doc = include_str!("non_transient.md")]

use ash::vk;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::mend::transient_edits;
use crate::call::MemoryKey;
use crate::finding::{Confidence, Cost, Fix, Level, Tier};
use crate::model::{Frame, Image, ImageId, ImageUse};
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
    let (mut seen, mut in_shared) = (FxHashSet::default(), None);
    for (pass, attachment, _, _) in used_aspects(frame) {
        let Some(id) = attachment.image.as_ref().map(|image| image.id) else { continue };
        if !seen.insert(id) {
            continue;
        }
        let Some((image, used)) = cx.device.image(id) else { continue };
        let transient = vk::ImageUsageFlags::TRANSIENT_ATTACHMENT;
        if image.info.usage.contains(transient) || cx.device.always_live(id).is_some() {
            continue;
        }
        if !stays_on_tile(cx, used)
            || !has_own_memory(in_shared.get_or_insert_with(|| shared(cx)), image)
        {
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
fn has_own_memory(shared: &FxHashSet<ImageId>, image: &Image) -> bool {
    !shared.contains(&image.id) && image.info.mips == 1 && image.info.kind != vk::ImageType::TYPE_3D
}

/// The images of which some bytes are another image's too.
fn shared(cx: &Cx<'_>) -> FxHashSet<ImageId> {
    let mut places: FxHashMap<MemoryKey, Vec<(u64, u64, ImageId)>> = FxHashMap::default();
    for (image, _) in cx.device.images() {
        let place = &image.placement;
        if let Some(memory) = place.memory {
            let end = place.offset.saturating_add(place.size);
            places.entry(memory).or_default().push((place.offset, end, image.id));
        }
    }
    let mut shared = FxHashSet::default();
    for places in places.values_mut() {
        places.sort_unstable_by_key(|(start, ..)| *start);
        // Of the places up to each: the furthest end, and the furthest of another image.
        let mut furthest = Vec::with_capacity(places.len());
        let (mut first, mut second) = ((0, None), 0);
        for (_, end, id) in places.iter() {
            if *end > first.0 || first.1.is_none() {
                second = first.0;
                first = (*end, Some(*id));
            } else {
                second = second.max(*end);
            }
            furthest.push((first, second));
        }
        for (start, end, id) in places.iter() {
            let n_before_end = places.partition_point(|(other, ..)| other < end);
            let Some((first, second)) = n_before_end.checked_sub(1).map(|at| furthest[at]) else {
                continue;
            };
            let end_of_others = if first.1 == Some(*id) { second } else { first.0 };
            if end_of_others > *start {
                shared.insert(*id);
            }
        }
    }
    shared
}
