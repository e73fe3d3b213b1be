//! Lines that make objects: the keys of each, for reading and writing.

use ash::vk;

use super::refs::{ImagePart, Sub, whole_view};
use super::row::{Done, Row};
use super::scene::Scene;
use super::value::{Bad, Bytes, F, Hex, Plain, Read, Span, Value, W, choices, number, split};
use super::words::{read_bits, read_word};
use crate::call::*;

/// Where an image lies, or who made it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum ImageMemory {
    None,
    Kind(MemoryKind),
    Made(ImageOrigin),
}

const KINDS: [(&str, MemoryKind); 4] = [
    ("device", MemoryKind::Device),
    ("lazy", MemoryKind::Lazy),
    ("host", MemoryKind::Host),
    ("external", MemoryKind::External),
];

const MAKERS: [(&str, ImageOrigin); 3] = [
    ("xr", ImageOrigin::Xr),
    ("tile", ImageOrigin::TileMemory),
    ("swapchain", ImageOrigin::Swapchain),
];

impl Value for MemoryKind {
    fn read(text: &str, _: &mut Scene) -> Read<Self> {
        let named = KINDS.iter().find(|(word, _)| *word == text).map(|(_, kind)| *kind);
        let index = || number(text).and_then(|n| u32::try_from(n).ok()).map(Self::Type);
        named
            .or_else(index)
            .ok_or_else(|| Bad::word("memory", text, KINDS.iter().map(|(word, _)| *word)))
    }

    fn write(&self, _: &mut Scene) -> String {
        match (self, KINDS.iter().find(|(_, kind)| kind == self)) {
            (_, Some((word, _))) => (*word).to_owned(),
            (Self::Type(index), None) => index.to_string(),
            _ => "device".to_owned(),
        }
    }
}

impl Value for ImageMemory {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        if text == "none" {
            return Ok(Self::None);
        }
        if let Some((_, maker)) = MAKERS.iter().find(|(word, _)| *word == text) {
            return Ok(Self::Made(*maker));
        }
        let words = KINDS.iter().map(|(w, _)| *w).chain(["none"]);
        let words = words.chain(MAKERS.iter().map(|(w, _)| *w));
        MemoryKind::read(text, scene).map(Self::Kind).map_err(|_| Bad::word("memory", text, words))
    }

    fn write(&self, scene: &mut Scene) -> String {
        match self {
            Self::None => "none".to_owned(),
            Self::Kind(kind) => kind.write(scene),
            Self::Made(origin) => {
                MAKERS.iter().find(|(_, o)| o == origin).map_or("none", |(w, _)| *w).to_owned()
            }
        }
    }
}

/// `image`: `memory` holds what `memory=KIND` says, whether declared whole or not.
pub(super) fn image(row: &mut Row, info: &mut ImageInfo) -> Done {
    row.w("format", &mut info.format, None)?;
    row.req("extent", &mut info.extent)?;
    row.f("usage", &mut info.usage, None)?;
    row.opt("layers", &mut info.layers, 1)?;
    row.opt("mips", &mut info.mips, 1)?;
    row.opt("samples", &mut info.samples, 1)?;
    row.w("type", &mut info.kind, Some(vk::ImageType::TYPE_2D))?;
    row.f("flags", &mut info.flags, Some(vk::ImageCreateFlags::empty()))?;
    row.w("tiling", &mut info.tiling, Some(vk::ImageTiling::OPTIMAL))?;
    row.ws("view_formats", &mut info.view_formats, Some(Vec::new()))?;
    let mut memory = match (info.origin, info.memory) {
        (ImageOrigin::Application, Some(kind)) => ImageMemory::Kind(kind),
        (ImageOrigin::Application, None) => ImageMemory::None,
        (origin, _) => ImageMemory::Made(origin),
    };
    row.opt("memory", &mut memory, ImageMemory::Kind(MemoryKind::Device))?;
    row.w("layout", &mut info.layout, Some(vk::ImageLayout::UNDEFINED))?;
    row.opt("before", &mut info.before, false)?;
    let outside = memory == ImageMemory::Kind(MemoryKind::External);
    row.opt("external", &mut info.external, outside)?;
    if row.reading() || row.unknown.is_empty() {
        row.opt("opaque", &mut info.opaque, false)?;
    }
    if row.reading() {
        info.opaque |= !row.unknown.is_empty();
        (info.origin, info.memory) = match memory {
            _ if row.unknown.contains(&"memory") => (ImageOrigin::Application, None),
            ImageMemory::None => (ImageOrigin::Application, None),
            ImageMemory::Kind(kind) => (ImageOrigin::Application, Some(kind)),
            ImageMemory::Made(origin) => (origin, None),
        };
    }
    Ok(())
}

