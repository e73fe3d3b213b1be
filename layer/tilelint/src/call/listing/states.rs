//! Command buffers, commands without short forms, and dynamic state.

use ash::vk;

use super::commands;
use super::pipelines::{Channels, indices, prefixed, read_faces, write_faces};
use super::row::{Done, Row};
use super::scene::Scene;
use super::value::{Bad, Hex, Mask, Read, Value, W};
use crate::call::*;

/// `commands`, behind its name.
pub(super) fn commands(row: &mut Row, recording: &mut Recording) -> Done {
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Level {
        Primary,
        Secondary,
    }
    super::value::choices! {
        Level { Level::Primary = "primary", Level::Secondary = "secondary" }
    }
    let to = |secondary: &bool| if *secondary { Level::Secondary } else { Level::Primary };
    let from = |level| level == Level::Secondary;
    row.with("level", &mut recording.secondary, Some(false), to, from)?;
    let none = vk::CommandBufferUsageFlags::empty();
    row.f("usage", &mut recording.usage, Some(none))?;
    let inherits = recording.inherits.take();
    let mut of = inherits.map(|(pass, ..)| pass);
    let mut subpass = inherits.map_or(0, |(_, subpass, _)| subpass);
    let mut fb = inherits.and_then(|(.., fb)| fb);
    row.maybe("of", &mut of)?;
    row.opt("subpass", &mut subpass, 0)?;
    row.maybe("fb", &mut fb)?;
    recording.inherits = of.map(|pass| (pass, subpass, fb));
    row.ws("formats", &mut recording.inherited_formats, Some(Vec::new()))?;
    row.opt("samples", &mut recording.inherited_samples, 0)?;
    let to = |views: &u32| Mask(*views);
    row.with("views", &mut recording.inherited_views, Some(0), to, |mask| mask.0)?;
    row.f("flags", &mut recording.inherited_flags, Some(vk::RenderingFlags::empty()))
}

/// Reads a command that has no short form and no joined lines.
pub(super) fn read_plain(verb: &str, row: &mut Row, recording: &mut Recording) -> Done<Command> {
    let query = commands::QUERY_VERBS.iter().find(|(word, _)| *word == verb);
    if let Some((_, verb)) = query {
        let mut info = blank_query(*verb);
        commands::query(row, &mut info)?;
        return Ok(Command::Query(Box::new(info)));
    }
    Ok(match verb {
        "bind-sets" | "bind-vertex" | "bind-index" | "bind-shaders" => {
            return read_bind(verb, row, recording);
        }
        "push-constants" => {
            let (mut layout, mut place, mut hash) = (PipelineLayoutKey(0), (0, 0), 0);
            commands::push_constants(row, &mut layout, &mut place, &mut hash)?;
            Command::PushConstants { layout, offset: place.0, size: place.1, hash }
        }
        "clear-attachments" => {
            let mut info = ClearAttachments { attachments: Vec::new(), rects: Vec::new() };
            commands::clear_attachments(row, &mut info)?;
            Command::ClearAttachments(Box::new(info))
        }
        "label-begin" | "label" => {
            let mut text: Box<str> = "".into();
            row.req("text", &mut text)?;
            Command::Label(if verb == "label" { Label::Insert(text) } else { Label::Begin(text) })
        }
        "label-end" => Command::Label(Label::End),
        "execute" => {
            let mut list: Vec<Executed> = Vec::new();
            row.subject("command buffer", &mut list)?;
            Command::Execute(list)
        }
        "conditional-begin" => {
            let (mut buffer, mut offset) = (BufferKey(0), 0);
            row.subject("buffer", &mut buffer)?;
            row.opt("offset", &mut offset, 0)?;
            Command::ConditionalBegin { buffer, offset }
        }
        "conditional-end" => Command::ConditionalEnd,
        _ => {
            let mut info = Opaque { name: "".into(), images: None, buffers: None };
            commands::opaque(row, &mut info)?;
            Command::Opaque(Box::new(info))
        }
    })
}

