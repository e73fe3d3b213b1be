//! Where a cause is, and the words of the listing that quote it.

use std::fmt::Write as _;

use ash::vk;
use xxhash_rust::xxh64::xxh64;

use crate::call::{AttachmentReference, Line, Object, Via};
use crate::finding::*;
use crate::format::Aspect;
use crate::model::{Attachment, DeviceModel, Image, Pass, StepRef, without_digits};

/// Where a cause is, with what identifies it.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// The location.
    pub location: Location,
    /// The quoted call.
    pub quote: Quote,
    /// Pass variant that it depends on, for counting frames.
    pub variant: Option<u64>,
    /// Stable name of the attachment or object, for the fingerprint.
    pub object: String,
    /// Field for the fingerprint: its name in render passes, whatever the form; empty where the
    /// location's own serves.
    pub identity: &'static str,
    /// Objects concerned.
    pub objects: Vec<(Object, String)>,
    /// Keys of further passes that the same cause is in.
    pub passes: Vec<u64>,
}

impl Place {
    /// A place in a pass.
    pub fn pass(pass: &Pass, device: &DeviceModel) -> Self {
        Self {
            location: Location {
                device: device.name.to_string(),
                frame: Some(pass.step.frame),
                commands: Some(pass.commands.to_string()),
                pass: Some(pass.name.to_string()),
                pass_key: Some(pass.key),
                labels: pass.labels.iter().map(ToString::to_string).collect(),
                queue_labels: pass.queue_labels,
                ..Location::default()
            },
            variant: Some(pass.variant),
            ..Self::default()
        }
    }

    /// One aspect of an attachment of a pass, at a field.
    pub fn attachment(
        pass: &Pass,
        attachment: &Attachment,
        aspect: Option<Aspect>,
        field: Field,
        device: &DeviceModel,
    ) -> Self {
        let mut place = Self::pass(pass, device);
        place.location.slot = Some(attachment.slot);
        place.location.image = Some(attachment.name());
        place.location.aspect = aspect;
        place.location.field = Some(field.api(pass.shape.via));
        place.identity = field.api(Via::Rp2);
        place.location.call = Some(call_of(pass.shape.via));
        place.object = match attachment.image.as_deref() {
            Some(image) if image.name.given => without_digits(&image.name.text),
            _ => pass.shape.place(attachment),
        };
        if let Some(image) = &attachment.image {
            place.objects.push((image.key.into(), image.name.text.to_string()));
        }
        place.quote.lines.push(QuoteLine {
            number: attachment.line.0,
            text: attach_text(attachment, &pass.shape.attachments),
        });
        // A resolve target may have no line of its own: `resolve=` of another names it.
        let others = pass.shape.attachments.iter().filter(|a| a.slot != attachment.slot);
        let implied = attachment.line.0 != 0
            && others.into_iter().any(|a| {
                a.line.0 == attachment.line.0
                    && a.resolves.iter().any(|r| r.target == attachment.slot)
            });
        let key = if implied { Field::Resolve.key() } else { field.key() };
        place.quote.marks.push(Mark { line: 0, key, label: String::new(), primary: true });
        place
    }

    /// A resolve of an attachment in one subpass.
    pub fn resolve(
        pass: &Pass,
        source: &Attachment,
        target: &Attachment,
        subpass: u32,
        device: &DeviceModel,
    ) -> Self {
        let mut place = Self::attachment(pass, source, None, Field::Resolve, device);
        place.location.subpass = Some(subpass);
        let Some(described) = pass.shape.subpasses.get(subpass as usize) else { return place };
        let names = |references: &[Option<AttachmentReference>]| {
            let name = |r: &Option<AttachmentReference>| {
                let slot = r.map(|r| r.attachment as usize);
                let attachment = slot.and_then(|slot| pass.shape.attachments.get(slot));
                attachment.map_or_else(|| "-".to_owned(), |a| identifier(&a.name()))
            };
            references.iter().map(name).collect::<Vec<_>>().join(",")
        };
        let depth = described.depth_resolve.is_some_and(|d| d.target.attachment == target.slot);
        let (draws, resolves) = if depth {
            (format!("depth={}", identifier(&source.name())), "depth_resolve")
        } else {
            (format!("color={}", names(&described.color)), "resolve")
        };
        let targets = if depth { identifier(&target.name()) } else { names(&described.resolve) };
        let line = &mut place.quote.lines[0];
        // The short form of one subpass has no line of its own: the attachment's says it.
        if described.line.0 != line.number {
            line.number = described.line.0;
            line.text = format!("  subpass {subpass} {draws} {resolves}={targets}");
            place.quote.marks[0].key = resolves;
        }
        place
    }

