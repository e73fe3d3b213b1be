//! What a tiler needs to know of a render pass: its attachments, subpasses and dependencies.

use ash::vk;

use crate::format::{self, Aspect};

/// The largest framebuffer that is reckoned with, in pixels a side and layers.
const MAX_SIZE: u32 = 1 << 16;

/// The most samples that the API knows.
const MAX_SAMPLES: u32 = 64;

/// A rectangle of the framebuffer, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Area {
    /// Left edge.
    pub x: u32,
    /// Top edge.
    pub y: u32,
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

impl Area {
    /// Pixels in the area.
    #[must_use]
    pub fn pixels(self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
}

/// One attachment of a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Its format.
    pub format: vk::Format,
    /// Samples per pixel.
    pub samples: u32,
    /// Load operation of colour or depth.
    pub load: vk::AttachmentLoadOp,
    /// Store operation of colour or depth.
    pub store: vk::AttachmentStoreOp,
    /// Load operation of stencil.
    pub stencil_load: vk::AttachmentLoadOp,
    /// Store operation of stencil.
    pub stencil_store: vk::AttachmentStoreOp,
    /// Whether the image has `MUTABLE_FORMAT`.
    pub mutable: bool,
    /// Size of the view where it differs from the framebuffer's, in pixels.
    pub extent: Option<[u32; 2]>,
}

impl Attachment {
    /// An attachment that is neither loaded nor stored.
    #[must_use]
    pub fn new(format: vk::Format, samples: u32) -> Self {
        Attachment {
            format,
            samples: samples.max(1),
            load: vk::AttachmentLoadOp::DONT_CARE,
            store: vk::AttachmentStoreOp::DONT_CARE,
            stencil_load: vk::AttachmentLoadOp::DONT_CARE,
            stencil_store: vk::AttachmentStoreOp::DONT_CARE,
            mutable: false,
            extent: None,
        }
    }

    /// The operations of one aspect.
    #[must_use]
    pub fn ops(&self, aspect: Aspect) -> (vk::AttachmentLoadOp, vk::AttachmentStoreOp) {
        match aspect {
            Aspect::Stencil => (self.stencil_load, self.stencil_store),
            Aspect::Color | Aspect::Depth => (self.load, self.store),
        }
    }

    /// Whether any aspect that the format has is loaded.
    #[must_use]
    pub fn is_loaded(&self) -> bool {
        let mut aspects = format::aspects(self.format).iter();
        aspects.any(|aspect| self.ops(*aspect).0 == vk::AttachmentLoadOp::LOAD)
    }

    /// Whether any aspect that the format has is stored.
    #[must_use]
    pub fn is_stored(&self) -> bool {
        let mut aspects = format::aspects(self.format).iter();
        aspects.any(|aspect| self.ops(*aspect).1 == vk::AttachmentStoreOp::STORE)
    }
}

/// One subpass; attachments are indices into [`PassShape::attachments`], `None` is UNUSED.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subpass {
    /// Colour attachments.
    pub color: Vec<Option<usize>>,
    /// Resolve targets, beside `color`; empty when there are none.
    pub resolve: Vec<Option<usize>>,
    /// Input attachments.
    pub input: Vec<Option<usize>>,
    /// Preserved attachments.
    pub preserve: Vec<usize>,
    /// Depth/stencil attachment.
    pub depth_stencil: Option<usize>,
    /// Depth/stencil resolve target.
    pub depth_stencil_resolve: Option<usize>,
    /// Views; 0 without multiview.
    pub view_mask: u32,
    /// Whether its shaders write storage resources, or a query runs in it.
    pub side_effects: bool,
}

impl Subpass {
    /// The attachments that it draws to: colour, then depth/stencil.
    pub fn drawn(&self) -> impl Iterator<Item = usize> + '_ {
        self.color.iter().copied().flatten().chain(self.depth_stencil)
    }

    /// The attachments that it reads as input.
    pub fn inputs(&self) -> impl Iterator<Item = usize> + '_ {
        self.input.iter().copied().flatten()
    }

    /// Its resolves, source before target, in the order in which they happen.
    pub fn resolves(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let colors = self.color.iter().zip(&self.resolve);
        let colors = colors.filter_map(|(from, to)| from.zip(*to));
        colors.chain(self.depth_stencil.zip(self.depth_stencil_resolve))
    }
}

/// A dependency between subpasses, with 64-bit masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// Source subpass; `VK_SUBPASS_EXTERNAL` stands for the commands before the pass.
    pub src: u32,
    /// Destination subpass; `VK_SUBPASS_EXTERNAL` stands for the commands after the pass.
    pub dst: u32,
    /// Source stages.
    pub src_stages: vk::PipelineStageFlags2,
    /// Destination stages.
    pub dst_stages: vk::PipelineStageFlags2,
    /// Source access.
    pub src_access: vk::AccessFlags2,
    /// Destination access.
    pub dst_access: vk::AccessFlags2,
    /// Flags.
    pub flags: vk::DependencyFlags,
}

