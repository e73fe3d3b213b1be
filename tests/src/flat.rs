//! Listings as full calls, cut into top-level calls, and what is said of them.

use std::path::Path;

use tilelint::call::listing::{Listing, ParseError, parse, parse_with_header, print};
use tilelint::config::Config;
use tilelint::finding::{Finding, Level};
use tilelint::lint::lint;
use tilelint::rules;

use crate::cases::cases;
use crate::page::{listings, shader};

/// A listing of a page or a case.
pub struct Source {
    /// Where it stands.
    pub name: String,
    /// What the fence of a page says; a case says it itself.
    pub info: Option<String>,
    /// As it was written.
    pub text: String,
}

impl Source {
    /// Reads the text, or a variant of it.
    ///
    /// # Panics
    ///
    /// If it cannot be read.
    pub fn read(&self, text: &str) -> Listing {
        self.try_read(text).unwrap_or_else(|error| panic!("{}: {error}\n{text}", self.name))
    }
}

impl Source {
    /// Reads the text, or a variant of it.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn try_read(&self, text: &str) -> Result<Listing, ParseError> {
        match &self.info {
            Some(info) => parse_with_header(info, text),
            None => parse(text),
        }
    }
}

/// All listings of all pages and cases.
///
/// # Panics
///
/// If the cases cannot be read.
pub fn sources() -> Vec<Source> {
    let mut sources = Vec::new();
    for rule in rules::all() {
        for (line, info, text) in listings(rule.page) {
            let name = format!("{}:{line}", rule.name);
            sources.push(Source { name, info: Some(info), text });
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    for case in cases(&folder).expect("the folder has cases") {
        sources.push(Source { name: case.name(), info: None, text: case.text });
    }
    sources
}

/// One call at the top level: a line, or a block with its lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Its lines.
    pub lines: Vec<String>,
}

impl Block {
    /// Its first word.
    pub fn verb(&self) -> &str {
        self.words().next().unwrap_or_default()
    }

    /// Lines between its first and its last.
    pub fn inside(&self) -> &[String] {
        self.lines.get(1..self.lines.len() - 1).unwrap_or_default()
    }

    /// Words of its first line.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.lines[0].split(' ')
    }

    /// What follows its verb, if it is no key.
    pub fn subject(&self) -> Option<&str> {
        self.words().nth(1).filter(|word| !word.contains('='))
    }
}

/// A listing as full calls.
#[derive(Clone)]
pub struct Flat {
    /// Its first line.
    pub header: String,
    /// Its calls.
    pub blocks: Vec<Block>,
    /// Word of the calls that end its frames; none where their shape does.
    pub frame_end: Option<&'static str>,
}

impl Flat {
    /// Prints a listing in full calls.
    ///
    /// # Panics
    ///
    /// If printing gives no header.
    pub fn of(listing: &Listing) -> Self {
        let text = print(&listing.header, &listing.entries);
        let (header, rest) = text.split_once('\n').expect("a header");
        let blocks = blocks(rest);
        let has = |verb: &str| blocks.iter().any(|block| block.verb() == verb);
        let frame_end = ["frame", "present"].into_iter().find(|verb| has(verb));
        Self { header: header.to_owned(), blocks, frame_end }
    }

    /// The text.
    pub fn text(&self) -> String {
        let mut text = self.header.clone() + "\n";
        for line in self.blocks.iter().flat_map(|block| &block.lines) {
            text += line;
            text.push('\n');
        }
        text
    }

    /// The calls behind those that describe the first device.
    pub fn after_device(&self) -> usize {
        let describes = ["device", "memory-type", "queue"];
        let other = |block: &Block| !describes.contains(&block.verb());
        self.blocks.iter().position(other).unwrap_or(self.blocks.len())
    }

    /// A queue that can draw.
    pub fn graphics(&self) -> Option<&str> {
        let draws = |block: &&Block| {
            let flags = block.words().find_map(|word| word.strip_prefix("flags="));
            block.verb() == "queue" && flags.is_none_or(|flags| flags.contains("GRAPHICS"))
        };
        self.blocks.iter().find(draws).and_then(Block::subject)
    }

    /// Says whether all of it is about one device.
    pub fn has_one_device(&self) -> bool {
        let device = |block: &&Block| block.verb() == "device";
        let names = self.blocks.iter().filter(device).map(Block::subject);
        let mut names: Vec<_> = names.collect();
        names.dedup();
        names.len() <= 1
    }
}

/// Cuts full calls, without a header, at the top level.
///
/// # Panics
///
/// If a line that continues a block stands first.
pub fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        let verb = line.split(' ').next().unwrap_or_default();
        if open || verb == "batch" {
            blocks.last_mut().expect("a block is open").lines.push(line.to_owned());
            open &= line != "end";
        } else {
            blocks.push(Block { lines: vec![line.to_owned()] });
            open = ["commands", "renderpass"].contains(&verb);
        }
    }
    blocks
}

/// What is said of a listing with all rules on; findings quote printed lines.
///
/// # Panics
///
/// If it names an unknown target.
pub fn judge(mut listing: Listing) -> Vec<Finding> {
    listing.load_shaders(shader);
    let mut config = Config::new();
    config.take_targets(&listing.header, "listing").expect("the targets are known");
    for rule in rules::all().filter(|rule| rule.level == Level::Allow) {
        config.set_level(rule.name, Level::Warn, "test").expect("a rule and a level");
    }
    lint(&listing, None, &config, None).judged.findings
}

/// What is said of a text.
///
/// # Panics
///
/// If it cannot be read; the message holds it.
pub fn judge_text(text: &str, name: &str) -> Vec<Finding> {
    judge(parse(text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}")))
}

/// All of a finding that must not change, as text; names that count objects have no numbers.
pub fn verdict(finding: &Finding) -> String {
    let text = format!(
        "{} {:?} {:?} {:016x} {} {:?} {:?} {:?} count {} from {}, {} a frame, for {:?}, {:?} {:?}",
        finding.rule,
        finding.level,
        finding.confidence,
        finding.fingerprint,
        finding.message,
        finding.why,
        finding.assumes,
        finding.cost,
        finding.count,
        finding.first_frame,
        finding.per_frame,
        finding.targets,
        finding.notes,
        finding.by_target,
    );
    uncounted(&text)
}

/// The text with `kind.N` as `kind.#`.
fn uncounted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(dot) = rest.find('.') {
        let (head, tail) = rest.split_at(dot + 1);
        out += head;
        let digits = tail.len() - tail.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let word = head[..dot].ends_with(|c: char| c.is_ascii_lowercase());
        if word && digits != 0 {
            out.push('#');
            rest = &tail[digits..];
        } else {
            rest = tail;
        }
    }
    out + rest
}
