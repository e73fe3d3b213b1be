//! Lines of recorded commands: the keys of each, for reading and writing.

use ash::vk;

use super::refs::{Sub, split_at, write_sub};
use super::row::{Done, Row};
use super::scene::Scene;
use super::specs::ClearValue;
use super::value::{Bad, Bytes, Hex, Plain, Read, Span, Value, choices, number, split};
use super::words::{read_bits, write_bits};
use crate::call::*;

/// What a barrier is about: nothing, a buffer, or parts of an image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Spot {
    Buffer(BufferKey),
    Image(ImageKey, Sub),
}

impl Value for Spot {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        let (name, sub) = split_at(text)?;
        if sub.is_none() {
            if let Some(key) = scene.find(name, Kind::Buffer) {
                return Ok(Self::Buffer(BufferKey(key)));
            }
            if super::scene::is_counted(name, Kind::Buffer) {
                return scene.lookup(name, Kind::Buffer).map(|key| Self::Buffer(BufferKey(key)));
            }
        }
        match ImageKey::read(name, scene) {
            Ok(image) => Ok(Self::Image(image, sub.unwrap_or(Sub::ALL))),
            Err(_) => Err(scene.unknown(name, &[Kind::Image, Kind::Buffer, Kind::Swapchain])),
        }
    }

    fn write(&self, scene: &mut Scene) -> String {
        match self {
            Self::Buffer(key) => key.write(scene),
            Self::Image(key, sub) => key.write(scene) + &write_sub(*sub),
        }
    }
}

/// A queue family.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Family(u32);

const FAMILIES: [(&str, u32); 3] = [
    ("external", vk::QUEUE_FAMILY_EXTERNAL),
    ("foreign", vk::QUEUE_FAMILY_FOREIGN_EXT),
    ("-", vk::QUEUE_FAMILY_IGNORED),
];

impl Value for Family {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        if let Some((_, family)) = FAMILIES.iter().find(|(word, _)| *word == text) {
            return Ok(Self(*family));
        }
        if let Some(family) = number(text).and_then(|n| u32::try_from(n).ok()) {
            return Ok(Self(family));
        }
        let queue = QueueKey::read(text, scene)?;
        Ok(Self(scene.queues.get(&queue).map_or(0, |q| q.family)))
    }

    fn write(&self, _: &mut Scene) -> String {
        let found = FAMILIES.iter().find(|(_, family)| *family == self.0);
        found.map_or_else(|| self.0.to_string(), |(word, _)| (*word).to_owned())
    }
}

/// What a barrier line says of its whole call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shared {
    pub flags: vk::DependencyFlags,
    pub version: u8,
    pub joined: bool,
}

/// An empty memory barrier.
pub(super) const BLANK_BARRIER: Barrier = Barrier {
    target: BarrierTarget::Memory,
    src_stage: vk::PipelineStageFlags2::empty(),
    dst_stage: vk::PipelineStageFlags2::empty(),
    src_access: vk::AccessFlags2::empty(),
    dst_access: vk::AccessFlags2::empty(),
    src_queue: vk::QUEUE_FAMILY_IGNORED,
    dst_queue: vk::QUEUE_FAMILY_IGNORED,
};

/// What a barrier is about, as it is written.
pub(super) fn spot(target: &BarrierTarget) -> Option<Spot> {
    match *target {
        BarrierTarget::Memory => None,
        BarrierTarget::Buffer(key) => Some(Spot::Buffer(key)),
        BarrierTarget::Image { image, range, .. } => Some(Spot::Image(image, sub_of(&range))),
    }
}

fn sub_of(range: &SubresourceRange) -> Sub {
    Sub {
        base_mip: range.base_mip,
        mips: range.mips,
        base_layer: range.base_layer,
        layers: range.layers,
    }
}

/// A range of subresources.
pub(super) fn range(sub: Sub, aspects: vk::ImageAspectFlags) -> SubresourceRange {
    SubresourceRange {
        aspects,
        base_mip: sub.base_mip,
        mips: sub.mips,
        base_layer: sub.base_layer,
        layers: sub.layers,
    }
}

