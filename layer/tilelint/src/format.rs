//! Facts about formats: aspects, bytes, channels. The library's only table of formats.

use ash::vk;

/// One aspect of an image: the planes of multi-planar formats are not told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Aspect {
    /// `VK_IMAGE_ASPECT_COLOR_BIT`.
    Color,
    /// `VK_IMAGE_ASPECT_DEPTH_BIT`.
    Depth,
    /// `VK_IMAGE_ASPECT_STENCIL_BIT`.
    Stencil,
}

/// How the channels of a format are read as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Numeric {
    /// Unsigned, normalised to 0..1.
    Unorm,
    /// Signed, normalised to -1..1.
    Snorm,
    /// Unsigned integers converted to float.
    Uscaled,
    /// Signed integers converted to float.
    Sscaled,
    /// Unsigned integers.
    Uint,
    /// Signed integers.
    Sint,
    /// Unsigned normalised with the sRGB transfer function.
    Srgb,
    /// Signed floats.
    Sfloat,
    /// Unsigned floats.
    Ufloat,
    /// Signed fixed point.
    Sfixed,
}

/// A texel block: one texel for uncompressed formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Texels across.
    pub width: u32,
    /// Texels down.
    pub height: u32,
    /// Bytes of one block.
    pub bytes: u32,
}

/// Consecutive enumerants that differ only in their numeric type.
struct Family {
    first: vk::Format,
    numerics: &'static [Numeric],
    block: Block,
    /// Bits of each channel, red first; empty for compressed formats.
    bits: &'static [u8],
}

use Numeric::{Sfixed, Sfloat, Sint, Snorm, Srgb, Sscaled, Ufloat, Uint, Unorm, Uscaled};

const INT8: &[Numeric] = &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Srgb];
const INT10: &[Numeric] = &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint];
const INT16: &[Numeric] = &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Sfloat];
const WIDE: &[Numeric] = &[Uint, Sint, Sfloat];
const UNORM: &[Numeric] = &[Unorm];
const UNORM_SRGB: &[Numeric] = &[Unorm, Srgb];
const UNORM_SNORM: &[Numeric] = &[Unorm, Snorm];

const fn plain(
    first: vk::Format,
    numerics: &'static [Numeric],
    bytes: u32,
    bits: &'static [u8],
) -> Family {
    Family { first, numerics, block: Block { width: 1, height: 1, bytes }, bits }
}

const fn packed(
    first: vk::Format,
    numerics: &'static [Numeric],
    width: u32,
    height: u32,
    bytes: u32,
) -> Family {
    Family { first, numerics, block: Block { width, height, bytes }, bits: &[] }
}

