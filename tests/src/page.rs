//! Rule pages as tests: their listings are linted, their reports compared.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use tilelint::call::listing;
use tilelint::config::Config;
use tilelint::finding::Level;
use tilelint::lint::lint;
use tilelint::report::Renderer;
use tilelint::rule::Rule;

/// Sections of a page, in this order.
pub const SECTIONS: [&str; 8] = [
    "What it does",
    "Why it costs on a tiler",
    "When it is fine",
    "Fix",
    "Bad",
    "Good",
    "Cases",
    "Sources",
];
/// Lines of a page at most.
const MAX_LINES: usize = 150;
/// Columns of its prose at most.
const MAX_COLUMNS: usize = 100;

/// A page after it was played.
#[derive(Debug, Default)]
pub struct Played {
    /// What is wrong, each with its line.
    pub problems: Vec<String>,
    /// The page with the reports that it should have.
    pub updated: String,
    /// Listings that were linted.
    pub fences: usize,
}

/// A listing of a page and the report that follows it.
struct Fence<'a> {
    section: &'a str,
    /// Line of its first backticks, from 0.
    at: usize,
    /// Line behind its last backticks.
    end: usize,
    info: &'a str,
    text: String,
    report: Option<Report>,
}

struct Report {
    /// Lines between the backticks.
    lines: Range<usize>,
    text: String,
}

/// Plays a page of a rule that is one of `rules`.
pub fn play(page: &str, rule: &'static Rule, rules: &[&'static Rule]) -> Played {
    let lines: Vec<&str> = page.lines().collect();
    let mut played = Played::default();
    form(&lines, rule.name, &mut played.problems);
    let fences = fences(&lines, &mut played.problems);
    for section in ["Bad", "Good"] {
        if !fences.iter().any(|fence| fence.section == section) {
            played.problems.push(format!("`{section}` has no listing"));
        }
    }
    played.fences = fences.len();
    // From the last to the first, so that line numbers stay right.
    let mut updated: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    let mut problems = Vec::new();
    for fence in fences.iter().rev() {
        let mut found = Vec::new();
        if let Some((at, text)) = judge(fence, rule, rules, &mut found) {
            updated.splice(at, text.lines().map(str::to_owned));
        }
        let place = |problem| format!("line {}: {problem}", fence.at + 1);
        problems.splice(0..0, found.into_iter().map(place));
    }
    played.problems.extend(problems);
    played.updated = updated.join("\n") + "\n";
    played
}

/// The listings of a page: line of the fence, its info string, its text.
pub fn listings(page: &str) -> Vec<(usize, String, String)> {
    let lines: Vec<&str> = page.lines().collect();
    let fences = fences(&lines, &mut Vec::new());
    fences.into_iter().map(|f| (f.at + 1, f.info.to_owned(), f.text)).collect()
}

/// A listing of a page that has findings.
pub struct Wrong {
    /// It is the one that shows what the rule is about.
    pub bad: bool,
    /// Line of its fence.
    pub line: usize,
    /// Info string of its fence.
    pub info: String,
    /// Its text.
    pub text: String,
}

/// The listings of a page that have findings.
pub fn wrong(page: &str) -> Vec<Wrong> {
    let lines: Vec<&str> = page.lines().collect();
    let fences = fences(&lines, &mut Vec::new()).into_iter();
    let wrong = fences.filter(|fence| fence.section == "Bad" || fence.report.is_some());
    wrong
        .map(|fence| Wrong {
            bad: fence.section == "Bad",
            line: fence.at + 1,
            info: fence.info.to_owned(),
            text: fence.text,
        })
        .collect()
}

/// The page of a rule.
pub fn path(rule: &Rule) -> PathBuf {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../layer/tilelint/src/rules");
    let file = format!("{}.md", rule.name.replace('-', "_"));
    rules.join(rule.group.name().replace('-', "_")).join(file)
}

/// The folder that the pages' listings stand in: paths of shaders start there.
pub fn listings_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("listings")
}

/// The bytes of a shader that a page's listing names.
pub fn shader(file: &str) -> Option<Vec<u8>> {
    fs::read(listings_folder().join(file)).ok()
}

