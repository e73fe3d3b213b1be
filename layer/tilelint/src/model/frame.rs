//! What happened in a frame, in execution order.

use std::sync::Arc;

use ash::vk;

use super::objects::{ImageId, Pipeline};
use super::pass::PassShape;
use super::timeline::{Content, Read, StepRef, StoreKey};
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Effect {
    /// Colour attachments written, by position in the subpass.
    pub color_writes: u32,
    /// Colour attachments whose old value counts (blending, partial masks, logic ops).
    pub color_reads: u32,
    /// The depth test compares against the old depth.
    pub depth_reads: bool,
    /// Depth may be written.
    pub depth_writes: bool,
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
    /// The shader is known to use the descriptor: a set that is merely bound proves nothing.
    pub certain: bool,
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
    /// Name of the command buffer.
    pub commands: Arc<str>,
    /// Facts by attachment and by aspect of its format.
    pub facts: Vec<Vec<AspectFacts>>,
    /// Draws.
    pub draws: Vec<DrawFacts>,
    /// Clears.
    pub clears: Vec<ClearFacts>,
    /// Images read through descriptors.
    pub reads: Vec<ImageRead>,
    /// Images written through descriptors.
    pub writes: Vec<ImageId>,
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
}

/// Something that happened in a frame.
#[derive(Clone, Debug)]
pub enum Step {
    /// A pass.
    Pass(Box<Pass>),
    /// A copy, blit, resolve or clear command.
    Transfer(Box<TransferStep>),
    /// A dispatch.
    Dispatch {
        /// The step.
        step: Arc<StepRef>,
        /// Images read.
        reads: Vec<ImageRead>,
        /// Images written.
        writes: Vec<ImageId>,
    },
    /// A present.
    Present {
        /// The step.
        step: Arc<StepRef>,
        /// The image.
        image: ImageId,
        /// Its content.
        content: Content,
    },
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
}

impl Frame {
    /// The passes, in execution order.
    pub fn passes(&self) -> impl Iterator<Item = &Pass> {
        self.steps.iter().filter_map(|step| match step {
            Step::Pass(pass) => Some(&**pass),
            _ => None,
        })
    }

    /// Says whether a step strictly between two positions reads an image.
    pub fn reads_between(&self, image: ImageId, after: u32, before: u32) -> bool {
        self.steps.iter().any(|step| {
            let index = match step {
                Step::Pass(pass) => pass.step.index,
                Step::Transfer(transfer) => transfer.step.index,
                Step::Dispatch { step, .. } | Step::Present { step, .. } => step.index,
            };
            index > after
                && index < before
                && match step {
                    Step::Pass(pass) => pass.reads_image(image),
                    Step::Transfer(transfer) => transfer.from == Some(image),
                    Step::Dispatch { reads, .. } => reads.iter().any(|r| r.image == image),
                    Step::Present { image: presented, .. } => *presented == image,
                }
        })
    }
}
