#![doc = include_str!("synchronous_readback.md")]

use super::places;
use super::readback::{Readback, readbacks};
use super::submit_then_wait::wait_text;
use crate::call::{Kind, Object};
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::{Frame, HostStep};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "synchronous-readback",
    group: Group::Sync,
    level: Level::Warn,
    tier: Tier::S,
    folds: &["submit-then-wait", "wait-idle-in-frame"],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("synchronous_readback.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for readback in readbacks(frame, cx.device) {
        report(cx, frame, &readback);
    }
}

fn report(cx: &mut Cx<'_>, frame: &Frame, found: &Readback<'_>) {
    let device = cx.device;
    let transfer = found.transfer;
    let name = &found.name.text;
    let from = transfer.from.and_then(|id| device.image(id)).map(|(image, _)| &image.name.text);
    let from = from.map(|name| format!(" from={}", identifier(name))).unwrap_or_default();
    let text = format!("copy{from} to={}", identifier(name));
    let object = places::identity(&found.name, found.target.kind.word());
    let call = match (transfer.from, found.target.kind) {
        (Some(_), Kind::Buffer) => "vkCmdCopyImageToBuffer",
        (Some(_), _) => "vkCmdCopyImage",
        _ => "vkCmdCopyBuffer",
    };
    let mut place = places::host(&transfer.step, text, "to", call, object, device);
    place.location.commands = Some(transfer.commands.to_string());
    place.location.labels = transfer.labels.iter().map(ToString::to_string).collect();
    place.objects.push((found.target, name.to_string()));
    if let Some((step, what)) = found.wait {
        let (text, objects) = waits_for(cx, frame, what);
        for object in objects {
            place = places::with_object(place, object, device);
        }
        place = place.explained(step.line, text, "", "the host waits for it");
    }
    if let Some(step) = found.read {
        let text = format!("host-read {}", identifier(name));
        place = place.explained(step.line, text, "", "and reads it in the same frame");
    }
    let message = format!("the host reads `{name}` in the frame that copies to it");
    let why = "it stands still until all of the frame so far has run, and the GPU until the host \
               goes on; what was on the tiles has to be stored for the copy";
    let fix = Fix::text(
        "copy into slot n of a ring, map slot n-2 and wait on that slot's fence only; or copy on \
         the host (VK_EXT_host_image_copy)",
    );
    let mut report = Report::new(place, Confidence::Certain, message, why, fix);
    if found.read.is_none() {
        report.confidence = Confidence::Likely;
        report = report.assume("the host reads what was copied once it has waited");
    }
    cx.report(report);
}

fn waits_for(cx: &Cx<'_>, frame: &Frame, what: &HostStep) -> (String, Vec<Object>) {
    match what {
        HostStep::Wait(wait) => {
            let fences = wait.fences.iter().map(|fence| (*fence).into());
            let semaphores = wait.semaphores.iter().map(|(semaphore, _)| (*semaphore).into());
            (wait_text(wait, cx.device).0, fences.chain(semaphores).collect())
        }
        HostStep::WaitIdle(idle) => match idle.queue {
            Some(queue) => {
                let name = cx.device.name_of(queue);
                (format!("wait-idle {}", identifier(&name.text)), vec![queue.into()])
            }
            None => {
                let queues = places::submits(frame).map(|(_, facts)| facts.queue.into());
                ("wait-idle".to_owned(), queues.collect())
            }
        },
        _ => (String::new(), Vec::new()),
    }
}
