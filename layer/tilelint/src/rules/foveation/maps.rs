//! What the rules of this chapter ask of a pass.

use crate::model::{Attachment, Pass, Roles};

/// The fragment density map of a pass.
pub fn density_map(pass: &Pass) -> Option<&Attachment> {
    pass.shape.attachments.iter().find(|a| a.roles.any(Roles::DENSITY))
}

/// A subpass has a depth/stencil attachment.
pub fn has_depth(pass: &Pass) -> bool {
    pass.shape.attachments.iter().any(|a| a.roles.any(Roles::DEPTH_STENCIL))
}

/// Everything in the pass is understood.
pub fn is_known(pass: &Pass) -> bool {
    !pass.shape.opaque && !pass.unknown
}

/// A pass draws colour.
pub fn has_color(pass: &Pass) -> bool {
    pass.shape.attachments.iter().any(|a| a.roles.any(Roles::COLOR))
}

/// Samples of what a pass draws to; the most where they differ.
pub fn samples(pass: &Pass) -> u32 {
    let drawn = pass.shape.attachments.iter().filter(|attachment| attachment.loads());
    drawn.map(|attachment| attachment.samples).max().unwrap_or(1)
}

/// Two passes draw to targets of one size, with the same views.
pub fn is_same_view(a: &Pass, b: &Pass) -> bool {
    let (a, b) = (&a.shape, &b.shape);
    a.extent == b.extent && a.view_mask == b.view_mask && a.layers == b.layers
}
