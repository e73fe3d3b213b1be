//! What is recorded into a command buffer.

use std::sync::Arc;

use ash::vk;

use super::{Barrier, Contents, List, PassBegin, Recording, SubresourceRange, WriteInfo, key::*};

/// How a draw gets its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum DrawKind {
    /// `vkCmdDraw`.
    #[default]
    Direct,
    /// `vkCmdDrawIndexed`.
    Indexed,
    /// `vkCmdDrawIndirect`.
    Indirect,
    /// `vkCmdDrawIndexedIndirect`.
    IndexedIndirect,
    /// `vkCmdDraw*IndirectCount`.
    IndirectCount,
    /// `vkCmdDrawMulti*EXT`.
    Multi,
    /// `vkCmdDrawMeshTasks*`.
    Mesh,
    /// `vkCmdDrawIndirectByteCountEXT`.
    TransformFeedback,
}

/// A draw, or several equal ones with no state change between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// Kind.
    pub kind: DrawKind,
    /// Vertices or indices of the first draw; 0 where the device decides.
    pub vertices: u32,
    /// Instances.
    pub instances: u32,
    /// Draws of one call (`drawCount`; its maximum for count buffers).
    pub draw_count: u32,
    /// How many calls were folded into this one.
    pub times: u32,
    /// Vertices of all folded calls.
    pub total_vertices: u64,
    /// Buffer of an indirect draw.
    pub buffer: BufferKey,
}

/// A dispatch, or several equal ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// Work groups; zeros for an indirect one.
    pub groups: [u32; 3],
    /// Indirect.
    pub indirect: bool,
    /// How many calls were folded into this one.
    pub times: u32,
}

/// A set of barriers recorded by one call.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct BarrierCommand {
    /// Barriers.
    pub barriers: Vec<Barrier>,
    /// Dependency flags.
    pub flags: vk::DependencyFlags,
    /// 1 or 2: which form of the call was used.
    pub version: u8,
}

impl BarrierCommand {
    /// Makes it one without barriers, keeping the memory of its list.
    pub(super) fn empty(&mut self) {
        let mut barriers = std::mem::take(&mut self.barriers);
        barriers.clear();
        *self = Self { barriers, ..Self::default() };
    }
}

/// Event set, wait or reset.
#[derive(Clone, Debug, PartialEq)]
pub struct EventCommand {
    /// The events.
    pub events: Vec<EventKey>,
    /// The barriers that go with it, and for a set or reset without any, its stages.
    pub barriers: BarrierCommand,
    /// Stages of a set or reset in the older form.
    pub stages: vk::PipelineStageFlags2,
}

/// Which part of which image a transfer touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Mip level.
    pub mip: u32,
    /// First layer.
    pub base_layer: u32,
    /// Layers; `REMAINING_ARRAY_LAYERS` for all that follow.
    pub layers: u32,
    /// Aspects; empty means all.
    pub aspects: vk::ImageAspectFlags,
    /// First texel.
    pub offset: [i32; 3],
    /// Extent; zeros mean the whole subresource.
    pub extent: [u32; 3],
}

/// One end of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferEnd {
    /// An image in a layout.
    Image(ImageKey, vk::ImageLayout),
    /// A buffer.
    Buffer(BufferKey),
}

/// Copy, blit or resolve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TransferKind {
    /// `vkCmdCopy*`.
    Copy,
    /// `vkCmdBlitImage`.
    Blit,
    /// `vkCmdResolveImage`.
    Resolve,
}

/// A transfer command.
#[derive(Clone, Debug, PartialEq)]
pub struct Transfer {
    /// What kind.
    pub kind: TransferKind,
    /// Source.
    pub from: TransferEnd,
    /// Destination.
    pub to: TransferEnd,
    /// Regions: of the source and of the destination (an end that is a buffer repeats the other).
    pub regions: Vec<(Region, Region)>,
    /// 1 or 2: which form of the call was used.
    pub version: u8,
}

/// `vkCmdClearColorImage` or `vkCmdClearDepthStencilImage`.
#[derive(Clone, Debug, PartialEq)]
pub struct Clear {
    /// The image.
    pub image: ImageKey,
    /// Its layout.
    pub layout: vk::ImageLayout,
    /// Ranges; `REMAINING_*` allowed.
    pub ranges: Vec<SubresourceRange>,
    /// Value as raw words.
    pub value: [u32; 4],
}

/// One rectangle of `vkCmdClearAttachments`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClearRect {
    /// Rectangle.
    pub rect: vk::Rect2D,
    /// First layer of the attachments.
    pub base_layer: u32,
    /// Layers.
    pub layers: u32,
}

