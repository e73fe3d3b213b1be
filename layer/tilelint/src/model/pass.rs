//! The one form of every pass, whichever calls made it.

use std::fmt::Write as _;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use ash::vk;
use rustc_hash::FxHasher;
use xxhash_rust::xxh64::xxh64;

use super::objects::Image;
use crate::call::*;
use crate::format::{self, Aspect};

/// Words of the roles, in the order of their bits.
const ROLES: [&str; 7] =
    ["color", "depth", "input", "resolve", "preserve", "density", "shading_rate"];

/// Parts that an attachment plays in a pass, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Roles(u8);

impl Roles {
    /// Colour output.
    pub const COLOR: Self = Self(1);
    /// Depth/stencil.
    pub const DEPTH_STENCIL: Self = Self(2);
    /// Input.
    pub const INPUT: Self = Self(4);
    /// Resolve target, colour or depth/stencil.
    pub const RESOLVE: Self = Self(8);
    /// Preserved.
    pub const PRESERVE: Self = Self(16);
    /// Fragment density map.
    pub const DENSITY: Self = Self(32);
    /// Fragment shading rate.
    pub const SHADING_RATE: Self = Self(64);

    /// Adds a role.
    pub fn add(&mut self, role: Self) {
        self.0 |= role.0;
    }

    /// Says whether any of these roles is played.
    pub fn any(self, roles: Self) -> bool {
        self.0 & roles.0 != 0
    }

    /// Says whether no role but these is played.
    pub fn only(self, roles: Self) -> bool {
        self.0 != 0 && self.0 & !roles.0 == 0
    }

    /// Says whether the pass does not use the attachment at all.
    pub fn is_none(self) -> bool {
        self.0 & !Self::PRESERVE.0 == 0
    }

    /// Both sets of roles.
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Words of the report.
    pub fn words(self) -> Vec<&'static str> {
        ROLES.iter().enumerate().filter(|(i, _)| self.0 & (1 << i) != 0).map(|(_, w)| *w).collect()
    }

    /// The first of them.
    fn first_word(self) -> Option<&'static str> {
        ROLES.get(self.0.trailing_zeros() as usize).copied()
    }
}

/// Part of an image that an attachment shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttachmentRange {
    /// Mip level.
    pub mip: u32,
    /// First layer.
    pub base_layer: u32,
    /// Layers that the pass renders to: a mask relative to `base_layer` would be wider, so views
    /// of multiview are listed by `view_mask` of the pass.
    pub layers: u32,
    /// Whole layers are shown.
    pub whole: bool,
}

/// A resolve of an attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResolveUse {
    /// Subpass that resolves.
    pub subpass: u32,
    /// Target attachment.
    pub target: u32,
    /// Mode of colour or depth.
    pub mode: vk::ResolveModeFlags,
    /// Mode of stencil.
    pub stencil_mode: vk::ResolveModeFlags,
}

/// A resolve target that dynamic rendering names with mode NONE: nothing is resolved into it.
#[derive(Clone, Debug)]
pub struct Unresolved {
    /// The attachment that names it.
    pub source: u32,
    /// The aspect of the attachment.
    pub aspect: Aspect,
    /// The image that it names.
    pub target: Arc<Image>,
}

/// Ops of one aspect of an attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AspectOps {
    /// The aspect.
    pub aspect: Aspect,
    /// Load op; `None` where unknown.
    pub load: Option<vk::AttachmentLoadOp>,
    /// Store op; `None` where unknown.
    pub store: Option<vk::AttachmentStoreOp>,
    /// Layout before the pass; of dynamic rendering, the layout in it.
    pub initial: vk::ImageLayout,
    /// Layout after the pass.
    pub final_: vk::ImageLayout,
    /// The pass names this aspect (dynamic rendering may name only one of depth and stencil).
    pub named: bool,
    /// In every subpass its layout is read-only.
    pub read_only: bool,
}

/// An attachment of a pass.
#[derive(Clone, Debug)]
pub struct Attachment {
    /// Index in the API's list.
    pub slot: u32,
    /// Image; `None` where it is not known.
    pub image: Option<Arc<Image>>,
    /// Part of the image.
    pub range: AttachmentRange,
    /// Format of the view.
    pub format: vk::Format,
    /// Samples.
    pub samples: u32,
    /// Roles over all subpasses.
    pub roles: Roles,
    /// Ops by aspect of the format.
    pub aspects: Vec<AspectOps>,
    /// Resolves of it.
    pub resolves: Vec<ResolveUse>,
    /// Last subpass that draws to it or reads it as an input.
    pub last_use: Option<u32>,
    /// `MAY_ALIAS` was given.
    pub may_alias: bool,
    /// Line that describes it.
    pub line: Line,
}

impl Attachment {
    /// Name of its image, or its place.
    pub fn name(&self) -> String {
        match &self.image {
            Some(image) => image.name.text.to_string(),
            None => format!("attachment {}", self.slot),
        }
    }

