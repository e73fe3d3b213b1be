#![doc = include_str!("empty_submit.md")]

use super::places;
use crate::finding::{Confidence, Edit, EditObject, Fix, Level, Tier};
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
            report(cx, step, facts);
        }
    }
}

fn report(cx: &mut Cx<'_>, step: &StepRef, facts: &SubmitFacts) {
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
    )
    .edit(Edit {
        object: EditObject::Queue,
        name: queue.text.to_string(),
        pass: None,
        slot: Some(facts.batch),
        field: "submitCount",
        from: String::new(),
        to: "one less".to_owned(),
    });
    cx.report(Report::new(place, Confidence::Certain, message, why, fix));
}