/// `memory`.
pub(super) fn memory(row: &mut Row, info: &mut MemoryInfo) -> Done {
    row.with("size", &mut info.size, None, |s| Bytes(*s), |b| b.0)?;
    row.req("type", &mut info.kind)?;
    let outside = info.kind == MemoryKind::External;
    row.opt("external", &mut info.external, outside)
}

/// `M+offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place(MemoryKey, u64);

impl Value for Place {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        let (name, offset) = text.split_once('+').unwrap_or((text, "0"));
        let key = MemoryKey::read(name, scene)?;
        let offset = Bytes::read(offset, scene).map_err(|bad| bad.at(name.len() + 1))?;
        Ok(Self(key, offset.0))
    }

    fn write(&self, scene: &mut Scene) -> String {
        format!("{}+{}", self.0.write(scene), Bytes(self.1).write(scene))
    }
}

/// `bind`, behind its subject.
pub(super) fn bind(row: &mut Row, info: &mut BindInfo) -> Done {
    let mut place = Place(info.memory, info.offset);
    row.req("memory", &mut place)?;
    (info.memory, info.offset) = (place.0, place.1);
    row.with("size", &mut info.size, Some(0), |s| Bytes(*s), |b| b.0)?;
    row.with(
        "allowed_types",
        &mut info.allowed_types,
        Some(0),
        |t| Hex(u64::from(*t)),
        |h| h.0 as u32,
    )
}

/// `view`.
pub(super) fn view(row: &mut Row, info: &mut ViewInfo) -> Done {
    let sub = Sub {
        base_mip: info.base_mip,
        mips: info.mips,
        base_layer: info.base_layer,
        layers: info.layers,
    };
    let mut of = ImagePart(info.image, sub);
    row.req("of", &mut of)?;
    let ImagePart(image, sub) = of;
    row.w("type", &mut info.kind, Some(vk::ImageViewType::TYPE_2D))?;
    row.w("format", &mut info.format, Some(vk::Format::UNDEFINED))?;
    row.f("aspect", &mut info.aspects, Some(vk::ImageAspectFlags::empty()))?;
    info.image = image;
    (info.base_mip, info.mips) = (sub.base_mip, sub.mips);
    (info.base_layer, info.layers) = (sub.base_layer, sub.layers);
    Ok(())
}

/// `buffer`.
pub(super) fn buffer(row: &mut Row, info: &mut BufferInfo) -> Done {
    row.with("size", &mut info.size, None, |s| Bytes(*s), |b| b.0)?;
    row.f("usage", &mut info.usage, None)?;
    let to = |m: &Option<MemoryKind>| m.map_or(ImageMemory::None, ImageMemory::Kind);
    row.with("memory", &mut info.memory, Some(Some(MemoryKind::Device)), to, |m| match m {
        ImageMemory::Kind(kind) => Some(kind),
        _ => None,
    })
}

/// `sampler`.
pub(super) fn sampler(row: &mut Row, info: &mut SamplerInfo) -> Done {
    row.w("min", &mut info.min, Some(vk::Filter::LINEAR))?;
    row.w("mag", &mut info.mag, Some(vk::Filter::LINEAR))?;
    row.w("mip", &mut info.mip, Some(vk::SamplerMipmapMode::NEAREST))?;
    row.w("address", &mut info.address, Some(vk::SamplerAddressMode::CLAMP_TO_EDGE))?;
    row.f("flags", &mut info.flags, Some(vk::SamplerCreateFlags::empty()))
}

