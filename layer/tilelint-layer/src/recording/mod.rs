//! The recording: the frames on which the verdicts rest as a listing, so that they can be repeated
//! without the program.
//!
//! While the program runs nothing is printed: entries are kept, shared and not copied. What is
//! kept is bounded: the calls of the last frames, up to [`WEIGHT_LIMIT`] calls and commands, and
//! before them only what is still alive ([`base::SIZE_LIMIT`] entries, and so much code of shaders
//! as [`codes::CODE_LIMIT`] says).

mod base;
mod codes;
mod print;

use base::Base;
use print::Writer;
pub(crate) use print::{Printed, shader_file};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;
use tilelint::call::listing::Header;
use tilelint::call::{Call, DeviceKey, Entry, Kind, Object};
use tilelint::config::Config;
use tilelint::session::FrameEnd;

use crate::log;

/// Calls and recorded commands that are kept; beyond them only the last frames are.
const WEIGHT_LIMIT: u64 = 50_000;
/// Frames that are kept at least, as far as the limit allows.
const FRAMES_KEPT: usize = 8;
/// Frames that a verdict may take besides the steady ones.
const FRAMES_BEFORE_STEADY: usize = 5;

/// A frame's calls and what ended it.
#[derive(Clone, Debug, Default)]
struct Frame {
    entries: Vec<Arc<Entry>>,
    end: Option<FrameEnd>,
    weight: u64,
}

/// What the recording would be at one moment.
struct Snapshot {
    base: Arc<Base>,
    frames: Vec<Arc<Frame>>,
    n_calls: u64,
}

/// The calls so far, as far as they are kept.
pub(crate) struct Recording {
    header: Header,
    frames_kept: usize,
    /// What is alive before the first frame that is kept.
    base: Arc<Base>,
    frames: VecDeque<Arc<Frame>>,
    open: Frame,
    /// Objects made in the open frame, by the index of the entry.
    fresh: FxHashMap<(DeviceKey, Object), usize>,
    /// Names of command buffers.
    buffer_names: FxHashMap<(DeviceKey, Object), Box<str>>,
    weight: u64,
    weight_limit: u64,
    n_calls: u64,
    /// The open frame is too long to be kept.
    is_skipping: bool,
    snapshot: Option<Snapshot>,
    /// Findings were confirmed since.
    wants_snapshot: bool,
    has_failed: bool,
}

impl Recording {
    /// Begins a recording.
    pub(crate) fn new(config: &Config) -> Recording {
        let steady = config.steady_frames.value as usize;
        Recording {
            header: Header { targets: config.targets.value.clone(), ..Header::default() },
            frames_kept: FRAMES_KEPT.max(steady.saturating_add(FRAMES_BEFORE_STEADY)),
            base: Arc::default(),
            frames: VecDeque::new(),
            open: Frame::default(),
            fresh: FxHashMap::default(),
            buffer_names: FxHashMap::default(),
            weight: 0,
            weight_limit: weight_limit(),
            n_calls: 0,
            is_skipping: false,
            snapshot: None,
            wants_snapshot: false,
            has_failed: false,
        }
    }

    /// Appends a call and the frames that it ended.
    pub(crate) fn push(&mut self, entry: Entry, ended: &[FrameEnd]) {
        if self.has_failed {
            return;
        }
        for end in ended.iter().filter(|end| end.before_call) {
            self.close(*end);
        }
        // The line that ends a frame says what did.
        if !matches!(entry.call, Call::Frame { .. }) {
            self.append(entry);
        }
        for end in ended.iter().filter(|end| !end.before_call) {
            self.close(*end);
        }
        if self.base.is_full() {
            self.has_failed = true;
            self.base = Arc::default();
            self.frames.clear();
            self.open = Frame::default();
            log::warning("the program has too many objects for a recording");
        }
    }

    fn append(&mut self, mut entry: Entry) {
        self.n_calls += 1;
        if self.takes_name(&entry) {
            return;
        }
        let made = base::made(&entry.call).map(|object| (entry.device, object));
        if let Some(key) = made.filter(|(_, object)| object.kind == Kind::Commands) {
            entry.name = self.buffer_names.get(&key).cloned();
        }
        if let Call::Destroy(object) = entry.call {
            self.fresh.remove(&(entry.device, object));
            self.buffer_names.remove(&(entry.device, object));
        }
        let entry = Arc::new(entry);
        if self.is_skipping {
            Arc::make_mut(&mut self.base).fold(&entry);
            return;
        }
        if let Some(key) = made.filter(|_| entry.failed.is_none()) {
            self.fresh.insert(key, self.open.entries.len());
        }
        let weight = weight(&entry);
        self.open.entries.push(entry);
        self.open.weight += weight;
        self.weight += weight;
        self.trim();
    }

