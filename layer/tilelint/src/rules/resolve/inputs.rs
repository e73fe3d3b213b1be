//! Multisampled input attachments: where they stand, and which draws read them.

use ash::vk;

use crate::call::Via;
use crate::finding::Fix;
use crate::model::{Attachment, DeviceModel, DrawFacts, Pass, Pipeline};
use crate::rule::{Field, Place, edit_image, flag_words, identifier};
use crate::spirv::{BindingKind, Stage};

/// What the draws of a subpass are known to read of its input attachments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reads {
    /// No draw reads any.
    No,
    /// The code of some shader is not known.
    Perhaps,
    /// A draw reads some.
    Yes,
}

/// Says whether draws of a subpass read input attachments.
pub fn reads_inputs(pass: &Pass, subpass: u32) -> Reads {
    let draws = pass.draws.iter().filter(|draw| draw.subpass == subpass);
    draws.map(draw_reads).max().unwrap_or(Reads::No)
}

fn draw_reads(draw: &DrawFacts) -> Reads {
    let Some(pipeline) = &draw.pipeline else { return Reads::Perhaps };
    if pipeline.built_in || declares_input(pipeline) {
        return Reads::Yes;
    }
    match pipeline.shader(Stage::Fragment) {
        Some(facts) if !facts.opaque => Reads::No,
        _ => Reads::Perhaps,
    }
}

/// The fragment shader is known to read an input attachment.
pub fn declares_input(pipeline: &Pipeline) -> bool {
    pipeline.shader(Stage::Fragment).is_some_and(|facts| {
        facts.bindings.iter().any(|b| b.used && matches!(b.kind, BindingKind::Input(_)))
    })
}

/// An attachment where a subpass reads it.
pub fn place(pass: &Pass, attachment: &Attachment, subpass: u32, device: &DeviceModel) -> Place {
    let field = Field::Other("input", "pInputAttachments");
    let mut place = Place::attachment(pass, attachment, None, field, device);
    place.location.subpass = Some(subpass);
    let Some(described) = pass.shape.subpasses.get(subpass as usize) else { return place };
    let line = &mut place.quote.lines[0];
    // One subpass may have no line of its own: the attachment's says what it is.
    if pass.shape.via == Via::Dynamic {
        place.quote.marks[0].key = "layout";
    } else if pass.shape.subpasses.len() == 1 && described.line.0 == line.number {
        place.quote.marks[0].key = "as";
    } else {
        line.number = described.line.0;
        line.text = format!("  subpass {subpass} input={}", identifier(&attachment.name()));
    }
    place
}

/// Completes a fix behind which subpasses read an attachment as an input.
pub fn readable(fix: Fix, attachment: &Attachment) -> Fix {
    let Some(image) = &attachment.image else { return fix };
    let usage = image.info.usage;
    if usage.contains(vk::ImageUsageFlags::INPUT_ATTACHMENT) {
        return fix;
    }
    let (from, to) =
        (flag_words(&usage), flag_words(&(usage | vk::ImageUsageFlags::INPUT_ATTACHMENT)));
    fix.edit(edit_image(image, Field::Usage, &from, &to))
}
