//! Lines of a listing, cut into words.

use std::ops::Range;

use super::ParseError;

/// Longest line, in bytes.
pub(super) const LINE_BYTES: usize = 4096;

/// A word or a `key=value`; columns count bytes from 0.
#[derive(Clone, Debug)]
pub(super) struct Token {
    /// Key; empty for a word without one.
    pub key: String,
    /// The value, or the word.
    pub value: String,
    /// Column of the key or word.
    pub column: usize,
    /// Column of the value.
    pub value_column: usize,
}

/// A line that is not blank.
#[derive(Clone, Debug)]
pub(super) struct Lexed {
    /// Number from 1.
    pub line: u32,
    /// First word.
    pub verb: String,
    /// Column of the first word.
    pub column: usize,
    /// What follows it.
    pub tokens: Vec<Token>,
}

impl Lexed {
    /// The value of a key, as written.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.tokens.iter().find(|t| t.key == key).map(|t| t.value.as_str())
    }

    /// The words without a key.
    pub fn words(&self) -> impl Iterator<Item = &Token> {
        self.tokens.iter().filter(|t| t.key.is_empty())
    }

    /// An error at a column of this line.
    pub fn error(&self, column: usize, message: impl Into<String>) -> ParseError {
        ParseError {
            line: self.line,
            column: column as u32,
            message: message.into(),
            nearest: None,
            valid: Vec::new(),
        }
    }
}

/// Byte ranges of the words of a line, and where its comment begins.
pub(crate) fn spans(line: &str) -> Vec<Range<usize>> {
    let bytes = line.as_bytes();
    let mut spans = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if bytes[at] == b'#' {
            break;
        }
        let start = at;
        let mut quoted = false;
        while at < bytes.len() && (quoted || !bytes[at].is_ascii_whitespace()) {
            match bytes[at] {
                b'\\' if quoted => at += 1,
                b'"' => quoted = !quoted,
                _ => {}
            }
            at += 1;
        }
        spans.push(start..at.min(bytes.len()));
    }
    spans
}

/// Cuts one line; `None` where it is blank or a comment.
pub(super) fn lex(text: &str, line: u32) -> Result<Option<Lexed>, ParseError> {
    let mut lexed = Lexed { line, verb: String::new(), column: 0, tokens: Vec::new() };
    if text.len() > LINE_BYTES {
        return Err(lexed.error(LINE_BYTES, format!("a line has at most {LINE_BYTES} bytes")));
    }
    for span in spans(text) {
        let word = &text[span.clone()];
        if lexed.verb.is_empty() {
            lexed.verb = word.to_owned();
            lexed.column = span.start;
            continue;
        }
        let (key, value, value_column) = match key_end(word) {
            Some(end) => (&word[..end], &word[end + 1..], span.start + end + 1),
            None => ("", word, span.start),
        };
        if value.is_empty() {
            return Err(lexed.error(value_column, format!("`{key}` has no value")));
        }
        if !key.is_empty() && lexed.value(key).is_some() {
            return Err(lexed.error(span.start, format!("`{key}` is given twice")));
        }
        lexed.tokens.push(Token {
            key: key.to_owned(),
            value: value.to_owned(),
            column: span.start,
            value_column,
        });
    }
    Ok(if lexed.verb.is_empty() { None } else { Some(lexed) })
}

/// Where the key of `key=value` ends.
fn key_end(word: &str) -> Option<usize> {
    let end = word.find('=')?;
    let key =
        word[..end].bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    let wrong_case = word[..end].bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
    (end > 0 && (key || wrong_case)).then_some(end)
}

/// Returns the bytes of `key=value` in a line of a listing, without the line's comment.
pub fn key_span(line: &str, key: &str) -> Option<Range<usize>> {
    spans(line)
        .into_iter()
        .skip(1)
        .find(|span| line[span.clone()].strip_prefix(key).is_some_and(|r| r.starts_with('=')))
}
