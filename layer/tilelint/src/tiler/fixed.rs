//! Tile sizes of GPUs whose tiles are small and depend on bytes per pixel only.

use ash::vk;

use super::shape::PassShape;
use crate::format::{self, Aspect, Numeric};
use crate::profile::{FixedTile, TileModel};

/// The tile of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Width and height, in pixels.
    pub size: [u32; 2],
    /// Bytes per pixel that the rule counts, samples included where it counts them.
    pub bytes_per_pixel: u32,
    /// Colour attachments that do not fit on the tile and go to memory.
    pub spilled: u32,
}

/// What the rules look at: distinct colour attachments, samples, and whether there is depth.
struct Targets {
    colors: Vec<vk::Format>,
    samples: u32,
    depth: bool,
}

/// The tile that a pass gets. `None` when the size of a format is not known.
#[must_use]
pub fn tile(pass: &PassShape, rule: &FixedTile) -> Option<Tile> {
    let targets = targets(pass);
    let bytes = |format: &vk::Format| format::texel_bytes(*format, Aspect::Color);
    let raw: u32 = targets.colors.iter().map(bytes).sum::<Option<u32>>()?;
    match rule.model {
        TileModel::Constant => {
            Some(Tile { size: rule.max, bytes_per_pixel: raw * targets.samples, spilled: 0 })
        }
        TileModel::Mali => Some(mali(&targets, rule)),
        TileModel::PowerVr => Some(power_vr(&targets, rule)),
        TileModel::Apple => Some(apple(&targets, rule)),
        TileModel::V3d4 => Some(v3d4(&targets, rule)),
        TileModel::V3d7 => Some(v3d7(&targets, rule)),
    }
}

fn targets(pass: &PassShape) -> Targets {
    let drawn = |index: usize, color: bool| {
        pass.subpasses.iter().any(|subpass| {
            let colors = subpass.color.contains(&Some(index));
            if color { colors } else { subpass.depth_stencil == Some(index) }
        })
    };
    let indices = 0..pass.attachments.len();
    let colors: Vec<usize> = indices.clone().filter(|index| drawn(*index, true)).collect();
    let depth: Vec<usize> = indices.filter(|index| drawn(*index, false)).collect();
    let samples = colors.iter().chain(&depth).map(|index| pass.attachments[*index].samples);
    Targets {
        samples: samples.max().unwrap_or(1),
        colors: colors.into_iter().map(|index| pass.attachments[index].format).collect(),
        depth: !depth.is_empty(),
    }
}

fn color_bytes(format: vk::Format) -> u32 {
    format::texel_bytes(format, Aspect::Color).unwrap_or(0)
}

fn is_unorm(format: vk::Format) -> bool {
    let narrow = format::channel_bits(format).iter().all(|bits| *bits <= 10);
    matches!(format::numeric(format), Some(Numeric::Unorm | Numeric::Srgb)) && narrow
}

/// Mali keeps blendable normalised formats as 32 bits, others as their size rounded up to a power
/// of two.
fn mali_bytes(format: vk::Format) -> u32 {
    if is_unorm(format) { 4 } else { color_bytes(format).next_power_of_two() }
}

fn ceil_log2(value: u32) -> u32 {
    value.next_power_of_two().trailing_zeros()
}

fn mali(targets: &Targets, rule: &FixedTile) -> Tile {
    let bytes: u32 = targets.colors.iter().map(|format| mali_bytes(*format)).sum();
    let bytes = bytes * targets.samples;
    let smallest = rule.min[0] * rule.min[1];
    let half = u32::from(rule.pipelined);
    let shrunk = |memory: u32, bytes: u32| (memory >> half) >> ceil_log2(bytes.max(1));
    let mut pixels = rule.max[0] * rule.max[1];
    if bytes > 0 {
        let mut fit = shrunk(rule.color_bytes, bytes);
        // Giving up the other tile's half doubles the budget when even the smallest does not fit.
        if fit < smallest && rule.pipelined {
            fit = rule.color_bytes >> ceil_log2(bytes);
        }
        pixels = pixels.min(fit);
    }
    if targets.depth && rule.depth_bytes > 0 {
        pixels = pixels.min(shrunk(rule.depth_bytes, 4 * targets.samples));
    }
    let power = pixels.max(smallest).ilog2();
    Tile { size: [1 << power.div_ceil(2), 1 << (power / 2)], bytes_per_pixel: bytes, spilled: 0 }
}

/// Output registers of 32 bits that a target accumulates in.
fn registers(format: vk::Format) -> u32 {
    let bits = format::channel_bits(format);
    match bits {
        // Packed floats accumulate as three 16-bit floats.
        [11, 11, 10] => 2,
        _ => color_bytes(format).div_ceil(4),
    }
}

