//! The steps of a frame by what they do to images and what they order.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::uses::{self, Use};
use crate::call::{BarrierTarget, HostAccess, ImageKey, Kind, MemoryKey, Object};
use crate::model::{DeviceModel, Frame, HostStep, Image, ImageId, Step};

/// Positions in a frame, ascending.
type Positions = Vec<usize>;

/// How a step uses an image; `None` where that is not known.
struct Used {
    at: usize,
    image: ImageId,
    how: Option<Use>,
}

/// What the steps of a frame do, each looked at once.
pub struct Steps<'a> {
    device: &'a DeviceModel,
    len: usize,
    /// Uses in the order of the steps, an image once for each.
    used: Vec<Used>,
    /// Indices into `used`.
    by_image: FxHashMap<ImageId, Vec<usize>>,
    /// Steps of which nothing is known.
    unknown: Positions,
    /// Accesses of the host to images and memory.
    host: Vec<(usize, &'a HostAccess)>,
    by_object: FxHashMap<Object, Positions>,
    /// Barriers on all memory, and on each image.
    memory_barriers: Positions,
    image_barriers: FxHashMap<ImageKey, Positions>,
}

fn any_in(positions: &[usize], range: &Range<usize>) -> bool {
    let from = positions.partition_point(|at| *at < range.start);
    positions.get(from).is_some_and(|at| *at < range.end)
}

impl<'a> Steps<'a> {
    /// Looks at every step once.
    pub fn new(frame: &'a Frame, device: &'a DeviceModel) -> Self {
        let mut steps = Self {
            device,
            len: frame.steps.len(),
            used: Vec::new(),
            by_image: FxHashMap::default(),
            unknown: Vec::new(),
            host: Vec::new(),
            by_object: FxHashMap::default(),
            memory_barriers: Vec::new(),
            image_barriers: FxHashMap::default(),
        };
        frame.steps.iter().enumerate().for_each(|(at, step)| steps.add(at, step));
        steps
    }

    fn add(&mut self, at: usize, step: &'a Step) {
        match uses::all(step) {
            Some(all) => all.into_iter().for_each(|(image, how)| self.add_use(at, image, how)),
            None => self.unknown.push(at),
        }
        match step {
            Step::Host { what, .. } => {
                if let HostStep::Access(access) = &**what {
                    self.host.push((at, access));
                    self.by_object.entry(access.object).or_default().push(at);
                }
            }
            Step::Barrier { facts, .. } => {
                for barrier in &facts.command.barriers {
                    match &barrier.target {
                        BarrierTarget::Image { image, .. } => {
                            self.image_barriers.entry(*image).or_default().push(at);
                        }
                        BarrierTarget::Memory => self.memory_barriers.push(at),
                        BarrierTarget::Buffer(_) => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn add_use(&mut self, at: usize, image: ImageId, how: Option<Use>) {
        let indices = self.by_image.entry(image).or_default();
        let last = indices.last().and_then(|index| self.used.get_mut(*index));
        match last.filter(|last| last.at == at) {
            Some(last) => last.how = last.how.zip(how).map(|(all, how)| all.and(how)),
            None => {
                indices.push(self.used.len());
                self.used.push(Used { at, image, how });
            }
        }
    }

    /// Steps around a position up to the barriers that order an image, or all memory.
    pub fn window(&self, position: usize, image: Option<&Image>) -> Range<usize> {
        let mut window = 0..self.len;
        for barriers in self.barriers(image) {
            let from = barriers.partition_point(|at| *at < position);
            let to = barriers.partition_point(|at| *at <= position);
            if let Some(before) = from.checked_sub(1) {
                window.start = window.start.max(barriers[before] + 1);
            }
            if let Some(behind) = barriers.get(to) {
                window.end = window.end.min(*behind);
            }
        }
        window
    }

    /// The first barrier that orders an image, or all memory.
    pub fn first_barred(&self, image: Option<&Image>) -> Option<usize> {
        self.barriers(image).filter_map(|barriers| barriers.first().copied()).min()
    }

    fn barriers(&self, image: Option<&Image>) -> impl Iterator<Item = &Positions> {
        let of_image = image.and_then(|image| self.image_barriers.get(&image.key));
        std::iter::once(&self.memory_barriers).chain(of_image)
    }

    fn uses(&self, image: ImageId, range: &Range<usize>) -> impl Iterator<Item = &Used> {
        let indices = self.by_image.get(&image).map_or(&[][..], Vec::as_slice);
        let from = indices.partition_point(|index| self.used[*index].at < range.start);
        let end = range.end;
        indices[from..].iter().map(|i| &self.used[*i]).take_while(move |used| used.at < end)
    }

    /// How steps use an image; `None` where that is not known.
    pub fn sum(&self, image: &Image, range: Range<usize>) -> Option<Use> {
        let memory = image.placement.memory.map(Object::from);
        let objects = [Some(image.key.into()), memory].into_iter().flatten();
        let mut host = objects.filter_map(|object| self.by_object.get(&object));
        if any_in(&self.unknown, &range) || host.any(|positions| any_in(positions, &range)) {
            return None;
        }
        self.uses(image.id, &range).try_fold(Use::default(), |all, used| Some(all.and(used.how?)))
    }

    /// The first step known to write an image.
    pub fn first_write(&self, image: &Image, range: Range<usize>) -> Option<usize> {
        let writes = |used: &&Used| used.how.is_some_and(|how| how.writes);
        self.uses(image.id, &range).find(writes).map(|used| used.at)
    }

    fn all_uses(&self, range: &Range<usize>) -> &[Used] {
        let from = self.used.partition_point(|used| used.at < range.start);
        let to = self.used.partition_point(|used| used.at < range.end);
        &self.used[from..to]
    }

    /// How steps use each image that lives; `None` where that is not known of one.
    pub fn sums(&self, range: Range<usize>) -> Option<FxHashMap<ImageId, Use>> {
        self.fold_all(range, false)
    }

    /// How steps use each image that lives until the first that writes it.
    pub fn sums_until_written(&self, range: Range<usize>) -> Option<FxHashMap<ImageId, Use>> {
        self.fold_all(range, true)
    }

    fn fold_all(&self, range: Range<usize>, only_reads: bool) -> Option<FxHashMap<ImageId, Use>> {
        let from = self.host.partition_point(|(at, _)| *at < range.start);
        let mut host = self.host[from..].iter().take_while(|(at, _)| *at < range.end);
        if any_in(&self.unknown, &range) || host.any(|(_, access)| self.is_of_image(access)) {
            return None;
        }
        // And whether no more counts.
        let mut sums: FxHashMap<ImageId, (Use, bool)> = FxHashMap::default();
        for used in self.all_uses(&range) {
            if self.device.image(used.image).is_none() {
                continue;
            }
            let (sum, is_over) = sums.entry(used.image).or_default();
            if !*is_over {
                let how = used.how?;
                *is_over = only_reads && how.writes;
                *sum = if *is_over { *sum } else { sum.and(how) };
            }
        }
        Some(sums.into_iter().map(|(image, (sum, _))| (image, sum)).collect())
    }

    /// Whether the host accesses an image that lives.
    fn is_of_image(&self, access: &HostAccess) -> bool {
        let key = access.object.key;
        match access.object.kind {
            Kind::Image => self.device.image_id(ImageKey(key)).is_some(),
            Kind::Memory => self.device.images_in(MemoryKey(key)).next().is_some(),
            _ => false,
        }
    }
}
