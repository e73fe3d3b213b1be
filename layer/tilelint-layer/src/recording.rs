//! The recording: the calls of the program's beginning as a listing, so that a verdict can be
//! repeated without the program.

use crate::log;
use std::panic::{self, AssertUnwindSafe};
use tilelint::call::Entry;
use tilelint::call::listing::{Header, Printer, header_line};
use tilelint::config::Config;

/// Lines kept; what follows is counted.
const LINE_LIMIT: u64 = 50_000;

/// The calls so far, as text.
pub(crate) struct Recording {
    printer: Printer,
    text: String,
    n_lines: u64,
    n_left_out: u64,
    has_failed: bool,
}

impl Recording {
    /// Begins a recording.
    pub(crate) fn new(config: &Config) -> Recording {
        let header = Header { targets: config.targets.value.clone(), ..Header::default() };
        Recording {
            printer: Printer::new(),
            text: format!("{}\n", header_line(&header)),
            n_lines: 1,
            n_left_out: 0,
            has_failed: false,
        }
    }

    /// Appends a call. A call that cannot be printed ends the recording, not the analysis.
    pub(crate) fn push(&mut self, entry: &Entry) {
        if self.has_failed {
            return;
        }
        if self.n_lines >= LINE_LIMIT {
            self.n_left_out += 1;
            return;
        }
        let printer = &mut self.printer;
        match panic::catch_unwind(AssertUnwindSafe(|| printer.entry(entry))) {
            Ok(lines) => {
                self.n_lines += lines.len() as u64;
                for line in lines {
                    self.text.push_str(&line);
                    self.text.push('\n');
                }
            }
            Err(payload) => {
                std::mem::forget(payload);
                self.has_failed = true;
                log::warning("a call could not be printed; there is no recording");
            }
        }
    }

    /// Returns the listing, if every call of the beginning could be printed.
    pub(crate) fn text(&self) -> Option<String> {
        if self.has_failed {
            return None;
        }
        let mut text = self.text.clone();
        if self.n_left_out > 0 {
            text.push_str(&format!("# {} calls that followed are left out\n", self.n_left_out));
        }
        Some(text)
    }
}
