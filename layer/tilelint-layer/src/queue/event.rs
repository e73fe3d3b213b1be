//! What stands in the queue.

use crate::capture::Outbox;
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::time::Duration;
use tilelint::call::{Call, DeviceKey, Entry, SwapchainKey, WriteInfo};

/// One thing for the analysis thread.
pub(crate) enum Event {
    /// A call.
    Entry(Entry),
    /// What one call writes into descriptor sets.
    Writes(DeviceKey, Vec<WriteInfo>),
    /// Calls of a device that were left out here.
    Gap(DeviceKey, LeftOut),
    /// A device whose findings go to this outbox.
    Device(DeviceKey, Arc<Outbox>),
    /// Nothing that follows is known of a device.
    Silenced(DeviceKey, Silence),
    /// Analyse what there is, write the report, then say so.
    Flush(Flush, Arc<Done>),
}

/// Why a device is not linted any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Silence {
    /// The layer failed.
    Failed,
    /// Its objects come faster than the analysis can follow.
    Overrun,
}

impl Silence {
    /// The reason, as the report says it.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Failed => "an internal error; linting stopped",
            Self::Overrun => "objects are made faster than they can be followed; linting stopped",
        }
    }
}

/// Calls that were left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeftOut {
    pub(crate) n_calls: u64,
    pub(crate) n_submits: u64,
    /// Presents of one swapchain.
    pub(crate) n_presents: u64,
    /// Labels that end a frame.
    pub(crate) n_labels: u64,
    /// Submissions that say that they end a frame.
    pub(crate) n_boundaries: u64,
    pub(super) swapchain: Option<SwapchainKey>,
}

/// Why the queue is flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flush {
    /// A device is about to be destroyed.
    Device(DeviceKey),
    /// The last instance, or the process, ends.
    End,
}

/// A promise that the analysis thread has come this far.
#[derive(Default)]
pub(crate) struct Done {
    is_done: Mutex<bool>,
    changed: Condvar,
}

impl Done {
    /// It has.
    pub(crate) fn set(&self) {
        *self.is_done.lock() = true;
        self.changed.notify_all();
    }

    /// Waits, but not longer than this.
    pub(crate) fn wait(&self, time_max: Duration) -> bool {
        let mut is_done = self.is_done.lock();
        self.changed.wait_while_for(&mut is_done, |is_done| !*is_done, time_max);
        *is_done
    }
}

impl Event {
    /// Bytes of memory that it holds elsewhere, about.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Event::Entry(entry) => entry.call.bytes(),
            Event::Writes(_, writes) => {
                let descriptors =
                    writes.iter().map(|write| size_of_val(write.descriptors.as_slice()));
                size_of_val(&writes[..]) + descriptors.sum::<usize>()
            }
            _ => 0,
        }
    }
}

/// What a call is to frames.
pub(super) enum Role {
    /// About objects: it is kept.
    Object,
    /// Part of a frame.
    Part,
    /// The end of a frame.
    End,
}

pub(super) fn role(call: &Call) -> Role {
    match call {
        Call::Present(_) | Call::Frame { .. } => Role::End,
        Call::Submit(submit) if submit.batches.iter().any(|batch| batch.frame_end) => Role::End,
        Call::Submit(_)
        | Call::Commands(..)
        | Call::Reset(_)
        | Call::Acquire(_)
        | Call::Wait(_)
        | Call::WaitIdle(_)
        | Call::Signal(..)
        | Call::FenceReset(_)
        | Call::Host(_)
        | Call::QueueLabel { .. } => Role::Part,
        _ => Role::Object,
    }
}
