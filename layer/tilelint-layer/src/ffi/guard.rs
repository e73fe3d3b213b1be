//! Nothing that goes wrong in the layer reaches the application: every entry runs in a guard.

use super::registry::Device;
use crate::log;
use std::any::Any;
use std::panic::{self, AssertUnwindSafe};

/// Runs `look` unless linting is off for `device`; a panic turns it off.
///
/// Returns `None` where nothing was run to its end. It is part of its callers: what a command costs
/// on top of the driver is mostly the way to its body.
#[inline(always)]
pub(super) fn run<R>(device: &Device, command: &str, look: impl FnOnce() -> R) -> Option<R> {
    if device.is_linting() { guarded(device, command, look) } else { None }
}

/// As [`run`], also where linting is off: what was kept of a handle must not outlive it.
pub(super) fn run_always<R>(device: &Device, command: &str, look: impl FnOnce() -> R) {
    guarded(device, command, look);
}

/// As [`run`], where nothing but `look` has to be done; `false` where it was not run to its end.
#[inline(always)]
pub(super) fn run_quickly(device: &Device, command: &str, look: impl FnOnce() -> bool) -> bool {
    device.is_quick() && guarded(device, command, look) == Some(true)
}

#[inline(always)]
fn guarded<R>(device: &Device, command: &str, look: impl FnOnce() -> R) -> Option<R> {
    match panic::catch_unwind(AssertUnwindSafe(|| {
        provoke(command);
        look()
    })) {
        Ok(value) => Some(value),
        Err(payload) => {
            failed(device, command, payload);
            None
        }
    }
}

#[cold]
#[inline(never)]
fn failed(device: &Device, command: &str, payload: Box<dyn Any + Send>) {
    if device.silence() {
        log::internal_error(command, &text(payload));
    } else {
        std::mem::forget(payload);
    }
}

/// Runs `look` where there is no device; a panic is reported and ends there.
pub(super) fn run_without_device<R>(command: &str, look: impl FnOnce() -> R) -> Option<R> {
    match panic::catch_unwind(AssertUnwindSafe(|| {
        provoke(command);
        look()
    })) {
        Ok(value) => Some(value),
        Err(payload) => {
            log::internal_error(command, &text(payload));
            None
        }
    }
}

/// Returns the words of a panic. The payload is leaked, since dropping it could panic again.
fn text(payload: Box<dyn Any + Send>) -> String {
    let words = payload
        .downcast_ref::<&str>()
        .map(|words| (*words).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned());
    std::mem::forget(payload);
    words.unwrap_or_else(|| "a panic without words".to_owned())
}

/// Panics in the command that `TILELINT_DEBUG_PANIC` names, so that tests can see the guard hold.
#[cfg(debug_assertions)]
fn provoke(command: &str) {
    use once_cell::sync::Lazy;
    static COMMAND: Lazy<Option<String>> = Lazy::new(|| std::env::var("TILELINT_DEBUG_PANIC").ok());
    if COMMAND.as_deref() == Some(command) {
        panic!("asked for by TILELINT_DEBUG_PANIC");
    }
}

#[cfg(not(debug_assertions))]
#[inline(always)]
fn provoke(_command: &str) {}
