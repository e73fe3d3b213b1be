//! What the store rules share: the proof that a store is dead, its price and its words.

use ash::vk;

use crate::call::Via;
use crate::finding::{Cost, Edit, EditObject, Fix, Level};
use crate::format::Aspect;
use crate::model::{AspectOps, Attachment, End, Fate, Pass, Read, Roles, StepKind, without_digits};
use crate::rule::{Cx, Field, edit_op, flag_words, op_name};

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
    Some(DeadStore {
        frames,
        end,
        why,
        cost: Cost::store(store_bytes(cx, pass, attachment, ops)),
        at_most: may_copy.then_some((
            Level::Info,
            "its usage has TRANSFER_SRC: a screenshot or a read-back may still copy it",
        )),
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

/// The fix of a dead store.
pub fn dont_care(pass: &Pass, attachment: &Attachment, aspect: Aspect, then: &str) -> Fix {
    let field = Field::store_of(aspect);
    let edit = edit_op(pass, attachment, field, "STORE", "DONT_CARE");
    let text = format!("{} = DONT_CARE{then}", op_name(pass, aspect, field));
    Fix::text(text).edit(edit)
}

/// The fix of a resolve that nobody needs, in dynamic rendering.
pub fn no_resolve(pass: &Pass, target: &Attachment) -> Fix {
    let fix = Fix::text("resolveMode = NONE in this pass");
    let resolves = |a: &&Attachment| a.resolves.iter().any(|r| r.target == target.slot);
    match pass.shape.attachments.iter().find(resolves) {
        Some(source) => {
            let mode = source.resolves.last().map(|r| flag_words(&r.mode)).unwrap_or_default();
            fix.edit(edit_op(pass, source, Field::ResolveMode, &mode, "NONE"))
        }
        None => fix,
    }
}

/// What else serves an attachment that no pass stores any more.
pub fn then_transient(attachment: &Attachment) -> &'static str {
    let Some(image) = &attachment.image else { return "" };
    let transient = image.info.usage.contains(vk::ImageUsageFlags::TRANSIENT_ATTACHMENT);
    match (transient, image.is_lazy()) {
        (true, true) => "",
        (true, false) => "; then LAZILY_ALLOCATED memory",
        _ => "; then usage |= TRANSIENT_ATTACHMENT and LAZILY_ALLOCATED memory",
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

/// The edit that leaves an attachment out of a pass.
pub fn left_out(pass: &Pass, attachment: &Attachment) -> Edit {
    let (field, to) = match pass.shape.via {
        Via::Dynamic => ("imageView", "NULL"),
        _ if attachment.roles.any(Roles::DEPTH_STENCIL) => ("pDepthStencilAttachment", "UNUSED"),
        _ => ("pColorAttachments", "UNUSED"),
    };
    Edit {
        object: EditObject::Attachment,
        name: attachment.name(),
        pass: Some(pass.name.to_string()),
        slot: Some(attachment.slot),
        field,
        from: attachment.name(),
        to: to.to_owned(),
    }
}
