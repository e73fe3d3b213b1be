//! The layer `VK_LAYER_TILELINT_lint`.
//!
//! [`ffi`] is the line to C and the only place with unsafe code; [`capture`] turns what the calls
//! show into the library's calls; [`session`] feeds them to the library and writes its output.

// Nothing calls the exports in unit tests.
#![cfg_attr(test, allow(dead_code))]
#![deny(unsafe_code)]
#![allow(non_snake_case, reason = "the library must be called libVkLayer_tilelint.so")]

mod analysis;
mod api_time;
mod capture;
mod clock;
#[allow(unsafe_code, reason = "the line to C")]
mod ffi;
mod handles;
mod log;
mod message;
mod output;
mod progress;
mod queue;
mod recording;
mod session;
mod settings;
