//! A report in the forms that people and machines read.

mod annotations;
pub mod escape;
mod html;
mod junit;
mod markdown;
mod sarif;
pub mod text;

use clap::ValueEnum;
use tilelint::report::{Finding, Report, human_bytes, to_json};

use crate::baseline::Known;
use crate::verdict::is_known;

/// A form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// The report itself.
    Json,
    /// SARIF 2.1.0, with what is suppressed, known and gone.
    Sarif,
    /// SARIF of new findings alone, for GitHub: its code scanning makes every result an alert.
    CodeScanning,
    /// JUnit XML, a test case for each rule.
    Junit,
    /// Annotations of a GitHub workflow.
    Github,
    /// GitLab code quality.
    Gitlab,
    /// One page with everything, readable offline.
    Html,
    /// A summary in Markdown.
    Markdown,
}

/// Writes a report; its paths are taken as they are. `gone` is what a baseline lists and nothing
/// has any more.
pub fn render(format: Format, report: &Report, gone: &[&Known]) -> String {
    match format {
        Format::Text => text::findings(report, false),
        Format::Json => to_json(report),
        Format::Sarif => sarif::render(report, gone),
        Format::CodeScanning => sarif::render(&news(report), &[]),
        Format::Junit => junit::render(report),
        Format::Github => annotations::github(report),
        Format::Gitlab => annotations::gitlab(report),
        Format::Html => html::render(report),
        Format::Markdown => markdown::render(report, gone),
    }
}

/// Heads the findings that no steady frame has.
pub const UNSTEADY: &str = "only outside steady frames (start-up, loading, resizing, screenshots):";

/// A report of what no baseline knows and nobody suppressed.
fn news(report: &Report) -> Report {
    let mut news = Report { suppressed: Vec::new(), ..report.clone() };
    news.findings.retain(|finding| !is_known(finding));
    news
}

/// The file that findings without a place are shown at: forges want one.
const NO_PLACE: &str = "tilelint.toml";

/// Where a finding is, in the program's own names.
pub fn at(finding: &Finding) -> String {
    let at = &finding.location;
    let mut parts = Vec::new();
    parts.extend(at.pass.as_ref().map(|pass| format!("pass `{pass}`")));
    parts.extend(at.subpass.map(|subpass| format!("subpass {subpass}")));
    parts.extend(at.image.as_ref().map(|image| format!("image `{image}`")));
    parts.join(", ")
}

/// What a finding costs, in words; empty where it has no size.
fn cost(finding: &Finding) -> String {
    let cost = &finding.cost;
    match (cost.load_bytes + cost.store_bytes, cost.memory_bytes) {
        (0, 0) => String::new(),
        (0, memory) => format!("{} of memory", human_bytes(memory)),
        (traffic, 0) => format!("{} each frame", human_bytes(traffic)),
        (traffic, memory) => {
            format!("{} each frame and {} of memory", human_bytes(traffic), human_bytes(memory))
        }
    }
}

/// What a finding says beside its message, a line each.
fn details(finding: &Finding) -> Vec<String> {
    let mut lines = Vec::new();
    let at = at(finding);
    if !at.is_empty() {
        lines.push(format!("in: {at}"));
    }
    lines.extend(finding.why.iter().map(|why| format!("why: {why}")));
    lines.extend(finding.assumes.iter().map(|assumed| format!("assumes: {assumed}")));
    let fixes = finding.fixes.iter().enumerate();
    lines.extend(fixes.map(|(index, fix)| {
        let word = if index == 0 { "fix" } else { "or" };
        format!("{word}: {}", fix.text)
    }));
    lines.extend(finding.notes.iter().map(|note| format!("note: {}: {}", note.rule, note.message)));
    let cost = cost(finding);
    if !cost.is_empty() {
        lines.push(format!("cost: {cost}"));
    }
    let targets = finding.targets.join(", ");
    lines.push(format!("on: {targets}; {}", finding.confidence));
    lines
}
