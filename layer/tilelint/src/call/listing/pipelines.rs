//! Pipelines and the values of their states.

use ash::vk;

use super::row::{Done, Row};
use super::scene::Scene;
use super::value::{Bad, Hex, Read, Value, W, choices, number, split};
use super::words::{read_bits, write_bits};
use crate::call::*;

choices! {
    vk::PipelineBindPoint {
        vk::PipelineBindPoint::GRAPHICS = "graphics",
        vk::PipelineBindPoint::COMPUTE = "compute",
        vk::PipelineBindPoint::RAY_TRACING_KHR = "ray-tracing",
    }
}

/// Colour channels: `RGB`, or `0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Channels(pub vk::ColorComponentFlags);

impl Value for Channels {
    fn read(text: &str, _: &mut Scene) -> Read<Self> {
        if let Some(bits) = number(text).and_then(|n| u32::try_from(n).ok()) {
            return Ok(Self(vk::ColorComponentFlags::from_raw(bits)));
        }
        let mut bits = 0;
        for c in text.chars().filter(|c| *c != '|') {
            match "RGBA".find(c) {
                Some(index) => bits |= 1 << index,
                None => return Err(Bad::word("channels", text, ["R", "G", "B", "A", "RGBA", "0"])),
            }
        }
        Ok(Self(vk::ColorComponentFlags::from_raw(bits)))
    }

    fn write(&self, _: &mut Scene) -> String {
        let bits = self.0.as_raw();
        if bits == 0 || bits > 15 {
            return bits.to_string();
        }
        "RGBA".char_indices().filter(|(i, _)| bits & (1 << i) != 0).map(|(_, c)| c).collect()
    }
}

/// Indices with holes for `VK_ATTACHMENT_UNUSED`.
pub(super) fn indices(row: &mut Row, key: &'static str, value: &mut Option<Vec<u32>>) -> Done {
    let mut list: Option<Vec<Option<u32>>> = value
        .take()
        .map(|l| l.into_iter().map(|i| (i != vk::ATTACHMENT_UNUSED).then_some(i)).collect());
    row.maybe(key, &mut list)?;
    *value = list.map(|l| l.into_iter().map(|i| i.unwrap_or(vk::ATTACHMENT_UNUSED)).collect());
    Ok(())
}

/// Dynamic states, joined with `|`.
#[derive(Clone, Debug, PartialEq)]
struct States(Vec<vk::DynamicState>);

impl Value for States {
    fn read(text: &str, _: &mut Scene) -> Read<Self> {
        if text == "none" || text == "0" {
            return Ok(Self(Vec::new()));
        }
        let read = |(at, part): (usize, &str)| {
            super::words::read_word(part).map_err(|bad: Bad| bad.at(at))
        };
        split(text, b'|').into_iter().map(read).collect::<Read<_>>().map(Self)
    }

    fn write(&self, scene: &mut Scene) -> String {
        if self.0.is_empty() {
            return "none".to_owned();
        }
        self.0.iter().map(|state| W(*state).write(scene)).collect::<Vec<_>>().join("|")
    }
}

/// A faces-dependent value: one for both or two.
fn faces<T: Value + Copy, U: Copy>(
    row: &mut Row,
    key: &'static str,
    faces: &mut [StencilFace; 2],
    default: U,
    get: impl Fn(&mut StencilFace) -> &mut U,
    wrap: impl Fn(U) -> T,
    unwrap: impl Fn(T) -> U,
) -> Done {
    let [front, back] = faces;
    let mut list = vec![wrap(*get(front)), wrap(*get(back))];
    if list[0] == list[1] {
        list.truncate(1);
    }
    row.opt(key, &mut list, vec![wrap(default)])?;
    match list[..] {
        [one] => (*get(front), *get(back)) = (unwrap(one), unwrap(one)),
        [a, b] => (*get(front), *get(back)) = (unwrap(a), unwrap(b)),
        _ => return Err(row.bad(key, Bad::new("one value, or one for each face"))),
    }
    Ok(())
}

