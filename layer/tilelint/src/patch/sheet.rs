//! The lines of a listing while edits change them.

use crate::call::Line;
use crate::call::listing::{key_span, word_spans};
use crate::rule::identifier;

use super::list;

/// Verbs that open a block.
const BLOCKS: [&str; 4] = ["renderpass", "pass", "commands", "repeat"];
/// Keys of an `attach` line that say how its content ends.
const ENDS: [&str; 9] = [
    "store",
    "stencil_store",
    "final",
    "resolve",
    "resolve_mode",
    "stencil_resolve_mode",
    "resolve_layout",
    "stencil_layouts",
    "as",
];

/// A line; those that an edit wrote have no number.
#[derive(Clone, Debug)]
pub(super) struct Row {
    number: u32,
    text: String,
}

impl Row {
    fn word(&self, index: usize) -> &str {
        word_spans(&self.text).into_iter().nth(index).map_or("", |span| &self.text[span])
    }

    fn verb(&self) -> &str {
        self.word(0)
    }

    /// Its subject, without a subresource.
    fn subject(&self) -> &str {
        let word = self.word(1);
        if word.contains('=') { "" } else { word.split('@').next().unwrap_or_default() }
    }
}

/// The lines.
pub(super) struct Sheet {
    rows: Vec<Row>,
}

impl Sheet {
    pub fn new(text: &str) -> Self {
        let rows = text.lines().zip(1..);
        Self { rows: rows.map(|(text, number)| Row { number, text: text.to_owned() }).collect() }
    }

    pub fn text(&self) -> String {
        self.rows.iter().map(|row| format!("{}\n", row.text)).collect()
    }

    /// The row of a line of the listing.
    pub fn of_line(&self, line: Line) -> Result<usize, String> {
        if line.0 == 0 {
            return Err("it stands in no line of a listing".to_owned());
        }
        let found = self.rows.iter().position(|row| row.number == line.0);
        found.ok_or_else(|| format!("line {} is gone", line.0))
    }

    /// The row that declares an object. An image of a swapchain is declared by the swapchain.
    pub fn declares(&self, verbs: &[&str], name: &str) -> Option<usize> {
        let of = |name: &str| {
            self.rows.iter().position(|row| verbs.contains(&row.verb()) && row.subject() == name)
        };
        of(&identifier(name)).or_else(|| of(&self.own_words(name)))
    }

    /// Words with the names of a swapchain's images replaced by the swapchain's: the listing
    /// means the acquired one.
    pub fn own_words(&self, words: &str) -> String {
        let chains = self.rows.iter().filter(|row| row.verb() == "swapchain");
        let chains: Vec<&str> = chains.map(Row::subject).collect();
        let named = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        let own = |word: &str| match word.rsplit_once('.') {
            Some((chain, image)) if chains.contains(&chain) && image.parse::<u32>().is_ok() => {
                chain.to_owned()
            }
            _ => word.to_owned(),
        };
        let mut out = String::with_capacity(words.len());
        let mut rest = words;
        while !rest.is_empty() {
            let end = rest.find(|c| !named(c)).unwrap_or(rest.len());
            out += &own(&rest[..end]);
            let next = rest[end..].find(named).map_or(rest.len(), |next| end + next);
            out += &rest[end..next];
            rest = &rest[next..];
        }
        out
    }

    /// The last row of what begins here.
    pub fn end(&self, at: usize) -> usize {
        if !BLOCKS.contains(&self.rows[at].verb()) {
            // Barriers of one call have a line each.
            let joined = |row: &usize| self.rows.get(*row).is_some() && self.is_joined(*row);
            return (at + 1..).take_while(joined).last().unwrap_or(at);
        }
        let mut depth = 0i32;
        for (index, row) in self.rows.iter().enumerate().skip(at) {
            match row.verb() {
                "end" => depth -= 1,
                verb if BLOCKS.contains(&verb) => depth += 1,
                _ => {}
            }
            if depth == 0 {
                return index;
            }
        }
        self.rows.len() - 1
    }

    /// The innermost block of a kind around a row.
    fn around(&self, at: usize, verbs: &[&str]) -> Option<usize> {
        (0..at).rev().find(|i| verbs.contains(&self.rows[*i].verb()) && self.end(*i) > at)
    }

    pub fn indent(&self, at: usize) -> String {
        let text = &self.rows[at].text;
        text[..text.len() - text.trim_start().len()].to_owned()
    }