/// `vkCmdClearAttachments`.
#[derive(Clone, Debug, PartialEq)]
pub struct ClearAttachments {
    /// Aspects, colour attachment index (for colour), value as raw words.
    pub attachments: Vec<(vk::ImageAspectFlags, u32, [u32; 4])>,
    /// Rectangles.
    pub rects: Vec<ClearRect>,
}

/// A push of descriptors.
#[derive(Clone, Debug, PartialEq)]
pub struct PushSet {
    /// Bind point.
    pub point: vk::PipelineBindPoint,
    /// Pipeline layout.
    pub layout: PipelineLayoutKey,
    /// Set number.
    pub set: u32,
    /// The writes; their own set key is meaningless.
    pub writes: Vec<WriteInfo>,
}

/// One piece of dynamic state. Values that no rule reads are `Other`.
#[derive(Clone, Debug, PartialEq)]
pub enum DynamicState {
    /// First viewport: x, y, width, height in texels, rounded.
    Viewport([i32; 4]),
    /// First scissor.
    Scissor(vk::Rect2D),
    /// Depth test.
    DepthTest(bool),
    /// Depth write.
    DepthWrite(bool),
    /// Depth comparison.
    DepthCompare(vk::CompareOp),
    /// Depth bounds test.
    DepthBounds(bool),
    /// Stencil test.
    StencilTest(bool),
    /// Stencil write mask.
    StencilWriteMask(vk::StencilFaceFlags, u32),
    /// Stencil ops: faces, fail, pass, depth fail, compare.
    StencilOp(vk::StencilFaceFlags, vk::StencilOp, vk::StencilOp, vk::StencilOp, vk::CompareOp),
    /// Blending of colour attachments from an index.
    BlendEnable(u32, Vec<bool>),
    /// Write masks of colour attachments from an index.
    WriteMask(u32, Vec<vk::ColorComponentFlags>),
    /// Colour writes enabled or not, by attachment.
    ColorWriteEnable(Vec<bool>),
    /// Logic op on or off.
    LogicOpEnable(bool),
    /// Rasterizer discard.
    RasterizerDiscard(bool),
    /// Primitive topology.
    Topology(vk::PrimitiveTopology),
    /// Rasterisation samples.
    Samples(u32),
    /// `vkCmdSetRenderingAttachmentLocations`.
    ColorLocations(Vec<u32>),
    /// `vkCmdSetRenderingInputAttachmentIndices`.
    InputIndices(Vec<u32>),
    /// Any other state: the command's name and a hash of its value.
    Other(&'static str, u64),
}

/// Query commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueryVerb {
    /// `vkCmdBeginQuery`.
    Begin,
    /// `vkCmdEndQuery`.
    End,
    /// `vkCmdResetQueryPool`.
    Reset,
    /// `vkCmdCopyQueryPoolResults`.
    Copy,
    /// `vkCmdWriteTimestamp`.
    Timestamp,
}

/// A query command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryCommand {
    /// Which.
    pub verb: QueryVerb,
    /// The pool.
    pub pool: QueryPoolKey,
    /// First query.
    pub index: u32,
    /// Queries.
    pub count: u32,
    /// Stage of a timestamp.
    pub stage: vk::PipelineStageFlags2,
    /// Destination of a copy.
    pub to: BufferKey,
    /// 1 or 2: which form of the call was used.
    pub version: u8,
}

/// A label command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Label {
    /// A region begins.
    Begin(Box<str>),
    /// A region ends.
    End,
    /// A single label.
    Insert(Box<str>),
}

/// A secondary command buffer that was executed.
#[derive(Clone, Debug, PartialEq)]
pub struct Executed {
    /// The command buffer; `None` where the layer never saw it.
    pub key: Option<CommandsKey>,
    /// What it held.
    pub recording: Option<Arc<Recording>>,
}

/// A command the layer does not understand, and what it may touch.
#[derive(Clone, Debug, PartialEq)]
pub struct Opaque {
    /// The command's name.
    pub name: Box<str>,
    /// Images it may touch; `None`: any.
    pub images: Option<Vec<ImageKey>>,
    /// Buffers it may touch; `None`: any.
    pub buffers: Option<Vec<BufferKey>>,
}