fn read_bind(verb: &str, row: &mut Row, recording: &mut Recording) -> Done<Command> {
    Ok(match verb {
        "bind-shaders" => {
            let mut shaders: Vec<ShaderKey> = Vec::new();
            row.subject("shader", &mut shaders)?;
            Command::BindShaders(recording.list(shaders.into_iter().map(|key| key.0)))
        }
        "bind-sets" => {
            let mut sets: Vec<SetKey> = Vec::new();
            let mut point = vk::PipelineBindPoint::GRAPHICS;
            let (mut layout, mut first, mut offsets) = (PipelineLayoutKey(0), 0, Vec::new());
            bind_sets(row, &mut sets, &mut layout, &mut point, &mut first, &mut offsets)?;
            let sets = recording.list(sets.into_iter().map(|key| key.0));
            let offsets = recording.list(offsets);
            Command::BindSets { point, layout, first, sets, offsets }
        }
        "bind-vertex" => {
            let mut buffers: Vec<BufferKey> = Vec::new();
            row.subject("buffer", &mut buffers)?;
            let mut offsets = vec![0; buffers.len()];
            let mut first = 0;
            commands::offsets(row, "offset", &mut offsets)?;
            row.opt("first", &mut first, 0)?;
            let strides = commands::strides(row, 0)?;
            if offsets.len() != buffers.len() {
                return Err(row.bad("offset", Bad::new("one offset for each buffer")));
            }
            let pairs = buffers.into_iter().zip(offsets).flat_map(|(b, o)| [b.0, o]);
            Command::BindVertex { first, buffers: recording.list(pairs), strides }
        }
        _ => {
            let mut buffer = BufferKey(0);
            row.subject("buffer", &mut buffer)?;
            let mut offset = vec![0];
            commands::offsets(row, "offset", &mut offset)?;
            let offset = offset.first().copied().unwrap_or(0);
            let mut kind = vk::IndexType::UINT16;
            row.w("type", &mut kind, Some(vk::IndexType::UINT16))?;
            Command::BindIndex { buffer, offset, kind }
        }
    })
}

/// `bind-sets`.
pub(super) fn bind_sets(
    row: &mut Row,
    sets: &mut Vec<SetKey>,
    layout: &mut PipelineLayoutKey,
    point: &mut vk::PipelineBindPoint,
    first: &mut u32,
    offsets: &mut Vec<u64>,
) -> Done {
    row.subject("descriptor set", sets)?;
    row.req("layout", layout)?;
    row.opt("point", point, vk::PipelineBindPoint::GRAPHICS)?;
    row.opt("first", first, 0)?;
    row.opt("offsets", offsets, Vec::new())
}

impl Value for Executed {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        if text == "?" {
            return Ok(Self { key: None, recording: None });
        }
        let key = CommandsKey::read(text, scene)?;
        for chain in scene.chains_of.get(&key).cloned().unwrap_or_default() {
            if !scene.used_chains.contains(&chain) {
                scene.used_chains.push(chain);
            }
        }
        Ok(Self { key: Some(key), recording: scene.recordings.get(&key).cloned() })
    }

    fn write(&self, scene: &mut Scene) -> String {
        self.key.map_or_else(|| "?".to_owned(), |key| key.write(scene))
    }
}

/// A query of nothing.
pub(super) fn blank_query(verb: QueryVerb) -> QueryCommand {
    QueryCommand {
        verb,
        pool: QueryPoolKey(0),
        index: 0,
        count: 1,
        stage: vk::PipelineStageFlags2::empty(),
        to: BufferKey(0),
        version: 1,
    }
}

/// Names of the states of which only a hash is kept.
const OTHERS: &[&str] = &[
    "vkCmdSetAlphaToCoverageEnableEXT",
    "vkCmdSetAlphaToOneEnableEXT",
    "vkCmdSetAttachmentFeedbackLoopEnableEXT",
    "vkCmdSetBlendConstants",
    "vkCmdSetCoarseSampleOrderNV",
    "vkCmdSetColorBlendAdvancedEXT",
    "vkCmdSetColorBlendEquationEXT",
    "vkCmdSetConservativeRasterizationModeEXT",
    "vkCmdSetCullMode",
    "vkCmdSetDepthBias",
    "vkCmdSetDepthBias2EXT",
    "vkCmdSetDepthBiasEnable",
    "vkCmdSetDepthBounds",
    "vkCmdSetDepthClampEnableEXT",
    "vkCmdSetDepthClipEnableEXT",
    "vkCmdSetDepthClipNegativeOneToOneEXT",
    "vkCmdSetDeviceMask",
    "vkCmdSetDiscardRectangleEXT",
    "vkCmdSetDiscardRectangleEnableEXT",
    "vkCmdSetDiscardRectangleModeEXT",
    "vkCmdSetExclusiveScissorEnableNV",
    "vkCmdSetExclusiveScissorNV",
    "vkCmdSetExtraPrimitiveOverestimationSizeEXT",
    "vkCmdSetFragmentShadingRateKHR",
    "vkCmdSetFrontFace",
    "vkCmdSetLineRasterizationModeEXT",
    "vkCmdSetLineStippleEXT",
    "vkCmdSetLineStippleEnableEXT",
    "vkCmdSetLineWidth",
    "vkCmdSetLogicOpEXT",
    "vkCmdSetPatchControlPointsEXT",
    "vkCmdSetPolygonModeEXT",
    "vkCmdSetPrimitiveRestartEnable",
    "vkCmdSetProvokingVertexModeEXT",
    "vkCmdSetRasterizationStreamEXT",
    "vkCmdSetSampleLocationsEXT",
    "vkCmdSetSampleLocationsEnableEXT",
    "vkCmdSetSampleMaskEXT",
    "vkCmdSetScissor",
    "vkCmdSetStencilCompareMask",
    "vkCmdSetStencilReference",
    "vkCmdSetTessellationDomainOriginEXT",
    "vkCmdSetVertexInputEXT",
    "vkCmdSetViewport",
];