/// Colour formats, in the order of their values.
static COLOR: &[Family] = &[
    plain(vk::Format::R4G4_UNORM_PACK8, UNORM, 1, &[4, 4]),
    plain(vk::Format::R4G4B4A4_UNORM_PACK16, UNORM, 2, &[4, 4, 4, 4]),
    plain(vk::Format::B4G4R4A4_UNORM_PACK16, UNORM, 2, &[4, 4, 4, 4]),
    plain(vk::Format::R5G6B5_UNORM_PACK16, UNORM, 2, &[5, 6, 5]),
    plain(vk::Format::B5G6R5_UNORM_PACK16, UNORM, 2, &[5, 6, 5]),
    plain(vk::Format::R5G5B5A1_UNORM_PACK16, UNORM, 2, &[5, 5, 5, 1]),
    plain(vk::Format::B5G5R5A1_UNORM_PACK16, UNORM, 2, &[5, 5, 5, 1]),
    plain(vk::Format::A1R5G5B5_UNORM_PACK16, UNORM, 2, &[5, 5, 5, 1]),
    plain(vk::Format::R8_UNORM, INT8, 1, &[8]),
    plain(vk::Format::R8G8_UNORM, INT8, 2, &[8, 8]),
    plain(vk::Format::R8G8B8_UNORM, INT8, 3, &[8, 8, 8]),
    plain(vk::Format::B8G8R8_UNORM, INT8, 3, &[8, 8, 8]),
    plain(vk::Format::R8G8B8A8_UNORM, INT8, 4, &[8, 8, 8, 8]),
    plain(vk::Format::B8G8R8A8_UNORM, INT8, 4, &[8, 8, 8, 8]),
    plain(vk::Format::A8B8G8R8_UNORM_PACK32, INT8, 4, &[8, 8, 8, 8]),
    plain(vk::Format::A2R10G10B10_UNORM_PACK32, INT10, 4, &[10, 10, 10, 2]),
    plain(vk::Format::A2B10G10R10_UNORM_PACK32, INT10, 4, &[10, 10, 10, 2]),
    plain(vk::Format::R16_UNORM, INT16, 2, &[16]),
    plain(vk::Format::R16G16_UNORM, INT16, 4, &[16, 16]),
    plain(vk::Format::R16G16B16_UNORM, INT16, 6, &[16, 16, 16]),
    plain(vk::Format::R16G16B16A16_UNORM, INT16, 8, &[16, 16, 16, 16]),
    plain(vk::Format::R32_UINT, WIDE, 4, &[32]),
    plain(vk::Format::R32G32_UINT, WIDE, 8, &[32, 32]),
    plain(vk::Format::R32G32B32_UINT, WIDE, 12, &[32, 32, 32]),
    plain(vk::Format::R32G32B32A32_UINT, WIDE, 16, &[32, 32, 32, 32]),
    plain(vk::Format::R64_UINT, WIDE, 8, &[64]),
    plain(vk::Format::R64G64_UINT, WIDE, 16, &[64, 64]),
    plain(vk::Format::R64G64B64_UINT, WIDE, 24, &[64, 64, 64]),
    plain(vk::Format::R64G64B64A64_UINT, WIDE, 32, &[64, 64, 64, 64]),
    plain(vk::Format::B10G11R11_UFLOAT_PACK32, &[Ufloat], 4, &[11, 11, 10]),
    plain(vk::Format::E5B9G9R9_UFLOAT_PACK32, &[Ufloat], 4, &[9, 9, 9]),
    packed(vk::Format::BC1_RGB_UNORM_BLOCK, UNORM_SRGB, 4, 4, 8),
    packed(vk::Format::BC1_RGBA_UNORM_BLOCK, UNORM_SRGB, 4, 4, 8),
    packed(vk::Format::BC2_UNORM_BLOCK, UNORM_SRGB, 4, 4, 16),
    packed(vk::Format::BC3_UNORM_BLOCK, UNORM_SRGB, 4, 4, 16),
    packed(vk::Format::BC4_UNORM_BLOCK, UNORM_SNORM, 4, 4, 8),
    packed(vk::Format::BC5_UNORM_BLOCK, UNORM_SNORM, 4, 4, 16),
    packed(vk::Format::BC6H_UFLOAT_BLOCK, &[Ufloat, Sfloat], 4, 4, 16),
    packed(vk::Format::BC7_UNORM_BLOCK, UNORM_SRGB, 4, 4, 16),
    packed(vk::Format::ETC2_R8G8B8_UNORM_BLOCK, UNORM_SRGB, 4, 4, 8),
    packed(vk::Format::ETC2_R8G8B8A1_UNORM_BLOCK, UNORM_SRGB, 4, 4, 8),
    packed(vk::Format::ETC2_R8G8B8A8_UNORM_BLOCK, UNORM_SRGB, 4, 4, 16),
    packed(vk::Format::EAC_R11_UNORM_BLOCK, UNORM_SNORM, 4, 4, 8),
    packed(vk::Format::EAC_R11G11_UNORM_BLOCK, UNORM_SNORM, 4, 4, 16),
    packed(vk::Format::ASTC_4X4_UNORM_BLOCK, UNORM_SRGB, 4, 4, 16),
    packed(vk::Format::ASTC_5X4_UNORM_BLOCK, UNORM_SRGB, 5, 4, 16),
    packed(vk::Format::ASTC_5X5_UNORM_BLOCK, UNORM_SRGB, 5, 5, 16),
    packed(vk::Format::ASTC_6X5_UNORM_BLOCK, UNORM_SRGB, 6, 5, 16),
    packed(vk::Format::ASTC_6X6_UNORM_BLOCK, UNORM_SRGB, 6, 6, 16),
    packed(vk::Format::ASTC_8X5_UNORM_BLOCK, UNORM_SRGB, 8, 5, 16),
    packed(vk::Format::ASTC_8X6_UNORM_BLOCK, UNORM_SRGB, 8, 6, 16),
    packed(vk::Format::ASTC_8X8_UNORM_BLOCK, UNORM_SRGB, 8, 8, 16),
    packed(vk::Format::ASTC_10X5_UNORM_BLOCK, UNORM_SRGB, 10, 5, 16),
    packed(vk::Format::ASTC_10X6_UNORM_BLOCK, UNORM_SRGB, 10, 6, 16),
    packed(vk::Format::ASTC_10X8_UNORM_BLOCK, UNORM_SRGB, 10, 8, 16),
    packed(vk::Format::ASTC_10X10_UNORM_BLOCK, UNORM_SRGB, 10, 10, 16),
    packed(vk::Format::ASTC_12X10_UNORM_BLOCK, UNORM_SRGB, 12, 10, 16),
    packed(vk::Format::ASTC_12X12_UNORM_BLOCK, UNORM_SRGB, 12, 12, 16),
    packed(vk::Format::PVRTC1_2BPP_UNORM_BLOCK_IMG, UNORM, 8, 4, 8),
    packed(vk::Format::PVRTC1_4BPP_UNORM_BLOCK_IMG, UNORM, 4, 4, 8),
    packed(vk::Format::PVRTC2_2BPP_UNORM_BLOCK_IMG, UNORM, 8, 4, 8),
    packed(vk::Format::PVRTC2_4BPP_UNORM_BLOCK_IMG, UNORM, 4, 4, 8),
    packed(vk::Format::PVRTC1_2BPP_SRGB_BLOCK_IMG, &[Srgb], 8, 4, 8),
    packed(vk::Format::PVRTC1_4BPP_SRGB_BLOCK_IMG, &[Srgb], 4, 4, 8),
    packed(vk::Format::PVRTC2_2BPP_SRGB_BLOCK_IMG, &[Srgb], 8, 4, 8),
    packed(vk::Format::PVRTC2_4BPP_SRGB_BLOCK_IMG, &[Srgb], 4, 4, 8),
    packed(vk::Format::ASTC_4X4_SFLOAT_BLOCK, &[Sfloat], 4, 4, 16),
    packed(vk::Format::ASTC_5X4_SFLOAT_BLOCK, &[Sfloat], 5, 4, 16),
    packed(vk::Format::ASTC_5X5_SFLOAT_BLOCK, &[Sfloat], 5, 5, 16),
    packed(vk::Format::ASTC_6X5_SFLOAT_BLOCK, &[Sfloat], 6, 5, 16),
    packed(vk::Format::ASTC_6X6_SFLOAT_BLOCK, &[Sfloat], 6, 6, 16),
    packed(vk::Format::ASTC_8X5_SFLOAT_BLOCK, &[Sfloat], 8, 5, 16),
    packed(vk::Format::ASTC_8X6_SFLOAT_BLOCK, &[Sfloat], 8, 6, 16),
    packed(vk::Format::ASTC_8X8_SFLOAT_BLOCK, &[Sfloat], 8, 8, 16),
    packed(vk::Format::ASTC_10X5_SFLOAT_BLOCK, &[Sfloat], 10, 5, 16),
    packed(vk::Format::ASTC_10X6_SFLOAT_BLOCK, &[Sfloat], 10, 6, 16),
    packed(vk::Format::ASTC_10X8_SFLOAT_BLOCK, &[Sfloat], 10, 8, 16),
    packed(vk::Format::ASTC_10X10_SFLOAT_BLOCK, &[Sfloat], 10, 10, 16),
    packed(vk::Format::ASTC_12X10_SFLOAT_BLOCK, &[Sfloat], 12, 10, 16),
    packed(vk::Format::ASTC_12X12_SFLOAT_BLOCK, &[Sfloat], 12, 12, 16),
    plain(vk::Format::R10X6_UNORM_PACK16, UNORM, 2, &[10]),
    plain(vk::Format::R10X6G10X6_UNORM_2PACK16, UNORM, 4, &[10, 10]),
    plain(vk::Format::R10X6G10X6B10X6A10X6_UNORM_4PACK16, UNORM, 8, &[10, 10, 10, 10]),
    plain(vk::Format::R12X4_UNORM_PACK16, UNORM, 2, &[12]),
    plain(vk::Format::R12X4G12X4_UNORM_2PACK16, UNORM, 4, &[12, 12]),
    plain(vk::Format::R12X4G12X4B12X4A12X4_UNORM_4PACK16, UNORM, 8, &[12, 12, 12, 12]),
    plain(vk::Format::A4R4G4B4_UNORM_PACK16, UNORM, 2, &[4, 4, 4, 4]),
    plain(vk::Format::A4B4G4R4_UNORM_PACK16, UNORM, 2, &[4, 4, 4, 4]),
    plain(vk::Format::R16G16_S10_5_NV, &[Sfixed], 4, &[16, 16]),
    plain(vk::Format::A1B5G5R5_UNORM_PACK16_KHR, UNORM, 2, &[5, 5, 5, 1]),
    plain(vk::Format::A8_UNORM_KHR, UNORM, 1, &[8]),
];

