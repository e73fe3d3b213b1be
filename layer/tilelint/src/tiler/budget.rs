//! Whether what a pass keeps on the tile leaves the target its preferred tile.

use ash::vk;

use super::forecast::{Forecast, forecast};
use super::shape::PassShape;
use crate::format::{self, Aspect, Numeric};
use crate::profile::{FixedTile, Profile, TileModel};

/// Pixels of the tile below which targets with fixed tiles lose speed: 16x16.
const PREFERRED_PIXELS: u32 = 256;

/// A pass that keeps more on the tile than its target holds well.
#[derive(Clone, Debug, PartialEq)]
pub struct Over {
    /// Bits of colour per pixel; per sample where [`Over::per_sample`].
    pub bits: u32,
    /// Bits that fit; `None` where only the resulting tile is known.
    pub limit: Option<u32>,
    /// Samples do not count: what matters is how much each of them takes.
    pub per_sample: bool,
    /// The forecast.
    pub forecast: Forecast,
}

/// Says by how much a pass misses the preferred tile. `None` where it does not, or where the
/// target's budget is not known.
#[must_use]
pub fn over(pass: &PassShape, profile: &Profile) -> Option<Over> {
    let forecast = forecast(pass, profile);
    if let Some(rule) = &profile.tile {
        let bits = forecast.bytes_per_pixel?.checked_mul(8)?;
        let limit = limit(rule, profile);
        let pixels = forecast.tile.map(|[width, height]| width * height)?;
        let over = match rule.model {
            TileModel::Constant | TileModel::Mali => limit.is_some_and(|limit| bits > limit),
            TileModel::PowerVr | TileModel::Apple => forecast.spilled > 0,
            TileModel::V3d4 | TileModel::V3d7 => pixels < PREFERRED_PIXELS,
        };
        let bits = if forecast.spilled > 0 { color_bits(pass)? } else { bits };
        return over.then_some(Over { bits, limit, per_sample: false, forecast });
    }
    let limit = profile.color_budget_bits?;
    let bits = color_bits(pass)?;
    forecast.bins?;
    (bits > limit).then_some(Over { bits, limit: Some(limit), per_sample: true, forecast })
}

fn limit(rule: &FixedTile, profile: &Profile) -> Option<u32> {
    match rule.model {
        TileModel::Constant => profile.merge.color_bits,
        TileModel::Mali => {
            let bytes = rule.color_bytes >> u32::from(rule.pipelined);
            Some(8 * bytes / PREFERRED_PIXELS)
        }
        TileModel::PowerVr => Some(32 * rule.registers),
        TileModel::Apple | TileModel::V3d4 | TileModel::V3d7 => None,
    }
}

/// Bits per sample of all colour attachments that the pass draws to. `None` when the size of a
/// format is not known.
fn color_bits(pass: &PassShape) -> Option<u32> {
    let drawn = pass.attachments.iter().enumerate().filter(|(index, _)| pass.is_drawn(*index));
    let colors = drawn.filter(|(_, attachment)| !format::is_depth_stencil(attachment.format));
    colors
        .map(|(_, attachment)| format::texel_bytes(attachment.format, Aspect::Color))
        .try_fold(0u32, |sum, bytes| sum.checked_add(8 * bytes?))
}

/// A 32-bit format that can stand in for a wider one of several channels. Multisampled targets
/// get one that every resolve can average.
#[must_use]
pub fn narrower(format: vk::Format, samples: u32) -> Option<vk::Format> {
    let bytes = format::texel_bytes(format, Aspect::Color)?;
    if bytes <= 4 {
        return None;
    }
    let channels = format::channel_bits(format).len();
    match format::numeric(format)? {
        Numeric::Sfloat | Numeric::Ufloat | Numeric::Unorm if channels >= 3 && samples > 1 => {
            Some(vk::Format::A2B10G10R10_UNORM_PACK32)
        }
        Numeric::Sfloat | Numeric::Ufloat if channels >= 3 => {
            Some(vk::Format::B10G11R11_UFLOAT_PACK32)
        }
        Numeric::Sfloat | Numeric::Ufloat => Some(vk::Format::R16G16_SFLOAT),
        Numeric::Unorm => Some(vk::Format::A2B10G10R10_UNORM_PACK32),
        Numeric::Snorm => Some(vk::Format::R8G8B8A8_SNORM),
        _ => None,
    }
}

