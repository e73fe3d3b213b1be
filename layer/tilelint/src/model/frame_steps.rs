//! What a frame says of its steps.

use super::frame::{Frame, Pass, Step};
use super::objects::ImageId;

impl Frame {
    /// The passes, in execution order.
    pub fn passes(&self) -> impl Iterator<Item = &Pass> {
        self.steps.iter().filter_map(|step| match step {
            Step::Pass(pass) => Some(&**pass),
            _ => None,
        })
    }

    /// The steps behind a position and before another, by a search where they are in order.
    pub fn steps_between(&self, after: u32, before: u32) -> impl Iterator<Item = &Step> {
        let (mut first, mut end) = (0, self.steps.len());
        if self.in_order {
            first = self.steps.partition_point(|step| step.index() <= after);
            end = self.steps.partition_point(|step| step.index() < before).max(first);
        }
        let steps = self.steps[first..end].iter();
        steps.filter(move |step| step.index() > after && step.index() < before)
    }

    /// The pass at a position.
    pub fn pass_at(&self, index: u32) -> Option<&Pass> {
        let at = self.steps.partition_point(|step| step.index() < index);
        let found = self.steps.get(at).filter(|step| step.index() == index);
        match found {
            Some(Step::Pass(pass)) => Some(pass),
            Some(_) => None,
            None => self.passes().find(|pass| pass.step.index == index),
        }
    }

    /// Says whether a command that is not understood may touch an image, or any at all.
    pub fn is_opaque(&self, image: Option<ImageId>) -> bool {
        self.opaque.iter().any(|images| match (images, image) {
            (Some(images), Some(image)) => images.contains(&image),
            (Some(images), None) => !images.is_empty(),
            (None, _) => true,
        })
    }

    /// Says whether a step strictly between two positions reads an image.
    pub fn reads_between(&self, image: ImageId, after: u32, before: u32) -> bool {
        self.steps_between(after, before).any(|step| match step {
            Step::Pass(pass) => pass.reads_image(image),
            Step::Transfer(transfer) => transfer.from == Some(image),
            Step::Dispatch { reads, .. } => reads.iter().any(|r| r.image == image),
            Step::Present { image: presented, .. } => *presented == image,
            _ => false,
        })
    }
}
