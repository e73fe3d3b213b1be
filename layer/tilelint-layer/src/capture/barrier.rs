//! Barriers and events: both forms become one.

use super::Recorder;
use super::render_pass::{accesses, stages};
use crate::ffi::read::{View, Views};
use ash::vk::{self, Handle};
use tilelint::call::{
    Barrier, BarrierCommand, BarrierTarget, BufferKey, Command, EventCommand, EventKey, ImageKey,
    SubresourceRange,
};

/// The arrays of barriers that the older commands take.
#[derive(Clone, Copy)]
pub(crate) struct OldBarriers<'a> {
    pub(crate) src_stage: vk::PipelineStageFlags,
    pub(crate) dst_stage: vk::PipelineStageFlags,
    pub(crate) flags: vk::DependencyFlags,
    pub(crate) memory: Views<'a, vk::MemoryBarrier<'a>>,
    pub(crate) buffers: Views<'a, vk::BufferMemoryBarrier<'a>>,
    pub(crate) images: Views<'a, vk::ImageMemoryBarrier<'a>>,
}

impl Recorder {
    /// `vkCmdPipelineBarrier`.
    pub(crate) fn barrier_1(&mut self, barriers: OldBarriers<'_>) {
        let mut command = self.recording.new_barriers();
        fill_1(&mut command, barriers);
        self.push(Command::Barrier(command));
    }

    /// `vkCmdPipelineBarrier2`, either form.
    pub(crate) fn barrier_2(&mut self, info: View<'_, vk::DependencyInfo<'_>>) {
        let mut command = self.recording.new_barriers();
        fill_2(&mut command, info);
        self.push(Command::Barrier(command));
    }

    /// `vkCmdWaitEvents`.
    pub(crate) fn wait_events_1(&mut self, events: &[vk::Event], barriers: OldBarriers<'_>) {
        let mut all = BarrierCommand::default();
        fill_1(&mut all, barriers);
        let command = event_command(events, all, stages(barriers.dst_stage));
        self.push(Command::EventWait(Box::new(command)));
    }

    /// `vkCmdWaitEvents2`, either form: the barriers of all events.
    pub(crate) fn wait_events_2(
        &mut self,
        events: &[vk::Event],
        infos: Views<'_, vk::DependencyInfo<'_>>,
    ) {
        let mut all = BarrierCommand { version: 2, ..BarrierCommand::default() };
        infos.iter().for_each(|info| fill_2(&mut all, info));
        let command = event_command(events, all, vk::PipelineStageFlags2::empty());
        self.push(Command::EventWait(Box::new(command)));
    }

    /// `vkCmdSetEvent`.
    pub(crate) fn set_event_1(&mut self, event: vk::Event, mask: vk::PipelineStageFlags) {
        let none = BarrierCommand { version: 1, ..BarrierCommand::default() };
        let command = event_command(&[event], none, stages(mask));
        self.push(Command::EventSet(Box::new(command)));
    }

    /// `vkCmdSetEvent2`, either form.
    pub(crate) fn set_event_2(&mut self, event: vk::Event, info: View<'_, vk::DependencyInfo<'_>>) {
        let empty = vk::PipelineStageFlags2::empty();
        let mut all = BarrierCommand::default();
        fill_2(&mut all, info);
        let command = event_command(&[event], all, empty);
        self.push(Command::EventSet(Box::new(command)));
    }

    /// `vkCmdResetEvent`, any form.
    pub(crate) fn reset_event(
        &mut self,
        event: vk::Event,
        mask: vk::PipelineStageFlags2,
        version: u8,
    ) {
        let none = BarrierCommand { version, ..BarrierCommand::default() };
        let command = event_command(&[event], none, mask);
        self.push(Command::EventReset(Box::new(command)));
    }

    /// `vkCmdResetEvent` with the older stages.
    pub(crate) fn reset_event_1(&mut self, event: vk::Event, mask: vk::PipelineStageFlags) {
        self.reset_event(event, stages(mask), 1);
    }
}

fn event_command(
    events: &[vk::Event],
    barriers: BarrierCommand,
    stages: vk::PipelineStageFlags2,
) -> EventCommand {
    let events = events.iter().map(|event| EventKey(event.as_raw())).collect();
    EventCommand { events, barriers, stages }
}

