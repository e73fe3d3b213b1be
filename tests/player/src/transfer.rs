//! Copies, blits, resolves, clears and queries.

use ash::vk;
use tilelint::call::*;

use crate::begin::clear_value;
use crate::error::Done;
use crate::gpu::api;
use crate::memory::aspects;
use crate::passes::stages_32;
use crate::player::{Image, Player};

/// One end of a region of an image.
struct Part {
    layers: vk::ImageSubresourceLayers,
    offset: vk::Offset3D,
    extent: vk::Extent3D,
}

impl Part {
    /// The two corners of a blit.
    fn corners(&self) -> [vk::Offset3D; 2] {
        let far = |at: i32, size: u32| at.saturating_add_unsigned(size);
        let (at, size) = (self.offset, self.extent);
        let x = far(at.x, size.width);
        [at, vk::Offset3D { x, y: far(at.y, size.height), z: far(at.z, size.depth) }]
    }
}

fn part(image: &Image, region: &Region) -> Part {
    let info = &image.info;
    let [x, y, z] = region.offset;
    let at = |n: u32| n.checked_shr(region.mip).unwrap_or(0).max(1);
    let rest = |size: u32, from: i32| at(size).saturating_sub(from.max(0) as u32);
    let extent = match region.extent {
        [0, 0, 0] => vk::Extent3D {
            width: rest(info.extent.width, x),
            height: rest(info.extent.height, y),
            depth: rest(info.extent.depth, z),
        },
        [width, height, depth] => vk::Extent3D { width, height, depth: depth.max(1) },
    };
    let layer_count = match region.layers {
        vk::REMAINING_ARRAY_LAYERS => info.layers.saturating_sub(region.base_layer),
        layers => layers,
    };
    let aspect_mask = if region.aspects.is_empty() { aspects(info.format) } else { region.aspects };
    let layers = vk::ImageSubresourceLayers {
        aspect_mask,
        mip_level: region.mip,
        base_array_layer: region.base_layer,
        layer_count,
    };
    Part { layers, offset: vk::Offset3D { x, y, z }, extent }
}

/// An image in a layout, of a transfer.
type Side<'p> = (&'p Image, vk::ImageLayout);

/// A call between two images in its older and its newer form, whose regions have the same fields.
macro_rules! between_images {
    (
        $name:ident($a:ident, $b:ident): $older:ident, $newer:ident, $call:ident,
        $first:ident, $second:ident
        { $($field:ident: $value:expr,)* } $(filter $filter:expr)?
    ) => {
        fn $name(&self, at: vk::CommandBuffer, info: &Transfer, from: Side, to: Side) {
            let parts = info.regions.iter().map(|(a, b)| (part(from.0, a), part(to.0, b)));
            let older: Vec<_> =
                parts.map(|($a, $b)| vk::$older { $($field: $value,)* }).collect();
            let newer = older.iter().map(|r| vk::$newer {
                $($field: r.$field,)*
                ..Default::default()
            });
            let newer: Vec<_> = newer.collect();
            let (src, dst) = (from.0.handle, to.0.handle);
            let call = vk::$call::default()
                .src_image(src)
                .src_image_layout(from.1)
                .dst_image(dst)
                .dst_image_layout(to.1)
                .regions(&newer)
                $(.filter($filter))?;
            let device = &self.gpu.device;
            match info.version {
                2 => api!(device.$second(at, &call)),
                _ => api!(device.$first(at, src, from.1, dst, to.1, &older $(, $filter)?)),
            }
        }
    };
}

