//! The layer's own health log: what went wrong inside, never findings.
//!
//! It goes through a subscriber of the layer's own scope. The process's global one is not touched:
//! it may belong to the application.

use once_cell::sync::Lazy;
use std::io::{self, Write};
use std::panic;
use tracing::Dispatch;
use tracing_subscriber::fmt;

static DISPATCH: Lazy<Dispatch> = Lazy::new(|| {
    Dispatch::new(
        fmt()
            .with_writer(|| Writer)
            .with_ansi(false)
            .without_time()
            .with_target(false)
            .with_max_level(tracing::Level::WARN)
            .finish(),
    )
});

/// Where the log and the findings go unless a file is named: standard error, on Android its log.
struct Writer;

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        write(&String::from_utf8_lossy(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes text there.
#[cfg(not(target_os = "android"))]
pub(crate) fn write(text: &str) -> io::Result<()> {
    io::stderr().lock().write_all(text.as_bytes())
}

/// Writes text there.
#[cfg(target_os = "android")]
pub(crate) fn write(text: &str) -> io::Result<()> {
    crate::ffi::logcat::write(text);
    Ok(())
}

/// Runs `work` with the layer's subscriber.
pub(crate) fn scoped<R>(work: impl FnOnce() -> R) -> R {
    tracing::dispatcher::with_default(&DISPATCH, work)
}

/// Reports that the environment is odd: the layer goes on with its defaults.
pub(crate) fn warning(text: &str) {
    quietly(|| tracing::warn!("tilelint: {text}"));
}

/// Reports a panic of the layer: its linting stops, the application's calls go on.
pub(crate) fn internal_error(command: &str, text: &str) {
    quietly(|| {
        tracing::error!("tilelint: internal error in {command}: {text}; linting stops");
    });
}

/// Writes one entry; a closed standard error must not matter.
fn quietly(write: impl FnOnce()) {
    let _ = panic::catch_unwind(panic::AssertUnwindSafe(|| scoped(write)));
}

/// Keeps the panics of this library off standard error: the guard reports them in one line. The
/// hook is that of the library's own copy of the standard library, not the application's.
pub(crate) fn install_panic_hook() {
    static DONE: Lazy<()> = Lazy::new(|| panic::set_hook(Box::new(|_| {})));
    Lazy::force(&DONE);
}
