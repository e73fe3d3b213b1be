//! Bytes that loads and stores ask for: an uncompressed upper bound.

use ash::vk;

use super::shape::PassShape;
use crate::format::{self, Aspect};

/// Bytes that one load or store of an aspect of an attachment asks for, over all samples and
/// views of the render area. `None` when the size of the format is not known, or it has no such
/// aspect.
#[must_use]
pub fn aspect_bytes(pass: &PassShape, attachment: usize, aspect: Aspect) -> Option<u64> {
    let attachment = pass.attachments.get(attachment)?;
    let texel = u64::from(format::texel_bytes(attachment.format, aspect)?);
    let samples = u64::from(attachment.samples);
    let layers = u64::from(pass.tile_layers());
    pass.area.pixels().checked_mul(texel)?.checked_mul(samples)?.checked_mul(layers)
}

/// Bytes that the pass asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bytes that load operations read.
    pub load: u64,
    /// Bytes that store operations write, resolves included.
    pub store: u64,
}

/// Bytes that the load and store operations of the pass ask for, by the API's own rules: an
/// attachment that nothing draws to is not loaded. `None` when the size of a format is not known.
#[must_use]
pub fn traffic(pass: &PassShape) -> Option<Traffic> {
    let mut sum = Traffic::default();
    for (index, attachment) in pass.attachments.iter().enumerate() {
        let mut resolves = pass.subpasses.iter().flat_map(|subpass| subpass.resolves());
        let written = pass.is_drawn(index) || resolves.any(|(_, to)| to == index);
        for aspect in format::aspects(attachment.format) {
            let (load, store) = attachment.ops(*aspect);
            if pass.is_drawn(index) && load == vk::AttachmentLoadOp::LOAD {
                sum.load = sum.load.checked_add(aspect_bytes(pass, index, *aspect)?)?;
            }
            if written && store == vk::AttachmentStoreOp::STORE {
                sum.store = sum.store.checked_add(aspect_bytes(pass, index, *aspect)?)?;
            }
        }
    }
    Some(sum)
}

/// Bytes of a resolve that a command does after the pass: every sample is stored, then read. The
/// write of the target is paid either way.
#[must_use]
pub fn separate_resolve_bytes(pass: &PassShape, attachment: usize) -> Option<u64> {
    aspect_bytes(pass, attachment, Aspect::Color)?.checked_mul(2)
}

/// Gigabytes (10^9 bytes) per second of `bytes` moved `hz` times.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "bytes of a frame are far below 2^53")]
pub fn gigabytes_per_second(bytes: u64, hz: u32) -> f64 {
    bytes as f64 * f64::from(hz) / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tiler::shape::{Attachment, Subpass};

    fn pass(size: [u32; 2], format: vk::Format, samples: u32) -> PassShape {
        let mut pass = PassShape::new(size[0], size[1]);
        let mut attachment = Attachment::new(format, samples);
        attachment.store = vk::AttachmentStoreOp::STORE;
        pass.attachments = vec![attachment];
        let depth = format::is_depth_stencil(format);
        pass.subpasses = vec![Subpass {
            color: if depth { vec![] } else { vec![Some(0)] },
            depth_stencil: depth.then_some(0),
            ..Subpass::default()
        }];
        pass
    }

    #[test]
    fn a_4k_depth_store() {
        let pass = pass([3840, 2160], vk::Format::D32_SFLOAT, 1);
        let bytes = traffic(&pass).unwrap().store;
        assert_eq!(bytes, 33_177_600);
        assert_eq!(format!("{:.2}", gigabytes_per_second(bytes, 60)), "1.99");
    }

    #[test]
    fn a_separate_resolve() {
        let pass = pass([1920, 1080], vk::Format::R8G8B8A8_UNORM, 4);
        let bytes = separate_resolve_bytes(&pass, 0).unwrap();
        assert_eq!(format!("{:.2}", gigabytes_per_second(bytes, 60)), "3.98");
    }

    #[test]
    fn views_count_and_unknown_sizes_do_not() {
        let mut two = pass([100, 100], vk::Format::R8G8B8A8_UNORM, 1);
        two.subpasses[0].view_mask = 0b10;
        assert_eq!(traffic(&two), Some(Traffic { load: 0, store: 80_000 }));
        let strange = pass([100, 100], vk::Format::G8_B8R8_2PLANE_420_UNORM, 1);
        assert_eq!(traffic(&strange), None);
    }
}
