//! The end of a process that destroys nothing: what is known is still written.

use super::guard;
use crate::session;
use once_cell::sync::OnceCell;

/// Registers the handler, once. The library is pinned, so its code is there at exit.
pub(super) fn register() {
    static DONE: OnceCell<()> = OnceCell::new();
    DONE.get_or_init(|| {
        // SAFETY: C8 - the handler is a function of this library, which stays in memory.
        let _ = unsafe { libc::atexit(at_exit) };
    });
}

extern "C" fn at_exit() {
    guard::run_without_device("exit", session::process_exits);
}
