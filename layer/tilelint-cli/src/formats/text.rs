//! Findings in the look of the Rust compiler, from a report.

use std::fmt::Write as _;

use tilelint::report::{Finding, Mark, QuoteLine, Report};

use super::UNSTEADY;
use crate::place::place;
use crate::verdict::is_known;

const BOLD: &str = "\x1b[1m";
const RED: &str = "\x1b[1;31m";
const YELLOW: &str = "\x1b[1;33m";
const BLUE: &str = "\x1b[1;34m";
const GREEN: &str = "\x1b[1;32m";
const RESET: &str = "\x1b[0m";

/// Writes every finding that no baseline knows.
pub fn findings(report: &Report, color: bool) -> String {
    let mut out = String::new();
    let many_devices = report.devices.len() > 1;
    let paint = Paint(color);
    let new = report.findings.iter().filter(|finding| !is_known(finding));
    let (unsteady, steady): (Vec<&Finding>, Vec<&Finding>) =
        new.partition(|finding| finding.only_unsteady);
    for finding in steady {
        one(&mut out, finding, paint, many_devices);
        out.push('\n');
    }
    if !unsteady.is_empty() {
        let _ = writeln!(out, "{UNSTEADY}\n");
    }
    for finding in unsteady {
        one(&mut out, finding, paint, many_devices);
        out.push('\n');
    }
    out
}

#[derive(Clone, Copy)]
struct Paint(bool);

impl Paint {
    fn paint(self, style: &str, text: &str) -> String {
        if self.0 { format!("{style}{text}{RESET}") } else { text.to_owned() }
    }
}

fn one(out: &mut String, finding: &Finding, paint: Paint, many_devices: bool) {
    let (style, word) = match finding.level.as_str() {
        "deny" | "forbid" => (RED, "error"),
        "warn" => (YELLOW, "warning"),
        _ => (GREEN, "info"),
    };
    let head = paint.paint(style, &format!("{word}[{}]", finding.rule));
    let message = paint.paint(BOLD, &format!(": {}", finding.message));
    let _ = writeln!(out, "{head}{message}");
    let numbers = finding.quote.lines.iter().filter_map(|line| line.line);
    let width = numbers.max().map_or(1, |number| number.to_string().len());
    let arrow = paint.paint(BLUE, "-->");
    let _ = writeln!(out, "{:width$} {arrow} {}", "", where_it_is(finding, many_devices));
    quote(out, finding, paint, width);
    let equals = paint.paint(BLUE, "=");
    let mut say = |what: &str, text: &str| {
        let what = paint.paint(BOLD, &format!("{what}:"));
        let _ = writeln!(out, "{:width$}  {equals} {what} {text}", "");
    };
    finding.why.iter().for_each(|why| say("why", why));
    finding.assumes.iter().for_each(|assumed| say("assumes", assumed));
    for (index, fix) in finding.fixes.iter().enumerate() {
        say(if index == 0 { "fix" } else { "or" }, &fix.text);
    }
    for note in &finding.notes {
        say("note", &format!("{}: {}", note.rule, note.message));
    }
    let cost = super::cost(finding);
    if !cost.is_empty() && finding.quote.marks.iter().all(|mark| !mark.primary) {
        say("cost", &cost);
    }
    let targets = finding.targets.join(", ");
    let (sure, rule) = (&finding.confidence, &finding.rule);
    say("on", &format!("{targets}; {sure}          (tilelint explain {rule})"));
}

fn where_it_is(finding: &Finding, many_devices: bool) -> String {
    let at = &finding.location;
    let mut parts = Vec::new();
    if many_devices && !at.device.is_empty() {
        parts.push(format!("`{}`", at.device));
    }
    parts.extend(at.frame.map(|frame| format!("frame {frame}")));
    match (&at.pass, &at.image) {
        (Some(pass), _) => parts.push(format!("pass `{pass}`")),
        (None, Some(image)) => parts.push(format!("image `{image}`")),
        (None, None) => {}
    }
    parts.extend(at.subpass.map(|subpass| format!("subpass {subpass}")));
    if let Some(place) = place(finding) {
        parts.push(format!("{}:{}:{}", place.file, place.line, place.start));
    }
    parts.join(", ")
}

fn quote(out: &mut String, finding: &Finding, paint: Paint, width: usize) {
    let quote = &finding.quote;
    let bar = format!("{:width$}  {}", "", paint.paint(BLUE, "|"));
    if !quote.lines.is_empty() {
        let _ = writeln!(out, "{bar}");
    }
    let mut lines: Vec<(usize, &QuoteLine)> = quote.lines.iter().enumerate().collect();
    // Lines without a number keep their order.
    lines.sort_by_key(|(_, line)| line.line);
    lines.dedup_by(|a, b| a.1.line.is_some() && a.1.line == b.1.line);
    for (index, line) in lines {
        let number = line.line.map_or(String::new(), |number| number.to_string());
        let number = paint.paint(BLUE, &format!(" {number:>width$} |"));
        let _ = writeln!(out, "{number} {}", line.text);
        for mark in marks_of(finding, index, line) {
            let chars = |from: usize, to: usize| {
                line.text.get(from..to).map_or(0, |part| part.chars().count())
            };
            let sign = if mark.primary { "^" } else { "-" };
            let sign = sign.repeat(chars(mark.start, mark.end).max(1));
            let skip = chars(0, mark.start);
            let text = format!("{sign} {}", mark.label);
            let text = paint.paint(if mark.primary { YELLOW } else { BLUE }, text.trim_end());
            let _ = writeln!(out, "{bar} {:skip$}{text}", "");
        }
    }
}

/// The marks of a line: by its number, else the mark at its own index.
pub fn marks_of<'a>(finding: &'a Finding, index: usize, line: &QuoteLine) -> Vec<&'a Mark> {
    let marks = &finding.quote.marks;
    match line.line {
        Some(_) => marks.iter().filter(|mark| mark.line == line.line).collect(),
        None => marks.get(index).filter(|mark| mark.line.is_none()).into_iter().collect(),
    }
}
