//! A summary in Markdown, for a job's page or a comment.

use std::fmt::Write as _;

use tilelint::report::{Finding, Report, summary};

use super::escape::cell;
use super::{at, cost};
use crate::baseline::Known;
use crate::verdict::is_known;

/// Findings that are listed; forges cut long pages.
const MAX_ROWS: usize = 100;

/// Writes the summary and a table of the findings, new ones first.
pub fn render(report: &Report, gone: &[&Known]) -> String {
    let head = summary(report, None);
    let mut head = head.lines();
    let mut out = format!("### {}\n", cell(head.next().unwrap_or("tilelint")));
    if let Some(traffic) = head.find_map(|line| line.trim().strip_prefix("traffic: ")) {
        let _ = write!(out, "\n{}\n", cell(traffic));
    }
    if report.findings.is_empty() {
        tell_gone(&mut out, gone);
        return out;
    }
    let (known, new): (Vec<&Finding>, Vec<&Finding>) =
        report.findings.iter().partition(|finding| is_known(finding));
    let has_status = report.findings.iter().any(|finding| finding.status.is_some());
    let mut columns = vec!["level", "rule", "where", "cost", "what", "fix"];
    if has_status {
        columns.insert(0, "status");
    }
    let _ = writeln!(out, "\n| {} |", columns.join(" | "));
    let _ = writeln!(out, "|{}", "---|".repeat(columns.len()));
    for finding in new.into_iter().chain(known).take(MAX_ROWS) {
        let mut cells = vec![
            match finding.only_unsteady {
                true => format!("{}, only outside steady frames", finding.level),
                false => finding.level.clone(),
            },
            format!("`{}`", finding.rule),
            at(finding),
            cost(finding),
            finding.message.clone(),
            finding.fixes.first().map_or(String::new(), |fix| fix.text.clone()),
        ];
        if has_status {
            cells.insert(0, finding.status.clone().unwrap_or_default());
        }
        let cells: Vec<String> = cells.iter().map(|text| cell(text)).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    if let Some(more) = report.findings.len().checked_sub(MAX_ROWS).filter(|more| *more > 0) {
        let _ = writeln!(out, "\n{more} more are in the report.");
    }
    tell_gone(&mut out, gone);
    out
}

/// What the baseline lists without need.
fn tell_gone(out: &mut String, gone: &[&Known]) {
    for known in gone {
        let _ = write!(out, "\nGone, and still in the baseline: `{}`", known.rule);
        let at = known.at();
        let _ = writeln!(out, "{}{}.", if at.is_empty() { "" } else { ", " }, cell(&at));
    }
}