fn family(format: vk::Format) -> Option<(&'static Family, Numeric)> {
    let raw = format.as_raw();
    let after = COLOR.partition_point(|family| family.first.as_raw() <= raw);
    let family = &COLOR[after.checked_sub(1)?];
    let index = usize::try_from(raw - family.first.as_raw()).ok()?;
    family.numerics.get(index).map(|numeric| (family, *numeric))
}

/// The aspects of `format`, depth before stencil; empty for `UNDEFINED`. A format that the table
/// does not know, or that has several planes, is colour.
#[must_use]
pub fn aspects(format: vk::Format) -> &'static [Aspect] {
    match format {
        vk::Format::UNDEFINED => &[],
        vk::Format::D16_UNORM | vk::Format::X8_D24_UNORM_PACK32 | vk::Format::D32_SFLOAT => {
            &[Aspect::Depth]
        }
        vk::Format::S8_UINT => &[Aspect::Stencil],
        vk::Format::D16_UNORM_S8_UINT
        | vk::Format::D24_UNORM_S8_UINT
        | vk::Format::D32_SFLOAT_S8_UINT => &[Aspect::Depth, Aspect::Stencil],
        _ => &[Aspect::Color],
    }
}

/// Whether `format` has this aspect.
#[must_use]
pub fn has_aspect(format: vk::Format, aspect: Aspect) -> bool {
    aspects(format).contains(&aspect)
}

