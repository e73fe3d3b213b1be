//! The intercepted commands, by chapter of the specification.

pub(super) mod barrier;
pub(super) mod bind;
pub(super) mod command_buffer;
pub(super) mod descriptor;
pub(super) mod device;
pub(super) mod draw;
pub(super) mod instance;
pub(super) mod label;
pub(super) mod memory;
pub(super) mod merge;
pub(super) mod object;
pub(super) mod opaque;
pub(super) mod pass;
pub(super) mod pipeline;
pub(super) mod query;
pub(super) mod queue;
pub(super) mod state;
pub(super) mod state_other;
pub(super) mod swapchain;
pub(super) mod sync;
pub(super) mod transfer;
