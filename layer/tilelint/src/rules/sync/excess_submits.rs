#![doc = include_str!("excess_submits.md")]

use ash::vk;

use super::{batches, places};
use crate::call::{HostVerb, QueueKey};
use crate::finding::{Confidence, Edit, EditObject, Fix, Level, Tier};
use crate::model::{DeviceModel, Frame, HostStep, Step, StepRef, SubmitFacts};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "excess-submits",
    group: Group::Sync,
    level: Level::Warn,
    tier: Tier::S,
    folds: &[],
    correctness: false,
    needs: Needs::WAITS.and(Needs::HOST).and(Needs::QUERIES),
    since: "0.1",
    page: include_str!("excess_submits.md"),
    checks: &[Check::Frame(check)],
};

/// A submit call of the frame.
struct Call<'a> {
    step: &'a StepRef,
    facts: &'a SubmitFacts,
    waits: bool,
    signals: bool,
    commands: u32,
}

/// Calls that may be joined and need not.
pub const SUBMITS: RuleSetting =
    RuleSetting::new("excess-submits", "submits", 0, "calls a frame may have; 0 asks the target");

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    let own = u32::try_from(cx.setting(&SUBMITS)).ok().filter(|own| *own != 0);
    let Some(budget) = own.or(cx.profile.submit_budget) else { return };
    let mut queues: Vec<QueueKey> = places::submits(frame).map(|(_, facts)| facts.queue).collect();
    queues.sort_unstable();
    queues.dedup();
    for queue in queues {
        if !places::family(frame, queue).contains(vk::QueueFlags::GRAPHICS) {
            continue;
        }
        let runs = runs(frame, queue);
        let long = runs.iter().map(|run| &run[..]).filter(|run| run.len() > 1);
        let (joinable, count) = (long.clone().collect::<Vec<_>>(), long.map(<[_]>::len).sum());
        if count > budget as usize {
            report(cx, frame, &joinable, count, budget);
        }
    }
}

/// Calls to a queue in a row between which nothing waits or signals.
fn runs(frame: &Frame, queue: QueueKey) -> Vec<Vec<Call<'_>>> {
    let mut runs: Vec<Vec<Call<'_>>> = Vec::new();
    let mut open = false;
    for step in &frame.steps {
        match step {
            Step::Submit { step, facts } if facts.queue == queue => {
                let waits = !facts.waits.is_empty();
                let signals = !facts.signals.is_empty() || facts.fence.is_some();
                let commands = facts.command_buffers;
                let last = runs.last_mut().and_then(|run| run.last_mut());
                if let Some(last) = last.filter(|last| last.facts.call == facts.call) {
                    last.waits |= waits;
                    last.signals |= signals;
                    last.commands += commands;
                    continue;
                }
                let joins = open && !waits && runs.last().is_some_and(|run| ends_open(run));
                let call = Call { step, facts, waits, signals, commands };
                match runs.last_mut().filter(|_| joins) {
                    Some(run) => run.push(call),
                    None => runs.push(vec![call]),
                }
                open = true;
            }
            Step::Host { what, .. } => open &= !host_waits(what),
            Step::Present { .. } => open = false,
            _ => {}
        }
    }
    for run in &mut runs {
        run.retain(|call| call.commands != 0);
    }
    runs
}

fn ends_open(run: &[Call<'_>]) -> bool {
    run.last().is_some_and(|call| !call.signals)
}

/// What the host does next may need the work before.
fn host_waits(what: &HostStep) -> bool {
    match what {
        HostStep::Wait(_) | HostStep::WaitIdle(_) => true,
        HostStep::Access(access) => {
            matches!(access.verb, HostVerb::Map | HostVerb::Read | HostVerb::QueryRead)
        }
        HostStep::Acquire(..) => false,
    }
}

/// The last call of each run takes over what the others submit.
fn edits(fix: Fix, frame: &Frame, runs: &[&[Call<'_>]], device: &DeviceModel) -> Fix {
    let names = batches::names(frame);
    let mut fix = fix;
    for run in runs {
        let [others @ .., last] = run else { continue };
        let all = run.iter().flat_map(|call| names.get(&call.step.index).into_iter().flatten());
        let all: Vec<String> = all.map(|name| identifier(name)).collect();
        let expected: u32 = run.iter().map(|call| call.commands).sum();
        if all.len() != expected as usize || run.iter().any(|call| call.facts.batch != 0) {
            continue;
        }
        for wait in others.iter().flat_map(|call| &call.facts.waits) {
            fix = fix.edit(batches::add_wait(wait, last.facts, device));
        }
        let queue = device.name_of(last.facts.queue).text.to_string();
        let own = names.get(&last.step.index).map(|names| names.join(",")).unwrap_or_default();
        let edit = Edit::set(EditObject::Queue, queue, "pCommandBuffers", own, all.join(","));
        fix = fix.edit(edit.said_by("commands", last.facts.line));
        fix.edits.extend(others.iter().map(|call| batches::no_submit(call.facts, device)));
    }
    fix
}

fn report(cx: &mut Cx<'_>, frame: &Frame, runs: &[&[Call<'_>]], count: usize, budget: u32) {
    let Some(run) = runs.iter().max_by_key(|run| run.len()) else { return };
    let Some(first) = run.first() else { return };
    let mut place = places::submit(first.step, first.facts, "", cx.device);
    if let Some(second) = run.get(1) {
        let text = format!("submit {}", identifier(&cx.device.name_of(second.facts.queue).text));
        place = place.explained(second.step.line, text, "", "could be part of it");
    }
    let message =
        format!("{count} submissions a frame to one queue, between which nothing waits or signals");
    let why = format!(
        "each costs the host a trip to the driver and ends what the GPU can overlap; {budget} a \
         frame are fine"
    );
    let into = if runs.len() == 1 { "one".to_owned() } else { runs.len().to_string() };
    let fix = Fix::text(format!("submit all their command buffers in {into}, in the same order"));
    let fix = edits(fix, frame, runs, cx.device);
    cx.report(Report::new(place, Confidence::Certain, message, why, fix));
}
