//! Reports as JSON text.

use std::fmt;

use super::schema::{Report, SCHEMA, VERSION};

/// Why a text is no report.
#[derive(Debug)]
pub enum ReadError {
    /// It is no JSON, or a key has the wrong type.
    Json(serde_json::Error),
    /// It is something else.
    Schema(String),
    /// It was written by a newer tool.
    Version(u32),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => write!(f, "it cannot be read as JSON: {error}"),
            Self::Schema(found) => write!(f, "its schema is `{found}`, not `{SCHEMA}`"),
            Self::Version(found) => {
                write!(f, "its version is {found}; this tool reads {VERSION} and older")
            }
        }
    }
}

impl std::error::Error for ReadError {}

/// Writes a report; the same report always gives the same bytes.
pub fn to_json(report: &Report) -> String {
    let mut text = serde_json::to_string_pretty(report)
        .expect("the schema has string keys and no type that can fail");
    text.push('\n');
    text
}

/// Reads a report.
///
/// # Errors
///
/// That the text is no JSON, no report, or newer than this reader.
pub fn from_json(text: &str) -> Result<Report, ReadError> {
    let report: Report = serde_json::from_str(text).map_err(ReadError::Json)?;
    if report.schema != SCHEMA {
        return Err(ReadError::Schema(report.schema));
    }
    if report.version > VERSION {
        return Err(ReadError::Version(report.version));
    }
    Ok(report)
}
