//! Frames: three in flight, each recorded, submitted and timed.

use ash::vk;

use super::gpu::Gpu;
use super::measure::{counted, time};

/// Frames that are in flight at once.
pub const IN_FLIGHT: usize = 3;
/// Threads of the load with threads, each with a command buffer in a pool of its own.
pub const N_THREADS: usize = 4;

/// What a frame in flight needs.
pub struct Slot {
    pools: [vk::CommandPool; N_THREADS],
    pub buffers: [vk::CommandBuffer; N_THREADS],
    fence: vk::Fence,
}

impl Slot {
    pub fn new(gpu: &Gpu) -> Slot {
        let pools = [(); N_THREADS].map(|()| {
            let info = vk::CommandPoolCreateInfo::default();
            // SAFETY: the info is valid.
            unsafe { gpu.device.create_command_pool(&info, None) }.expect("a pool")
        });
        let buffers = pools.map(|pool| {
            let info =
                vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            // SAFETY: the pool lives.
            unsafe { gpu.device.allocate_command_buffers(&info) }.expect("a command buffer")[0]
        });
        let info = vk::FenceCreateInfo::default().flags(vk::FenceCreateFlags::SIGNALED);
        // SAFETY: the info is valid.
        let fence = unsafe { gpu.device.create_fence(&info, None) }.expect("a fence");
        Slot { pools, buffers, fence }
    }

    /// Waits until its last frame is done, and resets the first `n` pools.
    pub fn begin(&self, gpu: &Gpu, n: usize) {
        let fences = [self.fence];
        // SAFETY: the fence lives.
        unsafe { gpu.device.wait_for_fences(&fences, true, u64::MAX) }.expect("it is reached");
        // SAFETY: nothing that is pending signals it.
        unsafe { gpu.device.reset_fences(&fences) }.expect("it is reset");
        for pool in &self.pools[..n] {
            let none = vk::CommandPoolResetFlags::empty();
            // SAFETY: its command buffers are no longer pending.
            unsafe { gpu.device.reset_command_pool(*pool, none) }.expect("it is reset");
        }
    }

    /// Submits these command buffers, one submission each if `apart`; the last signals the fence.
    pub fn submit(&self, gpu: &Gpu, n: usize, apart: bool) {
        let buffers = &self.buffers[..n];
        let per_submit = if apart { 1 } else { n };
        let mut rest = buffers.chunks(per_submit).peekable();
        while let Some(some) = rest.next() {
            let submits = [vk::SubmitInfo::default().command_buffers(some)];
            let fence = if rest.peek().is_none() { self.fence } else { vk::Fence::null() };
            // SAFETY: the command buffers are recorded and not pending.
            unsafe { gpu.device.queue_submit(gpu.queue, &submits, fence) }.expect("it is taken");
        }
    }

    pub fn destroy(self, gpu: &Gpu) {
        for pool in self.pools {
            // SAFETY: its command buffers are no longer pending.
            unsafe { gpu.device.destroy_command_pool(pool, None) };
        }
        // SAFETY: nothing pending uses it.
        unsafe { gpu.device.destroy_fence(self.fence, None) };
    }
}

/// What an outside counter is to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    Nothing,
    Record,
    Submit,
}

/// Nanoseconds of each frame.
#[derive(Default)]
pub struct Times {
    pub record: Vec<f64>,
    pub submit: Vec<f64>,
}

impl Times {
    /// Records and submits once, as often as the frame has to be, and keeps the times.
    pub fn frame(&mut self, counts: Counted, record: impl FnOnce(), submit: impl FnOnce()) {
        self.record.push(timed(counts == Counted::Record, record));
        self.submit.push(timed(counts == Counted::Submit, submit));
    }

    /// Both together.
    pub fn whole(&self) -> Vec<f64> {
        self.record.iter().zip(&self.submit).map(|(record, submit)| record + submit).collect()
    }
}

fn timed(is_counted: bool, body: impl FnOnce()) -> f64 {
    if !is_counted {
        return time(body);
    }
    let mut body = Some(body);
    time(|| counted(&mut || body.take().into_iter().for_each(|body| body())))
}
