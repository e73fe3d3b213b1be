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

fn shape(player: &Player, view: ViewKey, subpass: bool) -> Option<Shape> {
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
    Some(match subpass {
        true => Shape { dim: Dim::Subpass, arrayed: false, multisampled, scalar },
        false => Shape { dim, arrayed, multisampled, scalar },
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
            let shape = |subpass| match descriptor {
                Descriptor::Image { view, .. } => shape(player, view, subpass),
                _ => None,
            };
            let kind = match binding.kind {
                T::SAMPLED_IMAGE => shape(false).map(Kind::Sampled),
                T::COMBINED_IMAGE_SAMPLER => shape(false).map(Kind::Combined),
                T::STORAGE_IMAGE => shape(false).map(Kind::Storage),
                T::INPUT_ATTACHMENT => match next_input.next() {
                    Some(index) => shape(true).map(|shape| Kind::Input(shape, *index)),
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
