//! From where to where in a frame an image holds something.

use ash::vk;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::call::{Kind, MemoryKey, QueueKey};
use crate::model::{
    Attachment, DeviceModel, Frame, HostStep, ImageId, Pass, Roles, Step, TransferStep,
};

/// How a frame uses an image.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    /// Queue of the first use.
    pub queue: QueueKey,
    /// First step that uses it.
    pub first: u32,
    /// Last step that uses it.
    pub last: u32,
    /// The first use leaves nothing of the frame before.
    pub fresh: bool,
    /// More than one queue uses it, or it is used in a way that is not followed.
    pub lost: bool,
}

/// Uses of images in a frame.
#[derive(Default)]
struct Uses(FxHashMap<ImageId, Use>);

impl Uses {
    fn touch(&mut self, image: ImageId, queue: QueueKey, at: u32, fresh: bool) -> &mut Use {
        let first = Use { queue, first: at, last: at, fresh, lost: false };
        let used = self.0.entry(image).or_insert(first);
        used.last = at;
        used.lost |= used.queue != queue;
        used
    }

    fn pass(&mut self, pass: &Pass) {
        let (at, queue) = (pass.step.index, pass.queue);
        let bound = pass.reads.iter().map(|read| read.image).chain(pass.writes.iter().copied());
        for image in bound {
            self.touch(image, queue, at, false);
        }
        for attachment in &pass.shape.attachments {
            let Some(image) = &attachment.image else { continue };
            let used = self.touch(image.id, queue, at, is_fresh(pass, attachment));
            used.lost |= attachment.is_rate() || attachment.roles.is_none();
        }
    }

    fn transfer(&mut self, transfer: &TransferStep) {
        for image in [transfer.from, transfer.to].into_iter().flatten() {
            self.touch(image, transfer.queue, transfer.step.index, false);
        }
    }
}

/// The pass drops all that the image held.
fn is_fresh(pass: &Pass, attachment: &Attachment) -> bool {
    let Some(image) = &attachment.image else { return false };
    let whole = pass.shape.covers(attachment)
        && image.info.mips == 1
        && attachment.range.base_layer == 0
        && pass.shape.rendered_layers() == image.info.layers;
    let resolved = attachment.roles.only(Roles::RESOLVE);
    let dropped =
        |load| matches!(load, Some(vk::AttachmentLoadOp::CLEAR | vk::AttachmentLoadOp::DONT_CARE));
    whole
        && attachment.stores()
        && attachment.aspects.iter().all(|ops| ops.named && (resolved || dropped(ops.load)))
}

/// How a frame uses each image; `None` where something in it is not followed.
pub fn uses(frame: &Frame) -> Option<FxHashMap<ImageId, Use>> {
    let mut uses = Uses::default();
    for step in &frame.steps {
        match step {
            Step::Pass(pass) if pass.unknown || pass.shape.opaque => return None,
            Step::Pass(pass) => uses.pass(pass),
            Step::Transfer(transfer) => uses.transfer(transfer),
            Step::Dispatch { step, queue, reads, writes, .. } => {
                let images = reads.iter().map(|read| read.image).chain(writes.iter().copied());
                for image in images {
                    uses.touch(image, *queue, step.index, false);
                }
            }
            Step::Host { what, .. } => match &**what {
                HostStep::Access(access) if access.object.kind == Kind::Image => {
                    return None;
                }
                _ => {}
            },
            _ => {}
        }
    }
    Some(uses.0)
}

/// Images whose memory others share already.
pub fn shared(device: &DeviceModel) -> FxHashSet<ImageId> {
    let mut by_memory: FxHashMap<MemoryKey, Vec<(u64, u64, ImageId)>> = FxHashMap::default();
    for (image, _) in device.images() {
        let placement = &image.placement;
        if let Some(memory) = placement.memory {
            let range = (placement.offset, placement.offset + placement.size, image.id);
            by_memory.entry(memory).or_default().push(range);
        }
    }
    let mut shared = FxHashSet::default();
    for ranges in by_memory.values_mut() {
        ranges.sort_unstable();
        let mut before: Option<(u64, ImageId)> = None;
        for (start, end, id) in ranges {
            if let Some((_, other)) = before.filter(|(other_end, _)| *start < *other_end) {
                shared.extend([other, *id]);
            }
            if before.is_none_or(|(other_end, _)| *end > other_end) {
                before = Some((*end, *id));
            }
        }
    }
    shared
}
