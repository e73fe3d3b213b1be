#![doc = include_str!("depth_copy_for_read.md")]

use ash::vk;

use super::super::load_store::is_full_screen;
use super::own_pixel::{Reading, reading};
use super::pairs::{drawn_together, reload};
use crate::finding::{Confidence, Cost, Fix, Level, Tier};
use crate::format::Aspect;
use crate::model::{Attachment, Frame, ImageId, Pass, State, Step, TransferStep, Writer};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "depth-copy-for-read",
    group: Group::Merging,
    level: Level::Warn,
    tier: Tier::S,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("depth_copy_for_read.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    if !cx.profile.merges_input_reads() {
        return;
    }
    for step in &frame.steps {
        match step {
            Step::Transfer(transfer) => copied(frame, cx, transfer),
            Step::Pass(pass) if !pass.unknown && !pass.shape.opaque => split(frame, cx, pass),
            _ => {}
        }
    }
}

fn depth_of(pass: &Pass) -> Option<&Attachment> {
    let depth = |a: &&Attachment| a.loads() && a.ops(Aspect::Depth).is_some_and(|ops| ops.named);
    pass.shape.attachments.iter().find(depth)
}

fn id_of(attachment: &Attachment) -> Option<ImageId> {
    attachment.image.as_ref().map(|image| image.id)
}

/// A copy of the depth that a later pass with the same depth attachment reads.
fn copied(frame: &Frame, cx: &mut Cx<'_>, transfer: &TransferStep) {
    let (Some(from), Some(to)) = (transfer.from, transfer.to) else { return };
    let by_pass = transfer.source.state == State::Written(Writer::Pass);
    let Some(by) = transfer.source.by.as_ref().filter(|_| by_pass) else { return };
    let same_size = match (cx.device.image(from), cx.device.image(to)) {
        (Some((a, _)), Some((b, _))) => a.info.extent == b.info.extent,
        _ => false,
    };
    let Some(first) = frame.pass_at(by.index).filter(|p| p.step.frame == by.frame) else {
        return;
    };
    let mut later = frame.passes().filter(|p| p.step.index > transfer.step.index);
    let Some(reader) = later.find(|pass| pass.reads_image(to)) else { return };
    let Some(depth) = depth_of(first).filter(|a| id_of(a) == Some(from)) else { return };
    let keeps = depth_of(reader).is_some_and(|a| {
        id_of(a) == Some(from)
            && a.ops(Aspect::Depth).is_some_and(|o| o.load == Some(vk::AttachmentLoadOp::LOAD))
    });
    let local = reading(reader, to);
    if !same_size || !keeps || local == Reading::Elsewhere || reader.unknown {
        return;
    }
    let bytes = cx.aspect_bytes(first, depth, Aspect::Depth);
    let text = format!("{} from={}", transfer.step.name, identifier(&depth.name()));
    let mut place = Place::step(&transfer.step, text, "from", cx.device);
    place.location.image = Some(depth.name());
    place.object = crate::model::without_digits(&depth.name());
    place.variant = Some(first.variant);
    let message = format!(
        "the depth `{}` is copied in the middle of the frame for pass `{}` to read",
        depth.name(),
        reader.name
    );
    let why = "the copy needs the depth in memory, and the pass that could have gone on ends there";
    let copy = Cost { load_bytes: bytes, store_bytes: bytes, memory_bytes: bytes };
    let cost = copy.plus(reload(cx, first, reader));
    finish(cx, place, (message, why), cost, (depth, local));
}

/// A pass that draws on with the depth taken off, to sample it.
fn split(frame: &Frame, cx: &mut Cx<'_>, reader: &Pass) {
    let loaded = pass_aspects(reader).find_map(|(a, plane, ops)| {
        let before = &reader.aspect(a.slot, plane)?.before;
        let by = before.by.as_ref().filter(|by| by.frame == reader.step.frame)?;
        let on = ops.load == Some(vk::AttachmentLoadOp::LOAD) && ops.aspect == Aspect::Color;
        (on && before.state == State::Written(Writer::Pass)).then_some(by.index)
    });
    let Some(first) = loaded.and_then(|index| frame.pass_at(index)) else {
        return;
    };
    let Some(depth) = depth_of(first).filter(|_| depth_of(reader).is_none()) else { return };
    let Some(image) = id_of(depth).filter(|id| reader.reads_image(*id)) else { return };
    let local = reading(reader, image);
    // A full-screen draw whose shader is not known may as well look at neighbours.
    let full = reader.draws.iter().all(|draw| is_full_screen(draw, reader));
    let alike = first.shape.area == reader.shape.area && drawn_together(first, depth, reader);
    if local == Reading::Elsewhere || (full && local == Reading::Unknown) || !alike {
        return;
    }
    let place = Place::attachment(first, depth, Some(Aspect::Depth), Field::Store, cx.device)
        .explained(reader.line, format!("pass {}", identifier(&reader.name)), "", "sampled here");
    let message = format!(
        "the pass ends so that pass `{}` can sample its depth `{}`",
        reader.name,
        depth.name()
    );
    let why = "colour and depth go to memory, and the colour comes back, for a read that the tile \
               could serve";
    let bytes = cx.aspect_bytes(first, depth, Aspect::Depth);
    let cost = Cost { load_bytes: bytes, store_bytes: bytes, memory_bytes: 0 };
    let cost = cost.plus(reload(cx, first, reader));
    finish(cx, place, (message, why), cost, (depth, local));
}

fn finish(
    cx: &mut Cx<'_>,
    place: Place,
    (message, why): (String, &str),
    cost: Cost,
    (depth, local): (&Attachment, Reading),
) {
    let fix = Fix::text(format!(
        "keep the pass: `{}` in a read-only layout, tested and read as an input attachment",
        depth.name()
    ));
    let mut report = Report::new(place, Confidence::Likely, message, why, fix).cost(cost);
    if local == Reading::Unknown {
        report = report.assume("the shader reads the depth at its own pixel");
    }
    cx.report(report.assume("the draws that read it write no depth"));
}
