//! What is known about a GPU: plain data from `profiles/*.toml`, every number with its source.
//!
//! A target is always named by the configuration; a software rasteriser or a desktop GPU never
//! decides it. [`DEFAULT_TARGETS`] serve when nothing is configured.
//!
//! A profile of one's own is a file of the same form; it may start from another one:
//!
//! ```toml
//! [[profile]]
//! name = "studio-phone"
//! inherits = "adreno-640"
//! refresh_hz = 90
//! [profile.binned]
//! tile_memory_fitted = 1_048_576
//! [profile.evidence]
//! "binned.tile_memory_fitted" = "field: our own captures"
//! ```

mod attachments;
mod builtin;
mod label;
mod parse;

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

pub use attachments::Compression;
pub use builtin::{all, by_name, detect, find, resolve};
pub use label::Label;
pub use parse::{ProfileError, parse};

/// The targets that are judged when the configuration names none: the two headsets that most
/// Vulkan VR programs ship on, and a common phone of another vendor.
pub const DEFAULT_TARGETS: [&str; 3] = ["quest2", "quest3", "mali-g78"];

/// How a GPU turns a render pass into work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Bins as large as tile memory allows; the driver may also draw straight to memory.
    Binned,
    /// Small tiles of a size that depends on bytes per pixel only.
    Fixed,
    /// No tiles.
    #[default]
    Immediate,
}

/// Whether the target offers `LAZILY_ALLOCATED` memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LazyMemory {
    /// Known to offer it.
    Yes,
    /// Known not to.
    No,
    /// Differs between drivers of this GPU: only the device can tell.
    #[default]
    Query,
}

/// How sure a statement about a target is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// Nothing is known: rules stay silent.
    #[default]
    Unknown,
    /// Known not to be so.
    No,
    /// The vendor says so, nobody measured it.
    Likely,
    /// Seen in a driver or in its source.
    Certain,
}

/// Which predicate decides whether consecutive subpasses share one visit to the tiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MergePolicy {
    /// One bad dependency costs the whole pass its tile memory.
    WholePass,
    /// Pairs merge when they share data and stay within documented limits.
    Limits,
    /// Subpasses join a hardware render while their outputs fit in registers.
    Registers,
    /// Pairs merge when they draw to the same attachments.
    SameAttachments,
    /// Every subpass is its own visit.
    #[default]
    Never,
}

/// Which parts of a dependency a driver looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DependencyPolicy {
    /// Stages and flags; access masks never matter.
    StagesOnly,
    /// Access masks too.
    AccessAndStages,
    /// No dependency lets subpasses merge.
    #[default]
    Never,
}

/// Facts about merging subpasses.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Merge {
    /// The predicate.
    pub policy: MergePolicy,
    /// What it reads of a dependency.
    pub dependencies: DependencyPolicy,
    /// Whether a shader-read access mask splits subpasses on this target's own driver.
    pub access_masks_split: Evidence,
    /// Colour bits per pixel that merged subpasses may keep on the tile.
    pub color_bits: Option<u32>,
    /// Distinct colour and input attachments that merged subpasses may use.
    pub max_attachments: Option<u32>,
}

/// Numbers of a GPU that bins.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Binned {
    /// Bytes of tile memory that the full layout may use.
    pub tile_memory: u32,
    /// Bytes that are left when the colour cache keeps its part.
    pub tile_memory_avoid_ccu: u32,
    /// Bytes that the fitted rule for the vendor's own driver uses.
    pub tile_memory_fitted: u32,
    /// Longest side of a bin over its shortest, in hundredths, in the fitted rule.
    pub max_ratio_fitted: u32,
    /// Steps of bin width and height, in pixels.
    pub align: [u32; 2],
    /// Largest bin, in pixels.
    pub max_tile: [u32; 2],
    /// Alignment, in pixels, of render areas whose stores take the fast path.
    pub store_align: [u32; 2],
    /// Visibility streams (pipes) of the binning pass.
    pub visibility_streams: u32,
    /// Whether clears go around bins, so that loads and stores are never skipped.
    pub generic_clear: bool,
}

/// How a fixed tile is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TileModel {
    /// Always [`FixedTile::max`].
    #[default]
    Constant,
    /// Power of two from a colour and a depth buffer of given sizes.
    Mali,
    /// Constant size; colour lives in output registers.
    PowerVr,
    /// The largest of three shapes whose samples fit.
    Apple,
    /// A step table by targets, samples and widest target.
    V3d4,
    /// The first shape of a list that fits the buffers.
    V3d7,
}

