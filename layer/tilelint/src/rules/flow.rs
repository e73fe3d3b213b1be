//! What rules over a frame share: who touches an image next, and the place of a whole pass.

use crate::finding::{Edit, EditObject};
use crate::model::{DeviceModel, Frame, HostStep, Image, Pass, Step, StepRef, without_digits};
use crate::rule::{Field, Place, begin_call, identifier};

/// The first step after another that touches an image in any way.
pub fn next_touch<'a>(frame: &'a Frame, image: &Image, after: &StepRef) -> Option<&'a Step> {
    frame.steps_between(after.index, u32::MAX).find(|step| touches(step, image))
}

/// The pass that touches an image first after a step, where that is a pass.
pub fn next_pass<'a>(frame: &'a Frame, image: &Image, after: &StepRef) -> Option<&'a Pass> {
    match next_touch(frame, image, after) {
        Some(Step::Pass(pass)) => Some(pass),
        _ => None,
    }
}

/// Says whether a step touches an image in any way; barriers do not.
pub fn touches(step: &Step, image: &Image) -> bool {
    let id = image.id;
    match step {
        Step::Pass(pass) => {
            pass.unknown
                || pass.reads_image(id)
                || pass.writes.contains(&id)
                || pass
                    .shape
                    .attachments
                    .iter()
                    .any(|a| a.image.as_ref().is_some_and(|i| i.id == id) && !a.roles.is_none())
        }
        Step::Transfer(transfer) => transfer.from == Some(id) || transfer.to == Some(id),
        Step::Dispatch { reads, writes, .. } => {
            reads.iter().any(|read| read.image == id) || writes.contains(&id)
        }
        Step::Present { image, .. } => *image == id,
        Step::Host { what, .. } => match &**what {
            HostStep::Access(access) => access.object == image.key.into(),
            _ => false,
        },
        _ => false,
    }
}

/// A pass as a whole, the call that begins it quoted.
pub fn pass_place(pass: &Pass, field: Option<Field>, device: &DeviceModel) -> Place {
    let key = field.map(Field::key).unwrap_or_default();
    let mut place = unquoted(pass, device).quoted(&pass.step, pass_text(pass), key);
    place.location.field = field.map(|field| field.api(pass.shape.via));
    place
}

/// The same place, for a rule that quotes something else.
pub fn unquoted(pass: &Pass, device: &DeviceModel) -> Place {
    let mut place = Place::pass(pass, device);
    place.location.call = Some(begin_call(pass));
    // Without names, what the pass draws to tells passes of one structure apart.
    let named = pass.shape.attachments.iter().filter_map(|a| a.image.as_ref());
    let named = named.filter(|image| image.name.given);
    place.object = named.map(|i| without_digits(&i.name.text)).collect::<Vec<_>>().join(",");
    place
}

fn pass_text(pass: &Pass) -> String {
    format!("pass {} area={}", identifier(&pass.name), rect_text(pass.shape.area))
}

/// A rectangle as a listing writes it.
pub fn rect_text(rect: ash::vk::Rect2D) -> String {
    let (offset, extent) = (rect.offset, rect.extent);
    format!("{}x{}+{}+{}", extent.width, extent.height, offset.x, offset.y)
}

/// The edit of a render area.
pub fn area_edit(pass: &Pass, to: ash::vk::Rect2D) -> Edit {
    let name = pass.name.to_string();
    let (from, to) = (rect_text(pass.shape.area), rect_text(to));
    Edit::set(EditObject::Command, name, "renderArea", from, to)
        .in_pass(pass)
        .said_by("area", pass.line)
}