    /// The ops of an aspect.
    pub fn ops(&self, aspect: Aspect) -> Option<&AspectOps> {
        self.aspects.iter().find(|ops| ops.aspect == aspect)
    }

    /// A LOAD asks for a load: the attachment is drawn to.
    pub fn loads(&self) -> bool {
        self.roles.any(Roles::COLOR.or(Roles::DEPTH_STENCIL))
    }

    /// A STORE asks for a store: the attachment is drawn to or resolved into.
    pub fn stores(&self) -> bool {
        self.roles.any(Roles::COLOR.or(Roles::DEPTH_STENCIL).or(Roles::RESOLVE))
    }

    /// Its ops are fixed or ignored by the API.
    pub fn is_rate(&self) -> bool {
        self.roles.any(Roles::DENSITY.or(Roles::SHADING_RATE))
    }

    /// More than one sample.
    pub fn is_multisampled(&self) -> bool {
        self.samples > 1
    }
}

/// A pass in its one form.
#[derive(Clone, Debug)]
pub struct PassShape {
    /// Form of the call.
    pub via: Via,
    /// Extent of the framebuffer; of dynamic rendering, offset plus extent of the area.
    pub extent: vk::Extent2D,
    /// Render area.
    pub area: vk::Rect2D,
    /// Framebuffer layers.
    pub layers: u32,
    /// Union of view masks; 0 without multiview.
    pub view_mask: u32,
    /// Attachments.
    pub attachments: Vec<Attachment>,
    /// Subpasses.
    pub subpasses: Vec<SubpassDescription>,
    /// Resolve targets that are named and not resolved into.
    pub unresolved: Vec<Unresolved>,
    /// Dependencies.
    pub dependencies: Vec<Dependency>,
    /// Subpasses that the driver is left with after merging, where it was asked.
    pub merged: Option<u32>,
    /// Size of a tile for each subpass after merging, in pixels, where the driver was asked.
    pub tiles: Vec<vk::Extent2D>,
    /// Name of the render pass object, where the application gave one.
    pub object_name: Option<Arc<str>>,
    /// Flags of dynamic rendering.
    pub flags: vk::RenderingFlags,
    /// Something in it is not understood.
    pub opaque: bool,
}

impl PassShape {
    /// Layers or views that are rendered.
    pub fn rendered_layers(&self) -> u32 {
        if self.view_mask != 0 { self.view_mask.count_ones() } else { self.layers.max(1) }
    }

    /// Layers of the image, relative to the view's first, that are rendered.
    pub fn layer_indices(&self) -> impl Iterator<Item = u32> + use<> {
        let (mask, layers) = (self.view_mask, self.layers.max(1));
        (0..32.max(layers)).filter(move |i| match mask {
            0 => *i < layers,
            mask => *i < 32 && mask & (1 << i) != 0,
        })
    }

    /// Texels of the render area, all layers or views.
    pub fn texels(&self) -> u64 {
        u64::from(self.area.extent.width)
            * u64::from(self.area.extent.height)
            * u64::from(self.rendered_layers())
    }

    /// Bytes of one aspect of an attachment over the render area; `None` where the format has no
    /// known size.
    pub fn aspect_bytes(&self, attachment: &Attachment, aspect: Aspect) -> Option<u64> {
        let texel = format::texel_bytes(attachment.format, aspect)?;
        Some(self.texels() * u64::from(texel) * u64::from(attachment.samples))
    }

    /// Bytes that the load op of an aspect asks for.
    pub fn load_bytes(&self, attachment: &Attachment, ops: &AspectOps) -> Option<u64> {
        match ops.load {
            Some(vk::AttachmentLoadOp::LOAD) if attachment.loads() && ops.named => {
                self.aspect_bytes(attachment, ops.aspect)
            }
            Some(_) => Some(0),
            None => None,
        }
    }

    /// Bytes that the store op of an aspect asks for.
    pub fn store_bytes(&self, attachment: &Attachment, ops: &AspectOps) -> Option<u64> {
        match ops.store {
            Some(vk::AttachmentStoreOp::STORE)
                if attachment.stores() && !attachment.is_rate() && ops.named =>
            {
                self.aspect_bytes(attachment, ops.aspect)
            }
            Some(_) => Some(0),
            None => None,
        }
    }

    /// The render area covers the whole mip level that the attachment shows.
    pub fn covers(&self, attachment: &Attachment) -> bool {
        let Some(image) = &attachment.image else { return false };
        let extent = image.mip_extent(attachment.range.mip);
        attachment.range.whole
            && self.area.offset.x <= 0
            && self.area.offset.y <= 0
            && i64::from(self.area.offset.x) + i64::from(self.area.extent.width)
                >= i64::from(extent.width)
            && i64::from(self.area.offset.y) + i64::from(self.area.extent.height)
                >= i64::from(extent.height)
    }

    /// Says whether the pass was suspended at its end.
    pub fn suspends(&self) -> bool {
        self.flags.contains(vk::RenderingFlags::SUSPENDING)
    }

