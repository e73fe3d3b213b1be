//! The size and number of bins of a GPU that bins.

use super::planes::Budget;
use crate::profile::Binned;

/// The bins of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bins {
    /// Width and height of a bin, in pixels.
    pub tile: [u32; 2],
    /// Bins across and down.
    pub grid: [u32; 2],
}

impl Bins {
    /// How many there are.
    #[must_use]
    pub fn count(self) -> u32 {
        self.grid[0].saturating_mul(self.grid[1])
    }
}

/// How bins are shared out between the visibility streams of the binning pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visibility {
    /// Bins across and down that one stream covers.
    pub pipe: [u32; 2],
    /// Whether a stream can cover them; if not, every bin replays all geometry.
    pub possible: bool,
    /// Whether the binning pass runs: possible, and more than two bins.
    pub used: bool,
}

/// Layer strides in tile memory must be a multiple of this many bytes.
const LAYER_STRIDE: u64 = 4096;

/// Bins per visibility stream at most.
const BINS_PER_STREAM: u32 = 32;

/// The open driver's search: the fewest bins, the squarest of equals, rows made even. `None` when
/// no bin fits.
#[must_use]
pub fn open(size: [u32; 2], layers: u32, budget: Budget, binned: &Binned) -> Option<Bins> {
    let mut best: Option<Bins> = None;
    for mut bins in candidates(size, layers, budget, binned) {
        let rows = size[1].div_ceil(bins.grid[1].max(1));
        bins.tile[1] = round_up(rows, layered_align(layers, budget)[1]);
        if best.is_none_or(|best| rank(bins) < rank(best)) {
            best = Some(bins);
        }
    }
    best
}

/// The rule fitted to bins posted from headsets with the vendor's own driver: the fewest bins
/// among shapes that are not too long, the squarest of equals, rows as high as fit.
#[must_use]
pub fn fitted(size: [u32; 2], layers: u32, budget: Budget, binned: &Binned) -> Option<Bins> {
    let mut best: Option<(bool, Bins)> = None;
    for bins in candidates(size, layers, budget, binned) {
        let [short, long] = [bins.tile[0].min(bins.tile[1]), bins.tile[0].max(bins.tile[1])];
        let slim = u64::from(long) * 100 > u64::from(short) * u64::from(binned.max_ratio_fitted);
        // A slim bin is taken only where no other shape fits.
        let better = |(other_slim, other)| (slim, rank(bins)) < (other_slim, rank(other));
        if best.is_none_or(better) {
            best = Some((slim, bins));
        }
    }
    best.map(|(_, bins)| bins)
}

fn rank(bins: Bins) -> (u32, u32) {
    (bins.count(), bins.tile[0].abs_diff(bins.tile[1]))
}

/// Every bin width with the highest bin that fits, narrowest first.
fn candidates(
    size: [u32; 2],
    layers: u32,
    budget: Budget,
    binned: &Binned,
) -> impl Iterator<Item = Bins> {
    let layers = layers.max(1);
    let [across, down] = layered_align(layers, budget);
    let widest = binned.max_tile[0].min(round_up(size[0], across));
    let highest = binned.max_tile[1].min(round_up(size[1], down));
    (1..=widest / across).filter_map(move |steps| {
        let width = steps * across;
        let fit = u64::from(budget.pixels) / (u64::from(width) * u64::from(layers));
        let height = u32::try_from(fit).unwrap_or(u32::MAX).min(highest) / down * down;
        if height == 0 {
            return None;
        }
        let grid = [size[0].div_ceil(width), size[1].div_ceil(height)];
        Some(Bins { tile: [width, height], grid })
    })
}

/// Bin steps with layers: the height step doubles until layers are whole strides apart.
fn layered_align(layers: u32, budget: Budget) -> [u32; 2] {
    let [across, mut down] = budget.align;
    if layers <= 1 {
        return budget.align;
    }
    let bytes = budget.smallest.unwrap_or(1).max(1);
    let stride = |down: u32| u64::from(across) * u64::from(down) * u64::from(bytes);
    while !stride(down).is_multiple_of(LAYER_STRIDE) {
        down *= 2;
    }
    [across, down]
}

/// How the binning pass of the open driver covers `bins`.
#[must_use]
pub fn visibility(bins: Bins, binned: &Binned) -> Visibility {
    let mut pipe = [1, 1];
    let pipes = |pipe: [u32; 2]| {
        let across = u64::from(bins.grid[0].div_ceil(pipe[0]));
        across * u64::from(bins.grid[1].div_ceil(pipe[1]))
    };
    while pipes(pipe) > u64::from(binned.visibility_streams.max(1)) {
        pipe[usize::from(pipe[0] >= pipe[1])] += 1;
    }
    let possible = pipe[0] * pipe[1] <= BINS_PER_STREAM;
    Visibility { pipe, possible, used: possible && bins.count() > 2 }
}

fn round_up(value: u32, step: u32) -> u32 {
    value.div_ceil(step).saturating_mul(step)
}