fn power_vr(targets: &Targets, rule: &FixedTile) -> Tile {
    let mut used = 0;
    let mut spilled = 0;
    for format in &targets.colors {
        let needed = registers(*format);
        if used + needed > rule.registers {
            spilled += 1;
        } else {
            used += needed;
        }
    }
    let used = if used == 0 { 0 } else { used.next_power_of_two() };
    Tile { size: rule.max, bytes_per_pixel: 4 * used, spilled }
}

/// The alignment of a target within a sample: its channel's size where all are whole bytes.
fn apple_align(format: vk::Format) -> u32 {
    let bits = format::channel_bits(format);
    let first = bits.first().copied().unwrap_or(8);
    let even = first >= 8 && first.is_power_of_two() && bits.iter().all(|bits| *bits == first);
    if even { u32::from(first) / 8 } else { color_bytes(format).next_power_of_two() }
}

/// Bytes of one sample at most.
const APPLE_SAMPLE: u32 = 64;

fn apple(targets: &Targets, rule: &FixedTile) -> Tile {
    let [width, height] = rule.min;
    let fits = |sample: u32, pixels: u32| sample * targets.samples * pixels <= rule.color_bytes;
    let mut end = 0u32;
    let mut spilled = 0;
    for format in &targets.colors {
        let next = end.next_multiple_of(apple_align(*format)) + color_bytes(*format);
        let rounded = next.next_multiple_of(8);
        if rounded > APPLE_SAMPLE || !fits(rounded, width * height) {
            spilled += 1;
        } else {
            end = next;
        }
    }
    let sample = end.next_multiple_of(8);
    let shapes = [rule.max, [rule.max[0], rule.min[1]], rule.min];
    let size = shapes.into_iter().find(|shape| fits(sample, shape[0] * shape[1]));
    Tile { size: size.unwrap_or(rule.min), bytes_per_pixel: sample * targets.samples, spilled }
}

const V3D_TILES: [[u32; 2]; 7] =
    [[64, 64], [64, 32], [32, 32], [32, 16], [16, 16], [16, 8], [8, 8]];

/// Bytes of a target in the tile buffer: channels widen to 8, 16 or 32 bits.
fn v3d_bytes(format: vk::Format) -> u32 {
    let bits = format::channel_bits(format);
    let widest = bits.iter().copied().max().unwrap_or(8);
    // 5-6-5 and the like are kept with 8 bits a channel, 10 and 11 bits with 16.
    let channel = if widest <= 8 {
        1
    } else if widest <= 16 {
        2
    } else {
        4
    };
    let channels = u32::try_from(bits.len()).unwrap_or(4);
    (channel * channels).next_power_of_two().clamp(4, 16)
}

fn v3d4(targets: &Targets, _rule: &FixedTile) -> Tile {
    let bytes = targets.colors.iter().map(|format| v3d_bytes(*format));
    let widest = bytes.clone().max().unwrap_or(4);
    let by_count = match targets.colors.len() {
        0 | 1 => 0,
        2 => 1,
        _ => 2,
    };
    let by_samples = if targets.samples > 1 { 2 } else { 0 };
    let by_width = usize::from(widest > 4) + usize::from(widest > 8);
    let step = (by_count + by_samples + by_width).min(V3D_TILES.len() - 1);
    let samples = if targets.samples > 1 { 4 } else { 1 };
    Tile { size: V3D_TILES[step], bytes_per_pixel: bytes.sum::<u32>() * samples, spilled: 0 }
}

