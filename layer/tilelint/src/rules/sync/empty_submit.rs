#![doc = include_str!("empty_submit.md")]

use super::{batches, places};
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::{Frame, StepRef, SubmitFacts};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "empty-submit",
    group: Group::Sync,
    level: Level::Info,
    tier: Tier::S,
    folds: &[],
    correctness: false,
    needs: Needs::NONE,
    since: "0.1",
    page: include_str!("empty_submit.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for (step, facts) in places::submits(frame) {
        // A sparse binding has no command buffers either.
        let binds = facts.version == 1 && cx.device.info.has_feature("sparseBinding");
        if facts.command_buffers == 0 && !facts.frame_end && !binds {
            report(cx, frame, step, facts);
        }
    }
}

/// Its waits, signals and fence find a place in the batches around it, where there are some.
fn moved(fix: Fix, frame: &Frame, cx: &Cx<'_>, step: &StepRef, facts: &SubmitFacts) -> Fix {
    let queue = || places::submits(frame).filter(|(_, other)| other.queue == facts.queue);
    let before = queue().take_while(|(other, _)| other.index < step.index).last();
    let behind = queue().find(|(other, _)| other.index > step.index);
    let (before, behind) = (before.map(|(_, facts)| facts), behind.map(|(_, facts)| facts));
    let taken = |batch: Option<&SubmitFacts>| batch.is_some_and(|batch| batch.fence.is_none());
    let signals = facts.signals.is_empty() || before.is_some();
    let waits = facts.waits.is_empty() || behind.is_some();
    if !signals || !waits || (facts.fence.is_some() && !taken(before)) {
        return fix;
    }
    let mut fix = fix.edit(batches::no_submit(facts, cx.device));
    for (signal, to) in facts.signals.iter().zip(std::iter::repeat(before)) {
        fix.edits.extend(to.map(|to| batches::add_signal(signal, to, cx.device)));
    }
    for (wait, to) in facts.waits.iter().zip(std::iter::repeat(behind)) {
        fix.edits.extend(to.map(|to| batches::add_wait(wait, to, cx.device)));
    }
    fix.edits.extend(facts.fence.zip(before).map(|(f, to)| batches::add_fence(f, to, cx.device)));
    fix
}

fn report(cx: &mut Cx<'_>, frame: &Frame, step: &StepRef, facts: &SubmitFacts) {
    let mut place = places::submit(step, facts, "commands", cx.device);
    place.location.field = Some("commandBufferCount");
    let what = match (facts.waits.is_empty(), facts.signals.is_empty(), facts.fence.is_some()) {
        (true, true, false) => "nothing",
        (true, true, true) => "only a fence",
        _ => "only semaphores",
    };
    let queue = cx.device.name_of(facts.queue);
    let message = format!("a batch for queue `{}` holds {what} and no commands", queue.text);
    let why = "it costs the host and the GPU's front end as much as a batch with work";
    let fix = Fix::text(
        "move its waits to the batch behind, and its signals and fence to the batch before",
    );
    let fix = moved(fix, frame, cx, step, facts);
    cx.report(Report::new(place, Confidence::Certain, message, why, fix));
}
