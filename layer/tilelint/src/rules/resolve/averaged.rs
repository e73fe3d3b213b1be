//! Passes that average the samples of an image by a draw.

use ash::vk;

use super::super::load_store::is_full_screen;
use crate::model::{Attachment, Frame, Pass, Read};

/// The 1-sample pass of this frame whose first draw covers the target and samples the image.
pub fn averaging_pass<'a>(
    frame: &'a Frame,
    pass: &Pass,
    attachment: &Attachment,
) -> Option<&'a Pass> {
    let image = attachment.image.as_ref()?.id;
    frame.passes().find(|reader| {
        reader.step.index > pass.step.index
            && reader.reads.iter().any(|r| r.image == image && r.how == Read::Sampled)
            && reader.shape.attachments.iter().all(|a| a.samples == 1)
            && reader.draws.first().is_some_and(|draw| is_full_screen(draw, reader))
            && reader.shape.area.extent.width > 0
            && reader.shape.attachments.iter().any(|a| same_extent(a, pass))
    })
}

pub fn same_extent(attachment: &Attachment, pass: &Pass) -> bool {
    attachment.image.as_ref().is_some_and(|image| {
        let extent: vk::Extent2D = image.mip_extent(attachment.range.mip);
        extent == pass.shape.extent
    })
}
