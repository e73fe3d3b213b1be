//! Formats: sizes of their blocks and what can be done with them.

use ash::vk::{self, Format, FormatFeatureFlags as Can};

use crate::config::config;

/// A format's smallest unit.
pub struct Block {
    pub bytes: u64,
    pub width: u64,
    pub height: u64,
}

/// The last format of each run of equal bytes per texel, in the order of the enumeration.
const UNCOMPRESSED: &[(Format, u64)] = &[
    (Format::UNDEFINED, 0),
    (Format::R4G4_UNORM_PACK8, 1),
    (Format::A1R5G5B5_UNORM_PACK16, 2),
    (Format::R8_SRGB, 1),
    (Format::R8G8_SRGB, 2),
    (Format::B8G8R8_SRGB, 3),
    (Format::A2B10G10R10_SINT_PACK32, 4),
    (Format::R16_SFLOAT, 2),
    (Format::R16G16_SFLOAT, 4),
    (Format::R16G16B16_SFLOAT, 6),
    (Format::R16G16B16A16_SFLOAT, 8),
    (Format::R32_SFLOAT, 4),
    (Format::R32G32_SFLOAT, 8),
    (Format::R32G32B32_SFLOAT, 12),
    (Format::R32G32B32A32_SFLOAT, 16),
    (Format::R64_SFLOAT, 8),
    (Format::R64G64_SFLOAT, 16),
    (Format::R64G64B64_SFLOAT, 24),
    (Format::R64G64B64A64_SFLOAT, 32),
    (Format::E5B9G9R9_UFLOAT_PACK32, 4),
    (Format::D16_UNORM, 2),
    (Format::D32_SFLOAT, 4),
    (Format::S8_UINT, 1),
    (Format::D16_UNORM_S8_UINT, 3),
    (Format::D24_UNORM_S8_UINT, 4),
    (Format::D32_SFLOAT_S8_UINT, 5),
];

/// As above for blocks of 4x4 texels.
const BLOCKS: &[(Format, u64)] = &[
    (Format::BC1_RGBA_SRGB_BLOCK, 8),
    (Format::BC3_SRGB_BLOCK, 16),
    (Format::BC4_SNORM_BLOCK, 8),
    (Format::BC7_SRGB_BLOCK, 16),
    (Format::ETC2_R8G8B8A1_SRGB_BLOCK, 8),
    (Format::ETC2_R8G8B8A8_SRGB_BLOCK, 16),
    (Format::EAC_R11_SNORM_BLOCK, 8),
    (Format::EAC_R11G11_SNORM_BLOCK, 16),
];

/// Widths and heights of ASTC's blocks, two formats each.
const ASTC: &[(u64, u64)] = &[
    (4, 4),
    (5, 4),
    (5, 5),
    (6, 5),
    (6, 6),
    (8, 5),
    (8, 6),
    (8, 8),
    (10, 5),
    (10, 6),
    (10, 8),
    (10, 10),
    (12, 10),
    (12, 12),
];

/// Formats outside the core's own run; 4:2:0 counts as 2x2 texels of 12 bits.
const OTHERS: &[(Format, u64, u64)] = &[
    (Format::G8_B8_R8_3PLANE_420_UNORM, 6, 2),
    (Format::G8_B8R8_2PLANE_420_UNORM, 6, 2),
    (Format::A4R4G4B4_UNORM_PACK16, 2, 1),
    (Format::A4B4G4R4_UNORM_PACK16, 2, 1),
    (Format::A1B5G5R5_UNORM_PACK16_KHR, 2, 1),
    (Format::A8_UNORM_KHR, 1, 1),
];

/// The block of a format that the driver knows.
pub fn block(format: Format) -> Option<Block> {
    let run = |table: &[(Format, u64)]| {
        table.iter().find(|(last, _)| format.as_raw() <= last.as_raw()).map(|(_, bytes)| *bytes)
    };
    if let Some((_, bytes, side)) = OTHERS.iter().find(|(other, ..)| *other == format) {
        return Some(Block { bytes: *bytes, width: *side, height: *side });
    }
    if let Some(bytes) = run(UNCOMPRESSED) {
        return (bytes > 0).then_some(Block { bytes, width: 1, height: 1 });
    }
    if let Some(bytes) = run(BLOCKS) {
        return Some(Block { bytes, width: 4, height: 4 });
    }
    let index = format.as_raw() - Format::ASTC_4X4_UNORM_BLOCK.as_raw();
    let (width, height) = *ASTC.get(index as usize / 2)?;
    Some(Block { bytes: 16, width, height })
}

