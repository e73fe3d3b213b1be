//! Counts the calls of each entry point and takes the time of some of them, if a setting asks.
//!
//! Each thread counts in memory of its own, without locks and without writing what another thread
//! reads often. Only the call down is timed, so the layer's own work does not count. One call in
//! [`SAMPLE`] on average, at random, so that no rhythm of the program hides an entry point; calls
//! that wait for others are few and are all timed.

use crate::ffi::{device_commands, n_device_commands};
use once_cell::sync::OnceCell;
use parking_lot::Mutex;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;
use tilelint::report::{ApiCall, ApiTime};

/// One call in so many is timed.
const SAMPLE: u32 = 16;

static IS_ON: AtomicBool = AtomicBool::new(false);
static COUNTERS: Mutex<Threads> = Mutex::new(Threads { living: Vec::new(), ended: Vec::new() });
static FRAMES: Mutex<Frames> = Mutex::new(Frames { span: None, by_present: false });
static SCHEDULE: OnceCell<Schedule> = OnceCell::new();

/// What is fixed once measuring begins.
struct Schedule {
    /// By entry point: what it waits for, if it does.
    blocks: Vec<Option<&'static str>>,
    /// What taking a time costs, in nanoseconds.
    clock_ns: u64,
}

/// The counts of all threads.
struct Threads {
    living: Vec<Arc<Vec<Counter>>>,
    /// Sums of the threads that have ended.
    ended: Vec<Count>,
}

/// Counts of one thread, which alone writes them.
#[derive(Default)]
struct Counter {
    calls: AtomicU64,
    timed: AtomicU64,
    nanoseconds: AtomicU64,
}

/// The counts of an entry point at some moment.
#[derive(Clone, Copy, Default)]
struct Count {
    calls: u64,
    timed: u64,
    nanoseconds: u64,
}

/// The counts of all entry points at the end of a frame.
struct Snapshot {
    at: Instant,
    counts: Vec<Count>,
}

/// Frames, by presents, or by submissions while nothing was presented.
struct Frames {
    /// End of the first frame and of the last one, and how many ended between them.
    span: Option<(Snapshot, Option<Snapshot>, u64)>,
    by_present: bool,
}

/// A thread's own counts.
struct Local {
    counters: Arc<Vec<Counter>>,
    random: Cell<u32>,
    /// By entry point: calls until the next one that is timed.
    until_timed: Vec<Cell<u32>>,
}

thread_local! {
    static LOCAL: Local = Local::new();
}

impl Local {
    fn new() -> Local {
        let counters: Vec<Counter> = (0..n_device_commands()).map(|_| Counter::default()).collect();
        let counters = Arc::new(counters);
        COUNTERS.lock().living.push(Arc::clone(&counters));
        let until_timed = (0..n_device_commands()).map(|_| Cell::new(0)).collect();
        Local { counters, random: Cell::new(0x9E37_79B9), until_timed }
    }

    /// Returns whether this call of an entry point is timed.
    fn count(&self, entry: usize, schedule: &Schedule) -> bool {
        let calls = &self.counters[entry].calls;
        calls.store(calls.load(Relaxed) + 1, Relaxed);
        if schedule.blocks[entry].is_some() {
            return true;
        }
        let left = self.until_timed[entry].get();
        if left != 0 {
            self.until_timed[entry].set(left - 1);
            return false;
        }
        // Marsaglia's xorshift; the low bits are as good as any here.
        let mut random = self.random.get();
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        self.random.set(random);
        self.until_timed[entry].set(random % (2 * SAMPLE - 1));
        true
    }

    fn add(&self, entry: usize, nanoseconds: u64) {
        let counter = &self.counters[entry];
        counter.timed.store(counter.timed.load(Relaxed) + 1, Relaxed);
        let sum = counter.nanoseconds.load(Relaxed) + nanoseconds;
        counter.nanoseconds.store(sum, Relaxed);
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        let mut threads = COUNTERS.lock();
        threads.living.retain(|counters| !Arc::ptr_eq(counters, &self.counters));
        threads.ended.resize_with(n_device_commands(), Count::default);
        add_counts(&mut threads.ended, &self.counters);
    }
}

fn add_counts(sums: &mut [Count], counters: &[Counter]) {
    for (sum, counter) in sums.iter_mut().zip(counters) {
        sum.calls += counter.calls.load(Relaxed);
        sum.timed += counter.timed.load(Relaxed);
        sum.nanoseconds += counter.nanoseconds.load(Relaxed);
    }
}

/// Says whether calls are measured.
#[inline]
pub(crate) fn is_on() -> bool {
    IS_ON.load(Relaxed)
}

/// A call that is being made.
pub(crate) struct Timer {
    entry: usize,
    start: Option<Instant>,
}

impl Timer {
    /// Begins with a call down.
    #[inline]
    pub(crate) fn start(entry: usize) -> Timer {
        let start = if IS_ON.load(Relaxed) { start(entry) } else { None };
        Timer { entry, start }
    }

