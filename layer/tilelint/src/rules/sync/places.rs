//! Places of calls on queues and of the host, and how long a wait must block to count.

use ash::vk;

use crate::call::{Object, QueueKey, SemaphoreKey, SemaphoreSignal, SemaphoreWait};
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

/// The queues that semaphores of the frame tie to one, that one first. The others go their own
/// way.
pub fn tied(frame: &Frame, queue: QueueKey) -> Vec<QueueKey> {
    let mut tied = vec![queue];
    let mut semaphores: Vec<SemaphoreKey> = Vec::new();
    loop {
        let known = (tied.len(), semaphores.len());
        for (_, facts) in submits(frame) {
            let waits = facts.waits.iter().map(|wait| wait.semaphore);
            let own = || waits.clone().chain(facts.signals.iter().map(|signal| signal.semaphore));
            if tied.contains(&facts.queue) {
                semaphores.extend(own());
            } else if own().any(|semaphore| semaphores.contains(&semaphore)) {
                tied.push(facts.queue);
            }
        }
        semaphores.sort_unstable();
        semaphores.dedup();
        if known == (tied.len(), semaphores.len()) {
            return tied;
        }
    }
}

/// Says whether a wait of the host may be for work of a queue, or of one that is tied to it; a
/// wait for something unknown may be.
pub fn may_await(frame: &Frame, wait: &StepRef, queue: Option<QueueKey>) -> bool {
    let tied = queue.map(|queue| tied(frame, queue));
    let mut queues = frame.awaited.iter().filter(|awaited| awaited.wait == wait.index).peekable();
    queues.peek().is_none()
        || queues.any(|a| tied.as_ref().is_none_or(|tied| tied.contains(&a.submit.queue)))
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

/// A batch as a listing has it.
pub fn submit_text(facts: &SubmitFacts, device: &DeviceModel) -> String {
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

fn named(
    semaphore: SemaphoreKey,
    value: Option<u64>,
    before: &str,
    device: &DeviceModel,
) -> String {
    let value = value.map(|value| format!("{before}{value}")).unwrap_or_default();
    identifier(&device.name_of(semaphore).text) + &value
}

/// A wait as a listing has it.
pub fn wait_text(wait: &SemaphoreWait, device: &DeviceModel) -> String {
    format!("{}:{}", named(wait.semaphore, wait.value, ">=", device), flag_words(&wait.stages))
}

/// A signal as a listing has it.
pub fn signal_text(signal: &SemaphoreSignal, device: &DeviceModel) -> String {
    named(signal.semaphore, signal.value, "=", device)
}