    /// A name given right after creation stands on the line that makes the object.
    fn takes_name(&mut self, entry: &Entry) -> bool {
        let Call::Name(object, text) = &entry.call else { return false };
        let key = (entry.device, *object);
        if object.kind == Kind::Commands {
            self.buffer_names.insert(key, text.clone());
            return true;
        }
        let made = self.fresh.get(&key).and_then(|index| self.open.entries.get_mut(*index));
        match made {
            Some(made) if made.name.is_none() && !text.is_empty() => {
                Arc::make_mut(made).name = Some(text.clone());
                true
            }
            _ => text.is_empty(),
        }
    }

    fn close(&mut self, end: FrameEnd) {
        let mut frame = std::mem::take(&mut self.open);
        frame.end = Some(end);
        self.fresh.clear();
        if std::mem::take(&mut self.is_skipping) {
            return;
        }
        self.frames.push_back(Arc::new(frame));
        self.trim();
        if self.wants_snapshot {
            self.confirm();
        }
    }

    /// Keeps to the limit: of the oldest frames only what is alive is remembered.
    fn trim(&mut self) {
        if self.weight <= self.weight_limit {
            return;
        }
        while self.frames.len() > self.frames_kept
            || (self.weight > self.weight_limit && !self.frames.is_empty())
        {
            let Some(frame) = self.frames.pop_front() else { break };
            self.weight -= frame.weight;
            Arc::make_mut(&mut self.base).fold_all(&frame.entries);
        }
        if self.weight > self.weight_limit {
            let open = std::mem::take(&mut self.open);
            Arc::make_mut(&mut self.base).fold_all(&open.entries);
            self.weight = 0;
            self.fresh.clear();
            self.is_skipping = true;
        }
    }

    /// The library has confirmed findings: what shows them is kept from now on. After frames that
    /// are missing a verdict takes as many as are kept, so some more may have to follow.
    pub(crate) fn confirm(&mut self) {
        self.wants_snapshot = true;
        if self.base.is_empty() || self.frames.len() >= self.frames_kept {
            self.take_snapshot();
        }
    }

    fn take_snapshot(&mut self) {
        if self.is_skipping || self.has_failed {
            return;
        }
        let open = (!self.open.entries.is_empty()).then(|| Arc::new(self.open.clone()));
        self.wants_snapshot = false;
        self.snapshot = Some(Snapshot {
            base: Arc::clone(&self.base),
            frames: self.frames.iter().cloned().chain(open).collect(),
            n_calls: self.n_calls,
        });
    }

    /// Calls were left out after the last one.
    pub(crate) fn gap(&mut self, n_calls: u64) {
        if self.has_failed {
            return;
        }
        if self.wants_snapshot {
            self.take_snapshot();
        }
        let base = Arc::make_mut(&mut self.base);
        for frame in std::mem::take(&mut self.frames) {
            base.fold_all(&frame.entries);
        }
        base.fold_all(&std::mem::take(&mut self.open).entries);
        base.lose(n_calls);
        self.n_calls += n_calls;
        self.fresh.clear();
        self.weight = 0;
        self.is_skipping = false;
    }

    /// The program is over, which ended these frames: before their devices were destroyed.
    pub(crate) fn finish(&mut self, ended: &[FrameEnd]) {
        for end in ended {
            let is_end = |entry: &Arc<Entry>| {
                entry.device == end.device
                    && matches!(entry.call, Call::Destroy(object) if object.kind == Kind::Device)
            };
            let at = self.open.entries.iter().position(is_end);
            let rest = at.map_or_else(Vec::new, |at| self.open.entries.split_off(at));
            self.close(*end);
            self.open.entries = rest;
        }
    }

    /// Whether what shows the findings so far is kept already.
    pub(crate) fn is_ready(&self) -> bool {
        self.base.is_empty() || (self.snapshot.is_some() && !self.wants_snapshot)
    }

    /// Returns the listing, to be written to a file of this name: the whole program while its
    /// start is kept, else the frames before the last findings. `None` where there are none, or
    /// where a call could not be printed.
    pub(crate) fn print(&mut self, file: &str) -> Option<Printed> {
        if self.has_failed {
            return None;
        }
        if self.wants_snapshot || self.base.is_empty() {
            self.take_snapshot();
        }
        let snapshot = self.snapshot.as_ref()?;
        let printed = Writer::listing(file, &self.header, snapshot, self.n_calls);
        if printed.is_none() {
            self.has_failed = true;
            log::warning("a call could not be printed; there is no recording");
        }
        printed
    }
}

/// What an entry counts for.
fn weight(entry: &Entry) -> u64 {
    match &entry.call {
        Call::Commands(_, recording) => 1 + recording.commands.len() as u64,
        Call::Write(write) => 1 + write.descriptors.len() as u64 / 16,
        _ => 1,
    }
}

/// The limit, or what `TILELINT_DEBUG_RECORDING_LIMIT` says, so that tests need no long programs.
#[cfg(debug_assertions)]
fn weight_limit() -> u64 {
    let given = std::env::var("TILELINT_DEBUG_RECORDING_LIMIT").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(WEIGHT_LIMIT)
}

#[cfg(not(debug_assertions))]
fn weight_limit() -> u64 {
    WEIGHT_LIMIT
}
