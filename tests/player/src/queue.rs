//! Submission, presentation, waits, and what the host does.

use ash::vk;
use tilelint::call::*;

use crate::error::{Done, Error};
use crate::gpu::{api, c_string};
use crate::passes::stages_32;
use crate::player::{Flight, Player};

/// The label by which an XR application says that a frame ends.
const FRAME_LABEL: &str = "vr-marker,frame_end,type,application";

/// The arrays of one batch in the older form.
struct Older {
    waits: Vec<vk::Semaphore>,
    stages: Vec<vk::PipelineStageFlags>,
    wait_values: Vec<u64>,
    commands: Vec<vk::CommandBuffer>,
    signals: Vec<vk::Semaphore>,
    signal_values: Vec<u64>,
    timeline: bool,
    frame_end: bool,
}

/// The arrays of one batch in the newer form.
struct Newer {
    waits: Vec<vk::SemaphoreSubmitInfo<'static>>,
    commands: Vec<vk::CommandBufferSubmitInfo<'static>>,
    signals: Vec<vk::SemaphoreSubmitInfo<'static>>,
    frame_end: bool,
}

fn boundary() -> vk::FrameBoundaryEXT<'static> {
    vk::FrameBoundaryEXT::default().flags(vk::FrameBoundaryFlagsEXT::FRAME_END)
}

