//! Fixes as data: how rules make their edits.

use super::{Field, Group, Report};
use crate::call::{Line, Via};
use crate::finding::{Action, Beside, Edit, EditObject};
use crate::model::{Attachment, Image, Pass, Pipeline};

impl Edit {
    /// A field gets another value.
    pub fn set(
        object: EditObject,
        name: impl Into<String>,
        field: &'static str,
        from: impl Into<String>,
        to: impl Into<String>,
    ) -> Self {
        Self {
            action: Action::Set,
            object,
            name: name.into(),
            pass: None,
            slot: None,
            field,
            key: "",
            from: from.into(),
            to: to.into(),
            line: Line(0),
        }
    }

    /// A call goes: what it is in the listing's words, its name in the API, its line.
    pub fn remove(what: impl Into<String>, call: &'static str, line: Line) -> Self {
        let what = what.into();
        let edit = Self::set(EditObject::Command, what.clone(), call, what, "");
        Self { action: Action::Remove, ..edit }.at(line)
    }

    /// Of a call that repeats itself, the first stays.
    pub fn once(what: impl Into<String>, call: &'static str, line: Line) -> Self {
        let edit = Self::remove(what, call, line);
        Self { action: Action::Once, to: "once".to_owned(), ..edit }
    }

    /// A call goes elsewhere; `to` says in words where that is.
    pub fn moved(
        what: impl Into<String>,
        call: &'static str,
        line: Line,
        beside: Beside,
        to: impl Into<String>,
    ) -> Self {
        let edit = Self::remove(what, call, line);
        Self { action: Action::Move(beside), to: to.into(), ..edit }
    }

    /// A new call, as a listing writes it.
    pub fn insert(call: &'static str, beside: Beside, to: impl Into<String>) -> Self {
        let edit = Self::set(EditObject::Command, call, call, "", to);
        Self { action: Action::Insert(beside), ..edit }
    }

    /// Another call, as a listing writes it, stands in the place of one.
    pub fn replace(
        what: impl Into<String>,
        call: &'static str,
        line: Line,
        to: impl Into<String>,
    ) -> Self {
        let edit = Self::remove(what, call, line);
        Self { action: Action::Replace, to: to.into(), ..edit }
    }

    /// What a pass draws is drawn at the end of an earlier one.
    pub fn join(pass: &Pass, into: &Pass) -> Self {
        let edit = Self::remove(format!("pass {}", pass.name), begin_call(pass), pass.line);
        Self { action: Action::Join(into.line), to: format!("pass {}", into.name), ..edit }
            .in_pass(pass)
    }

    /// A pass goes.
    pub fn remove_pass(pass: &Pass) -> Self {
        Self::remove(format!("pass {}", pass.name), begin_call(pass), pass.line).in_pass(pass)
    }

    /// Names the key and the line of the listing that say it now.
    #[must_use]
    pub fn said_by(mut self, key: &'static str, line: Line) -> Self {
        self.key = key;
        self.at(line)
    }

    /// Names the line of the listing.
    #[must_use]
    pub fn at(mut self, line: Line) -> Self {
        self.line = line;
        self
    }

    /// Names the pass.
    #[must_use]
    pub fn in_pass(mut self, pass: &Pass) -> Self {
        self.pass = Some(pass.name.to_string());
        self
    }

    /// Gives the slot or index.
    #[must_use]
    pub fn slot(mut self, slot: u32) -> Self {
        self.slot = Some(slot);
        self
    }
}

/// The call that begins a pass.
pub fn begin_call(pass: &Pass) -> &'static str {
    match pass.shape.via {
        Via::Rp1 => "vkCmdBeginRenderPass",
        Via::Rp2 => "vkCmdBeginRenderPass2",
        Via::Dynamic => "vkCmdBeginRendering",
    }
}

