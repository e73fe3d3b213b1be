//! What the application asked for, owned and normalised.
//!
//! A program is a sequence of [`Entry`] values: object creation and destruction, submissions,
//! waits and presents, in the order in which they happened. What is recorded into a command
//! buffer is a [`Recording`] of [`Command`]s, carried by `Arc` once it is complete.
//!
//! The layer makes these values from live Vulkan calls, the listing parser from text; everything
//! behind them is the same code. Keys are the driver's handle values (live) or interned names (a
//! listing); like handles, a key may be used again once its object is destroyed.

mod command;
mod key;
pub mod listing;
mod needs;
mod object;
mod pass;
mod queue;
mod recording;
mod spares;
mod viewport;

pub use command::{
    BarrierCommand, Clear, ClearAttachments, ClearRect, Command, Dispatch, Draw, DrawKind,
    DynamicState, EventCommand, Executed, Label, Opaque, PushSet, QueryCommand, QueryVerb, Region,
    Transfer, TransferEnd, TransferKind,
};
pub use key::*;
pub use needs::Needs;
pub use object::{
    BindInfo, BlendState, BufferInfo, Descriptor, DescriptorBinding, DeviceInfo, ImageInfo,
    ImageOrigin, MemoryInfo, MemoryKind, PipelineInfo, PipelineLayoutInfo, QueryPoolInfo,
    QueueInfo, SamplerInfo, SemaphoreInfo, SetInfo, SetLayoutInfo, ShaderInfo, StencilFace,
    SwapchainInfo, ViewInfo, WriteInfo, WriteVia,
};
pub use pass::{
    AttachmentDescription, AttachmentReference, AttachmentResolve, Barrier, BarrierTarget,
    Contents, Dependency, FramebufferAttachment, FramebufferInfo, MergeFeedback, PassBegin,
    PassTarget, RenderPassInfo, Rendering, RenderingAttachment, RenderingRole, SUBPASS_EXTERNAL,
    SubpassDescription, SubresourceRange, Via,
};
pub use queue::{
    Acquire, Batch, FrameBoundary, HostAccess, HostVerb, Present, SemaphoreSignal, SemaphoreWait,
    Submit, Submitted, Wait, WaitIdle,
};
pub use recording::{Commands, List, Recording};
pub use spares::{Home, Room, Spares};
pub use viewport::whole_texels;

use std::sync::Arc;

use ash::vk;

/// Line number in a listing, from 1; 0 where the call did not come from one.
///
/// Two calls that differ only in where they were written are the same call, so lines always
/// compare equal.
#[derive(Clone, Copy, Debug, Default, Eq)]
pub struct Line(pub u32);

impl PartialEq for Line {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// One call at the top level, with the device it belongs to.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The device the call was made on.
    pub device: DeviceKey,
    /// The call.
    pub call: Call,
    /// Name of the object that the call makes: the identifier or `name="…"` in a listing.
    pub name: Option<Box<str>>,
    /// The call failed with this and made nothing.
    pub failed: Option<vk::Result>,
    /// Keys written as `?`: the layer could not know them, so rules stay silent on them.
    pub unknown: Vec<&'static str>,
    /// Where the listing says so.
    pub line: Line,
}

impl Entry {
    /// Returns an entry for a successful, fully known call.
    pub fn new(device: DeviceKey, call: Call) -> Self {
        Self { device, call, name: None, failed: None, unknown: Vec::new(), line: Line(0) }
    }
}

