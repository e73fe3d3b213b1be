//! Where images lie in an allocation: what overlaps a range is found without looking at all.

use std::collections::BTreeMap;

use super::objects::ImageId;

/// Images by the bytes they take. Those of similar size stand together: of them, what overlaps a
/// range can begin no further before it than twice the least of their sizes.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Sizes by class, offset and image.
    sizes: BTreeMap<(u32, u64, ImageId), u64>,
    /// Classes that ever occurred, as bits.
    classes: u64,
}

/// The power of two that a size reaches.
fn class(size: u64) -> u32 {
    size.max(1).ilog2()
}

impl Places {
    /// An image is bound here.
    pub fn insert(&mut self, id: ImageId, offset: u64, size: u64) {
        self.classes |= 1 << class(size);
        self.sizes.insert((class(size), offset, id), size);
    }

    /// An image is gone that was bound here.
    pub fn remove(&mut self, id: ImageId, offset: u64, size: u64) {
        self.sizes.remove(&(class(size), offset, id));
    }

    /// Images of which some bytes lie in a range, with their offsets, in the order of creation.
    pub fn overlapping(&self, offset: u64, size: u64) -> Vec<(ImageId, u64)> {
        let end = offset.saturating_add(size);
        let mut found = Vec::new();
        for class in (0..u64::BITS).filter(|class| self.classes & 1 << class != 0) {
            let largest = u64::MAX >> (u64::BITS - 1 - class);
            let first = (class, offset.saturating_sub(largest), ImageId(0));
            let near = self.sizes.range(first..(class, end, ImageId(0)));
            let near = near.filter(|((_, start, _), size)| offset < start.saturating_add(**size));
            found.extend(near.map(|((_, start, id), _)| (*id, *start)));
        }
        found.sort_unstable();
        found
    }

    /// Number of images.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// All images, in no particular order.
    pub fn images(&self) -> impl Iterator<Item = ImageId> {
        self.sizes.keys().map(|(.., id)| *id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What looking at all would find.
    fn all(places: &[(ImageId, u64, u64)], offset: u64, size: u64) -> Vec<(ImageId, u64)> {
        let end = offset.saturating_add(size);
        let meets = |(_, start, size): &&(ImageId, u64, u64)| {
            *start < end && offset < start.saturating_add(*size)
        };
        places.iter().filter(meets).map(|(id, start, _)| (*id, *start)).collect()
    }

    #[test]
    fn finds_what_looking_at_all_finds() {
        let sizes = [0, 1, 2, 3, 4, 7, 8, 100, 1 << 40, u64::MAX];
        let offsets = [0, 1, 3, 8, 90, 108, 1 << 40, u64::MAX - 7, u64::MAX];
        let pairs = offsets.iter().flat_map(|offset| sizes.map(|size| (*offset, size)));
        let list: Vec<_> = (1..)
            .zip(pairs.clone())
            .map(|(id, (offset, size))| (ImageId(id), offset, size))
            .collect();
        let mut places = Places::default();
        list.iter().for_each(|(id, offset, size)| places.insert(*id, *offset, *size));
        for (offset, size) in pairs {
            assert_eq!(
                places.overlapping(offset, size),
                all(&list, offset, size),
                "{offset} {size}"
            );
        }
        assert_eq!(places.len(), list.len());
        list.iter().for_each(|(id, offset, size)| places.remove(*id, *offset, *size));
        assert_eq!(places.len(), 0);
    }
}
