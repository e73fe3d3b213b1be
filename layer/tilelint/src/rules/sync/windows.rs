//! What a barrier has to order: the uses of images between the barriers around it.

use ash::vk;
use rustc_hash::{FxHashMap, FxHashSet};

use super::places;
use super::steps::Steps;
use super::uses::Use;
use crate::call::{Barrier, BarrierCommand, BarrierTarget, QueueKey, TransferEnd};
use crate::model::{DeviceModel, Frame, Image, ImageId, Step};
use crate::rule::{flag_words, identifier};

/// What must wait for what: uses before a barrier and behind it, and whether the image is
/// presented behind.
pub type Needed = [Use; 2];

/// The steps of a frame, with what the windows of all its barriers need.
pub struct Windows<'a> {
    frame: &'a Frame,
    device: &'a DeviceModel,
    steps: Steps<'a>,
    /// Queues of the steps that may use buffers; of the host there is none.
    buffer_users: FxHashSet<Option<QueueKey>>,
    /// Where each image is presented last.
    presents: FxHashMap<ImageId, u32>,
    /// Commands that are not understood may touch these, or any.
    opaque: FxHashSet<ImageId>,
    any_opaque: bool,
}

impl<'a> Windows<'a> {
    /// Looks at every step once.
    pub fn new(frame: &'a Frame, device: &'a DeviceModel) -> Self {
        let users = frame.steps.iter().filter(|step| may_use_buffers(step));
        let shown = frame.steps.iter().filter_map(|step| match step {
            Step::Present { image, .. } => Some((*image, step.index())),
            _ => None,
        });
        Self {
            frame,
            device,
            steps: Steps::new(frame, device),
            buffer_users: users.map(Step::queue).collect(),
            presents: shown.collect(),
            opaque: frame.opaque.iter().flatten().flatten().copied().collect(),
            any_opaque: frame.opaque.iter().any(Option::is_none),
        }
    }

    /// What a barrier has to order; `None` where the frame does not show it in full.
    pub fn needed(&self, position: usize, queue: QueueKey, barrier: &Barrier) -> Option<Needed> {
        match &barrier.target {
            BarrierTarget::Buffer(_) => None,
            BarrierTarget::Image { image, .. } => {
                let (image, _) = self.device.image(self.device.image_id(*image)?)?;
                if self.any_opaque || self.opaque.contains(&image.id) {
                    return None;
                }
                let uses = self.around(position, image)?;
                (!uses[0].is_none() && (!uses[1].is_none() || self.is_presented(position, image)))
                    .then_some(uses)
            }
            BarrierTarget::Memory => {
                let mut users = self.buffer_users.iter();
                let queues = places::tied(self.frame, queue);
                if users.any(|queue| queue.is_none_or(|queue| queues.contains(&queue)))
                    || !self.frame.opaque.is_empty()
                {
                    return None;
                }
                self.around_all(position)
            }
        }
    }

    /// How an image is used between the barriers around a position. Where none follows in the
    /// frame, the next one, which is like it, goes on reading until something writes the image.
    fn around(&self, position: usize, image: &Image) -> Option<Needed> {
        let window = self.steps.window(position, Some(image));
        let before = self.steps.sum(image, window.start..position)?;
        let behind = self.steps.sum(image, position + 1..window.end)?;
        if window.end < self.frame.steps.len() {
            return Some([before, behind]);
        }
        let first = self.steps.first_barred(Some(image)).unwrap_or(position).min(position);
        let first = self.steps.first_write(image, 0..first).unwrap_or(first);
        Some([before, behind.and(self.steps.sum(image, 0..first)?)])
    }

    /// How the images that are used on both sides are, of which one side writes; `None` too where
    /// there is none.
    fn around_all(&self, position: usize) -> Option<Needed> {
        let window = self.steps.window(position, None);
        let before = self.steps.sums(window.start..position)?;
        let mut behind = self.steps.sums(position + 1..window.end)?;
        if window.end == self.frame.steps.len() {
            let first = self.steps.first_barred(None).unwrap_or(position).min(position);
            for (image, next) in self.steps.sums_until_written(0..first)? {
                let uses = behind.entry(image).or_default();
                *uses = uses.and(next);
            }
        }
        let mut all = [Use::default(); 2];
        for (image, before) in before.into_iter().filter(|(_, uses)| !uses.is_none()) {
            let Some(behind) = behind.get(&image).filter(|uses| !uses.is_none()) else { continue };
            if before.writes || behind.writes {
                all = [all[0].and(before), all[1].and(*behind)];
            }
        }
        (!all[0].is_none()).then_some(all)
    }

    fn is_presented(&self, position: usize, image: &Image) -> bool {
        let at = self.frame.steps[position].index();
        self.presents.get(&image.id).is_some_and(|shown| *shown > at)
    }
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