/// Whether `format` has a depth or a stencil aspect.
#[must_use]
pub fn is_depth_stencil(format: vk::Format) -> bool {
    aspects(format).iter().any(|aspect| *aspect != Aspect::Color)
}

/// Bytes that one texel (one sample) of this aspect takes in memory. `None` when the format does
/// not have the aspect, is block-compressed or multi-planar, or is not in the table.
#[must_use]
pub fn texel_bytes(format: vk::Format, aspect: Aspect) -> Option<u32> {
    if !has_aspect(format, aspect) {
        return None;
    }
    match (format, aspect) {
        (_, Aspect::Stencil) => Some(1),
        (vk::Format::D16_UNORM | vk::Format::D16_UNORM_S8_UINT, _) => Some(2),
        (vk::Format::D24_UNORM_S8_UINT, _) => Some(3),
        (_, Aspect::Depth) => Some(4),
        (_, Aspect::Color) => {
            let (family, _) = family(format)?;
            let block = family.block;
            (block.width == 1 && block.height == 1).then_some(block.bytes)
        }
    }
}

/// Bytes of one texel (one sample) over all aspects; `None` as in [`texel_bytes`].
#[must_use]
pub fn total_texel_bytes(format: vk::Format) -> Option<u32> {
    let aspects = aspects(format);
    let bytes = aspects.iter().map(|aspect| texel_bytes(format, *aspect)).sum::<Option<u32>>()?;
    (!aspects.is_empty()).then_some(bytes)
}

/// The texel block of a colour format; `None` when it is multi-planar or not in the table.
#[must_use]
pub fn block(format: vk::Format) -> Option<Block> {
    if is_depth_stencil(format) {
        let bytes = total_texel_bytes(format)?;
        return Some(Block { width: 1, height: 1, bytes });
    }
    family(format).map(|(family, _)| family.block)
}

/// Bytes of `width` x `height` texels of one aspect and one sample: whole blocks for compressed
/// formats. `None` as in [`texel_bytes`] and [`block`].
#[must_use]
pub fn area_bytes(format: vk::Format, aspect: Aspect, width: u32, height: u32) -> Option<u64> {
    if let Some(bytes) = texel_bytes(format, aspect) {
        return Some(u64::from(width) * u64::from(height) * u64::from(bytes));
    }
    if !has_aspect(format, aspect) {
        return None;
    }
    let block = block(format)?;
    let across = u64::from(width.div_ceil(block.width));
    let down = u64::from(height.div_ceil(block.height));
    Some(across * down * u64::from(block.bytes))
}

