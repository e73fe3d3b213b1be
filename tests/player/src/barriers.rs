//! Barriers and events, in both forms of their calls.

use ash::vk;
use tilelint::call::*;

use crate::error::Done;
use crate::gpu::api;
use crate::memory::aspects;
use crate::passes::{access_32, stages_32};
use crate::player::Player;

/// The barriers of one call in the newer form.
#[derive(Default)]
struct Barriers {
    memory: Vec<vk::MemoryBarrier2<'static>>,
    buffers: Vec<vk::BufferMemoryBarrier2<'static>>,
    images: Vec<vk::ImageMemoryBarrier2<'static>>,
    flags: vk::DependencyFlags,
}

impl Barriers {
    fn info(&self) -> vk::DependencyInfo<'_> {
        vk::DependencyInfo::default()
            .dependency_flags(self.flags)
            .memory_barriers(&self.memory)
            .buffer_memory_barriers(&self.buffers)
            .image_memory_barriers(&self.images)
    }
}

/// The barriers of one call in the older form.
struct Older {
    src: vk::PipelineStageFlags,
    dst: vk::PipelineStageFlags,
    memory: Vec<vk::MemoryBarrier<'static>>,
    buffers: Vec<vk::BufferMemoryBarrier<'static>>,
    images: Vec<vk::ImageMemoryBarrier<'static>>,
}

