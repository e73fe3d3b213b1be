//! Printing what a recording keeps.

use super::base::Base;
use super::{Frame, Shaders, Snapshot};
use rustc_hash::FxHashSet;
use std::fmt::Write as _;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use tilelint::call::listing::{Header, Printer, header_line};
use tilelint::call::{Call, DeviceKey, Entry, SemaphoreKey};

/// Prints entries; a wait for what was signalled before the first frame is left out, since
/// nothing in the listing signals it.
pub(super) struct Writer {
    printer: Printer,
    text: String,
    shaders: Shaders,
    signalled: FxHashSet<(DeviceKey, SemaphoreKey)>,
}

impl Writer {
    /// Returns the listing of a snapshot and the shaders that it names, if every call can be
    /// printed; `n_calls` were made.
    pub(super) fn listing(
        header: &Header,
        snapshot: &Snapshot,
        n_calls: u64,
    ) -> Option<(String, Shaders)> {
        let print = || {
            let mut writer = Writer {
                printer: Printer::new(),
                text: String::new(),
                shaders: Shaders::new(),
                signalled: FxHashSet::default(),
            };
            writer.snapshot(header, snapshot, n_calls);
            (writer.text, writer.shaders)
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
        let _ = writeln!(self.text, "{line}");
    }

    fn base(&mut self, base: &Base) {
        let declared = base.declared();
        self.signalled.extend(declared.signalled);
        for entry in &declared.entries {
            self.print(entry);
        }
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
                    batch.waits.retain(|wait| !self.takes_signal(entry.device, wait.semaphore));
                }
                self.print(&Entry { call: Call::Submit(submit), ..entry.clone() });
            }
            Call::Present(present) => {
                let mut present = present.clone();
                present.waits.retain(|semaphore| !self.takes_signal(entry.device, *semaphore));
                self.print(&Entry { call: Call::Present(present), ..entry.clone() });
            }
            // Measured times differ from run to run.
            Call::Wait(wait) if wait.took_ns.is_some() => {
                let mut wait = wait.clone();
                wait.took_ns = None;
                self.print(&Entry { call: Call::Wait(wait), ..entry.clone() });
            }
            Call::WaitIdle(wait) => {
                let mut wait = *wait;
                wait.took_ns = None;
                self.print(&Entry { call: Call::WaitIdle(wait), ..entry.clone() });
            }
            Call::Host(access) if access.took_ns.is_some() => {
                let mut access = access.clone();
                access.took_ns = None;
                self.print(&Entry { call: Call::Host(access), ..entry.clone() });
            }
            _ => self.print(entry),
        }
    }

    fn takes_signal(&mut self, device: DeviceKey, semaphore: SemaphoreKey) -> bool {
        self.signalled.remove(&(device, semaphore))
    }

    fn print(&mut self, entry: &Entry) {
        if let Call::Shader(_, info) = &entry.call
            && let Some(code) = info.code.as_ref().filter(|_| !info.file.is_empty())
        {
            self.shaders.push((info.file.clone(), Arc::clone(code)));
        }
        for line in self.printer.entry(entry) {
            self.line(&line);
        }
    }
}
