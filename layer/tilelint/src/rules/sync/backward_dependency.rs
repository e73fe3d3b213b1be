#![doc = include_str!("backward_dependency.md")]

use ash::vk;

use super::super::flow::pass_place;
use super::places;
use crate::call::QueueKey;
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::{Frame, Image, ImageId, ImageRead, Pass, Read, Step};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "backward-dependency",
    group: Group::Sync,
    level: Level::Info,
    tier: Tier::S,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("backward_dependency.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    if !cx.profile.is_tiler() {
        return;
    }
    for (position, step) in frame.steps.iter().enumerate() {
        let (reads, queue) = match step {
            Step::Pass(pass) => (&pass.reads, pass.queue),
            Step::Dispatch { reads, queue, .. } => (reads, *queue),
            _ => continue,
        };
        let early = reads.iter().filter(|read| is_early(read));
        let Some(producer) = pass_before(&frame.steps[..position], queue) else { continue };
        if !is_awaited(step, &frame.steps[position + 1..], queue) {
            continue;
        }
        let mut seen: Vec<ImageId> = Vec::new();
        for read in early {
            let known = draws_to(producer, read.image) && !frame.is_opaque(Some(read.image));
            if seen.contains(&read.image) || !known {
                continue;
            }
            seen.push(read.image);
            if let Some((image, _)) = cx.device.image(read.image) {
                let image = (**image).clone();
                report(cx, step, producer, &image, read);
            }
        }
    }
}

/// The read happens in stages of the next pass's geometry, or in a compute shader, and nowhere
/// else.
fn is_early(read: &ImageRead) -> bool {
    use vk::ShaderStageFlags as F;
    let early = F::VERTEX
        | F::TESSELLATION_CONTROL
        | F::TESSELLATION_EVALUATION
        | F::GEOMETRY
        | F::TASK_EXT
        | F::MESH_EXT
        | F::COMPUTE;
    !read.stages.is_empty()
        && early.contains(read.stages)
        && matches!(read.how, Read::Sampled | Read::Storage)
}

/// Something in the frame stands behind the read: the rest of a pass, or passes on the queue that
/// need what a dispatch makes. What it makes for the next frame has time until then.
fn is_awaited(step: &Step, behind: &[Step], queue: QueueKey) -> bool {
    let Step::Dispatch { writes, buffer_writes, .. } = step else { return true };
    let mut images = writes.clone();
    behind.iter().any(|step| match step {
        Step::Pass(pass) if pass.queue == queue => {
            pass.reads.iter().any(|read| images.contains(&read.image))
                || buffer_writes.iter().any(|buffer| pass.buffers.contains(buffer))
        }
        Step::Dispatch { reads, writes, queue: on, .. } if *on == queue => {
            if reads.iter().any(|read| images.contains(&read.image)) {
                images.extend(writes);
            }
            false
        }
        _ => false,
    })
}

/// The last pass on a queue: with another one between, the GPU has work meanwhile.
fn pass_before(steps: &[Step], queue: QueueKey) -> Option<&Pass> {
    let mut passes = steps.iter().rev().filter_map(|step| match step {
        Step::Pass(pass) => Some(pass),
        _ => None,
    });
    passes.find(|pass| pass.queue == queue).map(|pass| &**pass)
}

/// Draws of the pass write the image, and it keeps what they wrote.
pub fn draws_to(pass: &Pass, image: ImageId) -> bool {
    let named = |a: &&crate::model::Attachment| a.image.as_ref().is_some_and(|i| i.id == image);
    !pass.unknown
        && pass.shape.attachments.iter().filter(named).any(|attachment| {
            let facts = pass.facts.get(attachment.slot as usize).into_iter().flatten();
            facts.into_iter().any(|facts| facts.written && facts.store.is_some())
        })
}

fn report(cx: &mut Cx<'_>, step: &Step, producer: &Pass, image: &Image, read: &ImageRead) {
    let name = image.name.text.to_string();
    let (mut place, reader, stage) = match step {
        Step::Pass(pass) => {
            let reader = format!("vertex work of pass `{}`", pass.name);
            (pass_place(pass, None, cx.device), reader, "vertex work")
        }
        _ => {
            let object = places::identity(&image.name, "image");
            let place = places::dispatch(step, object, cx.device);
            (place, "a dispatch".to_owned(), "compute work")
        }
    };
    place.location.image = Some(name.clone());
    place.objects.push((image.key.into(), name.clone()));
    let message = format!("{reader} reads `{name}` right after pass `{}` drew it", producer.name);
    let why = format!(
        "{stage} cannot overlap with the fragments that it waits for: the GPU runs dry between"
    );
    let fix = Fix::text(
        "read what the frame before drew (two images in turn), or put work that does not depend \
         on it between",
    );
    let mut report = Report::new(place, Confidence::Certain, message, why, fix);
    if !read.certain {
        report.confidence = Confidence::Likely;
        report = report.assume("the shader reads the descriptor that its set layout gives it");
    }
    cx.report(report);
}