/// A call outside command buffers.
#[expect(missing_docs, reason = "fields are named after the call's parameters")]
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// A device was made; its key is the entry's device.
    Device(Box<DeviceInfo>),
    /// A memory type of the device: index, property flags, heap size in bytes.
    MemoryType { index: u32, flags: vk::MemoryPropertyFlags, heap_size: u64 },
    /// A queue of the device became known.
    Queue(QueueKey, QueueInfo),
    /// `vkCreateImage`, or an image that the application did not make.
    Image(ImageKey, Box<ImageInfo>),
    /// `vkAllocateMemory`.
    Memory(MemoryKey, MemoryInfo),
    /// `vkBindImageMemory`.
    Bind(ImageKey, BindInfo),
    /// `vkBindBufferMemory`.
    BindBuffer(BufferKey, BindInfo),
    /// `vkCreateImageView`.
    View(ViewKey, ViewInfo),
    /// `vkCreateBuffer`.
    Buffer(BufferKey, BufferInfo),
    /// `vkCreateSampler`.
    Sampler(SamplerKey, SamplerInfo),
    /// `vkCreateSwapchainKHR` together with the images it holds.
    Swapchain(SwapchainKey, Box<SwapchainInfo>),
    /// `vkCreateRenderPass` or `vkCreateRenderPass2`.
    RenderPass(RenderPassKey, Arc<RenderPassInfo>),
    /// `vkCreateFramebuffer`.
    Framebuffer(FramebufferKey, Box<FramebufferInfo>),
    /// `vkCreateShaderModule` or `vkCreateShadersEXT`.
    Shader(ShaderKey, Box<ShaderInfo>),
    /// `vkCreateDescriptorSetLayout`.
    SetLayout(SetLayoutKey, Box<SetLayoutInfo>),
    /// `vkCreatePipelineLayout`.
    PipelineLayout(PipelineLayoutKey, PipelineLayoutInfo),
    /// `vkAllocateDescriptorSets`, one set.
    Set(SetKey, SetInfo),
    /// A write of consecutive descriptors of one binding.
    Write(Box<WriteInfo>),
    /// `vkCreateGraphicsPipelines` or `vkCreateComputePipelines`, one pipeline.
    Pipeline(PipelineKey, Box<PipelineInfo>),
    /// `vkCreateSemaphore`.
    Semaphore(SemaphoreKey, SemaphoreInfo),
    /// `vkCreateFence`.
    Fence(FenceKey, bool),
    /// `vkCreateEvent`.
    Event(EventKey),
    /// `vkCreateQueryPool`.
    QueryPool(QueryPoolKey, QueryPoolInfo),
    /// `vkSetDebugUtilsObjectNameEXT` or `vkDebugMarkerSetObjectNameEXT`.
    Name(Object, Box<str>),
    /// Destruction or freeing; queued before the driver is called.
    Destroy(Object),
    /// `vkResetFences`.
    FenceReset(Vec<FenceKey>),
    /// A command buffer finished recording.
    Commands(CommandsKey, Arc<Recording>),
    /// `vkResetCommandBuffer`, also through its pool.
    Reset(CommandsKey),
    /// `vkQueueSubmit` or `vkQueueSubmit2`, all its batches.
    Submit(Box<Submit>),
    /// `vkAcquireNextImageKHR`.
    Acquire(Acquire),
    /// `vkQueuePresentKHR`, one swapchain.
    Present(Present),
    /// `vkWaitForFences` or `vkWaitSemaphores`.
    Wait(Box<Wait>),
    /// `vkSignalSemaphore`: a timeline value set by the host.
    Signal(SemaphoreKey, u64),
    /// `vkDeviceWaitIdle` or `vkQueueWaitIdle`.
    WaitIdle(WaitIdle),
    /// The host maps, unmaps, reads or writes memory, a resource or query results.
    Host(Box<HostAccess>),
    /// A label region of a queue begins (`Some`) or ends (`None`).
    QueueLabel { queue: QueueKey, text: Option<Box<str>> },
    /// A frame ends here.
    Frame { by: FrameBoundary, time_ns: Option<u64> },
}

impl Call {
    /// Bytes of memory that it holds elsewhere, about. Code that another shader holds as well is
    /// that one's.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Device(_) => size_of::<DeviceInfo>(),
            Self::Image(..) => size_of::<ImageInfo>(),
            Self::Swapchain(..) => size_of::<SwapchainInfo>(),
            Self::RenderPass(_, info) => {
                let subpasses = info.subpasses.iter().map(|subpass| {
                    let lists = [&subpass.color, &subpass.input, &subpass.resolve];
                    lists.into_iter().map(|list| size_of_val(list.as_slice())).sum::<usize>()
                });
                size_of::<RenderPassInfo>()
                    + size_of_val(info.attachments.as_slice())
                    + size_of_val(info.subpasses.as_slice())
                    + size_of_val(info.dependencies.as_slice())
                    + subpasses.sum::<usize>()
            }
            Self::Framebuffer(_, info) => {
                size_of::<FramebufferInfo>() + size_of_val(info.views.as_slice())
            }
            Self::Shader(_, info) => {
                let code = info.code.as_ref().filter(|code| Arc::strong_count(code) == 1);
                size_of::<ShaderInfo>() + code.map_or(0, |code| size_of_val(&**code))
            }
            Self::SetLayout(_, info) => {
                size_of::<SetLayoutInfo>() + size_of_val(info.bindings.as_slice())
            }
            Self::PipelineLayout(_, info) => size_of_val(info.sets.as_slice()),
            Self::Write(write) => {
                size_of::<WriteInfo>() + size_of_val(write.descriptors.as_slice())
            }
            Self::Pipeline(_, info) => {
                size_of::<PipelineInfo>()
                    + size_of_val(info.shaders.as_slice())
                    + size_of_val(info.formats.as_slice())
                    + size_of_val(info.blend.as_slice())
                    + size_of_val(info.dynamic.as_slice())
            }
            Self::Name(_, text) => text.len(),
            Self::FenceReset(fences) => size_of_val(fences.as_slice()),
            Self::Commands(_, recording) => recording.bytes(),
            Self::Submit(submit) => {
                let batches = submit.batches.iter().map(|batch| {
                    size_of_val(batch.waits.as_slice())
                        + size_of_val(batch.commands.as_slice())
                        + size_of_val(batch.signals.as_slice())
                });
                size_of::<Submit>()
                    + size_of_val(submit.batches.as_slice())
                    + batches.sum::<usize>()
            }
            Self::Wait(wait) => {
                size_of::<Wait>()
                    + size_of_val(wait.fences.as_slice())
                    + size_of_val(wait.semaphores.as_slice())
            }
            Self::Host(_) => size_of::<HostAccess>(),
            _ => 0,
        }
    }
}
