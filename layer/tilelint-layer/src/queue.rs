//! The ordered queue of events between the application's threads and the analysis.
//!
//! The application never waits for it, unless every frame is to be analysed: when it is full,
//! calls that run frames are left out until a frame has ended and there is room again. Calls about
//! objects are kept. The analysis is told what is missing, so that it knows what it does not know.

mod event;

use ash::vk;
pub(crate) use event::{Done, Event, Flush, LeftOut, Silence};
use event::{Role, role};
use parking_lot::{Condvar, Mutex};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, VecDeque};
use tilelint::call::{Call, CommandsKey, DeviceKey, Entry, Kind};

/// Events that wait before calls are left out, or before the application's threads wait too.
const QUEUE_LIMIT: usize = 1 << 16;
/// Bytes of events that wait before calls are left out, or before the application's threads wait:
/// eight frames of 20,000 draws, each after a state change, so that with what those frames hold
/// elsewhere (the recordings in flight, the last frames that are kept, memory for reuse) the layer
/// stays under 64 MiB.
const BYTES_LIMIT: usize = 24 << 20;
/// Frames that are taken between two gaps even where fewer have that many bytes: a verdict takes
/// some in a row, however large they are...
const FRAMES_LEAST: usize = 8;
/// ...unless they have so many times as many bytes.
const FRAMES_FACTOR: usize = 4;
/// A gap ends when no more than this part of the bytes waits. Nothing that is left out wakes the
/// analysis, so that what is kept meanwhile does before it is as much.
const ROOM_PART: usize = 8;
/// So many times as many bytes are kept at most, all of them of calls about objects: a program
/// that loads makes many at once. After that nothing is linted any more.
const OVERRUN_FACTOR: usize = 16;

/// Events that wait before the analysis is woken for them: a wake costs the application's thread
/// more than all else that a call does, so that most of them wait for the end of their frame.
const WAKE_LIMIT: usize = 1 << 10;
/// Events taken at once: the application's threads do not wait for more of them to be moved.
const TAKE_LIMIT: usize = 1 << 8;
/// Room for events that is kept while none wait.
const ROOM_KEPT: usize = 1 << 14;
/// Bytes after which no more are taken at once: the memory of what was taken is gone only later.
const TAKE_BYTES: usize = 1 << 20;

/// The place in the queue of a call whose result is not known yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticket(u64);

impl Ticket {
    /// The place of a call that is not in the queue.
    pub(crate) const NONE: Ticket = Ticket(u64::MAX);
}

struct Waiting {
    event: Event,
    is_ready: bool,
    bytes: usize,
}

/// Calls are being left out.
#[derive(Default)]
struct Gap {
    left_out: BTreeMap<DeviceKey, LeftOut>,
    /// What was last recorded into each command buffer, or that it was reset.
    buffers: BTreeMap<(DeviceKey, CommandsKey), Entry>,
    is_at_frame_end: bool,
}

#[derive(Default)]
struct State {
    events: VecDeque<Waiting>,
    /// Number of the first event in `events`, counted from the start.
    first: u64,
    is_closed: bool,
    /// Bytes of the events, and of those that were taken last.
    bytes: usize,
    taken_bytes: usize,
    /// Frames that were taken since calls were left out.
    n_frames: usize,
    gap: Option<Gap>,
    /// Some call ended a frame by itself.
    has_frame_ends: bool,
    /// Devices of which nothing is kept any more.
    overrun: FxHashSet<DeviceKey>,
    /// Somebody waits for the analysis.
    is_flushing: bool,
}

/// What the queue holds before calls are left out.
#[derive(Clone, Copy)]
struct Limit {
    events: usize,
    bytes: usize,
}

impl Gap {
    fn leave_out(&mut self, entry: Entry, role: &Role) {
        let left_out = self.left_out.entry(entry.device).or_default();
        left_out.n_calls += 1;
        match &entry.call {
            Call::Present(present) => {
                let swapchain = *left_out.swapchain.get_or_insert(present.swapchain);
                left_out.n_presents += u64::from(swapchain == present.swapchain);
            }
            Call::Frame { .. } => left_out.n_labels += 1,
            Call::Submit(_) => {
                left_out.n_submits += 1;
                left_out.n_boundaries += u64::from(matches!(role, Role::End));
            }
            _ => {}
        }
        match (role, &entry.call) {
            (Role::End, _) => self.is_at_frame_end = true,
            (_, Call::Submit(_)) => self.is_at_frame_end = false,
            (_, Call::Commands(key, _) | Call::Reset(key)) => {
                self.buffers.insert((entry.device, *key), entry);
            }
            _ => {}
        }
    }
}

