//! The lint library of tilelint.
//!
//! Pure functions of the calls an application made: no IO, no clock, no environment, no lock.
//! Order inside: `call`, `model`, `tiler`, `rule`, `rules`, `patch`, `config`, `engine`, `report`;
//! each uses only what stands before it. `format`, `finding` and `profile` are plain data; `spirv`
//! knows shaders and nothing else.
#![forbid(unsafe_code)]

pub mod call;
pub mod config;
pub mod engine;
pub mod finding;
pub mod format;
pub mod lint;
pub mod model;
pub mod nearest;
pub mod patch;
pub mod profile;
pub mod report;
pub mod rule;
pub mod rules;
pub mod session;
pub mod spirv;
pub mod tiler;
pub mod traffic;
