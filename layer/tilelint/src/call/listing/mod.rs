//! The listing (`.calls`): calls as text, one a line.
//!
//! Every verb names its keys once, in a function that reads and writes them (see `row`); the short
//! forms are expanded while reading, so that entries are full calls in order. Printing gives full
//! calls only, and reading what was printed gives the same entries.

mod build;
mod chains;
mod commands;
mod defaults;
mod device;
mod dynamic;
mod format;
mod kept;
mod lex;
mod made;
mod needs;
mod objects;
mod parse;
mod pipelines;
mod print;
mod queue;
mod record;
mod refs;
mod row;
mod scene;
mod short;
mod small;
mod specs;
mod states;
mod transfer;
mod uses;
mod value;
mod words;

use std::fmt;

pub use lex::key_span;
pub(crate) use lex::spans as word_spans;
pub use parse::{parse, parse_with_header};
pub use print::{Printer, attach_line, header_line, print, rendering_line};

use super::{Call, Entry};

/// Profiles a listing is linted for when it names none.
pub const DEFAULT_TARGETS: [&str; 3] = ["quest2", "quest3", "mali-g78"];

/// What the first line of a listing says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Version of the format: 1.
    pub version: u32,
    /// Names of the profiles to lint for.
    pub targets: Vec<String>,
    /// Number of the first frame.
    pub first_frame: u64,
    /// Calls were left out: contents start as unknown.
    pub excerpt: bool,
}

impl Default for Header {
    fn default() -> Self {
        Self {
            version: 1,
            targets: DEFAULT_TARGETS.map(str::to_owned).to_vec(),
            first_frame: 0,
            excerpt: false,
        }
    }
}

/// A listing that was read.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Listing {
    /// Its first line.
    pub header: Header,
    /// The calls, in order, short forms expanded.
    pub entries: Vec<Entry>,
    /// A `frame` line ends a frame; without any, frames end as in a live process.
    pub has_frames: bool,
}

impl Listing {
    /// Takes in the code of shaders: `read` gives the bytes of a file by its path relative to the
    /// listing. A file that is missing, or no SPIR-V, leaves its shader unknown.
    pub fn load_shaders(&mut self, mut read: impl FnMut(&str) -> Option<Vec<u8>>) {
        for entry in &mut self.entries {
            let Call::Shader(_, info) = &mut entry.call else { continue };
            if info.code.is_some() || info.file.is_empty() {
                continue;
            }
            let bytes = read(&info.file).unwrap_or_default();
            let (words, rest) = bytes.as_chunks::<4>();
            if rest.is_empty() && !words.is_empty() {
                info.code = Some(words.iter().map(|word| u32::from_le_bytes(*word)).collect());
            }
        }
    }
}

/// Why a listing cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 0; shown from 1.
    pub column: u32,
    /// What is wrong.
    pub message: String,
    /// The valid word nearest to the one that is not valid.
    pub nearest: Option<String>,
    /// All valid words; empty where it is not about a word.
    pub valid: Vec<String>,
}

impl ParseError {
    fn nowhere(message: impl Into<String>) -> Self {
        let message = message.into();
        Self { line: 0, column: 0, message, nearest: None, valid: Vec::new() }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column + 1, self.message)?;
        if let Some(nearest) = &self.nearest {
            write!(f, "; did you mean {nearest:?}?")?;
        }
        match (self.nearest.is_some(), self.valid.is_empty()) {
            (_, true) => Ok(()),
            (true, false) => write!(f, " valid: {}", self.valid.join(", ")),
            (false, false) => write!(f, "; valid: {}", self.valid.join(", ")),
        }
    }
}

impl std::error::Error for ParseError {}
