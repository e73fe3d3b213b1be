//! Submission, presentation and waits.

use super::DeviceCapture;
use super::render_pass::stages;
use crate::ffi::read::{View, Views};
use ash::vk::{self, Handle};
use std::ffi::CStr;
use std::sync::Arc;
use std::time::Instant;
use tilelint::call::{
    Acquire, Batch, Call, CommandsKey, FenceKey, FrameBoundary, Present, Recording, SemaphoreKey,
    SemaphoreSignal, SemaphoreWait, Submit, Submitted, SwapchainKey, Wait, WaitIdle,
};

/// The label that XR runtimes end a frame with.
const FRAME_END_LABEL: &[u8] = b"vr-marker,frame_end,type,application";

/// Finds what a submitted command buffer holds.
pub(crate) type SubmittedBuffer<'a> = &'a dyn Fn(vk::CommandBuffer) -> Option<Arc<Recording>>;

fn submitted(buffer: vk::CommandBuffer, find: SubmittedBuffer<'_>) -> Submitted {
    Submitted { key: CommandsKey(buffer.as_raw()), recording: find(buffer) }
}

fn fence_key(fence: vk::Fence) -> Option<FenceKey> {
    (!fence.is_null()).then(|| FenceKey(fence.as_raw()))
}

fn semaphore_key(semaphore: vk::Semaphore) -> Option<SemaphoreKey> {
    (!semaphore.is_null()).then(|| SemaphoreKey(semaphore.as_raw()))
}

/// Says whether a chain ends a frame.
fn ends_frame(boundary: Option<View<'_, vk::FrameBoundaryEXT<'_>>>) -> bool {
    boundary.is_some_and(|info| info.flags.contains(vk::FrameBoundaryFlagsEXT::FRAME_END))
}

impl DeviceCapture {
    /// `vkQueueSubmit`.
    pub(crate) fn submit_1(
        &self,
        queue: vk::Queue,
        submits: Views<'_, vk::SubmitInfo<'_>>,
        fence: vk::Fence,
        find: SubmittedBuffer<'_>,
    ) -> Option<crate::queue::Ticket> {
        let batches = submits.iter().map(|info| self.batch_1(info, find)).collect();
        self.submit(queue, batches, fence, 1)
    }

    /// `vkQueueSubmit2`, either form.
    pub(crate) fn submit_2(
        &self,
        queue: vk::Queue,
        submits: Views<'_, vk::SubmitInfo2<'_>>,
        fence: vk::Fence,
        find: SubmittedBuffer<'_>,
    ) -> Option<crate::queue::Ticket> {
        let batches = submits.iter().map(|info| self.batch_2(info, find)).collect();
        self.submit(queue, batches, fence, 2)
    }

    /// `vkQueueBindSparse`: its semaphores and fence take part in the order of submissions.
    pub(crate) fn bind_sparse(
        &self,
        queue: vk::Queue,
        binds: Views<'_, vk::BindSparseInfo<'_>>,
        fence: vk::Fence,
    ) -> Option<crate::queue::Ticket> {
        let batch = |info: View<'_, vk::BindSparseInfo<'_>>| {
            let values = info.next::<vk::TimelineSemaphoreSubmitInfo<'_>>();
            Batch {
                waits: self.waits_1(info.waits().as_slice(), &[], values),
                commands: Vec::new(),
                signals: self.signals_1(info.signals().as_slice(), values),
                frame_end: ends_frame(info.next()),
            }
        };
        self.submit(queue, binds.iter().map(batch).collect(), fence, 1)
    }

    fn submit(
        &self,
        queue: vk::Queue,
        batches: Vec<Batch>,
        fence: vk::Fence,
        version: u8,
    ) -> Option<crate::queue::Ticket> {
        let queue = self.queue_key(queue);
        let fence = fence_key(fence);
        self.emit_pending(Call::Submit(Box::new(Submit { queue, batches, fence, version })))
    }

    /// `vkAcquireNextImageKHR`, either form; only images that were really given count.
    pub(crate) fn acquire(
        &self,
        swapchain: vk::SwapchainKHR,
        image: u32,
        semaphore: vk::Semaphore,
        fence: vk::Fence,
    ) {
        self.emit(Call::Acquire(Acquire {
            swapchain: SwapchainKey(swapchain.as_raw()),
            image,
            signal: semaphore_key(semaphore),
            fence: fence_key(fence),
        }));
    }

