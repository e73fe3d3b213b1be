//! What a target will make of a pass: tile, bins, mode, and the stages of each bin.

use std::fmt;

use ash::vk;

use super::bins::{self, Bins, Visibility};
use super::merge::{self, MergeStatus, SubpassMerge, Visit};
use super::ops::{self, Op, Rules};
use super::planes::{self, Layout};
use super::shape::PassShape;
use super::verdict::{self, Reason};
use super::{fixed, surface};
use crate::format::{self, Aspect};
use crate::profile::{Binned, Kind, Label, Profile};

/// Whose decisions are forecast on a GPU that bins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Model {
    /// The open driver's, exactly.
    Open,
    /// The vendor's own driver's, by a rule fitted to published numbers: an estimate.
    #[default]
    Fitted,
}

/// What a forecast may be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whose decisions.
    pub model: Model,
    /// The layout of tile memory in the open model; `None` chooses as the driver does.
    pub layout: Option<Layout>,
}

/// How the target runs the pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// In bins.
    Binned,
    /// In small tiles.
    Tiled,
    /// Straight to memory, although the target could bin.
    Direct,
    /// Straight to memory: the target has no tiles.
    Immediate,
}

impl Mode {
    /// The mode as reports write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Binned => "binned",
            Mode::Tiled => "tiled",
            Mode::Direct => "direct",
            Mode::Immediate => "immediate",
        }
    }
}

/// A stage of a surface, as the device profilers name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Geometry is sorted into bins.
    Binning,
    /// Colour is read from memory.
    LoadColor,
    /// Depth or stencil is read from memory.
    LoadDepthStencil,
    /// Draws.
    Render,
    /// Colour, or a resolve of it, is written to memory.
    StoreColor,
    /// Depth or stencil, or a resolve of it, is written to memory.
    StoreDepthStencil,
}

impl Stage {
    /// The profilers' name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Stage::Binning => "Binning",
            Stage::LoadColor => "LoadColor",
            Stage::LoadDepthStencil => "LoadDepthStencil",
            Stage::Render => "Render",
            Stage::StoreColor => "StoreColor",
            Stage::StoreDepthStencil => "StoreDepthStencil",
        }
    }
}

/// Why the pass does not run in one visit to the tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The driver's first reason.
    Driver(Reason),
    /// A subpass that does not merge.
    Merge(SubpassMerge),
    /// One draw on single-sampled colour without depth.
    SingleDraw,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Driver(reason) => reason.fmt(f),
            Cause::Merge(merge) => {
                write!(f, "subpass {} is not merged: {}", merge.subpass, merge.status.as_str())?;
                if merge.text.is_empty() { Ok(()) } else { write!(f, " ({})", merge.text) }
            }
            Cause::SingleDraw => f.write_str("one draw on single-sampled colour without depth"),
        }
    }
}

/// What becomes of a fragment density map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foveation {
    /// The pass has none.
    Absent,
    /// It works.
    Applies,
    /// It has no effect: the pass runs without bins.
    IgnoredDirect,
    /// It has no effect: a multisampled attachment is loaded or stored.
    IgnoredSamples,
    /// Not known on this target.
    Unknown,
}

/// What a target will make of a pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// Bin or tile, in pixels; the largest surface in direct mode. `None` when not known, or
    /// where there are no tiles.
    pub tile: Option<[u32; 2]>,
    /// How many of them.
    pub bins: Option<u32>,
    /// Bytes per pixel and view that the target keeps on the tile, samples included: all planes
    /// on a GPU that bins, colour on others.
    pub bytes_per_pixel: Option<u32>,
    /// How it runs.
    pub mode: Mode,
    /// Why not in one visit to the tiles; `None` when it is one.
    pub reason: Option<Cause>,
    /// The layout of tile memory, in the open model.
    pub layout: Option<Layout>,
    /// Whether geometry is sorted into bins first.
    pub binning: bool,
    /// Whether a visibility stream can cover the bins: if not, every bin replays all geometry.
    pub visibility: bool,
    /// The operations of each bin, by visit.
    pub ops: Vec<Op>,
    /// The stages, in the profilers' words.
    pub stages: Vec<Stage>,
    /// The visits to the tiles, as ranges of subpasses.
    pub visits: Vec<Visit>,
    /// What becomes of a density map.
    pub foveation: Foveation,
    /// The surface line.
    pub surface: String,
    /// Whether tile and bins are an estimate.
    pub estimate: bool,
    /// Where the arithmetic comes from.
    pub source: Label,
    /// Colour attachments that do not fit on a fixed tile and go to memory.
    pub spilled: u32,
}