/// `swapchain`; the number of images stands for their keys.
pub(super) fn swapchain(row: &mut Row, info: &mut SwapchainInfo, images: &mut u32) -> Done {
    row.w("format", &mut info.format, None)?;
    row.req("extent", &mut info.extent)?;
    row.opt("images", images, 3)?;
    row.f("usage", &mut info.usage, Some(vk::ImageUsageFlags::COLOR_ATTACHMENT))?;
    row.opt("layers", &mut info.layers, 1)?;
    row.w("mode", &mut info.mode, Some(vk::PresentModeKHR::FIFO))?;
    let identity = vk::SurfaceTransformFlagsKHR::IDENTITY;
    row.f("transform", &mut info.transform, Some(identity))?;
    let to = |t: &Option<vk::SurfaceTransformFlagsKHR>| t.map_or(Vec::new(), |t| vec![F(t)]);
    let from = |list: Vec<F<_>>| list.first().map(|f| f.0);
    row.with("current_transform", &mut info.current_transform, Some(Some(identity)), to, from)?;
    if row.reading() && row.unknown.contains(&"current_transform") {
        info.current_transform = None;
    }
    Ok(())
}

/// A view for an attachment: of an image, its first mip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Target(pub ViewKey);

impl Value for Target {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        match super::refs::view_or_image(text, scene)? {
            super::refs::Seen::View(key) => Ok(Self(key)),
            super::refs::Seen::Image(image, sub) => {
                let first = Sub { mips: 1, ..Sub::ALL };
                Ok(Self(whole_view(scene, image, Some(sub.unwrap_or(first)), None)))
            }
        }
    }

    fn write(&self, scene: &mut Scene) -> String {
        self.0.write(scene)
    }
}

/// Converts a list of views with holes.
pub(super) fn targets(views: &[Option<ViewKey>]) -> Vec<Option<Target>> {
    views.iter().map(|view| view.map(Target)).collect()
}

/// Formats of one attachment of an imageless framebuffer.
#[derive(Clone, Debug, PartialEq)]
struct Formats(Vec<vk::Format>);

impl Value for Formats {
    fn read(text: &str, _: &mut Scene) -> Read<Self> {
        if text == "-" {
            return Ok(Self(Vec::new()));
        }
        let read = |(at, part): (usize, &str)| read_word(part).map_err(|bad: Bad| bad.at(at));
        split(text, b'|').into_iter().map(read).collect::<Read<_>>().map(Self)
    }

    fn write(&self, scene: &mut Scene) -> String {
        if self.0.is_empty() {
            return "-".to_owned();
        }
        self.0.iter().map(|f| W(*f).write(scene)).collect::<Vec<_>>().join("|")
    }
}

/// `framebuffer`.
pub(super) fn framebuffer(row: &mut Row, info: &mut FramebufferInfo) -> Done {
    row.req("of", &mut info.render_pass)?;
    row.req("extent", &mut info.extent)?;
    let mut views = match &info.imageless {
        Some(list) => vec![None; list.len()],
        None => targets(&info.views),
    };
    row.req("views", &mut views)?;
    row.opt("layers", &mut info.layers, 1)?;
    let mut imageless = info.imageless.is_some();
    row.opt("imageless", &mut imageless, false)?;
    let list = info.imageless.take().unwrap_or_default();
    let mut formats: Vec<Formats> = list.iter().map(|a| Formats(a.formats.clone())).collect();
    let mut usages: Vec<F<vk::ImageUsageFlags>> = list.iter().map(|a| F(a.usage)).collect();
    let none = vk::ImageUsageFlags::empty();
    let count = views.len();
    let defaults = if imageless { count } else { 0 };
    row.opt("formats", &mut formats, vec![Formats(Vec::new()); defaults])?;
    row.opt("usages", &mut usages, vec![F(none); defaults])?;
    row.opt("tiles", &mut info.tiles, Vec::new())?;
    info.views = views.iter().map(|v| v.map(|v| v.0)).collect();
    if imageless {
        let count = count.max(formats.len()).max(usages.len());
        info.views.clear();
        let attachment = |i: usize| FramebufferAttachment {
            usage: usages.get(i).map_or(none, |u| u.0),
            formats: formats.get(i).map(|f| f.0.clone()).unwrap_or_default(),
        };
        info.imageless = Some((0..count).map(attachment).collect());
    }
    Ok(())
}

/// `shader`.
pub(super) fn shader(row: &mut Row, info: &mut ShaderInfo) -> Done {
    let mut file = Plain(info.file.clone());
    row.req("file", &mut file)?;
    info.file = file.0;
    row.f("stage", &mut info.stage, None)?;
    let mut entry = Plain(info.entry.clone());
    row.opt("entry", &mut entry, Plain("main".into()))?;
    info.entry = entry.0;
    Ok(())
}