/// Whether the format is block-compressed.
#[must_use]
pub fn is_compressed(format: vk::Format) -> bool {
    block(format).is_some_and(|block| block.width > 1 || block.height > 1)
}

/// The bits of each colour channel, red first; empty for depth and stencil, compressed,
/// multi-planar and unknown formats.
#[must_use]
pub fn channel_bits(format: vk::Format) -> &'static [u8] {
    family(format).map_or(&[], |(family, _)| family.bits)
}

/// The numeric type of a colour format.
#[must_use]
pub fn numeric(format: vk::Format) -> Option<Numeric> {
    family(format).map(|(_, numeric)| numeric)
}

/// Whether the colour channels are pure integers.
#[must_use]
pub fn is_integer(format: vk::Format) -> bool {
    matches!(numeric(format), Some(Uint | Sint))
}

/// Whether the colour channels are signed normalised.
#[must_use]
pub fn is_snorm(format: vk::Format) -> bool {
    numeric(format) == Some(Snorm)
}

/// Whether the colour channels use the sRGB transfer function.
#[must_use]
pub fn is_srgb(format: vk::Format) -> bool {
    numeric(format) == Some(Srgb)
}

/// Whether the colour channels are floats.
#[must_use]
pub fn is_float(format: vk::Format) -> bool {
    matches!(numeric(format), Some(Sfloat | Ufloat))
}

/// Every format that the table knows, in the order of its values within colour, then depth.
pub fn all() -> impl Iterator<Item = vk::Format> {
    let color = COLOR.iter().flat_map(|family| {
        let first = family.first.as_raw();
        (first..).take(family.numerics.len()).map(vk::Format::from_raw)
    });
    let depth_stencil = vk::Format::D16_UNORM.as_raw()..=vk::Format::D32_SFLOAT_S8_UINT.as_raw();
    color.chain(depth_stencil.map(vk::Format::from_raw))
}

/// Short names that tools and people use, each with the format it stands for.
pub const SHORT_NAMES: &[(&str, vk::Format)] = &[
    ("r8", vk::Format::R8_UNORM),
    ("rg8", vk::Format::R8G8_UNORM),
    ("rgba8", vk::Format::R8G8B8A8_UNORM),
    ("bgra8", vk::Format::B8G8R8A8_UNORM),
    ("rgba8s", vk::Format::R8G8B8A8_SNORM),
    ("rgba8_snorm", vk::Format::R8G8B8A8_SNORM),
    ("rgba8_srgb", vk::Format::R8G8B8A8_SRGB),
    ("rgba8_uint", vk::Format::R8G8B8A8_UINT),
    ("rgba8ui", vk::Format::R8G8B8A8_UINT),
    ("srgba8", vk::Format::R8G8B8A8_SRGB),
    ("srgb8", vk::Format::R8G8B8A8_SRGB),
    ("rgb565", vk::Format::R5G6B5_UNORM_PACK16),
    ("rgba4", vk::Format::R4G4B4A4_UNORM_PACK16),
    ("rgb10a2", vk::Format::A2B10G10R10_UNORM_PACK32),
    ("rg11b10f", vk::Format::B10G11R11_UFLOAT_PACK32),
    ("r16", vk::Format::R16_UNORM),
    ("rg16", vk::Format::R16G16_UNORM),
    ("rgba16", vk::Format::R16G16B16A16_UNORM),
    ("r16f", vk::Format::R16_SFLOAT),
    ("rg16f", vk::Format::R16G16_SFLOAT),
    ("rgba16f", vk::Format::R16G16B16A16_SFLOAT),
    ("r32f", vk::Format::R32_SFLOAT),
    ("rg32f", vk::Format::R32G32_SFLOAT),
    ("rgba32f", vk::Format::R32G32B32A32_SFLOAT),
    ("r32ui", vk::Format::R32_UINT),
    ("d16", vk::Format::D16_UNORM),
    ("x8d24", vk::Format::X8_D24_UNORM_PACK32),
    ("d24", vk::Format::X8_D24_UNORM_PACK32),
    ("d24s8", vk::Format::D24_UNORM_S8_UINT),
    ("d32", vk::Format::D32_SFLOAT),
    ("d32f", vk::Format::D32_SFLOAT),
    ("d32s8", vk::Format::D32_SFLOAT_S8_UINT),
    ("d32fs8", vk::Format::D32_SFLOAT_S8_UINT),
    ("s8", vk::Format::S8_UINT),
];