fn v3d7(targets: &Targets, rule: &FixedTile) -> Tile {
    let samples = if targets.samples > 1 { 4 } else { 1 };
    let color = targets.colors.iter().map(|format| v3d_bytes(*format)).sum::<u32>() * samples;
    let depth = if targets.depth { 4 * samples } else { 0 };
    let fits = |size: &&[u32; 2]| {
        let pixels = size[0] * size[1];
        // Depth that fits into the auxiliary half leaves its own memory to colour.
        let lent = if depth * pixels <= rule.depth_bytes / 2 { rule.depth_bytes } else { 0 };
        color * pixels <= rule.color_bytes + lent && depth * pixels <= rule.depth_bytes
    };
    let size = V3D_TILES.iter().find(fits).copied();
    let smallest = V3D_TILES[V3D_TILES.len() - 1];
    Tile { size: size.unwrap_or(smallest), bytes_per_pixel: color, spilled: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile;
    use crate::tiler::shape::{Attachment, Subpass};

    fn pass(colors: &[vk::Format], depth: bool, samples: u32) -> PassShape {
        let mut pass = PassShape::new(1920, 1080);
        pass.attachments = colors.iter().map(|format| Attachment::new(*format, samples)).collect();
        let mut subpass =
            Subpass { color: (0..colors.len()).map(Some).collect(), ..Subpass::default() };
        if depth {
            subpass.depth_stencil = Some(colors.len());
            pass.attachments.push(Attachment::new(vk::Format::D24_UNORM_S8_UINT, samples));
        }
        pass.subpasses = vec![subpass];
        pass
    }

    fn size(target: &str, colors: &[vk::Format], samples: u32) -> [u32; 2] {
        let profile = profile::by_name(target).unwrap();
        tile(&pass(colors, true, samples), profile.tile.as_ref().unwrap()).unwrap().size
    }

    const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;
    const RGBA16F: vk::Format = vk::Format::R16G16B16A16_SFLOAT;
    const RGBA32F: vk::Format = vk::Format::R32G32B32A32_SFLOAT;

    #[test]
    fn mali_shrinks_past_its_bits() {
        for (target, full, bytes) in [
            ("mali-g71", [16, 16], 16),
            ("mali-g72", [16, 16], 32),
            ("mali-g51", [16, 16], 16),
            ("mali-g76", [16, 16], 32),
            ("mali-g78", [16, 16], 32),
            ("mali-g610", [32, 32], 16),
            ("mali-g720", [64, 64], 8),
            ("mali-g720", [32, 32], 32),
        ] {
            let fitting = vec![RGBA8; bytes / 4];
            assert_eq!(size(target, &fitting, 1), full, "{target} {bytes}");
            let over = vec![RGBA8; bytes / 4 + 1];
            assert_eq!(size(target, &over, 1), [full[0], full[1] / 2], "{target} {bytes}");
        }
        // One byte of colour counts as four.
        assert_eq!(size("mali-g71", &[vk::Format::R8_UNORM; 5], 1), [16, 8]);
        assert_eq!(size("mali-g71", &[RGBA8; 4], 4), [8, 8]);
        assert_eq!(size("mali-g71", &[RGBA32F; 8], 4), [4, 4]);
    }

    #[test]
    fn apple_takes_the_largest_that_fits() {
        assert_eq!(size("apple-m1", &[RGBA8], 1), [32, 32]);
        assert_eq!(size("apple-m1", &[RGBA8], 4), [32, 16]);
        assert_eq!(size("apple-m1", &[RGBA16F], 4), [32, 16]);
        assert_eq!(size("apple-m1", &[RGBA16F; 2], 4), [16, 16]);
        let profile = profile::by_name("apple-m1").unwrap();
        let wide = tile(&pass(&[RGBA16F; 4], false, 4), profile.tile.as_ref().unwrap()).unwrap();
        assert_eq!(wide.spilled, 1);
    }

    #[test]
    fn power_vr_spills_past_its_registers() {
        let profile = profile::by_name("powervr-volcanic").unwrap();
        let rule = profile.tile.as_ref().unwrap();
        let tile = |colors: &[vk::Format]| tile(&pass(colors, true, 1), rule).unwrap();
        assert_eq!(tile(&[RGBA8; 3]).bytes_per_pixel, 16);
        assert_eq!(tile(&[vk::Format::B10G11R11_UFLOAT_PACK32; 2]).spilled, 0);
        assert_eq!(tile(&[vk::Format::B10G11R11_UFLOAT_PACK32; 3]).spilled, 1);
        assert_eq!(tile(&[RGBA8]).size, [16, 16]);
    }

    #[test]
    fn v3d_steps() {
        assert_eq!(size("v3d-4", &[RGBA8], 1), [64, 64]);
        assert_eq!(size("v3d-4", &[RGBA8, RGBA16F], 1), [32, 32]);
        assert_eq!(size("v3d-4", &[RGBA32F; 4], 4), [8, 8]);
        assert_eq!(size("v3d-7", &[RGBA8], 1), [64, 64]);
        assert_eq!(size("v3d-7", &[RGBA8], 4), [32, 32]);
        assert_eq!(size("v3d-7", &[RGBA16F; 2], 1), [64, 32]);
    }

    #[test]
    fn unknown_sizes_are_unknown() {
        let profile = profile::by_name("mali-g78").unwrap();
        let strange = pass(&[vk::Format::G8_B8R8_2PLANE_420_UNORM], false, 1);
        assert_eq!(tile(&strange, profile.tile.as_ref().unwrap()), None);
    }
}
