//! What built-in shaders use: the bindings of their pipeline's layout, as the sets that are
//! written in the listing fill them.

use ash::vk;
use tilelint::call::*;

use crate::pipelines::scalar;
use crate::player::Player;
use crate::spirv::{Dim, Kind, Scalar, Shape, Use};

/// What some set of a layout was given at a binding: the first element, and what it is.
fn given(player: &Player, layout: SetLayoutKey, binding: u32) -> Option<(u32, Descriptor)> {
    let mine = player.entries.iter().filter(|e| e.device == player.key);
    let of_layout = |set: SetKey| {
        mine.clone().any(|e| match &e.call {
            Call::Set(key, info) => *key == set && info.layout == layout,
            _ => false,
        })
    };
    let pushed = mine.clone().filter_map(|e| match &e.call {
        Call::Commands(_, recording) => Some(&recording.commands),
        _ => None,
    });
    let pushed = pushed.flatten().filter_map(|c| match c {
        Command::PushSet(push) if pushes(player, push, layout) => Some(&push.writes),
        _ => None,
    });
    let written = mine.clone().filter_map(|e| match &e.call {
        Call::Write(info) if of_layout(info.set) => Some(&**info),
        _ => None,
    });
    let mut all = written.chain(pushed.flatten()).filter(|w| w.binding == binding);
    all.find_map(|w| {
        let real = |d: &&Descriptor| !matches!(d, Descriptor::Null | Descriptor::Other);
        let at = w.descriptors.iter().position(|d| real(&d))?;
        Some((w.element + at as u32, w.descriptors[at]))
    })
}

fn pushes(player: &Player, push: &PushSet, layout: SetLayoutKey) -> bool {
    let of = player.objects.layouts.get(&push.layout);
    of.and_then(|(_, info)| info.sets.get(push.set as usize).copied().flatten()) == Some(layout)
}

/// SPIR-V's name for a format, of those that every device writes.
fn spirv_format(format: vk::Format) -> u32 {
    match format {
        vk::Format::R32G32B32A32_SFLOAT => 1,
        vk::Format::R16G16B16A16_SFLOAT => 2,
        vk::Format::R32_SFLOAT => 3,
        vk::Format::R8G8B8A8_UNORM => 4,
        vk::Format::R8G8B8A8_SNORM => 5,
        vk::Format::R32G32B32A32_SINT => 21,
        vk::Format::R16G16B16A16_SINT => 22,
        vk::Format::R8G8B8A8_SINT => 23,
        vk::Format::R32_SINT => 24,
        vk::Format::R32G32B32A32_UINT => 30,
        vk::Format::R16G16B16A16_UINT => 31,
        vk::Format::R8G8B8A8_UINT => 32,
        vk::Format::R32_UINT => 33,
        _ => 0,
    }
}

fn shape(player: &Player, view: ViewKey, of: vk::DescriptorType) -> Option<Shape> {
    use vk::ImageViewType as V;
    let view = player.view_info(view)?;
    let image = player.image_info(view.image)?;
    let (dim, arrayed) = match view.kind {
        V::TYPE_1D => (Dim::D1, false),
        V::TYPE_1D_ARRAY => (Dim::D1, true),
        V::TYPE_3D => (Dim::D3, false),
        V::CUBE => (Dim::Cube, false),
        V::CUBE_ARRAY => (Dim::Cube, true),
        V::TYPE_2D_ARRAY => (Dim::D2, true),
        _ => (Dim::D2, false),
    };
    let format = if view.format == vk::Format::UNDEFINED { image.format } else { view.format };
    let stencil = view.aspects == vk::ImageAspectFlags::STENCIL || format == vk::Format::S8_UINT;
    let scalar = if stencil { Scalar::Uint } else { scalar(format) };
    let multisampled = image.samples > 1;
    let shape = Shape { dim, arrayed, multisampled, scalar, format: 0 };
    Some(match of {
        vk::DescriptorType::INPUT_ATTACHMENT => {
            Shape { dim: Dim::Subpass, arrayed: false, ..shape }
        }
        vk::DescriptorType::STORAGE_IMAGE => Shape { format: spirv_format(format), ..shape },
        _ => shape,
    })
}

