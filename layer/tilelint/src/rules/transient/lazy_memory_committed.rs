#![doc = include_str!("lazy_memory_committed.md")]

use ash::vk;
use rustc_hash::FxHashSet;

use crate::call::{HostAccess, HostVerb, Kind, MemoryKey};
use crate::finding::{Confidence, Cost, Fix, Level, Tier};
use crate::model::{Frame, HostStep, Image, ImageId, Pass, Step};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "lazy-memory-committed",
    group: Group::Transient,
    level: Level::Warn,
    tier: Tier::D,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("lazy_memory_committed.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    let frames = cx.device.settings.steady_frames;
    // Such drivers commit all memory at once. Two frames more than a verdict takes let the rules
    // on stores speak first.
    if cx.device.info.has_extension("VK_KHR_portability_subset")
        || cx.device.frame_counts().1 < u64::from(frames) + 2
    {
        return;
    }
    for step in &frame.steps {
        let Step::Host { what, .. } = step else { continue };
        let HostStep::Access(access) = &**what else { continue };
        let asked = access.verb == HostVerb::Commitment && access.object.kind == Kind::Memory;
        if asked && access.bytes != 0 {
            report(frame, cx, access, frames);
        }
    }
}

fn report(frame: &Frame, cx: &mut Cx<'_>, access: &HostAccess, frames: u32) {
    let images = cx.device.images_in(MemoryKey(access.object.key)).map(|image| &**image);
    let mut images: Vec<&Image> = images.filter(|image| image.is_lazy()).collect();
    // Images come in no order.
    images.sort_by_key(|image| image.id);
    let Some(image) = images.first().copied() else { return };
    let mut place = Place::image(image, Field::Memory, cx.device);
    place.quote.marks[0].key = Field::Usage.key();
    place.location.call = Some("vkGetDeviceMemoryCommitment");
    let others = images.iter().skip(1);
    place.objects.extend(others.map(|i| (i.key.into(), i.name.text.to_string())));
    let names: Vec<String> = images.iter().map(|i| format!("`{}`", i.name.text)).collect();
    let message =
        format!("lazily allocated memory of {} was committed after all", names.join(", "));
    let of: FxHashSet<ImageId> = images.iter().map(|image| image.id).collect();
    let moved: Vec<String> = frame.passes().flat_map(|pass| moves(pass, &of)).take(8).collect();
    let (why, text) = if moved.is_empty() {
        (
            "no pass loads or stores it, so the driver did not keep it on the tile".to_owned(),
            "see what sends its pass to memory: a split between its subpasses, a tile that is too \
             small for it, or a command that the target draws without tiles"
                .to_owned(),
        )
    } else {
        (moved.join("; "), "storeOp and loadOp = DONT_CARE or CLEAR in these passes".to_owned())
    };
    cx.report(
        Report::new(place, Confidence::Certain, message, why, Fix::text(text))
            .cost(Cost::memory(access.bytes))
            .seen_over(frames),
    );
}

/// What a pass loads and stores of the images, in words.
fn moves(pass: &Pass, images: &FxHashSet<ImageId>) -> Vec<String> {
    let mut found = Vec::new();
    for (attachment, plane, ops) in pass_aspects(pass) {
        let image = attachment.image.as_ref();
        if !image.is_some_and(|image| images.contains(&image.id)) {
            continue;
        }
        let loads = ops.load == Some(vk::AttachmentLoadOp::LOAD) && attachment.loads();
        let stores = pass.aspect(attachment.slot, plane).is_some_and(|f| f.store.is_some());
        for (verb, _) in [("loads", loads), ("stores", stores)].iter().filter(|(_, does)| *does) {
            found.push(format!("pass `{}` {verb} `{}`", pass.name, attachment.name()));
        }
    }
    found
}
