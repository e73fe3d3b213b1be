//! What the tests share.

pub mod harness;
pub mod page;