impl State {
    fn append(&mut self, event: Event, is_ready: bool) -> Ticket {
        let bytes = size_of::<Waiting>() + event.bytes();
        self.append_of(event, is_ready, bytes)
    }

    fn append_of(&mut self, event: Event, is_ready: bool, bytes: usize) -> Ticket {
        self.bytes += bytes;
        self.events.push_back(Waiting { event, is_ready, bytes });
        Ticket(self.first + self.events.len() as u64 - 1)
    }

    /// Whether calls have to be left out.
    fn is_full(&self, limit: Limit) -> bool {
        let bytes_max = match self.n_frames {
            ..FRAMES_LEAST => limit.bytes.saturating_mul(FRAMES_FACTOR),
            _ => limit.bytes,
        };
        self.events.len() >= limit.events || self.bytes >= bytes_max
    }

    /// Returns a call that the queue has room for; others are left out.
    fn admit(&mut self, entry: Entry, limit: Limit) -> Option<Entry> {
        if self.overrun.contains(&entry.device) {
            return None;
        }
        let role = role(&entry.call);
        self.has_frame_ends |= matches!(role, Role::End);
        if self.gap.is_none() && self.is_full(limit) {
            self.gap = Some(Gap::default());
        }
        let Some(gap) = &mut self.gap else {
            self.n_frames += usize::from(self.may_end_frame(&role, &entry.call));
            return Some(entry);
        };
        if matches!(role, Role::Object) {
            if let Call::Destroy(object) = entry.call {
                gap.buffers.remove(&(entry.device, CommandsKey(object.key)));
                if object.kind == Kind::Device {
                    self.close_gap();
                }
            }
            return self.admits_object(entry.device, limit).then_some(entry);
        }
        let has_room =
            self.events.len() <= limit.events / 2 && self.bytes <= limit.bytes / ROOM_PART;
        if has_room && (gap.is_at_frame_end || !self.has_frame_ends) {
            self.close_gap();
            return Some(entry);
        }
        gap.leave_out(entry, &role);
        None
    }

    /// Whether a call about objects is still kept while others are left out.
    fn admits_object(&mut self, device: DeviceKey, limit: Limit) -> bool {
        let is_overrun = self.bytes >= limit.bytes.saturating_mul(OVERRUN_FACTOR);
        if is_overrun {
            self.overrun.insert(device);
            self.append(Event::Silenced(device, Silence::Overrun), true);
        }
        !is_overrun
    }

    /// Whether the writes of a call are kept.
    fn admits_writes(&mut self, device: DeviceKey, limit: Limit) -> bool {
        if self.overrun.contains(&device) {
            return false;
        }
        if self.gap.is_none() && self.is_full(limit) {
            self.gap = Some(Gap::default());
        }
        self.gap.is_none() || self.admits_object(device, limit)
    }

    /// Where nothing but submissions ends frames, each of them may.
    fn may_end_frame(&self, role: &Role, call: &Call) -> bool {
        match role {
            Role::End => true,
            Role::Part => !self.has_frame_ends && matches!(call, Call::Submit(_)),
            Role::Object => false,
        }
    }

    /// Whether an event that is ready now is worth a wake.
    fn wakes(&self, event: &Event) -> bool {
        match event {
            Event::Entry(entry) => self.may_end_frame(&role(&entry.call), &entry.call),
            Event::Writes(..) => false,
            _ => true,
        }
    }

    /// Says what was left out; calls are taken again.
    fn close_gap(&mut self) {
        let Some(gap) = self.gap.take() else { return };
        self.n_frames = 0;
        for (device, left_out) in gap.left_out {
            self.append(Event::Gap(device, left_out), true);
        }
        for entry in gap.buffers.into_values() {
            // The command buffers hold those recordings anyway.
            self.append_of(Event::Entry(entry), true, size_of::<Waiting>());
        }
    }

    /// Moves events up to the first that waits for its result. The memory of those that were moved
    /// before is free by now.
    fn take(&mut self, taken: &mut VecDeque<Event>) {
        self.bytes -= std::mem::take(&mut self.taken_bytes);
        while taken.len() < TAKE_LIMIT
            && self.taken_bytes < TAKE_BYTES
            && self.events.front().is_some_and(|waiting| waiting.is_ready)
            && let Some(waiting) = self.events.pop_front()
        {
            self.first += 1;
            self.taken_bytes += waiting.bytes;
            taken.push_back(waiting.event);
        }
    }
}

impl State {
    /// Room that is not needed any more.
    fn spare_room(&mut self) -> VecDeque<Waiting> {
        if self.events.is_empty() && self.events.capacity() > ROOM_KEPT {
            std::mem::take(&mut self.events)
        } else {
            VecDeque::new()
        }
    }
}

