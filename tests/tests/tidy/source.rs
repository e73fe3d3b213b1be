//! The tree as text, and Rust files with comments and strings blanked out.

use std::fmt;
use std::path::Path;

use tilelint_tests::harness;

/// A text file of the repository.
pub struct File {
    /// Path from the root, with `/`.
    pub path: String,
    /// What it holds.
    pub text: String,
    /// Of a Rust file: the same text, comments and the contents of strings turned to spaces.
    /// Lines and columns stay.
    pub code: String,
    /// Of a Rust file: the first line (from 0) of a test module in it; what follows is test code.
    pub tests_from: usize,
}

impl File {
    /// Makes a file of a text, as if it lay at a path.
    pub fn new(path: &str, text: &str) -> Self {
        let code = if path.ends_with(".rs") { blank(text) } else { String::new() };
        let lines = code.lines().position(|line| line.trim() == "#[cfg(test)]");
        let inline = lines.filter(|at| {
            code.lines()
                .skip(at + 1)
                .any(|line| line.trim_start().starts_with("mod ") && !line.contains(';'))
        });
        File {
            path: path.to_owned(),
            text: text.to_owned(),
            code,
            tests_from: inline.unwrap_or(usize::MAX),
        }
    }

    /// The file stands under this folder.
    pub fn under(&self, folder: &str) -> bool {
        self.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    }

    /// It is a Rust file.
    pub fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// It holds test code alone: a test of the test package or a `tests` module.
    pub fn is_test(&self) -> bool {
        self.under("tests") || self.path.ends_with("/tests.rs") || self.path.contains("/tests/")
    }

    /// Lines of code that are no test code, with their numbers from 0.
    pub fn own_code(&self) -> impl Iterator<Item = (usize, &str)> {
        let end = if self.is_test() { 0 } else { self.tests_from };
        self.code.lines().enumerate().take_while(move |(number, _)| *number < end)
    }

    /// A place in it; lines count from 0 here and from 1 where people read them.
    pub fn at(&self, line: usize) -> String {
        format!("{}:{}", self.path, line + 1)
    }

    /// Functions with a body: name, first and last line (from 0), and the body's code.
    pub fn functions(&self) -> Vec<Function<'_>> {
        let mut functions = Vec::new();
        for (start, _) in words(&self.code, "fn") {
            let rest = &self.code[start + 2..];
            let name: String = rest
                .trim_start()
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            // `fn(u32)` is a type; a declaration ends before a body opens.
            let Some(open) = body(rest) else { continue };
            if name.is_empty() {
                continue;
            }
            let open = start + 2 + open;
            let close = closing(&self.code, open);
            functions.push(Function {
                name,
                first: line_of(&self.code, start),
                last: line_of(&self.code, close),
                body: &self.code[open + 1..close],
            });
        }
        functions
    }
}

/// A function with a body.
pub struct Function<'a> {
    pub name: String,
    pub first: usize,
    pub last: usize,
    pub body: &'a str,
}

/// Where the body of a function opens, seen from behind its `fn`.
fn body(code: &str) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, c) in code.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '{' if depth == 0 => return Some(at),
            ';' | ',' | '}' | '=' if depth == 0 => return None,
            _ if depth < 0 => return None,
            _ => {}
        }
    }
    None
}

/// The brace that closes the one at `open`.
pub fn closing(code: &str, open: usize) -> usize {
    let mut depth = 0_u32;
    for (at, c) in code[open..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return open + at,
            '}' => depth -= 1,
            _ => {}
        }
    }
    code.len()
}

/// The line (from 0) of an offset.
pub fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count()
}

/// Places where `word` stands alone: offset and line.
pub fn words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = (usize, usize)> + 'a {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .filter(move |(at, _)| {
            !text[..*at].ends_with(part) && !text[at + word.len()..].starts_with(part)
        })
        .map(|(at, _)| (at, line_of(text, at)))
}