fn stencil(row: &mut Row, info: &mut PipelineInfo) -> Done {
    row.opt("stencil_test", &mut info.stencil_test, false)?;
    let always = vk::CompareOp::ALWAYS;
    faces(row, "stencil_compare", &mut info.stencil, always, |f| &mut f.compare, W, |w| w.0)?;
    let ops = |f: &StencilFace| [W(f.fail), W(f.pass), W(f.depth_fail)];
    let [front, back] = &mut info.stencil;
    let mut list = ops(front).to_vec();
    if ops(front) != ops(back) {
        list.extend(ops(back));
    }
    row.opt("stencil_ops", &mut list, vec![W(vk::StencilOp::KEEP); 3])?;
    if list.len() != 3 && list.len() != 6 {
        return Err(row.bad("stencil_ops", Bad::new("fail,pass,depth_fail, for one or two faces")));
    }
    for (face, ops) in [front, back].into_iter().zip([&list[..3], &list[list.len() - 3..]]) {
        (face.fail, face.pass, face.depth_fail) = (ops[0].0, ops[1].0, ops[2].0);
    }
    let hex = |mask: u32| Hex(u64::from(mask));
    let mask = |h: Hex| h.0 as u32;
    faces(row, "stencil_write_mask", &mut info.stencil, 0, |f| &mut f.write_mask, hex, mask)
}

fn blend(row: &mut Row, info: &mut PipelineInfo) -> Done {
    let mut on: Option<Vec<bool>> = None;
    let mut masks: Option<Vec<Channels>> = None;
    if !info.blend.is_empty() {
        on = Some(info.blend.iter().map(|b| b.enable).collect());
        let all = |b: &BlendState| b.write_mask == vk::ColorComponentFlags::RGBA;
        if !info.blend.iter().all(all) {
            masks = Some(info.blend.iter().map(|b| Channels(b.write_mask)).collect());
        }
    }
    row.maybe("blend", &mut on)?;
    row.maybe("write_mask", &mut masks)?;
    let on = on.unwrap_or_default();
    let masks = masks.unwrap_or_default();
    let last_mask = masks.last().map_or(vk::ColorComponentFlags::RGBA, |m| m.0);
    let last_on = on.last().copied().unwrap_or_default();
    let state = |i: usize| BlendState {
        enable: on.get(i).copied().unwrap_or(last_on),
        write_mask: masks.get(i).map_or(last_mask, |m| m.0),
    };
    info.blend = (0..on.len().max(masks.len())).map(state).collect();
    Ok(())
}

/// Union of the stages of shaders, with the built-in vertex shader where none is given.
pub(super) fn stages_of(scene: &Scene, shaders: &[ShaderKey]) -> vk::ShaderStageFlags {
    use vk::ShaderStageFlags as Stage;
    let stages = shaders
        .iter()
        .fold(Stage::empty(), |all, s| all | scene.shaders.get(s).copied().unwrap_or_default());
    let first = Stage::VERTEX | Stage::MESH_EXT | Stage::COMPUTE;
    match stages {
        s if s.is_empty() => Stage::VERTEX | Stage::FRAGMENT,
        s if s.intersects(first) || s.as_raw() & !0xffff != 0 => s,
        s if s.as_raw() > 0xff => s,
        s => s | Stage::VERTEX,
    }
}

/// `pipeline`. Says whether a short form leaves open what it is compatible with.
pub(super) fn pipeline(row: &mut Row, info: &mut PipelineInfo) -> Done {
    let mut layout = Some(info.layout.unwrap_or_default());
    if row.reading() && !row.has("layout") {
        layout = None;
    }
    row.maybe("layout", &mut layout)?;
    info.layout = match layout {
        None if row.reading() => None,
        key => key.filter(|k| k.0 != 0),
    };
    row.opt("shaders", &mut info.shaders, Vec::new())?;
    let stages = stages_of(row.scene, &info.shaders);
    row.f("stages", &mut info.stages, Some(stages))?;
    let point = match info.stages {
        s if s.contains(vk::ShaderStageFlags::COMPUTE) => vk::PipelineBindPoint::COMPUTE,
        _ => vk::PipelineBindPoint::GRAPHICS,
    };
    row.opt("point", &mut info.point, point)?;
    row.maybe("pass", &mut info.pass)?;
    info.pass = info.pass.filter(|k| k.0 != 0);
    row.opt("subpass", &mut info.subpass, 0)?;
    let mut formats: Option<Vec<Option<W<vk::Format>>>> = None;
    let graphics = info.point == vk::PipelineBindPoint::GRAPHICS;
    if !info.formats.is_empty() || (graphics && info.pass.is_none()) {
        let hole = |f: &vk::Format| (*f != vk::Format::UNDEFINED).then_some(W(*f));
        formats = Some(info.formats.iter().map(hole).collect());
    }
    if row.reading() {
        formats = None;
    }
    row.maybe("formats", &mut formats)?;
    let undefined = vk::Format::UNDEFINED;
    let formats = formats.into_iter().flatten();
    info.formats = formats.map(|f| f.map_or(undefined, |w| w.0)).collect();
    states(row, info)
}

