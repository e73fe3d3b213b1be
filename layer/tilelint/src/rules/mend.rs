//! The fixes that rules on dead content share.

use ash::vk;

use crate::call::Via;
use crate::finding::{Edit, EditObject, Fix};
use crate::format::Aspect;
use crate::model::{Attachment, Pass, Roles};
use crate::rule::{Field, edit_op, flag_words, op_name};

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