/// A state of which only a hash is kept: `vkCmdSetLineWidth:0x1`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Other(&'static str, u64);

impl Value for Other {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        let (name, hash) = text.split_once(':').unwrap_or((text, "0"));
        let known = OTHERS.iter().find(|known| **known == name);
        let known = known.ok_or_else(|| Bad::word("state", name, OTHERS.iter().copied()))?;
        let hash = Hex::read(hash, scene).map_err(|bad| bad.at(name.len() + 1))?;
        Ok(Self(known, hash.0))
    }

    fn write(&self, scene: &mut Scene) -> String {
        format!("{}:{}", self.0, Hex(self.1).write(scene))
    }
}

/// A value in front of which stencil faces may stand.
#[derive(Clone, Debug, PartialEq)]
struct Faced<T>(vk::StencilFaceFlags, T);

impl<T: Value> Value for Faced<T> {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        let (prefix, rest, at) = prefixed(text);
        let faces = read_faces(prefix)?;
        T::read(rest, scene).map(|value| Self(faces, value)).map_err(|bad| bad.at(at))
    }

    fn write(&self, scene: &mut Scene) -> String {
        write_faces(self.0, &self.1.write(scene))
    }
}

/// A list in front of which its first index may stand.
#[derive(Clone, Debug, PartialEq)]
struct Indexed<T>(u32, Vec<T>);

impl<T: Value> Value for Indexed<T> {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        let (prefix, rest, at) = prefixed(text);
        let first = prefix.map_or(Ok(0), |first| u32::read(first, scene))?;
        let list = Vec::<T>::read(rest, scene).map_err(|bad| bad.at(at))?;
        Ok(Self(first, list))
    }

    fn write(&self, scene: &mut Scene) -> String {
        let list = self.1.write(scene);
        if self.0 == 0 { list } else { format!("{}:{list}", self.0) }
    }
}

/// Stencil operations and the comparison: `KEEP,REPLACE,KEEP,ALWAYS`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ops(vk::StencilOp, vk::StencilOp, vk::StencilOp, vk::CompareOp);

impl Value for Ops {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        let parts = super::value::split(text, b',');
        let [fail, pass, depth_fail, compare] = parts[..] else {
            return Err(Bad::new("fail,pass,depth_fail,compare are needed"));
        };
        let mut op = |(at, part): (usize, &str)| {
            W::<vk::StencilOp>::read(part, scene).map(|w| w.0).map_err(|bad| bad.at(at))
        };
        let (fail, pass, depth_fail) = (op(fail)?, op(pass)?, op(depth_fail)?);
        let found = W::read(compare.1, scene).map_err(|bad| bad.at(compare.0))?;
        Ok(Self(fail, pass, depth_fail, found.0))
    }

    fn write(&self, scene: &mut Scene) -> String {
        let ops = vec![W(self.0), W(self.1), W(self.2)];
        format!("{},{}", ops.write(scene), W(self.3).write(scene))
    }
}

type Set = (DynamicState, Option<vk::DynamicState>);

/// One state of a `set` line: present in `state` when writing, appended to `out` when reading.
struct Visit<'v> {
    state: Option<&'v DynamicState>,
    out: Vec<Set>,
}

impl Visit<'_> {
    fn key<T: Value>(
        &mut self,
        row: &mut Row,
        key: &'static str,
        get: impl Fn(&DynamicState) -> Option<T>,
        make: impl Fn(T) -> DynamicState,
        dynamic: Option<vk::DynamicState>,
    ) -> Done {
        let mut value = self.state.and_then(get);
        row.maybe(key, &mut value)?;
        if let Some(value) = value.filter(|_| row.reading()) {
            self.out.push((make(value), dynamic));
        }
        Ok(())
    }
}

