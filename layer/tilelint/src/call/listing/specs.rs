//! Lines of passes as they are written: attachments, subpasses, dependencies.

use ash::vk;

use super::refs::split_layout;
use super::row::{Done, Row};
use super::scene::{Scene, is_name};
use super::value::{Bad, F, Mask, Read, Value, W, choices, number, split};
use super::words::write_word;
use crate::call::*;

choices! {
    Via { Via::Rp1 = "rp1", Via::Rp2 = "rp2", Via::Dynamic = "dynamic" }
    Contents {
        Contents::Inline = "inline", Contents::Secondary = "secondary", Contents::Both = "both",
    }
}

/// Part that an attachment plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Color,
    DepthStencil,
    Depth,
    Stencil,
    Resolve,
    Input,
    Density,
    ShadingRate,
    None,
}

const ROLES: [(&str, Role); 9] = [
    ("color", Role::Color),
    ("depth_stencil", Role::DepthStencil),
    ("depth", Role::Depth),
    ("stencil", Role::Stencil),
    ("resolve", Role::Resolve),
    ("input", Role::Input),
    ("density", Role::Density),
    ("shading_rate", Role::ShadingRate),
    ("none", Role::None),
];

impl Value for Role {
    fn read(text: &str, _: &mut Scene) -> Read<Self> {
        let word = if text == "colour" { "color" } else { text };
        let found = ROLES.iter().find(|(name, _)| *name == word);
        found
            .map(|(_, role)| *role)
            .ok_or_else(|| Bad::word("role", text, ROLES.iter().map(|(name, _)| *name)))
    }

    fn write(&self, _: &mut Scene) -> String {
        ROLES.iter().find(|(_, role)| role == self).map_or("none", |(name, _)| *name).to_owned()
    }
}

/// Roles of an attachment: mostly one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Roles(pub Vec<Role>);

impl Value for Roles {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        let read = |(at, part): (usize, &str)| Role::read(part, scene).map_err(|b| b.at(at));
        split(text, b',').into_iter().map(read).collect::<Read<_>>().map(Self)
    }

    fn write(&self, scene: &mut Scene) -> String {
        self.0.iter().map(|role| role.write(scene)).collect::<Vec<_>>().join(",")
    }
}

/// A number of a clear value, whose type the format decides.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Raw(u32),
    Float(f32),
    Int(i64),
}

/// A clear value as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ClearValue(Vec<Part>);

impl ClearValue {
    /// The raw words; a number without a point is a float unless the format says otherwise.
    pub fn words(&self, format: vk::Format) -> [u32; 4] {
        let integer = super::format::is_integer(format);
        let color = super::format::aspects(format).contains(vk::ImageAspectFlags::COLOR);
        let undefined = format == vk::Format::UNDEFINED;
        let mut words = [0; 4];
        for (i, (word, part)) in words.iter_mut().zip(&self.0).enumerate() {
            let whole = if color || undefined { integer } else { i > 0 };
            *word = match *part {
                Part::Raw(raw) => raw,
                Part::Float(float) => float.to_bits(),
                Part::Int(int) if whole => int as u32,
                Part::Int(int) => (int as f32).to_bits(),
            };
        }
        words
    }

    /// The value that has these raw words for every format.
    pub fn of(words: [u32; 4]) -> Self {
        let count = if words[2..] == [0, 0] { 2 } else { 4 };
        let part = |word: &u32| {
            let float = f32::from_bits(*word);
            match *word {
                0 => Part::Int(0),
                _ if float.is_finite() && (1e-6..1e9).contains(&float.abs()) => Part::Float(float),
                raw => Part::Raw(raw),
            }
        };
        Self(words[..count].iter().map(part).collect())
    }
}

