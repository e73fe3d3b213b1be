//! What the analysis thread does with the calls: the library's session and its output.

use crate::capture::Outbox;
use crate::session::Flush;
use std::sync::Arc;
use tilelint::call::{DeviceKey, Entry};
use tilelint::config::Config;
use tilelint::session::Session;

/// The library's session and where its output goes.
pub(crate) struct Analysis {
    config: Config,
    session: Session,
    outboxes: Vec<(DeviceKey, Arc<Outbox>)>,
}

impl Analysis {
    /// Begins a session under these settings.
    pub(crate) fn new(config: Config) -> Analysis {
        Analysis { session: config.session(), config, outboxes: Vec::new() }
    }

    /// Takes one call.
    pub(crate) fn apply(&mut self, entry: Entry) {
        for f in self.session.apply(&entry) {
            eprintln!("{f:#?}");
        }
    }

    pub(crate) fn add_device(&mut self, key: DeviceKey, outbox: Arc<Outbox>) {
        self.outboxes.push((key, outbox));
    }
    pub(crate) fn device_silenced(&mut self, _key: DeviceKey) {}
    pub(crate) fn flush(&mut self, _why: Flush) {
        for f in self.session.finish() {
            eprintln!("{f:#?}");
        }
    }
}