    /// The value of a key of a row.
    pub fn value(&self, at: usize, key: &str) -> Option<String> {
        let span = key_span(&self.rows[at].text, key)?;
        self.rows[at].text.get(span.start + key.len() + 1..span.end).map(str::to_owned)
    }

    /// Gives a key of a row a value, or takes it away.
    pub fn set_value(&mut self, at: usize, key: &str, value: Option<&str>) {
        let text = &mut self.rows[at].text;
        match (key_span(text, key), value) {
            (Some(span), Some(value)) => text.replace_range(span, &format!("{key}={value}")),
            (Some(span), None) => {
                let space = text[..span.start].trim_end().len();
                text.replace_range(space..span.end, "");
            }
            (None, Some(value)) => {
                let end = word_spans(text).last().map_or(0, |span| span.end);
                text.insert_str(end, &format!(" {key}={value}"));
            }
            (None, None) => {}
        }
    }

    fn is_joined(&self, at: usize) -> bool {
        self.value(at, "joined").is_some_and(|joined| joined == "on")
    }

    /// Removes what begins here.
    pub fn remove(&mut self, at: usize) -> Vec<Row> {
        let end = self.end(at);
        self.rows.drain(at..=end).collect()
    }

    pub fn insert(&mut self, at: usize, rows: Vec<Row>) {
        self.rows.splice(at..at, rows);
    }

    /// Inserts rows as deep as another row is.
    pub fn insert_like(&mut self, at: usize, mut rows: Vec<Row>, like: usize) {
        indent_as(&mut rows, &self.indent(like));
        self.insert(at, rows);
    }

    /// Inserts lines at a depth; `\n` stands between them.
    pub fn insert_text(&mut self, at: usize, indent: &str, text: &str) {
        let rows = text.split('\n').map(|line| Row { number: 0, text: format!("{indent}{line}") });
        self.insert(at, rows.collect());
    }

    /// Puts lines in the place of what begins here; `\n` stands between them.
    pub fn replace(&mut self, at: usize, text: &str) {
        let indent = self.indent(at);
        self.remove(at);
        self.insert_text(at, &indent, text);
    }

    /// The row of the attachment's own `attach`. A resolve target may be named only by the
    /// attachment that is resolved: it gets the line that it has by default.
    pub fn own_attach(&mut self, at: usize, name: &str) -> usize {
        let name = self.own_words(name);
        let resolves = self.value(at, "resolve").is_some_and(|to| base(&to) == name);
        if self.rows[at].verb() != "attach" || self.rows[at].subject() == name || !resolves {
            return at;
        }
        let target = self.value(at, "resolve").unwrap_or(name);
        let end = if self.value(at, "stencil_resolve_mode").is_some() {
            " stencil_store=STORE"
        } else {
            ""
        };
        let indent = self.indent(at);
        let line = format!("attach {target} load=DONT_CARE store=STORE{end} as=resolve");
        self.insert_text(at + 1, &indent, &line);
        at + 1
    }

    /// Leaves an attachment out of its pass.
    pub fn leave_out(&mut self, at: usize, name: &str) -> Result<(), String> {
        let name = self.own_words(name);
        if self.rows[at].verb() != "attach" {
            return Err("no `attach` line is its own".to_owned());
        }
        let resolves = self.value(at, "resolve").is_some_and(|to| base(&to) == name);
        if self.rows[at].subject() != name && resolves {
            for key in ["resolve", "resolve_mode", "stencil_resolve_mode"] {
                self.set_value(at, key, None);
            }
            return Ok(());
        }
        let block = self.around(at, &["pass", "renderpass"]).ok_or("it stands in no pass")?;
        if self.rows[block].verb() == "renderpass" {
            return Err("framebuffers were made with its render pass".to_owned());
        }
        let label = self.value(at, "label").unwrap_or(name);
        self.remove(at);
        for row in block..self.end(block) {
            if self.rows[row].verb() != "subpass" {
                continue;
            }
            for key in ["color", "input", "resolve", "preserve", "depth", "depth_resolve"] {
                let Some(now) = self.value(row, key) else { continue };
                if !now.split(',').any(|entry| entry.split(':').next() == Some(label.as_str())) {
                    continue;
                }
                let left = list::reference(&now, &label, "UNUSED");
                self.set_value(row, key, (!left.is_empty()).then_some(left.as_str()));
            }
        }
        Ok(())
    }

