//! Which submission the host waits for.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::timeline::StepRef;
use crate::call::*;

/// Values of a timeline semaphore whose submissions are remembered.
const MAX_VALUES: usize = 64;

/// A wait of the host and the submission that it waits for.
#[derive(Clone, Debug)]
pub struct Awaited {
    /// Position of the wait in its frame.
    pub wait: u32,
    /// The batch that signals.
    pub submit: Batched,
}

/// A batch that signals something to the host.
#[derive(Clone, Debug)]
pub struct Batched {
    /// The step.
    pub step: Arc<StepRef>,
    /// Queue.
    pub queue: QueueKey,
    /// Batches of its frame that this queue ran before it.
    pub ordinal: u32,
}

/// Values of a timeline semaphore, each with the batch that signals it.
type Values = SmallVec<[(u64, Batched); 4]>;

/// Submissions by what they signal to the host, until it waited for them.
#[derive(Debug, Default)]
pub struct Signals {
    fences: FxHashMap<FenceKey, Batched>,
    values: FxHashMap<SemaphoreKey, Values>,
}

impl Signals {
    /// Number of submissions that may be waited for.
    pub fn len(&self) -> usize {
        self.fences.len() + self.values.values().map(|values| values.len()).sum::<usize>()
    }

    /// A batch will signal these.
    pub fn submitted(
        &mut self,
        fence: Option<FenceKey>,
        signals: &[SemaphoreSignal],
        batch: &Batched,
    ) {
        if let Some(fence) = fence {
            self.fences.insert(fence, batch.clone());
        }
        for signal in signals {
            let Some(value) = signal.value else { continue };
            let values = self.values.entry(signal.semaphore).or_default();
            if values.len() == MAX_VALUES {
                values.remove(0);
            }
            values.push((value, batch.clone()));
        }
    }

    /// The host waits for all of these: returns what it waits for, each submission once, since
    /// the next wait for it finds it done.
    pub fn waited(&mut self, wait: &Wait) -> Vec<Batched> {
        if wait.timeout_ns == 0 || wait.any {
            return Vec::new();
        }
        let mut found: Vec<_> =
            wait.fences.iter().filter_map(|fence| self.fences.remove(fence)).collect();
        for (semaphore, reached) in &wait.semaphores {
            let Some(values) = self.values.get_mut(semaphore) else { continue };
            found.extend(values.iter().find(|(value, _)| value >= reached).map(|v| v.1.clone()));
            values.retain(|entry| entry.0 > *reached);
        }
        found
    }

    /// Submissions are missing.
    pub fn forget_all(&mut self) {
        self.fences.clear();
        self.values.clear();
    }

    /// A fence or semaphore is destroyed.
    pub fn forget(&mut self, object: Object) {
        match object.kind {
            Kind::Fence => drop(self.fences.remove(&FenceKey(object.key))),
            Kind::Semaphore => drop(self.values.remove(&SemaphoreKey(object.key))),
            _ => {}
        }
    }
}