impl Value for ClearValue {
    fn read(text: &str, _: &mut Scene) -> Read<Self> {
        let mut parts = Vec::new();
        for (at, part) in split(text, b',') {
            let raw = part.starts_with("0x").then(|| number(part)).flatten();
            let raw = raw.and_then(|n| u32::try_from(n).ok()).map(Part::Raw);
            let int = || part.parse::<i64>().ok().map(Part::Int);
            let float = || part.parse::<f32>().ok().map(Part::Float);
            let bad = || Bad::new(format!("{part:?} is not a number")).at(at);
            parts.push(raw.or_else(int).or_else(float).ok_or_else(bad)?);
        }
        if parts.len() > 4 {
            return Err(Bad::new("a clear value has at most four numbers"));
        }
        Ok(Self(parts))
    }

    fn write(&self, _: &mut Scene) -> String {
        let part = |part: &Part| match part {
            Part::Raw(raw) => format!("{raw:#x}"),
            Part::Float(float) => format!("{float:?}"),
            Part::Int(int) => int.to_string(),
        };
        self.0.iter().map(part).collect::<Vec<_>>().join(",")
    }
}

/// A name that is looked up later.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Named(pub String);

impl Value for Named {
    fn read(text: &str, _: &mut Scene) -> Read<Self> {
        Ok(Self(text.to_owned()))
    }

    fn write(&self, _: &mut Scene) -> String {
        self.0.clone()
    }
}

/// A label: a name that stands for no object.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Label(pub String);

impl Value for Label {
    fn read(text: &str, _: &mut Scene) -> Read<Self> {
        if is_name(text) || number(text).is_some() {
            return Ok(Self(text.to_owned()));
        }
        Err(Bad::new(format!("{text:?} cannot be a label")))
    }

    fn write(&self, _: &mut Scene) -> String {
        self.0.clone()
    }
}

/// The text of a label; none where it is a number.
pub(super) fn label_text(label: Option<Label>) -> Option<Box<str>> {
    label.filter(|label| number(&label.0).is_none()).map(|label| label.0.into())
}

/// An `attach` line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AttachSpec {
    pub subject: String,
    pub label: Option<Label>,
    pub load: Option<W<vk::AttachmentLoadOp>>,
    pub store: Option<W<vk::AttachmentStoreOp>>,
    pub stencil_load: Option<W<vk::AttachmentLoadOp>>,
    pub stencil_store: Option<W<vk::AttachmentStoreOp>>,
    pub roles: Option<Roles>,
    pub resolve: Option<Named>,
    pub resolve_mode: Option<F<vk::ResolveModeFlags>>,
    pub stencil_resolve_mode: Option<F<vk::ResolveModeFlags>>,
    pub resolve_layout: Option<W<vk::ImageLayout>>,
    pub initial: Option<W<vk::ImageLayout>>,
    pub final_: Option<W<vk::ImageLayout>>,
    pub stencil_layouts: Option<Vec<W<vk::ImageLayout>>>,
    pub layout: Option<W<vk::ImageLayout>>,
    pub clear: Option<ClearValue>,
    pub flags: vk::AttachmentDescriptionFlags,
    pub format: Option<W<vk::Format>>,
    pub samples: u32,
    pub line: Line,
    /// Column of the subject.
    pub column: usize,
}

impl Default for AttachSpec {
    fn default() -> Self {
        Self {
            subject: String::new(),
            label: None,
            load: Some(W(vk::AttachmentLoadOp::DONT_CARE)),
            store: Some(W(vk::AttachmentStoreOp::DONT_CARE)),
            stencil_load: Some(W(vk::AttachmentLoadOp::DONT_CARE)),
            stencil_store: Some(W(vk::AttachmentStoreOp::DONT_CARE)),
            roles: None,
            resolve: None,
            resolve_mode: None,
            stencil_resolve_mode: None,
            resolve_layout: None,
            initial: None,
            final_: None,
            stencil_layouts: None,
            layout: None,
            clear: None,
            flags: vk::AttachmentDescriptionFlags::empty(),
            format: None,
            samples: 1,
            line: Line(0),
            column: 0,
        }
    }
}