    /// `vkQueuePresentKHR`: one call for each swapchain; the waits belong to the first.
    pub(crate) fn present(
        &self,
        queue: vk::Queue,
        info: View<'_, vk::PresentInfoKHR<'_>>,
    ) -> Vec<crate::queue::Ticket> {
        let mut waits: Vec<_> =
            info.waits().as_slice().iter().map(|wait| SemaphoreKey(wait.as_raw())).collect();
        let swapchains = info.swapchains().as_slice().iter();
        let now = Instant::now();
        let presented = swapchains.zip(info.image_indices().as_slice());
        presented
            .filter_map(|(swapchain, image)| {
                self.emit_pending(Call::Present(Present {
                    queue: self.queue_key(queue),
                    swapchain: SwapchainKey(swapchain.as_raw()),
                    image: *image,
                    waits: std::mem::take(&mut waits),
                    result: vk::Result::SUCCESS,
                    time_ns: self.since_last(*swapchain, now),
                }))
            })
            .collect()
    }

    /// Nanoseconds since a swapchain was last presented.
    fn since_last(&self, swapchain: vk::SwapchainKHR, now: Instant) -> Option<u64> {
        let last = self.presented.lock().insert(swapchain.as_raw(), now)?;
        u64::try_from(now.duration_since(last).as_nanos()).ok()
    }

    /// `vkDestroySwapchainKHR`.
    pub(crate) fn destroy_swapchain(&self, swapchain: vk::SwapchainKHR) {
        self.presented.lock().remove(swapchain.as_raw());
        self.destroy(SwapchainKey(swapchain.as_raw()));
    }

    /// Gives the result of a present. Where it failed for one swapchain only, it counts for all:
    /// a frame that one of them showed is no less a frame. Of several swapchains `pResults`, which
    /// is optional, says which one is suboptimal.
    pub(crate) fn resolve_present(
        &self,
        tickets: Vec<crate::queue::Ticket>,
        result: vk::Result,
        results: &[vk::Result],
    ) {
        let is_only = tickets.len() == 1;
        for (index, ticket) in tickets.into_iter().enumerate() {
            let own = results.get(index).copied().filter(|_| !is_only);
            let all = if is_only || result.as_raw() < 0 { result } else { vk::Result::SUCCESS };
            let own = own.filter(|own| own.as_raw() >= 0 && result.as_raw() >= 0);
            self.resolve(Some(ticket), own.unwrap_or(all));
        }
    }

    /// `vkWaitForFences`, when it did not time out.
    pub(crate) fn wait_fences(
        &self,
        fences: &[vk::Fence],
        all: bool,
        timeout_ns: u64,
        took_ns: u64,
    ) {
        self.emit(Call::Wait(Box::new(Wait {
            fences: fences.iter().map(|fence| FenceKey(fence.as_raw())).collect(),
            semaphores: Vec::new(),
            any: !all && fences.len() > 1,
            timeout_ns,
            took_ns: Some(took_ns),
        })));
    }

    /// `vkWaitSemaphores`, when it did not time out.
    pub(crate) fn wait_semaphores(
        &self,
        info: View<'_, vk::SemaphoreWaitInfo<'_>>,
        timeout_ns: u64,
        took_ns: u64,
    ) {
        let semaphores = info.semaphores().as_slice().iter();
        let pairs = semaphores.zip(info.values().as_slice());
        self.emit(Call::Wait(Box::new(Wait {
            fences: Vec::new(),
            semaphores: pairs
                .map(|(semaphore, value)| (SemaphoreKey(semaphore.as_raw()), *value))
                .collect(),
            any: info.flags.contains(vk::SemaphoreWaitFlags::ANY) && info.semaphore_count > 1,
            timeout_ns,
            took_ns: Some(took_ns),
        })));
    }

    /// `vkSignalSemaphore`.
    pub(crate) fn signal(&self, info: View<'_, vk::SemaphoreSignalInfo<'_>>) {
        self.emit(Call::Signal(SemaphoreKey(info.semaphore.as_raw()), info.value));
    }

