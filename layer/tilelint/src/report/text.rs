//! One finding as text, in the look of the Rust compiler.

use std::fmt::Write as _;

use super::figures::{human_bytes, human_rate};
use super::spans::{Span, mark_span};
use crate::finding::{Cost, Finding, Level, Mark, QuoteLine};
use crate::profile::Profile;

/// Columns of a quoted line that are shown at most.
const MAX_COLUMNS: usize = 160;
/// Column after which the hint to the rule's page stands, where the line leaves room.
const HINT_COLUMN: usize = 72;

const BOLD: &str = "\x1b[1m";
const RED: &str = "\x1b[1;31m";
const YELLOW: &str = "\x1b[1;33m";
const BLUE: &str = "\x1b[1;34m";
const GREEN: &str = "\x1b[1;32m";
const RESET: &str = "\x1b[0m";

/// Writes findings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Renderer<'a> {
    /// With ANSI colours.
    pub color: bool,
    /// The targets, in the order of the settings.
    pub profiles: &'a [Profile],
    /// Name of the listing that line numbers speak of.
    pub file: Option<&'a str>,
    /// Devices are named.
    pub many_devices: bool,
}

/// The word at the head of a finding.
pub(super) fn level_word(level: Level) -> &'static str {
    match level {
        Level::Forbid | Level::Deny => "error",
        Level::Warn => "warning",
        Level::Info | Level::Allow => "info",
    }
}

