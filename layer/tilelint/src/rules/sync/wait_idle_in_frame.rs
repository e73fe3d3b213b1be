#![doc = include_str!("wait_idle_in_frame.md")]

use ash::vk;

use super::places;
use crate::call::{Kind, WaitIdle};
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::{Frame, HostStep, Step, StepRef};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "wait-idle-in-frame",
    group: Group::Sync,
    level: Level::Warn,
    tier: Tier::S,
    folds: &[],
    correctness: false,
    needs: Needs::WAITS,
    since: "0.1",
    page: include_str!("wait_idle_in_frame.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    // To remake the swapchain everything has to stop.
    let swapchain = |list: &[(Kind, u32)]| list.iter().any(|(kind, _)| *kind == Kind::Swapchain);
    if swapchain(&frame.made) || swapchain(&frame.destroyed) {
        return;
    }
    for step in &frame.steps {
        let Step::Host { step, what } = step else { continue };
        if let HostStep::WaitIdle(wait) = &**what {
            report(cx, frame, step, wait);
        }
    }
}

fn report(cx: &mut Cx<'_>, frame: &Frame, step: &StepRef, wait: &WaitIdle) {
    let queue = wait.queue.map(|queue| cx.device.name_of(queue));
    let (call, text, object) = match &queue {
        Some(queue) => (
            "vkQueueWaitIdle",
            format!("wait-idle {}", identifier(&queue.text)),
            places::identity(queue, "queue"),
        ),
        None => ("vkDeviceWaitIdle", "wait-idle".to_owned(), String::new()),
    };
    let mut place = places::host(step, text, "", call, object, cx.device);
    match wait.queue {
        Some(queue) => place = places::with_object(place, queue, cx.device),
        None => {
            let queues: Vec<_> = places::submits(frame).map(|(_, facts)| facts.queue).collect();
            for queue in queues {
                place = places::with_object(place, queue, cx.device);
            }
        }
    }
    let message = match &queue {
        Some(queue) => format!("every frame waits until queue `{}` is idle", queue.text),
        None => "every frame waits until the device is idle".to_owned(),
    };
    let why = "the GPU runs dry while the host wakes and records, and the next frame's vertex work \
               cannot overlap with this one's fragments";
    let fix = Fix::text(
        "one fence per frame in flight (or a timeline semaphore with a value per frame), waited \
         for before that frame's resources are used again",
    );
    let mut report = Report::new(place, Confidence::Certain, message, why, fix);
    match places::blocked(wait.took_ns) {
        Some(true) => report = report.tier(Tier::D).why("it was measured to block"),
        Some(false) => {
            report = report.tier(Tier::D).at_most(Level::Info, "it was measured to block hardly");
        }
        None => {}
    }
    let graphics = wait
        .queue
        .is_none_or(|queue| places::family(frame, queue).contains(vk::QueueFlags::GRAPHICS));
    if !graphics {
        report = report.at_most(Level::Info, "the queue does not draw");
    }
    cx.report(report);
}