fn states(row: &mut Row, info: &mut PipelineInfo) -> Done {
    let triangles = vk::PrimitiveTopology::TRIANGLE_LIST;
    row.w("topology", &mut info.topology, Some(triangles))?;
    let to = |n: &u32| if *n == 0 { Vec::new() } else { vec![*n] };
    let from = |list: Vec<u32>| list.first().copied().unwrap_or(0);
    row.with("vertex_input", &mut info.vertex_bindings, Some(0), to, from)?;
    row.maybe("viewport", &mut info.viewport)?;
    row.maybe("scissor", &mut info.scissor)?;
    row.opt("samples", &mut info.samples, 1)?;
    let to = |m: &u32| Hex(u64::from(*m));
    row.with("sample_mask", &mut info.sample_mask, Some(!0), to, |h| h.0 as u32)?;
    row.opt("alpha_to_coverage", &mut info.alpha_to_coverage, false)?;
    row.opt("sample_shading", &mut info.sample_shading, false)?;
    row.opt("rasterizer_discard", &mut info.rasterizer_discard, false)?;
    row.opt("depth_test", &mut info.depth_test, true)?;
    row.opt("depth_write", &mut info.depth_write, true)?;
    row.w("depth_compare", &mut info.depth_compare, Some(vk::CompareOp::LESS))?;
    row.opt("depth_bounds", &mut info.depth_bounds, false)?;
    stencil(row, info)?;
    blend(row, info)?;
    let mut logic = info.logic_op.map(W);
    row.maybe("logic_op", &mut logic)?;
    info.logic_op = logic.map(|w| w.0);
    indices(row, "color_locations", &mut info.color_locations)?;
    indices(row, "input_indices", &mut info.input_indices)?;
    let usual = match info.point {
        vk::PipelineBindPoint::GRAPHICS => {
            vec![vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR]
        }
        _ => Vec::new(),
    };
    row.with("dynamic", &mut info.dynamic, Some(usual), |d| States(d.clone()), |s| s.0)?;
    row.f("flags", &mut info.flags, Some(vk::PipelineCreateFlags::empty()))?;
    if row.reading() || row.unknown.is_empty() {
        row.opt("opaque", &mut info.opaque, false)?;
    }
    info.opaque |= row.reading() && !row.unknown.is_empty();
    Ok(())
}

/// A value in front of which faces or a first index may stand: `FRONT:0xff`, `1:on,off`.
pub(super) fn prefixed(text: &str) -> (Option<&str>, &str, usize) {
    match text.split_once(':') {
        Some((prefix, rest)) => (Some(prefix), rest, prefix.len() + 1),
        None => (None, text, 0),
    }
}

/// Faces of a stencil state; both where none are named.
pub(super) fn read_faces(prefix: Option<&str>) -> Read<vk::StencilFaceFlags> {
    prefix.map_or(Ok(vk::StencilFaceFlags::FRONT_AND_BACK), read_bits)
}

/// Writes faces in front of a value.
pub(super) fn write_faces(faces: vk::StencilFaceFlags, value: &str) -> String {
    match faces {
        vk::StencilFaceFlags::FRONT_AND_BACK => value.to_owned(),
        faces => format!("{}:{value}", write_bits(faces)),
    }
}
