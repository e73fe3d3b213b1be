//! Passes that only resolve, and the passes that drew what they resolve.

use ash::vk;

use super::super::flow;
use crate::model::{AlwaysLive, AspectOps, Attachment, Frame, Image, Pass, State, Writer};
use crate::rule::Cx;

/// Nothing but resolves happens in the pass.
pub fn only_resolves(pass: &Pass) -> bool {
    let shape = &pass.shape;
    let known = !pass.unknown && !shape.opaque && !shape.suspends() && !shape.resumes();
    let nothing = pass.draws.is_empty()
        && pass.clears.is_empty()
        && pass.queries.is_empty()
        && pass.barriers.is_empty();
    let idle = |attachment: &Attachment| {
        let target = shape.attachments.iter().flat_map(|a| &a.resolves);
        let target = target.into_iter().any(|resolve| resolve.target == attachment.slot);
        let keeps = attachment.aspects.iter().any(|ops| {
            ops.named
                && (ops.load == Some(vk::AttachmentLoadOp::CLEAR)
                    || ops.store == Some(vk::AttachmentStoreOp::STORE))
        });
        target || !attachment.resolves.is_empty() || !keeps
    };
    known && nothing && shape.attachments.iter().all(idle)
}

/// The pass of this frame that drew the samples, where it could have resolved them.
pub fn producer<'a>(
    frame: &'a Frame,
    cx: &Cx<'_>,
    pass: &Pass,
    source: &Attachment,
    target: &Image,
) -> Option<(&'a Pass, &'a Attachment, usize)> {
    let image = source.image.as_ref()?;
    let hidden = cx.device.always_live(image.id);
    if matches!(hidden, Some(AlwaysLive::TileMemory | AlwaysLive::Opaque)) {
        return None;
    }
    let loaded = |ops: &AspectOps| ops.load == Some(vk::AttachmentLoadOp::LOAD);
    let plane = source.aspects.iter().position(loaded)?;
    let before = &pass.aspect(source.slot, plane)?.before;
    let by = before.by.as_ref().filter(|_| before.state == State::Written(Writer::Pass))?;
    let producer = frame.pass_at(by.index).filter(|other| other.step == *by)?;
    let shape = &producer.shape;
    let drawn = shape
        .attachments
        .iter()
        .find(|a| a.image.as_ref().is_some_and(|i| i.id == image.id) && a.range == source.range)?;
    let same = shape.area == pass.shape.area
        && shape.view_mask == pass.shape.view_mask
        && shape.layers == pass.shape.layers;
    let uses_target =
        shape.attachments.iter().any(|a| a.image.as_ref().is_some_and(|i| i.id == target.id))
            || producer.reads_image(target.id);
    let able = !producer.unknown && !shape.opaque && drawn.resolves.is_empty() && !uses_target;
    // Nothing touches either picture on the way.
    let next = |image| {
        flow::next_pass(frame, image, &producer.step).is_some_and(|next| next.step == pass.step)
    };
    (same && able && next(image) && next(target)).then_some((producer, drawn, plane))
}
