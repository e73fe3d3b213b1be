#![doc = include_str!("foveation_mismatch.md")]

use ash::vk;

use super::super::mend::{Taken, then_transient};
use super::maps::{is_known, is_same_view};
use crate::finding::{Confidence, Cost, Edit, Fix, Level, Tier};
use crate::model::{Attachment, Frame, ImageId, Pass, Roles, Step};
use crate::rule::*;
use crate::rules::flow::pass_place;

/// The rule.
pub static RULE: Rule = Rule {
    name: "foveation-mismatch",
    group: Group::Foveation,
    level: Level::Info,
    tier: Tier::C,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("foveation_mismatch.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    // The last pass of each queue, while nothing else ran behind it there.
    let mut last: Vec<&Pass> = Vec::new();
    for step in &frame.steps {
        match step {
            Step::Pass(pass) => {
                let before = last.iter().position(|before| before.queue == pass.queue);
                let before = before.map(|index| last.swap_remove(index));
                if let Some(first) = before
                    && is_known(first)
                    && is_known(pass)
                    && rate_images(first) != rate_images(pass)
                    && continues(first, pass)
                {
                    report(cx, frame, first, pass);
                }
                last.push(pass);
            }
            Step::Transfer(transfer) => last.retain(|before| before.queue != transfer.queue),
            Step::Dispatch { queue, .. } => last.retain(|before| before.queue != *queue),
            Step::Present { .. } | Step::Host { .. } => last.clear(),
            _ => {}
        }
    }
}

/// Images that decide how densely the pass is shaded.
fn rate_images(pass: &Pass) -> Vec<Option<ImageId>> {
    let rates = pass.shape.attachments.iter().filter(|attachment| attachment.is_rate());
    rates.map(|rate| rate.image.as_ref().map(|image| image.id)).collect()
}

fn drawn(pass: &Pass) -> Vec<&Attachment> {
    let drawn = Roles::COLOR.or(Roles::DEPTH_STENCIL);
    pass.shape.attachments.iter().filter(|a| a.roles.any(drawn)).collect()
}

/// The second pass goes on drawing to what the first one drew, and reads none of it otherwise.
fn continues(first: &Pass, second: &Pass) -> bool {
    let (one, two) = (drawn(first), drawn(second));
    let id =
        |a: &Attachment| a.image.as_ref().map(|image| (image.id, a.range.mip, a.range.base_layer));
    let same = one.len() == two.len()
        && two.iter().all(|a| id(a).is_some() && one.iter().any(|b| id(a) == id(b)));
    let reads = one.iter().filter_map(|a| a.image.as_ref()).any(|i| second.reads_image(i.id));
    same && !reads
        && is_same_view(first, second)
        && first.shape.area.extent == second.shape.area.extent
        && handed_on(first, second) > 0
}

/// Bytes that the first pass stores only for the second to load them.
fn handed_on(first: &Pass, second: &Pass) -> u64 {
    let mut bytes = 0;
    for attachment in drawn(second) {
        let id = attachment.image.as_ref().map(|image| image.id);
        let before = drawn(first).into_iter().find(|a| a.image.as_ref().map(|i| i.id) == id);
        let Some(before) = before else { continue };
        for ops in &attachment.aspects {
            let stored = before.ops(ops.aspect).and_then(|ops| ops.store);
            let loads = ops.load == Some(vk::AttachmentLoadOp::LOAD);
            if stored == Some(vk::AttachmentStoreOp::STORE) && loads {
                bytes += second.shape.load_bytes(attachment, ops).unwrap_or(0);
            }
        }
    }
    bytes
}

fn report(cx: &mut Cx<'_>, frame: &Frame, first: &Pass, second: &Pass) {
    let place = pass_place(second, None, cx.device);
    let message = format!(
        "`{}` goes on where `{}` ended, but with another density map or shading rate",
        second.name, first.name
    );
    let why = "the state belongs to the whole pass: because it differs, what could be one pass is \
               two, and the picture goes to memory and back";
    let mut fix = Fix::text("give both the same map or rate, and draw them in one pass")
        .edit(Edit::join(second, first));
    for image in drawn(first).into_iter().filter_map(|a| a.image.as_ref()) {
        let taken = Taken { steps: &[&second.step], ..Taken::default() };
        fix = then_transient(fix, cx, frame, image, &taken);
    }
    let bytes = handed_on(first, second);
    let cost = Cost { load_bytes: bytes, store_bytes: bytes, memory_bytes: 0 };
    let report = Report::new(place, Confidence::Likely, message, why, fix).cost(cost);
    cx.report(
        report.assume("the draws of one do not need another density than those of the other"),
    );
}