/// A recorded command.
#[expect(missing_docs, reason = "fields are named after the call's parameters")]
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Begin of a render pass or rendering instance.
    BeginPass(Box<PassBegin>),
    /// `vkCmdNextSubpass`.
    NextSubpass(Contents),
    /// End of the pass.
    EndPass,
    /// Barriers.
    Barrier(Box<BarrierCommand>),
    /// An event is set.
    EventSet(Box<EventCommand>),
    /// Events are waited for.
    EventWait(Box<EventCommand>),
    /// An event is reset.
    EventReset(Box<EventCommand>),
    /// `vkCmdBindPipeline`.
    BindPipeline { point: vk::PipelineBindPoint, pipeline: PipelineKey },
    /// `vkCmdBindShadersEXT`: keys of the shaders.
    BindShaders(List),
    /// `vkCmdBindDescriptorSets`: keys of the sets, then dynamic offsets.
    BindSets {
        point: vk::PipelineBindPoint,
        layout: PipelineLayoutKey,
        first: u32,
        sets: List,
        offsets: List,
    },
    /// Push descriptors.
    PushSet(Box<PushSet>),
    /// `vkCmdBindVertexBuffers`: key and offset of each buffer, in turn; hash of the sizes and
    /// strides of the newer form, 0 where it has none.
    BindVertex { first: u32, buffers: List, strides: u64 },
    /// `vkCmdBindIndexBuffer`.
    BindIndex { buffer: BufferKey, offset: u64, kind: vk::IndexType },
    /// `vkCmdPushConstants`: hash of the bytes tells repeats.
    PushConstants { layout: PipelineLayoutKey, offset: u32, size: u32, hash: u64 },
    /// Dynamic state.
    Set(DynamicState),
    /// A draw.
    Draw(Draw),
    /// A dispatch.
    Dispatch(Dispatch),
    /// `vkCmdClearAttachments`.
    ClearAttachments(Box<ClearAttachments>),
    /// A clear of image ranges.
    Clear(Box<Clear>),
    /// Copy, blit or resolve.
    Transfer(Box<Transfer>),
    /// A query command.
    Query(Box<QueryCommand>),
    /// A label.
    Label(Label),
    /// Secondary command buffers.
    Execute(Vec<Executed>),
    /// Conditional rendering begins.
    ConditionalBegin { buffer: BufferKey, offset: u64 },
    /// Conditional rendering ends.
    ConditionalEnd,
    /// A command that is not understood.
    Opaque(Box<Opaque>),
}

impl Command {
    /// Says whether it is one of the many that keep nothing outside themselves.
    #[inline]
    pub(super) fn is_hot(&self) -> bool {
        matches!(
            self,
            Command::BindPipeline { .. }
                | Command::BindSets { .. }
                | Command::BindVertex { .. }
                | Command::BindIndex { .. }
                | Command::PushConstants { .. }
                | Command::Set(_)
                | Command::Draw(_)
                | Command::Dispatch(_)
        )
    }

    /// Bytes that it keeps outside itself, about.
    #[inline(never)]
    pub(super) fn outside(&self) -> usize {
        let barriers = |command: &BarrierCommand| size_of_val(command.barriers.as_slice());
        match self {
            Command::BeginPass(begin) => {
                let clears = size_of_val(begin.clears.as_slice());
                // As much for the attachments of the newer form.
                size_of::<PassBegin>() + 2 * clears
            }
            Command::Barrier(command) => size_of::<BarrierCommand>() + barriers(command),
            Command::EventSet(command)
            | Command::EventWait(command)
            | Command::EventReset(command) => {
                size_of::<EventCommand>() + barriers(&command.barriers)
            }
            Command::PushSet(set) => {
                let descriptors = set.writes.iter().map(|w| size_of_val(w.descriptors.as_slice()));
                let writes = size_of_val(set.writes.as_slice());
                size_of::<PushSet>() + writes + descriptors.sum::<usize>()
            }
            Command::ClearAttachments(clear) => {
                let rects = size_of_val(clear.rects.as_slice());
                size_of::<ClearAttachments>() + size_of_val(clear.attachments.as_slice()) + rects
            }
            Command::Clear(clear) => size_of::<Clear>() + size_of_val(clear.ranges.as_slice()),
            Command::Transfer(transfer) => {
                size_of::<Transfer>() + size_of_val(transfer.regions.as_slice())
            }
            Command::Query(_) => size_of::<QueryCommand>(),
            Command::Label(Label::Begin(text) | Label::Insert(text)) => text.len(),
            Command::Execute(executed) => size_of_val(executed.as_slice()),
            Command::Opaque(opaque) => size_of::<Opaque>() + opaque.name.len(),
            _ => 0,
        }
    }
}

// Recordings are long: a command that needs more keeps it elsewhere.
const _: () = assert!(size_of::<Command>() <= 40);
