#![doc = include_str!("event_set_then_wait.md")]

use super::{places, windows};
use crate::call::{EventKey, QueueKey};
use crate::finding::{Confidence, Edit, Fix, Level, Tier};
use crate::model::{BarrierFacts, Frame, Step, StepRef};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "event-set-then-wait",
    group: Group::Sync,
    level: Level::Info,
    tier: Tier::R,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("event_set_then_wait.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for (position, step) in frame.steps.iter().enumerate() {
        let Step::Barrier { step, facts } = step else { continue };
        let mut sets = facts.events.iter().map(|event| {
            set_just_before(&frame.steps[..position], *event, facts.queue, step.index)
                .map(|set| (*event, set))
        });
        // Work before the set of any of them is what the wait is for.
        let Some(Some((event, set))) = sets.next() else { continue };
        if sets.all(|set| set.is_some()) {
            report(cx, frame, step, facts, (event, set));
        }
    }
}

/// The step that sets the event, where no work lies between it and the wait.
fn set_just_before(
    steps: &[Step],
    event: EventKey,
    queue: QueueKey,
    mut next: u32,
) -> Option<&StepRef> {
    for step in steps.iter().rev() {
        // Steps that stand for themselves have every number: a gap is a command not understood.
        let numbers = match step {
            Step::Barrier { facts, .. } => 1 + facts.command.barriers.len() as u32,
            Step::Event { .. } | Step::Query { .. } | Step::Submit { .. } => 1,
            _ => return None,
        };
        if next.saturating_sub(step.index()) > numbers {
            return None;
        }
        next = step.index();
        if let Step::Event { step, events, set, queue: on } = step
            && events.contains(&event)
        {
            return (*set && *on == queue).then_some(&**step);
        }
    }
    None
}

/// The wait becomes a barrier with its masks; what sets and resets the events goes.
fn edits(fix: Fix, frame: &Frame, facts: &BarrierFacts, cx: &Cx<'_>) -> Fix {
    let lines = windows::barrier_lines(&facts.command, cx.device);
    let second = facts.command.version == 2;
    let call = if second { "vkCmdPipelineBarrier2" } else { "vkCmdPipelineBarrier" };
    let mut fix = fix.edit(Edit::replace("event-wait", call, facts.line, lines));
    for step in &frame.steps {
        let Step::Event { step, events, set, queue } = step else { continue };
        if *queue == facts.queue && events.iter().all(|event| facts.events.contains(event)) {
            let call = if *set { "vkCmdSetEvent" } else { "vkCmdResetEvent" };
            let what = if *set { "event-set" } else { "event-reset" };
            fix = fix.edit(Edit::remove(what, call, step.line));
        }
    }
    fix
}

fn report(
    cx: &mut Cx<'_>,
    frame: &Frame,
    step: &StepRef,
    facts: &BarrierFacts,
    (event, set): (EventKey, &StepRef),
) {
    let name = cx.device.name_of(event);
    let call = if facts.command.version == 2 { "vkCmdWaitEvents2" } else { "vkCmdWaitEvents" };
    let text = format!("event-wait {}", identifier(&name.text));
    let object = places::identity(&name, "event");
    let mut place = places::host(step, text, "", call, object, cx.device);
    place.location.commands = Some(facts.commands.to_string());
    place.location.labels = facts.labels.iter().map(ToString::to_string).collect();
    let place = places::with_object(place, event, cx.device).explained(
        set.line,
        format!("event-set {}", identifier(&name.text)),
        "",
        "set here, with no work between",
    );
    let message = format!("event `{}` is waited for right after it is set", name.text);
    let why = "an event lets work between set and wait go on; with none it is a dearer barrier";
    let fix = Fix::text(
        "one pipeline barrier with the same masks instead of both, or move work between them",
    );
    let fix = edits(fix, frame, facts, cx);
    cx.report(Report::new(place, Confidence::Certain, message, why, fix));
}