/// What the target will make of the pass, by the default model.
#[must_use]
pub fn forecast(pass: &PassShape, profile: &Profile) -> Forecast {
    forecast_with(pass, profile, Options::default())
}

/// What the target will make of the pass.
#[must_use]
pub fn forecast_with(pass: &PassShape, profile: &Profile, options: Options) -> Forecast {
    let mut forecast = unknown(profile);
    if pass.is_sound() {
        match (profile.kind, &profile.binned, &profile.tile) {
            (Kind::Binned, Some(binned), _) => match options.model {
                Model::Open => open(pass, binned, profile, options.layout, &mut forecast),
                Model::Fitted => fitted(pass, binned, profile, &mut forecast),
            },
            (Kind::Fixed, _, Some(rule)) => {
                let tile = |pass: &PassShape| {
                    let tile = fixed::tile(pass, rule)?;
                    let size = pass.binned_size();
                    let grid = [size[0].div_ceil(tile.size[0]), size[1].div_ceil(tile.size[1])];
                    Some((Bins { tile: tile.size, grid }, tile.bytes_per_pixel))
                };
                in_visits(pass, profile, &mut forecast, tile);
                let parts = (0..forecast.visits.len()).map(|at| visit(pass, &forecast.visits, at));
                let spilled = parts.filter_map(|part| Some(fixed::tile(&part, rule)?.spilled));
                forecast.spilled = spilled.max().unwrap_or(0);
            }
            _ => {}
        }
        if pass.density_map {
            forecast.foveation = foveation(pass, profile, forecast.mode);
        }
    }
    forecast.surface = surface::line(pass, &forecast, 1);
    forecast
}

/// The forecast of a pass of which nothing more is known.
fn unknown(profile: &Profile) -> Forecast {
    Forecast {
        tile: None,
        bins: None,
        bytes_per_pixel: None,
        mode: match profile.kind {
            Kind::Binned => Mode::Binned,
            Kind::Fixed => Mode::Tiled,
            Kind::Immediate => Mode::Immediate,
        },
        reason: None,
        layout: None,
        binning: false,
        visibility: true,
        ops: Vec::new(),
        stages: vec![Stage::Render],
        visits: Vec::new(),
        foveation: Foveation::Absent,
        surface: String::new(),
        estimate: profile.is_tiler(),
        source: profile.source,
        spilled: 0,
    }
}

fn foveation(pass: &PassShape, profile: &Profile, mode: Mode) -> Foveation {
    match (&profile.binned, mode) {
        (_, Mode::Direct) => Foveation::IgnoredDirect,
        (Some(binned), _) if !ops::density_map_applies(pass, Rules::open(binned)) => {
            Foveation::IgnoredSamples
        }
        (Some(_), _) => Foveation::Applies,
        (None, _) => Foveation::Unknown,
    }
}

fn bytes_per_pixel(pass: &PassShape) -> Option<u32> {
    planes::planes(pass).map(|planes| planes.iter().map(|plane| plane.bytes).sum())
}

