#![doc = include_str!("redundant_clear.md")]

use ash::vk;

use super::super::clears::{again, aspects_of, clear_text, covered_by_pass, includes};
use super::super::flow::next_touch;
use crate::finding::{Confidence, Cost, Edit, Fix, Level, Tier};
use crate::format::Aspect;
use crate::model::{Attachment, ClearFacts, FirstUse, Frame, Pass, Step, TransferStep};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "redundant-clear",
    group: Group::LoadStore,
    level: Level::Info,
    tier: Tier::R,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("redundant_clear.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for step in &frame.steps {
        match step {
            Step::Pass(pass) if !pass.unknown && !pass.shape.opaque => in_pass(cx, pass),
            Step::Transfer(clear) if clear.clear.is_some() => by_command(frame, cx, clear),
            _ => {}
        }
    }
}

fn in_pass(cx: &mut Cx<'_>, pass: &Pass) {
    for (attachment, plane, ops) in pass_aspects(pass) {
        let Some(facts) = pass.aspect(attachment.slot, plane) else { continue };
        let Some(FirstUse::Clear(first)) = facts.first else { continue };
        let Some(clear) = pass.clears.get(first as usize) else { continue };
        let resolved = attachment.resolves.iter().any(|resolve| resolve.subpass < clear.subpass);
        let whole = clear.covers_area && !clear.conditional && !resolved;
        let op = ops.load == Some(vk::AttachmentLoadOp::CLEAR) && attachment.loads();
        if whole && op {
            let text = "loadOp = CLEAR with the later value, and no command";
            let twice = [clear, clear];
            report(cx, pass, attachment, ops.aspect, twice, "the load op clears it", text);
        } else if let Some(again) = again(pass, attachment, ops.aspect, first as usize) {
            let text = "delete the earlier command, and keep the later value";
            let twice = [clear, again];
            report(cx, pass, attachment, ops.aspect, twice, "a command clears it", text);
        }
    }
}

fn report(
    cx: &mut Cx<'_>,
    pass: &Pass,
    attachment: &Attachment,
    aspect: Aspect,
    [gone, again]: [&ClearFacts; 2],
    before: &str,
    text: &str,
) {
    let field = Field::load_of(aspect);
    let place = Place::attachment(pass, attachment, Some(aspect), field, cx.device).explained(
        again.line,
        "  clear-attachments".to_owned(),
        "",
        "cleared again here",
    );
    let word = aspect_text(aspect);
    let message = format!("the {word} of `{}` is cleared twice in a row", attachment.name());
    let why = format!("{before}, and nothing uses it before the next command clears it again");
    let edit = Edit::remove("clear-attachments", "vkCmdClearAttachments", gone.line);
    let fix = Fix::text(text).edit(edit.in_pass(pass));
    cx.report(Report::new(place, Confidence::Certain, message, why, fix));
}

fn by_command(frame: &Frame, cx: &mut Cx<'_>, clear: &TransferStep) {
    let Some((image, _)) = clear.to.and_then(|id| cx.device.image(id)) else { return };
    let Some(ranges) = clear.clear.as_ref().map(|clear| &clear.ranges) else { return };
    let mut place = Place::step(&clear.step, clear_text(image), "", cx.device);
    let (by, line, text) = match next_touch(frame, image, &clear.step) {
        Some(Step::Pass(pass)) => {
            let Some(attachment) = covered_by_pass(pass, image, ranges) else { return };
            let clears = |aspect| {
                let load = attachment.ops(aspect).and_then(|ops| ops.load);
                load == Some(vk::AttachmentLoadOp::CLEAR)
            };
            if !attachment.loads() || !aspects_of(image, ranges).all(clears) {
                return;
            }
            place.location.pass = Some(pass.name.to_string());
            place.location.pass_key = Some(pass.key);
            place.variant = Some(pass.variant);
            (format!("pass `{}`", pass.name), attachment.line, "  attach".to_owned())
        }
        Some(Step::Transfer(later)) => {
            let Some(over) = later.clear.as_ref() else { return };
            if !ranges.iter().all(|range| over.ranges.iter().any(|o| includes(image, o, range))) {
                return;
            }
            ("the next clear".to_owned(), later.step.line, clear_text(image))
        }
        _ => return,
    };
    place = place.explained(line, text, "", "cleared again here");
    place.object = crate::model::without_digits(&image.name.text);
    place.objects.push((image.key.into(), image.name.text.to_string()));
    place.location.image = Some(image.name.text.to_string());
    place.location.commands = Some(clear.commands.to_string());
    let color = image.aspects().contains(&Aspect::Color);
    let call = if color { "vkCmdClearColorImage" } else { "vkCmdClearDepthStencilImage" };
    place.location.call = Some(call);
    let message = format!("`{}` is cleared by a command and then cleared again", image.name.text);
    let why = format!("{by} clears all of it before anything uses it");
    let texels = u64::from(image.info.extent.width) * u64::from(image.info.extent.height);
    let texel: u64 = aspects_of(image, ranges)
        .map(|a| u64::from(crate::format::texel_bytes(image.info.format, a).unwrap_or(0)))
        .sum();
    let fix = Fix::text("delete this command and the barriers that serve only it")
        .edit(Edit::remove(clear_text(image), call, clear.step.line));
    let report = Report::new(place, Confidence::Certain, message, why, fix);
    cx.report(report.cost(Cost::store(texels * texel * u64::from(image.info.samples))));
}