    /// An image, wherever it is used.
    pub fn image(image: &Image, field: Field, device: &DeviceModel) -> Self {
        let mut place = Self {
            location: Location {
                device: device.name.to_string(),
                image: Some(image.name.text.to_string()),
                field: Some(field.api(Via::Rp2)),
                call: Some("vkCreateImage"),
                ..Location::default()
            },
            object: if image.name.given {
                without_digits(&image.name.text)
            } else {
                format!("image of {:?} with {} samples", image.info.format, image.info.samples)
            },
            ..Self::default()
        };
        place.objects.push((image.key.into(), image.name.text.to_string()));
        place.quote.lines.push(QuoteLine { number: image.line.0, text: image_text(image) });
        place.quote.marks.push(Mark {
            line: 0,
            key: field.key(),
            label: String::new(),
            primary: true,
        });
        place
    }

    /// A command between passes.
    pub fn step(step: &StepRef, text: String, key: &'static str, device: &DeviceModel) -> Self {
        let place = Self {
            location: Location {
                device: device.name.to_string(),
                frame: Some(step.frame),
                ..Location::default()
            },
            ..Self::default()
        };
        place.quoted(step, text, key)
    }

    /// Quotes a step, where nothing is quoted yet.
    pub(crate) fn quoted(mut self, step: &StepRef, text: String, key: &'static str) -> Self {
        self.quote.lines.push(QuoteLine { number: step.line.0, text });
        self.quote.marks.push(Mark { line: 0, key, label: String::new(), primary: true });
        self
    }

    /// Adds a quoted line that explains the mistake.
    #[must_use]
    pub fn explained(mut self, line: Line, text: String, key: &'static str, label: &str) -> Self {
        self.quote.lines.push(QuoteLine { number: line.0, text });
        let line = self.quote.lines.len() - 1;
        self.quote.marks.push(Mark { line, key, label: label.to_owned(), primary: false });
        self
    }

    /// Identity across runs and machines.
    pub fn fingerprint(&self, rule: &str) -> u64 {
        let aspect = self.location.aspect.map(aspect_word).unwrap_or_default();
        let own = self.location.field.unwrap_or_default();
        let field = if self.identity.is_empty() { own } else { self.identity };
        let mut text = String::with_capacity(128);
        text.push_str(rule);
        text.push('\n');
        if let Some(key) = self.location.pass_key {
            let digit = |at: u32| char::from_digit((key >> (4 * at)) as u32 & 15, 16);
            text.extend((0..16).rev().filter_map(digit));
        }
        for part in [&self.object, aspect, field] {
            text.push('\n');
            text.push_str(part);
        }
        xxh64(text.as_bytes(), 0)
    }
}

/// Fields that findings point to, by their key in the listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// `load`.
    Load,
    /// `store`.
    Store,
    /// `stencil_load`.
    StencilLoad,
    /// `stencil_store`.
    StencilStore,
    /// `resolve`.
    Resolve,
    /// `resolve_mode`.
    ResolveMode,
    /// `initial`.
    Initial,
    /// `usage` of an image.
    Usage,
    /// `memory` of an image.
    Memory,
    /// `src_stage`, `dst_stage` and so on of a dependency.
    Dependency(&'static str, &'static str),
    /// Any other: listing key and API name.
    Other(&'static str, &'static str),
}

impl Field {
    /// The load op of an aspect.
    pub fn load_of(aspect: Aspect) -> Self {
        if aspect == Aspect::Stencil { Self::StencilLoad } else { Self::Load }
    }

    /// The store op of an aspect.
    pub fn store_of(aspect: Aspect) -> Self {
        if aspect == Aspect::Stencil { Self::StencilStore } else { Self::Store }
    }