/// The format of a name such as `R8G8B8A8_UNORM`.
pub fn named(name: &str) -> Option<Format> {
    let core = (1..=Format::ASTC_12X12_SRGB_BLOCK.as_raw()).map(Format::from_raw);
    let mut all = core.chain(OTHERS.iter().map(|(format, ..)| *format));
    all.find(|format| format!("{format:?}") == name.trim_start_matches("VK_FORMAT_"))
}

/// Whether the format holds depth or stencil.
pub fn is_depth_stencil(format: Format) -> bool {
    (Format::D16_UNORM.as_raw()..=Format::D32_SFLOAT_S8_UINT.as_raw()).contains(&format.as_raw())
}

/// What optimally tiled images, linear images and buffers of a format can do.
pub fn properties(format: Format) -> vk::FormatProperties {
    let none = vk::FormatProperties::default();
    let Some(block) = block(format).filter(|_| config().format(format)) else { return none };
    let copy = Can::TRANSFER_SRC | Can::TRANSFER_DST;
    let sample = copy | Can::SAMPLED_IMAGE | Can::BLIT_SRC;
    if is_depth_stencil(format) {
        let optimal_tiling_features = sample
            | Can::DEPTH_STENCIL_ATTACHMENT
            | Can::BLIT_DST
            | Can::SAMPLED_IMAGE_FILTER_LINEAR;
        return vk::FormatProperties { optimal_tiling_features, ..none };
    }
    if OTHERS.iter().any(|(other, _, side)| *other == format && *side == 2) {
        let ycbcr = Can::MIDPOINT_CHROMA_SAMPLES | Can::COSITED_CHROMA_SAMPLES;
        let optimal_tiling_features = copy | Can::SAMPLED_IMAGE | ycbcr;
        return vk::FormatProperties { optimal_tiling_features, ..none };
    }
    if block.width > 1 {
        let optimal_tiling_features = sample | Can::SAMPLED_IMAGE_FILTER_LINEAR;
        return vk::FormatProperties { optimal_tiling_features, ..none };
    }
    let name = format!("{format:?}");
    let is = |part: &str| name.contains(part);
    let integer = is("UINT") || is("SINT");
    let mut buffer_features = Can::VERTEX_BUFFER | Can::UNIFORM_TEXEL_BUFFER | copy;
    if is("SCALED") || is("R64") || matches!(block.bytes, 3 | 6 | 12) {
        return vk::FormatProperties { buffer_features: Can::VERTEX_BUFFER, ..none };
    }
    let mut optimal = sample;
    if !integer {
        optimal |= Can::SAMPLED_IMAGE_FILTER_LINEAR | Can::SAMPLED_IMAGE_FILTER_MINMAX;
    }
    if format != Format::E5B9G9R9_UFLOAT_PACK32 {
        optimal |= Can::COLOR_ATTACHMENT | Can::BLIT_DST;
        if !integer {
            optimal |= Can::COLOR_ATTACHMENT_BLEND;
        }
        if !is("SRGB") {
            optimal |= Can::STORAGE_IMAGE;
            buffer_features |= Can::STORAGE_TEXEL_BUFFER;
        }
        if matches!(format, Format::R32_UINT | Format::R32_SINT) {
            optimal |= Can::STORAGE_IMAGE_ATOMIC;
            buffer_features |= Can::STORAGE_TEXEL_BUFFER_ATOMIC;
        }
    }
    vk::FormatProperties {
        linear_tiling_features: optimal & (sample | Can::SAMPLED_IMAGE_FILTER_LINEAR),
        optimal_tiling_features: optimal,
        buffer_features,
    }
}
