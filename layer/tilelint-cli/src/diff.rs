//! `tilelint diff` and `tilelint merge`: several reports side by side, in Markdown.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use tilelint::report::{Finding, Report, human_bytes};

use crate::formats::{at, escape};
use crate::report::read;
use crate::{FOUND, Outcome};

/// Say what is new, gone, dearer and cheaper in a report, as Markdown for a comment
#[derive(clap::Args)]
pub struct DiffArgs {
    /// The report before
    old: PathBuf,
    /// The report after
    new: PathBuf,
    /// Exit code 1 where something is new or dearer
    #[arg(long)]
    check: bool,
}

/// Show the findings of several reports in one table: a row per finding, a column per report
#[derive(clap::Args)]
pub struct MergeArgs {
    /// The reports, of several devices or scenes
    #[arg(required = true)]
    reports: Vec<PathBuf>,
}

/// What became of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    New,
    Dearer,
    Cheaper,
    Gone,
}

/// A finding that is not as it was, with its bytes a frame before and after.
struct Row<'a> {
    change: Change,
    finding: &'a Finding,
    before: u64,
    after: u64,
}

/// Runs `tilelint diff`.
pub fn diff(args: &DiffArgs, out: &mut dyn Write) -> Outcome {
    let (old, new) = (read(&args.old)?, read(&args.new)?);
    let rows = compare(&old, &new);
    out.write_all(print(&old, &new, &rows).as_bytes())?;
    let is_worse = rows.iter().any(|row| matches!(row.change, Change::New | Change::Dearer));
    Ok(ExitCode::from(if args.check && is_worse { FOUND } else { 0 }))
}

/// Bytes of traffic, or of memory where a finding moves none.
fn bytes(finding: &Finding) -> u64 {
    match finding.cost.load_bytes + finding.cost.store_bytes {
        0 => finding.cost.memory_bytes,
        traffic => traffic,
    }
}

/// What changed, the worst first, in each kind the dearest first.
fn compare<'a>(old: &'a Report, new: &'a Report) -> Vec<Row<'a>> {
    let by_name = |report: &'a Report| -> BTreeMap<&'a str, &'a Finding> {
        report.findings.iter().map(|finding| (finding.fingerprint.as_str(), finding)).collect()
    };
    let (before, after) = (by_name(old), by_name(new));
    let mut rows = Vec::new();
    for (name, finding) in &after {
        let (was, is) = (before.get(name).map(|finding| bytes(finding)), bytes(finding));
        let change = match was {
            None => Change::New,
            Some(was) if was < is => Change::Dearer,
            Some(was) if was > is => Change::Cheaper,
            Some(_) => continue,
        };
        rows.push(Row { change, finding, before: was.unwrap_or(0), after: is });
    }
    for (_, finding) in before.iter().filter(|(name, _)| !after.contains_key(*name)) {
        rows.push(Row { change: Change::Gone, finding, before: bytes(finding), after: 0 });
    }
    rows.sort_by_key(|row| (row.change, std::cmp::Reverse(row.before.max(row.after))));
    rows
}

fn total(report: &Report) -> Option<u64> {
    report.traffic.load_bytes.zip(report.traffic.store_bytes).map(|(load, store)| load + store)
}

fn step(before: u64, after: u64) -> String {
    let (sign, by) = if after >= before { ("+", after - before) } else { ("-", before - after) };
    format!("{sign}{}", human_bytes(by))
}

