//! What is recorded into a command buffer.

use std::sync::Arc;

use ash::vk;

use super::{Barrier, Contents, Line, PassBegin, SubresourceRange, WriteInfo, key::*};

/// A run of words kept in [`Recording::words`]: lists of hot commands live there, so that
/// recording one allocates nothing in the steady state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct List {
    start: u32,
    len: u32,
}

impl List {
    /// Number of words.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Says whether there are none.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

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
    Set(Box<DynamicState>),
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

/// What one command buffer holds.
///
/// While it is being recorded, only the recording thread touches it (Vulkan synchronises command
/// buffers externally); once complete it is immutable and shared by `Arc`. Where its commands were
/// written, and how many it could keep, makes no difference between two recordings.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// A secondary command buffer.
    pub secondary: bool,
    /// Usage flags of `vkBeginCommandBuffer`.
    pub usage: vk::CommandBufferUsageFlags,
    /// Render pass, subpass and framebuffer that a secondary inherits.
    pub inherits: Option<(Option<RenderPassKey>, u32, Option<FramebufferKey>)>,
    /// Colour, depth and stencil formats that a secondary inherits from dynamic rendering.
    pub inherited_formats: Vec<vk::Format>,
    /// Samples that a secondary inherits from dynamic rendering.
    pub inherited_samples: u32,
    /// View mask that a secondary inherits from dynamic rendering.
    pub inherited_views: u32,
    /// Flags that a secondary inherits from dynamic rendering.
    pub inherited_flags: vk::RenderingFlags,
    /// Commands.
    pub commands: Vec<Command>,
    /// Line of each command in a listing; empty in a live program.
    pub lines: Vec<Line>,
    words: Vec<u64>,
    limit: usize,
    /// Commands left out because the limit was reached.
    pub left_out: u64,
}

impl PartialEq for Recording {
    fn eq(&self, other: &Self) -> bool {
        self.secondary == other.secondary
            && self.usage == other.usage
            && self.inherits == other.inherits
            && self.inherited_formats == other.inherited_formats
            && self.inherited_samples == other.inherited_samples
            && self.inherited_views == other.inherited_views
            && self.inherited_flags == other.inherited_flags
            && self.commands == other.commands
            && self.words == other.words
            && self.left_out == other.left_out
    }
}

impl Recording {
    /// Returns an empty recording that keeps at most `limit` commands (0: no limit).
    pub fn with_limit(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Empties it for reuse, keeping its memory.
    pub fn clear(&mut self) {
        let limit = self.limit;
        let mut commands = std::mem::take(&mut self.commands);
        let mut words = std::mem::take(&mut self.words);
        commands.clear();
        words.clear();
        *self = Self { commands, words, limit, ..Self::default() };
    }

    /// Appends a command.
    pub fn push(&mut self, command: Command) {
        if self.limit != 0 && self.commands.len() >= self.limit {
            self.left_out += 1;
        } else {
            self.commands.push(command);
        }
    }

    /// Keeps words for a hot command and returns where they are.
    pub fn list(&mut self, words: impl IntoIterator<Item = u64>) -> List {
        let start = self.words.len();
        self.words.extend(words);
        List { start: start as u32, len: (self.words.len() - start) as u32 }
    }

    /// Returns the words of a list of this recording.
    pub fn words(&self, list: List) -> &[u64] {
        let start = list.start as usize;
        self.words.get(start..start + list.len as usize).unwrap_or(&[])
    }

    /// Appends a draw, folding it into the command before where only the vertices differ.
    pub fn draw(&mut self, draw: Draw) {
        if let Some(Command::Draw(last)) = self.commands.last_mut()
            && last.kind == draw.kind
            && last.instances == draw.instances
            && last.draw_count == draw.draw_count
            && last.buffer == draw.buffer
        {
            last.times = last.times.saturating_add(draw.times);
            last.total_vertices = last.total_vertices.saturating_add(draw.total_vertices);
            return;
        }
        self.push(Command::Draw(draw));
    }

    /// Appends a dispatch, folding it into an equal one before it.
    pub fn dispatch(&mut self, dispatch: Dispatch) {
        if let Some(Command::Dispatch(last)) = self.commands.last_mut()
            && last.groups == dispatch.groups
            && last.indirect == dispatch.indirect
        {
            last.times = last.times.saturating_add(dispatch.times);
            return;
        }
        self.push(Command::Dispatch(dispatch));
    }
}
