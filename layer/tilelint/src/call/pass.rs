//! Render passes, framebuffers, dynamic rendering and barriers, as they were asked for.

use ash::vk;

use super::{Line, key::*};

/// `VK_SUBPASS_EXTERNAL`.
pub const SUBPASS_EXTERNAL: u32 = vk::SUBPASS_EXTERNAL;

/// Which form of the call was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Via {
    /// `vkCreateRenderPass`.
    Rp1,
    /// `vkCreateRenderPass2`.
    #[default]
    Rp2,
    /// `vkCmdBeginRendering`.
    Dynamic,
}

/// An attachment of a render pass object. Ops are `None` where the layer could not know them.
#[derive(Clone, Debug, PartialEq)]
pub struct AttachmentDescription {
    /// Label in a listing; empty in a live program.
    pub label: Box<str>,
    /// Format.
    pub format: vk::Format,
    /// Samples.
    pub samples: u32,
    /// `loadOp`: colour, or depth.
    pub load: Option<vk::AttachmentLoadOp>,
    /// `storeOp`: colour, or depth.
    pub store: Option<vk::AttachmentStoreOp>,
    /// `stencilLoadOp`.
    pub stencil_load: Option<vk::AttachmentLoadOp>,
    /// `stencilStoreOp`.
    pub stencil_store: Option<vk::AttachmentStoreOp>,
    /// `initialLayout`.
    pub initial: vk::ImageLayout,
    /// `finalLayout`.
    pub final_: vk::ImageLayout,
    /// `VkAttachmentDescriptionStencilLayout`, where chained: initial and final.
    pub stencil_layouts: Option<[vk::ImageLayout; 2]>,
    /// Flags.
    pub flags: vk::AttachmentDescriptionFlags,
    /// Line in a listing.
    pub line: Line,
}

/// A reference from a subpass to an attachment; `UNUSED` references are `None` where they stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttachmentReference {
    /// Index of the attachment.
    pub attachment: u32,
    /// Layout in the subpass.
    pub layout: vk::ImageLayout,
    /// Aspects (input attachments); empty means all.
    pub aspects: vk::ImageAspectFlags,
}

/// Depth/stencil resolve of a subpass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttachmentResolve {
    /// The target.
    pub target: AttachmentReference,
    /// Mode for depth.
    pub depth_mode: vk::ResolveModeFlags,
    /// Mode for stencil.
    pub stencil_mode: vk::ResolveModeFlags,
}

/// What the driver says of a subpass: `VkRenderPassSubpassFeedbackInfoEXT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeFeedback {
    /// Whether it shares a visit to the tiles with the subpass before it, and if not, why.
    pub status: vk::SubpassMergeStatusEXT,
    /// Index of the visit.
    pub index: u32,
    /// The driver's own words.
    pub text: Box<str>,
}

/// A subpass. Lists keep their holes, so that positions are those of the API.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SubpassDescription {
    /// Label in a listing; empty in a live program.
    pub label: Box<str>,
    /// Colour attachments.
    pub color: Vec<Option<AttachmentReference>>,
    /// Input attachments.
    pub input: Vec<Option<AttachmentReference>>,
    /// Resolve targets, parallel to `color`; empty where the pointer was NULL.
    pub resolve: Vec<Option<AttachmentReference>>,
    /// Depth/stencil attachment.
    pub depth: Option<AttachmentReference>,
    /// Depth/stencil resolve.
    pub depth_resolve: Option<AttachmentResolve>,
    /// Preserved attachments.
    pub preserve: Vec<u32>,
    /// Fragment shading rate attachment.
    pub shading_rate: Option<AttachmentReference>,
    /// View mask; 0 without multiview.
    pub view_mask: u32,
    /// Flags.
    pub flags: vk::SubpassDescriptionFlags,
    /// What the driver says of it; `None` where it was not asked.
    pub merge: Option<MergeFeedback>,
    /// Line in a listing.
    pub line: Line,
}

