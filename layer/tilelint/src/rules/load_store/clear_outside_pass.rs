#![doc = include_str!("clear_outside_pass.md")]

use ash::vk;

use super::super::clears::{acted_on, aspects_of, clear_text, covered_by_pass, includes};
use super::super::flow::next_pass;
use crate::call::SubresourceRange;
use crate::finding::{Confidence, Cost, Edit, Fix, Level, Tier};
use crate::model::{Attachment, Frame, Image, Pass, Step, TransferStep};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "clear-outside-pass",
    group: Group::LoadStore,
    level: Level::Warn,
    tier: Tier::S,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("clear_outside_pass.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for step in &frame.steps {
        let Step::Transfer(clear) = step else { continue };
        let Some((image, _)) = clear.to.and_then(|id| cx.device.image(id)) else { continue };
        let Some(pass) = next_pass(frame, image, &clear.step) else { continue };
        if let Some(attachment) = loaded(clear, image, pass) {
            report(cx, clear, image, pass, attachment);
        }
    }
}

/// The attachment of the pass that loads just what the command cleared.
fn loaded<'a>(clear: &TransferStep, image: &Image, pass: &'a Pass) -> Option<&'a Attachment> {
    let ranges = &clear.clear.as_ref()?.ranges;
    let attachment = covered_by_pass(pass, image, ranges)?;
    let acted = acted_on(pass, attachment)?;
    // A layer that the command leaves out keeps what the load brings in.
    let all = |range: &SubresourceRange| {
        includes(image, range, &SubresourceRange { aspects: range.aspects, ..acted })
    };
    if !ranges.iter().all(all) {
        return None;
    }
    let usable = attachment.loads() && attachment.format == image.info.format;
    let mut loads = false;
    for aspect in aspects_of(image, ranges) {
        let plane = attachment.aspects.iter().position(|ops| ops.aspect == aspect)?;
        let facts = pass.aspect(attachment.slot, plane)?;
        let ours = facts.before.by.as_ref().is_some_and(|by| *by == clear.step);
        let op = attachment.aspects[plane].load?;
        loads |= op == vk::AttachmentLoadOp::LOAD;
        if op == vk::AttachmentLoadOp::NONE_EXT || !ours {
            return None;
        }
    }
    (usable && loads).then_some(attachment)
}

fn report(
    cx: &mut Cx<'_>,
    clear: &TransferStep,
    image: &Image,
    pass: &Pass,
    attachment: &Attachment,
) {
    let loads =
        |ops: &&crate::model::AspectOps| ops.named && ops.load == Some(vk::AttachmentLoadOp::LOAD);
    let loaded: Vec<_> = attachment.aspects.iter().filter(loads).collect();
    let Some(first) = loaded.first() else { return };
    let one = (attachment.aspects.len() == 1).then_some(first.aspect);
    let field = Field::load_of(first.aspect);
    let mut place = Place::attachment(pass, attachment, one, field, cx.device);
    let attach = std::mem::take(&mut place.quote);
    place.quote = Place::step(&clear.step, clear_text(image), "", cx.device).quote;
    for line in attach.lines {
        let label = "only to be loaded here";
        place = place.explained(attachment.line, line.text, field.key(), label);
    }
    let color = attachment.roles.any(crate::model::Roles::COLOR);
    let call = if color { "vkCmdClearColorImage" } else { "vkCmdClearDepthStencilImage" };
    place.location.call = Some(call);
    place.location.commands = Some(clear.commands.to_string());
    let message = format!("`{}` is cleared by a command and then loaded", image.name.text);
    let why = format!("the clear goes to memory, and pass `{}` reads it back", pass.name);
    let text = "loadOp = CLEAR with the same value; delete the command and the barriers that \
                serve only it";
    let mut fix = Fix::text(text).edit(Edit::remove(clear_text(image), call, clear.step.line));
    let mut bytes = 0;
    for ops in &loaded {
        let field = Field::load_of(ops.aspect);
        fix = fix.edit(edit_op(pass, attachment, field, "LOAD", "CLEAR"));
        bytes += cx.aspect_bytes(pass, attachment, ops.aspect);
    }
    cx.report(Report::new(place, Confidence::Certain, message, why, fix).cost(Cost {
        load_bytes: bytes,
        store_bytes: bytes,
        memory_bytes: 0,
    }));
}