/// Indices of the input attachments of a pipeline's subpass that are there, in order.
fn inputs(player: &Player, info: &PipelineInfo) -> Vec<u32> {
    let pass = info.pass.and_then(|key| player.objects.render_passes.get(&key));
    let subpass = pass.and_then(|(_, pass)| pass.subpasses.get(info.subpass as usize));
    let list = subpass.map(|s| s.input.as_slice()).unwrap_or_default();
    (0..).zip(list).filter(|(_, input)| input.is_some()).map(|(index, _)| index).collect()
}

/// What the built-in shader of a stage uses.
pub(crate) fn of(player: &Player, info: &PipelineInfo, stage: vk::ShaderStageFlags) -> Vec<Use> {
    use vk::DescriptorType as T;
    let layout = info.layout.and_then(|key| player.objects.layouts.get(&key));
    let sets = layout.map(|(_, info)| info.sets.as_slice()).unwrap_or_default();
    let inputs = inputs(player, info);
    let mut next_input = inputs.iter();
    let mut uses = Vec::new();
    for (set, key) in (0..).zip(sets) {
        let Some((key, (_, layout))) =
            key.and_then(|key| Some((key, player.objects.set_layouts.get(&key)?)))
        else {
            continue;
        };
        for binding in layout.bindings.iter().filter(|b| b.stages.contains(stage)) {
            let Some((element, descriptor)) = given(player, key, binding.binding) else { continue };
            let shape = match descriptor {
                Descriptor::Image { view, .. } => shape(player, view, binding.kind),
                _ => None,
            };
            let kind = match binding.kind {
                T::SAMPLED_IMAGE => shape.map(Kind::Sampled),
                T::COMBINED_IMAGE_SAMPLER => shape.map(Kind::Combined),
                T::STORAGE_IMAGE => shape.map(Kind::Storage),
                T::INPUT_ATTACHMENT => match next_input.next() {
                    Some(index) => shape.map(|shape| Kind::Input(shape, *index)),
                    None => None,
                },
                T::UNIFORM_BUFFER | T::UNIFORM_BUFFER_DYNAMIC => Some(Kind::Uniform),
                T::STORAGE_BUFFER | T::STORAGE_BUFFER_DYNAMIC => Some(Kind::StorageBuffer),
                _ => None,
            };
            let count = binding.count;
            let binding = binding.binding;
            uses.extend(kind.map(|kind| Use { set, binding, count, element, kind }));
        }
    }
    uses
}

/// What a pipeline must say of the rendering instances that it is bound in, which a listing does
/// not say of it: their view mask, and whether they have maps.
pub(crate) fn instance_of(
    player: &Player,
    pipeline: PipelineKey,
) -> (u32, vk::PipelineCreateFlags) {
    type Flags = vk::PipelineCreateFlags;
    let flags = |rendering: &Rendering| {
        let has = |role| rendering.attachments.iter().any(|a| a.role == role);
        let mut flags = Flags::empty();
        if has(RenderingRole::Density) {
            flags |= Flags::RENDERING_FRAGMENT_DENSITY_MAP_ATTACHMENT_EXT;
        }
        if has(RenderingRole::ShadingRate) {
            flags |= Flags::RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_KHR;
        }
        flags
    };
    for entry in player.entries.iter().filter(|e| e.device == player.key) {
        let Call::Commands(_, recording) = &entry.call else { continue };
        let mut inside = (recording.inherited_views, Flags::empty());
        for command in &recording.commands {
            match command {
                Command::BeginPass(begin) => {
                    inside = match &begin.target {
                        PassTarget::Dynamic(r) => (r.view_mask, flags(r)),
                        PassTarget::Object { .. } => (0, Flags::empty()),
                    };
                }
                Command::BindPipeline { pipeline: bound, .. } if *bound == pipeline => {
                    return inside;
                }
                _ => {}
            }
        }
    }
    (0, Flags::empty())
}

/// Says whether a mesh draw is recorded while a pipeline is bound.
pub(crate) fn draws_meshes(player: &Player, pipeline: PipelineKey) -> bool {
    for entry in player.entries.iter().filter(|e| e.device == player.key) {
        let Call::Commands(_, recording) = &entry.call else { continue };
        let mut bound = false;
        for command in &recording.commands {
            match command {
                Command::BindPipeline { pipeline: key, .. } => bound = *key == pipeline,
                Command::Draw(draw) if bound && draw.kind == DrawKind::Mesh => return true,
                _ => {}
            }
        }
    }
    false
}
