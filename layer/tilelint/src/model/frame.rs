//! What happened in a frame, in execution order.

use std::sync::Arc;

use ash::vk;
use rustc_hash::{FxHashMap, FxHashSet};

use super::awaited::Awaited;
use super::objects::{ImageId, Pipeline};
use super::pass::PassShape;
use super::timeline::{Content, Read, StepRef, StoreKey};
use super::variants::VariantCount;
use crate::call::*;

/// What the draws of a pass did to one aspect of an attachment, before anything else did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstUse {
    /// A draw, by index into [`Pass::draws`].
    Draw(u32),
    /// `vkCmdClearAttachments`, by index into [`Pass::clears`].
    Clear(u32),
    /// Something that is not understood.
    Unknown,
}

/// Facts about one aspect of an attachment in one executed pass.
#[derive(Clone, Debug)]
pub struct AspectFacts {
    /// Content before the pass, where all its layers agree; else unknown.
    pub before: Content,
    /// The store to ask the ledger about, where the pass stores.
    pub store: Option<StoreKey>,
    /// A draw may read it: a test, blending or an input read.
    pub read: bool,
    /// A draw may write it.
    pub written: bool,
    /// A clear inside the pass wrote it.
    pub cleared: bool,
    /// A resolve of the pass reads it.
    pub resolved: bool,
    /// First use inside the pass.
    pub first: Option<FirstUse>,
}

impl AspectFacts {
    /// Says whether anything inside the pass touches it.
    pub fn touched(&self) -> bool {
        self.read || self.written || self.cleared || self.resolved
    }
}

/// What a draw may do to the attachments of its subpass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub struct Effect {
    /// Colour attachments written, by position in the subpass.
    pub color_writes: u32,
    /// Colour attachments whose old value counts (blending, partial masks, logic ops).
    pub color_reads: u32,
    /// The depth test compares against the old depth.
    pub depth_reads: bool,
    /// Depth may be written.
    pub depth_writes: bool,
    /// Comparison of the depth test, where it is on.
    pub depth_compare: Option<vk::CompareOp>,
    /// The stencil test or its ops need the old stencil.
    pub stencil_reads: bool,
    /// Stencil may be written.
    pub stencil_writes: bool,
    /// Nothing discards or masks a fragment: every covered pixel gets a new colour.
    pub plain: bool,
    /// The pipeline is not known, so anything may happen.
    pub unknown: bool,
}

/// A draw of a pass.
#[derive(Clone, Debug)]
pub struct DrawFacts {
    /// Subpass.
    pub subpass: u32,
    /// Line in a listing.
    pub line: Line,
    /// The draw.
    pub draw: Draw,
    /// Its pipeline; `None` where unknown.
    pub pipeline: Option<Arc<Pipeline>>,
    /// What it may do.
    pub effect: Effect,
    /// Viewport and scissor at the draw, where known.
    pub scissor: Option<vk::Rect2D>,
    /// Viewport: x, y, width, height.
    pub viewport: Option<[i32; 4]>,
    /// Buffers of vertices are bound and used.
    pub vertex_buffers: bool,
    /// Conditional rendering is on.
    pub conditional: bool,
}

/// A `vkCmdClearAttachments` of a pass.
#[derive(Clone, Debug)]
pub struct ClearFacts {
    /// Subpass.
    pub subpass: u32,
    /// Line in a listing.
    pub line: Line,
    /// The command.
    pub clear: ClearAttachments,
    /// It covers the whole render area and all layers.
    pub covers_area: bool,
    /// Conditional rendering is on.
    pub conditional: bool,
    /// A draw came before it in this pass.
    pub after_draw: bool,
    /// Draws of the pass recorded before it.
    pub draws_before: u32,
}

/// Barriers recorded by one call.
#[derive(Clone, Debug)]
pub struct BarrierFacts {
    /// Subpass, inside a pass.
    pub subpass: u32,
    /// Line in a listing.
    pub line: Line,
    /// The command.
    pub command: BarrierCommand,
    /// It waits for an event rather than standing alone.
    pub event: bool,
    /// The events that it waits for.
    pub events: Vec<EventKey>,
    /// Queue.
    pub queue: QueueKey,
    /// Draws of the pass recorded before it.
    pub draws_before: u32,
    /// Label regions around it.
    pub labels: Vec<Arc<str>>,
    /// Name of the command buffer.
    pub commands: Arc<str>,
}

/// A query command.
#[derive(Clone, Debug)]
pub struct QueryFacts {
    /// Subpass, inside a pass.
    pub subpass: u32,
    /// Line in a listing.
    pub line: Line,
    /// The command.
    pub command: QueryCommand,
    /// Type of the pool's queries.
    pub kind: vk::QueryType,
}

