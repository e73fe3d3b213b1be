//! Plays a listing as real Vulkan calls on whatever driver the Vulkan loader finds.
//!
//! Every entry is the call it names, in order. What is added is only what the API demands around
//! them: instance and device, pools, memory for images declared with a kind of memory, viewports
//! of pipelines whose viewport is dynamic and was not set, index and indirect buffers of draws
//! that name none.

mod error;
mod features;
mod gpu;
mod needs;
mod window;

pub mod spirv;

pub use error::Error;
