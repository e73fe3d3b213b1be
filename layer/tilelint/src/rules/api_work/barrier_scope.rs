//! What barriers order, and what steps do to an image.

use ash::vk;

use crate::call::{Barrier, Command, Recording};
use crate::model::{Attachment, ImageId, Step};

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