/// Where an `attach` line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In a `renderpass` block.
    RenderPass,
    /// In a `pass` block without `of=`.
    Pass,
    /// In a `pass` block with `of=`: clear values only.
    Clear,
}

/// `attach`.
pub(super) fn attach(row: &mut Row, spec: &mut AttachSpec, place: Place) -> Done {
    if place == Place::RenderPass {
        let mut subject = Label(spec.subject.clone());
        row.subject("attachment", &mut subject)?;
        spec.subject = subject.0;
    } else {
        let mut subject = Named(spec.subject.clone());
        row.subject("attachment", &mut subject)?;
        spec.subject = subject.0;
    }
    if place == Place::Clear {
        return row.maybe("clear", &mut spec.clear);
    }
    row.known("load", &mut spec.load, None)?;
    row.known("store", &mut spec.store, None)?;
    let (load, store) = (vk::AttachmentLoadOp::DONT_CARE, vk::AttachmentStoreOp::DONT_CARE);
    row.known("stencil_load", &mut spec.stencil_load, Some(W(load)))?;
    row.known("stencil_store", &mut spec.stencil_store, Some(W(store)))?;
    row.maybe("as", &mut spec.roles)?;
    row.maybe("resolve", &mut spec.resolve)?;
    row.maybe("resolve_mode", &mut spec.resolve_mode)?;
    row.maybe("stencil_resolve_mode", &mut spec.stencil_resolve_mode)?;
    row.maybe("resolve_layout", &mut spec.resolve_layout)?;
    row.maybe("initial", &mut spec.initial)?;
    row.maybe("final", &mut spec.final_)?;
    row.maybe("stencil_layouts", &mut spec.stencil_layouts)?;
    row.maybe("layout", &mut spec.layout)?;
    row.maybe("clear", &mut spec.clear)?;
    row.f("flags", &mut spec.flags, Some(vk::AttachmentDescriptionFlags::empty()))?;
    if place == Place::RenderPass {
        let mut format = spec.format.unwrap_or(W(vk::Format::UNDEFINED));
        row.req("format", &mut format)?;
        spec.format = Some(format);
        row.opt("samples", &mut spec.samples, 1)?;
    }
    row.maybe("label", &mut spec.label)
}

/// A use of an attachment in a subpass: `albedo`, `2`, `depth:GENERAL`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Use {
    pub name: String,
    pub layout: Option<vk::ImageLayout>,
}

impl Value for Use {
    fn read(text: &str, _: &mut Scene) -> Read<Self> {
        let (name, layout) = split_layout(text)?;
        Ok(Self { name: name.to_owned(), layout })
    }

    fn write(&self, _: &mut Scene) -> String {
        match self.layout {
            Some(layout) => format!("{}:{}", self.name, write_word(layout)),
            None => self.name.clone(),
        }
    }
}

/// A `subpass` line.
#[derive(Clone, Debug, PartialEq, Default)]
pub(super) struct SubpassSpec {
    pub label: Box<str>,
    pub color: Vec<Option<Use>>,
    pub input: Vec<Option<Use>>,
    pub depth: Option<Use>,
    pub resolve: Vec<Option<Use>>,
    pub depth_resolve: Option<Use>,
    pub depth_mode: Option<F<vk::ResolveModeFlags>>,
    pub stencil_mode: Option<F<vk::ResolveModeFlags>>,
    pub preserve: Vec<Named>,
    pub shading_rate: Option<Use>,
    pub views: Option<Mask>,
    pub flags: vk::SubpassDescriptionFlags,
    pub input_aspects: Vec<Option<F<vk::ImageAspectFlags>>>,
    pub merge: Option<W<vk::SubpassMergeStatusEXT>>,
    pub merge_index: u32,
    pub merge_text: Box<str>,
    pub line: Line,
}

