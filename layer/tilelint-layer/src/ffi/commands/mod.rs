//! The intercepted commands, by chapter of the specification.

pub(super) mod command_buffer;
pub(super) mod device;
pub(super) mod instance;
pub(super) mod label;