impl Player<'_> {
    /// The driver's queue families of an ownership transfer.
    fn families(&self, barrier: &Barrier) -> (u32, u32) {
        let outside =
            [vk::QUEUE_FAMILY_IGNORED, vk::QUEUE_FAMILY_EXTERNAL, vk::QUEUE_FAMILY_FOREIGN_EXT];
        let map = |family: u32| match outside.contains(&family) {
            true => family,
            false => self.gpu.families.get(&family).copied().unwrap_or(self.gpu.main.1),
        };
        let (src, dst) = (map(barrier.src_queue), map(barrier.dst_queue));
        // Where two families of the listing are one here, nothing changes hands.
        if src == dst { (vk::QUEUE_FAMILY_IGNORED, vk::QUEUE_FAMILY_IGNORED) } else { (src, dst) }
    }

    fn range(&self, format: vk::Format, range: &SubresourceRange) -> vk::ImageSubresourceRange {
        let aspect = if range.aspects.is_empty() { aspects(format) } else { range.aspects };
        vk::ImageSubresourceRange {
            aspect_mask: aspect,
            base_mip_level: range.base_mip,
            level_count: range.mips,
            base_array_layer: range.base_layer,
            layer_count: range.layers,
        }
    }

    /// The range of an image, and the image.
    pub(crate) fn image_range(
        &self,
        key: ImageKey,
        range: &SubresourceRange,
    ) -> Done<(vk::Image, vk::ImageSubresourceRange)> {
        let image = self.found("image", self.objects.images.get(&key))?;
        Ok((image.handle, self.range(image.info.format, range)))
    }

    fn newer(&self, list: &[Barrier], flags: vk::DependencyFlags) -> Done<Barriers> {
        let mut out = Barriers { flags, ..Barriers::default() };
        for b in list {
            let (src_family, dst_family) = self.families(b);
            match &b.target {
                BarrierTarget::Memory => out.memory.push(
                    vk::MemoryBarrier2::default()
                        .src_stage_mask(b.src_stage)
                        .src_access_mask(b.src_access)
                        .dst_stage_mask(b.dst_stage)
                        .dst_access_mask(b.dst_access),
                ),
                BarrierTarget::Buffer(key) => {
                    let buffer = self.objects.buffers.get(key).map(|b| b.handle);
                    out.buffers.push(
                        vk::BufferMemoryBarrier2::default()
                            .src_stage_mask(b.src_stage)
                            .src_access_mask(b.src_access)
                            .dst_stage_mask(b.dst_stage)
                            .dst_access_mask(b.dst_access)
                            .src_queue_family_index(src_family)
                            .dst_queue_family_index(dst_family)
                            .buffer(self.found("buffer", buffer)?)
                            .size(vk::WHOLE_SIZE),
                    );
                }
                BarrierTarget::Image { image, range, old, new } => {
                    let (image, range) = self.image_range(*image, range)?;
                    out.images.push(
                        vk::ImageMemoryBarrier2::default()
                            .src_stage_mask(b.src_stage)
                            .src_access_mask(b.src_access)
                            .dst_stage_mask(b.dst_stage)
                            .dst_access_mask(b.dst_access)
                            .old_layout(*old)
                            .new_layout(*new)
                            .src_queue_family_index(src_family)
                            .dst_queue_family_index(dst_family)
                            .image(image)
                            .subresource_range(range),
                    );
                }
            }
        }
        Ok(out)
    }

    fn older(&self, info: &BarrierCommand) -> Done<Older> {
        let all = self.newer(&info.barriers, info.flags)?;
        let line = self.line;
        let mut out = Older {
            src: vk::PipelineStageFlags::empty(),
            dst: vk::PipelineStageFlags::empty(),
            memory: Vec::new(),
            buffers: Vec::new(),
            images: Vec::new(),
        };
        for b in &info.barriers {
            out.src |= stages_32(line, b.src_stage)?;
            out.dst |= stages_32(line, b.dst_stage)?;
        }
        // The older call has no empty sets of stages.
        if out.src.is_empty() {
            out.src = vk::PipelineStageFlags::TOP_OF_PIPE;
        }
        if out.dst.is_empty() {
            out.dst = vk::PipelineStageFlags::BOTTOM_OF_PIPE;
        }
        for b in &all.memory {
            out.memory.push(
                vk::MemoryBarrier::default()
                    .src_access_mask(access_32(line, b.src_access_mask)?)
                    .dst_access_mask(access_32(line, b.dst_access_mask)?),
            );
        }
        for b in &all.buffers {
            out.buffers.push(
                vk::BufferMemoryBarrier::default()
                    .src_access_mask(access_32(line, b.src_access_mask)?)
                    .dst_access_mask(access_32(line, b.dst_access_mask)?)
                    .src_queue_family_index(b.src_queue_family_index)
                    .dst_queue_family_index(b.dst_queue_family_index)
                    .buffer(b.buffer)
                    .size(b.size),
            );
        }
        for b in &all.images {
            out.images.push(
                vk::ImageMemoryBarrier::default()
                    .src_access_mask(access_32(line, b.src_access_mask)?)
                    .dst_access_mask(access_32(line, b.dst_access_mask)?)
                    .old_layout(b.old_layout)
                    .new_layout(b.new_layout)
                    .src_queue_family_index(b.src_queue_family_index)
                    .dst_queue_family_index(b.dst_queue_family_index)
                    .image(b.image)
                    .subresource_range(b.subresource_range),
            );
        }
        Ok(out)
    }

    /// `vkCmdPipelineBarrier` or `vkCmdPipelineBarrier2`.
    pub(crate) fn barrier(&self, at: vk::CommandBuffer, info: &BarrierCommand) -> Done {
        let device = &self.gpu.device;
        if info.version == 2 {
            let all = self.newer(&info.barriers, info.flags)?;
            api!(device.cmd_pipeline_barrier2(at, &all.info()));
            return Ok(());
        }
        let b = self.older(info)?;
        api!(
            device.cmd_pipeline_barrier(
                at, b.src, b.dst, info.flags, &b.memory, &b.buffers, &b.images
            )
        );
        Ok(())
    }

    fn event_handle(&self, key: EventKey) -> Done<vk::Event> {
        self.found("event", self.objects.events.get(&key).copied())
    }

    /// `vkCmdSetEvent` or `vkCmdSetEvent2`.
    pub(crate) fn event_set(&self, at: vk::CommandBuffer, info: &EventCommand) -> Done {
        let device = &self.gpu.device;
        for key in &info.events {
            let event = self.event_handle(*key)?;
            if info.barriers.version == 2 {
                let mut all = self.newer(&info.barriers.barriers, info.barriers.flags)?;
                if info.barriers.barriers.is_empty() {
                    all.memory.push(vk::MemoryBarrier2::default().src_stage_mask(info.stages));
                }
                api!(device.cmd_set_event2(at, event, &all.info()));
            } else {
                let stages = self.older_stages(info)?;
                api!(device.cmd_set_event(at, event, stages));
            }
        }
        Ok(())
    }

    fn older_stages(&self, info: &EventCommand) -> Done<vk::PipelineStageFlags> {
        let all = info.barriers.barriers.iter().fold(info.stages, |all, b| all | b.src_stage);
        stages_32(self.line, all)
    }

    /// `vkCmdWaitEvents` or `vkCmdWaitEvents2`.
    pub(crate) fn event_wait(&self, at: vk::CommandBuffer, info: &EventCommand) -> Done {
        let device = &self.gpu.device;
        let events: Done<Vec<_>> = info.events.iter().map(|key| self.event_handle(*key)).collect();
        let events = events?;
        if info.barriers.version == 2 {
            let all = self.newer(&info.barriers.barriers, info.barriers.flags)?;
            let infos = vec![all.info(); events.len()];
            api!(device.cmd_wait_events2(at, &events, &infos));
            return Ok(());
        }
        let b = self.older(&info.barriers)?;
        let lists = (&b.memory, &b.buffers, &b.images);
        api!(device.cmd_wait_events(at, &events, b.src, b.dst, lists.0, lists.1, lists.2));
        Ok(())
    }

    /// `vkCmdResetEvent` or `vkCmdResetEvent2`.
    pub(crate) fn event_reset(&self, at: vk::CommandBuffer, info: &EventCommand) -> Done {
        let device = &self.gpu.device;
        for key in &info.events {
            let event = self.event_handle(*key)?;
            if info.barriers.version == 2 {
                let all = info.barriers.barriers.iter();
                let stages = all.fold(info.stages, |all, b| all | b.src_stage);
                api!(device.cmd_reset_event2(at, event, stages));
            } else {
                let stages = self.older_stages(info)?;
                api!(device.cmd_reset_event(at, event, stages));
            }
        }
        Ok(())
    }
}