/// Numbers of a GPU with fixed tiles.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FixedTile {
    /// The rule.
    pub model: TileModel,
    /// Bytes of the colour tile buffer.
    pub color_bytes: u32,
    /// Bytes of the depth tile buffer; 0 where none limits the tile.
    pub depth_bytes: u32,
    /// Whether half of the buffers is kept for the next tile.
    pub pipelined: bool,
    /// Largest (or only) tile, in pixels.
    pub max: [u32; 2],
    /// Smallest tile, in pixels.
    pub min: [u32; 2],
    /// 32-bit output registers per pixel.
    pub registers: u32,
}

/// One GPU, or class of GPUs, that passes are judged for.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Profile {
    /// The target's name in configurations.
    pub name: String,
    /// The name to show to people.
    pub title: String,
    /// Other names that find it.
    pub aliases: Vec<String>,
    /// The profile whose fields it starts from.
    pub inherits: Option<String>,
    /// `VkPhysicalDeviceProperties::vendorID`.
    pub vendor_id: Option<u32>,
    /// Patterns of `deviceName`: `*` stands for any text, case does not matter.
    pub devices: Vec<String>,
    /// How it renders.
    pub kind: Kind,
    /// Whether transient attachments can stay without memory.
    pub lazy_memory: LazyMemory,
    /// Whether `D24_UNORM_S8_UINT` is one plane: its aspects are loaded and stored together.
    pub ds_one_plane: bool,
    /// Whether each view of a multiview pass takes its own part of tile memory.
    pub views_in_tile: bool,
    /// Whether hidden surfaces are removed before shading whatever the draw order.
    pub hidden_surface_removal: bool,
    /// Whether a low-resolution depth buffer rejects hidden fragments.
    pub lrz: bool,
    /// Whether that buffer survives a depth LOAD.
    pub lrz_dir_tracking: bool,
    /// Whether the driver may draw to memory without tiles.
    pub direct_mode: bool,
    /// Whether resolves to some formats take a slow path that shrinks the bin.
    pub slow_resolves: bool,
    /// Whether a resolve before the last subpass splits the pass or costs a reload.
    pub resolve_mid_pass_splits: Evidence,
    /// Samples per pixel at full rate.
    pub max_samples_full_rate: Option<u32>,
    /// Samples of a multisampled input attachment that are read at once.
    pub msaa_input_parallel: Option<u32>,
    /// Whether drivers offer `VK_EXT_multisampled_render_to_single_sampled`.
    pub msrtss: Evidence,
    /// Frames per second for bandwidth figures.
    pub refresh_hz: Option<u32>,
    /// Draws, and vertices of each, from which on a depth prepass costs more than it saves;
    /// `None` where that is not known, or depends.
    pub depth_prepass: Option<[u32; 2]>,
    /// Milliwatts that one GB/s of memory traffic costs.
    pub mw_per_gbps: Option<u32>,
    /// Queue submits per frame that are fine.
    pub submit_budget: Option<u32>,
    /// Occlusion queries per frame that are fine.
    pub occlusion_query_budget: Option<u32>,
    /// Render passes per frame that are fine.
    pub pass_budget: Option<u32>,
    /// Bits of colour per sample that leave bins of a good size.
    pub color_budget_bits: Option<u32>,
    /// Whether tiles that did not change are not written again, by signatures that only some
    /// image layouts keep.
    pub tile_signatures: Evidence,
    /// Whether a read-only layout lets depth be tested earlier.
    pub read_only_depth: Evidence,
    /// Compression of attachments.
    pub compression: Compression,
    /// Merging of subpasses.
    pub merge: Merge,
    /// Present when [`Kind::Binned`].
    pub binned: Option<Binned>,
    /// Present when [`Kind::Fixed`].
    pub tile: Option<FixedTile>,
    /// The label of its tile arithmetic.
    pub source: Label,
    /// Sources of the numbers by field (`binned.align`) or table (`binned`).
    pub evidence: BTreeMap<String, String>,
}

impl Profile {
    /// Whether the target renders in tiles at all.
    #[must_use]
    pub fn is_tiler(&self) -> bool {
        self.kind != Kind::Immediate
    }

    /// Whether a shader-read access mask makes the target run subpasses apart.
    #[must_use]
    pub fn access_mask_splits_subpasses(&self) -> Evidence {
        self.merge.access_masks_split
    }

    /// What the target's driver reads of a dependency between subpasses.
    #[must_use]
    pub fn dependency_policy(&self) -> DependencyPolicy {
        self.merge.dependencies
    }

    /// Whether a resolve before the last subpass splits the pass or costs a reload.
    #[must_use]
    pub fn resolve_mid_pass_splits(&self) -> Evidence {
        self.resolve_mid_pass_splits
    }

