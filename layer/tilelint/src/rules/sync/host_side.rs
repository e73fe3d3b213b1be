//! What the host can read of a copy, and what it waits for before.

use ash::vk;

use super::places;
use super::submit_then_wait::wait_text;
use crate::call::{Object, TransferEnd};
use crate::model::{Frame, HostStep, Name, TransferStep};
use crate::rule::{Cx, identifier};

/// Where a copy goes that the host can read.
pub struct Target {
    /// The buffer or image.
    pub object: Object,
    /// Its allocation, which may be what the host maps.
    pub memory: Option<Object>,
    /// Its name.
    pub name: Name,
    /// Memory that the GPU alone would not use: the copy is made for the host.
    pub for_host: bool,
}

/// Where a transfer goes, if the host can read it there.
pub fn target(cx: &Cx<'_>, transfer: &TransferStep) -> Option<Target> {
    use vk::MemoryPropertyFlags as F;
    let end = transfer.transfer.as_ref()?.to;
    let (object, memory, name, flags) = match end {
        TransferEnd::Buffer(key) => {
            (key.into(), None, cx.device.name_of(key), cx.device.buffer(key)?.flags?)
        }
        TransferEnd::Image(..) => {
            let (image, _) = cx.device.image(transfer.to?)?;
            let memory = image.placement.memory.map(Object::from);
            (image.key.into(), memory, image.name.clone(), image.placement.flags?)
        }
    };
    let for_host = !flags.contains(F::DEVICE_LOCAL);
    flags.contains(F::HOST_VISIBLE).then_some(Target { object, memory, name, for_host })
}

/// The text of a wait, and what it waits for.
pub fn waits_for(cx: &Cx<'_>, frame: &Frame, what: &HostStep) -> (String, Vec<Object>) {
    match what {
        HostStep::Wait(wait) => {
            let fences = wait.fences.iter().map(|fence| (*fence).into());
            let semaphores = wait.semaphores.iter().map(|(semaphore, _)| (*semaphore).into());
            (wait_text(wait, cx.device).0, fences.chain(semaphores).collect())
        }
        HostStep::WaitIdle(idle) => match idle.queue {
            Some(queue) => {
                let name = cx.device.name_of(queue);
                (format!("wait-idle {}", identifier(&name.text)), vec![queue.into()])
            }
            None => {
                let queues = places::submits(frame).map(|(_, facts)| facts.queue.into());
                ("wait-idle".to_owned(), queues.collect())
            }
        },
        _ => (String::new(), Vec::new()),
    }
}