/// `barrier` and the events, behind their subject.
pub(super) fn barrier(
    row: &mut Row,
    barrier: &mut Barrier,
    about: Option<Spot>,
    shared: &mut Shared,
) -> Done {
    let none = vk::AccessFlags2::empty();
    row.f("src_stage", &mut barrier.src_stage, None)?;
    row.f("dst_stage", &mut barrier.dst_stage, None)?;
    row.f("src_access", &mut barrier.src_access, Some(none))?;
    row.f("dst_access", &mut barrier.dst_access, Some(none))?;
    let (mut old, mut new, mut aspects) = match barrier.target {
        BarrierTarget::Image { range, old, new, .. } => (old, new, range.aspects),
        _ => Default::default(),
    };
    let image = matches!(about, Some(Spot::Image(..)));
    if image {
        row.w("old", &mut old, Some(vk::ImageLayout::UNDEFINED))?;
        row.w("new", &mut new, Some(vk::ImageLayout::UNDEFINED))?;
    }
    let ignored = Family(vk::QUEUE_FAMILY_IGNORED);
    let (mut src, mut dst) = (Family(barrier.src_queue), Family(barrier.dst_queue));
    row.opt("src_queue", &mut src, ignored)?;
    row.opt("dst_queue", &mut dst, ignored)?;
    (barrier.src_queue, barrier.dst_queue) = (src.0, dst.0);
    row.f("flags", &mut shared.flags, Some(vk::DependencyFlags::empty()))?;
    if image {
        row.f("aspect", &mut aspects, Some(vk::ImageAspectFlags::empty()))?;
    }
    row.opt("via", &mut shared.version, 2)?;
    row.opt("joined", &mut shared.joined, false)?;
    barrier.target = match about {
        None => BarrierTarget::Memory,
        Some(Spot::Buffer(key)) => BarrierTarget::Buffer(key),
        Some(Spot::Image(image, sub)) => {
            BarrierTarget::Image { image, range: range(sub, aspects), old, new }
        }
    };
    Ok(())
}

choices! {
    DrawKind {
        DrawKind::Direct = "direct", DrawKind::Indexed = "indexed",
        DrawKind::Indirect = "indirect", DrawKind::IndexedIndirect = "indexed-indirect",
        DrawKind::IndirectCount = "indirect-count", DrawKind::Multi = "multi",
        DrawKind::Mesh = "mesh", DrawKind::TransformFeedback = "transform-feedback",
    }
}

/// `draw`.
pub(super) fn draw(row: &mut Row, draw: &mut Draw) -> Done {
    row.req("vertices", &mut draw.vertices)?;
    row.opt("instances", &mut draw.instances, 1)?;
    row.opt("kind", &mut draw.kind, DrawKind::Direct)?;
    row.opt("draw_count", &mut draw.draw_count, 1)?;
    row.opt("buffer", &mut draw.buffer, BufferKey(0))?;
    row.opt("times", &mut draw.times, 1)?;
    let total = u64::from(draw.vertices)
        .saturating_mul(u64::from(draw.times))
        .saturating_mul(u64::from(draw.draw_count));
    row.opt("total_vertices", &mut draw.total_vertices, total)
}

/// `dispatch`.
pub(super) fn dispatch(row: &mut Row, dispatch: &mut Dispatch) -> Done {
    let to = |g: &[u32; 3]| vk::Extent3D { width: g[0], height: g[1], depth: g[2] };
    row.with("groups", &mut dispatch.groups, None, to, |e| [e.width, e.height, e.depth])?;
    let to = |indirect: &bool| match indirect {
        true => DrawKind::Indirect,
        false => DrawKind::Direct,
    };
    let from = |kind| kind == DrawKind::Indirect;
    row.with("kind", &mut dispatch.indirect, Some(false), to, from)?;
    row.opt("times", &mut dispatch.times, 1)
}

/// A line of a transfer: one region, or one for each mip of whole images.
pub(super) struct TransferLine {
    pub from: Spot,
    pub to: Spot,
    pub layouts: [vk::ImageLayout; 2],
    pub extents: [[u32; 3]; 2],
    pub offsets: [[i32; 3]; 2],
    pub aspects: [vk::ImageAspectFlags; 2],
    pub version: u8,
    pub joined: bool,
    pub empty: bool,
}

/// An extent whose zeros mean all.
fn extent(row: &mut Row, key: &'static str, value: &mut [u32; 3], default: [u32; 3]) -> Done {
    let to = |e: &[u32; 3]| vk::Extent3D { width: e[0], height: e[1], depth: e[2] };
    row.with(key, value, Some(default), to, |e| [e.width, e.height, e.depth])
}

