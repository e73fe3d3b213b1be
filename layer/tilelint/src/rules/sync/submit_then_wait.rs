#![doc = include_str!("submit_then_wait.md")]

use ash::vk;

use super::places;
use crate::call::Wait;
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::{Awaited, DeviceModel, Frame, HostStep, Step, StepRef};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "submit-then-wait",
    group: Group::Sync,
    level: Level::Warn,
    tier: Tier::S,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("submit_then_wait.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for awaited in &frame.awaited {
        let Some((step, wait)) = wait_at(frame, awaited.wait) else { continue };
        let submit = &awaited.submit.step;
        let same = submit.frame == frame.index;
        // A frame is a loop: less than one lies between where the wait comes sooner in it.
        let before = submit.frame + 1 == frame.index && comes_sooner(frame, awaited);
        let measured = places::blocked(wait.took_ns);
        let holds = match measured {
            Some(blocked) => blocked && (same || before),
            // Nobody measured: where nothing lies between, the wait lasts as long as the work.
            None => same && nothing_between(frame, awaited) && draws(frame, awaited),
        };
        if holds {
            report(cx, frame, step, wait, awaited, measured.is_some());
        }
    }
}

/// The queue has not come to a batch like the awaited one when the host waits. Work of other
/// queues says nothing of how far it is.
fn comes_sooner(frame: &Frame, awaited: &Awaited) -> bool {
    let before = places::submits(frame)
        .filter(|(step, facts)| facts.queue == awaited.submit.queue && step.index < awaited.wait);
    before.count() as u32 <= awaited.submit.ordinal
}

fn wait_at(frame: &Frame, index: u32) -> Option<(&StepRef, &Wait)> {
    frame.steps.iter().find_map(|step| match step {
        Step::Host { step, what } if step.index == index => match &**what {
            HostStep::Wait(wait) => Some((&**step, wait)),
            _ => None,
        },
        _ => None,
    })
}

/// The queue draws: what waits for uploads or async compute may be a thread of its own.
fn draws(frame: &Frame, awaited: &Awaited) -> bool {
    let mut submits = places::submits(frame);
    submits.any(|(step, facts)| {
        step.index == awaited.submit.step.index
            && facts.family.flags.contains(vk::QueueFlags::GRAPHICS)
    })
}

/// The host did nothing between the submission and the wait: what ran between is its work.
fn nothing_between(frame: &Frame, awaited: &Awaited) -> bool {
    let between =
        |step: &&Step| (awaited.submit.step.index + 1..awaited.wait).contains(&step.index());
    let mut steps = frame.steps.iter().filter(between);
    let worked = frame
        .steps
        .iter()
        .filter(between)
        .any(|step| matches!(step, Step::Pass(_) | Step::Dispatch { .. } | Step::Transfer(_)));
    worked
        && !steps.any(|step| {
            matches!(step, Step::Host { .. } | Step::Present { .. } | Step::Submit { .. })
        })
}

/// `wait` as a listing has it, and what identifies it.
pub fn wait_text(wait: &Wait, device: &DeviceModel) -> (String, String) {
    let fences: Vec<_> = wait.fences.iter().map(|fence| device.name_of(*fence)).collect();
    let semaphores: Vec<_> =
        wait.semaphores.iter().map(|(semaphore, _)| device.name_of(*semaphore)).collect();
    let mut text = "wait".to_owned();
    if !fences.is_empty() {
        let names: Vec<String> = fences.iter().map(|name| identifier(&name.text)).collect();
        text += &format!(" fences={}", names.join(","));
    }
    if !semaphores.is_empty() {
        let names = semaphores.iter().zip(&wait.semaphores);
        let names: Vec<String> = names
            .map(|(name, (_, value))| format!("{}>={value}", identifier(&name.text)))
            .collect();
        text += &format!(" semaphores={}", names.join(","));
    }
    let named = fences.first().map(|name| places::identity(name, "fence"));
    let named =
        named.or_else(|| semaphores.first().map(|name| places::identity(name, "semaphore")));
    (text, named.unwrap_or_default())
}

fn report(
    cx: &mut Cx<'_>,
    frame: &Frame,
    step: &StepRef,
    wait: &Wait,
    awaited: &Awaited,
    measured: bool,
) {
    let (text, object) = wait_text(wait, cx.device);
    let fence = wait.semaphores.is_empty();
    let call = if fence { "vkWaitForFences" } else { "vkWaitSemaphores" };
    let key = if fence { "fences" } else { "semaphores" };
    let mut place = places::host(step, text, key, call, object, cx.device);
    for fence in &wait.fences {
        place = places::with_object(place, *fence, cx.device);
    }
    for (semaphore, _) in &wait.semaphores {
        place = places::with_object(place, *semaphore, cx.device);
    }
    let submits =
        || places::submits(frame).filter(|(submit, _)| submit.index == awaited.submit.step.index);
    let same = awaited.submit.step.frame == frame.index;
    if let Some((submit, facts)) = submits().next().filter(|_| same) {
        let text = format!("submit {}", identifier(&cx.device.name_of(facts.queue).text));
        place = place.explained(submit.line, text, "", "what it waits for");
    }
    let message = "the host waits for work that it submitted less than a frame ago";
    let why = "host and GPU take turns: each stands still while the other works";
    let fix = Fix::text(
        "wait for the frame before the last (a fence or timeline value for each frame in flight), \
         and only before its resources are used again",
    );
    let mut report = Report::new(place, Confidence::Certain, message, why, fix);
    if measured {
        report = report.tier(Tier::D).why("it was measured to block");
    } else {
        report.confidence = Confidence::Likely;
        report = report.assume("the wait blocks, since nothing lies between it and the work");
    }
    cx.report(report);
}
