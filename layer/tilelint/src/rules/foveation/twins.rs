//! Passes that draw one scene twice.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::{Attachment, DrawFacts, Frame, ImageId, Pass, Roles};

/// Draws of two eyes that may differ, in hundredths.
const MAY_DIFFER: u64 = 10;

/// The same pass again, for another layer or image, independent of the first.
pub(super) fn is_twin(a: &Pass, b: &Pass) -> bool {
    let (one, two) = (&a.shape, &b.shape);
    let alike = one.extent == two.extent
        && one.area.extent == two.area.extent
        && one.attachments.len() == two.attachments.len()
        && one.attachments.iter().zip(&two.attachments).all(|(x, y)| is_alike(x, y));
    let color = |shape: &[Attachment]| {
        let colors = shape.iter().filter(|a| a.roles.any(Roles::COLOR));
        colors.map(|a| (a.image.as_ref().map(|i| i.id), a.range.base_layer)).collect::<Vec<_>>()
    };
    let (colors_a, colors_b) = (color(&one.attachments), color(&two.attachments));
    let apart =
        || targets(a).all(|id| !b.reads_image(id)) && targets(b).all(|id| !a.reads_image(id));
    alike
        && a.queue == b.queue
        && colors_a.iter().all(|target| target.0.is_some() && !colors_b.contains(target))
        && draws_alike(&a.draws, &b.draws)
        && apart()
}

/// The passes that read what pairs drew, by the image.
pub(super) type Readers = FxHashMap<ImageId, FxHashSet<u32>>;

pub(super) fn readers(frame: &Frame, pairs: &[(&Pass, &Pass)]) -> Readers {
    let drawn = pairs.iter().flat_map(|(a, b)| targets(a).chain(targets(b)));
    let mut readers: Readers = drawn.map(|id| (id, FxHashSet::default())).collect();
    if readers.is_empty() {
        return readers;
    }
    for pass in frame.passes() {
        for read in &pass.reads {
            if let Some(by) = readers.get_mut(&read.image) {
                by.insert(pass.step.index);
            }
        }
    }
    readers
}

/// One pass makes one picture of what both drew: they are layers of it, not eyes.
pub(super) fn are_joined(readers: &Readers, a: &Pass, b: &Pass) -> bool {
    let of = |pass| targets(pass).filter_map(|id| readers.get(&id)).flatten();
    let of_a: FxHashSet<_> = of(a).collect();
    of(b).any(|reader| of_a.contains(reader))
}

fn targets(pass: &Pass) -> impl Iterator<Item = ImageId> + '_ {
    let stored = pass.shape.attachments.iter().filter(|attachment| attachment.stores());
    stored.filter_map(|attachment| attachment.image.as_ref()).map(|image| image.id)
}

fn is_alike(a: &Attachment, b: &Attachment) -> bool {
    let ops = |a: &Attachment| a.aspects.iter().map(|o| (o.load, o.store)).collect::<Vec<_>>();
    a.format == b.format
        && a.samples == b.samples
        && a.roles == b.roles
        && a.range.mip == b.range.mip
        && ops(a) == ops(b)
}

/// Nearly the same draws in the same order: culling may drop a few for either eye.
fn draws_alike(a: &[DrawFacts], b: &[DrawFacts]) -> bool {
    let same = |a: &DrawFacts, b: &DrawFacts| {
        let size = |d: &DrawFacts| (d.draw.kind, d.draw.vertices, d.draw.instances, d.subpass);
        // Pipelines without shaders of their own are one, whatever pass they were made for.
        let pipelines = a.pipeline.as_ref().zip(b.pipeline.as_ref());
        pipelines.is_some_and(|(a, b)| a.id == b.id || (a.built_in && b.built_in))
            && size(a) == size(b)
    };
    let count = |draws: &[DrawFacts]| draws.iter().map(|d| u64::from(d.draw.times)).sum::<u64>();
    let most = count(a).max(count(b));
    let are_few = |draws: u64| draws * 100 <= most * MAY_DIFFER;
    if most == 0 || !are_few(count(a).abs_diff(count(b))) {
        return false;
    }
    let (mut common, mut from, mut missing) = (0u64, 0, 0u64);
    for draw in a {
        let Some(at) = b[from..].iter().position(|other| same(draw, other)) else {
            missing += u64::from(draw.draw.times);
            // No further look then: each goes through all that is left.
            if !are_few(missing) {
                return false;
            }
            continue;
        };
        common += u64::from(draw.draw.times.min(b[from + at].draw.times));
        from += at + 1;
    }
    are_few(most - common)
}
