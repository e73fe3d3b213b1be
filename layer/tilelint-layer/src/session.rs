//! The analysis thread.

/// The last words of an instance.
pub(crate) fn instance_ends() {}