fn open(
    pass: &PassShape,
    binned: &Binned,
    profile: &Profile,
    layout: Option<Layout>,
    forecast: &mut Forecast,
) {
    let verdict = match layout {
        Some(layout) => verdict::judge_in(pass, layout, binned),
        None => verdict::judge(pass, binned),
    };
    forecast.source = profile.label_of("binned.tile_memory");
    forecast.estimate = forecast.source != Label::Run;
    let Some(verdict) = verdict else { return };
    forecast.bytes_per_pixel = bytes_per_pixel(pass);
    forecast.layout = Some(verdict.layout);
    forecast.visits = merge::visits(&merge::evaluate(pass, profile));
    if verdict.in_bins {
        forecast.tile = verdict.tiling.bins.map(|bins| bins.tile);
        forecast.bins = verdict.tiling.bins.map(Bins::count);
        forecast.binning = verdict.tiling.visibility.used;
        forecast.visibility = verdict.tiling.visibility.possible;
        forecast.stages = stages(pass, &verdict.ops, forecast.binning);
        forecast.ops = verdict.ops;
    } else {
        forecast.reason = Some(Cause::Driver(verdict.reason));
        direct(pass, forecast);
    }
}

/// One surface, drawn straight to memory.
fn direct(pass: &PassShape, forecast: &mut Forecast) {
    forecast.mode = Mode::Direct;
    forecast.tile = Some(pass.binned_size());
    forecast.bins = Some(1);
    forecast.binning = false;
    forecast.ops = Vec::new();
    forecast.stages = vec![Stage::Render];
}

fn fitted(pass: &PassShape, binned: &Binned, profile: &Profile, forecast: &mut Forecast) {
    if profile.source != Label::User {
        forecast.source = Label::Fit;
    }
    let bins = |pass: &PassShape| {
        let planes = planes::planes(pass)?;
        let budget = planes::budget(&planes, binned.tile_memory_fitted, binned);
        let bins = bins::fitted(pass.binned_size(), pass.tile_layers(), budget, binned)?;
        Some((bins, bytes_per_pixel(pass)?))
    };
    in_visits(pass, profile, forecast, bins);
    forecast.bytes_per_pixel = bytes_per_pixel(pass);
    if profile.direct_mode && is_single_draw(pass) {
        forecast.reason = Some(Cause::SingleDraw);
        direct(pass, forecast);
    }
}

/// What the vendor's own driver was seen to draw directly: one draw, no depth, one sample.
fn is_single_draw(pass: &PassShape) -> bool {
    let [subpass] = pass.subpasses.as_slice() else { return false };
    pass.draws == Some(1) && subpass.depth_stencil.is_none() && pass.samples(subpass) == Some(1)
}

/// Forecasts each visit to the tiles by `tile`, and reports the bins of the one that has most.
fn in_visits(
    pass: &PassShape,
    profile: &Profile,
    forecast: &mut Forecast,
    tile: impl Fn(&PassShape) -> Option<(Bins, u32)>,
) {
    let merges = merge::evaluate(pass, profile);
    forecast.visits = merge::visits(&merges);
    let apart = |merge: &&SubpassMerge| {
        !matches!(merge.status, MergeStatus::Merged | MergeStatus::SingleSubpass)
    };
    forecast.reason = merges.iter().find(apart).cloned().map(Cause::Merge);
    let rules = match &profile.binned {
        Some(binned) => Rules { always_moves: true, ..Rules::open(binned) },
        None => Rules::plain(profile),
    };
    let mut stage_list = Vec::new();
    let mut most: Option<(Bins, u32)> = None;
    let mut all_known = true;
    for (index, _) in forecast.visits.iter().enumerate() {
        let part = visit(pass, &forecast.visits, index);
        let known = tile(&part);
        all_known &= known.is_some();
        let visibility = visibility(known.map(|(bins, _)| bins), profile);
        forecast.binning |= visibility.used;
        forecast.visibility &= visibility.possible;
        let ops = ops::sequence(&part, visibility, rules, true);
        stage_list.extend(stages(&part, &ops, visibility.used));
        forecast.ops.extend(ops);
        let better =
            |(bins, _): &(Bins, u32)| most.is_none_or(|(most, _)| bins.count() > most.count());
        most = known.filter(better).or(most);
    }
    forecast.stages = stage_list;
    if let Some((bins, bytes)) = most.filter(|_| all_known) {
        forecast.tile = Some(bins.tile);
        forecast.bins = Some(bins.count());
        forecast.bytes_per_pixel = Some(bytes);
    }
}