    /// The call down has returned.
    #[inline]
    pub(crate) fn stop(self) {
        if let Some(start) = self.start {
            stop(self.entry, start);
        }
    }
}

#[cold]
fn start(entry: usize) -> Option<Instant> {
    let schedule = SCHEDULE.get()?;
    // A thread that is ending has no counts left.
    let is_timed = LOCAL.try_with(|local| local.count(entry, schedule)).unwrap_or(false);
    is_timed.then(Instant::now)
}

#[cold]
fn stop(entry: usize, start: Instant) {
    let took = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let clock_ns = SCHEDULE.get().map_or(0, |schedule| schedule.clock_ns);
    let _ = LOCAL.try_with(|local| local.add(entry, took.saturating_sub(clock_ns)));
}

/// Begins to measure.
pub(crate) fn turn_on() {
    SCHEDULE.get_or_init(|| {
        let mut blocks = vec![None; n_device_commands()];
        for (entry, name) in device_commands() {
            blocks[entry] = waits_for(name);
        }
        let pair = || Instant::now().elapsed().as_nanos();
        let clock_ns = (0..64).map(|_| pair()).min().unwrap_or(0);
        Schedule { blocks, clock_ns: u64::try_from(clock_ns).unwrap_or(0) }
    });
    IS_ON.store(true, Relaxed);
}

/// What an entry point waits for, if it does.
fn waits_for(name: &str) -> Option<&'static str> {
    const KINDS: [(&str, &[&str]); 4] = [
        ("acquire", &["vkAcquireNextImage"]),
        ("fence", &["vkWaitForFences", "vkWaitSemaphores", "vkQueueWaitIdle", "vkDeviceWaitIdle"]),
        ("submit", &["vkQueueSubmit", "vkQueueBindSparse"]),
        ("present", &["vkQueuePresent", "vkWaitForPresent"]),
    ];
    let kind = KINDS.iter().find(|(_, starts)| starts.iter().any(|start| name.starts_with(start)));
    kind.map(|(kind, _)| *kind)
}

/// A frame was presented.
pub(crate) fn presented() {
    if IS_ON.load(Relaxed) {
        FRAMES.lock().end(true);
    }
}

/// Work was submitted.
pub(crate) fn submitted() {
    if IS_ON.load(Relaxed) {
        FRAMES.lock().end(false);
    }
}

impl Frames {
    fn end(&mut self, by_present: bool) {
        if self.by_present && !by_present {
            return;
        }
        if by_present && !self.by_present {
            *self = Frames { span: None, by_present };
        }
        match &mut self.span {
            None => self.span = Some((Snapshot::now(), None, 0)),
            Some((_, last, frames)) => {
                *last = Some(Snapshot::now());
                *frames += 1;
            }
        }
    }
}

impl Snapshot {
    fn now() -> Snapshot {
        let threads = COUNTERS.lock();
        let mut counts = threads.ended.clone();
        counts.resize_with(n_device_commands(), Count::default);
        threads.living.iter().for_each(|counters| add_counts(&mut counts, counters));
        Snapshot { at: Instant::now(), counts }
    }
}

/// Returns what was measured from the end of the first frame to that of the last one.
/// `frames_seen` are the frames of a program that presents nothing.
pub(crate) fn measured(frames_seen: u64) -> Option<ApiTime> {
    let schedule = SCHEDULE.get()?;
    let frames = FRAMES.lock();
    let (first, last, ended) = frames.span.as_ref()?;
    let last = last.as_ref()?;
    let mut calls: Vec<ApiCall> = device_commands()
        .filter_map(|(entry, name)| {
            let (before, after) = (first.counts[entry], last.counts[entry]);
            let count = after.calls - before.calls;
            (count != 0).then(|| ApiCall {
                name: name.to_owned(),
                count,
                timed: after.timed - before.timed,
                nanoseconds: expected_ns(count, before, after),
                blocked: schedule.blocks[entry].map(str::to_owned),
            })
        })
        .collect();
    calls.sort_by(|a, b| a.name.cmp(&b.name));
    let nanoseconds = (last.at - first.at).as_nanos();
    Some(ApiTime {
        // From the first submission to the last one it is a little less than all frames.
        frames: if frames.by_present { *ended } else { frames_seen * ended / (ended + 1) },
        nanoseconds: u64::try_from(nanoseconds).unwrap_or(u64::MAX),
        calls,
    })
}

/// The time of `count` calls: where none of them was timed, earlier ones stand for them.
fn expected_ns(count: u64, before: Count, after: Count) -> u64 {
    let (timed, sum) = match after.timed - before.timed {
        0 => (after.timed, after.nanoseconds),
        timed => (timed, after.nanoseconds - before.nanoseconds),
    };
    let expected = u128::from(sum) * u128::from(count) / u128::from(timed.max(1));
    u64::try_from(expected).unwrap_or(u64::MAX)
}