/// A submission.
#[derive(Clone, Debug)]
pub struct SubmitFacts {
    /// Queue.
    pub queue: QueueKey,
    /// What the queue's family can do.
    pub family: QueueInfo,
    /// Which submit call of the frame, from 0; its batches share the number.
    pub call: u32,
    /// Which batch of the call.
    pub batch: u32,
    /// Number of command buffers.
    pub command_buffers: u32,
    /// Semaphores waited for.
    pub waits: Vec<SemaphoreWait>,
    /// Semaphores signalled.
    pub signals: Vec<SemaphoreSignal>,
    /// Fence of the call.
    pub fence: Option<FenceKey>,
    /// It ends a frame (`VkFrameBoundaryEXT`).
    pub frame_end: bool,
    /// 1 or 2: form of the call.
    pub version: u8,
    /// Line in a listing.
    pub line: Line,
}

/// What the host did between calls to queues.
#[derive(Clone, Debug)]
pub enum HostStep {
    /// Waited for fences or semaphores.
    Wait(Wait),
    /// Waited for a queue or the device to be idle.
    WaitIdle(WaitIdle),
    /// Mapped, read or wrote something, or read query results.
    Access(HostAccess),
    /// Acquired a swapchain image.
    Acquire(Acquire, ImageId),
}

/// A command buffer that ran in a frame.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Its name.
    pub name: Arc<str>,
    /// What it held.
    pub recording: Arc<Recording>,
    /// Queue it ran on.
    pub queue: QueueKey,
}

/// An image read by a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageRead {
    /// The image.
    pub image: ImageId,
    /// How.
    pub how: Read,
    /// Subpass, inside a pass.
    pub subpass: u32,
    /// The step that left the content undefined, where all that is read is so.
    pub discarded_by: Option<Arc<StepRef>>,
    /// Stages that may read it, by the set layout; empty where unknown.
    pub stages: vk::ShaderStageFlags,
    /// The shader is known to use the descriptor: a set that is merely bound proves nothing.
    pub certain: bool,
    /// Set and binding of the descriptor, where known.
    pub at: Option<(u32, u32)>,
}

/// An executed pass.
#[derive(Clone, Debug)]
pub struct Pass {
    /// Its form.
    pub shape: Arc<PassShape>,
    /// The step.
    pub step: Arc<StepRef>,
    /// Name to show.
    pub name: Arc<str>,
    /// The application named it.
    pub named: bool,
    /// Pass key.
    pub key: u64,
    /// Variant: the key and everything that decides what it costs.
    pub variant: u64,
    /// Which occurrence of the variant in its frame.
    pub ordinal: u32,
    /// Label regions around it, outermost first.
    pub labels: Vec<Arc<str>>,
    /// How many of them are regions of the queue.
    pub queue_labels: usize,
    /// Name of the command buffer.
    pub commands: Arc<str>,
    /// Facts by attachment and by aspect of its format.
    pub facts: Vec<Vec<AspectFacts>>,
    /// Draws.
    pub draws: Vec<DrawFacts>,
    /// Clears.
    pub clears: Vec<ClearFacts>,
    /// Barriers inside the pass.
    pub barriers: Vec<BarrierFacts>,
    /// Queries and timestamps inside the pass.
    pub queries: Vec<QueryFacts>,
    /// Secondary command buffers that ran inside the pass.
    pub secondaries: u32,
    /// Queue.
    pub queue: QueueKey,
    /// Images read through descriptors.
    pub reads: Vec<ImageRead>,
    /// Images written through descriptors.
    pub writes: Vec<ImageId>,
    /// Buffers that its draws may read: bound, through descriptors or as parameters.
    pub buffers: FxHashSet<BufferKey>,
    /// A descriptor of a storage buffer or storage image is bound: the pass may have side effects.
    pub side_effects: bool,
    /// Number of draws, folded ones counted.
    pub draw_count: u64,
    /// Something in it is not understood (a secondary that the layer never saw).
    pub unknown: bool,
    /// Line in a listing.
    pub line: Line,
}

impl Pass {
    /// Facts about an aspect of an attachment, by index among the format's aspects.
    pub fn aspect(&self, attachment: u32, plane: usize) -> Option<&AspectFacts> {
        self.facts.get(attachment as usize)?.get(plane)
    }

    /// Says whether a descriptor of the pass reads the image.
    pub fn reads_image(&self, image: ImageId) -> bool {
        self.reads.iter().any(|read| read.image == image)
    }
}

/// A transfer or clear command.
#[derive(Clone, Debug)]
pub struct TransferStep {
    /// The step.
    pub step: Arc<StepRef>,
    /// Source image.
    pub from: Option<ImageId>,
    /// Destination image.
    pub to: Option<ImageId>,
    /// Every texel of the source's first mip and all its layers is read.
    pub whole_source: bool,
    /// Every texel of the destination's touched subresources is written.
    pub whole_target: bool,
    /// Who wrote the source last, where all of it agrees.
    pub source: Content,
    /// Label regions around it.
    pub labels: Vec<Arc<str>>,
    /// Name of the command buffer.
    pub commands: Arc<str>,
    /// Queue.
    pub queue: QueueKey,
    /// The command; a clear command is described by its target alone.
    pub transfer: Option<Transfer>,
    /// The clear.
    pub clear: Option<Clear>,
}

