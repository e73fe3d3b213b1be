#![doc = include_str!("missing_depth_resolve.md")]

use super::super::mend::{Taken as MendTaken, then_transient};
use super::sampling::{Taken, taken};
use crate::call::Via;
use crate::finding::{Beside, Confidence, Cost, Edit, EditObject, Fix, Level, Tier};
use crate::format::Aspect;
use crate::model::{Attachment, Fate, Frame, Image, Pass, Read, StepRef};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "missing-depth-resolve",
    group: Group::Resolve,
    level: Level::Warn,
    tier: Tier::F,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("missing_depth_resolve.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for (pass, attachment, plane, ops) in used_aspects(frame) {
        let Some(image) = attachment.image.as_ref() else { continue };
        let unresolved = attachment.is_multisampled() && attachment.resolves.is_empty();
        if ops.aspect != Aspect::Depth || !unresolved || cx.device.always_live(image.id).is_some() {
            continue;
        }
        let store = pass.aspect(attachment.slot, plane).and_then(|facts| facts.store);
        let Some(Fate::Live(reads)) = store.map(|store| cx.device.fate(store)) else { continue };
        // Samples that something else needs have to leave the tile in any case.
        if reads.iter().any(|(read, _)| *read != Read::Sampled) {
            continue;
        }
        let Some((reader, taken)) = takers(frame, cx, pass, image) else { continue };
        report(cx, frame, (pass, attachment), reader, taken);
    }
}

/// A pass that samples the image, and what of each pixel all such passes take.
fn takers<'a>(
    frame: &'a Frame,
    cx: &Cx<'_>,
    pass: &Pass,
    image: &Image,
) -> Option<(&'a Pass, Taken)> {
    let (_, used) = cx.device.image(image.id)?;
    let readers: Vec<&Pass> = frame.passes().filter(|by| by.reads_image(image.id)).collect();
    let seen = used.readers.iter().all(|variant| readers.iter().any(|by| by.variant == *variant));
    let after = readers.iter().all(|by| by.step.index > pass.step.index);
    if used.read_elsewhere || used.written || !seen || !after {
        return None;
    }
    let mut all: Option<Taken> = None;
    for by in &readers {
        let here = taken(by, image)?;
        all = Some(all.map_or(here, |all| all.max(here)));
    }
    Some((readers.first()?, all?))
}

fn report(
    cx: &mut Cx<'_>,
    frame: &Frame,
    (pass, attachment): (&Pass, &Attachment),
    reader: &Pass,
    taken: Taken,
) {
    let bytes = cx.aspect_bytes(pass, attachment, Aspect::Depth);
    let saved = bytes - bytes / u64::from(attachment.samples.max(1));
    let field = Field::store_of(Aspect::Depth);
    let place = Place::attachment(pass, attachment, Some(Aspect::Depth), field, cx.device);
    let (name, samples) = (attachment.name(), attachment.samples);
    let message =
        format!("all {samples} samples of depth `{name}` are stored, and one a pixel is used");
    let why = match taken {
        Taken::One => format!("pass `{}` fetches one sample a pixel", reader.name),
        _ => format!("pass `{}` makes one depth a pixel of them", reader.name),
    };
    let fix = fix(pass, attachment).edit(edit_op(pass, attachment, field, "STORE", "DONT_CARE"));
    let fix = instead(fix, cx, frame, (pass, attachment));
    let confidence = if taken == Taken::One { Confidence::Certain } else { Confidence::Likely };
    let mut report = Report::new(place, confidence, message, why, fix).cost(Cost {
        load_bytes: saved,
        store_bytes: saved,
        memory_bytes: 0,
    });
    if taken != Taken::One {
        let what = "the draw takes sample 0, the smallest or the largest of each pixel";
        report = report.assume(what);
    }
    cx.report(report);
}

fn fix(pass: &Pass, attachment: &Attachment) -> Fix {
    let (name, to) = (attachment.name(), format!("{}_1x", attachment.name()));
    let mode = edit_op(pass, attachment, Field::ResolveMode, "NONE", "SAMPLE_ZERO");
    if pass.shape.via == Via::Dynamic {
        let text = format!(
            "pDepthAttachment->resolveMode = SAMPLE_ZERO (MIN or MAX where supported) with a \
             1-sample resolveImageView, storeOp = DONT_CARE, and sample that instead of `{name}`"
        );
        let view = edit_op(pass, attachment, Field::Resolve, "NULL", &to);
        return Fix::text(text).edit(mode).edit(view);
    }
    let last = attachment.last_use.unwrap_or(0);
    let text = format!(
        "a VkSubpassDescriptionDepthStencilResolve (SAMPLE_ZERO; MIN or MAX where supported) to a \
         1-sample image in subpass {last}, storeOp = DONT_CARE, and sample that instead of `{name}`"
    );
    let field = Field::Other(Field::Resolve.key(), "pDepthStencilResolveAttachment");
    Fix::text(text).edit(mode).edit(edit_op(pass, attachment, field, "UNUSED", &to))
}

/// The edits that make the 1-sample image, and let those who sample the samples sample it.
fn instead(fix: Fix, cx: &Cx<'_>, frame: &Frame, (pass, attachment): (&Pass, &Attachment)) -> Fix {
    let Some(image) = &attachment.image else { return fix };
    let name = identifier(&image.name.text);
    let extent = image.info.extent;
    let mut line = format!(
        "image {name}_1x format={:?} extent={}x{} usage=DEPTH_STENCIL_ATTACHMENT|SAMPLED",
        image.info.format, extent.width, extent.height
    );
    if image.info.layers > 1 {
        line += &format!(" layers={}", image.info.layers);
    }
    let mut fix = fix.edit(Edit::insert("vkCreateImage", Beside::Behind(image.line), line));
    let readers: Vec<&Pass> = frame.passes().filter(|by| by.reads_image(image.id)).collect();
    for reader in &readers {
        for draw in &reader.draws {
            let (field, to) = ("pImageInfo", format!("{name}_1x"));
            let edit = Edit::set(EditObject::Command, "draw", field, name.clone(), to);
            fix = fix.edit(edit.in_pass(reader).said_by("reads", draw.line));
        }
    }
    let mut steps: Vec<&StepRef> = readers.iter().map(|reader| &*reader.step).collect();
    steps.push(&pass.step);
    let taken = MendTaken { steps: &steps, reads: &[Read::Sampled], ..MendTaken::default() };
    then_transient(fix, cx, frame, image, &taken)
}
