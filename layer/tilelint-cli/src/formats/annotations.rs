//! What forges show beside code: GitHub's annotations, GitLab's code quality.

use std::fmt::Write as _;

use serde_json::{Value, json};
use tilelint::report::{Finding, Report};

use super::escape::{annotation, annotation_property};
use super::{NO_PLACE, details};
use crate::place::{Place, place};
use crate::verdict::is_known;

/// Writes a line for each finding that no baseline knows. GitHub shows ten of a kind in a step;
/// a report has the worst first.
pub fn github(report: &Report) -> String {
    let mut out = String::new();
    for finding in report.findings.iter().filter(|finding| !is_known(finding)) {
        let word = match finding.level.as_str() {
            "deny" | "forbid" => "error",
            "warn" => "warning",
            _ => "notice",
        };
        let mut properties = Vec::new();
        if let Some(Place { file, line, start, end }) = place(finding) {
            let file = annotation_property(&file);
            properties.push(format!("file={file},line={line},col={start},endColumn={end}"));
        }
        properties.push(format!("title={}", annotation_property(&finding.rule)));
        let text = [vec![finding.message.clone()], details(finding)].concat().join("\n");
        let _ = writeln!(out, "::{word} {}::{}", properties.join(","), annotation(&text));
    }
    out
}

/// Writes the array that GitLab reads as a code quality artifact.
pub fn gitlab(report: &Report) -> String {
    let findings = report.findings.iter().filter(|finding| !is_known(finding));
    let issues: Vec<Value> = findings.map(issue).collect();
    format!("{:#}\n", Value::from(issues))
}

fn issue(finding: &Finding) -> Value {
    let severity = match (finding.level.as_str(), finding.confidence.as_str()) {
        ("deny" | "forbid", _) => "critical",
        ("warn", "certain") => "major",
        ("warn", _) => "minor",
        _ => "info",
    };
    let place = place(finding);
    let path = place.as_ref().map_or(NO_PLACE, |place| &place.file);
    let line = place.as_ref().map_or(1, |place| place.line);
    json!({
        "description": format!("{}: {}", finding.rule, finding.message),
        "check_name": finding.rule,
        "fingerprint": finding.fingerprint,
        "severity": severity,
        "location": {"path": path, "lines": {"begin": line}},
        "content": {"body": details(finding).join("\n")},
    })
}