impl Value for DescriptorBinding {
    fn read(text: &str, _: &mut Scene) -> Read<Self> {
        let parts = split(text, b':');
        let shape =
            || Bad::new(format!("{text:?} is not a binding (as 0:SAMPLED_IMAGE*16:FRAGMENT)"));
        if !(2..=4).contains(&parts.len()) {
            return Err(shape());
        }
        let count_of = |t: &str| number(t).and_then(|n| u32::try_from(n).ok()).ok_or_else(shape);
        let (kind, count) = parts[1].1.split_once('*').unwrap_or((parts[1].1, "1"));
        let bits = |i: usize| parts.get(i).copied().unwrap_or((0, "0"));
        let stages = if parts.len() == 2 { (0, "FRAGMENT") } else { bits(2) };
        Ok(Self {
            binding: count_of(parts[0].1)?,
            kind: read_word(kind).map_err(|bad| bad.at(parts[1].0))?,
            count: count_of(count)?,
            stages: read_bits(stages.1).map_err(|bad| bad.at(stages.0))?,
            flags: read_bits(bits(3).1).map_err(|bad| bad.at(bits(3).0))?,
        })
    }

    fn write(&self, scene: &mut Scene) -> String {
        let mut out = format!("{}:{}", self.binding, W(self.kind).write(scene));
        if self.count != 1 {
            out += &format!("*{}", self.count);
        }
        out += &format!(":{}", F(self.stages).write(scene));
        if !self.flags.is_empty() {
            out += &format!(":{}", F(self.flags).write(scene));
        }
        out
    }
}

/// `set-layout`.
pub(super) fn set_layout(row: &mut Row, info: &mut SetLayoutInfo) -> Done {
    row.f("flags", &mut info.flags, Some(vk::DescriptorSetLayoutCreateFlags::empty()))?;
    row.req("bindings", &mut info.bindings)
}

/// `pipeline-layout`.
pub(super) fn pipeline_layout(row: &mut Row, info: &mut PipelineLayoutInfo) -> Done {
    row.req("sets", &mut info.sets)?;
    row.with("push", &mut info.push_bytes, Some(0), |n| Span(0, *n), |span| span.1)
}

choices! {
    WriteVia {
        WriteVia::Update = "update", WriteVia::Template = "template", WriteVia::Copy = "copy",
    }
}

/// `write` and `push-set`, behind what they are about.
pub(super) fn write(row: &mut Row, info: &mut WriteInfo) -> Done {
    row.req("binding", &mut info.binding)?;
    row.w("type", &mut info.kind, None)?;
    row.opt("element", &mut info.element, 0)?;
    let mut lists: [Option<Vec<Descriptor>>; 3] = [const { None }; 3];
    if !row.reading() {
        let place = info.descriptors.iter().find_map(|d| match d {
            Descriptor::Image { .. } => Some(0),
            Descriptor::Buffer(_) => Some(1),
            Descriptor::Sampler(_) => Some(2),
            _ => None,
        });
        lists[place.unwrap_or(0)] = Some(info.descriptors.clone());
    }
    row.maybe("images", &mut lists[0])?;
    row.maybe("buffers", &mut lists[1])?;
    row.maybe("samplers", &mut lists[2])?;
    info.descriptors = lists.into_iter().flatten().flatten().collect();
    row.opt("via", &mut info.via, WriteVia::Update)
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum SemaphoreType {
    Binary,
    Timeline,
}

choices! {
    SemaphoreType { SemaphoreType::Binary = "BINARY", SemaphoreType::Timeline = "TIMELINE" }
}

/// `semaphore`.
pub(super) fn semaphore(row: &mut Row, info: &mut SemaphoreInfo) -> Done {
    let to = |timeline: &bool| match timeline {
        true => SemaphoreType::Timeline,
        false => SemaphoreType::Binary,
    };
    let from = |kind| kind == SemaphoreType::Timeline;
    row.with("type", &mut info.timeline, Some(false), to, from)?;
    row.opt("value", &mut info.value, 0)
}

/// `query-pool`.
pub(super) fn query_pool(row: &mut Row, info: &mut QueryPoolInfo) -> Done {
    row.w("type", &mut info.kind, None)?;
    row.req("count", &mut info.count)
}
