//! Android's system properties.

use std::ffi::{CStr, CString, c_char};

/// `PROP_VALUE_MAX`.
const VALUE_SIZE_MAX: usize = 92;

unsafe extern "C" {
    fn __system_property_get(name: *const c_char, value: *mut c_char) -> i32;
}

/// Returns a system property that is set.
pub(crate) fn read(name: &str) -> Option<String> {
    let name = CString::new(name).ok()?;
    let mut value = [0 as c_char; VALUE_SIZE_MAX];
    // SAFETY: C8 - bionic writes at most PROP_VALUE_MAX bytes, the NUL included.
    let length = unsafe { __system_property_get(name.as_ptr(), value.as_mut_ptr()) };
    if length <= 0 {
        return None;
    }
    // SAFETY: C8 - bionic ends the value with a NUL.
    let text = unsafe { CStr::from_ptr(value.as_ptr()) };
    Some(text.to_string_lossy().into_owned())
}
