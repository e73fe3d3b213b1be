//! What the analysis thread does with the calls: the library's session and its output.

use crate::capture::Outbox;
use crate::session::Flush;
use std::sync::Arc;
use tilelint::call::{DeviceKey, Entry};

/// The library's session and where its output goes.
pub(crate) struct Analysis {
    n_entries: u64,
}

impl Analysis {
    pub(crate) fn new() -> Analysis {
        Analysis { n_entries: 0 }
    }

    /// Takes one call.
    pub(crate) fn apply(&mut self, entry: Entry) {
        self.n_entries += 1;
        if std::env::var_os("TILELINT_TRACE").is_some() {
            eprintln!("{entry:?}");
        }
    }

    pub(crate) fn add_device(&mut self, _key: DeviceKey, _outbox: Arc<Outbox>) {}
    pub(crate) fn device_silenced(&mut self, _key: DeviceKey) {}
    pub(crate) fn flush(&mut self, _why: Flush) {}
}
