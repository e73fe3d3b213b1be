//! Copies, blits, resolves and clears outside passes.

use crate::capture::{blit_region, buffer_end, buffer_region, image_end, region};
use crate::ffi::hooks::cmd_hooks;
use crate::ffi::read::{View, slice};
use crate::ffi::views::color_words;
use ash::vk;
use tilelint::call::TransferKind;

/// The regions of an older command, through a function of each.
macro_rules! regions {
    ($pointer:ident[$count:ident], |$region:ident| $pair:expr) => {{
        // SAFETY: C2 - as many as it says.
        let regions = unsafe { slice($pointer, $count as usize) };
        regions.iter().map(|$region| $pair).collect()
    }};
}

/// A newer transfer between two images, whose info has everything.
macro_rules! transfer_2 {
    ($recorder:ident, $info:ident, $kind:expr, |$region:ident| $pair:expr) => {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new($info) } {
            let regions = info.regions().iter().map(|$region| $pair).collect();
            let from = image_end(info.src_image, info.src_image_layout);
            let to = image_end(info.dst_image, info.dst_image_layout);
            $recorder.transfer($kind, from, to, regions, 2);
        }
    };
}

cmd_hooks! {
    [cmd_copy_buffer](
        command_buffer: vk::CommandBuffer,
        from: vk::Buffer,
        to: vk::Buffer,
        region_count: u32,
        regions: *const vk::BufferCopy
    ) (dev, recorder) {
        recorder.copy_buffer(from, to, 1);
    }
    [cmd_copy_buffer2 cmd_copy_buffer2_khr](
        command_buffer: vk::CommandBuffer,
        copy_info: *const vk::CopyBufferInfo2<'_>
    ) (dev, recorder) {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(copy_info) } {
            recorder.copy_buffer(info.src_buffer, info.dst_buffer, 2);
        }
    }
    [cmd_copy_image](
        command_buffer: vk::CommandBuffer,
        from: vk::Image,
        from_layout: vk::ImageLayout,
        to: vk::Image,
        to_layout: vk::ImageLayout,
        region_count: u32,
        regions: *const vk::ImageCopy
    ) (dev, recorder) {
        let regions = regions!(regions[region_count], |r| (
            region(r.src_subresource, r.src_offset, r.extent),
            region(r.dst_subresource, r.dst_offset, r.extent),
        ));
        let (from, to) = (image_end(from, from_layout), image_end(to, to_layout));
        recorder.transfer(TransferKind::Copy, from, to, regions, 1);
    }
    [cmd_copy_image2 cmd_copy_image2_khr](
        command_buffer: vk::CommandBuffer,
        copy_info: *const vk::CopyImageInfo2<'_>
    ) (dev, recorder) {
        transfer_2!(recorder, copy_info, TransferKind::Copy, |r| (
            region(r.src_subresource, r.src_offset, r.extent),
            region(r.dst_subresource, r.dst_offset, r.extent),
        ));
    }
    [cmd_blit_image](
        command_buffer: vk::CommandBuffer,
        from: vk::Image,
        from_layout: vk::ImageLayout,
        to: vk::Image,
        to_layout: vk::ImageLayout,
        region_count: u32,
        regions: *const vk::ImageBlit,
        filter: vk::Filter
    ) (dev, recorder) {
        let regions = regions!(regions[region_count], |r| (
            blit_region(r.src_subresource, r.src_offsets),
            blit_region(r.dst_subresource, r.dst_offsets),
        ));
        let (from, to) = (image_end(from, from_layout), image_end(to, to_layout));
        recorder.transfer(TransferKind::Blit, from, to, regions, 1);
    }
    [cmd_blit_image2 cmd_blit_image2_khr](
        command_buffer: vk::CommandBuffer,
        blit_info: *const vk::BlitImageInfo2<'_>
    ) (dev, recorder) {
        transfer_2!(recorder, blit_info, TransferKind::Blit, |r| (
            blit_region(r.src_subresource, r.src_offsets),
            blit_region(r.dst_subresource, r.dst_offsets),
        ));
    }
    [cmd_resolve_image](
        command_buffer: vk::CommandBuffer,
        from: vk::Image,
        from_layout: vk::ImageLayout,
        to: vk::Image,
        to_layout: vk::ImageLayout,
        region_count: u32,
        regions: *const vk::ImageResolve
    ) (dev, recorder) {
        let regions = regions!(regions[region_count], |r| (
            region(r.src_subresource, r.src_offset, r.extent),
            region(r.dst_subresource, r.dst_offset, r.extent),
        ));
        let (from, to) = (image_end(from, from_layout), image_end(to, to_layout));
        recorder.transfer(TransferKind::Resolve, from, to, regions, 1);
    }
    [cmd_resolve_image2 cmd_resolve_image2_khr](
        command_buffer: vk::CommandBuffer,
        resolve_info: *const vk::ResolveImageInfo2<'_>
    ) (dev, recorder) {
        transfer_2!(recorder, resolve_info, TransferKind::Resolve, |r| (
            region(r.src_subresource, r.src_offset, r.extent),
            region(r.dst_subresource, r.dst_offset, r.extent),
        ));
    }
    [cmd_copy_buffer_to_image](
        command_buffer: vk::CommandBuffer,
        from: vk::Buffer,
        to: vk::Image,
        to_layout: vk::ImageLayout,
        region_count: u32,
        regions: *const vk::BufferImageCopy
    ) (dev, recorder) {
        let regions = regions!(regions[region_count], |r| {
            buffer_region(r.image_subresource, r.image_offset, r.image_extent)
        });
        let (from, to) = (buffer_end(from), image_end(to, to_layout));
        recorder.transfer(TransferKind::Copy, from, to, regions, 1);
    }
    [cmd_copy_buffer_to_image2 cmd_copy_buffer_to_image2_khr](
        command_buffer: vk::CommandBuffer,
        copy_info: *const vk::CopyBufferToImageInfo2<'_>
    ) (dev, recorder) {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(copy_info) } {
            let regions = info.regions().iter().map(|r| {
                buffer_region(r.image_subresource, r.image_offset, r.image_extent)
            });
            let from = buffer_end(info.src_buffer);
            let to = image_end(info.dst_image, info.dst_image_layout);
            recorder.transfer(TransferKind::Copy, from, to, regions.collect(), 2);
        }
    }
    [cmd_copy_image_to_buffer](
        command_buffer: vk::CommandBuffer,
        from: vk::Image,
        from_layout: vk::ImageLayout,
        to: vk::Buffer,
        region_count: u32,
        regions: *const vk::BufferImageCopy
    ) (dev, recorder) {
        let regions = regions!(regions[region_count], |r| {
            buffer_region(r.image_subresource, r.image_offset, r.image_extent)
        });
        let (from, to) = (image_end(from, from_layout), buffer_end(to));
        recorder.transfer(TransferKind::Copy, from, to, regions, 1);
    }
    [cmd_copy_image_to_buffer2 cmd_copy_image_to_buffer2_khr](
        command_buffer: vk::CommandBuffer,
        copy_info: *const vk::CopyImageToBufferInfo2<'_>
    ) (dev, recorder) {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(copy_info) } {
            let regions = info.regions().iter().map(|r| {
                buffer_region(r.image_subresource, r.image_offset, r.image_extent)
            });
            let from = image_end(info.src_image, info.src_image_layout);
            let to = buffer_end(info.dst_buffer);
            recorder.transfer(TransferKind::Copy, from, to, regions.collect(), 2);
        }
    }
    [cmd_clear_color_image](
        command_buffer: vk::CommandBuffer,
        image: vk::Image,
        layout: vk::ImageLayout,
        color: *const vk::ClearColorValue,
        range_count: u32,
        ranges: *const vk::ImageSubresourceRange
    ) (dev, recorder) {
        // SAFETY: C2 - as many as it says.
        let ranges = unsafe { slice(ranges, range_count as usize) };
        // SAFETY: C2 - the value is valid.
        let value = unsafe { color.as_ref() }.map_or([0; 4], color_words);
        recorder.clear_image(image, layout, ranges, value);
    }
    [cmd_clear_depth_stencil_image](
        command_buffer: vk::CommandBuffer,
        image: vk::Image,
        layout: vk::ImageLayout,
        depth_stencil: *const vk::ClearDepthStencilValue,
        range_count: u32,
        ranges: *const vk::ImageSubresourceRange
    ) (dev, recorder) {
        // SAFETY: C2 - as many as it says.
        let ranges = unsafe { slice(ranges, range_count as usize) };
        // SAFETY: C2 - the value is valid.
        let value = unsafe { depth_stencil.as_ref() };
        let words = value.map_or([0; 4], |value| [value.depth.to_bits(), value.stencil, 0, 0]);
        recorder.clear_image(image, layout, ranges, words);
    }
}
