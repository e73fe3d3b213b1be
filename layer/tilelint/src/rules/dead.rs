//! What the store rules share: the proof that a store is dead, its price and its words.

use ash::vk;

use crate::finding::{Confidence, Cost, Fix, Level};
use crate::model::{AspectOps, Attachment, End, Fate, Pass, Read, Roles, StepKind, without_digits};
use crate::rule::{Cx, Place, Report};

pub use super::mend::{dont_care, left_out, no_resolve};

/// A store whose content is dead.
pub struct DeadStore {
    /// Steady frames over which that was seen.
    pub frames: u32,
    /// How the content ends.
    pub end: End,
    /// Why it is dead, in words.
    pub why: String,
    /// Price.
    pub cost: Cost,
    /// It is told at most at this level, and why.
    pub at_most: Option<(Level, &'static str)>,
}

impl DeadStore {
    /// Reports the store: at its price, over the frames that prove it, no louder than is right.
    pub fn report(self, place: Place, message: String, why: String, fix: Fix) -> Report {
        let report = Report::new(place, Confidence::Certain, message, why, fix)
            .cost(self.cost)
            .seen_over(self.frames);
        match self.at_most {
            Some((level, reason)) => report.at_most(level, reason),
            None => report,
        }
    }
}

/// Returns the proof that a STORE is dead; `None` where it is live or not known.
pub fn dead_store(
    cx: &Cx<'_>,
    pass: &Pass,
    attachment: &Attachment,
    plane: usize,
) -> Option<DeadStore> {
    let ops = attachment.aspects.get(plane)?;
    let key = pass.aspect(attachment.slot, plane)?.store?;
    let image = attachment.image.as_ref()?;
    if cx.device.always_live(image.id).is_some() || is_bound_twice(pass, attachment) {
        return None;
    }
    let Fate::Dead { frames, end, by, same_frame } = cx.device.fate(key) else { return None };
    let when = if same_frame { "" } else { "of the next frame " };
    let by_pass = by.what == StepKind::Pass;
    let who = if by_pass { format!("pass `{}` {when}", by.name) } else { String::new() };
    let own = by_pass && without_digits(&by.name) == without_digits(&pass.name) && !same_frame;
    let who = if own { "the next frame ".to_owned() } else { who };
    let why = match end {
        End::Cleared => format!("{who}clears it before anything reads it"),
        End::Discarded => format!("{who}discards it before anything reads it"),
        End::Resolved => format!("{who}resolves over it before anything reads it"),
        End::Transition => {
            "a transition from UNDEFINED discards it before anything reads it".into()
        }
        End::Overwritten => format!(
            "{}overwrites it before anything reads it",
            if by_pass { who } else { format!("a {} command ", by.name) }
        ),
        End::Aliased => "other contents are written to its memory before anything reads it".into(),
        End::Destroyed => "the image is destroyed before anything reads it".into(),
    };
    let read_back = 1u16 << Read::Copy as u8 | 1 << Read::Blit as u8 | 1 << Read::Resolve as u8;
    let seen = cx.device.image(image.id).is_none_or(|(_, used)| used.reads & read_back != 0);
    let may_copy = image.info.usage.contains(vk::ImageUsageFlags::TRANSFER_SRC) && !seen;
    let bytes = store_bytes(cx, pass, attachment, ops);
    let at_most = if may_copy {
        Some("its usage has TRANSFER_SRC: a screenshot or a read-back may still copy it")
    } else if bytes == 0 {
        Some("a GPU that keeps depth and stencil in one plane stores both while either is kept")
    } else {
        None
    };
    Some(DeadStore {
        frames,
        end,
        why,
        cost: Cost::store(bytes),
        at_most: at_most.map(|reason| (Level::Info, reason)),
    })
}

/// Bytes that dropping the store of one aspect saves. A combined format kept in one plane is
/// stored whole for either aspect, so dropping one alone saves nothing.
fn store_bytes(cx: &Cx<'_>, pass: &Pass, attachment: &Attachment, ops: &AspectOps) -> u64 {
    let own = cx.aspect_bytes(pass, attachment, ops.aspect);
    if !cx.one_plane(attachment) {
        return own;
    }
    let other = attachment.aspects.iter().enumerate().find(|(_, o)| o.aspect != ops.aspect);
    let Some((plane, other)) = other else { return own };
    if other.store != Some(vk::AttachmentStoreOp::STORE) || !other.named {
        return own + cx.aspect_bytes(pass, attachment, other.aspect);
    }
    let store = pass.aspect(attachment.slot, plane).and_then(|facts| facts.store);
    match store.map(|key| cx.device.fate(key)) {
        Some(Fate::Dead { .. }) => own,
        _ => 0,
    }
}

/// Says whether two attachments of the pass show the same texels: which store wins is not known.
fn is_bound_twice(pass: &Pass, attachment: &Attachment) -> bool {
    let id = |a: &Attachment| a.image.as_ref().map(|image| image.id);
    let own = attachment.range;
    pass.shape.attachments.iter().any(|other| {
        let range = other.range;
        other.slot != attachment.slot
            && id(other) == id(attachment)
            && range.mip == own.mip
            && range.base_layer < own.base_layer + own.layers
            && own.base_layer < range.base_layer + range.layers
    })
}

/// Says whether an attachment is only a resolve target.
pub fn is_resolve_target(attachment: &Attachment) -> bool {
    attachment.roles.only(Roles::RESOLVE.or(Roles::PRESERVE))
}
