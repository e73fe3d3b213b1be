//! Copies that the host waits for, or reads, in the frame that makes them.

use ash::vk;

use super::places;
use crate::call::{HostVerb, Object, TransferEnd};
use crate::model::{DeviceModel, Frame, HostStep, Name, Step, StepRef, TransferStep};

/// A copy to memory that the host sees, and what the host does about it in the same frame.
pub struct Readback<'a> {
    /// The copy.
    pub transfer: &'a TransferStep,
    /// Where it goes.
    pub target: Object,
    /// Name of that.
    pub name: Name,
    /// The wait for the batch with the copy.
    pub wait: Option<(&'a StepRef, &'a HostStep)>,
    /// The read.
    pub read: Option<&'a StepRef>,
}

struct Target {
    object: Object,
    /// Its allocation, which may be what the host maps, where nothing else lies in it.
    memory: Option<Object>,
    name: Name,
    /// Memory that the GPU alone would not use: the copy is made for the host.
    for_host: bool,
}

/// The readbacks of a frame.
pub fn readbacks<'a>(frame: &'a Frame, device: &DeviceModel) -> Vec<Readback<'a>> {
    let copies = frame.steps.iter().enumerate().filter_map(|(position, step)| match step {
        Step::Transfer(transfer) => Some((position, &**transfer)),
        _ => None,
    });
    copies
        .filter_map(|(position, transfer)| {
            follow(frame, position, transfer, target(device, transfer)?)
        })
        .collect()
}

fn target(device: &DeviceModel, transfer: &TransferStep) -> Option<Target> {
    use vk::MemoryPropertyFlags as F;
    let (object, memory, name, flags) = match transfer.transfer.as_ref()?.to {
        TransferEnd::Buffer(key) => {
            let buffer = device.buffer(key)?;
            let memory = device.own_memory(buffer.memory).map(Object::from);
            (key.into(), memory, device.name_of(key), buffer.flags?)
        }
        TransferEnd::Image(..) => {
            let (image, _) = device.image(transfer.to?)?;
            let memory = device.own_memory(image.placement.memory).map(Object::from);
            (image.key.into(), memory, image.name.clone(), image.placement.flags?)
        }
    };
    let for_host = !flags.contains(F::DEVICE_LOCAL);
    flags.contains(F::HOST_VISIBLE).then_some(Target { object, memory, name, for_host })
}

/// What the host does after the copy; `None` where it neither reads nor waits, or hardly waited.
fn follow<'a>(
    frame: &'a Frame,
    position: usize,
    transfer: &'a TransferStep,
    target: Target,
) -> Option<Readback<'a>> {
    let (mut wait, mut read) = (None, None);
    for step in &frame.steps[position + 1..] {
        let Step::Host { step, what } = step else { continue };
        if let HostStep::Access(access) = &**what {
            let reads = matches!(access.verb, HostVerb::Read | HostVerb::Map);
            let seen = access.object == target.object || target.memory == Some(access.object);
            if reads && seen {
                read = Some(&**step);
                break;
            }
        } else if let Some(took) = waits_for(frame, position, transfer, step, what) {
            if places::blocked(took) == Some(false) {
                return None;
            }
            wait.get_or_insert((&**step, &**what));
        }
    }
    let Target { object, name, for_host, .. } = target;
    let found = read.is_some() || (wait.is_some() && for_host);
    found.then_some(Readback { transfer, target: object, name, wait, read })
}

/// Says whether the host waits for a copy, and for how long where that was measured.
fn waits_for(
    frame: &Frame,
    position: usize,
    transfer: &TransferStep,
    step: &StepRef,
    what: &HostStep,
) -> Option<Option<u64>> {
    match what {
        HostStep::Wait(wait) => {
            // The batch that the copy is in.
            let batch = frame.steps[..position].iter().rev().find_map(|step| match step {
                Step::Submit { step, .. } => Some(step.index),
                _ => None,
            })?;
            let awaited = frame.awaited.iter().find(|awaited| {
                let submit = &awaited.submit;
                let (at, queue) = (&submit.step, submit.queue);
                awaited.wait == step.index
                    && at.frame == frame.index
                    && at.index >= batch
                    && places::tied(frame, transfer.queue).contains(&queue)
            });
            awaited.map(|_| wait.took_ns)
        }
        HostStep::WaitIdle(idle) if idle.queue.is_none_or(|queue| queue == transfer.queue) => {
            Some(idle.took_ns)
        }
        _ => None,
    }
}
