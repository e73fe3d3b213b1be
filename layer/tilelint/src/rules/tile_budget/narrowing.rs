//! The edit that gives attachments narrower formats, and the words that go with it.

use ash::vk;

use crate::finding::Fix;
use crate::format;
use crate::model::{Attachment, Image, Pass};
use crate::rule::{Field, edit_image};

/// The field that is changed.
pub const FORMAT: Field = Field::Other("format", "format");

/// Adds the edits of one attachment: its image, and the images that it is resolved into.
pub fn edit(mut fix: Fix, pass: &Pass, attachment: &Attachment, to: vk::Format) -> Fix {
    let targets = attachment.resolves.iter().map(|resolve| resolve.target as usize);
    let targets = targets.filter_map(|slot| pass.shape.attachments.get(slot));
    for image in [attachment].into_iter().chain(targets).filter_map(|a| a.image.as_ref()) {
        fix = fix.edit(edit_format(image, to));
    }
    fix
}

fn edit_format(image: &Image, to: vk::Format) -> crate::finding::Edit {
    edit_image(image, FORMAT, &format!("{:?}", image.info.format), &format!("{to:?}"))
}

/// Names of attachments, as a sentence lists them.
pub fn names<'a>(attachments: impl IntoIterator<Item = &'a Attachment>) -> String {
    let names: Vec<String> =
        attachments.into_iter().map(|attachment| format!("`{}`", attachment.name())).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Attachments that take most of the tile, widest first: two at most, and only those wider than
/// the 32 bits that any target has.
pub fn widest(pass: &Pass) -> Vec<&Attachment> {
    let bytes = |a: &Attachment| format::total_texel_bytes(a.format).unwrap_or(0) * a.samples;
    let mut drawn: Vec<&Attachment> = pass
        .shape
        .attachments
        .iter()
        .filter(|a| a.loads() && format::total_texel_bytes(a.format).is_some_and(|b| b > 4))
        .collect();
    drawn.sort_by_key(|a| std::cmp::Reverse(bytes(a)));
    drawn.truncate(2);
    drawn
}
