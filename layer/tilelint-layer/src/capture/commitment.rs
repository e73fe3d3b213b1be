//! Lazily allocated memory, of which the driver is asked now and then how much it committed.

use super::DeviceCapture;
use ash::vk::{self, Handle};
use once_cell::sync::Lazy;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tilelint::call::MemoryKey;

/// The driver is asked at most this often.
const INTERVAL: Duration = Duration::from_secs(1);

/// What a device keeps of its lazily allocated memory.
#[derive(Default)]
pub(super) struct LazyMemory {
    /// Memory types that are lazily allocated, as bits.
    types: u32,
    has_any: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// In the order of allocation.
    memories: Vec<vk::DeviceMemory>,
    asked: Option<Instant>,
}

impl LazyMemory {
    /// Returns one for a device with these memory types.
    pub(super) fn new(memory: &vk::PhysicalDeviceMemoryProperties) -> LazyMemory {
        let lazy = vk::MemoryPropertyFlags::LAZILY_ALLOCATED;
        let kinds = memory.memory_types_as_slice().iter().enumerate();
        let bit = |(index, kind): (usize, &vk::MemoryType)| {
            if kind.property_flags.contains(lazy) { 1 << index } else { 0 }
        };
        LazyMemory { types: kinds.map(bit).sum(), ..LazyMemory::default() }
    }

    /// Memory was allocated.
    pub(super) fn add(&self, memory: vk::DeviceMemory, kind: u32) {
        if self.types.checked_shr(kind).unwrap_or(0) & 1 != 0 {
            self.state.lock().memories.push(memory);
            self.has_any.store(true, Ordering::Relaxed);
        }
    }
}

impl DeviceCapture {
    /// `vkFreeMemory`, before the driver frees it: waits until it is no longer asked about.
    pub(crate) fn free_memory(&self, memory: vk::DeviceMemory) {
        let mut state = self.lazy.state.lock();
        state.memories.retain(|other| *other != memory);
        self.destroy(MemoryKey(memory.as_raw()));
    }

    /// Asks about all lazily allocated memory, if the user wants it and the last time is long
    /// enough ago. No memory is freed while it is asked about.
    pub(crate) fn ask_commitments(&self, ask: impl Fn(vk::DeviceMemory) -> u64) {
        if !self.asked.on_its_own || !self.lazy.has_any.load(Ordering::Relaxed) {
            return;
        }
        let mut state = self.lazy.state.lock();
        let now = Instant::now();
        if state.asked.is_some_and(|last| now.duration_since(last) < interval()) {
            return;
        }
        state.asked = Some(now);
        for memory in &state.memories {
            self.commitment(*memory, ask(*memory));
        }
    }
}

/// The interval, or what `TILELINT_DEBUG_COMMITMENT_INTERVAL` says in milliseconds, so that tests
/// need not wait.
#[cfg(debug_assertions)]
fn interval() -> Duration {
    static GIVEN: Lazy<Option<u64>> =
        Lazy::new(|| std::env::var("TILELINT_DEBUG_COMMITMENT_INTERVAL").ok()?.parse().ok());
    GIVEN.map_or(INTERVAL, Duration::from_millis)
}

#[cfg(not(debug_assertions))]
fn interval() -> Duration {
    INTERVAL
}
