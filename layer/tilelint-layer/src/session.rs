//! Where the application's threads put events, and the thread that analyses them.
//!
//! Application threads append to one queue; one thread reads it and is the only one that touches
//! the library's session. It lives while there is an instance; what it knows outlives it, so that
//! a program that makes a second instance gets one report about both.

use crate::analysis::Analysis;
use crate::capture::{Message, Outbox};
use crate::log;
use crate::queue::{Done, Event, Flush, Queue, Silence, Ticket};
use ash::vk;
use once_cell::sync::Lazy;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tilelint::call::{Call, DeviceKey, Entry, WriteInfo};
use tilelint::rule::Needs;

/// How long the end of a device, instance or process waits for the analysis.
const DRAIN_TIME_MAX: Duration = Duration::from_secs(20);

/// What the analysis asks of the layer.
#[derive(Clone, Copy)]
pub(crate) struct Wants {
    /// The groups of commands that it has to see.
    pub(crate) needs: Needs,
    /// The layer may ask the driver on its own.
    pub(crate) asks_driver: bool,
}

/// Where the application's threads put events; or nowhere.
pub(crate) struct Sink {
    queue: Option<Arc<Queue>>,
    wants: Wants,
}

impl Sink {
    /// Returns a sink that drops everything.
    pub(crate) fn nowhere() -> Arc<Sink> {
        Arc::new(Sink { queue: None, wants: Wants { needs: Needs::NONE, asks_driver: false } })
    }

    fn to(queue: &Arc<Queue>, wants: Wants) -> Arc<Sink> {
        Arc::new(Sink { queue: Some(Arc::clone(queue)), wants })
    }

    /// Returns what the analysis asks of the layer.
    pub(crate) fn wants(&self) -> Wants {
        self.wants
    }

    /// Appends a call.
    pub(crate) fn push(&self, entry: Entry) {
        if let Some(queue) = &self.queue {
            queue.push(Event::Entry(entry), true);
        }
    }

    /// Appends the writes of one call.
    pub(crate) fn push_writes(&self, device: DeviceKey, writes: Vec<WriteInfo>) {
        if let Some(queue) = self.queue.as_ref().filter(|_| !writes.is_empty()) {
            queue.push(Event::Writes(device, writes), true);
        }
    }

    /// Appends a call whose result is not known yet; the thread stops there until it is.
    pub(crate) fn push_pending(&self, entry: Entry) -> Ticket {
        self.queue.as_ref().map_or(Ticket::NONE, |queue| queue.push(Event::Entry(entry), false))
    }

    /// Gives the result of a pending call.
    pub(crate) fn resolve(&self, ticket: Ticket, result: vk::Result) {
        if let Some(queue) = &self.queue {
            queue.resolve(ticket, result);
        }
    }

    /// Says where the findings of a device go.
    pub(crate) fn add_device(&self, device: DeviceKey, outbox: Arc<Outbox>) {
        if let Some(queue) = &self.queue {
            queue.push(Event::Device(device, outbox), true);
        }
    }

    /// Says that nothing more is known of a device.
    pub(crate) fn device_silenced(&self, device: DeviceKey) {
        if let Some(queue) = &self.queue {
            queue.push(Event::Silenced(device, Silence::Failed), true);
        }
    }

    /// Waits until everything so far is analysed and the report is written.
    pub(crate) fn finish_device(&self, device: DeviceKey) {
        if let Some(queue) = &self.queue {
            flush(queue, Flush::Device(device));
        }
    }
}

fn flush(queue: &Queue, why: Flush) {
    let done = Arc::new(Done::default());
    queue.push(Event::Flush(why, Arc::clone(&done)), true);
    if !done.wait(DRAIN_TIME_MAX) {
        log::warning("the analysis did not finish in time; the report may lack the last frames");
    }
}

/// The running thread.
struct Running {
    queue: Arc<Queue>,
    wants: Wants,
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
        return Sink::to(&running.queue, running.wants);
    }
    let analysis = process.resting.take().unwrap_or_else(make);
    let wants = analysis.wants();
    let queue = Arc::new(Queue::new(analysis.every_frame()));
    let for_thread = Arc::clone(&queue);
    let thread = std::thread::Builder::new()
        .name("tilelint".to_owned())
        .spawn(move || log::scoped(|| run(analysis, &for_thread)));
    match thread {
        Ok(thread) => {
            let pid = std::process::id();
            let sink = Sink::to(&queue, wants);
            process.running = Some(Running { queue, wants, thread, n_instances: 1, pid });
            sink
        }
        Err(error) => {
            log::warning(&format!("no thread for the analysis ({error}); nothing is linted"));
            Sink::nowhere()
        }
    }
}

/// An instance ends; with the last one, the summary is printed and the thread joined. Returns
/// what was found after its devices were gone.
pub(crate) fn instance_ends() -> Vec<Message> {
    let mut process = PROCESS.lock();
    let Some(running) = &mut process.running else { return Vec::new() };
    running.n_instances = running.n_instances.saturating_sub(1);
    if running.n_instances > 0 {
        return Vec::new();
    }
    let Some(running) = process.running.take() else { return Vec::new() };
    flush(&running.queue, Flush::End);
    running.queue.close();
    process.resting = running.thread.join().ok().flatten();
    process.resting.as_mut().map(Analysis::take_late).unwrap_or_default()
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
        Event::Entry(entry) => analysis.apply(entry),
        Event::Writes(device, writes) => {
            for write in writes {
                analysis.apply(Entry::new(device, Call::Write(Box::new(write))));
            }
        }
        Event::Device(key, outbox) => analysis.add_device(key, outbox),
        Event::Gap(key, left_out) => analysis.gap(key, &left_out),
        Event::Silenced(key, why) => analysis.device_silenced(key, why),
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
