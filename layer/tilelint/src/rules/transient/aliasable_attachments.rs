#![doc = include_str!("aliasable_attachments.md")]

use ash::vk;

use super::lifetimes::{shared, uses};
use super::packing::{Life, block, pack};
use crate::call::{Line, QueueKey};
use crate::finding::{Beside, Confidence, Cost, Edit, Fix, Level, Tier};
use crate::model::{Frame, Image, without_digits};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "aliasable-attachments",
    group: Group::Transient,
    level: Level::Info,
    tier: Tier::F,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("aliasable_attachments.md"),
    checks: &[Check::Frame(check)],
};

/// Bytes saved that are worth the barriers.
pub const BYTES: RuleSetting = RuleSetting {
    rule: "aliasable-attachments",
    name: "bytes",
    default: 4 << 20,
    least: 1,
    most: u64::MAX,
    about: "bytes saved that are worth the barriers",
};
/// Images that are packed at most.
const MAX_IMAGES: usize = 256;

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    let Some(uses) = uses(frame) else { return };
    let shared = shared(cx.device);
    let mut found: Vec<(&Image, Life)> = Vec::new();
    for (image, used) in cx.device.images() {
        let Some(life) = uses.get(&image.id).filter(|life| life.fresh && !life.lost) else {
            continue;
        };
        let alone = image.placement.memory.is_some() && !shared.contains(&image.id);
        let live = cx.device.always_live(image.id).is_some();
        let needless = live || image.is_lazy() || is_transient(image);
        if !alone || used.other_role || !used.stored || needless {
            continue;
        }
        let Some(bytes) = image.memory_bytes() else { continue };
        found.push((image, Life { first: life.first, last: life.last, bytes }));
    }
    // Images come in no order.
    found.sort_by_key(|(image, life)| (life.first, image.id));
    found.truncate(MAX_IMAGES);
    // Queues run side by side: only what one of them uses follows each other.
    let queue_of = |image: &Image| uses.get(&image.id).map(|life| life.queue);
    while let Some(queue) = found.first().and_then(|(image, _)| queue_of(image)) {
        let (own, others) =
            found.into_iter().partition(|(image, _)| queue_of(image) == Some(queue));
        report(cx, queue, own);
        found = others;
    }
}

fn is_transient(image: &Image) -> bool {
    image.info.usage.contains(vk::ImageUsageFlags::TRANSIENT_ATTACHMENT)
}

fn report(cx: &mut Cx<'_>, queue: QueueKey, found: Vec<(&Image, Life)>) {
    let lives: Vec<Life> = found.iter().map(|(_, life)| *life).collect();
    let (offsets, peak) = pack(&lives);
    let overlaps = |a: usize, b: usize| {
        offsets[a] < offsets[b] + lives[b].bytes && offsets[b] < offsets[a] + lives[a].bytes
    };
    let count = found.len();
    let shares = |a: &usize| (0..count).any(|b| b != *a && overlaps(*a, b));
    let members: Vec<usize> = (0..count).filter(shares).collect();
    let all = members.iter().fold(!0u32, |all, index| {
        let allowed = found[*index].0.placement.allowed_types;
        if allowed == 0 { all } else { all & allowed }
    });
    let sum: u64 = lives.iter().map(|life| life.bytes).sum();
    let saved = sum.saturating_sub(peak);
    let worthwhile = saved >= cx.setting(&BYTES);
    let Some(first) = members.first().filter(|_| worthwhile && all != 0) else {
        return;
    };
    let image = found[*first].0;
    let mut place = Place::image(image, Field::Memory, cx.device);
    place.quote.marks[0].key = Field::Usage.key();
    place.location.call = Some("vkBindImageMemory");
    // One more attachment is no other finding: which of them share depends on all of them.
    let queue = cx.device.name_of(queue);
    let queue = if queue.given { without_digits(&queue.text) } else { String::new() };
    place.object = format!("attachments of queue {queue}");
    let names: Vec<String> =
        members.iter().map(|index| format!("`{}`", found[*index].0.name.text)).collect();
    let message = format!("{} attachments that never live at once have memory each", names.len());
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let why = format!(
        "the {count} that a frame begins afresh take {:.1} MB; placed by their lifetimes, with {} \
         in the same memory, {:.1} MB",
        megabytes(sum),
        names.join(", "),
        megabytes(peak)
    );
    let mut fix = Fix::text(
        "bind them to one allocation, each first use of a frame from layout UNDEFINED; the usages \
         need no ALIAS_BIT, which may switch compression off",
    );
    if let Some(kind) = memory_type(cx, all) {
        let block = format!("memory shared size={} type={kind}", block(&members, &offsets, &lives));
        let start = members.iter().map(|i| found[*i].0.line.0).min().unwrap_or(0);
        fix = fix.edit(Edit::insert("vkAllocateMemory", Beside::Before(Line(start)), block));
    }
    for index in &members {
        let at = format!("shared+{}", offsets[*index]);
        fix = fix.edit(edit_image(found[*index].0, Field::Memory, "own memory", &at));
        let image = found[*index].0;
        if index != first {
            place.objects.push((image.key.into(), image.name.text.to_string()));
        }
    }
    cx.report(
        Report::new(place, Confidence::Likely, message, why, fix)
            .cost(Cost::memory(saved))
            .assume("frames that were not seen use them in the same order"),
    );
}

/// A device-local memory type of those that all allow.
fn memory_type(cx: &Cx<'_>, allowed: u32) -> Option<usize> {
    let types = cx.device.memory_types.iter().enumerate();
    let mut fit = types.filter(|(index, (flags, _))| {
        let lazy = flags.contains(vk::MemoryPropertyFlags::LAZILY_ALLOCATED);
        let local = flags.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL);
        allowed & 1u32.checked_shl(*index as u32).unwrap_or(0) != 0 && local && !lazy
    });
    fit.next().map(|(index, _)| index)
}
