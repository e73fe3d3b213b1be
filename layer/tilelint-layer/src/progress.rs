//! A small file that says how far the run is, for whoever waits for it.

use crate::output::Output;
use std::time::{Duration, Instant};
use tilelint::session::Session;

/// The file is rewritten at most this often.
const INTERVAL: Duration = Duration::from_millis(250);

/// When it was last written.
#[derive(Default)]
pub(crate) struct Progress {
    last: Option<Instant>,
    /// Findings told so far.
    n_findings: usize,
}

impl Progress {
    /// Findings were told.
    pub(crate) fn found(&mut self, n_findings: usize) {
        self.n_findings += n_findings;
    }

    /// A frame ended: says so, unless that was done just now.
    pub(crate) fn frame(&mut self, session: &Session, output: &mut Output) {
        if self.last.is_none_or(|last| last.elapsed() >= INTERVAL) {
            self.last = Some(Instant::now());
            self.write(session, output);
        }
    }

    /// Says where the run is now.
    pub(crate) fn write(&self, session: &Session, output: &mut Output) {
        let frames: u64 = session.devices().iter().map(|device| device.frames_seen()).sum();
        let (passes, findings) = (session.n_passes(), self.n_findings);
        let text =
            format!("{{\"frames\": {frames}, \"passes\": {passes}, \"findings\": {findings}}}\n");
        output.write_progress(&text);
    }
}
