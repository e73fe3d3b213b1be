//! Draws under every name, dispatches, and clears inside a pass.

use crate::ffi::hooks::cmd_hooks;
use crate::ffi::read::slice;
use crate::ffi::views::clear_words;
use ash::vk;
use tilelint::call::DrawKind;

cmd_hooks! {
    quick [cmd_draw](
        command_buffer: vk::CommandBuffer,
        vertex_count: u32,
        instance_count: u32,
        first_vertex: u32,
        first_instance: u32
    ) (dev, recorder) {
        recorder.draw_within(DrawKind::Direct, vertex_count, instance_count)
    } else {
        recorder.draw(DrawKind::Direct, vertex_count, instance_count);
    }
    quick [cmd_draw_indexed](
        command_buffer: vk::CommandBuffer,
        index_count: u32,
        instance_count: u32,
        first_index: u32,
        vertex_offset: i32,
        first_instance: u32
    ) (dev, recorder) {
        recorder.draw_within(DrawKind::Indexed, index_count, instance_count)
    } else {
        recorder.draw(DrawKind::Indexed, index_count, instance_count);
    }
    quick [cmd_draw_indirect](
        command_buffer: vk::CommandBuffer,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        draw_count: u32,
        stride: u32
    ) (dev, recorder) {
        recorder.draw_indirect_within(DrawKind::Indirect, buffer, draw_count)
    } else {
        recorder.draw_indirect(DrawKind::Indirect, buffer, draw_count);
    }
    quick [cmd_draw_indexed_indirect](
        command_buffer: vk::CommandBuffer,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        draw_count: u32,
        stride: u32
    ) (dev, recorder) {
        recorder.draw_indirect_within(DrawKind::IndexedIndirect, buffer, draw_count)
    } else {
        recorder.draw_indirect(DrawKind::IndexedIndirect, buffer, draw_count);
    }
    quick [cmd_dispatch](
        command_buffer: vk::CommandBuffer,
        x: u32,
        y: u32,
        z: u32
    ) (dev, recorder) {
        recorder.dispatch_within([x, y, z])
    } else {
        recorder.dispatch([x, y, z]);
    }
}

cmd_hooks! {
    [
        cmd_draw_indirect_count
        cmd_draw_indirect_count_khr
        cmd_draw_indirect_count_amd
        cmd_draw_indexed_indirect_count
        cmd_draw_indexed_indirect_count_khr
        cmd_draw_indexed_indirect_count_amd
    ](
        command_buffer: vk::CommandBuffer,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        count_buffer: vk::Buffer,
        count_buffer_offset: vk::DeviceSize,
        max_draw_count: u32,
        stride: u32
    ) (dev, recorder) {
        recorder.draw_indirect(DrawKind::IndirectCount, buffer, max_draw_count);
    }
    [cmd_draw_multi_ext](
        command_buffer: vk::CommandBuffer,
        draw_count: u32,
        vertex_info: *const vk::MultiDrawInfoEXT,
        instance_count: u32,
        first_instance: u32,
        stride: u32
    ) (dev, recorder) {
        let counts = (0..draw_count).filter_map(|index| {
            let at = vertex_info.cast::<u8>().wrapping_add(index as usize * stride as usize);
            // SAFETY: C2 - as many as it says, `stride` bytes apart.
            unsafe { at.cast::<vk::MultiDrawInfoEXT>().as_ref() }.map(|info| info.vertex_count)
        });
        recorder.draw_multi(counts, instance_count);
    }
    [cmd_draw_multi_indexed_ext](
        command_buffer: vk::CommandBuffer,
        draw_count: u32,
        index_info: *const vk::MultiDrawIndexedInfoEXT,
        instance_count: u32,
        first_instance: u32,
        stride: u32,
        vertex_offset: *const i32
    ) (dev, recorder) {
        let counts = (0..draw_count).filter_map(|index| {
            let at = index_info.cast::<u8>().wrapping_add(index as usize * stride as usize);
            // SAFETY: C2 - as many as it says, `stride` bytes apart.
            unsafe { at.cast::<vk::MultiDrawIndexedInfoEXT>().as_ref() }
                .map(|info| info.index_count)
        });
        recorder.draw_multi(counts, instance_count);
    }
    [cmd_draw_mesh_tasks_ext](
        command_buffer: vk::CommandBuffer,
        group_count_x: u32,
        group_count_y: u32,
        group_count_z: u32
    ) (dev, recorder) {
        recorder.draw(DrawKind::Mesh, 0, 1);
    }
    [cmd_draw_mesh_tasks_nv](
        command_buffer: vk::CommandBuffer,
        task_count: u32,
        first_task: u32
    ) (dev, recorder) {
        recorder.draw(DrawKind::Mesh, 0, 1);
    }
    [cmd_draw_mesh_tasks_indirect_ext cmd_draw_mesh_tasks_indirect_nv](
        command_buffer: vk::CommandBuffer,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        draw_count: u32,
        stride: u32
    ) (dev, recorder) {
        recorder.draw_indirect(DrawKind::Mesh, buffer, draw_count);
    }
    [cmd_draw_mesh_tasks_indirect_count_ext cmd_draw_mesh_tasks_indirect_count_nv](
        command_buffer: vk::CommandBuffer,
        buffer: vk::Buffer,
        offset: vk::DeviceSize,
        count_buffer: vk::Buffer,
        count_buffer_offset: vk::DeviceSize,
        max_draw_count: u32,
        stride: u32
    ) (dev, recorder) {
        recorder.draw_indirect(DrawKind::Mesh, buffer, max_draw_count);
    }
    [cmd_draw_indirect_byte_count_ext](
        command_buffer: vk::CommandBuffer,
        instance_count: u32,
        first_instance: u32,
        counter_buffer: vk::Buffer,
        counter_buffer_offset: vk::DeviceSize,
        counter_offset: u32,
        vertex_stride: u32
    ) (dev, recorder) {
        recorder.draw_indirect(DrawKind::TransformFeedback, counter_buffer, 1);
    }
    [cmd_dispatch_base cmd_dispatch_base_khr](
        command_buffer: vk::CommandBuffer,
        base_x: u32,
        base_y: u32,
        base_z: u32,
        x: u32,
        y: u32,
        z: u32
    ) (dev, recorder) {
        recorder.dispatch([x, y, z]);
    }
    [cmd_dispatch_indirect](
        command_buffer: vk::CommandBuffer,
        buffer: vk::Buffer,
        offset: vk::DeviceSize
    ) (dev, recorder) {
        recorder.dispatch_indirect();
    }
    [cmd_clear_attachments](
        command_buffer: vk::CommandBuffer,
        attachment_count: u32,
        attachments: *const vk::ClearAttachment,
        rect_count: u32,
        rects: *const vk::ClearRect
    ) (dev, recorder) {
        // SAFETY: C2 - as many as it says.
        let attachments = unsafe { slice(attachments, attachment_count as usize) };
        // SAFETY: C2 - as many as it says.
        let rects = unsafe { slice(rects, rect_count as usize) };
        let cleared = attachments.iter().map(|clear| {
            (clear.aspect_mask, clear.color_attachment, clear_words(&clear.clear_value))
        });
        recorder.clear_attachments(cleared.collect(), rects);
    }
}