impl Player<'_> {
    fn semaphore_handle(&self, key: SemaphoreKey) -> Done<vk::Semaphore> {
        self.found("semaphore", self.objects.semaphores.get(&key).copied())
    }

    fn fence_handle(&self, key: Option<FenceKey>) -> Done<vk::Fence> {
        match key {
            None => Ok(vk::Fence::null()),
            Some(key) => self.found("fence", self.objects.fences.get(&key).copied()),
        }
    }

    fn batch_commands(&self, batch: &Batch) -> Done<Vec<vk::CommandBuffer>> {
        let handle = |c: &Submitted| {
            let commands = self.objects.commands.get(&c.key);
            self.found("command buffer", commands).map(|c| c.handle)
        };
        batch.commands.iter().map(handle).collect()
    }

    fn older_batch(&self, batch: &Batch) -> Done<Older> {
        let mut out = Older {
            waits: Vec::new(),
            stages: Vec::new(),
            wait_values: Vec::new(),
            commands: self.batch_commands(batch)?,
            signals: Vec::new(),
            signal_values: Vec::new(),
            timeline: false,
            frame_end: batch.frame_end,
        };
        for wait in &batch.waits {
            out.waits.push(self.semaphore_handle(wait.semaphore)?);
            out.stages.push(stages_32(self.line, wait.stages)?);
            out.wait_values.push(wait.value.unwrap_or(0));
            out.timeline |= wait.value.is_some();
        }
        for signal in &batch.signals {
            out.signals.push(self.semaphore_handle(signal.semaphore)?);
            out.signal_values.push(signal.value.unwrap_or(0));
            out.timeline |= signal.value.is_some();
        }
        Ok(out)
    }

    fn submit_older(&self, info: &Submit, queue: vk::Queue, fence: vk::Fence) -> Done {
        let batches: Done<Vec<_>> = info.batches.iter().map(|b| self.older_batch(b)).collect();
        let batches = batches?;
        let mut values: Vec<_> = batches
            .iter()
            .map(|b| {
                vk::TimelineSemaphoreSubmitInfo::default()
                    .wait_semaphore_values(&b.wait_values)
                    .signal_semaphore_values(&b.signal_values)
            })
            .collect();
        let mut ends: Vec<_> = batches.iter().map(|_| boundary()).collect();
        let submits: Vec<_> = batches
            .iter()
            .zip(&mut values)
            .zip(&mut ends)
            .map(|((b, values), end)| {
                let mut out = vk::SubmitInfo::default()
                    .wait_semaphores(&b.waits)
                    .wait_dst_stage_mask(&b.stages)
                    .command_buffers(&b.commands)
                    .signal_semaphores(&b.signals);
                if b.timeline {
                    out = out.push_next(values);
                }
                if b.frame_end { out.push_next(end) } else { out }
            })
            .collect();
        let done = api!(self.gpu.device.queue_submit(queue, &submits, fence));
        done.map_err(self.failed("vkQueueSubmit"))
    }

    fn newer_batch(&self, batch: &Batch) -> Done<Newer> {
        let commands = self.batch_commands(batch)?;
        let mut out = Newer {
            waits: Vec::new(),
            commands: commands
                .into_iter()
                .map(|c| vk::CommandBufferSubmitInfo::default().command_buffer(c))
                .collect(),
            signals: Vec::new(),
            frame_end: batch.frame_end,
        };
        for wait in &batch.waits {
            out.waits.push(
                vk::SemaphoreSubmitInfo::default()
                    .semaphore(self.semaphore_handle(wait.semaphore)?)
                    .value(wait.value.unwrap_or(0))
                    .stage_mask(wait.stages),
            );
        }
        for signal in &batch.signals {
            out.signals.push(
                vk::SemaphoreSubmitInfo::default()
                    .semaphore(self.semaphore_handle(signal.semaphore)?)
                    .value(signal.value.unwrap_or(0))
                    .stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS),
            );
        }
        Ok(out)
    }

    fn submit_newer(&self, info: &Submit, queue: vk::Queue, fence: vk::Fence) -> Done {
        let batches: Done<Vec<_>> = info.batches.iter().map(|b| self.newer_batch(b)).collect();
        let batches = batches?;
        let mut ends: Vec<_> = batches.iter().map(|_| boundary()).collect();
        let submits: Vec<_> = batches
            .iter()
            .zip(&mut ends)
            .map(|(b, end)| {
                let out = vk::SubmitInfo2::default()
                    .wait_semaphore_infos(&b.waits)
                    .command_buffer_infos(&b.commands)
                    .signal_semaphore_infos(&b.signals);
                if b.frame_end { out.push_next(end) } else { out }
            })
            .collect();
        let done = api!(self.gpu.device.queue_submit2(queue, &submits, fence));
        done.map_err(self.failed("vkQueueSubmit2"))
    }

    /// `vkQueueSubmit` or `vkQueueSubmit2`.
    pub(crate) fn submit(&mut self, info: &Submit) -> Done {
        let (queue, _) = self.gpu.queue(info.queue);
        let fence = self.fence_handle(info.fence)?;
        match info.version {
            2 => self.submit_newer(info, queue, fence)?,
            _ => self.submit_older(info, queue, fence)?,
        }
        self.submissions += 1;
        let number = self.submissions;
        let mut signals = Vec::new();
        for batch in &info.batches {
            for commands in &batch.commands {
                self.submitted(commands.key, number);
            }
            signals.extend(batch.signals.iter().filter_map(|s| Some((s.semaphore, s.value?))));
            self.frame_ended |= batch.frame_end;
        }
        self.flights.push(Flight { number, queue, fence: info.fence, signals });
        Ok(())
    }

    /// Notes that a command buffer, and what it executes, was submitted.
    fn submitted(&mut self, key: CommandsKey, number: u64) {
        if let Some(commands) = self.objects.commands.get_mut(&key) {
            commands.submitted = number;
        }
        for key in self.executed.get(&key).cloned().unwrap_or_default() {
            if let Some(commands) = self.objects.commands.get_mut(&key) {
                commands.submitted = number;
            }
        }
    }

    /// `vkAcquireNextImageKHR`.
    pub(crate) fn acquire(&mut self, info: &Acquire) -> Done {
        let chain = self.found("swapchain", self.objects.swapchains.get(&info.swapchain))?;
        let wanted = chain.real(info.image);
        let chain = chain.handle;
        let semaphore = match info.signal {
            Some(key) => self.semaphore_handle(key)?,
            None => vk::Semaphore::null(),
        };
        let fence = self.fence_handle(info.fence)?;
        let image = api!(self.gpu.swapchains.acquire_next_image(chain, u64::MAX, semaphore, fence));
        let (image, _) = image.map_err(self.failed("vkAcquireNextImageKHR"))?;
        if image != wanted {
            let message = "the driver hands out the swapchain's images in another order";
            return self.bad(format!("{message}: {image}, not {wanted}"));
        }
        Ok(())
    }

    /// `vkQueuePresentKHR`.
    pub(crate) fn present(&mut self, info: &Present, failed: Option<vk::Result>) -> Done {
        let chain = self.found("swapchain", self.objects.swapchains.get(&info.swapchain))?;
        let (chains, images) = ([chain.handle], [chain.real(info.image)]);
        let waits: Done<Vec<_>> =
            info.waits.iter().map(|key| self.semaphore_handle(*key)).collect();
        let waits = waits?;
        let present = vk::PresentInfoKHR::default()
            .wait_semaphores(&waits)
            .swapchains(&chains)
            .image_indices(&images);
        let (queue, _) = self.gpu.queue(info.queue);
        let done = api!(self.gpu.swapchains.queue_present(queue, &present));
        self.frame_ended = true;
        match done {
            Ok(_) => Ok(()),
            Err(result) if result == info.result || Some(result) == failed => Ok(()),
            Err(result) => Err(self.failed("vkQueuePresentKHR")(result)),
        }
    }

    /// `vkWaitForFences` or `vkWaitSemaphores`.
    pub(crate) fn wait(&mut self, info: &Wait) -> Done {
        if !info.fences.is_empty() {
            let fences: Done<Vec<_>> =
                info.fences.iter().map(|key| self.fence_handle(Some(*key))).collect();
            let all = !info.any;
            let done = api!(self.gpu.device.wait_for_fences(&fences?, all, info.timeout_ns));
            done.map_err(self.failed("vkWaitForFences"))?;
        }
        if !info.semaphores.is_empty() {
            let (mut semaphores, mut values) = (Vec::new(), Vec::new());
            for (key, value) in &info.semaphores {
                semaphores.push(self.semaphore_handle(*key)?);
                values.push(*value);
            }
            let flags = match info.any {
                true => vk::SemaphoreWaitFlags::ANY,
                false => vk::SemaphoreWaitFlags::empty(),
            };
            let wait = vk::SemaphoreWaitInfo::default()
                .flags(flags)
                .semaphores(&semaphores)
                .values(&values);
            let done = api!(self.gpu.device.wait_semaphores(&wait, info.timeout_ns));
            done.map_err(self.failed("vkWaitSemaphores"))?;
        }
        // Which of several it was is not known.
        if !info.any || info.fences.len() + info.semaphores.len() == 1 {
            self.waited(info);
        }
        Ok(())
    }

    fn waited(&mut self, info: &Wait) {
        let reached = |flight: &&Flight| {
            flight.fence.is_some_and(|fence| info.fences.contains(&fence))
                || flight.signals.iter().any(|(semaphore, value)| {
                    info.semaphores.iter().any(|(s, v)| s == semaphore && v >= value)
                })
        };
        let ended: Vec<_> =
            self.flights.iter().filter(reached).map(|f| (f.queue, f.number)).collect();
        for (queue, number) in ended {
            self.landed(Some(queue), number);
        }
    }

    /// `vkSignalSemaphore`.
    pub(crate) fn signal(&mut self, key: SemaphoreKey, value: u64) -> Done {
        let semaphore = self.semaphore_handle(key)?;
        let info = vk::SemaphoreSignalInfo::default().semaphore(semaphore).value(value);
        let done = api!(self.gpu.device.signal_semaphore(&info));
        done.map_err(self.failed("vkSignalSemaphore"))
    }

    /// `vkQueueWaitIdle` or `vkDeviceWaitIdle`.
    pub(crate) fn wait_idle(&mut self, info: &WaitIdle) -> Done {
        let queue = info.queue.map(|key| self.gpu.queue(key).0);
        match queue {
            Some(queue) => {
                let done = api!(self.gpu.device.queue_wait_idle(queue));
                done.map_err(self.failed("vkQueueWaitIdle"))?;
            }
            None => {
                let done = api!(self.gpu.device.device_wait_idle());
                done.map_err(self.failed("vkDeviceWaitIdle"))?;
            }
        }
        self.landed(queue, u64::MAX);
        Ok(())
    }

    /// `vkResetFences`.
    pub(crate) fn fence_reset(&mut self, keys: &[FenceKey]) -> Done {
        let fences: Done<Vec<_>> = keys.iter().map(|key| self.fence_handle(Some(*key))).collect();
        let done = api!(self.gpu.device.reset_fences(&fences?));
        done.map_err(self.failed("vkResetFences"))
    }

    /// A label region of a queue.
    pub(crate) fn queue_label(&self, queue: QueueKey, text: Option<&str>) {
        let (queue, _) = self.gpu.queue(queue);
        match text {
            Some(text) => {
                let text = c_string(text);
                let label = vk::DebugUtilsLabelEXT::default().label_name(&text);
                api!(self.gpu.debug.queue_begin_debug_utils_label(queue, &label));
            }
            None => api!(self.gpu.debug.queue_end_debug_utils_label(queue)),
        }
    }

    /// The end of a frame: a label, unless it is the end that a present or a submission made.
    pub(crate) fn frame(&mut self, by: FrameBoundary) {
        if std::mem::take(&mut self.frame_ended) && by != FrameBoundary::Marker {
            return;
        }
        let text = c_string(FRAME_LABEL);
        let label = vk::DebugUtilsLabelEXT::default().label_name(&text);
        api!(self.gpu.debug.queue_insert_debug_utils_label(self.gpu.main.0, &label));
    }

    /// What the host does with memory or queries.
    pub(crate) fn host_access(&mut self, info: &HostAccess) -> Done {
        if info.verb == HostVerb::QueryRead {
            return self.query_read(info);
        }
        let memory = match info.object.kind {
            Kind::Memory => self.objects.memories.get(&MemoryKey(info.object.key)).copied(),
            Kind::Image => {
                let image = self.objects.images.get(&ImageKey(info.object.key));
                image.and_then(|image| image.memory)
            }
            Kind::Buffer => {
                let buffer = self.objects.buffers.get(&BufferKey(info.object.key));
                buffer.and_then(|buffer| buffer.memory)
            }
            _ => None,
        };
        let memory = self.found("memory", memory)?;
        match info.verb {
            HostVerb::Map => {
                self.map(memory)?;
                self.mapped.push(memory);
            }
            HostVerb::Unmap => {
                api!(self.gpu.device.unmap_memory(memory));
                self.mapped.retain(|m| *m != memory);
            }
            HostVerb::Commitment => {
                api!(self.gpu.device.get_device_memory_commitment(memory));
            }
            HostVerb::Read if self.mapped.contains(&memory) => {
                let all = vk::MappedMemoryRange::default().memory(memory).size(vk::WHOLE_SIZE);
                let read = api!(self.gpu.device.invalidate_mapped_memory_ranges(&[all]));
                read.map_err(self.failed("vkInvalidateMappedMemoryRanges"))?;
            }
            // Writing through a mapping that exists is no call.
            _ if self.mapped.contains(&memory) => {}
            verb => {
                let at = self.map(memory)?.cast::<u32>();
                if verb == HostVerb::Write {
                    // SAFETY: the mapping starts there and holds at least one word.
                    unsafe { at.write_volatile(0) };
                } else {
                    // SAFETY: the mapping starts there and holds at least one word.
                    unsafe { at.read_volatile() };
                }
                api!(self.gpu.device.unmap_memory(memory));
            }
        }
        Ok(())
    }

    fn map(&self, memory: vk::DeviceMemory) -> Done<*mut std::ffi::c_void> {
        let flags = vk::MemoryMapFlags::empty();
        let mapped = api!(self.gpu.device.map_memory(memory, 0, vk::WHOLE_SIZE, flags));
        mapped.map_err(self.failed("vkMapMemory"))
    }

    fn query_read(&self, info: &HostAccess) -> Done {
        let pool = self.objects.query_pools.get(&QueryPoolKey(info.object.key));
        let (pool, _) = self.found("query pool", pool)?;
        let mut results = vec![0u64; info.count.max(1) as usize];
        let mut flags = vk::QueryResultFlags::TYPE_64;
        if info.wait {
            flags |= vk::QueryResultFlags::WAIT;
        }
        let device = &self.gpu.device;
        match api!(device.get_query_pool_results(*pool, info.index, &mut results, flags)) {
            Ok(()) | Err(vk::Result::NOT_READY) => Ok(()),
            Err(result) => Err(Error::Driver(self.line, "vkGetQueryPoolResults", result)),
        }
    }
}
