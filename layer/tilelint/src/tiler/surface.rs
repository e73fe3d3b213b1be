//! One line per pass, in the words of the device profilers.

use ash::vk;

use super::forecast::{Forecast, Mode};
use super::shape::PassShape;
use crate::format::{self, Aspect};

/// Bits per sample of what the pass draws to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    /// All colour attachments together.
    pub color: u32,
    /// Depth.
    pub depth: u32,
    /// Stencil.
    pub stencil: u32,
}

/// The bits of a pass. `None` when the size of a format is not known.
#[must_use]
pub fn bits(pass: &PassShape) -> Option<Bits> {
    let mut bits = Bits::default();
    for (index, attachment) in pass.attachments.iter().enumerate() {
        if !pass.is_drawn(index) {
            continue;
        }
        for aspect in format::aspects(attachment.format) {
            let own = 8 * format::texel_bytes(attachment.format, *aspect)?;
            match aspect {
                Aspect::Color => bits.color += own,
                // Eight of the bits are padding.
                Aspect::Depth if attachment.format == vk::Format::X8_D24_UNORM_PACK32 => {
                    bits.depth = bits.depth.max(24);
                }
                Aspect::Depth => bits.depth = bits.depth.max(own),
                Aspect::Stencil => bits.stencil = bits.stencil.max(own),
            }
        }
    }
    Some(bits)
}

/// The surface line of a forecast, numbered `index`.
#[must_use]
pub fn line(pass: &PassShape, forecast: &Forecast, index: usize) -> String {
    let [width, height] = pass.binned_size();
    let mut parts = vec![format!("Surface {index}"), format!("{width}x{height}")];
    let samples = pass.subpasses.iter().filter_map(|subpass| pass.samples(subpass)).max();
    if let Some(bits) = bits(pass) {
        parts.push(format!(
            "color {}bit, depth {}bit, stencil {} bit, MSAA {}",
            bits.color,
            bits.depth,
            bits.stencil,
            samples.unwrap_or(1)
        ));
    }
    if let (Some(bins), Some([width, height])) = (forecast.bins, forecast.tile) {
        let what = if forecast.mode == Mode::Tiled { "tiles" } else { "bins" };
        parts.push(format!("{bins} {width}x{height} {what}"));
    }
    match forecast.mode {
        Mode::Direct => parts.push("mode: Direct".to_owned()),
        Mode::Immediate => parts.push("mode: Immediate".to_owned()),
        Mode::Binned | Mode::Tiled => {}
    }
    let stages: Vec<&str> = forecast.stages.iter().map(|stage| stage.as_str()).collect();
    parts.push(format!("stages: {}", stages.join(" ")));
    parts.join(" | ")
}
