//! What a draw may do to the attachments of its subpass, by its pipeline and dynamic state.

use ash::vk;

use super::frame::Effect;
use super::objects::Pipeline;
use crate::call::{BlendState, DynamicState, StencilFace};

/// Dynamic state as it was last set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dynamic {
    /// First viewport.
    pub viewport: Option<[i32; 4]>,
    /// First scissor.
    pub scissor: Option<vk::Rect2D>,
    depth_test: Option<bool>,
    depth_write: Option<bool>,
    depth_compare: Option<vk::CompareOp>,
    depth_bounds: Option<bool>,
    stencil_test: Option<bool>,
    stencil_mask: [Option<u32>; 2],
    stencil_op: [Option<StencilFace>; 2],
    blend: Vec<Option<bool>>,
    write_mask: Vec<Option<vk::ColorComponentFlags>>,
    color_write: Option<Vec<bool>>,
    logic_op: Option<bool>,
    discard: Option<bool>,
    color_locations: Option<Vec<u32>>,
}

impl Dynamic {
    /// Takes over one piece of state.
    pub fn set(&mut self, state: &DynamicState) {
        match state {
            DynamicState::Viewport(viewport) => self.viewport = Some(*viewport),
            DynamicState::Scissor(scissor) => self.scissor = Some(*scissor),
            DynamicState::DepthTest(on) => self.depth_test = Some(*on),
            DynamicState::DepthWrite(on) => self.depth_write = Some(*on),
            DynamicState::DepthCompare(op) => self.depth_compare = Some(*op),
            DynamicState::DepthBounds(on) => self.depth_bounds = Some(*on),
            DynamicState::StencilTest(on) => self.stencil_test = Some(*on),
            DynamicState::StencilWriteMask(faces, mask) => {
                for face in faces_of(*faces) {
                    self.stencil_mask[face] = Some(*mask);
                }
            }
            DynamicState::StencilOp(faces, fail, pass, depth_fail, compare) => {
                for face in faces_of(*faces) {
                    self.stencil_op[face] = Some(StencilFace {
                        fail: *fail,
                        pass: *pass,
                        depth_fail: *depth_fail,
                        compare: *compare,
                        write_mask: 0,
                    });
                }
            }
            DynamicState::BlendEnable(first, on) => place(&mut self.blend, *first, on),
            DynamicState::WriteMask(first, masks) => place(&mut self.write_mask, *first, masks),
            DynamicState::ColorWriteEnable(on) => self.color_write = Some(on.clone()),
            DynamicState::LogicOpEnable(on) => self.logic_op = Some(*on),
            DynamicState::RasterizerDiscard(on) => self.discard = Some(*on),
            DynamicState::ColorLocations(map) => self.color_locations = Some(map.clone()),
            DynamicState::Topology(_)
            | DynamicState::Samples(_)
            | DynamicState::InputIndices(_)
            | DynamicState::Other(..) => {}
        }
    }
}

fn faces_of(faces: vk::StencilFaceFlags) -> impl Iterator<Item = usize> {
    let front = faces.contains(vk::StencilFaceFlags::FRONT).then_some(0);
    let back = faces.contains(vk::StencilFaceFlags::BACK).then_some(1);
    front.into_iter().chain(back)
}

fn place<T: Copy>(list: &mut Vec<Option<T>>, first: u32, values: &[T]) {
    let end = first as usize + values.len();
    if list.len() < end {
        list.resize(end, None);
    }
    for (slot, value) in list[first as usize..].iter_mut().zip(values) {
        *slot = Some(*value);
    }
}

/// A state that is the pipeline's own, or dynamic and then perhaps never set.
fn pick<T: Copy>(
    dynamic_states: &[vk::DynamicState],
    state: vk::DynamicState,
    set: Option<T>,
    fixed: T,
) -> Option<T> {
    if dynamic_states.contains(&state) { set } else { Some(fixed) }
}

/// Works out what a draw may do to its `colors` colour attachments and to depth and stencil.
pub fn effect(pipeline: &Pipeline, dynamic: &Dynamic, colors: usize) -> Effect {
    effect_known(pipeline, dynamic, colors).unwrap_or(Effect { unknown: true, ..Effect::default() })
}

