#![doc = include_str!("synchronous_readback.md")]

use ash::vk;

use super::places;
use super::submit_then_wait::wait_text;
use crate::call::{HostVerb, Object, TransferEnd};
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::{Frame, HostStep, Name, Step, StepRef, TransferStep};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "synchronous-readback",
    group: Group::Sync,
    level: Level::Warn,
    tier: Tier::S,
    folds: &["submit-then-wait", "wait-idle-in-frame"],
    correctness: false,
    since: "0.1",
    page: include_str!("synchronous_readback.md"),
    checks: &[Check::Frame(check)],
};

/// Where a copy goes that the host can read.
struct Target {
    object: Object,
    /// Its allocation, which may be what the host maps.
    memory: Option<Object>,
    name: Name,
    /// Memory that the GPU alone would not use: the copy is made for the host.
    for_host: bool,
}

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for (position, step) in frame.steps.iter().enumerate() {
        let Step::Transfer(transfer) = step else { continue };
        if let Some(target) = target(cx, transfer) {
            judge(cx, frame, position, transfer, &target);
        }
    }
}

fn target(cx: &Cx<'_>, transfer: &TransferStep) -> Option<Target> {
    use vk::MemoryPropertyFlags as F;
    let end = transfer.transfer.as_ref()?.to;
    let (object, memory, name, flags) = match end {
        TransferEnd::Buffer(key) => {
            (key.into(), None, cx.device.name_of(key), cx.device.buffer(key)?.flags?)
        }
        TransferEnd::Image(..) => {
            let (image, _) = cx.device.image(transfer.to?)?;
            let memory = image.placement.memory.map(Object::from);
            (image.key.into(), memory, image.name.clone(), image.placement.flags?)
        }
    };
    let for_host = !flags.contains(F::DEVICE_LOCAL);
    flags.contains(F::HOST_VISIBLE).then_some(Target { object, memory, name, for_host })
}

fn judge(
    cx: &mut Cx<'_>,
    frame: &Frame,
    position: usize,
    transfer: &TransferStep,
    target: &Target,
) {
    // The batch that the copy is in.
    let batch = frame.steps[..position].iter().rev().find_map(|step| match step {
        Step::Submit { step, .. } => Some(step.index),
        _ => None,
    });
    let mut wait: Option<(&StepRef, &HostStep)> = None;
    let mut read = None;
    for step in &frame.steps[position + 1..] {
        let Step::Host { step, what } = step else { continue };
        let took = match &**what {
            HostStep::Access(access) => {
                let reads = matches!(access.verb, HostVerb::Read | HostVerb::Map);
                let seen = access.object == target.object || target.memory == Some(access.object);
                if reads && seen {
                    read = Some((&**step, &**what));
                    break;
                }
                continue;
            }
            HostStep::Wait(info) => {
                let awaited = frame.awaited.iter().find(|awaited| {
                    awaited.wait == step.index
                        && awaited.submit.frame == frame.index
                        && batch.is_some_and(|batch| awaited.submit.index >= batch)
                });
                if awaited.is_none() {
                    continue;
                }
                info.took_ns
            }
            HostStep::WaitIdle(idle) if idle.queue.is_none_or(|q| q == transfer.queue) => {
                idle.took_ns
            }
            _ => continue,
        };
        if places::blocked(took) == Some(false) {
            return;
        }
        wait.get_or_insert((&**step, &**what));
    }
    if read.is_some() || (wait.is_some() && target.for_host) {
        report(cx, frame, transfer, target, wait, read.map(|(step, _)| step));
    }
}

fn report(
    cx: &mut Cx<'_>,
    frame: &Frame,
    transfer: &TransferStep,
    target: &Target,
    wait: Option<(&StepRef, &HostStep)>,
    read: Option<&StepRef>,
) {
    let device = cx.device;
    let name = &target.name.text;
    let from = transfer.from.and_then(|id| device.image(id)).map(|(image, _)| &image.name.text);
    let from = from.map(|name| format!(" from={}", identifier(name))).unwrap_or_default();
    let text = format!("copy{from} to={}", identifier(name));
    let object = places::identity(&target.name, target.object.kind.word());
    let call = match (transfer.from, target.object.kind) {
        (Some(_), crate::call::Kind::Buffer) => "vkCmdCopyImageToBuffer",
        (Some(_), _) => "vkCmdCopyImage",
        _ => "vkCmdCopyBuffer",
    };
    let mut place = places::host(&transfer.step, text, "to", call, object, device);
    place.location.commands = Some(transfer.commands.to_string());
    place.location.labels = transfer.labels.iter().map(ToString::to_string).collect();
    place.objects.push((target.object, name.to_string()));
    if let Some((step, what)) = wait {
        let (text, objects) = waits_for(cx, frame, what);
        for object in objects {
            place = places::with_object(place, object, device);
        }
        place = place.explained(step.line, text, "", "the host waits for it");
    }
    if let Some(step) = read {
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
    if read.is_none() {
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
