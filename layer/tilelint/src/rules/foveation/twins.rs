//! Passes that draw one scene twice.

use ash::vk;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::call::DrawKind;
use crate::model::{Attachment, DrawFacts, Frame, ImageId, Pass, Roles};

/// Draws of two eyes that may differ, in hundredths.
const MAY_DIFFER: u64 = 10;

/// A pass that draws a scene, with what comparing it takes.
pub(super) struct Scene<'a> {
    pub(super) pass: &'a Pass,
    /// Image and layer of each colour attachment.
    pub(super) colors: Vec<(Option<ImageId>, u32)>,
    draws: u64,
}

impl<'a> Scene<'a> {
    pub(super) fn new(pass: &'a Pass) -> Self {
        let colors = pass.shape.attachments.iter().filter(|a| a.roles.any(Roles::COLOR));
        let colors = colors.map(|a| (a.image.as_ref().map(|i| i.id), a.range.base_layer));
        let draws = pass.draws.iter().map(|d| u64::from(d.draw.times)).sum();
        Self { pass, colors: colors.collect(), draws }
    }

    /// The same pass again, for another layer or image, independent of the first.
    pub(super) fn is_twin(&self, other: &Self) -> bool {
        let (a, b) = (self.pass, other.pass);
        let (one, two) = (&a.shape, &b.shape);
        let alike = || {
            one.extent == two.extent
                && one.area.extent == two.area.extent
                && one.attachments.len() == two.attachments.len()
                && one.attachments.iter().zip(&two.attachments).all(|(x, y)| is_alike(x, y))
        };
        let apart =
            || targets(a).all(|id| !b.reads_image(id)) && targets(b).all(|id| !a.reads_image(id));
        a.queue == b.queue
            && self.colors.iter().all(|t| t.0.is_some() && !other.colors.contains(t))
            && alike()
            && draws_alike((&a.draws, self.draws), (&b.draws, other.draws))
            && apart()
    }
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
    let ops = |a: &Attachment| a.aspects.iter().map(|o| (o.load, o.store)).collect::<Ops>();
    a.format == b.format
        && a.samples == b.samples
        && a.roles == b.roles
        && a.range.mip == b.range.mip
        && ops(a) == ops(b)
}

/// Load and store ops of each aspect.
type Ops = SmallVec<[(Option<vk::AttachmentLoadOp>, Option<vk::AttachmentStoreOp>); 2]>;

/// All that makes two draws the same. Pipelines without shaders of their own are one, whatever
/// pass they were made for; one that is not known is no other's.
type DrawKey = (Option<u32>, DrawKind, u32, u32, u32);

fn key(facts: &DrawFacts) -> Option<DrawKey> {
    let pipeline = facts.pipeline.as_ref()?;
    let draw = &facts.draw;
    let pipeline = (!pipeline.built_in).then_some(pipeline.id);
    Some((pipeline, draw.kind, draw.vertices, draw.instances, facts.subpass))
}

/// Nearly the same draws in the same order: culling may drop a few for either eye.
fn draws_alike((a, n_a): (&[DrawFacts], u64), (b, n_b): (&[DrawFacts], u64)) -> bool {
    let most = n_a.max(n_b);
    let are_few = |draws: u64| draws * 100 <= most * MAY_DIFFER;
    if most == 0 || !are_few(n_a.abs_diff(n_b)) {
        return false;
    }
    let (mut common, mut from, mut missing) = (0u64, 0, 0u64);
    let mut places = None;
    for draw in a {
        let key_of_a = key(draw);
        let is_next = key_of_a.is_some() && b.get(from).is_some_and(|b| key(b) == key_of_a);
        let at = match key_of_a {
            Some(_) if is_next => Some(from),
            Some(key) => next(places.get_or_insert_with(|| places_of(b)), key, from),
            None => None,
        };
        let Some(at) = at else {
            missing += u64::from(draw.draw.times);
            if are_few(missing) {
                continue;
            }
            return false;
        };
        common += u64::from(draw.draw.times.min(b[at].draw.times));
        from = at + 1;
    }
    are_few(most - common)
}

/// Where each draw stands, in order.
type Places = FxHashMap<DrawKey, Vec<usize>>;

fn places_of(draws: &[DrawFacts]) -> Places {
    let mut places = Places::default();
    for (at, draw) in draws.iter().enumerate() {
        if let Some(key) = key(draw) {
            places.entry(key).or_default().push(at);
        }
    }
    places
}

/// The first place of a draw from one on.
fn next(places: &Places, key: DrawKey, from: usize) -> Option<usize> {
    let places = places.get(&key)?;
    places.get(places.partition_point(|at| *at < from)).copied()
}
