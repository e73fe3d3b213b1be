//! Whether a pass can run in bins, and the first reason why not: the open driver's rules.

use std::fmt;

use ash::vk;

use super::bins::{self, Bins, Visibility};
use super::ops::{self, Op, Rules};
use super::planes::{self, Budget, Layout};
use super::shape::{Barrier, Dependency, PassShape};
use crate::format;
use crate::profile::Binned;

/// Why a pass runs as it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A dependency between subpasses is not framebuffer-local.
    Dependency {
        /// Its index in the pass.
        index: usize,
    },
    /// The attachments do not fit into tile memory.
    DoesNotFit,
    /// The framebuffer has several layers and the pass is not multiview.
    Layers,
    /// The render area is empty.
    EmptyArea,
    /// A tessellation pipeline draws.
    Tessellation,
    /// A barrier in the pass waits for a stage outside framebuffer space.
    Barrier,
    /// A feedback loop reads attachments as textures.
    FeedbackLoop,
    /// Primitives are counted or captured and the binning pass cannot run.
    CountsPrimitives,
    /// The driver weighed tiles against direct rendering.
    Autotune,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Dependency { .. } => "subpass dependency not framebuffer-local",
            Reason::DoesNotFit => "no gmem tiling possible",
            Reason::Layers => "framebuffer layers>1",
            Reason::EmptyArea => "empty render area",
            Reason::Tessellation => "tessellation",
            Reason::Barrier => "in-pass barrier with a non-framebuffer stage",
            Reason::FeedbackLoop => "feedback loop",
            Reason::CountsPrimitives => "primitives counted without hw binning",
            Reason::Autotune => "autotune",
        })
    }
}

/// Most draws of a single-sampled pass that the driver sends straight to memory at first sight.
const DIRECT_DRAWS: u32 = 5;

/// Stages that work on the pixels of the framebuffer.
const FRAMEBUFFER_STAGES: vk::PipelineStageFlags2 = vk::PipelineStageFlags2::from_raw(
    vk::PipelineStageFlags2::FRAGMENT_SHADER.as_raw()
        | vk::PipelineStageFlags2::EARLY_FRAGMENT_TESTS.as_raw()
        | vk::PipelineStageFlags2::LATE_FRAGMENT_TESTS.as_raw()
        | vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT.as_raw(),
);

/// Whether the stages of a dependency or barrier stay in framebuffer space. TOP_OF_PIPE as a
/// source and BOTTOM_OF_PIPE as a destination are empty.
#[must_use]
pub fn stages_are_local(src: vk::PipelineStageFlags2, dst: vk::PipelineStageFlags2) -> bool {
    let src_ok = FRAMEBUFFER_STAGES | vk::PipelineStageFlags2::TOP_OF_PIPE;
    let dst_ok = FRAMEBUFFER_STAGES | vk::PipelineStageFlags2::BOTTOM_OF_PIPE;
    (src & !src_ok).is_empty() && (dst & !dst_ok).is_empty()
}

/// Whether a dependency allows its subpasses to share a visit to the tiles. Access masks never
/// matter; dependencies with the outside and of a subpass on itself are always fine.
#[must_use]
pub fn is_framebuffer_local(dependency: &Dependency) -> bool {
    let external = dependency.src == vk::SUBPASS_EXTERNAL || dependency.dst == vk::SUBPASS_EXTERNAL;
    external
        || dependency.src == dependency.dst
        || (dependency.flags.contains(vk::DependencyFlags::BY_REGION)
            && stages_are_local(dependency.src_stages, dependency.dst_stages))
}

fn barrier_is_local(barrier: &Barrier) -> bool {
    stages_are_local(barrier.src_stages, barrier.dst_stages)
}

const NO_BINNING: Visibility = Visibility { pipe: [1, 1], possible: false, used: false };

/// The bins of one layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiling {
    /// What the planes ask.
    pub budget: Budget,
    /// The bins; `None` when none fit.
    pub bins: Option<Bins>,
    /// The binning pass.
    pub visibility: Visibility,
}

/// The bins of a pass in one layout, by the open driver's search. `None` when the size of a
/// format is not known.
#[must_use]
pub fn tiling(pass: &PassShape, layout: Layout, binned: &Binned) -> Option<Tiling> {
    let planes = planes::planes(pass)?;
    let budget = planes::budget(&planes, layout.bytes(binned), binned);
    let bins = bins::open(pass.binned_size(), pass.tile_layers(), budget, binned);
    let visibility = bins.map_or(NO_BINNING, |bins| bins::visibility(bins, binned));
    Some(Tiling { budget, bins, visibility })
}

/// What the open driver does with a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether tile memory can hold the pass at all.
    pub capable: bool,
    /// Whether it runs in bins.
    pub in_bins: bool,
    /// The first reason.
    pub reason: Reason,
    /// The layout of tile memory.
    pub layout: Layout,
    /// The bins of that layout.
    pub tiling: Tiling,
    /// The operations of each bin.
    pub ops: Vec<Op>,
}

