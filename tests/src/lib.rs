//! What the tests share.

pub mod cases;
pub mod fixes;
pub mod harness;
pub mod page;
pub mod played;