/// A barrier recorded inside the pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Barrier {
    /// Source stages.
    pub src_stages: vk::PipelineStageFlags2,
    /// Destination stages.
    pub dst_stages: vk::PipelineStageFlags2,
}

/// A render pass, or one instance of dynamic rendering.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PassShape {
    /// Framebuffer width, in pixels.
    pub width: u32,
    /// Framebuffer height, in pixels.
    pub height: u32,
    /// Framebuffer layers; 1 with multiview.
    pub layers: u32,
    /// Render area.
    pub area: Area,
    /// Attachments.
    pub attachments: Vec<Attachment>,
    /// Subpasses, at least one.
    pub subpasses: Vec<Subpass>,
    /// Dependencies.
    pub dependencies: Vec<Dependency>,
    /// Barriers recorded inside.
    pub barriers: Vec<Barrier>,
    /// Whether it is dynamic rendering: bins then cover the render area, not the framebuffer.
    pub dynamic: bool,
    /// Draws in the whole pass; `None` when nobody counted.
    pub draws: Option<u32>,
    /// Whether a tessellation pipeline draws.
    pub tessellation: bool,
    /// Whether a feedback loop reads attachments as textures.
    pub feedback_loop: bool,
    /// Whether a pipeline asks for rasterization order access.
    pub ordered_access: bool,
    /// Whether a fragment density map is attached.
    pub density_map: bool,
    /// Whether transform feedback or a primitives-generated query is active.
    pub counts_primitives: bool,
}

impl PassShape {
    /// A pass over a whole framebuffer, with no attachments yet and no subpass.
    #[must_use]
    pub fn new(width: u32, height: u32) -> Self {
        let area = Area { x: 0, y: 0, width, height };
        PassShape { width, height, layers: 1, area, ..PassShape::default() }
    }

    /// Views: the highest index of any view mask plus one, at least 1.
    #[must_use]
    pub fn views(&self) -> u32 {
        let mask = self.subpasses.iter().fold(0, |mask, subpass| mask | subpass.view_mask);
        (u32::BITS - mask.leading_zeros()).max(1)
    }

    /// Copies of the tile that bins must hold: layers or views.
    #[must_use]
    pub fn tile_layers(&self) -> u32 {
        self.layers.max(self.views())
    }

    /// The size that bins cover, in pixels.
    #[must_use]
    pub fn binned_size(&self) -> [u32; 2] {
        if self.dynamic {
            let right = self.area.x.saturating_add(self.area.width);
            return [right, self.area.y.saturating_add(self.area.height)];
        }
        [self.width, self.height]
    }

    /// Whether any subpass draws to the attachment: only then does it live in tile memory.
    #[must_use]
    pub fn is_drawn(&self, attachment: usize) -> bool {
        self.subpasses.iter().any(|subpass| subpass.drawn().any(|drawn| drawn == attachment))
    }

    /// Whether any subpass resolves from the attachment.
    #[must_use]
    pub fn is_resolved(&self, attachment: usize) -> bool {
        let mut subpasses = self.subpasses.iter();
        subpasses.any(|subpass| subpass.resolves().any(|(from, _)| from == attachment))
    }

    /// The first subpass that draws to, reads or resolves into the attachment.
    #[must_use]
    pub fn first_use(&self, attachment: usize) -> Option<usize> {
        self.subpasses.iter().position(|subpass| uses(subpass, attachment))
    }

    /// The samples of a subpass: those of what it draws to, `None` when it draws to nothing.
    #[must_use]
    pub fn samples(&self, subpass: &Subpass) -> Option<u32> {
        let attachment = subpass.drawn().last()?;
        self.attachments.get(attachment).map(|attachment| attachment.samples)
    }

    /// Whether every index stands for an attachment or subpass that exists, and sizes are sane.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let sane = |size: u32| size <= MAX_SIZE;
        let [right, bottom] = self.binned_size();
        let samples = self.attachments.iter().map(|attachment| attachment.samples);
        if ![self.width, self.height, self.layers, right, bottom].into_iter().all(sane)
            || !samples.into_iter().all(|samples| (1..=MAX_SAMPLES).contains(&samples))
        {
            return false;
        }
        let count = self.attachments.len();
        let subpass_exists = |subpass: u32| {
            subpass == vk::SUBPASS_EXTERNAL
                || usize::try_from(subpass).is_ok_and(|index| index < self.subpasses.len())
        };
        let subpasses = self.subpasses.iter().all(|subpass| {
            let targets = subpass.resolve.iter().copied().flatten();
            let mut used = subpass.drawn().chain(subpass.inputs()).chain(targets);
            used.all(|index| index < count)
                && subpass.depth_stencil_resolve.is_none_or(|index| index < count)
        });
        let mut dependencies = self.dependencies.iter();
        !self.subpasses.is_empty()
            && subpasses
            && dependencies.all(|dep| subpass_exists(dep.src) && subpass_exists(dep.dst))
    }
}

fn uses(subpass: &Subpass, attachment: usize) -> bool {
    let drawn = subpass.drawn().any(|drawn| drawn == attachment);
    let read = subpass.inputs().any(|input| input == attachment);
    drawn || read || subpass.resolves().any(|(_, to)| to == attachment)
}