/// `copy`, `blit`, `resolve`.
pub(super) fn transfer(row: &mut Row, line: &mut TransferLine) -> Done {
    row.req("from", &mut line.from)?;
    row.req("to", &mut line.to)?;
    let [from, to] = &mut line.layouts;
    row.w("from_layout", from, Some(vk::ImageLayout::TRANSFER_SRC_OPTIMAL))?;
    row.w("to_layout", to, Some(vk::ImageLayout::TRANSFER_DST_OPTIMAL))?;
    let mut both: Option<super::value::W<vk::ImageLayout>> = None;
    row.maybe("layout", &mut both)?;
    if let Some(both) = both {
        line.layouts = [both.0; 2];
    }
    let [from, to] = &mut line.extents;
    extent(row, "extent", from, [0; 3])?;
    let [from_at, to_at] = &mut line.offsets;
    row.opt("from_at", from_at, [0; 3])?;
    row.opt("to_at", to_at, [0; 3])?;
    let [first, second] = &mut line.aspects;
    row.f("aspect", first, Some(vk::ImageAspectFlags::empty()))?;
    extent(row, "to_extent", to, *from)?;
    row.f("to_aspect", second, Some(*first))?;
    row.opt("via", &mut line.version, 1)?;
    row.opt("joined", &mut line.joined, false)?;
    row.opt("empty", &mut line.empty, false)
}

/// `clear`, behind its subject.
pub(super) fn clear(
    row: &mut Row,
    aspects: &mut vk::ImageAspectFlags,
    value: &mut ClearValue,
    layout: &mut vk::ImageLayout,
    joined: &mut bool,
) -> Done {
    row.f("aspect", aspects, Some(vk::ImageAspectFlags::empty()))?;
    row.opt("value", value, ClearValue::of([0; 4]))?;
    row.w("layout", layout, Some(vk::ImageLayout::TRANSFER_DST_OPTIMAL))?;
    row.opt("joined", joined, false)
}

/// An attachment that `clear-attachments` clears.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ClearTarget(pub vk::ImageAspectFlags, pub u32);

impl Value for ClearTarget {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        use vk::ImageAspectFlags as A;
        if let Some((aspects, index)) =
            scene.cleared.iter().find(|c| c.0 == text).map(|c| (c.1, c.2))
        {
            return Ok(Self(aspects, index));
        }
        let (name, aspects) = text.split_once(':').map_or((text, None), |(n, a)| (n, Some(a)));
        let aspects = aspects.map(|a| read_bits(a).map_err(|bad| bad.at(name.len() + 1)));
        let aspects: Option<A> = aspects.transpose()?;
        let named = [
            ("depth", A::DEPTH),
            ("stencil", A::STENCIL),
            ("depth_stencil", A::DEPTH | A::STENCIL),
        ];
        if let Some((_, both)) = named.iter().find(|(word, _)| *word == name) {
            return Ok(Self(aspects.unwrap_or(*both), 0));
        }
        match number(name).and_then(|n| u32::try_from(n).ok()) {
            Some(index) => Ok(Self(aspects.unwrap_or(A::COLOR), index)),
            None => {
                let labels = scene.cleared.iter().map(|c| c.0.as_str());
                Err(Bad::word("attachment", name, labels.chain(["depth", "stencil", "0"])))
            }
        }
    }

    fn write(&self, _: &mut Scene) -> String {
        match self.0 {
            vk::ImageAspectFlags::COLOR => self.1.to_string(),
            aspects => format!("{}:{}", self.1, write_bits(aspects)),
        }
    }
}

/// Clear values, one for all or one for each.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Values(pub Vec<ClearValue>);

impl Value for Values {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        let read = |(at, part): (usize, &str)| ClearValue::read(part, scene).map_err(|b| b.at(at));
        split(text, b';').into_iter().map(read).collect::<Read<_>>().map(Self)
    }

    fn write(&self, scene: &mut Scene) -> String {
        self.0.iter().map(|v| v.write(scene)).collect::<Vec<_>>().join(";")
    }
}

