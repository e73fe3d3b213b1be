//! Android's log: an application's standard error goes nowhere there.

use std::ffi::{CString, c_char, c_int};

/// `ANDROID_LOG_WARN`.
const WARN: c_int = 5;
/// A longer line is cut by the system.
const LINE_SIZE_MAX: usize = 1000;

#[link(name = "log")]
unsafe extern "C" {
    fn __android_log_write(priority: c_int, tag: *const c_char, text: *const c_char) -> c_int;
}

/// Writes text under the layer's tag, line by line.
pub(crate) fn write(text: &str) {
    for line in text.lines() {
        let mut end = line.len().min(LINE_SIZE_MAX);
        while !line.is_char_boundary(end) {
            end -= 1;
        }
        let Ok(line) = CString::new(&line[..end]) else { continue };
        // SAFETY: C8 - both strings live for the call.
        unsafe { __android_log_write(WARN, c"tilelint".as_ptr(), line.as_ptr()) };
    }
}