/// Judges a pass. `None` when the size of a format is not known, or the pass is not sound.
#[must_use]
pub fn judge(pass: &PassShape, binned: &Binned) -> Option<Verdict> {
    // Operations can only be followed through a sound pass.
    if !pass.is_sound() {
        return None;
    }
    let layout = if ops::needs_color_cache(pass, Rules::open(binned)) {
        Layout::AvoidCcu
    } else {
        Layout::Full
    };
    judge_in(pass, layout, binned)
}

/// Judges a pass in a given layout; see [`judge`].
#[must_use]
pub fn judge_in(pass: &PassShape, layout: Layout, binned: &Binned) -> Option<Verdict> {
    if !pass.is_sound() {
        return None;
    }
    let tiling = tiling(pass, layout, binned)?;
    let rules = Rules::open(binned);
    let hard = hard_reason(pass, tiling);
    let fits = tiling.budget.pixels > 0;
    let capable = fits && !matches!(hard, Some(Reason::Dependency { .. }));
    let in_bins = hard.is_none() && !autotune_prefers_direct(pass, rules);
    // A bad dependency leaves the driver without bins, so that nothing is skipped.
    let visibility = if capable { tiling.visibility } else { NO_BINNING };
    let ops = ops::sequence(pass, visibility, rules, in_bins);
    let reason = hard.unwrap_or(Reason::Autotune);
    Some(Verdict { capable, in_bins, reason, layout, tiling, ops })
}

/// The first reason that rules bins out.
fn hard_reason(pass: &PassShape, tiling: Tiling) -> Option<Reason> {
    let bad = pass.dependencies.iter().position(|dependency| !is_framebuffer_local(dependency));
    if let Some(index) = bad {
        return Some(Reason::Dependency { index });
    }
    let empty = pass.area.width == 0 || pass.area.height == 0;
    let checks = [
        (tiling.bins.is_none(), Reason::DoesNotFit),
        (pass.layers > 1, Reason::Layers),
        (empty, Reason::EmptyArea),
        (pass.tessellation, Reason::Tessellation),
        (!pass.barriers.iter().all(barrier_is_local), Reason::Barrier),
        (pass.feedback_loop, Reason::FeedbackLoop),
        (pass.counts_primitives && !tiling.visibility.possible, Reason::CountsPrimitives),
    ];
    checks.into_iter().find(|(applies, _)| *applies).map(|(_, reason)| reason)
}

/// Bytes per pixel that the driver reckons with when it knows a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bandwidth {
    /// Loads and stores of bins.
    pub in_bins: u32,
    /// Clears and resolves of direct rendering.
    pub direct: u32,
}

/// The driver's reckoning, which leaves separate stencil out. `None` when the size of a format is
/// not known, or the pass is not sound.
#[must_use]
pub fn bandwidth(pass: &PassShape, binned: &Binned) -> Option<Bandwidth> {
    if !pass.is_sound() {
        return None;
    }
    let rules = Rules::open(binned);
    let mut sum = Bandwidth::default();
    for (index, attachment) in pass.attachments.iter().enumerate() {
        let texel = match attachment.format {
            vk::Format::D32_SFLOAT_S8_UINT => 4,
            format => format::total_texel_bytes(format)?,
        };
        let bytes = texel * attachment.samples;
        let ops = ops::effective(pass, index, rules);
        sum.in_bins += bytes * (u32::from(ops.load) + u32::from(ops.store));
        sum.direct += bytes * u32::from(ops.clear);
        if pass.is_resolved(index) {
            sum.direct += bytes + texel;
        }
    }
    Some(sum)
}

/// The driver's choice for a pass that it has seen: whether direct rendering costs no more than
/// bins. `samples_passed` is the mean of the last runs, `bytes_per_sample` what one of them writes
/// and tests.
#[must_use]
pub fn history_prefers_direct(
    pass: &PassShape,
    bandwidth: Bandwidth,
    samples_passed: u64,
    bytes_per_sample: u64,
) -> bool {
    let pixels = u128::from(pass.area.pixels());
    let draws = u128::from(samples_passed) * u128::from(bytes_per_sample);
    let direct = pixels * u128::from(bandwidth.direct) + draws;
    let in_bins = (11 * pixels * u128::from(bandwidth.in_bins) + draws) / 10;
    direct <= in_bins
}

/// The driver's choice for a pass that it has not seen before: few draws of single-sampled
/// subpasses go straight to memory. Unknown draws count as many.
fn autotune_prefers_direct(pass: &PassShape, rules: Rules) -> bool {
    let single = |subpass| pass.samples(subpass) == Some(1);
    !ops::density_map_applies(pass, rules)
        && !pass.ordered_access
        && pass.draws.is_some_and(|draws| draws <= DIRECT_DRAWS)
        && pass.subpasses.iter().all(single)
}