/// A subpass dependency, stages and accesses widened to 64 bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Dependency {
    /// Source subpass or [`SUBPASS_EXTERNAL`].
    pub src: u32,
    /// Destination subpass or [`SUBPASS_EXTERNAL`].
    pub dst: u32,
    /// Source stages.
    pub src_stage: vk::PipelineStageFlags2,
    /// Destination stages.
    pub dst_stage: vk::PipelineStageFlags2,
    /// Source accesses.
    pub src_access: vk::AccessFlags2,
    /// Destination accesses.
    pub dst_access: vk::AccessFlags2,
    /// Flags.
    pub flags: vk::DependencyFlags,
    /// View offset.
    pub view_offset: i32,
    /// A chained `VkMemoryBarrier2` gave the masks.
    pub masks_64: bool,
    /// Line in a listing.
    pub line: Line,
}

/// A render pass object.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RenderPassInfo {
    /// Form of the call.
    pub via: Via,
    /// Creation flags.
    pub flags: vk::RenderPassCreateFlags,
    /// Attachments.
    pub attachments: Vec<AttachmentDescription>,
    /// Subpasses.
    pub subpasses: Vec<SubpassDescription>,
    /// Dependencies.
    pub dependencies: Vec<Dependency>,
    /// Fragment density map attachment.
    pub density: Option<AttachmentReference>,
    /// Subpasses that the driver is left with after merging; `None` where it was not asked.
    pub merged: Option<u32>,
    /// A structure that was not understood is chained somewhere in it.
    pub opaque: bool,
}

/// What an imageless framebuffer says of an attachment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FramebufferAttachment {
    /// Usage of the images.
    pub usage: vk::ImageUsageFlags,
    /// Formats of the views.
    pub formats: Vec<vk::Format>,
}

/// A framebuffer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FramebufferInfo {
    /// Render pass it was made with.
    pub render_pass: RenderPassKey,
    /// Width and height, in texels.
    pub extent: vk::Extent2D,
    /// Layers.
    pub layers: u32,
    /// Views; empty for an imageless framebuffer.
    pub views: Vec<Option<ViewKey>>,
    /// What an imageless framebuffer says of each attachment.
    pub imageless: Option<Vec<FramebufferAttachment>>,
    /// Size of a tile for each subpass after merging, in pixels, as the driver says; empty where it
    /// was not asked.
    pub tiles: Vec<vk::Extent2D>,
}

/// Where the commands of a subpass are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Contents {
    /// In the primary command buffer.
    #[default]
    Inline,
    /// In secondary command buffers.
    Secondary,
    /// In either.
    Both,
}

/// Part that an attachment plays in a dynamic rendering instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RenderingRole {
    /// `pColorAttachments[i]`.
    Color(u32),
    /// `pDepthAttachment`.
    Depth,
    /// `pStencilAttachment`.
    Stencil,
    /// Fragment density map.
    Density,
    /// Fragment shading rate.
    ShadingRate,
}

/// An attachment of a dynamic rendering instance.
#[derive(Clone, Debug, PartialEq)]
pub struct RenderingAttachment {
    /// Part it plays.
    pub role: RenderingRole,
    /// View; `None` where NULL.
    pub view: Option<ViewKey>,
    /// Layout.
    pub layout: vk::ImageLayout,
    /// Load op; `None` where unknown.
    pub load: Option<vk::AttachmentLoadOp>,
    /// Store op; `None` where unknown.
    pub store: Option<vk::AttachmentStoreOp>,
    /// Resolve mode.
    pub resolve_mode: vk::ResolveModeFlags,
    /// Resolve target.
    pub resolve_view: Option<ViewKey>,
    /// Layout of the resolve target.
    pub resolve_layout: vk::ImageLayout,
    /// Clear value as raw words (colour: four, depth/stencil: two).
    pub clear: Option<[u32; 4]>,
    /// Line in a listing.
    pub line: Line,
}

/// A dynamic rendering instance.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Rendering {
    /// Attachments that were given, NULL views included.
    pub attachments: Vec<RenderingAttachment>,
    /// `layerCount`.
    pub layers: u32,
    /// `viewMask`.
    pub view_mask: u32,
    /// Flags, `SUSPENDING` and `RESUMING` among them.
    pub flags: vk::RenderingFlags,
    /// Size of a tile in pixels, as the driver says; empty where it was not asked.
    pub tiles: Vec<vk::Extent2D>,
    /// A structure that was not understood is chained.
    pub opaque: bool,
}

