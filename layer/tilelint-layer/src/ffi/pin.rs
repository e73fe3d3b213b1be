//! Keeps the library in memory once it has been used.
//!
//! Loaders close a layer with the last instance (Android's also right after enumerating), while the
//! analysis thread, exit handlers and thread-locals of the process may still need its code.

use once_cell::sync::OnceCell;
use std::ffi::c_void;
use std::mem::MaybeUninit;

/// Pins this library, once. On failure nothing happens: the loader then unloads it as it would.
pub(super) fn pin_library() {
    static DONE: OnceCell<()> = OnceCell::new();
    DONE.get_or_init(|| {
        // A private function's address: an exported one could be bound to the program's.
        let inside: *const c_void = (pin_library as fn() as *const ()).cast();
        let mut info = MaybeUninit::<libc::Dl_info>::uninit();
        // SAFETY: C8 - dladdr only reads the address and fills `info`.
        let found = unsafe { libc::dladdr(inside, info.as_mut_ptr()) };
        if found == 0 {
            return;
        }
        // SAFETY: C8 - dladdr said that it filled the structure.
        let info = unsafe { info.assume_init() };
        if info.dli_fname.is_null() {
            return;
        }
        let flags = libc::RTLD_NOW | libc::RTLD_NOLOAD | libc::RTLD_NODELETE;
        // SAFETY: C8 - the name is the linker's string; NOLOAD runs no new code. The handle
        // is dropped on purpose: closing it would not matter after NODELETE.
        let _ = unsafe { libc::dlopen(info.dli_fname, flags) };
    });
}
