#![doc = include_str!("semaphore_within_queue.md")]

use rustc_hash::FxHashMap;

use super::{batches, places};
use crate::call::{SemaphoreKey, SemaphoreWait};
use crate::finding::{Confidence, Edit, EditObject, Fix, Level, Tier};
use crate::model::{Frame, StepRef, SubmitFacts};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "semaphore-within-queue",
    group: Group::Sync,
    level: Level::Info,
    tier: Tier::S,
    folds: &[],
    correctness: false,
    needs: Needs::NONE,
    since: "0.1",
    page: include_str!("semaphore_within_queue.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    let mut signalled: FxHashMap<SemaphoreKey, (&StepRef, &SubmitFacts)> = FxHashMap::default();
    for (step, facts) in places::submits(frame) {
        for wait in facts.waits.iter().filter(|wait| wait.value.is_none()) {
            if let Some((by, from)) = signalled.remove(&wait.semaphore)
                && from.queue == facts.queue
            {
                report(cx, frame, (step, facts), (by, from), wait);
            }
        }
        for signal in facts.signals.iter().filter(|signal| signal.value.is_none()) {
            signalled.insert(signal.semaphore, (step, facts));
        }
    }
}

fn report(
    cx: &mut Cx<'_>,
    frame: &Frame,
    (step, facts): (&StepRef, &SubmitFacts),
    (by, from): (&StepRef, &SubmitFacts),
    wait: &SemaphoreWait,
) {
    let semaphore = wait.semaphore;
    let name = cx.device.name_of(semaphore);
    let queue = cx.device.name_of(facts.queue);
    let mut place = places::submit(step, facts, "wait", cx.device);
    place.object = places::identity(&name, "semaphore");
    place.location.field = Some("pWaitSemaphores");
    let signals = format!(
        "submit {} signal={}",
        identifier(&cx.device.name_of(from.queue).text),
        identifier(&name.text)
    );
    let place = places::with_object(place, semaphore, cx.device).explained(
        by.line,
        signals,
        "signal",
        "signalled on the same queue",
    );
    let message = format!("semaphore `{}` orders two batches of queue `{}`", name.text, queue.text);
    let why = "a queue starts its batches in order: a barrier is enough between them, and lets \
               vertex work of the second overlap with fragments of the first";
    let edit = |field, key, line| {
        let (name, from) = (queue.text.to_string(), identifier(&name.text));
        Edit::set(EditObject::Queue, name, field, from, "none").said_by(key, line)
    };
    let fix = Fix::text("no semaphore; a pipeline barrier at the start of the second batch")
        .edit(edit("pSignalSemaphores", "signal", from.line))
        .edit(edit("pWaitSemaphores", "wait", facts.line));
    let fix = batches::barrier_between(fix, frame, by, step, wait.stages);
    cx.report(Report::new(place, Confidence::Certain, message, why, fix));
}
