//! The fixes that rules on dead content share.

use ash::vk;

use crate::call::Via;
use crate::finding::{Action, Edit, EditObject, Fix};
use crate::format::Aspect;
use crate::model::{Attachment, Fate, Frame, Image, Pass, Read, Roles, Step, StepRef};
use crate::rule::{Cx, Field, begin_call, edit_image, edit_op, flag_words, op_name, store_word};

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

/// The edit that leaves an attachment out of a pass.
pub fn left_out(pass: &Pass, attachment: &Attachment) -> Edit {
    let (field, to) = match pass.shape.via {
        _ if attachment.roles.any(Roles::DENSITY) => ("pFragmentDensityMapAttachment", "UNUSED"),
        Via::Dynamic => ("imageView", "NULL"),
        _ if attachment.roles.any(Roles::DEPTH_STENCIL) => ("pDepthStencilAttachment", "UNUSED"),
        _ => ("pColorAttachments", "UNUSED"),
    };
    let edit = Edit::set(EditObject::Attachment, attachment.name(), field, attachment.name(), to);
    let edit = Edit { action: Action::Remove, ..edit };
    edit.in_pass(pass).slot(attachment.slot).at(attachment.line)
}

/// Usages that an attachment may keep when it never leaves the tile.
pub fn attachment_usage() -> vk::ImageUsageFlags {
    vk::ImageUsageFlags::COLOR_ATTACHMENT
        | vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT
        | vk::ImageUsageFlags::INPUT_ATTACHMENT
}

/// The edits that make an image transient.
pub fn transient_edits(image: &Image, usage: vk::ImageUsageFlags) -> [Edit; 2] {
    let usage = usage & attachment_usage() | vk::ImageUsageFlags::TRANSIENT_ATTACHMENT;
    [
        edit_image(image, Field::Usage, &flag_words(&image.info.usage), &flag_words(&usage)),
        edit_image(image, Field::Memory, "", "LAZILY_ALLOCATED"),
    ]
}

/// What a fix takes away from an image.
#[derive(Clone, Copy, Default)]
pub struct Taken<'a> {
    /// Steps that go, or do not load it any more.
    pub steps: &'a [&'a StepRef],
    /// Reads that go with them.
    pub reads: &'a [Read],
    /// Usage that it gets instead.
    pub usage: vk::ImageUsageFlags,
}

/// Completes a fix behind which an image has no need of memory: every use that is left of it in
/// the frame stays on the tile.
pub fn then_transient(
    fix: Fix,
    cx: &Cx<'_>,
    frame: &Frame,
    image: &Image,
    taken: &Taken<'_>,
) -> Fix {
    let Some((_, used)) = cx.device.image(image.id) else { return fix };
    let lazy = vk::MemoryPropertyFlags::LAZILY_ALLOCATED;
    let offered = cx.device.memory_types.iter().any(|(flags, _)| flags.contains(lazy));
    let transient = image.info.usage.contains(vk::ImageUsageFlags::TRANSIENT_ATTACHMENT);
    let plain = image.info.mips == 1 && image.info.kind != vk::ImageType::TYPE_3D;
    let gone = taken.reads.iter().fold(1u16 << Read::Load as u8, |all, r| all | 1 << *r as u8);
    let read = used.reads & !gone & !(1 << Read::Input as u8) != 0;
    let kept = |read: &Read| gone & (1 << *read as u8) == 0;
    let live = used.stores.iter().any(|store| match cx.device.fate(*store) {
        Fate::Live(reads) => reads.iter().any(|(read, _)| kept(read)),
        Fate::Dead { .. } => false,
        Fate::Unknown => true,
    });
    let stays =
        |step: &Step| taken.steps.iter().any(|s| **s == **step.step()) || leaves_alone(step, image);
    let hidden = cx.device.always_live(image.id).is_some() || used.stored_elsewhere;
    let known = |edit: &Edit| {
        (edit.object, edit.key) == (EditObject::Image, Field::Usage.key())
            && *edit.name == *image.name.text
    };
    // An op NONE leaves to memory what it holds.
    let keeps = |edit: &Edit| *edit.name == *image.name.text && edit.to == "NONE";
    let left = frame.passes().any(|pass| {
        let mut images = pass.shape.attachments.iter().filter_map(|a| a.image.as_ref());
        images.any(|other| other.id == image.id) && !takes_away(&fix, pass, image)
    });
    if !left || fix.edits.iter().any(|edit| known(edit) || keeps(edit)) {
        return fix;
    }
    if !offered || transient || !plain || hidden || used.other_role || read || live {
        return fix;
    }
    if !frame.steps.iter().all(stays) {
        return fix;
    }
    let [usage, memory] = transient_edits(image, image.info.usage | taken.usage);
    let text = format!(
        "{}; then usage of `{}` = {}, bound to LAZILY_ALLOCATED memory",
        fix.text, image.name.text, usage.to
    );
    Fix { text, ..fix }.edit(usage).edit(memory)
}