impl Player<'_> {
    fn side(&self, key: ImageKey, layout: vk::ImageLayout) -> Done<Side<'_>> {
        Ok((self.found("image", self.objects.images.get(&key))?, layout))
    }

    /// A copy, blit or resolve.
    pub(crate) fn transfer(&self, at: vk::CommandBuffer, info: &Transfer) -> Done {
        match (info.from, info.to) {
            (TransferEnd::Image(from, old), TransferEnd::Image(to, new)) => {
                let (from, to) = (self.side(from, old)?, self.side(to, new)?);
                match info.kind {
                    TransferKind::Copy => self.copy_images(at, info, from, to),
                    TransferKind::Blit => self.blit(at, info, from, to),
                    TransferKind::Resolve => self.resolve(at, info, from, to),
                }
                Ok(())
            }
            _ if info.kind != TransferKind::Copy => self.bad("buffers can only be copied"),
            (TransferEnd::Image(from, layout), TransferEnd::Buffer(to)) => {
                let from = self.side(from, layout)?;
                let to = self.found("buffer", self.objects.buffers.get(&to))?.handle;
                self.copy_with_buffer(at, info, from, to, true);
                Ok(())
            }
            (TransferEnd::Buffer(from), TransferEnd::Image(to, layout)) => {
                let to = self.side(to, layout)?;
                let from = self.found("buffer", self.objects.buffers.get(&from))?.handle;
                self.copy_with_buffer(at, info, to, from, false);
                Ok(())
            }
            (TransferEnd::Buffer(from), TransferEnd::Buffer(to)) => {
                let from = self.found("buffer", self.objects.buffers.get(&from))?;
                let to = self.found("buffer", self.objects.buffers.get(&to))?;
                let size = from.size.min(to.size);
                let regions = [vk::BufferCopy::default().size(size)];
                let newer = [vk::BufferCopy2::default().size(size)];
                let call = vk::CopyBufferInfo2::default()
                    .src_buffer(from.handle)
                    .dst_buffer(to.handle)
                    .regions(&newer);
                let device = &self.gpu.device;
                match info.version {
                    2 => api!(device.cmd_copy_buffer2(at, &call)),
                    _ => api!(device.cmd_copy_buffer(at, from.handle, to.handle, &regions)),
                }
                Ok(())
            }
        }
    }

    between_images! {
        copy_images(a, b): ImageCopy, ImageCopy2, CopyImageInfo2, cmd_copy_image, cmd_copy_image2 {
            src_subresource: a.layers,
            src_offset: a.offset,
            dst_subresource: b.layers,
            dst_offset: b.offset,
            extent: a.extent,
        }
    }

    between_images! {
        resolve(a, b): ImageResolve, ImageResolve2, ResolveImageInfo2,
            cmd_resolve_image, cmd_resolve_image2
        {
            src_subresource: a.layers,
            src_offset: a.offset,
            dst_subresource: b.layers,
            dst_offset: b.offset,
            extent: a.extent,
        }
    }

    between_images! {
        blit(a, b): ImageBlit, ImageBlit2, BlitImageInfo2, cmd_blit_image, cmd_blit_image2 {
            src_subresource: a.layers,
            src_offsets: a.corners(),
            dst_subresource: b.layers,
            dst_offsets: b.corners(),
        }
        filter vk::Filter::NEAREST
    }

    /// A copy between an image and a buffer; `out`: from the image.
    fn copy_with_buffer(
        &self,
        at: vk::CommandBuffer,
        info: &Transfer,
        side: Side,
        buffer: vk::Buffer,
        out: bool,
    ) {
        let region = |(a, b): &(Region, Region)| {
            let part = part(side.0, if out { a } else { b });
            let mut layers = part.layers;
            // A buffer takes one aspect at a time.
            if layers.aspect_mask.contains(vk::ImageAspectFlags::DEPTH) {
                layers.aspect_mask = vk::ImageAspectFlags::DEPTH;
            }
            vk::BufferImageCopy::default()
                .image_subresource(layers)
                .image_offset(part.offset)
                .image_extent(part.extent)
        };
        let older: Vec<_> = info.regions.iter().map(region).collect();
        let newer: Vec<_> = older
            .iter()
            .map(|r| {
                vk::BufferImageCopy2::default()
                    .image_subresource(r.image_subresource)
                    .image_offset(r.image_offset)
                    .image_extent(r.image_extent)
            })
            .collect();
        let device = &self.gpu.device;
        let (image, layout) = (side.0.handle, side.1);
        let read = vk::CopyImageToBufferInfo2::default()
            .src_image(image)
            .src_image_layout(layout)
            .dst_buffer(buffer)
            .regions(&newer);
        let write = vk::CopyBufferToImageInfo2::default()
            .src_buffer(buffer)
            .dst_image(image)
            .dst_image_layout(layout)
            .regions(&newer);
        match (info.version, out) {
            (2, true) => api!(device.cmd_copy_image_to_buffer2(at, &read)),
            (2, false) => api!(device.cmd_copy_buffer_to_image2(at, &write)),
            (_, true) => api!(device.cmd_copy_image_to_buffer(at, image, layout, buffer, &older)),
            (_, false) => api!(device.cmd_copy_buffer_to_image(at, buffer, image, layout, &older)),
        }
    }

    /// `vkCmdClearColorImage` or `vkCmdClearDepthStencilImage`.
    pub(crate) fn clear(&self, at: vk::CommandBuffer, info: &Clear) -> Done {
        let mut ranges = Vec::new();
        for range in &info.ranges {
            ranges.push(self.image_range(info.image, range)?.1);
        }
        let image = self.found("image", self.objects.images.get(&info.image))?;
        let device = &self.gpu.device;
        if aspects(image.info.format).contains(vk::ImageAspectFlags::COLOR) {
            let value = vk::ClearColorValue { uint32: info.value };
            api!(device.cmd_clear_color_image(at, image.handle, info.layout, &value, &ranges));
            return Ok(());
        }
        let [depth, stencil, ..] = info.value;
        let value = vk::ClearDepthStencilValue { depth: f32::from_bits(depth), stencil };
        api!(device.cmd_clear_depth_stencil_image(at, image.handle, info.layout, &value, &ranges));
        Ok(())
    }

    /// `vkCmdClearAttachments`.
    pub(crate) fn clear_attachments(&self, at: vk::CommandBuffer, info: &ClearAttachments) {
        let each = info.attachments.iter().map(|(aspect, color, value)| {
            let depth = !aspect.contains(vk::ImageAspectFlags::COLOR);
            vk::ClearAttachment {
                aspect_mask: *aspect,
                color_attachment: *color,
                clear_value: clear_value(*value, depth),
            }
        });
        let attachments: Vec<_> = each.collect();
        let rects = info.rects.iter().map(|r| vk::ClearRect {
            rect: r.rect,
            base_array_layer: r.base_layer,
            layer_count: r.layers.max(1),
        });
        let rects: Vec<_> = rects.collect();
        api!(self.gpu.device.cmd_clear_attachments(at, &attachments, &rects));
    }

    /// A query command.
    pub(crate) fn query(&self, at: vk::CommandBuffer, info: &QueryCommand) -> Done {
        let (pool, _) = self.found("query pool", self.objects.query_pools.get(&info.pool))?;
        let device = &self.gpu.device;
        match info.verb {
            QueryVerb::Begin => {
                let flags = vk::QueryControlFlags::empty();
                api!(device.cmd_begin_query(at, *pool, info.index, flags));
            }
            QueryVerb::End => api!(device.cmd_end_query(at, *pool, info.index)),
            QueryVerb::Reset => {
                api!(device.cmd_reset_query_pool(at, *pool, info.index, info.count));
            }
            QueryVerb::Copy => {
                let to = self.found("buffer", self.objects.buffers.get(&info.to))?.handle;
                let flags = vk::QueryResultFlags::TYPE_64;
                let (first, count) = (info.index, info.count);
                api!(device.cmd_copy_query_pool_results(at, *pool, first, count, to, 0, 8, flags));
            }
            QueryVerb::Timestamp if info.version == 2 => {
                api!(device.cmd_write_timestamp2(at, info.stage, *pool, info.index));
            }
            QueryVerb::Timestamp => {
                let stage = stages_32(self.line, info.stage)?;
                api!(device.cmd_write_timestamp(at, stage, *pool, info.index));
            }
        }
        Ok(())
    }
}
