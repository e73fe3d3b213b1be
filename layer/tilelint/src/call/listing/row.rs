//! One line, read or written: every verb says its keys once, for both directions.

use super::ParseError;
use super::lex::{Lexed, Token};
use super::scene::Scene;
use super::value::{Bad, F, Value, W};
use super::words::{Bits, Word};

/// Success, or the error of a line.
pub(super) type Done<T = ()> = Result<T, ParseError>;

enum Mode<'a> {
    Read { line: &'a Lexed, used: Vec<bool>, missing: Option<&'static str> },
    Write(String),
}

/// A line whose keys are visited in print order.
pub(super) struct Row<'a> {
    pub scene: &'a mut Scene,
    mode: Mode<'a>,
    /// Keys written as `?`.
    pub unknown: Vec<&'static str>,
    valid: Vec<&'static str>,
}

impl<'a> Row<'a> {
    /// Begins to read a line.
    pub fn read(line: &'a Lexed, scene: &'a mut Scene) -> Self {
        let mode = Mode::Read { line, used: vec![false; line.tokens.len()], missing: None };
        Self { scene, mode, unknown: Vec::new(), valid: Vec::new() }
    }

    /// Begins to write a line.
    pub fn write(verb: &str, unknown: Vec<&'static str>, scene: &'a mut Scene) -> Self {
        Self { scene, mode: Mode::Write(verb.to_owned()), unknown, valid: Vec::new() }
    }

    /// Says whether the line is being read.
    pub fn reading(&self) -> bool {
        matches!(self.mode, Mode::Read { .. })
    }

    /// An error at the verb of the line.
    pub fn error(&self, message: impl Into<String>) -> ParseError {
        match &self.mode {
            Mode::Read { line, .. } => line.error(line.column, message),
            Mode::Write(_) => ParseError::nowhere(message),
        }
    }

    /// An error about the value of a key.
    pub fn bad(&self, key: &str, bad: Bad) -> ParseError {
        let Mode::Read { line, .. } = &self.mode else {
            return ParseError::nowhere(bad.message);
        };
        let token = line.tokens.iter().find(|t| t.key == key);
        from_bad(line, token.map_or(line.column, |t| t.value_column), bad)
    }

    /// Says whether a key is given.
    pub fn has(&self, key: &str) -> bool {
        match &self.mode {
            Mode::Read { line, .. } => line.value(key).is_some(),
            Mode::Write(_) => false,
        }
    }

    fn take(&mut self, key: &'static str) -> Option<Token> {
        self.valid.push(key);
        let Mode::Read { line, used, .. } = &mut self.mode else {
            return None;
        };
        let index = line.tokens.iter().position(|t| t.key == key)?;
        used[index] = true;
        Some(line.tokens[index].clone())
    }

    fn put(&mut self, key: &'static str, text: &str) {
        if let Mode::Write(out) = &mut self.mode {
            out.push(' ');
            if !key.is_empty() {
                out.push_str(key);
                out.push('=');
            }
            out.push_str(text);
        }
    }

    fn parse<T: Value>(&mut self, token: &Token) -> Done<T> {
        T::read(&token.value, self.scene).map_err(|bad| {
            let Mode::Read { line, .. } = &self.mode else {
                return ParseError::nowhere(bad.message);
            };
            from_bad(line, token.value_column, bad)
        })
    }

    /// A key; required where it has no default.
    pub fn key<T: Value>(&mut self, key: &'static str, value: &mut T, default: Option<T>) -> Done {
        if !self.reading() {
            if self.unknown.contains(&key) {
                self.put(key, "?");
            } else if default.as_ref() != Some(value) {
                let text = value.write(self.scene);
                self.put(key, &text);
            }
            return Ok(());
        }
        match (self.take(key), default) {
            (Some(token), default) if token.value == "?" => {
                self.unknown.push(key);
                if let Some(default) = default {
                    *value = default;
                }
            }
            (Some(token), _) => *value = self.parse(&token)?,
            (None, Some(default)) => *value = default,
            (None, None) => {
                if let Mode::Read { missing, .. } = &mut self.mode {
                    missing.get_or_insert(key);
                }
            }
        }
        Ok(())
    }

    /// A required key.
    pub fn req<T: Value>(&mut self, key: &'static str, value: &mut T) -> Done {
        self.key(key, value, None)
    }

    /// A key with a default.
    pub fn opt<T: Value>(&mut self, key: &'static str, value: &mut T, default: T) -> Done {
        self.key(key, value, Some(default))
    }

    /// A key that may be left out.
    pub fn maybe<T: Value>(&mut self, key: &'static str, value: &mut Option<T>) -> Done {
        if !self.reading() {
            if self.unknown.contains(&key) {
                self.put(key, "?");
            } else if let Some(value) = value {
                let text = value.write(self.scene);
                self.put(key, &text);
            }
            return Ok(());
        }
        *value = match self.take(key) {
            Some(token) if token.value == "?" => {
                self.unknown.push(key);
                None
            }
            Some(token) => Some(self.parse(&token)?),
            None => None,
        };
        Ok(())
    }

