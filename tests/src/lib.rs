//! What the tests share.

pub mod cases;
mod driven;
pub mod fixes;
pub mod flat;
pub mod harness;
pub mod page;
pub mod pieces;
pub mod played;
