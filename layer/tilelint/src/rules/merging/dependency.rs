//! What the dependency rules share: which dependencies concern merging, and what crosses them.

use ash::vk;

use crate::call::{Dependency, SUBPASS_EXTERNAL, SubpassDescription};
use crate::finding::{Cost, Edit, EditObject, Mark, QuoteLine};
use crate::model::{Attachment, DeviceModel, Pass, PassShape};
use crate::rule::{Cx, Field, Place, flag_words};

/// A dependency between two different subpasses of a pass.
pub struct Internal<'a> {
    /// The dependency.
    pub dependency: &'a Dependency,
    /// Its index in the pass.
    pub index: u32,
    /// Which one it is among those between the same subpasses.
    pub repeat: usize,
    /// Attachments that the source writes and the destination reads as inputs.
    pub inputs: Vec<u32>,
    /// The destination reads one of the source's outputs through a descriptor.
    pub sampled: bool,
}

/// Walks over the dependencies between different subpasses. External ones never concern merging;
/// a self-dependency is judged when its barrier is recorded.
pub fn internal(pass: &Pass) -> Vec<Internal<'_>> {
    let shape = &pass.shape;
    if shape.opaque {
        return Vec::new();
    }
    let mut found: Vec<Internal<'_>> = Vec::new();
    for (index, dependency) in shape.dependencies.iter().enumerate() {
        let (src, dst) = (dependency.src, dependency.dst);
        if src == SUBPASS_EXTERNAL || dst == SUBPASS_EXTERNAL || src == dst {
            continue;
        }
        let repeat =
            found.iter().filter(|d| d.dependency.src == src && d.dependency.dst == dst).count();
        let written = shape.subpasses.get(src as usize).map(outputs).unwrap_or_default();
        let read = shape.subpasses.get(dst as usize).map(inputs).unwrap_or_default();
        found.push(Internal {
            dependency,
            index: index as u32,
            repeat,
            inputs: read.into_iter().filter(|slot| written.contains(slot)).collect(),
            sampled: samples(pass, &written, dst),
        });
    }
    found
}

fn outputs(subpass: &SubpassDescription) -> Vec<u32> {
    let references = subpass.color.iter().chain([&subpass.depth]).chain(&subpass.resolve).flatten();
    let depth_resolve = subpass.depth_resolve.iter().map(|resolve| resolve.target.attachment);
    references.map(|reference| reference.attachment).chain(depth_resolve).collect()
}

fn inputs(subpass: &SubpassDescription) -> Vec<u32> {
    subpass.input.iter().flatten().map(|reference| reference.attachment).collect()
}

fn samples(pass: &Pass, written: &[u32], subpass: u32) -> bool {
    let images: Vec<_> = written
        .iter()
        .filter_map(|slot| pass.shape.attachments.get(*slot as usize)?.image.as_ref())
        .map(|image| image.id)
        .collect();
    pass.reads.iter().any(|read| read.subpass == subpass && images.contains(&read.image))
}

/// Says whether the driver says that it merges the two subpasses in spite of the dependency.
pub fn is_merged(cx: &Cx<'_>, pass: &Pass, dependency: &Dependency) -> bool {
    cx.driver_merges(pass, dependency.src.saturating_add(1)..=dependency.dst)
}

/// Bytes of everything that crosses the dependency, once stored and once loaded again.
pub fn crossing(cx: &Cx<'_>, pass: &Pass, dependency: &Dependency) -> Cost {
    crossing_between(cx, pass, dependency.src, dependency.dst)
}

/// Bytes of everything that crosses the boundary before a subpass, stored once and loaded once.
pub fn crossing_into(cx: &Cx<'_>, pass: &Pass, subpass: u32) -> Cost {
    crossing_between(cx, pass, subpass.saturating_sub(1), subpass)
}

/// Says whether an attachment is used on both sides of some boundary between subpasses.
pub fn crosses_any(pass: &Pass, attachment: &Attachment) -> bool {
    (1..pass.shape.subpasses.len() as u32)
        .any(|next| crosses(&pass.shape, attachment.slot, next - 1, next))
}

fn crossing_between(cx: &Cx<'_>, pass: &Pass, src: u32, dst: u32) -> Cost {
    let bytes: u64 = pass
        .shape
        .attachments
        .iter()
        .filter(|a| crosses(&pass.shape, a.slot, src, dst))
        .flat_map(|a| a.aspects.iter().map(move |ops| (a, ops)))
        .map(|(a, ops)| cx.aspect_bytes(pass, a, ops.aspect))
        .sum();
    Cost { load_bytes: bytes, store_bytes: bytes, memory_bytes: 0 }
}

/// An attachment crosses when a subpass up to the source writes it and one from the destination
/// on uses it.
fn crosses(shape: &PassShape, slot: u32, src: u32, dst: u32) -> bool {
    let last = (src as usize).min(shape.subpasses.len().saturating_sub(1));
    let before = shape.subpasses.iter().take(last + 1).any(|s| outputs(s).contains(&slot));
    let after = shape
        .subpasses
        .iter()
        .skip(dst as usize)
        .any(|s| inputs(s).contains(&slot) || outputs(s).contains(&slot));
    before && after
}

/// The place of a dependency, with one of its fields marked.
pub fn place(pass: &Pass, internal: &Internal<'_>, field: Field, device: &DeviceModel) -> Place {
    let dependency = internal.dependency;
    let mut place = Place::pass(pass, device);
    place.location.slot = Some(internal.index);
    place.location.subpass = Some(dependency.dst);
    place.location.field = Some(field.api(pass.shape.via));
    place.location.call = Some(match pass.shape.via {
        crate::call::Via::Rp1 => "vkCreateRenderPass",
        _ => "vkCreateRenderPass2",
    });
    place.object = format!("dependency {}->{}", dependency.src, dependency.dst);
    if internal.repeat > 0 {
        place.object += &format!(" #{}", internal.repeat);
    }
    place.quote.lines.push(QuoteLine { number: dependency.line.0, text: text(dependency) });
    place.quote.marks.push(Mark { line: 0, key: field.key(), label: String::new(), primary: true });
    place
}

fn text(dependency: &Dependency) -> String {
    let mut text = format!(
        "dependency {}->{} src_stage={} dst_stage={} src_access={} dst_access={}",
        dependency.src,
        dependency.dst,
        flag_words(&dependency.src_stage),
        flag_words(&dependency.dst_stage),
        flag_words(&dependency.src_access),
        flag_words(&dependency.dst_access)
    );
    if !dependency.flags.is_empty() {
        text += &format!(" flags={}", flag_words(&dependency.flags));
    }
    text
}

/// An edit of a dependency.
pub fn edit(pass: &Pass, internal: &Internal<'_>, field: Field, from: String, to: String) -> Edit {
    let dependency = internal.dependency;
    let name = format!("{}->{}", dependency.src, dependency.dst);
    Edit::set(EditObject::Dependency, name, field.api(pass.shape.via), from, to)
        .in_pass(pass)
        .slot(internal.index)
        .said_by(field.key(), dependency.line)
}

/// Stages in which a subpass of this shape can use attachments.
pub fn framebuffer_stages() -> vk::PipelineStageFlags2 {
    vk::PipelineStageFlags2::FRAGMENT_SHADER
        | vk::PipelineStageFlags2::EARLY_FRAGMENT_TESTS
        | vk::PipelineStageFlags2::LATE_FRAGMENT_TESTS
        | vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT
}