/// Completes a fix behind which passes do not load aspects of an image any more: stores that only
/// these loads read go with them, and then the image may have no need of memory.
pub fn then_dead(
    fix: Fix,
    cx: &Cx<'_>,
    frame: &Frame,
    (passes, image): (&[&Pass], &Image),
    aspects: &[Aspect],
) -> Fix {
    let own = |a: &&Attachment| a.image.as_ref().is_some_and(|other| other.id == image.id);
    let loads =
        |pass: &Pass, aspect: Aspect| {
            pass.shape.attachments.iter().filter(own).any(|a| {
                a.ops(aspect).is_some_and(|ops| ops.load == Some(vk::AttachmentLoadOp::LOAD))
            })
        };
    let mended = |pass: &Pass| passes.iter().any(|one| one.step == pass.step);
    let shared = |aspect| frame.passes().any(|pass| !mended(pass) && loads(pass, aspect));
    if aspects.is_empty() || cx.device.always_live(image.id).is_some() {
        return fix;
    }
    let mut fix = fix;
    for aspect in aspects.iter().copied().filter(|aspect| !shared(*aspect)) {
        for by in frame.passes().filter(|by| by.shape.attachments.iter().any(|a| own(&a))) {
            if takes_away(&fix, by, image) {
                continue;
            }
            let Some(edit) = unread_store(cx, by, image, (passes, aspect)) else { continue };
            // It may be one of those that the fix changes or takes away.
            if !fix.edits.iter().any(|known| (known.line.0, known.key) == (edit.line.0, edit.key)) {
                let op = op_name(by, aspect, Field::store_of(aspect));
                fix.text += &format!("; then {op} = DONT_CARE in pass `{}`", by.name);
                fix = fix.edit(edit);
            }
        }
    }
    let steps: Vec<&StepRef> = passes.iter().map(|pass| &*pass.step).collect();
    let others = |aspect: &Aspect| !aspects.contains(aspect);
    let left = image.aspects().iter().copied().filter(others);
    if left.into_iter().any(|aspect| passes.iter().any(|pass| loads(pass, aspect))) {
        return fix;
    }
    then_transient(fix, cx, frame, image, &Taken { steps: &steps, ..Taken::default() })
}

/// The fix takes away the pass, or the image from it.
fn takes_away(fix: &Fix, pass: &Pass, image: &Image) -> bool {
    let gone = |edit: &Edit| {
        let of_image = edit.object == EditObject::Attachment && *edit.name == *image.name.text;
        edit.action == Action::Remove
            && edit.pass.as_deref() == Some(&*pass.name)
            && (of_image || edit.field == begin_call(pass))
    };
    fix.edits.iter().any(gone)
}

/// The edit of a store of an aspect that only loads of some passes read.
fn unread_store(
    cx: &Cx<'_>,
    by: &Pass,
    image: &Image,
    (readers, aspect): (&[&Pass], Aspect),
) -> Option<Edit> {
    let own = |a: &&Attachment| a.image.as_ref().is_some_and(|other| other.id == image.id);
    let stored = by.shape.attachments.iter().find(own)?;
    let plane = stored.aspects.iter().position(|ops| ops.aspect == aspect)?;
    let Fate::Live(reads) = cx.device.fate(by.aspect(stored.slot, plane)?.store?) else {
        return None;
    };
    let loaded = |(read, step): &(Read, std::sync::Arc<StepRef>)| {
        *read == Read::Load && readers.iter().any(|pass| pass.name == step.name)
    };
    let edit = edit_op(by, stored, Field::store_of(aspect), "STORE", "DONT_CARE");
    reads.iter().all(loaded).then_some(edit)
}

/// A step does not touch the content that an image has in memory, or only ends it.
fn leaves_alone(step: &Step, image: &Image) -> bool {
    match step {
        Step::Pass(pass) => {
            let loads = pass.shape.attachments.iter().any(|a| {
                a.image.as_ref().is_some_and(|other| other.id == image.id)
                    && a.aspects.iter().any(|ops| ops.load == Some(vk::AttachmentLoadOp::LOAD))
            });
            !loads && !pass.reads_image(image.id) && !pass.writes.contains(&image.id)
        }
        Step::Transfer(transfer) => {
            transfer.from != Some(image.id) && transfer.to != Some(image.id)
        }
        Step::Dispatch { reads, writes, .. } => {
            !reads.iter().any(|read| read.image == image.id) && !writes.contains(&image.id)
        }
        _ => true,
    }
}

/// The edit of the pass of the frame that dropped the content.
pub fn stored(
    fix: Fix,
    frame: &Frame,
    by: &StepRef,
    attachment: &Attachment,
    aspect: Aspect,
) -> Fix {
    let id = |a: &Attachment| a.image.as_ref().map(|image| image.id);
    let dropped = frame.passes().filter(|pass| pass.step.name == by.name).find_map(|pass| {
        let mut same = pass.shape.attachments.iter().filter(|a| id(a) == id(attachment));
        Some((pass, same.next()?))
    });
    let Some((pass, attachment)) = dropped else { return fix };
    let now = attachment.ops(aspect).map_or("?", |ops| store_word(ops.store));
    fix.edit(edit_op(pass, attachment, Field::store_of(aspect), now, "STORE"))
}
