//! Barriers and events.

use crate::capture::OldBarriers;
use crate::ffi::hooks::cmd_hooks;
use crate::ffi::read::{View, Views, slice};
use ash::vk;

/// Gathers the arrays of an older command.
macro_rules! old_barriers {
    ($src:ident, $dst:ident, $flags:expr, $($kind:ident = $pointer:ident[$count:ident]),*) => {
        OldBarriers {
            src_stage: $src,
            dst_stage: $dst,
            flags: $flags,
            // SAFETY: C2 - each array has as many elements as its count says.
            $($kind: unsafe { Views::new($pointer, $count) },)*
        }
    };
}

cmd_hooks! {
    [cmd_pipeline_barrier](
        command_buffer: vk::CommandBuffer,
        src_stage: vk::PipelineStageFlags,
        dst_stage: vk::PipelineStageFlags,
        flags: vk::DependencyFlags,
        memory_count: u32,
        memory_barriers: *const vk::MemoryBarrier<'_>,
        buffer_count: u32,
        buffer_barriers: *const vk::BufferMemoryBarrier<'_>,
        image_count: u32,
        image_barriers: *const vk::ImageMemoryBarrier<'_>
    ) (dev, recorder) {
        recorder.barrier_1(old_barriers!(
            src_stage, dst_stage, flags,
            memory = memory_barriers[memory_count],
            buffers = buffer_barriers[buffer_count],
            images = image_barriers[image_count]
        ));
    }
    [cmd_wait_events](
        command_buffer: vk::CommandBuffer,
        event_count: u32,
        events: *const vk::Event,
        src_stage: vk::PipelineStageFlags,
        dst_stage: vk::PipelineStageFlags,
        memory_count: u32,
        memory_barriers: *const vk::MemoryBarrier<'_>,
        buffer_count: u32,
        buffer_barriers: *const vk::BufferMemoryBarrier<'_>,
        image_count: u32,
        image_barriers: *const vk::ImageMemoryBarrier<'_>
    ) (dev, recorder) {
        // SAFETY: C2 - as many as it says.
        let events = unsafe { slice(events, event_count as usize) };
        recorder.wait_events_1(events, old_barriers!(
            src_stage, dst_stage, vk::DependencyFlags::empty(),
            memory = memory_barriers[memory_count],
            buffers = buffer_barriers[buffer_count],
            images = image_barriers[image_count]
        ));
    }
    [cmd_pipeline_barrier2 cmd_pipeline_barrier2_khr](
        command_buffer: vk::CommandBuffer,
        dependency_info: *const vk::DependencyInfo<'_>
    ) (dev, recorder) {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(dependency_info) } {
            recorder.barrier_2(info);
        }
    }
    [cmd_wait_events2 cmd_wait_events2_khr](
        command_buffer: vk::CommandBuffer,
        event_count: u32,
        events: *const vk::Event,
        dependency_infos: *const vk::DependencyInfo<'_>
    ) (dev, recorder) {
        // SAFETY: C2 - as many as it says.
        let events = unsafe { slice(events, event_count as usize) };
        // SAFETY: C2 - one info for each event.
        let infos = unsafe { Views::new(dependency_infos, event_count) };
        recorder.wait_events_2(events, infos);
    }
    [cmd_set_event](
        command_buffer: vk::CommandBuffer,
        event: vk::Event,
        stage_mask: vk::PipelineStageFlags
    ) (dev, recorder) {
        recorder.set_event_1(event, stage_mask);
    }
    [cmd_set_event2 cmd_set_event2_khr](
        command_buffer: vk::CommandBuffer,
        event: vk::Event,
        dependency_info: *const vk::DependencyInfo<'_>
    ) (dev, recorder) {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(dependency_info) } {
            recorder.set_event_2(event, info);
        }
    }
    [cmd_reset_event](
        command_buffer: vk::CommandBuffer,
        event: vk::Event,
        stage_mask: vk::PipelineStageFlags
    ) (dev, recorder) {
        recorder.reset_event_1(event, stage_mask);
    }
    [cmd_reset_event2 cmd_reset_event2_khr](
        command_buffer: vk::CommandBuffer,
        event: vk::Event,
        stage_mask: vk::PipelineStageFlags2
    ) (dev, recorder) {
        recorder.reset_event(event, stage_mask, 2);
    }
}