/// The format of a name: Vulkan's own (`R8G8B8A8_UNORM`, with or without `VK_FORMAT_`) or one of
/// [`SHORT_NAMES`], in any case.
#[must_use]
pub fn by_name(name: &str) -> Option<vk::Format> {
    let short = SHORT_NAMES.iter().find(|(short, _)| short.eq_ignore_ascii_case(name));
    if let Some((_, format)) = short {
        return Some(*format);
    }
    let upper = name.to_ascii_uppercase();
    let bare = upper.strip_prefix("VK_FORMAT_").unwrap_or(&upper);
    all().find(|format| format!("{format:?}") == bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_sorted_and_apart() {
        for pair in COLOR.windows(2) {
            let end = pair[0].first.as_raw() + i32::try_from(pair[0].numerics.len()).unwrap();
            assert!(end <= pair[1].first.as_raw(), "{:?}", pair[1].first);
        }
    }

    #[test]
    fn names_agree_with_numeric_types_and_bits() {
        for format in all() {
            let name = format!("{format:?}");
            assert!(name.parse::<i32>().is_err(), "{name} is a value without a name");
            assert_eq!(by_name(&name), Some(format));
            assert_eq!(by_name(&format!("vk_format_{name}")), Some(format));
            let Some(numeric) = numeric(format) else { continue };
            let suffix = match numeric {
                Sfixed => "S10_5".to_owned(),
                other => format!("{other:?}").to_uppercase(),
            };
            assert!(name.contains(&format!("_{suffix}")), "{name} is not {suffix}");
        }
    }

    #[test]
    fn channel_bits_fill_the_texel() {
        for format in all() {
            let bits: u32 = channel_bits(format).iter().map(|bits| u32::from(*bits)).sum();
            let name = format!("{format:?}");
            // Shared exponents and padding take the rest of their texels.
            if bits == 0 || name.contains("E5B9") || name.contains('X') {
                continue;
            }
            assert_eq!(Some(bits), texel_bytes(format, Aspect::Color).map(|b| b * 8), "{name}");
        }
    }

    #[test]
    fn depth_and_stencil() {
        let d24s8 = vk::Format::D24_UNORM_S8_UINT;
        assert_eq!(aspects(d24s8), [Aspect::Depth, Aspect::Stencil]);
        assert_eq!(texel_bytes(d24s8, Aspect::Depth), Some(3));
        assert_eq!(texel_bytes(d24s8, Aspect::Stencil), Some(1));
        assert_eq!(texel_bytes(d24s8, Aspect::Color), None);
        assert_eq!(total_texel_bytes(vk::Format::D32_SFLOAT_S8_UINT), Some(5));
        assert_eq!(texel_bytes(vk::Format::X8_D24_UNORM_PACK32, Aspect::Depth), Some(4));
        assert_eq!(texel_bytes(vk::Format::D16_UNORM, Aspect::Depth), Some(2));
        assert_eq!(aspects(vk::Format::UNDEFINED), []);
        assert_eq!(total_texel_bytes(vk::Format::UNDEFINED), None);
    }

    #[test]
    fn planes_and_strangers_are_unknown() {
        let nv12 = vk::Format::G8_B8R8_2PLANE_420_UNORM;
        assert_eq!(texel_bytes(nv12, Aspect::Color), None);
        assert_eq!(block(nv12), None);
        assert_eq!(block(vk::Format::from_raw(-1)), None);
        assert_eq!(block(vk::Format::from_raw(i32::MAX)), None);
    }

    #[test]
    fn compressed_sizes() {
        let astc = vk::Format::ASTC_6X6_SRGB_BLOCK;
        assert!(is_compressed(astc) && is_srgb(astc));
        assert_eq!(texel_bytes(astc, Aspect::Color), None);
        assert_eq!(area_bytes(astc, Aspect::Color, 13, 12), Some(3 * 2 * 16));
        assert_eq!(area_bytes(vk::Format::BC1_RGB_SRGB_BLOCK, Aspect::Color, 8, 8), Some(32));
    }

    #[test]
    fn a_4k_d32_store() {
        let bytes = area_bytes(vk::Format::D32_SFLOAT, Aspect::Depth, 3840, 2160).unwrap();
        assert_eq!(bytes, 33_177_600);
    }
}
