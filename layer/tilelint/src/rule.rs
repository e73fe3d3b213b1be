//! What a rule is, and what it may ask.

use std::fmt::Write as _;
use std::sync::Arc;

use ash::vk;
use xxhash_rust::xxh32::xxh32;
use xxhash_rust::xxh64::xxh64;

use crate::call::Line;
use crate::finding::*;
use crate::format::Aspect;
use crate::model::{
    AspectOps, Attachment, DeviceModel, Frame, Image, Pass, StepRef, without_digits,
};
use crate::profile::Profile;

/// Chapters of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// Loads and stores.
    LoadStore,
    /// Multisampling and resolves.
    Resolve,
    /// Memory that need not exist.
    Transient,
    /// Passes and subpasses that could be one.
    Merging,
    /// What fits into a tile.
    TileBudget,
    /// Fragment density and shading rate.
    Foveation,
    /// Synchronisation.
    Sync,
    /// Swapchains.
    Presentation,
    /// Work of the API itself.
    ApiWork,
    /// Hidden-surface removal.
    HiddenSurface,
    /// Broken content.
    Correctness,
}

impl Group {
    /// All groups, in the order of the catalogue.
    pub const ALL: [Self; 11] = [
        Self::LoadStore,
        Self::Resolve,
        Self::Transient,
        Self::Merging,
        Self::TileBudget,
        Self::Foveation,
        Self::Sync,
        Self::Presentation,
        Self::ApiWork,
        Self::HiddenSurface,
        Self::Correctness,
    ];

    /// Returns the name of settings and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::LoadStore => "load-store",
            Self::Resolve => "resolve",
            Self::Transient => "transient",
            Self::Merging => "merging",
            Self::TileBudget => "tile-budget",
            Self::Foveation => "foveation",
            Self::Sync => "sync",
            Self::Presentation => "presentation",
            Self::ApiWork => "api-work",
            Self::HiddenSurface => "hidden-surface",
            Self::Correctness => "correctness",
        }
    }

    /// The group speaks of tiles and what leaves them, so it is silent on immediate-mode targets.
    pub fn is_about_tiles(self) -> bool {
        matches!(
            self,
            Self::LoadStore
                | Self::Resolve
                | Self::Transient
                | Self::Merging
                | Self::TileBudget
                | Self::Foveation
        )
    }
}

/// How much a check sees.
#[derive(Clone, Copy)]
pub enum Check {
    /// A pass, the first time each variant of it is executed.
    Pass(fn(&Pass, &mut Cx<'_>)),
    /// A steady frame.
    Frame(fn(&Frame, &mut Cx<'_>)),
}

/// A rule: a value with plain functions.
pub struct Rule {
    /// Name, reads as "allow X".
    pub name: &'static str,
    /// Chapter.
    pub group: Group,
    /// Default level.
    pub level: Level,
    /// Best evidence it rests on.
    pub tier: Tier,
    /// Rules that become notes under this one where they meet the same cause.
    pub folds: &'static [&'static str],
    /// It judges broken content, which has no size and breaks on every GPU.
    pub correctness: bool,
    /// First version that has it.
    pub since: &'static str,
    /// Its page: documentation and test.
    pub page: &'static str,
    /// Checks.
    pub checks: &'static [Check],
}

impl Rule {
    /// Message id number: XXH32 of the name, seed 8, as the Khronos validation layer has it.
    pub fn id(&self) -> u32 {
        xxh32(self.name.as_bytes(), 8)
    }

    /// First paragraph of the page.
    pub fn summary(&self) -> &'static str {
        self.page
            .lines()
            .find(|line| !line.is_empty() && !line.starts_with('#'))
            .unwrap_or_default()
    }
}

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
    /// Objects concerned.
    pub objects: Vec<(crate::call::Object, String)>,
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
        place.quote.marks.push(Mark {
            line: 0,
            key: field.key(),
            label: String::new(),
            primary: true,
        });
        place
    }