    /// Samples per pixel up to which drawing runs at full rate.
    #[must_use]
    pub fn full_rate_samples(&self) -> Option<u32> {
        self.max_samples_full_rate
    }

    /// Samples of a multisampled input attachment that a shader reads at once.
    #[must_use]
    pub fn parallel_input_samples(&self) -> Option<u32> {
        self.msaa_input_parallel
    }

    /// Whether multisampled rendering to images of one sample is offered.
    #[must_use]
    pub fn renders_to_single_sampled(&self) -> Evidence {
        self.msrtss
    }

    /// Whether combined depth/stencil of 24 + 8 bits is one plane in memory and on the tile.
    #[must_use]
    pub fn depth_stencil_one_plane(&self) -> bool {
        self.ds_one_plane
    }

    /// Steps, in pixels, of render areas whose edges cut no tile and no fast store; `None` where
    /// there is no such step. Where the tile depends on the pass, it is the smallest one.
    #[must_use]
    pub fn store_granularity(&self) -> Option<[u32; 2]> {
        let step = match (&self.binned, &self.tile) {
            (Some(binned), _) => binned.store_align,
            (None, Some(tile)) if tile.min != [0, 0] => tile.min,
            (None, Some(tile)) => tile.max,
            (None, None) => return None,
        };
        (step[0] > 0 && step[1] > 0 && step != [1, 1]).then_some(step)
    }

    /// Whether subpasses can share a visit to the tiles at all.
    #[must_use]
    pub fn merges_subpasses(&self) -> bool {
        self.is_tiler() && self.merge.policy != MergePolicy::Never
    }

    /// Whether a subpass may read on the tile what an earlier one drew to other attachments.
    #[must_use]
    pub fn merges_input_reads(&self) -> bool {
        self.merges_subpasses() && self.merge.policy != MergePolicy::SameAttachments
    }

    /// Whether subpasses of different sample counts share a visit to the tiles.
    #[must_use]
    pub fn merges_mixed_samples(&self) -> bool {
        self.merge.policy == MergePolicy::WholePass
    }

    /// Whether one command in a pass can send the whole pass to memory.
    #[must_use]
    pub fn one_command_costs_whole_pass(&self) -> bool {
        self.is_tiler() && self.merge.policy == MergePolicy::WholePass
    }

    /// Whether what joins subpasses is read in an open driver, not in a vendor's guide alone.
    #[must_use]
    pub fn merge_rules_are_seen(&self) -> bool {
        self.merge.policy != MergePolicy::Limits
    }

    /// Whether every subpass is a visit of its own, whatever the dependencies say.
    #[must_use]
    pub fn runs_subpasses_apart(&self) -> bool {
        self.is_tiler() && self.merge.policy == MergePolicy::Never
    }

    /// Whether a coarse depth buffer rejects hidden fragments early, as long as a pass keeps to
    /// one direction and to plain draws.
    #[must_use]
    pub fn has_coarse_depth(&self) -> bool {
        self.lrz
    }

    /// Draws, and vertices of each, from which on a depth prepass costs more than it saves.
    #[must_use]
    pub fn prepass_costs(&self) -> Option<[u32; 2]> {
        self.depth_prepass
    }

    /// Frames per second that bandwidth figures assume.
    #[must_use]
    pub fn refresh_hz(&self) -> u32 {
        self.refresh_hz.unwrap_or(60)
    }

    /// The source of a field, by its dotted name; the whole table's where it has none of its own.
    #[must_use]
    pub fn source_of(&self, field: &str) -> Option<&str> {
        let mut path = field;
        loop {
            if let Some(source) = self.evidence.get(path) {
                return Some(source);
            }
            path = &path[..path.rfind('.')?];
        }
    }
}

impl Profile {
    /// The label of a field's source; [`Profile::source`] where it has none.
    #[must_use]
    pub fn label_of(&self, field: &str) -> Label {
        let source = self.source_of(field);
        let word = source.and_then(|source| source.split(':').next()).unwrap_or_default();
        Label::ALL.into_iter().find(|label| label.as_str() == word).unwrap_or(self.source)
    }
}

/// A target name that no profile has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownProfile {
    /// The name that was asked for.
    pub name: String,
    /// The known name that is nearest to it.
    pub nearest: String,
    /// Every known name.
    pub all: Vec<String>,
}

impl fmt::Display for UnknownProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no target is called `{}`; the nearest is `{}`", self.name, self.nearest)?;
        write!(f, "\nknown targets: {}", self.all.join(", "))
    }
}

impl std::error::Error for UnknownProfile {}