impl Renderer<'_> {
    /// Writes a finding; the last line ends with a newline.
    pub fn finding(&self, finding: &Finding) -> String {
        let numbers = finding.quote.lines.iter().map(|line| line.number);
        let digits = numbers.max().unwrap_or(0).to_string().len();
        let bar = format!("{:digits$}  {}", "", self.paint(BLUE, "|"));
        let mut out = self.head(finding);
        let arrow = self.paint(BLUE, "-->");
        let _ = writeln!(out, "{:digits$} {arrow} {}", "", self.place(finding));
        if !finding.quote.lines.is_empty() {
            let _ = writeln!(out, "{bar}");
            self.quote(&mut out, finding, digits, &bar);
        }
        for (what, text) in self.notes(finding) {
            let what = self.paint(BOLD, &format!("{what}:"));
            let _ = writeln!(out, "{:digits$}  {} {what} {text}", "", self.paint(BLUE, "="));
        }
        let on = self.on(finding);
        let hint = format!("(tilelint explain {})", finding.rule);
        let used = digits + 2 + "= on: ".len() + on.chars().count();
        let gap = HINT_COLUMN.saturating_sub(used).max(2);
        let (equals, what) = (self.paint(BLUE, "="), self.paint(BOLD, "on:"));
        let _ = writeln!(out, "{:digits$}  {equals} {what} {on}{:gap$}{hint}", "", "");
        out
    }

    fn paint(&self, style: &str, text: &str) -> String {
        if self.color { format!("{style}{text}{RESET}") } else { text.to_owned() }
    }

    fn level_style(level: Level) -> &'static str {
        match level {
            Level::Forbid | Level::Deny => RED,
            Level::Warn => YELLOW,
            Level::Info | Level::Allow => GREEN,
        }
    }

    fn head(&self, finding: &Finding) -> String {
        let word = format!("{}[{}]", level_word(finding.level), finding.rule);
        let word = self.paint(Self::level_style(finding.level), &word);
        format!("{word}{}\n", self.paint(BOLD, &format!(": {}", finding.message)))
    }

    fn place(&self, finding: &Finding) -> String {
        let at = &finding.location;
        let mut parts = Vec::new();
        if self.many_devices {
            parts.push(format!("`{}`", at.device));
        }
        parts.extend(at.frame.map(|frame| format!("frame {frame}")));
        match (&at.pass, &at.image) {
            (Some(pass), _) => parts.push(format!("pass `{pass}`")),
            (None, Some(image)) => parts.push(format!("image `{image}`")),
            (None, None) => {}
        }
        parts.extend(at.subpass.map(|subpass| format!("subpass {subpass}")));
        let shown =
            |label: &&String| !label.starts_with("tilelint:") && at.pass.as_ref() != Some(*label);
        let labels = at.labels.iter().filter(shown);
        let labels: Vec<&str> = labels.map(String::as_str).collect();
        if !labels.is_empty() {
            parts.push(format!("in {}", labels.join(" > ")));
        }
        if parts.is_empty() {
            let object = finding.objects.first().map_or(&at.device, |(_, name)| name);
            parts.push(format!("`{object}`"));
        }
        if let (Some(file), Some((number, column))) = (self.file, primary_place(finding)) {
            parts.push(format!("{file}:{number}:{column}"));
        }
        parts.join(", ")
    }

    fn quote(&self, out: &mut String, finding: &Finding, digits: usize, bar: &str) {
        let quote = &finding.quote;
        let mut order: Vec<usize> = (0..quote.lines.len()).collect();
        if quote.lines.iter().all(|line| line.number != 0) {
            order.sort_by_key(|index| quote.lines[*index].number);
        }
        let mut before: Option<&QuoteLine> = None;
        for index in order {
            let line = &quote.lines[index];
            let again = before.is_some_and(|b| b.number == line.number && b.text == line.text);
            if before.is_some_and(|b| line.number > b.number + 1) {
                let _ = writeln!(out, " {}", self.paint(BLUE, "..."));
            }
            let mut marks: Vec<(&Mark, Span)> = Vec::new();
            for mark in quote.marks.iter().filter(|mark| mark.line == index) {
                marks.extend(mark_span(quote, mark).map(|span| (mark, span)));
            }
            let end = marks.iter().map(|(_, span)| span.end).max().unwrap_or(0);
            if !again {
                let number = if line.number == 0 { String::new() } else { line.number.to_string() };
                let number = self.paint(BLUE, &format!(" {number:>digits$} |"));
                let _ = writeln!(out, "{number} {}", shown(&line.text, end));
            }
            for (mark, span) in marks {
                let skip = line.text[..span.start].chars().count();
                let count = line.text[span].chars().count();
                let sign = if mark.primary { "^" } else { "-" }.repeat(count);
                let label =
                    if mark.primary { self.label(finding, mark) } else { mark.label.clone() };
                let text = format!("{sign} {label}");
                let style = if mark.primary { Self::level_style(finding.level) } else { BLUE };
                let _ = writeln!(out, "{bar} {:skip$}{}", "", self.paint(style, text.trim_end()));
            }
            before = Some(line);
        }
    }

    /// The primary mark carries the cost.
    fn label(&self, finding: &Finding, mark: &Mark) -> String {
        let parts = [mark.label.clone(), self.cost(finding)];
        parts
            .iter()
            .filter(|part| !part.is_empty())
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn cost(&self, finding: &Finding) -> String {
        let traffic = finding.cost.traffic_bytes();
        let rate = match self.first_target(finding) {
            Some(profile) if traffic != 0 => {
                format!(" ({})", human_rate(traffic, profile.refresh_hz()))
            }
            _ => String::new(),
        };
        let text = asks(finding.cost);
        if text.is_empty() { text } else { format!("asks for {text}{rate}") }
    }

    fn first_target(&self, finding: &Finding) -> Option<&Profile> {
        self.profiles.iter().find(|profile| finding.targets.contains(&profile.name))
    }

    fn notes(&self, finding: &Finding) -> Vec<(&'static str, String)> {
        let mut notes = Vec::new();
        notes.extend(finding.why.iter().map(|why| ("why", why.clone())));
        notes.extend(finding.assumes.iter().map(|assumed| ("assumes", assumed.clone())));
        for (index, fix) in finding.fixes.iter().enumerate() {
            notes.push((if index == 0 { "fix" } else { "or" }, fix.text.clone()));
        }
        for note in &finding.notes {
            notes.push(("note", format!("{}: {}", note.rule, note.message)));
        }
        if !self.cost(finding).is_empty() && finding.quote.marks.iter().all(|mark| !mark.primary) {
            notes.push(("cost", self.cost(finding)));
        }
        notes
    }

    /// The targets in the order of the settings, how sure it is, what differs by target.
    fn on(&self, finding: &Finding) -> String {
        let mut targets: Vec<&str> = self.profiles.iter().map(|p| p.name.as_str()).collect();
        targets.retain(|name| finding.targets.iter().any(|target| target == name));
        let others = finding.targets.iter().map(String::as_str);
        let others: Vec<&str> = others.filter(|name| !targets.contains(name)).collect();
        targets.extend(others);
        let mut text = format!("{}; {}", targets.join(", "), finding.confidence.word());
        if finding.seen_over > 1 {
            let _ = write!(text, ", seen over {} frames", finding.seen_over);
        }
        for differs in &finding.by_target {
            let _ = write!(text, "; on {}", differs.target);
            if let Some(confidence) = differs.confidence {
                let _ = write!(text, " {}", confidence.word());
            }
            if let Some(cost) = differs.cost {
                let cost = asks(cost);
                let cost = if cost.is_empty() { "nothing".to_owned() } else { cost };
                let _ = write!(text, " asks for {cost}");
            }
        }
        text
    }
}

/// What a cost asks for, in words; empty where it is nothing.
pub(super) fn asks(cost: Cost) -> String {
    match (cost.traffic_bytes(), cost.memory_bytes) {
        (0, 0) => String::new(),
        (0, memory) => format!("{} of memory", human_bytes(memory)),
        (traffic, 0) => format!("{} each frame", human_bytes(traffic)),
        (traffic, memory) => {
            format!("{} of memory and {} each frame", human_bytes(memory), human_bytes(traffic))
        }
    }
}

/// Line and column, from 1, of the mistake.
pub(super) fn primary_place(finding: &Finding) -> Option<(u32, usize)> {
    let quote = &finding.quote;
    let mark = quote.marks.iter().find(|mark| mark.primary)?;
    let line = quote.lines.get(mark.line)?;
    let span = mark_span(quote, mark)?;
    (line.number != 0).then(|| (line.number, line.text[..span.start].chars().count() + 1))
}

/// A quoted line, one column a character, cut behind what is marked in it.
fn shown(text: &str, marked_to: usize) -> String {
    let keep = text[..marked_to].chars().count().max(MAX_COLUMNS);
    let mut shown: String =
        text.chars().take(keep).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().count() > keep {
        shown.push('…');
    }
    shown
}
