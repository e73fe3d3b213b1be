#![doc = include_str!("transfer_then_load.md")]

use ash::vk;

use super::super::flow::next_pass;
use crate::finding::{Confidence, Cost, Edit, Fix, Level, Tier};
use crate::format::Aspect;
use crate::model::{Attachment, Frame, Image, Pass, State, Step, StepKind, TransferStep, Writer};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "transfer-then-load",
    group: Group::LoadStore,
    level: Level::Warn,
    tier: Tier::S,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("transfer_then_load.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for step in &frame.steps {
        let Step::Transfer(transfer) = step else { continue };
        let (Some(from), Some(to)) = (transfer.from, transfer.to) else { continue };
        let (Some((source, _)), Some((target, _))) = (cx.device.image(from), cx.device.image(to))
        else {
            continue;
        };
        if from == to || !transfer.whole_target || resolve_belongs_in_pass(transfer) {
            continue;
        }
        let Some(pass) = next_pass(frame, target, &transfer.step) else { continue };
        if let Some(attachment) = loaded(transfer, target, pass) {
            report(cx, transfer, [source, target], pass, attachment);
        }
    }
}

/// `resolve-outside-pass` says it: the pass that drew the samples should resolve them.
fn resolve_belongs_in_pass(transfer: &TransferStep) -> bool {
    transfer.step.what == StepKind::Resolve
        && transfer.whole_source
        && transfer.source.state == State::Written(Writer::Pass)
}

/// The colour attachment of the pass that loads what the command wrote, and is drawn on.
fn loaded<'a>(transfer: &TransferStep, image: &Image, pass: &'a Pass) -> Option<&'a Attachment> {
    if pass.unknown || pass.shape.opaque || pass.draws.is_empty() || pass.reads_image(image.id) {
        return None;
    }
    let mut attachments = pass.shape.attachments.iter();
    let attachment =
        attachments.find(|a| a.image.as_ref().is_some_and(|other| other.id == image.id))?;
    let all_layers = pass.shape.rendered_layers() == 1
        || transfer
            .transfer
            .as_ref()?
            .regions
            .iter()
            .any(|(_, to)| to.base_layer == 0 && to.layers >= image.info.layers);
    let ops = attachment.ops(Aspect::Color)?;
    let facts = pass.aspect(attachment.slot, 0)?;
    let ours = facts.before.by.as_ref().is_some_and(|by| *by == transfer.step);
    let loads = ops.load? == vk::AttachmentLoadOp::LOAD && attachment.loads();
    (ours && loads && all_layers && facts.touched() && pass.shape.covers(attachment))
        .then_some(attachment)
}

fn report(
    cx: &mut Cx<'_>,
    transfer: &TransferStep,
    [source, target]: [&Image; 2],
    pass: &Pass,
    attachment: &Attachment,
) {
    let verb = &transfer.step.name;
    let (from, to) = (&source.name.text, &target.name.text);
    let text = format!("{verb} from={} to={}", identifier(from), identifier(to));
    let call = match transfer.step.what {
        StepKind::Blit => "vkCmdBlitImage",
        StepKind::Resolve => "vkCmdResolveImage",
        _ => "vkCmdCopyImage",
    };
    let delete = Edit::remove(text.clone(), call, transfer.step.line);
    let place = Place::attachment(pass, attachment, Some(Aspect::Color), Field::Load, cx.device)
        .explained(transfer.step.line, text, "to", "written here");
    let message = format!("a {verb} writes `{to}` only for pass `{}` to load it", pass.name);
    let why = format!(
        "the {verb} goes through memory, and the pass reads the result back, at the full size of \
         `{to}` and without what the driver keeps beside a drawn image"
    );
    let edit = edit_op(pass, attachment, Field::Load, "LOAD", "DONT_CARE");
    let sampled = source.info.usage.contains(vk::ImageUsageFlags::SAMPLED);
    let usage = if sampled { "" } else { " (its usage needs SAMPLED)" };
    let fix = Fix::text(format!(
        "sample `{from}`{usage} in the first draw of pass `{}`, with loadOp = DONT_CARE, and no \
         {verb}",
        pass.name
    ))
    .edit(edit)
    .edit(delete);
    let bytes = cx.aspect_bytes(pass, attachment, Aspect::Color);
    let cost = Cost { load_bytes: bytes, store_bytes: bytes, memory_bytes: 0 };
    cx.report(
        Report::new(place, Confidence::Likely, message, why, fix)
            .cost(cost)
            .assume(format!("a draw may sample `{from}` and give the same picture")),
    );
}