/// What a pass renders to.
#[derive(Clone, Debug, PartialEq)]
pub enum PassTarget {
    /// A render pass object and a framebuffer.
    Object {
        /// The render pass.
        render_pass: RenderPassKey,
        /// The framebuffer.
        framebuffer: FramebufferKey,
        /// Views of an imageless framebuffer.
        views_bound: Option<Vec<Option<ViewKey>>>,
    },
    /// Dynamic rendering.
    Dynamic(Rendering),
}

/// The beginning of a pass. Where it was written makes no difference between two.
#[derive(Clone, Debug)]
pub struct PassBegin {
    /// Label in a listing; `None` in a live program (the model names it after its render pass
    /// object or the innermost label).
    pub label: Option<Box<str>>,
    /// What it renders to.
    pub target: PassTarget,
    /// Render area.
    pub area: vk::Rect2D,
    /// Where the first subpass is recorded.
    pub contents: Contents,
    /// Clear values by attachment of a render pass object, as raw words.
    pub clears: Vec<Option<[u32; 4]>>,
    /// Line in a listing.
    pub line: Line,
    /// Lines of the `attach` lines inside the pass block, in attachment order; empty in a live
    /// program.
    pub attach_lines: Vec<Line>,
}

impl Default for PassBegin {
    fn default() -> Self {
        let (render_pass, framebuffer) = Default::default();
        Self {
            label: None,
            target: PassTarget::Object { render_pass, framebuffer, views_bound: None },
            area: vk::Rect2D::default(),
            contents: Contents::Inline,
            clears: Vec::new(),
            line: Line(0),
            attach_lines: Vec::new(),
        }
    }
}

impl PassBegin {
    /// Makes it one that says nothing, keeping the memory of its lists.
    pub(super) fn empty(&mut self) {
        let mut clears = std::mem::take(&mut self.clears);
        clears.clear();
        let attachments = self.take_attachments();
        *self = Self { clears, ..Self::default() };
        if attachments.capacity() != 0 {
            self.target = PassTarget::Dynamic(Rendering { attachments, ..Rendering::default() });
        }
    }

    /// Takes the list of attachments that it holds, without them.
    pub fn take_attachments(&mut self) -> Vec<RenderingAttachment> {
        let PassTarget::Dynamic(rendering) = &mut self.target else { return Vec::new() };
        let mut attachments = std::mem::take(&mut rendering.attachments);
        attachments.clear();
        attachments
    }
}

impl PartialEq for PassBegin {
    fn eq(&self, other: &Self) -> bool {
        self.label == other.label
            && self.target == other.target
            && self.area == other.area
            && self.contents == other.contents
            && self.clears == other.clears
    }
}

/// Subresources of an image; `REMAINING_*` counts reach to the end, empty aspects mean all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SubresourceRange {
    /// Aspects.
    pub aspects: vk::ImageAspectFlags,
    /// First mip level.
    pub base_mip: u32,
    /// Mip levels.
    pub mips: u32,
    /// First layer.
    pub base_layer: u32,
    /// Layers.
    pub layers: u32,
}

impl SubresourceRange {
    /// All mips, layers and aspects.
    pub const ALL: Self = Self {
        aspects: vk::ImageAspectFlags::empty(),
        base_mip: 0,
        mips: vk::REMAINING_MIP_LEVELS,
        base_layer: 0,
        layers: vk::REMAINING_ARRAY_LAYERS,
    };
}

/// What a barrier is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierTarget {
    /// A memory barrier.
    Memory,
    /// A buffer.
    Buffer(BufferKey),
    /// Subresources of an image.
    Image {
        /// The image.
        image: ImageKey,
        /// The range; `REMAINING_*` allowed.
        range: SubresourceRange,
        /// Old layout.
        old: vk::ImageLayout,
        /// New layout.
        new: vk::ImageLayout,
    },
}

/// One memory, buffer or image barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Barrier {
    /// What it is about.
    pub target: BarrierTarget,
    /// Source stages.
    pub src_stage: vk::PipelineStageFlags2,
    /// Destination stages.
    pub dst_stage: vk::PipelineStageFlags2,
    /// Source accesses.
    pub src_access: vk::AccessFlags2,
    /// Destination accesses.
    pub dst_access: vk::AccessFlags2,
    /// Queue family that gives ownership; `QUEUE_FAMILY_IGNORED` without a transfer.
    pub src_queue: u32,
    /// Queue family that takes ownership.
    pub dst_queue: u32,
}
