//! What the tests share.

pub mod cases;
pub mod flat;
pub mod harness;
pub mod page;
pub mod played;
