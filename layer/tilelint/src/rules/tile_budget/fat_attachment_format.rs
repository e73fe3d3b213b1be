#![doc = include_str!("fat_attachment_format.md")]

use ash::vk;

use super::narrowing::{self, FORMAT};
use crate::finding::{Confidence, Cost, Fix, Level, Tier};
use crate::format::{self, Aspect};
use crate::model::{Attachment, Image, Pass, Read, Roles};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "fat-attachment-format",
    group: Group::TileBudget,
    level: Level::Info,
    tier: Tier::C,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("fat_attachment_format.md"),
    checks: &[Check::Pass(check)],
};

/// What an attachment holds, by its name.
#[derive(Clone, Copy, PartialEq)]
enum Holds {
    Position,
    Normal,
    Unknown,
}

fn check(pass: &Pass, cx: &mut Cx<'_>) {
    if pass.shape.opaque {
        return;
    }
    for attachment in &pass.shape.attachments {
        let Some(image) = attachment.image.as_ref().filter(|_| is_one_of_many(pass, attachment))
        else {
            continue;
        };
        let Some(bytes) = format::texel_bytes(attachment.format, Aspect::Color) else { continue };
        let holds = holds(image);
        if !(bytes >= 12 || holds != Holds::Unknown && is_wide_float(attachment.format)) {
            continue;
        }
        if feeds_compute_only(image, cx) {
            continue;
        }
        report(cx, pass, attachment, bytes, holds);
    }
}

fn report(cx: &mut Cx<'_>, pass: &Pass, attachment: &Attachment, bytes: u32, holds: Holds) {
    let place = Place::attachment(pass, attachment, None, FORMAT, cx.device);
    let message = format!("`{}` takes {} bits of every sample", attachment.name(), 8 * bytes);
    let (to, fix, wanted) = match holds {
        Holds::Position => (None, "rebuild the position from depth, and drop it", 0),
        Holds::Normal => {
            let to = vk::Format::R16G16_SNORM;
            (Some(to), "octahedral normals in two channels: R16G16_SNORM", 4)
        }
        Holds::Unknown => (
            Some(vk::Format::R16G16B16A16_SFLOAT),
            "16-bit floats, or packed formats: A2B10G10R10 or B10G11R11",
            8,
        ),
    };
    let fix = match to.filter(|_| format::is_float(attachment.format)) {
        Some(to) => narrowing::edit(Fix::text(fix), pass, attachment, to),
        None => Fix::text(fix),
    };
    let why =
        "every byte of a sample makes the tile smaller, and moves twice if it leaves the tile";
    let mut report = Report::new(place, Confidence::Likely, message, why, fix);
    report = report.assume(if holds == Holds::Unknown {
        "what it holds does without so much precision"
    } else {
        "it holds what its name says"
    });
    let stored = attachment
        .ops(Aspect::Color)
        .is_some_and(|ops| pass.shape.store_bytes(attachment, ops).is_some_and(|bytes| bytes > 0));
    if stored {
        let extra = pass.shape.texels()
            * u64::from(attachment.samples)
            * u64::from(bytes.saturating_sub(wanted));
        report = report.cost(Cost { load_bytes: extra, store_bytes: extra, memory_bytes: 0 });
    }
    cx.report(report);
}

/// A colour output of a subpass that has several.
fn is_one_of_many(pass: &Pass, attachment: &Attachment) -> bool {
    attachment.roles.any(Roles::COLOR)
        && pass.shape.subpasses.iter().any(|subpass| {
            let colors = subpass.color.iter().flatten();
            colors.clone().count() > 1
                && colors.into_iter().any(|color| color.attachment == attachment.slot)
        })
}

fn is_wide_float(format: vk::Format) -> bool {
    let bits = format::channel_bits(format);
    format::is_float(format) && bits.len() >= 3 && bits.iter().all(|bits| *bits >= 16)
}

/// The words of a name: `gNormalMap` is `g`, `normal`, `map`.
fn holds(image: &Image) -> Holds {
    if !image.name.given {
        return Holds::Unknown;
    }
    let humps = image.name.text.chars().any(|c| c.is_ascii_lowercase());
    let mut words = vec![String::new()];
    for c in image.name.text.chars() {
        if !c.is_ascii_alphabetic() || (c.is_ascii_uppercase() && humps) {
            words.push(String::new());
        }
        if c.is_ascii_alphabetic()
            && let Some(word) = words.last_mut()
        {
            word.push(c.to_ascii_lowercase());
        }
    }
    let is = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    match () {
        () if is(&["position", "positions", "pos"]) => Holds::Position,
        () if is(&["normal", "normals", "norm"]) => Holds::Normal,
        () => Holds::Unknown,
    }
}

/// Nothing but dispatches read it: data rather than a picture.
fn feeds_compute_only(image: &Image, cx: &Cx<'_>) -> bool {
    let Some((_, used)) = cx.device.image(image.id) else { return false };
    let by_shaders = 1u16 << Read::Sampled as u8 | 1 << Read::Storage as u8;
    let by_passes = 1u16 << Read::Load as u8 | 1 << Read::Input as u8;
    used.reads & by_shaders != 0
        && used.reads & by_passes == 0
        && used.readers.is_empty()
        && !used.read_elsewhere
}