fn form(lines: &[&str], name: &str, problems: &mut Vec<String>) {
    if lines.first() != Some(&format!("# `{name}`").as_str()) {
        problems.push(format!("line 1: the title must be # `{name}`"));
    }
    let paragraph = lines.get(2).copied().unwrap_or_default();
    let one_line = lines.get(1) == Some(&"") && !paragraph.is_empty() && lines.get(3) == Some(&"");
    if !one_line || paragraph.starts_with('#') {
        problems.push("line 3: the first paragraph must be one line".to_owned());
    }
    let mut headings: Vec<(usize, &str)> = Vec::new();
    let mut fenced = false;
    for (index, line) in lines.iter().enumerate() {
        fenced ^= line.starts_with("```");
        if !fenced && line.chars().count() > MAX_COLUMNS && !line.contains("://") {
            problems.push(format!("line {}: longer than {MAX_COLUMNS} columns", index + 1));
        }
        if let Some(heading) = line.strip_prefix("## ").filter(|_| !fenced) {
            headings.push((index, heading));
        }
    }
    let found: Vec<&str> = headings.iter().map(|(_, heading)| *heading).collect();
    if found != SECTIONS {
        problems.push(format!("the sections are {found:?}, not {SECTIONS:?}"));
    }
    for (number, (start, heading)) in headings.iter().enumerate() {
        let end = headings.get(number + 1).map_or(lines.len(), |(next, _)| *next);
        if lines[start + 1..end].iter().all(|line| line.is_empty()) {
            problems.push(format!("line {}: `{heading}` is empty", start + 1));
        }
    }
    if lines.len() > MAX_LINES {
        problems.push(format!("it has {} lines, more than {MAX_LINES}", lines.len()));
    }
}

fn fences<'a>(lines: &[&'a str], problems: &mut Vec<String>) -> Vec<Fence<'a>> {
    let mut fences: Vec<Fence<'a>> = Vec::new();
    let mut section = "";
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        if let Some(heading) = line.strip_prefix("## ") {
            section = heading;
        }
        let Some(info) = line.strip_prefix("```") else {
            at += 1;
            continue;
        };
        let close = lines[at + 1..].iter().position(|line| *line == "```");
        let Some(close) = close.map(|offset| at + 1 + offset) else {
            problems.push(format!("line {}: the fence is not closed", at + 1));
            return fences;
        };
        let text: String = lines[at + 1..close].iter().map(|line| format!("{line}\n")).collect();
        let word = info.split_whitespace().next().unwrap_or_default();
        if word == "calls" {
            let info = info.trim();
            fences.push(Fence { section, at, end: close + 1, info, text, report: None });
        } else if word == "report" {
            match fences.last_mut() {
                Some(fence)
                    if fence.report.is_none()
                        && lines[fence.end..at].iter().all(|line| line.is_empty()) =>
                {
                    fence.report = Some(Report { lines: at + 1..close, text });
                }
                _ => problems.push(format!("line {}: a report without a listing", at + 1)),
            }
        }
        at = close + 1;
    }
    fences
}

/// Judges a listing. Returns the lines of the page that should be replaced, and by what.
fn judge(
    fence: &Fence<'_>,
    rule: &'static Rule,
    rules: &[&'static Rule],
    problems: &mut Vec<String>,
) -> Option<(Range<usize>, String)> {
    let mut listing = match listing::parse_with_header(fence.info, &fence.text) {
        Ok(listing) => listing,
        Err(error) => {
            problems.push(format!("the listing: {error}"));
            return None;
        }
    };
    listing.load_shaders(shader);
    let mut config = Config::of(rules.to_vec());
    if let Err(problem) = config.take_targets(&listing.header, "fence") {
        problems.push(problem.to_string());
    }
    // A rule that is off by default is on for its own page.
    if config.level_of(rule).value == Level::Allow
        && let Err(problem) = config.set_level(rule.name, Level::Warn, "page")
    {
        problems.push(problem.to_string());
    }
    let linted = lint(&listing, Some(&fence.text), &config, None);
    let renderer = Renderer { profiles: linted.session.engine().profiles(), ..Renderer::default() };
    let findings = &linted.judged.findings;
    let text: Vec<String> = findings.iter().map(|finding| renderer.finding(finding)).collect();
    let text = text.join("\n");
    let own = findings.iter().any(|finding| {
        finding.rule == rule.name || finding.notes.iter().any(|note| note.rule == rule.name)
    });
    match (fence.section, &fence.report) {
        ("Bad", _) if !own => {
            problems.push(format!("`Bad` does not report {}; it reports:\n{text}", rule.name));
            None
        }
        ("Good", Some(_)) => {
            problems.push("`Good` has a report".to_owned());
            None
        }
        ("Bad", None) => {
            problems.push("`Bad` has no report; UPDATE=1 writes it".to_owned());
            Some((fence.end..fence.end, format!("\n```report\n{text}```\n")))
        }
        (_, None) if text.is_empty() => None,
        (_, None) => {
            problems.push(format!("a listing without a report must be silent; it says:\n{text}"));
            None
        }
        (_, Some(_)) if text.is_empty() => {
            problems.push("a report, but the listing gives no finding".to_owned());
            None
        }
        (_, Some(report)) if report.text == text => None,
        (_, Some(report)) => {
            let old = &report.text;
            problems.push(format!("the report differs; it is\n{old}and should be\n{text}"));
            Some((report.lines.clone(), text))
        }
    }
}