/// The widest colour attachments, as few as bring the pass back to the preferred tile once they
/// have 32 bits, each with its new format; empty where that is not enough.
#[must_use]
pub fn narrowing(pass: &PassShape, profile: &Profile) -> Vec<(usize, vk::Format)> {
    let mut changed = pass.clone();
    let mut wide: Vec<(usize, vk::Format)> = pass
        .attachments
        .iter()
        .enumerate()
        .filter(|(index, _)| pass.is_drawn(*index))
        .filter_map(|(index, a)| narrower(a.format, a.samples).map(|format| (index, format)))
        .collect();
    let bytes = |index: usize| format::total_texel_bytes(pass.attachments[index].format);
    wide.sort_by_key(|(index, _)| std::cmp::Reverse(bytes(*index)));
    let mut narrowed = Vec::new();
    for (index, format) in wide {
        changed.attachments[index].format = format;
        narrowed.push((index, format));
        if over(&changed, profile).is_none() {
            return narrowed;
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile;
    use crate::tiler::spec::simple;

    const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;
    const RGBA16F: vk::Format = vk::Format::R16G16B16A16_SFLOAT;
    const D24S8: vk::Format = vk::Format::D24_UNORM_S8_UINT;

    fn bits(target: &str, samples: u32, formats: &[vk::Format]) -> Option<(u32, Option<u32>)> {
        let pass = simple([1920, 1080], 1, samples, formats);
        over(&pass, profile::by_name(target).unwrap()).map(|over| (over.bits, over.limit))
    }

    #[test]
    fn budgets() {
        let gbuffer = [RGBA8, RGBA16F, RGBA16F, RGBA8, D24S8];
        for target in ["quest2", "mali-g71", "generic-tiler", "mali-128"] {
            assert_eq!(bits(target, 1, &gbuffer), Some((192, Some(128))), "{target}");
            assert_eq!(bits(target, 1, &[RGBA8, RGBA8, RGBA8, RGBA8, D24S8]), None, "{target}");
        }
        assert_eq!(bits("mali-g78", 1, &gbuffer), None);
        assert_eq!(bits("mali-g78", 4, &[RGBA16F, RGBA8, D24S8]), Some((384, Some(256))));
        // Every sample counts on a fixed tile; bins only lose what a sample takes more than usual.
        assert_eq!(bits("mali-g71", 4, &[RGBA8, D24S8]), None);
        assert_eq!(bits("mali-g71", 4, &[RGBA16F, D24S8]), Some((256, Some(128))));
        assert_eq!(bits("quest2", 4, &[RGBA16F, D24S8]), None);
        assert_eq!(bits("powervr-volcanic", 1, &gbuffer), Some((192, Some(128))));
        assert_eq!(bits("apple-m1", 1, &gbuffer), None);
        assert_eq!(bits("immediate", 1, &gbuffer), None);
    }

    #[test]
    fn the_widest_are_narrowed_first_and_no_more_than_needed() {
        let profile = profile::by_name("mali-g71").unwrap();
        let pass = simple([1920, 1080], 1, 1, &[RGBA8, RGBA8, RGBA16F, RGBA8, D24S8]);
        assert_eq!(narrowing(&pass, profile), [(2, vk::Format::B10G11R11_UFLOAT_PACK32)]);
        let pass = simple([1920, 1080], 1, 4, &[RGBA16F, RGBA8, D24S8]);
        assert_eq!(narrowing(&pass, profile), [], "two targets of 32 bits do not fit at 4x");
    }
}
