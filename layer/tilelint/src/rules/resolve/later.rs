//! What subpasses behind another do.

use crate::model::PassShape;

/// Samples that a subpass draws.
pub fn samples(shape: &PassShape, subpass: u32) -> u32 {
    let references = shape.subpasses.get(subpass as usize).into_iter();
    let mut drawn = references.flat_map(|s| s.color.iter().chain([&s.depth]).flatten());
    let attachment = drawn.find_map(|r| shape.attachments.get(r.attachment as usize));
    attachment.map_or(0, |attachment| attachment.samples)
}

/// The first and the last subpass after `subpass` that draw to an attachment.
pub fn drawn_after(shape: &PassShape, subpass: u32, slot: u32) -> (Option<u32>, Option<u32>) {
    let later = shape.subpasses.iter().enumerate().skip(subpass as usize + 1);
    let draws = later
        .filter(|(_, s)| s.color.iter().chain([&s.depth]).flatten().any(|r| r.attachment == slot));
    let mut draws = draws.map(|(index, _)| index as u32);
    let first = draws.next();
    (first, draws.next_back().or(first))
}

/// The first subpass after `subpass` that reads an attachment as an input.
pub fn read_after(shape: &PassShape, subpass: u32, slot: u32) -> Option<u32> {
    let mut later = shape.subpasses.iter().enumerate().skip(subpass as usize + 1);
    later
        .find(|(_, s)| s.input.iter().flatten().any(|r| r.attachment == slot))
        .map(|(index, _)| index as u32)
}
