//! Submission, presentation, waits and what the host does with memory.

use std::sync::Arc;

use ash::vk;

use super::{Object, Recording, key::*};

/// A semaphore that a batch waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SemaphoreWait {
    /// The semaphore.
    pub semaphore: SemaphoreKey,
    /// Timeline value; `None` for a binary semaphore.
    pub value: Option<u64>,
    /// Stages that wait.
    pub stages: vk::PipelineStageFlags2,
}

/// A semaphore that a batch signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SemaphoreSignal {
    /// The semaphore.
    pub semaphore: SemaphoreKey,
    /// Timeline value; `None` for a binary semaphore.
    pub value: Option<u64>,
}

/// A submitted command buffer with what it held at that moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Submitted {
    /// The command buffer.
    pub key: CommandsKey,
    /// What it holds; `None` where the layer never saw it recorded.
    pub recording: Option<Arc<Recording>>,
}

/// One batch of a submission.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Batch {
    /// Semaphores waited for.
    pub waits: Vec<SemaphoreWait>,
    /// Command buffers.
    pub commands: Vec<Submitted>,
    /// Semaphores signalled.
    pub signals: Vec<SemaphoreSignal>,
    /// `VkFrameBoundaryEXT` with `FRAME_END` was chained.
    pub frame_end: bool,
}

/// `vkQueueSubmit` or `vkQueueSubmit2`.
#[derive(Clone, Debug, PartialEq)]
pub struct Submit {
    /// The queue.
    pub queue: QueueKey,
    /// Its batches.
    pub batches: Vec<Batch>,
    /// Fence signalled.
    pub fence: Option<FenceKey>,
    /// 1 or 2: which form of the call was used.
    pub version: u8,
}

/// An acquired swapchain image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acquire {
    /// The swapchain.
    pub swapchain: SwapchainKey,
    /// Index of the image.
    pub image: u32,
    /// Semaphore signalled.
    pub signal: Option<SemaphoreKey>,
    /// Fence signalled.
    pub fence: Option<FenceKey>,
}

/// A presented image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Present {
    /// The queue.
    pub queue: QueueKey,
    /// The swapchain.
    pub swapchain: SwapchainKey,
    /// Index of the image.
    pub image: u32,
    /// Semaphores waited for.
    pub waits: Vec<SemaphoreKey>,
    /// Result for this swapchain when it is not plain success.
    pub result: vk::Result,
    /// Measured time since the swapchain was last presented, in nanoseconds.
    pub time_ns: Option<u64>,
}

/// A wait of the host.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Wait {
    /// Fences.
    pub fences: Vec<FenceKey>,
    /// Timeline semaphores and values.
    pub semaphores: Vec<(SemaphoreKey, u64)>,
    /// One of them is enough.
    pub any: bool,
    /// Timeout in nanoseconds; `u64::MAX` waits for ever.
    pub timeout_ns: u64,
    /// Measured time blocked, in nanoseconds.
    pub took_ns: Option<u64>,
}

/// `vkQueueWaitIdle` (a queue) or `vkDeviceWaitIdle` (none).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct WaitIdle {
    /// The queue.
    pub queue: Option<QueueKey>,
    /// Measured time blocked, in nanoseconds.
    pub took_ns: Option<u64>,
}

/// What the host does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostVerb {
    /// `vkMapMemory`.
    Map,
    /// `vkUnmapMemory`.
    Unmap,
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// `vkGetQueryPoolResults`.
    QueryRead,
    /// `vkGetDeviceMemoryCommitment`.
    Commitment,
}

/// An access by the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostAccess {
    /// What it does.
    pub verb: HostVerb,
    /// To which object (memory, image, buffer, query pool).
    pub object: Object,
    /// First query.
    pub index: u32,
    /// Number of queries.
    pub count: u32,
    /// `VK_QUERY_RESULT_WAIT_BIT`.
    pub wait: bool,
    /// Bytes that the driver has committed.
    pub bytes: u64,
    /// Measured time, in nanoseconds.
    pub took_ns: Option<u64>,
}

/// What ends a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum FrameBoundary {
    /// A marker of the test or the recording.
    #[default]
    Marker,
    /// `vkQueuePresentKHR`.
    Present,
    /// The label of an XR runtime.
    Label,
    /// `VkFrameBoundaryEXT`.
    Boundary,
    /// The structure of the submissions repeats.
    Submits,
    /// A rotating target came round again.
    Rotation,
}

impl FrameBoundary {
    /// Returns the word of the listing and the report.
    pub fn word(self) -> &'static str {
        match self {
            Self::Marker => "marker",
            Self::Present => "present",
            Self::Label => "label",
            Self::Boundary => "boundary",
            Self::Submits => "submits",
            Self::Rotation => "rotation",
        }
    }
}
