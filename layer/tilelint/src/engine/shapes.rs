//! Shapes of frames whose verdict is known, bounded.

use rustc_hash::FxHashMap;

use super::candidates::Key;

/// Frames of one shape that are judged before more of them only count.
const JUDGED_FRAMES: u32 = 8;
/// Shapes remembered.
pub const MAX_SHAPES: usize = 4096;
/// Findings that they name together.
pub const MAX_SAID: usize = 1 << 17;

/// What is remembered of a shape of frame.
#[derive(Default)]
struct Shape {
    judged: u32,
    /// [`DeviceModel::verdict_changes`](crate::model::DeviceModel::verdict_changes) when it was
    /// last judged.
    changes: u64,
    /// What was said of it.
    said: Vec<Key>,
    /// Frames that were looked up when it was last seen.
    last: u64,
}

/// Shapes by device and hash. Where they are too many, the half goes that was not seen for longer.
#[derive(Default)]
pub struct Shapes {
    of: FxHashMap<Key, Shape>,
    /// Findings that they name.
    said: usize,
    /// Frames looked up.
    frames: u64,
}

impl Shapes {
    /// Number of shapes, and of the findings that they name.
    pub fn sizes(&self) -> [usize; 2] {
        [self.of.len(), self.said]
    }

    /// What was said of a shape, where its verdict is known.
    pub fn verdict(&mut self, shape: Key, changes: u64, steady_frames: u32) -> Option<&[Key]> {
        self.frames += 1;
        let known = self.of.get_mut(&shape)?;
        known.last = self.frames;
        let is_known = known.judged >= JUDGED_FRAMES + steady_frames && known.changes == changes;
        is_known.then_some(&known.said[..])
    }

    /// This was said of a shape.
    pub fn judged(&mut self, shape: Key, changes: u64, said: Vec<Key>) {
        let known = self.of.entry(shape).or_default();
        self.said = self.said + said.len() - known.said.len();
        *known = Shape { judged: known.judged + 1, changes, said, last: self.frames };
        if self.of.len() > MAX_SHAPES || self.said > MAX_SAID {
            self.forget_half();
        }
    }

    fn forget_half(&mut self) {
        let mut seen: Vec<u64> = self.of.values().map(|shape| shape.last).collect();
        let (_, middle, _) = seen.select_nth_unstable(self.of.len() / 2);
        let middle = *middle;
        self.of.retain(|_, shape| shape.last >= middle);
        self.said = self.of.values().map(|shape| shape.said.len()).sum();
    }
}