    /// An image, wherever it is used.
    pub fn image(image: &Image, field: Field, device: &DeviceModel) -> Self {
        let mut place = Self {
            location: Location {
                device: device.name.to_string(),
                image: Some(image.name.text.to_string()),
                field: Some(field.api(crate::call::Via::Rp2)),
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
        let mut place = Self {
            location: Location {
                device: device.name.to_string(),
                frame: Some(step.frame),
                ..Location::default()
            },
            ..Self::default()
        };
        place.quote.lines.push(QuoteLine { number: step.line.0, text });
        place.quote.marks.push(Mark { line: 0, key, label: String::new(), primary: true });
        place
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
        let key = self.location.pass_key.map(|key| format!("{key:016x}")).unwrap_or_default();
        let field = self.location.field.unwrap_or_default();
        xxh64(format!("{rule}\n{key}\n{}\n{aspect}\n{field}", self.object).as_bytes(), 0)
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
    pub fn api(self, via: crate::call::Via) -> &'static str {
        let dynamic = via == crate::call::Via::Dynamic;
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

fn call_of(via: crate::call::Via) -> &'static str {
    match via {
        crate::call::Via::Rp1 => "vkCreateRenderPass",
        crate::call::Via::Rp2 => "vkCreateRenderPass2",
        crate::call::Via::Dynamic => "vkCmdBeginRendering",
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

/// What a rule says of one place, for one target.
#[derive(Clone, Debug)]
pub struct Report {
    /// Where.
    pub place: Place,
    /// How sure.
    pub confidence: Confidence,
    /// What: lower case, no full stop.
    pub message: String,
    /// Why.
    pub why: Vec<String>,
    /// Ways to mend it, best first.
    pub fixes: Vec<Fix>,
    /// What it costs.
    pub cost: Cost,
    /// What a `likely` verdict assumes.
    pub assumes: Vec<String>,
    /// It is told at most at this level, and why.
    pub at_most: Option<Level>,
    /// Steady frames that already prove it; 0 where the engine has to count.
    pub seen_over: u32,
    /// Evidence of this finding, where it is weaker than the rule's.
    pub tier: Option<Tier>,
}

impl Report {
    /// Makes a report; the duties of a message cannot be forgotten.
    pub fn new(
        place: Place,
        confidence: Confidence,
        message: impl Into<String>,
        why: impl Into<String>,
        fix: Fix,
    ) -> Self {
        Self {
            place,
            confidence,
            message: message.into(),
            why: vec![why.into()],
            fixes: vec![fix],
            cost: Cost::default(),
            assumes: Vec::new(),
            at_most: None,
            seen_over: 0,
            tier: None,
        }
    }

    /// Says what it costs.
    #[must_use]
    pub fn cost(mut self, cost: Cost) -> Self {
        self.cost = cost;
        self
    }

    /// Adds a reason.
    #[must_use]
    pub fn why(mut self, why: impl Into<String>) -> Self {
        self.why.push(why.into());
        self
    }

    /// Adds an alternative fix.
    #[must_use]
    pub fn or_fix(mut self, fix: Fix) -> Self {
        self.fixes.push(fix);
        self
    }

    /// Names an assumption.
    #[must_use]
    pub fn assume(mut self, what: impl Into<String>) -> Self {
        self.assumes.push(what.into());
        self
    }

    /// Lowers this finding, and says why.
    #[must_use]
    pub fn at_most(mut self, level: Level, reason: impl Into<String>) -> Self {
        self.at_most = Some(self.at_most.map_or(level, |now| now.min(level)));
        let reason = reason.into();
        if !reason.is_empty() {
            self.why.push(reason);
        }
        self
    }

    /// Steady frames over which it was proven.
    #[must_use]
    pub fn seen_over(mut self, frames: u32) -> Self {
        self.seen_over = frames;
        self
    }

    /// Says that this finding rests on weaker evidence than the rule's best.
    #[must_use]
    pub fn tier(mut self, tier: Tier) -> Self {
        self.tier = Some(tier);
        self
    }
}

impl Fix {
    /// A fix in words alone.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), edits: Vec::new() }
    }

    /// Adds an edit.
    #[must_use]
    pub fn edit(mut self, edit: Edit) -> Self {
        self.edits.push(edit);
        self
    }
}

/// An edit of an op of an attachment.
pub fn edit_op(pass: &Pass, attachment: &Attachment, field: Field, from: &str, to: &str) -> Edit {
    Edit {
        object: EditObject::Attachment,
        name: attachment.name(),
        pass: Some(pass.name.to_string()),
        slot: Some(attachment.slot),
        field: field.api(pass.shape.via),
        from: from.to_owned(),
        to: to.to_owned(),
    }
}

/// An edit of an image.
pub fn edit_image(image: &Image, field: Field, from: &str, to: &str) -> Edit {
    Edit {
        object: EditObject::Image,
        name: image.name.text.to_string(),
        pass: None,
        slot: None,
        field: field.api(crate::call::Via::Rp2),
        from: from.to_owned(),
        to: to.to_owned(),
    }
}

/// What a check may ask, and where it reports.
pub struct Cx<'a> {
    /// The target.
    pub profile: &'a Profile,
    /// The device.
    pub device: &'a DeviceModel,
    /// Reports of this check.
    pub reports: Vec<Report>,
}

impl Cx<'_> {
    /// Reports a finding.
    pub fn report(&mut self, report: Report) {
        self.reports.push(report);
    }

    /// Bytes that storing one aspect costs this target: of a combined format kept in one plane,
    /// the plane is stored once, for both aspects.
    pub fn aspect_bytes(&self, pass: &Pass, attachment: &Attachment, aspect: Aspect) -> u64 {
        pass.shape.aspect_bytes(attachment, aspect).unwrap_or(0)
    }

    /// Says whether dropping one aspect's traffic saves nothing while the other's remains.
    pub fn one_plane(&self, attachment: &Attachment) -> bool {
        self.profile.depth_stencil_one_plane() && attachment.format == vk::Format::D24_UNORM_S8_UINT
    }
}

/// Walks over the aspects of the attachments of a frame that the passes really use.
pub fn used_aspects(
    frame: &Frame,
) -> impl Iterator<Item = (&Pass, &Attachment, usize, &AspectOps)> {
    frame.passes().flat_map(|pass| {
        pass_aspects(pass).map(move |(attachment, plane, ops)| (pass, attachment, plane, ops))
    })
}

/// Walks over the aspects of the attachments that a pass really uses.
pub fn pass_aspects(pass: &Pass) -> impl Iterator<Item = (&Attachment, usize, &AspectOps)> {
    let known = !pass.shape.opaque;
    pass.shape.attachments.iter().filter(move |a| known && !a.is_rate()).flat_map(|attachment| {
        let aspects = attachment.aspects.iter().enumerate();
        aspects.filter(|(_, ops)| ops.named).map(move |(plane, ops)| (attachment, plane, ops))
    })
}

/// Says when a step happened, seen from another.
pub fn when(step: &Arc<StepRef>, from_frame: u64) -> &'static str {
    match step.frame.checked_sub(from_frame) {
        Some(0) => "later in the frame",
        Some(1) => "the next frame",
        _ => "a later frame",
    }
}