    /// `vkResetFences`.
    pub(crate) fn reset_fences(&self, fences: &[vk::Fence]) {
        let keys = fences.iter().map(|fence| FenceKey(fence.as_raw())).collect();
        self.emit(Call::FenceReset(keys));
    }

    /// `vkQueueWaitIdle`, or `vkDeviceWaitIdle` without a queue.
    pub(crate) fn wait_idle(&self, queue: Option<vk::Queue>, took_ns: u64) {
        let queue = queue.map(|queue| self.queue_key(queue));
        self.emit(Call::WaitIdle(WaitIdle { queue, took_ns: Some(took_ns) }));
    }

    /// A single label of a queue; the one that XR runtimes use ends the frame.
    pub(crate) fn queue_label(&self, label: Option<&CStr>) {
        let ends = label.is_some_and(|label| contains(label.to_bytes(), FRAME_END_LABEL));
        if ends {
            self.emit(Call::Frame { by: FrameBoundary::Label, time_ns: None });
        }
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// The batches: a value belongs to a semaphore only if it is a timeline, whatever is written there.
impl DeviceCapture {
    fn timeline_value(&self, semaphore: vk::Semaphore, value: Option<u64>) -> Option<u64> {
        value.filter(|_| self.timelines.lock().get(semaphore.as_raw()).is_some())
    }

    fn waits_1(
        &self,
        semaphores: &[vk::Semaphore],
        wait_stages: &[vk::PipelineStageFlags],
        values: Option<View<'_, vk::TimelineSemaphoreSubmitInfo<'_>>>,
    ) -> Vec<SemaphoreWait> {
        let values = values.map_or(&[][..], |values| values.wait_values().as_slice());
        let wait = |(idx, semaphore): (usize, &vk::Semaphore)| SemaphoreWait {
            semaphore: SemaphoreKey(semaphore.as_raw()),
            value: self.timeline_value(*semaphore, values.get(idx).copied()),
            stages: wait_stages
                .get(idx)
                .map_or(vk::PipelineStageFlags2::ALL_COMMANDS, |mask| stages(*mask)),
        };
        semaphores.iter().enumerate().map(wait).collect()
    }

    fn signals_1(
        &self,
        semaphores: &[vk::Semaphore],
        values: Option<View<'_, vk::TimelineSemaphoreSubmitInfo<'_>>>,
    ) -> Vec<SemaphoreSignal> {
        let values = values.map_or(&[][..], |values| values.signal_values().as_slice());
        let signal = |(idx, semaphore): (usize, &vk::Semaphore)| SemaphoreSignal {
            semaphore: SemaphoreKey(semaphore.as_raw()),
            value: self.timeline_value(*semaphore, values.get(idx).copied()),
        };
        semaphores.iter().enumerate().map(signal).collect()
    }

    fn batch_1(&self, info: View<'_, vk::SubmitInfo<'_>>, find: SubmittedBuffer<'_>) -> Batch {
        let values = info.next::<vk::TimelineSemaphoreSubmitInfo<'_>>();
        Batch {
            waits: self.waits_1(info.waits().as_slice(), info.wait_stages().as_slice(), values),
            commands: info.commands().as_slice().iter().map(|cb| submitted(*cb, find)).collect(),
            signals: self.signals_1(info.signals().as_slice(), values),
            frame_end: ends_frame(info.next()),
        }
    }

    fn batch_2(&self, info: View<'_, vk::SubmitInfo2<'_>>, find: SubmittedBuffer<'_>) -> Batch {
        let wait = |info: &vk::SemaphoreSubmitInfo<'_>| SemaphoreWait {
            semaphore: SemaphoreKey(info.semaphore.as_raw()),
            value: self.timeline_value(info.semaphore, Some(info.value)),
            stages: info.stage_mask,
        };
        let signal = |info: &vk::SemaphoreSubmitInfo<'_>| SemaphoreSignal {
            semaphore: SemaphoreKey(info.semaphore.as_raw()),
            value: self.timeline_value(info.semaphore, Some(info.value)),
        };
        let commands = info.commands().as_slice().iter();
        Batch {
            waits: info.waits().as_slice().iter().map(wait).collect(),
            commands: commands.map(|info| submitted(info.command_buffer, find)).collect(),
            signals: info.signals().as_slice().iter().map(signal).collect(),
            frame_end: ends_frame(info.next()),
        }
    }
}
