//! What the tests share.

pub mod harness;
