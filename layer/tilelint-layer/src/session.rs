//! The ordered queue of events, and the thread that analyses them.
//!
//! Application threads append to one queue; one thread reads it and is the only one that touches
//! the library's session. It lives while there is an instance; what it knows outlives it, so that
//! a program that makes a second instance gets one report about both.

use crate::analysis::Analysis;
use crate::capture::Outbox;
use crate::log;
use ash::vk;
use once_cell::sync::Lazy;
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tilelint::call::{DeviceKey, Entry};

/// Events that wait before the application's threads wait too.
const QUEUE_LIMIT: usize = 1 << 16;
/// How long the end of a device, instance or process waits for the analysis.
const DRAIN_TIME_MAX: Duration = Duration::from_secs(20);

/// One thing for the analysis thread.
pub(crate) enum Event {
    /// A call.
    Entry(Entry),
    /// A device whose findings go to this outbox.
    Device(DeviceKey, Arc<Outbox>),
    /// The capture of a device failed: nothing that follows is known.
    Silenced(DeviceKey),
    /// Analyse what there is, write the report, then say so.
    Flush(Flush, Arc<Done>),
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
    fn set(&self) {
        *self.is_done.lock() = true;
        self.changed.notify_all();
    }

    /// Waits, but not for ever.
    fn wait(&self) -> bool {
        let mut is_done = self.is_done.lock();
        self.changed.wait_while_for(&mut is_done, |is_done| !*is_done, DRAIN_TIME_MAX);
        *is_done
    }
}

/// The place in the queue of a call whose result is not known yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticket(u64);

struct Waiting {
    event: Event,
    is_ready: bool,
}

#[derive(Default)]
struct State {
    events: VecDeque<Waiting>,
    /// Number of the first event in `events`, counted from the start.
    first: u64,
    is_closed: bool,
}

/// The queue.
#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    has_room: Condvar,
}

impl Queue {
    fn push(&self, event: Event, is_ready: bool) -> Ticket {
        let mut state = self.state.lock();
        // Only an analysis that can go on is waited for: a head without its result may need the
        // very call that this thread is about to make.
        let can_go_on = |state: &State| state.events.front().is_some_and(|head| head.is_ready);
        while state.events.len() >= QUEUE_LIMIT && can_go_on(&state) && !state.is_closed {
            self.has_room.wait(&mut state);
        }
        state.events.push_back(Waiting { event, is_ready });
        let ticket = Ticket(state.first + state.events.len() as u64 - 1);
        drop(state);
        self.changed.notify_one();
        ticket
    }

    fn resolve(&self, ticket: Ticket, failed: Option<vk::Result>) {
        let mut state = self.state.lock();
        let idx = ticket.0.checked_sub(state.first);
        if let Some(waiting) = idx.and_then(|idx| state.events.get_mut(idx as usize)) {
            waiting.is_ready = true;
            if let Event::Entry(entry) = &mut waiting.event {
                entry.failed = failed;
            }
        }
        drop(state);
        self.changed.notify_one();
    }

    /// Takes all events up to the first that waits for its result; `None` once closed and empty.
    fn take(&self, taken: &mut VecDeque<Event>) -> bool {
        let mut state = self.state.lock();
        loop {
            while state.events.front().is_some_and(|waiting| waiting.is_ready) {
                if let Some(waiting) = state.events.pop_front() {
                    state.first += 1;
                    taken.push_back(waiting.event);
                }
            }
            if !taken.is_empty() {
                self.has_room.notify_all();
                return true;
            }
            if state.is_closed {
                return false;
            }
            self.changed.wait(&mut state);
        }
    }

    fn close(&self) {
        self.state.lock().is_closed = true;
        self.changed.notify_all();
        self.has_room.notify_all();
    }
}

/// Where the application's threads put events; or nowhere.
pub(crate) struct Sink(Option<Arc<Queue>>);

impl Sink {
    /// Returns a sink that drops everything.
    pub(crate) fn nowhere() -> Arc<Sink> {
        Arc::new(Sink(None))
    }

    /// Appends a call.
    pub(crate) fn push(&self, entry: Entry) {
        if let Some(queue) = &self.0 {
            queue.push(Event::Entry(entry), true);
        }
    }

    /// Appends a call whose result is not known yet; the thread stops there until it is.
    pub(crate) fn push_pending(&self, entry: Entry) -> Ticket {
        self.0.as_ref().map_or(Ticket(0), |queue| queue.push(Event::Entry(entry), false))
    }

    /// Gives the result of a pending call.
    pub(crate) fn resolve(&self, ticket: Ticket, failed: Option<vk::Result>) {
        if let Some(queue) = &self.0 {
            queue.resolve(ticket, failed);
        }
    }

    /// Says where the findings of a device go.
    pub(crate) fn add_device(&self, device: DeviceKey, outbox: Arc<Outbox>) {
        if let Some(queue) = &self.0 {
            queue.push(Event::Device(device, outbox), true);
        }
    }

