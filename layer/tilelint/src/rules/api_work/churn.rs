//! Objects that are made and destroyed in every frame.

use crate::call::Kind;
use crate::finding::{Confidence, Edit, Fix, Location};
use crate::model::{DeviceModel, Frame};
use crate::rule::*;

/// How many objects of a kind each frame makes and destroys, this one and those before it that a
/// verdict takes; `None` where one of them did not do both.
pub fn churned(frame: &Frame, kind: Kind) -> Option<(u32, u32)> {
    let of = |list: &[(Kind, u32)]| list.iter().find(|(k, _)| *k == kind).map(|(_, n)| *n);
    of(&frame.kept_making).zip(of(&frame.kept_destroying))
}

/// A report on a kind of object: all of it in a frame is one cause.
pub fn report(
    frame: &Frame,
    device: &DeviceModel,
    kind: Kind,
    call: &'static str,
    message: String,
    why: &str,
    fix: &str,
) -> Report {
    let place = Place {
        location: Location {
            device: device.name.to_string(),
            frame: Some(frame.index),
            call: Some(call),
            ..Location::default()
        },
        object: kind.word().to_owned(),
        ..Place::default()
    };
    let mut fix = Fix::text(fix);
    let lines = frame.object_lines.iter().filter(|(of, ..)| *of == kind);
    for (_, made, line) in lines {
        let what = kind.word();
        // Made once, they are not destroyed either.
        fix = fix.edit(if *made {
            Edit::once(what, call, *line)
        } else {
            Edit::remove(format!("destroy {what}"), "vkDestroy*", *line)
        });
    }
    Report::new(place, Confidence::Certain, message, why, fix)
        .seen_over(device.settings.steady_frames)
}
