//! What whole frames asked for, as a median.

use std::collections::BTreeMap;

use crate::model::Frame;

/// Different frames that are told apart at most; a program whose every frame differs is judged by
/// its first ones.
const MAX_KINDS: usize = 4096;

/// What a frame asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameTraffic {
    /// Bytes loaded.
    pub load_bytes: u64,
    /// Bytes stored.
    pub store_bytes: u64,
    /// Executed passes.
    pub passes: u32,
    /// The ops or formats of some passes are not known, so the bytes are a lower bound.
    pub partial: bool,
}

impl FrameTraffic {
    /// Sums the passes of a frame.
    pub fn of(frame: &Frame) -> Self {
        let mut sum = Self::default();
        for pass in frame.passes() {
            sum.passes += 1;
            sum.partial |= pass.shape.opaque;
            for attachment in &pass.shape.attachments {
                for ops in &attachment.aspects {
                    let load = pass.shape.load_bytes(attachment, ops);
                    let store = pass.shape.store_bytes(attachment, ops);
                    sum.partial |= load.is_none() || store.is_none();
                    sum.load_bytes += load.unwrap_or(0);
                    sum.store_bytes += store.unwrap_or(0);
                }
            }
        }
        sum
    }
}

/// Frames by what they asked for: total bytes first, so that the order finds the median.
type Kinds = BTreeMap<(u64, u64, u32, bool), u64>;

/// Counts frames by what they asked for.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    steady: Kinds,
    other: Kinds,
}

impl Traffic {
    /// Counts a frame.
    pub fn add(&mut self, frame: &Frame) {
        let sum = FrameTraffic::of(frame);
        let kinds = if frame.steady { &mut self.steady } else { &mut self.other };
        let key = (sum.load_bytes + sum.store_bytes, sum.load_bytes, sum.passes, sum.partial);
        if kinds.len() < MAX_KINDS || kinds.contains_key(&key) {
            *kinds.entry(key).or_default() += 1;
        }
    }

    /// Number of different frames that are told apart.
    pub fn len(&self) -> usize {
        self.steady.len() + self.other.len()
    }

    /// Says whether no frame was counted.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The median steady frame; of other frames where none is steady; `None` without frames.
    pub fn median(&self) -> Option<FrameTraffic> {
        let kinds = if self.steady.is_empty() { &self.other } else { &self.steady };
        let mut before = kinds.values().sum::<u64>().div_ceil(2);
        for ((total, load_bytes, passes, partial), frames) in kinds {
            before = before.saturating_sub(*frames);
            if before == 0 {
                return Some(FrameTraffic {
                    load_bytes: *load_bytes,
                    store_bytes: total - load_bytes,
                    passes: *passes,
                    partial: *partial,
                });
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_frame_is_a_frame_that_was() {
        assert_eq!(Traffic::default().median(), None);
        let mut traffic = Traffic::default();
        traffic.other.insert((7, 7, 1, false), 50);
        assert_eq!(traffic.median().map(|frame| frame.load_bytes), Some(7));
        traffic.steady.insert((0, 0, 0, false), 2);
        traffic.steady.insert((100, 60, 3, false), 2);
        traffic.steady.insert((900, 0, 9, true), 1);
        let median = traffic.median().expect("frames were counted");
        assert_eq!((median.load_bytes, median.store_bytes, median.passes), (60, 40, 3));
    }
}
