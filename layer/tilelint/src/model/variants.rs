//! Pass variants that a device remembers: how many they may be, and which of them go.

use rustc_hash::FxHashMap;

use super::device::DeviceModel;

/// Variants that are remembered at most, unless the last [`KEPT_FRAMES`] had more.
pub const MAX_VARIANTS: usize = 1 << 14;
/// What one of so many last frames had is remembered: steady frames may take turns.
pub const KEPT_FRAMES: u64 = 64;

/// Frames in which a pass variant occurred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VariantCount {
    /// Frames.
    pub frames: u64,
    /// Steady frames.
    pub steady: u64,
    /// First frame.
    pub first: u64,
    /// First steady frame.
    pub first_steady: Option<u64>,
    /// Last frame.
    pub last: u64,
    /// Occurrences in the last frame.
    pub per_frame: u32,
}

impl VariantCount {
    /// This count and a later one of the same variant, between which it was forgotten.
    #[must_use]
    pub fn then(self, later: Self) -> Self {
        match (self.frames, later.frames) {
            (_, 0) => self,
            (0, _) => later,
            _ => Self {
                frames: self.frames + later.frames,
                steady: self.steady + later.steady,
                first_steady: self.first_steady.or(later.first_steady),
                first: self.first,
                ..later
            },
        }
    }
}

impl DeviceModel {
    /// Forgets variants where they are too many: those that no frame had for the longest time.
    /// What is known of their stores goes with them. Returns them with their counts.
    pub(super) fn forget_variants(&mut self) -> FxHashMap<u64, VariantCount> {
        let mut forgotten = FxHashMap::default();
        if self.touches.len() <= self.max_variants {
            return forgotten;
        }
        let mut seen: Vec<u64> = self.touches.values().map(|touches| touches.last).collect();
        let (_, middle, _) = seen.select_nth_unstable(self.touches.len() / 2);
        let from = (*middle).min(self.frames.index().saturating_sub(KEPT_FRAMES));
        self.touches.retain(|variant, touches| {
            let is_kept = touches.last >= from;
            if !is_kept {
                let count = self.variants.remove(variant).unwrap_or_default();
                forgotten.insert(*variant, count);
            }
            is_kept
        });
        self.ledger.forget(|variant| forgotten.contains_key(&variant));
        // Where nothing could go, it is not tried again at once.
        self.max_variants = MAX_VARIANTS.max(self.touches.len() * 3 / 2);
        forgotten
    }
}