    /// Says that nothing more is known of a device.
    pub(crate) fn device_silenced(&self, device: DeviceKey) {
        if let Some(queue) = &self.0 {
            queue.push(Event::Silenced(device), true);
        }
    }

    /// Waits until everything so far is analysed and the report is written.
    pub(crate) fn finish_device(&self, device: DeviceKey) {
        if let Some(queue) = &self.0 {
            flush(queue, Flush::Device(device));
        }
    }
}

fn flush(queue: &Queue, why: Flush) {
    let done = Arc::new(Done::default());
    queue.push(Event::Flush(why, Arc::clone(&done)), true);
    if !done.wait() {
        log::warning("the analysis did not finish in time; the report may lack the last frames");
    }
}

/// The running thread.
struct Running {
    queue: Arc<Queue>,
    thread: JoinHandle<Option<Analysis>>,
    n_instances: usize,
    /// The process that started it: a forked child has no such thread.
    pid: u32,
}

/// What is known of the process.
#[derive(Default)]
struct Process {
    running: Option<Running>,
    /// The analysis between two instances.
    resting: Option<Analysis>,
}

static PROCESS: Lazy<Mutex<Process>> = Lazy::new(Mutex::default);

/// An instance begins: returns where its events go. The settings of the first one count.
pub(crate) fn instance_begins(make: impl FnOnce() -> Analysis) -> Arc<Sink> {
    let mut process = PROCESS.lock();
    if let Some(running) = &mut process.running {
        running.n_instances += 1;
        return Arc::new(Sink(Some(Arc::clone(&running.queue))));
    }
    let analysis = process.resting.take().unwrap_or_else(make);
    let queue = Arc::new(Queue::default());
    let for_thread = Arc::clone(&queue);
    let thread = std::thread::Builder::new()
        .name("tilelint".to_owned())
        .spawn(move || log::scoped(|| run(analysis, &for_thread)));
    match thread {
        Ok(thread) => {
            let pid = std::process::id();
            process.running =
                Some(Running { queue: Arc::clone(&queue), thread, n_instances: 1, pid });
            Arc::new(Sink(Some(queue)))
        }
        Err(error) => {
            log::warning(&format!("no thread for the analysis ({error}); nothing is linted"));
            Sink::nowhere()
        }
    }
}

/// An instance ends; with the last one, the summary is printed and the thread joined.
pub(crate) fn instance_ends() {
    let mut process = PROCESS.lock();
    let Some(running) = &mut process.running else { return };
    running.n_instances = running.n_instances.saturating_sub(1);
    if running.n_instances > 0 {
        return;
    }
    let Some(running) = process.running.take() else { return };
    flush(&running.queue, Flush::End);
    running.queue.close();
    process.resting = running.thread.join().ok().flatten();
}

/// The process exits without having destroyed its instances.
pub(crate) fn process_exits() {
    // Another thread may be inside; the exit does not wait for it.
    let Some(process) = PROCESS.try_lock() else { return };
    if let Some(running) = &process.running
        && running.pid == std::process::id()
        && !running.thread.is_finished()
    {
        flush(&running.queue, Flush::End);
    }
}

/// The analysis thread. A panic in the analysis ends it for the process; the queue is still
/// emptied, so that nobody waits for it.
fn run(analysis: Analysis, queue: &Queue) -> Option<Analysis> {
    let mut analysis = Some(analysis);
    let mut events = VecDeque::new();
    while queue.take(&mut events) {
        for event in events.drain(..) {
            // Says that it is done however the event ends: somebody may wait for it.
            let _done = match &event {
                Event::Flush(_, done) => Some(SetOnDrop(Arc::clone(done))),
                _ => None,
            };
            analysis = analysis.and_then(|analysis| guarded(analysis, event));
        }
    }
    analysis
}

fn guarded(mut analysis: Analysis, event: Event) -> Option<Analysis> {
    let handled = panic::catch_unwind(AssertUnwindSafe(|| match event {
        Event::Entry(entry) => analysis.apply(&entry),
        Event::Device(key, outbox) => analysis.add_device(key, outbox),
        Event::Silenced(key) => analysis.device_silenced(key),
        Event::Flush(why, _) => analysis.flush(why),
    }));
    match handled {
        Ok(()) => Some(analysis),
        Err(payload) => {
            let words = payload.downcast_ref::<String>().cloned();
            let words = words.or_else(|| payload.downcast_ref::<&str>().map(|w| (*w).to_owned()));
            std::mem::forget(payload);
            log::internal_error("the analysis", &words.unwrap_or_default());
            None
        }
    }
}

struct SetOnDrop(Arc<Done>);

impl Drop for SetOnDrop {
    fn drop(&mut self) {
        self.0.set();
    }
}