/// As [`effect`]; `None` where state that matters is not known.
fn effect_known(pipeline: &Pipeline, dynamic: &Dynamic, colors: usize) -> Option<Effect> {
    use vk::DynamicState as D;
    let info = &pipeline.info;
    if info.opaque {
        return None;
    }
    let has = &info.dynamic[..];
    let mut effect = Effect::default();
    if pick(has, D::RASTERIZER_DISCARD_ENABLE, dynamic.discard, info.rasterizer_discard)? {
        return Some(effect);
    }
    let depth_test = pick(has, D::DEPTH_TEST_ENABLE, dynamic.depth_test, info.depth_test)?;
    let bounds = pick(has, D::DEPTH_BOUNDS_TEST_ENABLE, dynamic.depth_bounds, info.depth_bounds)?;
    let mut always_passes = !bounds;
    effect.depth_reads = bounds;
    if depth_test {
        let compare = pick(has, D::DEPTH_COMPARE_OP, dynamic.depth_compare, info.depth_compare)?;
        effect.depth_reads |= compares(compare);
        effect.depth_compare = Some(compare);
        effect.depth_writes =
            pick(has, D::DEPTH_WRITE_ENABLE, dynamic.depth_write, info.depth_write)?
                && compare != vk::CompareOp::NEVER;
        always_passes &= compare == vk::CompareOp::ALWAYS;
    }
    let stencil_test = pick(has, D::STENCIL_TEST_ENABLE, dynamic.stencil_test, info.stencil_test)?;
    if stencil_test {
        for face in 0..2 {
            let fixed = info.stencil[face];
            let ops = pick(has, D::STENCIL_OP, dynamic.stencil_op[face], fixed)?;
            let mask =
                pick(has, D::STENCIL_WRITE_MASK, dynamic.stencil_mask[face], fixed.write_mask)?;
            let all = [ops.fail, ops.pass, ops.depth_fail];
            effect.stencil_reads |= compares(ops.compare) || all.into_iter().any(needs_old);
            effect.stencil_writes |=
                mask != 0 && all.into_iter().any(|op| op != vk::StencilOp::KEEP);
            always_passes &= ops.compare == vk::CompareOp::ALWAYS;
        }
    }
    colors_of(pipeline, dynamic, colors, &mut effect)?;
    effect.plain = always_passes
        && effect.color_reads == 0
        && info.sample_mask == !0
        && !info.alpha_to_coverage
        && pipeline.keeps_fragments();
    Some(effect)
}

fn colors_of(
    pipeline: &Pipeline,
    dynamic: &Dynamic,
    colors: usize,
    effect: &mut Effect,
) -> Option<()> {
    use vk::DynamicState as D;
    let info = &pipeline.info;
    let has = &info.dynamic[..];
    let logic = match info.logic_op {
        Some(op) => {
            pick(has, D::LOGIC_OP_ENABLE_EXT, dynamic.logic_op, true)?
                && !matches!(op, vk::LogicOp::COPY | vk::LogicOp::CLEAR | vk::LogicOp::SET)
        }
        None => false,
    };
    let writes = pick(has, D::COLOR_WRITE_ENABLE_EXT, dynamic.color_write.as_ref().map(|_| ()), ());
    writes?;
    for index in 0..colors.min(32) {
        let fixed = info.blend.get(index).or(info.blend.last()).copied();
        let fixed: BlendState = fixed.unwrap_or_default();
        let set = dynamic.blend.get(index).copied().flatten();
        let blend = pick(has, D::COLOR_BLEND_ENABLE_EXT, set, fixed.enable)?;
        let set = dynamic.write_mask.get(index).copied().flatten();
        let mask = pick(has, D::COLOR_WRITE_MASK_EXT, set, fixed.write_mask)?;
        let enabled = match &dynamic.color_write {
            Some(list) if has.contains(&D::COLOR_WRITE_ENABLE_EXT) => {
                list.get(index).copied().unwrap_or(true)
            }
            _ => true,
        };
        let locations = dynamic.color_locations.as_ref().or(info.color_locations.as_ref());
        let mapped = locations
            .is_none_or(|map| map.get(index).is_none_or(|at| *at != vk::ATTACHMENT_UNUSED));
        if mask.is_empty() || !enabled || !mapped {
            continue;
        }
        effect.color_writes |= 1 << index;
        if blend || logic || mask != vk::ColorComponentFlags::RGBA {
            effect.color_reads |= 1 << index;
        }
    }
    Some(())
}

fn compares(op: vk::CompareOp) -> bool {
    op != vk::CompareOp::ALWAYS && op != vk::CompareOp::NEVER
}

fn needs_old(op: vk::StencilOp) -> bool {
    use vk::StencilOp as O;
    !matches!(op, O::KEEP | O::ZERO | O::REPLACE)
}