    /// Gives an image memory of a kind, or a place in an allocation.
    pub fn set_memory(&mut self, at: usize, name: &str, to: &str) -> Result<(), String> {
        let subject = identifier(name);
        let bound = |row: &Row| row.verb() == "bind" && row.subject() == subject;
        if let Some(bind) = self.rows.iter().position(bound) {
            self.remove(bind);
        }
        let at = self.declares(&["image"], name).unwrap_or(at);
        let kind = match to {
            "LAZILY_ALLOCATED" => Some("lazy"),
            "DEVICE_LOCAL" => None,
            place if place.contains('+') => {
                let indent = self.indent(at);
                self.insert_text(at + 1, &indent, &format!("bind {subject} memory={place}"));
                Some("none")
            }
            other => return Err(format!("`{other}` is no kind of memory")),
        };
        self.set_value(at, "memory", kind);
        Ok(())
    }

    /// Makes one pass of two: the draws of the second follow those of the first, and what both
    /// have ends as in the second.
    pub fn join(&mut self, from: usize, into: usize) -> Result<(), String> {
        let described = |row: &Row| ["subpass", "dependency"].contains(&row.verb());
        for at in [from, into] {
            let end = self.end(at);
            if self.rows[at].verb() != "pass" || self.value(at, "of").is_some() {
                return Err("it is no pass that describes itself".to_owned());
            }
            if self.rows[at..end].iter().any(described) {
                return Err("one of the two has subpasses".to_owned());
            }
        }
        if from < into {
            return Err("it comes first".to_owned());
        }
        let rows = self.remove(from);
        let (attached, drawn): (Vec<Row>, Vec<Row>) =
            rows[1..rows.len() - 1].iter().cloned().partition(|row| row.verb() == "attach");
        self.insert(self.end(into), drawn);
        for row in attached {
            self.attach_too(into, row);
        }
        Ok(())
    }

    fn attach_too(&mut self, pass: usize, row: Row) {
        let own = |sheet: &Self, at: usize| {
            sheet.rows[at].verb() == "attach" && sheet.rows[at].word(1) == row.word(1)
        };
        let range = pass..self.end(pass);
        match range.clone().find(|at| own(self, *at)) {
            Some(at) => {
                for key in ENDS {
                    let span = key_span(&row.text, key);
                    let value =
                        span.map(|span| row.text[span.start + key.len() + 1..span.end].to_owned());
                    self.set_value(at, key, value.as_deref());
                }
            }
            None => {
                let mut attached = range.rev();
                let last = attached.find(|at| self.rows[*at].verb() == "attach").unwrap_or(pass);
                self.insert(last + 1, vec![row]);
            }
        }
    }

    /// Keeps only the first occurrence of lines: where a `repeat` repeats them, its first round is
    /// written out, and the others do without them.
    pub fn once(&mut self, lines: &[u32]) -> Result<(), String> {
        while let Some(at) = self.rows.iter().position(|row| lines.contains(&row.number)) {
            let Some(repeat) = self.around(at, &["repeat"]) else {
                return Err(format!("line {} is in no `repeat`", self.rows[at].number));
            };
            let end = self.end(repeat);
            let rounds: u32 = self.rows[repeat].word(1).parse().unwrap_or(0);
            let mut first: Vec<Row> = self.rows[repeat + 1..end].to_vec();
            first.iter_mut().for_each(|row| row.number = 0);
            indent_as(&mut first, &self.indent(repeat));
            let left = rounds.saturating_sub(1);
            let mut rest: Vec<Row> = Vec::new();
            if left > 0 {
                rest = self.rows[repeat..=end].to_vec();
                rest[0].text = format!("{}repeat {left}", self.indent(repeat));
                rest.retain(|row| !lines.contains(&row.number));
            }
            first.extend(rest);
            self.rows.splice(repeat..=end, first);
        }
        Ok(())
    }
}

/// Indents rows so that the first is as deep as asked, and the others keep their depth below it.
fn indent_as(rows: &mut [Row], indent: &str) {
    let depth = |text: &str| text.len() - text.trim_start().len();
    let now = rows.first().map_or(0, |row| depth(&row.text));
    for row in rows {
        let more = depth(&row.text).saturating_sub(now);
        row.text = format!("{indent}{:more$}{}", "", row.text.trim_start());
    }
}

/// The image of `NAME@mip/layer`.
fn base(value: &str) -> &str {
    value.split(['@', ':']).next().unwrap_or_default()
}
