//! What barriers order, and what steps do to an image.

use ash::vk;

use crate::call::{Barrier, BarrierTarget, Command, Recording};
use crate::model::{Attachment, BarrierFacts, ImageId, Step};

/// Says whether the scopes of a barrier hold those of another; between reads only what the
/// earlier write was made visible to counts.
pub fn holds(wide: &Barrier, narrow: &Barrier, reads: bool) -> bool {
    use vk::PipelineStageFlags2 as P;
    let stages = |wide: P, narrow: P| wide.contains(P::ALL_COMMANDS) || wide.contains(narrow);
    let src =
        stages(wide.src_stage, narrow.src_stage) && wide.src_access.contains(narrow.src_access);
    (src || reads)
        && stages(wide.dst_stage, narrow.dst_stage)
        && wide.dst_access.contains(narrow.dst_access)
}

/// Stages whose work on memory and buffers is all seen. Fills, updates, ray tracing and what the
/// device generates are not: such work may lie between two barriers.
fn is_seen(stages: vk::PipelineStageFlags2) -> bool {
    use vk::PipelineStageFlags2 as P;
    let seen = P::DRAW_INDIRECT
        | P::VERTEX_INPUT
        | P::INDEX_INPUT
        | P::VERTEX_ATTRIBUTE_INPUT
        | P::VERTEX_SHADER
        | P::FRAGMENT_SHADER
        | P::EARLY_FRAGMENT_TESTS
        | P::LATE_FRAGMENT_TESTS
        | P::COLOR_ATTACHMENT_OUTPUT
        | P::COMPUTE_SHADER;
    !stages.is_empty() && seen.contains(stages)
}

/// The barrier call before a memory or buffer barrier that has ordered the same already: a memory
/// barrier, with nothing but barriers between that change no layout.
pub fn behind_memory<'a>(
    before: &'a [Step],
    step: &Step,
    facts: &BarrierFacts,
    barrier: &Barrier,
) -> Option<&'a BarrierFacts> {
    let stays = |barrier: &Barrier| {
        let layout = match barrier.target {
            BarrierTarget::Image { old, new, .. } => old == new,
            _ => true,
        };
        layout && barrier.src_queue == barrier.dst_queue
    };
    let seen = is_seen(barrier.src_stage) && is_seen(barrier.dst_stage);
    let mut next = step.index();
    for step in before.iter().rev().take_while(|_| seen && stays(barrier)) {
        let Step::Barrier { facts: earlier, .. } = step else { return None };
        let barriers = &earlier.command.barriers;
        // Steps that stand for themselves have every number: a gap is a command not understood.
        let gap = next.saturating_sub(step.index()) > 1 + barriers.len() as u32;
        next = step.index();
        if gap || earlier.event || earlier.queue != facts.queue || !barriers.iter().all(stays) {
            return None;
        }
        let mut wide = barriers.iter().filter(|other| other.target == BarrierTarget::Memory);
        if wide.any(|other| holds(other, barrier, false)) {
            return Some(earlier);
        }
    }
    None
}

/// Says whether accesses are reads of images, and there are some.
pub fn is_read(access: vk::AccessFlags2) -> bool {
    use vk::AccessFlags2 as A;
    let reads =
        A::SHADER_READ | A::SHADER_SAMPLED_READ | A::TRANSFER_READ | A::INPUT_ATTACHMENT_READ;
    !access.is_empty() && reads.contains(access)
}

/// Says whether a step that touches an image at most reads it.
pub fn only_reads(step: &Step, id: ImageId) -> bool {
    match step {
        Step::Pass(pass) => {
            let attachments = &pass.shape.attachments;
            let attached = |a: &Attachment| a.image.as_ref().is_some_and(|image| image.id == id);
            !pass.unknown && !pass.writes.contains(&id) && !attachments.iter().any(attached)
        }
        Step::Transfer(transfer) => transfer.to != Some(id),
        Step::Dispatch { writes, .. } => !writes.contains(&id),
        _ => false,
    }
}

/// Something in it is not understood, or was never seen.
pub fn is_opaque(held: &Recording) -> bool {
    held.commands.iter().any(|command| match command {
        Command::Opaque(_) => true,
        Command::Execute(list) => {
            list.iter().any(|e| e.recording.as_ref().is_none_or(|held| is_opaque(held)))
        }
        _ => false,
    })
}
