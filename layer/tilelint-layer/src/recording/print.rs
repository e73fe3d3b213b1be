//! Printing what a recording keeps.

use super::base::Base;
use super::{Frame, Snapshot};
use rustc_hash::FxHashMap;
use std::fmt::Write as _;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use tilelint::call::listing::{Header, Printer, header_line};
use tilelint::call::{Call, DeviceKey, Entry, SemaphoreKey};

/// A listing and the code of the shaders that it names, in the order of their files.
pub(crate) struct Printed {
    pub(crate) text: String,
    pub(crate) shaders: Vec<Arc<[u32]>>,
}

/// Returns the file of a shader, by its number, beside the listing of this name.
pub(crate) fn shader_file(listing: &str, number: usize) -> String {
    format!("{listing}.shaders/{number}.spv")
}

/// Prints entries. After frames that are missing, a wait for what was signalled in them is left
/// out, since nothing in the listing signals it.
pub(super) struct Writer {
    /// The name of the listing's file.
    file: String,
    printer: Printer,
    printed: Printed,
    /// Numbers of the shaders by their code.
    shaders: FxHashMap<Arc<[u32]>, usize>,
    /// Semaphores that the listing has signalled: the value, of a binary one while it stands.
    signalled: FxHashMap<(DeviceKey, SemaphoreKey), u64>,
    is_excerpt: bool,
    /// Timeline semaphores may have passed values that the listing does not know of.
    has_lost_calls: bool,
}

impl Writer {
    /// Returns the listing of a snapshot, if every call can be printed; `n_calls` were made.
    pub(super) fn listing(
        file: &str,
        header: &Header,
        snapshot: &Snapshot,
        n_calls: u64,
    ) -> Option<Printed> {
        let print = || {
            let mut writer = Writer {
                file: file.to_owned(),
                printer: Printer::new(),
                printed: Printed { text: String::new(), shaders: Vec::new() },
                shaders: FxHashMap::default(),
                signalled: FxHashMap::default(),
                is_excerpt: false,
                has_lost_calls: false,
            };
            writer.snapshot(header, snapshot, n_calls);
            writer.printed
        };
        panic::catch_unwind(AssertUnwindSafe(print)).map_err(std::mem::forget).ok()
    }

    fn snapshot(&mut self, header: &Header, snapshot: &Snapshot, n_calls: u64) {
        let n_before = snapshot.base.n_calls();
        let first = snapshot.frames.iter().find_map(|frame| frame.end);
        let header = Header {
            first_frame: first.filter(|_| n_before > 0).map_or(0, |end| end.index),
            excerpt: n_before > 0,
            ..header.clone()
        };
        self.line(&header_line(&header));
        if n_before > 0 {
            self.line(&format!("# {n_before} calls before these frames are left out"));
            self.base(&snapshot.base);
        }
        for frame in &snapshot.frames {
            self.frame(frame);
        }
        let n_after = n_calls - snapshot.n_calls;
        if n_after > 0 {
            self.line(&format!("# {n_after} calls that followed are left out"));
        }
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.printed.text, "{line}");
    }

    fn base(&mut self, base: &Base) {
        let declared = base.declared();
        for entry in &declared.entries {
            self.entry(entry);
        }
        self.is_excerpt = true;
        self.has_lost_calls = declared.has_lost_calls;
    }

    fn frame(&mut self, frame: &Frame) {
        for entry in &frame.entries {
            self.entry(entry);
        }
        if let Some(end) = frame.end {
            self.print(&Entry::new(end.device, Call::Frame { by: end.by, time_ns: None }));
        }
    }

    fn entry(&mut self, entry: &Entry) {
        match &entry.call {
            Call::Submit(submit) => {
                let mut submit = submit.clone();
                for batch in &mut submit.batches {
                    batch.waits.retain(|wait| self.keeps(entry.device, wait.semaphore, wait.value));
                    for signal in &batch.signals {
                        self.signal(entry.device, signal.semaphore, signal.value);
                    }
                }
                self.print(&Entry { call: Call::Submit(submit), ..entry.clone() });
            }
            Call::Present(present) => {
                let mut present = present.clone();
                present.waits.retain(|semaphore| self.keeps(entry.device, *semaphore, None));
                self.print(&Entry { call: Call::Present(present), ..entry.clone() });
            }
            Call::Acquire(acquire) => {
                if let Some(semaphore) = acquire.signal {
                    self.signal(entry.device, semaphore, None);
                }
                self.print(entry);
            }
            Call::Signal(semaphore, value) => {
                self.signal(entry.device, *semaphore, Some(*value));
                self.print(entry);
            }
            Call::Semaphore(semaphore, info) if info.timeline => {
                self.signal(entry.device, *semaphore, Some(info.value));
                self.print(entry);
            }
            Call::Shader(key, info) => {
                let mut info = info.clone();
                if let Some(code) = &info.code {
                    info.file = self.shader(code).into();
                }
                self.print(&Entry { call: Call::Shader(*key, info), ..entry.clone() });
            }
            _ => self.print(entry),
        }
    }

    /// Returns the file of a shader's code.
    fn shader(&mut self, code: &Arc<[u32]>) -> String {
        let next = self.shaders.len();
        let number = *self.shaders.entry(Arc::clone(code)).or_insert(next);
        if number == next {
            self.printed.shaders.push(Arc::clone(code));
        }
        shader_file(&self.file, number)
    }

    fn signal(&mut self, device: DeviceKey, semaphore: SemaphoreKey, value: Option<u64>) {
        let known = self.signalled.entry((device, semaphore)).or_default();
        *known = (*known).max(value.unwrap_or(0));
    }

    /// Says whether a wait stands in the listing.
    fn keeps(&mut self, device: DeviceKey, semaphore: SemaphoreKey, value: Option<u64>) -> bool {
        let key = (device, semaphore);
        match value {
            _ if !self.is_excerpt => true,
            None => self.signalled.remove(&key).is_some(),
            Some(value) => {
                let reached = self.signalled.get(&key).is_some_and(|known| *known >= value);
                reached || !self.has_lost_calls
            }
        }
    }

    fn print(&mut self, entry: &Entry) {
        for line in self.printer.entry(entry) {
            self.line(&line);
        }
    }
}