    /// Says whether the pass resumes a suspended one.
    pub fn resumes(&self) -> bool {
        self.flags.contains(vk::RenderingFlags::RESUMING)
    }

    /// Pass key for a given name: stable across machines, drivers and the fix of one finding.
    pub fn key(&self, given_name: Option<&str>) -> u64 {
        let name = given_name.map(without_digits).unwrap_or_default();
        let structure = structure(&self.attachments, &self.subpasses, self.view_mask);
        xxh64(format!("{name}\n{structure}").as_bytes(), 0)
    }

    /// Variant for a key: the key and everything that decides what the pass costs.
    pub fn variant(&self, key: u64) -> u64 {
        let mut hasher = FxHasher::default();
        let (offset, extent) = (self.area.offset, self.area.extent);
        (key, self.extent.width, self.extent.height, self.view_mask).hash(&mut hasher);
        (offset.x, offset.y, extent.width, extent.height).hash(&mut hasher);
        for attachment in &self.attachments {
            let range = attachment.range;
            (attachment.format, attachment.samples).hash(&mut hasher);
            (range.mip, range.base_layer, range.layers, range.whole).hash(&mut hasher);
            attachment.image.is_some().hash(&mut hasher);
            if let Some(image) = attachment.image.as_deref() {
                if image.name.given {
                    without_digits(&image.name.text).hash(&mut hasher);
                }
                let extent = image.info.extent;
                (extent.width, extent.height, image.info.usage).hash(&mut hasher);
            }
            for ops in &attachment.aspects {
                (ops.load, ops.store).hash(&mut hasher);
            }
        }
        hasher.finish()
    }

    /// Position of an attachment among those of the same role, aspects and sample class: its
    /// identity where the application gave no name.
    pub fn place(&self, attachment: &Attachment) -> String {
        let class = |a: &Attachment| {
            let role = a.roles.first_word().unwrap_or("none");
            (role, aspect_words(a.format), if a.samples > 1 { "ms" } else { "1x" })
        };
        let own = class(attachment);
        let order = canonical_order(&self.attachments, &self.subpasses);
        let position = order
            .iter()
            .filter_map(|i| self.attachments.get(*i))
            .filter(|a| class(a) == own)
            .position(|a| a.slot == attachment.slot);
        let (role, aspects, samples) = own;
        format!("{role} {aspects} {samples} {}", position.unwrap_or(0))
    }
}

/// Replaces runs of digits by `#`.
pub fn without_digits(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if !c.is_ascii_digit() {
            out.push(c);
        } else if !out.ends_with('#') {
            out.push('#');
        }
    }
    out
}

fn aspect_words(format: vk::Format) -> &'static str {
    match format::aspects(format) {
        [Aspect::Color] => "color",
        [Aspect::Depth] => "depth",
        [Aspect::Stencil] => "stencil",
        [_, _] => "depth+stencil",
        _ => "none",
    }
}

/// Attachments in the order in which subpasses name them, so that the order of the API's list
/// does not matter; those that no subpass names come last.
fn canonical_order(attachments: &[Attachment], subpasses: &[SubpassDescription]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::with_capacity(attachments.len());
    let mut add = |index: u32| {
        if (index as usize) < attachments.len() && !order.contains(&(index as usize)) {
            order.push(index as usize);
        }
    };
    for subpass in subpasses {
        let refs = subpass.color.iter().chain([&subpass.depth]).chain(&subpass.resolve);
        refs.chain(&subpass.input).flatten().for_each(|r| add(r.attachment));
        if let Some(resolve) = &subpass.depth_resolve {
            add(resolve.target.attachment);
        }
    }
    (0..attachments.len() as u32).for_each(add);
    order
}

fn structure(
    attachments: &[Attachment],
    subpasses: &[SubpassDescription],
    view_mask: u32,
) -> String {
    let order = canonical_order(attachments, subpasses);
    let place = |index: u32| order.iter().position(|i| *i == index as usize);
    let mut text = String::new();
    for index in &order {
        let a = &attachments[*index];
        let samples = if a.samples > 1 { "ms" } else { "1x" };
        let _ =
            writeln!(text, "{} {samples} {}", aspect_words(a.format), a.roles.words().join("+"));
    }
    for subpass in subpasses {
        let list = |refs: &[Option<AttachmentReference>]| {
            let used = refs.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
            let words = refs[..used].iter().map(|r| match r {
                Some(r) => place(r.attachment).map_or("?".into(), |p| p.to_string()),
                None => "-".to_owned(),
            });
            words.collect::<Vec<_>>().join(",")
        };
        let _ = writeln!(
            text,
            "c{} d{} r{} i{}",
            list(&subpass.color),
            list(&[subpass.depth]),
            list(&subpass.resolve),
            list(&subpass.input)
        );
    }
    if view_mask != 0 {
        text.push_str("mv\n");
    }
    text
}