/// `subpass`. Says in `unknown` of the row what is not known.
pub(super) fn subpass(row: &mut Row, spec: &mut SubpassSpec) -> Done {
    let mut label = is_name(&spec.label).then(|| Label(spec.label.to_string()));
    row.word(&mut label)?;
    spec.label = label_text(label).unwrap_or_default();
    row.opt("color", &mut spec.color, Vec::new())?;
    row.opt("input", &mut spec.input, Vec::new())?;
    row.maybe("depth", &mut spec.depth)?;
    row.opt("resolve", &mut spec.resolve, Vec::new())?;
    row.maybe("depth_resolve", &mut spec.depth_resolve)?;
    row.maybe("depth_resolve_mode", &mut spec.depth_mode)?;
    row.maybe("stencil_resolve_mode", &mut spec.stencil_mode)?;
    row.opt("preserve", &mut spec.preserve, Vec::new())?;
    row.maybe("shading_rate", &mut spec.shading_rate)?;
    row.maybe("views", &mut spec.views)?;
    row.f("flags", &mut spec.flags, Some(vk::SubpassDescriptionFlags::empty()))?;
    row.opt("input_aspects", &mut spec.input_aspects, Vec::new())?;
    if row.reading() || spec.merge.is_some() {
        row.maybe("merge", &mut spec.merge)?;
        row.opt("merge_index", &mut spec.merge_index, 0)?;
        row.opt("merge_text", &mut spec.merge_text, "".into())?;
    }
    Ok(())
}

/// `dependency 0->1`; labels of subpasses are looked up by `find`.
pub(super) fn dependency(
    row: &mut Row,
    spec: &mut Dependency,
    find: impl Fn(&str) -> Option<u32>,
) -> Done {
    if row.reading() {
        let token = row.take_word().ok_or_else(|| row.error("`0->1` is missing"))?;
        let side = |text: &str, at: usize| match text {
            "external" => Ok(SUBPASS_EXTERNAL),
            _ => {
                number(text).and_then(|n| u32::try_from(n).ok()).or_else(|| find(text)).ok_or_else(
                    || row.bad_token(&token, Bad::new(format!("unknown subpass {text:?}")).at(at)),
                )
            }
        };
        let Some((src, dst)) = token.value.split_once("->") else {
            return Err(row.bad_token(&token, Bad::new("subpasses are written as 0->1")));
        };
        let (from, to) = (side(src, 0)?, side(dst, src.len() + 2)?);
        (spec.src, spec.dst) = (from, to);
    } else {
        let side = |n: u32| match n {
            SUBPASS_EXTERNAL => "external".to_owned(),
            n => n.to_string(),
        };
        row.put_word(&format!("{}->{}", side(spec.src), side(spec.dst)));
    }
    row.f("src_stage", &mut spec.src_stage, None)?;
    row.f("dst_stage", &mut spec.dst_stage, None)?;
    row.f("src_access", &mut spec.src_access, Some(vk::AccessFlags2::empty()))?;
    row.f("dst_access", &mut spec.dst_access, Some(vk::AccessFlags2::empty()))?;
    row.f("flags", &mut spec.flags, Some(vk::DependencyFlags::empty()))?;
    row.opt("view_offset", &mut spec.view_offset, 0)?;
    let to = |wide: &bool| if *wide { 64u32 } else { 32 };
    row.with("masks", &mut spec.masks_64, Some(false), to, |n| n == 64)
}

/// An empty dependency.
pub(super) fn blank_dependency(line: Line) -> Dependency {
    Dependency {
        src: SUBPASS_EXTERNAL,
        dst: 0,
        src_stage: vk::PipelineStageFlags2::empty(),
        dst_stage: vk::PipelineStageFlags2::empty(),
        src_access: vk::AccessFlags2::empty(),
        dst_access: vk::AccessFlags2::empty(),
        flags: vk::DependencyFlags::empty(),
        view_offset: 0,
        masks_64: false,
        line,
    }
}
