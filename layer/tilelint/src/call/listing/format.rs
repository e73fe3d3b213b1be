//! What the name of a format says: aspects, kind of numbers, size.

use ash::vk;
use ash::vk::ImageAspectFlags as Aspects;

/// Aspects of a format.
pub(super) fn aspects(format: vk::Format) -> Aspects {
    let name = format!("{format:?}");
    let depth = name.starts_with('D') || name.starts_with("X8_D24");
    let stencil = name.contains("S8_UINT");
    match (depth, stencil) {
        (true, true) => Aspects::DEPTH | Aspects::STENCIL,
        (true, false) => Aspects::DEPTH,
        (false, true) => Aspects::STENCIL,
        (false, false) if format == vk::Format::UNDEFINED => Aspects::empty(),
        (false, false) => Aspects::COLOR,
    }
}

/// Says whether colours of this format are integers.
pub(super) fn is_integer(format: vk::Format) -> bool {
    let name = format!("{format:?}");
    name.contains("_UINT") || name.contains("_SINT")
}

/// Bytes an allocation for an image needs at most, roughly: whole 64 KiB.
pub(super) fn image_bytes(image: &crate::call::ImageInfo) -> u64 {
    let name = format!("{:?}", image.format);
    let bits: u64 = if name.contains("BLOCK") {
        8
    } else {
        let channels = name.split(['_']).filter(|part| !part.starts_with("PACK"));
        channels.map(numbers).sum::<u64>().max(8)
    };
    let vk::Extent3D { width, height, depth } = image.extent;
    let texels = u64::from(width) * u64::from(height) * u64::from(depth);
    let chain = if image.mips > 1 { texels.saturating_mul(4) / 3 + 1 } else { texels };
    let bytes = chain
        .saturating_mul(u64::from(image.layers) * u64::from(image.samples))
        .saturating_mul(bits.next_power_of_two())
        / 8;
    bytes.clamp(1, 1 << 60).next_multiple_of(65536)
}

/// Sum of the numbers in a word.
fn numbers(word: &str) -> u64 {
    word.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse::<u64>().ok()).sum()
}
