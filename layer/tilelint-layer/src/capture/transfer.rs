//! Copies, blits, resolves and clears: both forms become one.

use super::Recorder;
use super::barrier::range;
use ash::vk::{self, Handle};
use tilelint::call::{
    BufferKey, Clear, Command, ImageKey, Region, Transfer, TransferEnd, TransferKind,
};

/// An image in a layout.
pub(crate) fn image_end(image: vk::Image, layout: vk::ImageLayout) -> TransferEnd {
    TransferEnd::Image(ImageKey(image.as_raw()), layout)
}

/// A buffer.
pub(crate) fn buffer_end(buffer: vk::Buffer) -> TransferEnd {
    TransferEnd::Buffer(BufferKey(buffer.as_raw()))
}

/// One side of a region.
pub(crate) fn region(
    layers: vk::ImageSubresourceLayers,
    offset: vk::Offset3D,
    extent: vk::Extent3D,
) -> Region {
    Region {
        mip: layers.mip_level,
        base_layer: layers.base_array_layer,
        layers: layers.layer_count,
        aspects: layers.aspect_mask,
        offset: [offset.x, offset.y, offset.z],
        extent: [extent.width, extent.height, extent.depth],
    }
}

/// One side of a blit, whose corners may be given in any order.
pub(crate) fn blit_region(
    layers: vk::ImageSubresourceLayers,
    corners: [vk::Offset3D; 2],
) -> Region {
    let [a, b] = corners;
    let offset = vk::Offset3D { x: a.x.min(b.x), y: a.y.min(b.y), z: a.z.min(b.z) };
    let extent = vk::Extent3D {
        width: a.x.abs_diff(b.x),
        height: a.y.abs_diff(b.y),
        depth: a.z.abs_diff(b.z),
    };
    region(layers, offset, extent)
}

/// A region between a buffer and an image: the buffer's side repeats the image's.
pub(crate) fn buffer_region(
    layers: vk::ImageSubresourceLayers,
    offset: vk::Offset3D,
    extent: vk::Extent3D,
) -> (Region, Region) {
    let image = region(layers, offset, extent);
    (image, image)
}

impl Recorder {
    /// A copy, blit or resolve.
    pub(crate) fn transfer(
        &mut self,
        kind: TransferKind,
        from: TransferEnd,
        to: TransferEnd,
        regions: Vec<(Region, Region)>,
        version: u8,
    ) {
        self.push(Command::Transfer(Box::new(Transfer { kind, from, to, regions, version })));
    }

    /// A copy between buffers, whose ranges no rule asks for.
    pub(crate) fn copy_buffer(&mut self, from: vk::Buffer, to: vk::Buffer, version: u8) {
        let (from, to) = (buffer_end(from), buffer_end(to));
        self.transfer(TransferKind::Copy, from, to, Vec::new(), version);
    }

    /// `vkCmdClearColorImage` and `vkCmdClearDepthStencilImage`.
    pub(crate) fn clear_image(
        &mut self,
        image: vk::Image,
        layout: vk::ImageLayout,
        ranges: &[vk::ImageSubresourceRange],
        value: [u32; 4],
    ) {
        self.push(Command::Clear(Box::new(Clear {
            image: ImageKey(image.as_raw()),
            layout,
            ranges: ranges.iter().map(|one| range(*one)).collect(),
            value,
        })));
    }
}
