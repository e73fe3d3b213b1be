//! Places of calls on queues and of the host, and how long a wait must block to count.

use ash::vk;

use crate::call::{FenceKey, Object, QueueKey, SemaphoreKey, SemaphoreSignal, SemaphoreWait};
use crate::finding::{Beside, Edit, EditObject, Fix};
use crate::model::{DeviceModel, Frame, Name, Step, StepRef, SubmitFacts, without_digits};
use crate::rule::{Place, flag_words, identifier};

/// A wait that took no longer blocked nobody.
const BLOCKING_NS: u64 = 200_000;

/// Says whether a measured time is that of a wait that blocked; `None` where nobody measured.
pub fn blocked(took_ns: Option<u64>) -> Option<bool> {
    took_ns.map(|took| took > BLOCKING_NS)
}

/// The submissions of a frame in execution order.
pub fn submits(frame: &Frame) -> impl Iterator<Item = (&StepRef, &SubmitFacts)> {
    frame.steps.iter().filter_map(|step| match step {
        Step::Submit { step, facts } => Some((&**step, &**facts)),
        _ => None,
    })
}

/// What a queue can do, where it was used in the frame.
pub fn family(frame: &Frame, queue: QueueKey) -> vk::QueueFlags {
    let mut found = submits(frame).filter(|(_, facts)| facts.queue == queue);
    found.next().map(|(_, facts)| facts.family.flags).unwrap_or_default()
}

/// What identifies an object over runs: its name, where the application gave one.
pub fn identity(name: &Name, word: &str) -> String {
    if name.given { without_digits(&name.text) } else { word.to_owned() }
}

/// The place of a call of the host; `object` is what identifies it.
pub fn host(
    step: &StepRef,
    text: String,
    key: &'static str,
    call: &'static str,
    object: String,
    device: &DeviceModel,
) -> Place {
    let mut place = Place::step(step, text, key, device);
    place.location.call = Some(call);
    place.object = object;
    place
}

/// Names an object of a place.
#[must_use]
pub fn with_object(mut place: Place, object: impl Into<Object>, device: &DeviceModel) -> Place {
    let object = object.into();
    place.objects.push((object, device.name_of(object).text.to_string()));
    place
}

/// The place of a batch of a submission.
pub fn submit(
    step: &StepRef,
    facts: &SubmitFacts,
    key: &'static str,
    device: &DeviceModel,
) -> Place {
    let queue = device.name_of(facts.queue);
    let call = if facts.version == 2 { "vkQueueSubmit2" } else { "vkQueueSubmit" };
    let place =
        host(step, submit_text(facts, device), key, call, identity(&queue, "queue"), device);
    with_object(place, facts.queue, device)
}

fn submit_text(facts: &SubmitFacts, device: &DeviceModel) -> String {
    let mut text = format!("submit {}", identifier(&device.name_of(facts.queue).text));
    let waits: Vec<String> = facts.waits.iter().map(|w| wait_text(w, device)).collect();
    let signals: Vec<String> = facts.signals.iter().map(|s| signal_text(s, device)).collect();
    for (key, list) in [("wait", waits), ("signal", signals)] {
        if !list.is_empty() {
            text += &format!(" {key}={}", list.join(","));
        }
    }
    if facts.command_buffers == 0 {
        text += " commands=none";
    }
    text
}

/// The place of a dispatch; `object` is what identifies it.
pub fn dispatch(step: &Step, object: String, device: &DeviceModel) -> Place {
    let place = host(step.step(), "dispatch".to_owned(), "", "vkCmdDispatch", object, device);
    let Step::Dispatch { labels, commands, .. } = step else { return place };
    let mut place = place;
    place.location.commands = Some(commands.to_string());
    place.location.labels = labels.iter().map(ToString::to_string).collect();
    place
}

/// Adds the barrier that a batch begins with, in place of a wait for an earlier one.
pub fn barrier_between(
    fix: Fix,
    frame: &Frame,
    first: &StepRef,
    second: &StepRef,
    wait: vk::PipelineStageFlags2,
) -> Fix {
    use vk::PipelineStageFlags2 as S;
    let in_batch = |step: &&Step| !matches!(step, Step::Submit { .. });
    let of = |batch: u32| frame.steps.iter().filter(move |step| step.index() > batch);
    let Some(start) = of(second.index).take_while(in_batch).map(Step::step).next() else {
        return fix;
    };
    let drawn = of(first.index).take_while(in_batch).all(|step| matches!(step, Step::Pass(_)));
    let (stages, access) = if drawn {
        let drawn = S::EARLY_FRAGMENT_TESTS | S::LATE_FRAGMENT_TESTS | S::COLOR_ATTACHMENT_OUTPUT;
        (drawn, "DEPTH_STENCIL_ATTACHMENT_WRITE|COLOR_ATTACHMENT_WRITE")
    } else {
        (S::ALL_COMMANDS, "MEMORY_WRITE")
    };
    let to = format!(
        "barrier src_stage={} dst_stage={} src_access={access} dst_access=MEMORY_READ|MEMORY_WRITE",
        flag_words(&stages),
        flag_words(&wait)
    );
    fix.edit(Edit::insert("vkCmdPipelineBarrier2", Beside::Before(start.line), to))
}

/// The edit that adds a wait to a batch.
pub fn add_wait(wait: &SemaphoreWait, to: &SubmitFacts, device: &DeviceModel) -> Edit {
    let text = wait_text(wait, device);
    let name = device.name_of(wait.semaphore).text.to_string();
    Edit::set(EditObject::Queue, name, "pWaitSemaphores", "none", text).said_by("wait", to.line)
}

/// The edit that adds a signal to a batch.
pub fn add_signal(signal: &SemaphoreSignal, to: &SubmitFacts, device: &DeviceModel) -> Edit {
    let text = signal_text(signal, device);
    let name = device.name_of(signal.semaphore).text.to_string();
    Edit::set(EditObject::Queue, name, "pSignalSemaphores", "none", text)
        .said_by("signal", to.line)
}

/// The edit that gives a batch a fence.
pub fn add_fence(fence: FenceKey, to: &SubmitFacts, device: &DeviceModel) -> Edit {
    let name = device.name_of(fence).text.to_string();
    Edit::set(EditObject::Queue, name.clone(), "fence", "NULL", identifier(&name))
        .said_by("fence", to.line)
}

/// The edit that deletes a batch.
pub fn no_submit(facts: &SubmitFacts, device: &DeviceModel) -> Edit {
    let call = if facts.version == 2 { "vkQueueSubmit2" } else { "vkQueueSubmit" };
    Edit::remove(submit_text(facts, device), call, facts.line)
}

fn named(semaphore: SemaphoreKey, value: Option<u64>, before: &str, device: &DeviceModel) -> String {
    let value = value.map(|value| format!("{before}{value}")).unwrap_or_default();
    identifier(&device.name_of(semaphore).text) + &value
}

fn wait_text(wait: &SemaphoreWait, device: &DeviceModel) -> String {
    format!("{}:{}", named(wait.semaphore, wait.value, ">=", device), flag_words(&wait.stages))
}

fn signal_text(signal: &SemaphoreSignal, device: &DeviceModel) -> String {
    named(signal.semaphore, signal.value, "=", device)
}