/// Says whether a visibility stream of the target covers a grid of bins, so that geometry need not
/// be run for each.
#[must_use]
pub fn covers(bins: Bins, profile: &Profile) -> bool {
    visibility(Some(bins), profile).possible
}

/// Fixed tiles always sort geometry; their tools show no such stage.
fn visibility(bins: Option<Bins>, profile: &Profile) -> Visibility {
    match (bins, &profile.binned) {
        (Some(bins), Some(binned)) => bins::visibility(bins, binned),
        _ => Visibility { pipe: [1, 1], possible: true, used: false },
    }
}

/// The part of a pass that one visit runs: what an earlier visit left in memory is loaded, what a
/// later one needs is stored.
fn visit(pass: &PassShape, visits: &[Visit], index: usize) -> PassShape {
    if visits.len() == 1 {
        return pass.clone();
    }
    let mut part = pass.clone();
    part.dependencies.clear();
    part.subpasses = pass.subpasses[visits[index].clone()].to_vec();
    let before = &pass.subpasses[..visits[index].start];
    let after = &pass.subpasses[visits[index].end..];
    for (slot, attachment) in part.attachments.iter_mut().enumerate() {
        let touched = before.iter().any(|subpass| {
            subpass.drawn().chain(subpass.resolves().map(|(_, to)| to)).any(|used| used == slot)
        });
        if touched {
            attachment.load = vk::AttachmentLoadOp::LOAD;
            if attachment.stencil_load != vk::AttachmentLoadOp::DONT_CARE {
                attachment.stencil_load = vk::AttachmentLoadOp::LOAD;
            }
        }
        let needed = after
            .iter()
            .any(|subpass| subpass.drawn().chain(subpass.inputs()).any(|used| used == slot));
        if needed {
            attachment.store = vk::AttachmentStoreOp::STORE;
        }
    }
    part
}

/// The stages that a sequence of operations shows as.
fn stages(pass: &PassShape, ops: &[Op], binning: bool) -> Vec<Stage> {
    let is_depth = |attachment: usize| {
        let format = pass.attachments[attachment].format;
        !format::has_aspect(format, Aspect::Color)
    };
    let load = |attachment| {
        if is_depth(attachment) { Stage::LoadDepthStencil } else { Stage::LoadColor }
    };
    let store = |attachment| {
        if is_depth(attachment) { Stage::StoreDepthStencil } else { Stage::StoreColor }
    };
    let mut stages = Vec::new();
    let mut to_draw = true;
    let push = |stages: &mut Vec<Stage>, stage: Stage| {
        if stages.last() != Some(&stage) {
            stages.push(stage);
        }
    };
    if binning {
        stages.push(Stage::Binning);
    }
    for op in ops {
        match *op {
            Op::Clear { .. } => {}
            Op::Load { attachment, .. } => push(&mut stages, load(attachment)),
            Op::Reload { attachment } => {
                push(&mut stages, load(attachment));
                to_draw = true;
            }
            Op::Next => {
                if to_draw {
                    push(&mut stages, Stage::Render);
                }
                to_draw = true;
            }
            Op::Resolve { to: attachment, .. } | Op::Store { attachment, .. } => {
                if to_draw {
                    push(&mut stages, Stage::Render);
                }
                to_draw = false;
                push(&mut stages, store(attachment));
            }
        }
    }
    if to_draw {
        push(&mut stages, Stage::Render);
    }
    stages
}