/// The queue.
pub(crate) struct Queue {
    /// The application's threads wait where it is full.
    is_waited_for: bool,
    limit: Limit,
    /// For tests: the analysis begins when somebody waits for it.
    is_stalled: bool,
    state: Mutex<State>,
    changed: Condvar,
    has_room: Condvar,
}

impl Queue {
    /// Returns an empty queue; no call is left out where it `is_waited_for`.
    pub(crate) fn new(is_waited_for: bool) -> Queue {
        Queue {
            is_waited_for,
            limit: Limit {
                events: debug_number("TILELINT_DEBUG_QUEUE_LIMIT").unwrap_or(QUEUE_LIMIT),
                bytes: debug_number("TILELINT_DEBUG_QUEUE_BYTES").unwrap_or(BYTES_LIMIT),
            },
            is_stalled: debug_number("TILELINT_DEBUG_STALL").is_some_and(|on| on != 0),
            state: Mutex::default(),
            changed: Condvar::new(),
            has_room: Condvar::new(),
        }
    }

    /// Appends an event.
    pub(crate) fn push(&self, event: Event, is_ready: bool) -> Ticket {
        let mut state = self.state.lock();
        let event = match event {
            Event::Entry(entry) if !self.is_waited_for => match state.admit(entry, self.limit) {
                Some(entry) => Event::Entry(entry),
                None => return Ticket::NONE,
            },
            Event::Writes(device, _) if !self.is_waited_for => {
                if !state.admits_writes(device, self.limit) {
                    return Ticket::NONE;
                }
                event
            }
            Event::Flush(..) => {
                state.close_gap();
                state.is_flushing = true;
                event
            }
            event => event,
        };
        // Only an analysis that can go on is waited for: a head without its result may need the
        // very call that this thread is about to make.
        let can_go_on = |state: &State| state.events.front().is_some_and(|head| head.is_ready);
        while self.is_waited_for
            && (state.events.len() >= self.limit.events || state.bytes >= self.limit.bytes)
            && can_go_on(&state)
            && !state.is_closed
        {
            self.has_room.wait(&mut state);
        }
        let mut wakes = is_ready && state.wakes(&event);
        let ticket = state.append(event, is_ready);
        wakes |= self.is_long(&state);
        drop(state);
        if wakes {
            self.changed.notify_one();
        }
        ticket
    }

    /// Gives the result of a call that was not ready.
    pub(crate) fn resolve(&self, ticket: Ticket, result: vk::Result) {
        let mut state = self.state.lock();
        let mut wakes = self.is_long(&state);
        let idx = ticket.0.checked_sub(state.first).map(|idx| idx as usize);
        if let Some(waiting) = idx.and_then(|idx| state.events.get_mut(idx)) {
            waiting.is_ready = true;
            if let Event::Entry(entry) = &mut waiting.event {
                entry.failed = (result.as_raw() < 0).then_some(result);
                if let Call::Present(present) = &mut entry.call
                    && result.as_raw() >= 0
                {
                    present.result = result;
                }
            }
        }
        if let Some(waiting) = idx.and_then(|idx| state.events.get(idx)) {
            wakes |= state.wakes(&waiting.event);
        }
        drop(state);
        if wakes {
            self.changed.notify_one();
        }
    }

    /// Whether the analysis is woken whatever the events are.
    fn is_long(&self, state: &State) -> bool {
        let part = if state.gap.is_some() { ROOM_PART } else { 4 };
        state.events.len() >= WAKE_LIMIT.min(self.limit.events / 4)
            || state.bytes >= self.limit.bytes / part
    }

    /// Takes events up to the first that waits for its result; `false` once closed and empty.
    pub(crate) fn take(&self, taken: &mut VecDeque<Event>) -> bool {
        // What a burst needed is given back once the lock is.
        let _room: VecDeque<Waiting>;
        let mut state = self.state.lock();
        while self.is_stalled && !state.is_flushing && !state.is_closed {
            self.changed.wait(&mut state);
        }
        loop {
            state.take(taken);
            if !taken.is_empty() {
                _room = state.spare_room();
                self.has_room.notify_all();
                return true;
            }
            if state.is_closed {
                return false;
            }
            self.changed.wait(&mut state);
        }
    }

    /// Nothing more comes.
    pub(crate) fn close(&self) {
        self.state.lock().is_closed = true;
        self.changed.notify_all();
        self.has_room.notify_all();
    }
}

/// A number that a developer's variable holds, so that tests can fill the queue.
#[cfg(debug_assertions)]
fn debug_number(variable: &str) -> Option<usize> {
    std::env::var(variable).ok()?.parse().ok()
}

#[cfg(not(debug_assertions))]
fn debug_number(_variable: &str) -> Option<usize> {
    None
}

#[cfg(test)]
mod tests;