/// An edit of an op of an attachment.
pub fn edit_op(pass: &Pass, attachment: &Attachment, field: Field, from: &str, to: &str) -> Edit {
    Edit::set(EditObject::Attachment, attachment.name(), field.api(pass.shape.via), from, to)
        .in_pass(pass)
        .slot(attachment.slot)
        .said_by(field.key(), attachment.line)
}

/// An edit of a reference of a subpass, by its key in a listing.
pub fn edit_reference(pass: &Pass, subpass: u32, key: &'static str, from: &str, to: &str) -> Edit {
    let field = match key {
        "color" => "pColorAttachments",
        "input" => "pInputAttachments",
        "depth" => "pDepthStencilAttachment",
        "depth_resolve" => "pDepthStencilResolveAttachment",
        _ => "pResolveAttachments",
    };
    let line = pass.shape.subpasses.get(subpass as usize).map(|s| s.line).unwrap_or_default();
    Edit::set(EditObject::Subpass, format!("subpass {subpass}"), field, from, to)
        .in_pass(pass)
        .slot(subpass)
        .said_by(key, line)
}

/// An edit of a pipeline.
pub fn edit_pipeline(
    pipeline: &Pipeline,
    key: &'static str,
    field: &'static str,
    from: &str,
    to: &str,
) -> Edit {
    let name = pipeline.name.text.to_string();
    Edit::set(EditObject::Pipeline, name, field, from, to).said_by(key, Line(0))
}

/// An edit of an image.
pub fn edit_image(image: &Image, field: Field, from: &str, to: &str) -> Edit {
    Edit::set(EditObject::Image, image.name.text.to_string(), field.api(Via::Rp2), from, to)
        .said_by(field.key(), image.line)
}

impl Report {
    /// The same cause a second time in one frame: its calls stand elsewhere in a listing.
    pub fn mend_also(&mut self, again: &Self) {
        for (fix, again) in self.fixes.iter_mut().zip(&again.fixes) {
            let known =
                |edit: &Edit| fix.edits.iter().any(|own| own == edit && own.line.0 == edit.line.0);
            let new: Vec<Edit> = again.edits.iter().filter(|e| !known(e)).cloned().collect();
            fix.edits.extend(new);
        }
    }
}

/// Completes the fix of a headline by what is folded into it, where that would be a finding of its
/// own once the headline is mended: memory that nothing needs any more, or the same dependency.
pub fn complete(headline: &mut Report, folded: &Report, group: Group) {
    let Some(then) = folded.fixes.first() else { return };
    // What leaves the attachment out mends more than what changes its ops.
    let leaves_out =
        |edit: &Edit| (edit.object, edit.action) == (EditObject::Attachment, Action::Remove);
    let changes = headline.fixes.first().is_some_and(|fix| {
        fix.edits.iter().any(|edit| edit.object == EditObject::Attachment)
            && !fix.edits.iter().any(leaves_out)
    });
    if changes && then.edits.len() == 1 && then.edits.iter().all(leaves_out) {
        headline.fixes.insert(0, then.clone());
        return;
    }
    let Some(fix) = headline.fixes.first_mut() else { return };
    let follows = |edit: &Edit| match edit.object {
        EditObject::Image => group == Group::Transient,
        EditObject::Dependency => true,
        _ => false,
    };
    let stays = fix.edits.iter().all(|edit| edit.action == Action::Set) && !fix.edits.is_empty();
    if !stays || !then.edits.iter().all(follows) {
        return;
    }
    let known = |a: &&Edit| {
        let mut own = fix.edits.iter();
        own.any(|b| (a.object, &a.name, a.field) == (b.object, &b.name, b.field))
    };
    let new: Vec<Edit> = then.edits.iter().filter(|edit| !known(edit)).cloned().collect();
    if let Some(first) = new.first() {
        let link = if first.object == EditObject::Dependency { ", " } else { "; then " };
        fix.text = format!("{}{link}{}", fix.text, then.text);
        fix.edits.extend(new);
    }
}
