//! Findings and passes as text and as JSON: what the layer and the tool write.
//!
//! [`build`] makes a [`Report`] of a session; everything but the text of single findings is
//! written from that, so that the tool can write the same from a file.

mod api_time;
mod budget;
mod build;
mod figures;
mod json;
mod passes;
mod schema;
mod spans;
mod summary;
mod table;
mod text;

pub use api_time::{API_TIME_TITLES, api_time_table};
pub use budget::over_budget;
pub use build::{Input, build};
pub use figures::{human_bytes, human_rate};
pub use json::{ReadError, from_json, to_json};
pub use schema::*;
pub use spans::{Span, mark_span, with_file_lines};
pub use summary::summary;
pub use table::pass_table;
pub use text::Renderer;

#[cfg(test)]
mod tests;
