//! How tile memory is shared out between the planes of a pass's attachments.

use ash::vk;

use super::shape::PassShape;
use crate::format;
use crate::profile::Binned;

/// The two ways in which a binning GPU uses its tile memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// All of it holds attachments.
    Full,
    /// The colour cache keeps its part, which slow stores need.
    AvoidCcu,
}

impl Layout {
    /// Bytes that attachments may take.
    #[must_use]
    pub fn bytes(self, binned: &Binned) -> u32 {
        match self {
            Layout::Full => binned.tile_memory,
            Layout::AvoidCcu => binned.tile_memory_avoid_ccu,
        }
    }

    /// Its name in options and tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Layout::Full => "full",
            Layout::AvoidCcu => "avoid_ccu",
        }
    }
}

/// The part of tile memory that one attachment aspect, or pair of aspects, takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plane {
    /// The attachment.
    pub attachment: usize,
    /// Bytes per pixel, samples included.
    pub bytes: u32,
    /// Whether it is the separate stencil of a depth attachment.
    pub separate_stencil: bool,
}

/// The planes of every attachment that the pass draws to, in attachment order. `None` when the
/// size of a format is not known.
#[must_use]
pub fn planes(pass: &PassShape) -> Option<Vec<Plane>> {
    let mut planes = Vec::new();
    for (index, attachment) in pass.attachments.iter().enumerate() {
        if !pass.is_drawn(index) {
            continue;
        }
        let plane = |bytes: u32, separate_stencil| {
            let bytes = bytes.checked_mul(attachment.samples)?;
            Some(Plane { attachment: index, bytes, separate_stencil })
        };
        if attachment.format == vk::Format::D32_SFLOAT_S8_UINT {
            planes.push(plane(4, false)?);
            planes.push(plane(1, true)?);
        } else {
            planes.push(plane(format::total_texel_bytes(attachment.format)?, false)?);
        }
    }
    Some(planes)
}

/// What the planes of a pass ask of a bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Pixels, over all layers, that fit into one bin; 0 when the planes do not fit at all.
    pub pixels: u32,
    /// Steps of bin width and height, in pixels.
    pub align: [u32; 2],
    /// Bytes per pixel of the smallest plane; `None` without planes.
    pub smallest: Option<u32>,
}

/// Pixels of a pass that keeps nothing on the tile: any number makes bins.
const NO_PLANES: u32 = 1 << 20;

/// Shares `memory` bytes out between `planes`, in granules of eight bin steps.
#[must_use]
pub fn budget(planes: &[Plane], memory: u32, binned: &Binned) -> Budget {
    let [mut across, down] = binned.align;
    let granule = 8 * across * down;
    // A plane of one byte per pixel needs rows of 64 bytes to be read as an input attachment.
    let mut shift = 3;
    if narrow(planes) && !across.is_multiple_of(64) {
        across *= 2;
        shift = 2;
    }
    let smallest = planes.iter().map(|plane| plane.bytes).min();
    let align = [across, down];
    if smallest.is_none() {
        return Budget { pixels: NO_PLANES, align, smallest };
    }
    let mut left = memory / granule;
    let mut bytes_left: u64 = planes.iter().map(|plane| u64::from(plane.bytes)).sum();
    let mut pixels = u32::MAX;
    for plane in planes {
        let share = u64::from(left) * u64::from(plane.bytes) / bytes_left.max(1);
        let share = u32::try_from(share).unwrap_or(u32::MAX);
        let step = if plane.separate_stencil { 1 } else { (plane.bytes >> shift).max(1) };
        let granules = if plane.separate_stencil { share } else { (share & !(step - 1)).max(step) };
        if granules > left {
            return Budget { pixels: 0, align, smallest };
        }
        left -= granules;
        bytes_left -= u64::from(plane.bytes);
        let fit = u64::from(granules) * u64::from(granule) / u64::from(plane.bytes.max(1));
        pixels = pixels.min(u32::try_from(fit).unwrap_or(u32::MAX));
    }
    Budget { pixels, align, smallest }
}

/// Whether an attachment asks for wide rows. Of separate depth and stencil only the stencil counts.
fn narrow(planes: &[Plane]) -> bool {
    planes.iter().any(|plane| plane.bytes == 1)
}