/// Something that happened in a frame.
#[derive(Clone, Debug)]
pub enum Step {
    /// A pass.
    Pass(Box<Pass>),
    /// A copy, blit, resolve or clear command.
    Transfer(Box<TransferStep>),
    /// Barriers outside passes.
    Barrier {
        /// The step.
        step: Arc<StepRef>,
        /// The barriers.
        facts: Box<BarrierFacts>,
    },
    /// A query command outside passes.
    Query {
        /// The step.
        step: Arc<StepRef>,
        /// The query.
        facts: Box<QueryFacts>,
    },
    /// An event is set (`true`) or reset.
    Event {
        /// The step.
        step: Arc<StepRef>,
        /// The events.
        events: Vec<EventKey>,
        /// Queue.
        queue: QueueKey,
        /// Set rather than reset.
        set: bool,
    },
    /// A batch of a submission begins: what follows ran in it.
    Submit {
        /// The step.
        step: Arc<StepRef>,
        /// The batch.
        facts: Box<SubmitFacts>,
    },
    /// The host acted, at this point of the order of calls.
    Host {
        /// The step.
        step: Arc<StepRef>,
        /// What it did.
        what: Box<HostStep>,
    },
    /// A dispatch.
    Dispatch {
        /// The step.
        step: Arc<StepRef>,
        /// Queue.
        queue: QueueKey,
        /// The call.
        dispatch: Dispatch,
        /// Images read.
        reads: Vec<ImageRead>,
        /// Images written.
        writes: Vec<ImageId>,
        /// A buffer that it could write may be bound.
        buffers: bool,
        /// Buffers that it may write, where known.
        buffer_writes: Vec<BufferKey>,
        /// Label regions around it.
        labels: Vec<Arc<str>>,
        /// Name of the command buffer.
        commands: Arc<str>,
    },
    /// A present.
    Present {
        /// The step.
        step: Arc<StepRef>,
        /// The image.
        image: ImageId,
        /// Its content.
        content: Content,
        /// The swapchain.
        swapchain: SwapchainKey,
        /// What the call returned for it.
        result: vk::Result,
    },
}

impl Step {
    /// The step's identity.
    pub fn step(&self) -> &Arc<StepRef> {
        match self {
            Self::Pass(pass) => &pass.step,
            Self::Transfer(transfer) => &transfer.step,
            Self::Barrier { step, .. }
            | Self::Query { step, .. }
            | Self::Event { step, .. }
            | Self::Submit { step, .. }
            | Self::Host { step, .. }
            | Self::Dispatch { step, .. }
            | Self::Present { step, .. } => step,
        }
    }

    /// The queue that it ran on; `None` where it is the host's, or not known.
    pub fn queue(&self) -> Option<QueueKey> {
        match self {
            Self::Pass(pass) => Some(pass.queue),
            Self::Transfer(transfer) => Some(transfer.queue),
            Self::Barrier { facts, .. } => Some(facts.queue),
            Self::Submit { facts, .. } => Some(facts.queue),
            Self::Event { queue, .. } | Self::Dispatch { queue, .. } => Some(*queue),
            Self::Query { .. } | Self::Host { .. } | Self::Present { .. } => None,
        }
    }

    /// Position in the frame.
    pub fn index(&self) -> u32 {
        self.step().index
    }
}

/// A frame.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Number.
    pub index: u64,
    /// What ended it.
    pub by: FrameBoundary,
    /// It is like those before it.
    pub steady: bool,
    /// What happened, in execution order.
    pub steps: Vec<Step>,
    /// The steps are in the order of their positions, as all are but passes that were suspended.
    pub in_order: bool,
    /// Command buffers that ran, in execution order.
    pub ran: Vec<Ran>,
    /// Measured time since the boundary before, in nanoseconds.
    pub time_ns: Option<u64>,
    /// Waits of the host for submissions.
    pub awaited: Vec<Awaited>,
    /// Images that commands which are not understood may touch; `None`: any.
    pub opaque: Vec<Option<Vec<ImageId>>>,
    /// Objects made in the frame, by kind.
    pub made: Vec<(Kind, u32)>,
    /// Objects destroyed in the frame, by kind.
    pub destroyed: Vec<(Kind, u32)>,
    /// Lines of a listing in which objects are made (`true`) or destroyed.
    pub object_lines: Vec<(Kind, bool, Line)>,
    /// Objects made in this frame and each of those before it that a verdict takes: the least
    /// number, by kind.
    pub kept_making: Vec<(Kind, u32)>,
    /// The same of objects destroyed.
    pub kept_destroying: Vec<(Kind, u32)>,
    /// Pass variants that the device forgot when the frame ended, with their counts.
    pub forgotten: FxHashMap<u64, VariantCount>,
}
