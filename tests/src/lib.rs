//! What the tests share.

pub mod cases;
pub mod counted;
mod driven;
pub mod fixes;
pub mod flat;
pub mod growth;
pub mod harness;
pub mod layered;
pub mod page;
pub mod pieces;
pub mod played;
