//! JUnit XML: a test case for each rule, so that trends are visible.

use std::fmt::Write as _;

use tilelint::finding::Level;
use tilelint::report::{Finding, Report};
use tilelint::rules;

use super::details;
use super::escape::markup;
use crate::place::place;
use crate::verdict::{is_denied, is_known};

/// Writes the document. A rule fails by a finding at `deny` that no baseline knows; its other
/// findings stand in the case's output.
pub fn render(report: &Report) -> String {
    let mut names: Vec<&str> =
        rules::all().filter(|rule| rule.level != Level::Allow).map(|rule| rule.name).collect();
    names.extend(report.findings.iter().map(|finding| finding.rule.as_str()));
    names.sort_unstable();
    names.dedup();
    let mut cases = String::new();
    let mut failed = 0;
    for name in &names {
        let found: Vec<&Finding> = report.findings.iter().filter(|f| f.rule == *name).collect();
        failed += usize::from(case(&mut cases, name, &found));
    }
    let (tests, mut out) = (names.len(), String::new());
    let counts = format!("tests=\"{tests}\" failures=\"{failed}\" errors=\"0\"");
    let _ = writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    let _ = writeln!(out, "<testsuites name=\"tilelint\" {counts}>");
    let _ = writeln!(out, "  <testsuite name=\"tilelint\" {counts} skipped=\"0\" time=\"0\">");
    out + &cases + "  </testsuite>\n</testsuites>\n"
}

/// Writes the case of a rule; returns whether it fails.
fn case(out: &mut String, name: &str, found: &[&Finding]) -> bool {
    let group = rules::by_name(name).map_or("other", |rule| rule.group.name());
    let open = format!("    <testcase classname=\"tilelint.{group}\" name=\"{name}\" time=\"0\"");
    let (bad, told): (Vec<&Finding>, Vec<&Finding>) =
        found.iter().copied().partition(|finding| is_denied(finding) && !is_known(finding));
    if found.is_empty() {
        let _ = writeln!(out, "{open}/>");
        return false;
    }
    let _ = writeln!(out, "{open}>");
    if let Some(first) = bad.first() {
        let message = match bad.len() {
            1 => first.message.clone(),
            count => format!("{} (and {} more)", first.message, count - 1),
        };
        let text: Vec<String> = bad.iter().map(|finding| words(finding)).collect();
        let _ = writeln!(
            out,
            "      <failure message=\"{}\" type=\"{name}\">{}</failure>",
            markup(&message),
            markup(&text.join("\n\n"))
        );
    }
    if !told.is_empty() {
        let text: Vec<String> = told.iter().map(|finding| words(finding)).collect();
        let text = markup(&text.join("\n\n"));
        let _ = writeln!(out, "      <system-out>{text}</system-out>");
    }
    let _ = writeln!(out, "    </testcase>");
    !bad.is_empty()
}

fn words(finding: &Finding) -> String {
    let place = place(finding).map(|place| format!("{}:{}", place.file, place.line));
    let known = if is_known(finding) { " (known)" } else { "" };
    let head = format!("{}{known}: {}", finding.level, finding.message);
    let lines: Vec<String> = details(finding).iter().map(|line| format!("  {line}")).collect();
    let at = place.map_or(String::new(), |place| format!("\n  at: {place}"));
    format!("{head}{at}\n{}", lines.join("\n"))
}