fn print(old: &Report, new: &Report, rows: &[Row<'_>]) -> String {
    let count = |change: Change| rows.iter().filter(|row| row.change == change).count();
    let mut out = format!(
        "### tilelint: {} new, {} dearer, {} cheaper, {} gone\n\n",
        count(Change::New),
        count(Change::Dearer),
        count(Change::Cheaper),
        count(Change::Gone)
    );
    if let (Some(before), Some(after)) = (total(old), total(new)) {
        let step = step(before, after);
        let (before, after) = (human_bytes(before), human_bytes(after));
        let _ = writeln!(out, "Traffic a frame: {before} before, {after} now ({step}).");
    }
    let avoidable = (old.traffic.avoidable_bytes, new.traffic.avoidable_bytes);
    let _ = writeln!(
        out,
        "Avoidable: {} before, {} now ({}).",
        human_bytes(avoidable.0),
        human_bytes(avoidable.1),
        step(avoidable.0, avoidable.1)
    );
    if rows.is_empty() {
        return out;
    }
    out.push_str(
        "\n| change | rule | where | before | now | what |\n|---|---|---|---:|---:|---|\n",
    );
    for Row { change, finding, before, after } in rows {
        let (change, before, after) = match change {
            Change::New => ("new", "-".to_owned(), human_bytes(*after)),
            Change::Dearer => ("dearer", human_bytes(*before), human_bytes(*after)),
            Change::Cheaper => ("cheaper", human_bytes(*before), human_bytes(*after)),
            Change::Gone => ("gone", human_bytes(*before), "-".to_owned()),
        };
        let (at, message) = (escape::cell(&at(finding)), escape::cell(&finding.message));
        let rule = &finding.rule;
        let _ = writeln!(out, "| {change} | `{rule}` | {at} | {before} | {after} | {message} |");
    }
    out
}

/// Runs `tilelint merge`.
pub fn merge(args: &MergeArgs, out: &mut dyn Write) -> Outcome {
    let mut reports = Vec::new();
    for path in &args.reports {
        reports.push((path.display().to_string(), read(path)?));
    }
    out.write_all(table(&reports).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// The name of a report's column: its file, and its device where that has a name.
fn column(path: &str, report: &Report) -> String {
    let device = report.devices.iter().find_map(|device| device.name.as_deref());
    device.map_or_else(|| path.to_owned(), |device| format!("{path} ({device})"))
}

fn table(reports: &[(String, Report)]) -> String {
    let mut rows: BTreeMap<&str, Vec<Option<&Finding>>> = BTreeMap::new();
    for (index, (_, report)) in reports.iter().enumerate() {
        for finding in &report.findings {
            let row = rows.entry(&finding.fingerprint).or_insert_with(|| vec![None; reports.len()]);
            row[index] = Some(finding);
        }
    }
    let mut rows: Vec<_> = rows.into_values().collect();
    let dearest = |row: &[Option<&Finding>]| row.iter().flatten().map(|f| bytes(f)).max();
    rows.sort_by_key(|row| std::cmp::Reverse(dearest(row)));
    let columns: Vec<String> =
        reports.iter().map(|(path, report)| escape::cell(&column(path, report))).collect();
    let mut out = format!("| rule | where | {} |\n|---|---|", columns.join(" | "));
    out.push_str(&"---:|".repeat(columns.len()));
    out.push('\n');
    for row in rows {
        let Some(finding) = row.iter().flatten().next() else { continue };
        let cell = |finding: &Option<&Finding>| match finding {
            None => "-".to_owned(),
            Some(finding) if bytes(finding) == 0 => finding.level.clone(),
            Some(finding) => format!("{} {}", finding.level, human_bytes(bytes(finding))),
        };
        let cells: Vec<String> = row.iter().map(cell).collect();
        let at = escape::cell(&at(finding));
        let _ = writeln!(out, "| `{}` | {at} | {} |", finding.rule, cells.join(" | "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilelint::report::Cost;

    fn report(findings: &[(&str, u64)]) -> Report {
        let finding = |(name, bytes): &(&str, u64)| Finding {
            fingerprint: (*name).to_owned(),
            rule: format!("rule-{name}"),
            level: "warn".to_owned(),
            cost: Cost { store_bytes: *bytes, ..Cost::default() },
            ..Finding::default()
        };
        Report { findings: findings.iter().map(finding).collect(), ..Report::default() }
    }

    #[test]
    fn changes_are_told_by_fingerprint() {
        let old = report(&[("same", 5), ("up", 1), ("down", 9), ("gone", 2)]);
        let new = report(&[("same", 5), ("up", 2), ("down", 8), ("new", 3)]);
        let rows = compare(&old, &new);
        let found: Vec<_> =
            rows.iter().map(|row| (row.change, row.finding.fingerprint.as_str())).collect();
        let expected = [
            (Change::New, "new"),
            (Change::Dearer, "up"),
            (Change::Cheaper, "down"),
            (Change::Gone, "gone"),
        ];
        assert_eq!(found, expected);
        let text = print(&old, &new, &rows);
        assert!(text.starts_with("### tilelint: 1 new, 1 dearer, 1 cheaper, 1 gone\n"), "{text}");
        assert!(text.contains("\n| dearer | `rule-up` |  | 1 B | 2 B |  |\n"), "{text}");
        assert!(compare(&new, &new).is_empty());
    }

    #[test]
    fn a_finding_is_a_row_and_a_report_a_column() {
        let reports = [
            ("a.json".to_owned(), report(&[("x", 5)])),
            ("b.json".to_owned(), report(&[("y", 2000), ("x", 7)])),
        ];
        assert_eq!(
            table(&reports),
            "| rule | where | a.json | b.json |\n|---|---|---:|---:|\n\
             | `rule-y` |  | - | warn 2.0 kB |\n| `rule-x` |  | warn 5 B | warn 7 B |\n"
        );
    }
}
