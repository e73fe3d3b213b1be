//! tilelint library.
#![forbid(unsafe_code)]

pub mod format;
pub mod profile;
pub mod tiler;