    /// A key whose unknown value is `None`.
    pub fn known<T: Value>(
        &mut self,
        key: &'static str,
        value: &mut Option<T>,
        default: Option<T>,
    ) -> Done {
        if !self.reading() {
            match value {
                None => self.put(key, "?"),
                Some(known) if default.as_ref() == Some(known) => {}
                Some(known) => {
                    let text = known.write(self.scene);
                    self.put(key, &text);
                }
            }
            return Ok(());
        }
        match self.take(key) {
            Some(token) if token.value == "?" => *value = None,
            Some(token) => *value = Some(self.parse(&token)?),
            None if default.is_some() => *value = default,
            None => {
                if let Mode::Read { missing, .. } = &mut self.mode {
                    missing.get_or_insert(key);
                }
            }
        }
        Ok(())
    }

    /// A key through another type that says how it is written.
    pub fn with<T, U: Value>(
        &mut self,
        key: &'static str,
        value: &mut T,
        default: Option<T>,
        to: impl Fn(&T) -> U,
        from: impl Fn(U) -> T,
    ) -> Done {
        let mut other = to(value);
        let default = default.map(|d| to(&d));
        self.key(key, &mut other, default)?;
        *value = from(other);
        Ok(())
    }

    /// An enumerant.
    pub fn w<T: Word>(&mut self, key: &'static str, value: &mut T, default: Option<T>) -> Done {
        self.with(key, value, default, |v| W(*v), |w| w.0)
    }

    /// Flags.
    pub fn f<T: Bits>(&mut self, key: &'static str, value: &mut T, default: Option<T>) -> Done {
        self.with(key, value, default, |v| F(*v), |f| f.0)
    }

    /// A list of enumerants.
    pub fn ws<T: Word>(
        &mut self,
        key: &'static str,
        value: &mut Vec<T>,
        default: Option<Vec<T>>,
    ) -> Done {
        let to = |v: &Vec<T>| v.iter().copied().map(W).collect::<Vec<_>>();
        self.with(key, value, default, to, |list| list.into_iter().map(|w| w.0).collect())
    }

    /// The word behind the verb, or nothing.
    pub fn word<T: Value>(&mut self, value: &mut Option<T>) -> Done {
        if !self.reading() {
            if let Some(value) = value {
                let text = value.write(self.scene);
                self.put("", &text);
            }
            return Ok(());
        }
        *value = match self.take_word() {
            Some(token) => Some(self.parse(&token)?),
            None => None,
        };
        Ok(())
    }

    /// The word behind the verb.
    pub fn subject<T: Value>(&mut self, what: &str, value: &mut T) -> Done {
        let mut word = Some(value.clone());
        self.word(&mut word)?;
        *value = word.ok_or_else(|| self.error(format!("the {what} is missing")))?;
        Ok(())
    }

    /// The word behind the verb, as it is written.
    pub fn take_word(&mut self) -> Option<Token> {
        let Mode::Read { line, used, .. } = &mut self.mode else {
            return None;
        };
        let index = (0..used.len()).find(|i| !used[*i] && line.tokens[*i].key.is_empty())?;
        used[index] = true;
        Some(line.tokens[index].clone())
    }

    /// Writes a word behind the verb.
    pub fn put_word(&mut self, text: &str) {
        self.put("", text);
    }

    /// An error at a token of the line.
    pub fn bad_token(&self, token: &Token, bad: Bad) -> ParseError {
        match &self.mode {
            Mode::Read { line, .. } => from_bad(line, token.value_column, bad),
            Mode::Write(_) => ParseError::nowhere(bad.message),
        }
    }

    /// Ends the line: every word must have been understood. Returns the text when writing.
    pub fn finish(self) -> Done<String> {
        let (line, used, missing) = match self.mode {
            Mode::Write(out) => return Ok(out),
            Mode::Read { line, used, missing } => (line, used, missing),
        };
        if let Some(index) = used.iter().position(|used| !used) {
            let token = &line.tokens[index];
            if token.key.is_empty() {
                let message = format!("{:?} has no meaning here", token.value);
                return Err(line.error(token.column, message));
            }
            let bad = Bad::word("key", &token.key, self.valid);
            return Err(from_bad(line, token.column, bad));
        }
        match missing {
            Some(key) => Err(line.error(line.column, format!("`{}` needs `{key}=`", line.verb))),
            None => Ok(String::new()),
        }
    }
}

/// An error of a value at a column of its line.
pub(super) fn from_bad(line: &Lexed, column: usize, bad: Bad) -> ParseError {
    ParseError {
        line: line.line,
        column: (column + bad.offset) as u32,
        message: bad.message,
        nearest: bad.nearest,
        valid: bad.valid,
    }
}
