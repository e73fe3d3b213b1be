//! What a target makes of the formats, flags and layouts of attachments.

use serde::Deserialize;

use super::{Evidence, Kind, MergePolicy, Profile};

/// What keeps images from being compressed in memory.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Compression {
    /// Whether STORAGE usage does.
    pub storage: Evidence,
    /// Whether MUTABLE_FORMAT without a list of formats does.
    pub mutable_format: Evidence,
    /// Whether ALIAS does.
    pub alias: Evidence,
    /// Whether LINEAR tiling does.
    pub linear: Evidence,
    /// Whether multisampled images are compressed at all.
    pub multisampled: bool,
    /// Bytes of the widest texel that is compressed at all.
    pub max_texel_bytes: Option<u32>,
}

impl Profile {
    /// Whether every bin runs the geometry of a pass again, so that their number counts.
    #[must_use]
    pub fn replays_geometry(&self) -> bool {
        self.kind == Kind::Binned
    }

    /// Distinct attachments that merged subpasses may use, and whether inputs count among them.
    #[must_use]
    pub fn max_attachments(&self) -> Option<(u32, bool)> {
        let max = self.merge.max_attachments?;
        Some((max, self.merge.policy == MergePolicy::Limits))
    }

    /// Whether unchanged tiles are not written again, as long as the image keeps to safe layouts.
    #[must_use]
    pub fn keeps_tile_signatures(&self) -> bool {
        self.tile_signatures >= Evidence::Likely
    }

    /// Whether a read-only layout lets depth be tested earlier.
    #[must_use]
    pub fn read_only_depth_is_faster(&self) -> bool {
        self.read_only_depth >= Evidence::Likely
    }

    /// Whether an image of this many samples and bytes per texel is compressed at all.
    #[must_use]
    pub fn compresses(&self, samples: u32, texel_bytes: u32) -> bool {
        let compression = &self.compression;
        (samples == 1 || compression.multisampled)
            && compression.max_texel_bytes.is_none_or(|max| texel_bytes <= max)
    }
}