/// Returns a subresource range of the library's.
pub(super) fn range(range: vk::ImageSubresourceRange) -> SubresourceRange {
    SubresourceRange {
        aspects: range.aspect_mask,
        base_mip: range.base_mip_level,
        mips: range.level_count,
        base_layer: range.base_array_layer,
        layers: range.layer_count,
    }
}

/// Writes barriers into a command that has none.
fn fill_1(command: &mut BarrierCommand, info: OldBarriers<'_>) {
    (command.flags, command.version) = (info.flags, 1);
    let barriers = &mut command.barriers;
    let (memory, buffers) = (info.memory.as_slice().len(), info.buffers.as_slice().len());
    barriers.reserve_exact((memory + buffers + info.images.as_slice().len()).max(1));
    let (src_stage, dst_stage) = (stages(info.src_stage), stages(info.dst_stage));
    let barrier =
        |target, src: vk::AccessFlags, dst: vk::AccessFlags, queues: (u32, u32)| Barrier {
            target,
            src_stage,
            dst_stage,
            src_access: accesses(src),
            dst_access: accesses(dst),
            src_queue: queues.0,
            dst_queue: queues.1,
        };
    let ignored = (vk::QUEUE_FAMILY_IGNORED, vk::QUEUE_FAMILY_IGNORED);
    for b in info.memory.iter() {
        let (src, dst) = (b.src_access_mask, b.dst_access_mask);
        barriers.push(barrier(BarrierTarget::Memory, src, dst, ignored));
    }
    for b in info.buffers.iter() {
        let queues = (b.src_queue_family_index, b.dst_queue_family_index);
        let target = BarrierTarget::Buffer(BufferKey(b.buffer.as_raw()));
        barriers.push(barrier(target, b.src_access_mask, b.dst_access_mask, queues));
    }
    for b in info.images.iter() {
        let queues = (b.src_queue_family_index, b.dst_queue_family_index);
        let target = BarrierTarget::Image {
            image: ImageKey(b.image.as_raw()),
            range: range(b.subresource_range),
            old: b.old_layout,
            new: b.new_layout,
        };
        barriers.push(barrier(target, b.src_access_mask, b.dst_access_mask, queues));
    }
    if barriers.is_empty() {
        // A pure execution dependency still orders the stages.
        let none = vk::AccessFlags::empty();
        barriers.push(barrier(BarrierTarget::Memory, none, none, ignored));
    }
}

/// Adds barriers to a command.
fn fill_2(command: &mut BarrierCommand, info: View<'_, vk::DependencyInfo<'_>>) {
    command.flags |= info.dependency_flags;
    command.version = 2;
    let barriers = &mut command.barriers;
    let (memory, buffers) = (info.memory().as_slice().len(), info.buffers().as_slice().len());
    barriers.reserve_exact(memory + buffers + info.images().as_slice().len());
    for b in info.memory().iter() {
        barriers.push(Barrier {
            target: BarrierTarget::Memory,
            src_stage: b.src_stage_mask,
            dst_stage: b.dst_stage_mask,
            src_access: b.src_access_mask,
            dst_access: b.dst_access_mask,
            src_queue: vk::QUEUE_FAMILY_IGNORED,
            dst_queue: vk::QUEUE_FAMILY_IGNORED,
        });
    }
    for b in info.buffers().iter() {
        barriers.push(Barrier {
            target: BarrierTarget::Buffer(BufferKey(b.buffer.as_raw())),
            src_stage: b.src_stage_mask,
            dst_stage: b.dst_stage_mask,
            src_access: b.src_access_mask,
            dst_access: b.dst_access_mask,
            src_queue: b.src_queue_family_index,
            dst_queue: b.dst_queue_family_index,
        });
    }
    for b in info.images().iter() {
        barriers.push(Barrier {
            target: BarrierTarget::Image {
                image: ImageKey(b.image.as_raw()),
                range: range(b.subresource_range),
                old: b.old_layout,
                new: b.new_layout,
            },
            src_stage: b.src_stage_mask,
            dst_stage: b.dst_stage_mask,
            src_access: b.src_access_mask,
            dst_access: b.dst_access_mask,
            src_queue: b.src_queue_family_index,
            dst_queue: b.dst_queue_family_index,
        });
    }
}