/// `clear-attachments`.
pub(super) fn clear_attachments(row: &mut Row, clear: &mut ClearAttachments) -> Done {
    let mut targets: Vec<ClearTarget> =
        clear.attachments.iter().map(|(a, i, _)| ClearTarget(*a, *i)).collect();
    let mut rects: Vec<vk::Rect2D> = clear.rects.iter().map(|r| r.rect).collect();
    let span = |r: &ClearRect| Span(r.base_layer, r.base_layer.saturating_add(r.layers));
    let mut layers: Vec<Span> = clear.rects.iter().map(span).collect();
    let mut values = Values(clear.attachments.iter().map(|(.., v)| ClearValue::of(*v)).collect());
    row.req("attachments", &mut targets)?;
    row.req("rects", &mut rects)?;
    let one = vec![Span(0, 1); if row.reading() { 1 } else { rects.len() }];
    row.opt("layers", &mut layers, one)?;
    let mut aspects = None;
    row.maybe("aspect", &mut aspects)?;
    let zero = if row.reading() { 1 } else { targets.len() };
    row.opt("value", &mut values, Values(vec![ClearValue::of([0; 4]); zero]))?;
    if !row.reading() {
        return Ok(());
    }
    let last = |list: &[ClearValue], i: usize| list.get(i).or(list.last()).cloned();
    clear.attachments.clear();
    for (i, target) in targets.iter().enumerate() {
        let aspects = aspects.map_or(target.0, |f: super::value::F<_>| f.0);
        let format = match aspects {
            vk::ImageAspectFlags::COLOR => {
                let same = |c: &&(String, vk::ImageAspectFlags, u32, vk::Format)| {
                    c.1 == vk::ImageAspectFlags::COLOR && c.2 == target.1
                };
                row.scene.cleared.iter().find(same).map_or(vk::Format::UNDEFINED, |c| c.3)
            }
            _ => vk::Format::D24_UNORM_S8_UINT,
        };
        let words = last(&values.0, i).map_or([0; 4], |v| v.words(format));
        clear.attachments.push((aspects, target.1, words));
    }
    clear.rects.clear();
    for (i, rect) in rects.into_iter().enumerate() {
        let Span(from, to) = layers.get(i).or(layers.last()).copied().unwrap_or(Span(0, 1));
        clear.rects.push(ClearRect { rect, base_layer: from, layers: to - from });
    }
    Ok(())
}

/// Verbs of queries.
pub(super) const QUERY_VERBS: [(&str, QueryVerb); 5] = [
    ("query-begin", QueryVerb::Begin),
    ("query-end", QueryVerb::End),
    ("query-reset", QueryVerb::Reset),
    ("query-copy", QueryVerb::Copy),
    ("timestamp", QueryVerb::Timestamp),
];

/// A query command.
pub(super) fn query(row: &mut Row, query: &mut QueryCommand) -> Done {
    row.subject("query pool", &mut query.pool)?;
    row.opt("index", &mut query.index, 0)?;
    row.opt("count", &mut query.count, 1)?;
    row.f("stage", &mut query.stage, Some(vk::PipelineStageFlags2::empty()))?;
    row.opt("to", &mut query.to, BufferKey(0))?;
    row.opt("via", &mut query.version, 1)
}

/// `opaque`.
pub(super) fn opaque(row: &mut Row, opaque: &mut Opaque) -> Done {
    let mut name = Plain(opaque.name.clone());
    row.subject("command's name", &mut name)?;
    opaque.name = name.0;
    row.maybe("images", &mut opaque.images)?;
    row.maybe("buffers", &mut opaque.buffers)?;
    row.unknown.clear();
    Ok(())
}

/// `push-constants`.
pub(super) fn push_constants(
    row: &mut Row,
    layout: &mut PipelineLayoutKey,
    place: &mut (u32, u32),
    hash: &mut u64,
) -> Done {
    row.req("layout", layout)?;
    let to = |(offset, size): &(u32, u32)| Span(*offset, offset.saturating_add(*size));
    row.with("range", place, None, to, |span| (span.0, span.1 - span.0))?;
    row.with("hash", hash, Some(0), |h| Hex(*h), |h| h.0)
}

/// Hash of the sizes and strides of `bind-vertex`.
pub(super) fn strides(row: &mut Row, mut hash: u64) -> Done<u64> {
    row.with("strides", &mut hash, Some(0), |h| Hex(*h), |h| h.0)?;
    Ok(hash)
}

/// Offsets in bytes.
pub(super) fn offsets(row: &mut Row, key: &'static str, list: &mut Vec<u64>) -> Done {
    let zeros = vec![0; list.len()];
    let to = |l: &Vec<u64>| l.iter().map(|o| Bytes(*o)).collect::<Vec<_>>();
    row.with(key, list, Some(zeros), to, |l| l.into_iter().map(|b| b.0).collect())
}
