//! The end of a run in a few lines.

use std::fmt::Write as _;

use super::figures::{human_bytes, human_rate};
use super::schema::{Finding, Report};

/// Findings that are named.
const DEAREST: usize = 5;

/// Writes the summary: one line where nothing was found and nothing is left to say.
pub fn summary(report: &Report, report_path: Option<&str>) -> String {
    let mut out = format!("tilelint: {}", counts(report));
    let mut rest = String::new();
    let add = |rest: &mut String, what: &str, text: &str| {
        let _ = writeln!(rest, "  {what}: {text}");
    };
    for device in report.devices.iter().filter(|device| device.linting != "on") {
        add(&mut rest, "not linted", &format!("device `{}`: {}", device.id, device.linting));
    }
    if let Some(n_frames) = report.run["frames_not_analysed"].as_u64().filter(|n| *n > 0) {
        let text = format!("{} came faster than the analysis", number(n_frames, "frame"));
        add(&mut rest, "left out", &text);
    }
    for unused in &report.unused {
        let what = if unused.kind == "expectation" { "did not fire" } else { "does nothing" };
        let text = format!("{} in {} {what}", unused.rule, unused.by);
        add(&mut rest, &unused.kind, &text);
    }
    for limit in &report.limits {
        let text = format!("{} of {}, {} left out", limit.what, limit.limit, limit.left_out);
        add(&mut rest, "limit", &text);
    }
    let (steady, unsteady) = (of_steady_frames(report), of_other_frames(report));
    if !unsteady.is_empty() {
        let text = format!("{} ({})", number(unsteady.len() as u64, "finding"), rules(&unsteady));
        add(&mut rest, "only outside steady frames", &text);
    }
    if steady.is_empty() {
        let _ = write!(out, "; {}", traffic(report));
        if let Some(path) = report_path {
            let _ = write!(out, "; report: {path}");
        }
        return format!("{out}\n{rest}");
    }
    out.push('\n');
    add(&mut out, "traffic", &traffic(report));
    dearest(&mut out, steady);
    out.push_str(&rest);
    if let Some(path) = report_path {
        add(&mut out, "report", path);
    }
    if let Some(path) = &report.recording {
        add(&mut out, "recording", path);
    }
    out
}

/// What the frames do that are like those before them.
fn of_steady_frames(report: &Report) -> Vec<&Finding> {
    report.findings.iter().filter(|finding| !finding.only_unsteady).collect()
}

/// What happened in start-up, loading, a screenshot and the like alone.
fn of_other_frames(report: &Report) -> Vec<&Finding> {
    report.findings.iter().filter(|finding| finding.only_unsteady).collect()
}

/// The rules of findings, each once.
fn rules(findings: &[&Finding]) -> String {
    let mut names: Vec<&str> = findings.iter().map(|finding| finding.rule.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names.join(", ")
}

fn number(count: u64, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

fn counts(report: &Report) -> String {
    let findings = of_steady_frames(report);
    let at = |level: &str| findings.iter().filter(|f| f.level == level).count() as u64;
    let levels = [(at("deny"), "error"), (at("warn"), "warning"), (at("info"), "hint")];
    let levels: Vec<String> =
        levels.iter().filter(|(n, _)| *n != 0).map(|(n, word)| number(*n, word)).collect();
    let mut text = match findings.len() as u64 {
        0 => "no findings".to_owned(),
        count => format!("{} ({})", number(count, "finding"), levels.join(", ")),
    };
    if !report.suppressed.is_empty() {
        let _ = write!(text, ", {} suppressed", report.suppressed.len());
    }
    let frames = &report.frames;
    let _ = write!(text, " in {}", number(frames.seen, "frame"));
    if let Some(range) = &frames.range {
        let _ = write!(text, " of {range}");
    }
    if frames.steady != frames.seen {
        let _ = write!(text, " ({} steady)", frames.steady);
    }
    text
}

fn traffic(report: &Report) -> String {
    let traffic = &report.traffic;
    let Some(passes) = traffic.passes else { return "no frame was seen to its end".to_owned() };
    let verbs = if passes == 1 { ["loads", "stores"] } else { ["load", "store"] };
    let passes = number(passes.into(), "pass").replace("passs", "passes");
    let (Some(load), Some(store)) = (traffic.load_bytes, traffic.store_bytes) else {
        return format!("{passes} a frame; not all of what they ask for is known");
    };
    let hz = report.targets.iter().map(|target| target.refresh_hz).max().unwrap_or(60);
    let total = load + store;
    let mut text = format!(
        "{passes} a frame {} {} and {} {} ({})",
        verbs[0],
        human_bytes(load),
        verbs[1],
        human_bytes(store),
        human_rate(total, hz)
    );
    if let Some(percent) = (traffic.avoidable_bytes * 100).checked_div(total)
        && !of_steady_frames(report).is_empty()
    {
        let avoidable = human_bytes(traffic.avoidable_bytes);
        let _ = write!(text, ", {avoidable} of it avoidable ({percent} %)");
    }
    text
}

fn bytes(finding: &Finding) -> u64 {
    finding.cost.load_bytes + finding.cost.store_bytes
}

fn dearest(out: &mut String, mut findings: Vec<&Finding>) {
    // The sort is stable: the report's order decides between equals.
    findings.sort_by_key(|f| std::cmp::Reverse((bytes(f), f.cost.memory_bytes)));
    findings.truncate(DEAREST);
    let rule_width = findings.iter().map(|f| f.rule.len()).max().unwrap_or(0);
    let amount = |finding: &Finding| match (bytes(finding), finding.cost.memory_bytes) {
        (0, 0) => "-".to_owned(),
        (0, memory) => format!("{} of memory", human_bytes(memory)),
        (traffic, _) => format!("{} a frame", human_bytes(traffic)),
    };
    let amount_width = findings.iter().map(|f| amount(f).len()).max().unwrap_or(0);
    for (index, finding) in findings.iter().enumerate() {
        let head = if index == 0 { "dearest:" } else { "" };
        let at = &finding.location;
        let places = [(&at.pass, "pass "), (&at.image, "")];
        let places: Vec<String> = places
            .iter()
            .filter_map(|(name, what)| name.as_ref().map(|name| format!("{what}`{name}`")))
            .collect();
        let _ = writeln!(
            out,
            "  {head:8} {:>amount_width$}  {:rule_width$}  {}, in {}",
            amount(finding),
            finding.rule,
            places.join(", "),
            number(finding.count, "frame")
        );
    }
}
