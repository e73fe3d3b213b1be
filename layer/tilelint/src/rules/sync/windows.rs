//! What lies between a barrier and those before and behind it.

use ash::vk;

use super::places;
use super::uses::{self, Use};
use crate::call::{Barrier, BarrierCommand, BarrierTarget, QueueKey, TransferEnd};
use crate::model::{DeviceModel, Frame, Image, Step, StepRef};
use crate::rule::{flag_words, identifier};

/// What must wait for what: uses before a barrier and behind it, and whether the image is
/// presented behind.
pub type Needed = [Use; 2];

/// What a barrier has to order; `None` where the frame does not show it in full.
pub fn needed(
    frame: &Frame,
    at: &StepRef,
    queue: QueueKey,
    barrier: &Barrier,
    device: &DeviceModel,
) -> Option<Needed> {
    let position = frame.steps.iter().position(|step| step.index() == at.index)?;
    match &barrier.target {
        BarrierTarget::Buffer(_) => None,
        BarrierTarget::Image { image, .. } => {
            let (image, _) = device.image(device.image_id(*image)?)?;
            if frame.is_opaque(Some(image.id)) {
                return None;
            }
            let uses = around(frame, position, image, Some(image))?;
            (!uses[0].is_none() && (!uses[1].is_none() || is_presented(frame, at, image)))
                .then_some(uses)
        }
        BarrierTarget::Memory => {
            let queues = places::tied(frame, queue);
            let may_concern = |step: &Step| {
                may_use_buffers(step) && step.queue().is_none_or(|queue| queues.contains(&queue))
            };
            if frame.steps.iter().any(may_concern) || !frame.opaque.is_empty() {
                return None;
            }
            let mut all = [Use::default(); 2];
            for (image, _) in device.images() {
                let uses = around(frame, position, image, None)?;
                let both = !uses[0].is_none() && !uses[1].is_none();
                if both && (uses[0].writes || uses[1].writes) {
                    all = [all[0].and(uses[0]), all[1].and(uses[1])];
                }
            }
            (!all[0].is_none()).then_some(all)
        }
    }
}

/// How an image is used between the barriers around a position. Where none follows in the frame,
/// the next one, which is like it, goes on reading until something writes the image.
fn around(frame: &Frame, position: usize, image: &Image, barred: Option<&Image>) -> Option<Needed> {
    let open = |step: &&Step| !is_barred(step, barred);
    let (before, behind) = (&frame.steps[..position], &frame.steps[position + 1..]);
    let uses = [
        sum(before.iter().rev().take_while(open), image)?,
        sum(behind.iter().take_while(open), image)?,
    ];
    if !behind.iter().all(|step| open(&step)) {
        return Some(uses);
    }
    let reads = |step: &&Step| uses::of(step, image).is_none_or(|found| !found.writes);
    let next = sum(before.iter().take_while(open).take_while(reads), image)?;
    Some([uses[0], uses[1].and(next)])
}

fn sum<'a>(mut steps: impl Iterator<Item = &'a Step>, image: &Image) -> Option<Use> {
    steps.try_fold(Use::default(), |all, step| Some(all.and(uses::of(step, image)?)))
}

/// A barrier that orders all memory, or this image.
fn is_barred(step: &Step, image: Option<&Image>) -> bool {
    let Step::Barrier { facts, .. } = step else { return false };
    facts.command.barriers.iter().any(|barrier| match &barrier.target {
        BarrierTarget::Image { image: key, .. } => image.is_some_and(|image| image.key == *key),
        BarrierTarget::Buffer(_) => false,
        BarrierTarget::Memory => true,
    })
}

fn is_presented(frame: &Frame, at: &StepRef, image: &Image) -> bool {
    let shown =
        |step: &Step| matches!(step, Step::Present { image: shown, .. } if *shown == image.id);
    frame.steps.iter().any(|step| step.index() > at.index && shown(step))
}

/// Buffers are not followed: what could write one, or read what a copy wrote, hides a hazard.
fn may_use_buffers(step: &Step) -> bool {
    match step {
        Step::Pass(pass) => pass.side_effects || pass.unknown,
        Step::Dispatch { buffers, .. } => *buffers,
        Step::Transfer(transfer) => transfer.transfer.as_ref().is_some_and(|transfer| {
            [transfer.from, transfer.to].iter().any(|end| matches!(end, TransferEnd::Buffer(_)))
        }),
        Step::Query { facts, .. } => facts.command.verb == crate::call::QueryVerb::Copy,
        _ => false,
    }
}

/// Accesses that write.
pub fn writes(access: vk::AccessFlags2) -> vk::AccessFlags2 {
    use vk::AccessFlags2 as A;
    access
        & (A::COLOR_ATTACHMENT_WRITE
            | A::DEPTH_STENCIL_ATTACHMENT_WRITE
            | A::TRANSFER_WRITE
            | A::SHADER_STORAGE_WRITE)
}

/// The barriers of a command as a listing has them: one a line, each behind the first joined to
/// it.
pub fn barrier_lines(command: &BarrierCommand, device: &DeviceModel) -> String {
    let line = |(index, barrier): (usize, &Barrier)| {
        let image = match barrier.target {
            BarrierTarget::Image { image, .. } => {
                device.image_id(image).and_then(|id| device.image(id))
            }
            _ => None,
        };
        let name = image.map(|(image, _)| format!(" {}", identifier(&image.name.text)));
        let mut text = format!(
            "barrier{} src_stage={} dst_stage={} src_access={} dst_access={}",
            name.unwrap_or_default(),
            flag_words(&barrier.src_stage),
            flag_words(&barrier.dst_stage),
            flag_words(&barrier.src_access),
            flag_words(&barrier.dst_access)
        );
        if let BarrierTarget::Image { old, new, .. } = barrier.target {
            text += &format!(" old={} new={}", flag_words(&old), flag_words(&new));
        }
        if index > 0 {
            text += " joined=on";
        }
        text
    };
    command.barriers.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
}