/// Gives the keys of `set` in order, with what each stands for.
macro_rules! visit {
    ($visit:ident, $row:ident; $($key:literal, $from:pat => $to:expr, $arg:pat => $make:expr,
        $dynamic:ident;)*) => {
        $($visit.key(
            $row,
            $key,
            |state| match state.clone() { $from => Some($to), _ => None },
            |$arg| $make,
            Some(vk::DynamicState::$dynamic),
        )?;)*
    };
}

fn visit(row: &mut Row, v: &mut Visit) -> Done {
    use DynamicState as D;
    visit! { v, row;
        "viewport", D::Viewport(x) => x, x => D::Viewport(x), VIEWPORT;
        "scissor", D::Scissor(x) => x, x => D::Scissor(x), SCISSOR;
        "depth_test", D::DepthTest(x) => x, x => D::DepthTest(x), DEPTH_TEST_ENABLE;
        "depth_write", D::DepthWrite(x) => x, x => D::DepthWrite(x), DEPTH_WRITE_ENABLE;
        "depth_compare", D::DepthCompare(x) => W(x), x => D::DepthCompare(x.0), DEPTH_COMPARE_OP;
        "depth_bounds", D::DepthBounds(x) => x, x => D::DepthBounds(x), DEPTH_BOUNDS_TEST_ENABLE;
        "stencil_test", D::StencilTest(x) => x, x => D::StencilTest(x), STENCIL_TEST_ENABLE;
        "stencil_write_mask",
            D::StencilWriteMask(faces, mask) => Faced(faces, Hex(u64::from(mask))),
            x => D::StencilWriteMask(x.0, x.1.0 as u32), STENCIL_WRITE_MASK;
        "stencil_ops",
            D::StencilOp(faces, a, b, c, compare) => Faced(faces, Ops(a, b, c, compare)),
            x => D::StencilOp(x.0, x.1.0, x.1.1, x.1.2, x.1.3), STENCIL_OP;
        "blend", D::BlendEnable(first, list) => Indexed(first, list),
            x => D::BlendEnable(x.0, x.1), COLOR_BLEND_ENABLE_EXT;
        "write_mask",
            D::WriteMask(first, list) => Indexed(first, list.into_iter().map(Channels).collect()),
            x => D::WriteMask(x.0, x.1.into_iter().map(|c| c.0).collect()), COLOR_WRITE_MASK_EXT;
        "color_write", D::ColorWriteEnable(list) => list,
            x => D::ColorWriteEnable(x), COLOR_WRITE_ENABLE_EXT;
        "logic_op", D::LogicOpEnable(x) => x, x => D::LogicOpEnable(x), LOGIC_OP_ENABLE_EXT;
        "rasterizer_discard", D::RasterizerDiscard(x) => x,
            x => D::RasterizerDiscard(x), RASTERIZER_DISCARD_ENABLE;
        "topology", D::Topology(x) => W(x), x => D::Topology(x.0), PRIMITIVE_TOPOLOGY;
        "samples", D::Samples(x) => x, x => D::Samples(x), RASTERIZATION_SAMPLES_EXT;
    }
    let mut locations = v.state.and_then(|state| match state {
        D::ColorLocations(list) => Some(list.clone()),
        _ => None,
    });
    indices(row, "color_locations", &mut locations)?;
    let mut inputs = v.state.and_then(|state| match state {
        D::InputIndices(list) => Some(list.clone()),
        _ => None,
    });
    indices(row, "input_indices", &mut inputs)?;
    if row.reading() {
        v.out.extend(locations.map(|list| (D::ColorLocations(list), None)));
        v.out.extend(inputs.map(|list| (D::InputIndices(list), None)));
    }
    let get = |state: &D| match state {
        D::Other(name, hash) => Some(Other(name, *hash)),
        _ => None,
    };
    v.key(row, "other", get, |other| D::Other(other.0, other.1), None)
}

/// Reads the states of a `set` line, and which dynamic state each is.
pub(super) fn read_set(row: &mut Row) -> Done<Vec<Set>> {
    let mut v = Visit { state: None, out: Vec::new() };
    visit(row, &mut v)?;
    Ok(v.out)
}

/// Writes a state.
pub(super) fn write_set(row: &mut Row, state: &DynamicState) -> Done {
    visit(row, &mut Visit { state: Some(state), out: Vec::new() })
}