    /// Key in a listing.
    pub fn key(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Store => "store",
            Self::StencilLoad => "stencil_load",
            Self::StencilStore => "stencil_store",
            Self::Resolve => "resolve",
            Self::ResolveMode => "resolve_mode",
            Self::Initial => "initial",
            Self::Usage => "usage",
            Self::Memory => "memory",
            Self::Dependency(key, _) | Self::Other(key, _) => key,
        }
    }

    /// Name in the API. Dynamic rendering has one op per attachment structure.
    pub fn api(self, via: Via) -> &'static str {
        let dynamic = via == Via::Dynamic;
        match self {
            Self::Load => "loadOp",
            Self::Store => "storeOp",
            Self::StencilLoad if dynamic => "loadOp",
            Self::StencilStore if dynamic => "storeOp",
            Self::StencilLoad => "stencilLoadOp",
            Self::StencilStore => "stencilStoreOp",
            Self::Resolve if dynamic => "resolveImageView",
            Self::Resolve => "pResolveAttachments",
            Self::ResolveMode => "resolveMode",
            Self::Initial => "initialLayout",
            Self::Usage => "usage",
            Self::Memory => "memory type",
            Self::Dependency(_, api) | Self::Other(_, api) => api,
        }
    }
}

fn call_of(via: Via) -> &'static str {
    match via {
        Via::Rp1 => "vkCreateRenderPass",
        Via::Rp2 => "vkCreateRenderPass2",
        Via::Dynamic => "vkCmdBeginRendering",
    }
}

/// Word of an aspect in reports and listings.
pub fn aspect_word(aspect: Aspect) -> &'static str {
    match aspect {
        Aspect::Color => "color",
        Aspect::Depth => "depth",
        Aspect::Stencil => "stencil",
    }
}

/// Word of an aspect in sentences.
pub fn aspect_text(aspect: Aspect) -> &'static str {
    match aspect {
        Aspect::Color => "colour",
        Aspect::Depth => "depth",
        Aspect::Stencil => "stencil",
    }
}

/// Word of a load op.
pub fn load_word(load: Option<vk::AttachmentLoadOp>) -> &'static str {
    match load {
        Some(vk::AttachmentLoadOp::LOAD) => "LOAD",
        Some(vk::AttachmentLoadOp::CLEAR) => "CLEAR",
        Some(vk::AttachmentLoadOp::DONT_CARE) => "DONT_CARE",
        Some(vk::AttachmentLoadOp::NONE_EXT) => "NONE",
        _ => "?",
    }
}

/// Word of a store op.
pub fn store_word(store: Option<vk::AttachmentStoreOp>) -> &'static str {
    match store {
        Some(vk::AttachmentStoreOp::STORE) => "STORE",
        Some(vk::AttachmentStoreOp::DONT_CARE) => "DONT_CARE",
        Some(vk::AttachmentStoreOp::NONE) => "NONE",
        _ => "?",
    }
}

/// Makes an identifier of a listing from a name.
pub fn identifier(name: &str) -> String {
    let mut out: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '_' })
        .collect();
    if !out.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        out.insert(0, '_');
    }
    out
}

fn attach_text(attachment: &Attachment, all: &[Attachment]) -> String {
    let mut text = format!("  attach {}", identifier(&attachment.name()));
    let both = attachment.aspects.len() == 2;
    for ops in &attachment.aspects {
        let prefix = if ops.aspect == Aspect::Stencil && both { "stencil_" } else { "" };
        let prefix = if ops.aspect == Aspect::Stencil && !both { "stencil_" } else { prefix };
        if ops.named {
            let _ = write!(
                text,
                " {prefix}load={} {prefix}store={}",
                load_word(ops.load),
                store_word(ops.store)
            );
        }
    }
    let target = attachment.resolves.last().and_then(|r| all.get(r.target as usize));
    if let Some(target) = target {
        let _ = write!(text, " resolve={}", identifier(&target.name()));
    }
    text
}

/// Prints flags as a listing does: Vulkan's words joined by `|`.
pub fn flag_words(debug: &impl std::fmt::Debug) -> String {
    let text = format!("{debug:?}").replace(" | ", "|");
    let words = text.split('|').map(|word| {
        let mut word = word;
        for suffix in ["_KHR", "_EXT", "_QCOM", "_ARM", "_NV", "_HUAWEI"] {
            word = word.strip_suffix(suffix).unwrap_or(word);
        }
        word
    });
    let text = words.collect::<Vec<_>>().join("|");
    if text.is_empty() { "0".to_owned() } else { text }
}

fn image_text(image: &Image) -> String {
    let info = &image.info;
    let mut text = format!(
        "image {} format={:?} extent={}x{} usage={}",
        identifier(&image.name.text),
        info.format,
        info.extent.width,
        info.extent.height,
        flag_words(&info.usage)
    );
    if info.layers > 1 {
        let _ = write!(text, " layers={}", info.layers);
    }
    if info.mips > 1 {
        let _ = write!(text, " mips={}", info.mips);
    }
    if info.samples > 1 {
        let _ = write!(text, " samples={}", info.samples);
    }
    text
}
