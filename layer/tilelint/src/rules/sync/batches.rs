//! Edits of the batches of a frame.

use ash::vk;
use rustc_hash::FxHashMap;

use super::places::{self, signal_text, submit_text, wait_text};
use crate::call::{FenceKey, SemaphoreSignal, SemaphoreWait};
use crate::finding::{Beside, Edit, EditObject, Fix};
use crate::model::{DeviceModel, Frame, Step, StepRef, SubmitFacts};
use crate::rule::{flag_words, identifier};

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
    let ran = |step: &&Step| !matches!(step, Step::Host { .. } | Step::Present { .. });
    let of = |batch: u32| frame.steps.iter().filter(move |s| s.index() > batch).filter(ran);
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
    Edit::set(EditObject::Queue, name, "pSignalSemaphores", "none", text).said_by("signal", to.line)
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

/// Names of the command buffers of each batch, by the step of the batch.
pub fn names(frame: &Frame) -> FxHashMap<u32, Vec<&str>> {
    let mut ran = frame.ran.iter().map(|ran| &*ran.name);
    let batches = places::submits(frame);
    batches
        .map(|(step, facts)| {
            let count = facts.command_buffers as usize;
            (step.index, ran.by_ref().take(count).collect())
        })
        .collect()
}