/// All text files of the repository, sorted by path; build output and hidden folders are left out
/// (but for `.ci`).
pub fn tree() -> Vec<File> {
    let root = harness::root();
    let mut files = Vec::new();
    walk(&root, &root, &mut files);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(files.len() > 100, "the repository's root is wrong: {}", root.display());
    files
}

fn walk(root: &Path, folder: &Path, files: &mut Vec<File>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the repository can be read") {
        let entry = entry.expect("a folder of the repository can be read");
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type().expect("the kind of a file is known");
        let skipped =
            name == "target" || name == "shared" || name.starts_with('.') && name != ".ci";
        if kind.is_dir() && !skipped {
            walk(root, &entry.path(), files);
        } else if kind.is_file() {
            let Ok(text) = std::fs::read_to_string(entry.path()) else { continue };
            let full = entry.path();
            let path = full.strip_prefix(root).expect("the walk stays under the root");
            files.push(File::new(&path.to_string_lossy().replace('\\', "/"), &text));
        }
    }
}

/// What is wrong, each with its place.
#[derive(Default)]
pub struct Wrong(Vec<String>);

impl Wrong {
    /// Notes something.
    pub fn add(&mut self, place: impl fmt::Display, what: impl fmt::Display) {
        self.0.push(format!("{place}: {what}"));
    }

    /// Fails if anything was noted, and lists it.
    #[track_caller]
    pub fn check(self) {
        let list = self.0.join("\n");
        assert!(self.0.is_empty(), "{} places break the rule:\n{list}", self.0.len());
    }
}

/// Turns comments and the contents of strings and characters to spaces.
pub fn blank(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after_word = out.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let length = match c {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => block_comment(rest),
            '"' => string(rest, 0),
            'b' | 'c' | 'r' if !after_word => prefixed(rest),
            '\'' => character(rest),
            _ => 0,
        };
        if length == 0 {
            out.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let (gone, left) = rest.split_at(length);
        let quoted = !gone.starts_with('/');
        let ends = [0, gone.len() - 1];
        for (at, c) in gone.char_indices() {
            let keep = c == '\n' || quoted && ends.contains(&at) && (c == '"' || c == '\'');
            out.extend(std::iter::repeat_n(
                if keep { c } else { ' ' },
                if keep { 1 } else { c.len_utf8() },
            ));
        }
        rest = left;
    }
    out
}

fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// Length of a string whose opening quote stands at `quote`.
fn string(text: &str, quote: usize) -> usize {
    let mut escaped = false;
    for (at, c) in text[quote + 1..].char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return quote + 1 + at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Length of `r"…"`, `r#"…"#`, `b"…"`, `c"…"`, `br"…"`, `b'…'`; 0 if it is something else.
fn prefixed(text: &str) -> usize {
    let letters = text.find(|c| !"bcr".contains(c)).unwrap_or(text.len()).min(2);
    let rest = &text[letters..];
    if text[..letters].contains('r') {
        let hashes = rest.find(|c| c != '#').unwrap_or(0);
        if !rest[hashes..].starts_with('"') {
            return 0;
        }
        let end = format!("\"{}", "#".repeat(hashes));
        let start = letters + hashes + 1;
        return text[start..].find(&end).map_or(text.len(), |at| start + at + end.len());
    }
    match rest.chars().next() {
        Some('"') => string(text, letters),
        Some('\'') if letters == 1 && text.starts_with('b') => letters + character(rest),
        _ => 0,
    }
}

/// Length of a character; 0 for a lifetime.
fn character(text: &str) -> usize {
    let inner = &text[1..];
    if let Some(escape) = inner.strip_prefix('\\') {
        return escape[1..].find('\'').map_or(0, |at| 3 + at + 1);
    }
    let Some(c) = inner.chars().next() else { return 0 };
    if inner[c.len_utf8()..].starts_with('\'') { 1 + c.len_utf8() + 1 } else { 0 }
}
