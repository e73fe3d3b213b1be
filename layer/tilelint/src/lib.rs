//! tilelint library.
#![forbid(unsafe_code)]
