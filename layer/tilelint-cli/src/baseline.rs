//! Baselines: the findings that are known, by fingerprint.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tilelint::report::{Finding, Report};

use crate::complain;
use crate::verdict::Verdict;

const SCHEMA: &str = "tilelint-baseline";
const VERSION: u64 = 1;

/// A baseline file.
pub struct Baseline {
    path: PathBuf,
    known: BTreeMap<String, Known>,
}

/// A finding that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Known {
    rule: String,
    pass: String,
    object: String,
    fingerprint: String,
    cost_bytes: u64,
    reason: String,
}

impl Baseline {
    /// Reads a baseline; with `may_be_missing`, a file that is not there knows nothing.
    ///
    /// # Errors
    ///
    /// That the file cannot be read or is no baseline.
    pub fn read(path: &Path, may_be_missing: bool) -> Result<Baseline, String> {
        let shown = path.display();
        let known = match fs::read_to_string(path) {
            Ok(text) => parse(&text).map_err(|error| format!("{shown}: {error}"))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound && may_be_missing => {
                BTreeMap::new()
            }
            Err(error) => return Err(format!("cannot read the baseline {shown}: {error}")),
        };
        Ok(Baseline { path: path.to_owned(), known })
    }

    /// The finding is known.
    pub fn knows(&self, finding: &Finding) -> bool {
        self.known.contains_key(&finding.fingerprint)
    }

    /// Writes what the report has; reasons of entries that stay are kept.
    ///
    /// # Errors
    ///
    /// That the file cannot be written.
    pub fn update(&self, report: &Report, verdict: &mut Verdict) -> Result<(), String> {
        // What never fails a check needs no leave, which would last once every frame has it.
        let steady = report.findings.iter().filter(|finding| !finding.only_unsteady);
        let known = steady.map(|finding| {
            let before = self.known.get(&finding.fingerprint);
            Known { reason: before.map_or(String::new(), |b| b.reason.clone()), ..known(finding) }
        });
        let text = print(known.collect());
        fs::write(&self.path, text)
            .map_err(|error| format!("cannot write {}: {error}", self.path.display()))?;
        verdict.accept_all();
        Ok(())
    }

    /// Says which entries no finding has any more. The bytes that a fixed frame saves are not
    /// known to be saved if the run saw less, so that this is no failure.
    pub fn tell_gone(&self, report: &Report) {
        for known in self.gone(report) {
            let at = [("pass", &known.pass), ("object", &known.object)];
            let at = at.iter().filter(|(_, name)| !name.is_empty());
            let at: Vec<String> = at.map(|(what, name)| format!("{what} `{name}`")).collect();
            let (path, rule) = (self.path.display(), &known.rule);
            complain("gone", &format!("{rule}, {} ({path} still lists it)", at.join(", ")));
        }
    }

    fn gone(&self, report: &Report) -> Vec<&Known> {
        let has =
            |known: &&Known| report.findings.iter().any(|f| f.fingerprint == known.fingerprint);
        let mut gone: Vec<&Known> = self.known.values().filter(|known| !has(known)).collect();
        gone.sort();
        gone
    }
}

fn known(finding: &Finding) -> Known {
    let at = &finding.location;
    let cost = &finding.cost;
    Known {
        rule: finding.rule.clone(),
        pass: at.pass.clone().unwrap_or_default(),
        object: at.image.clone().unwrap_or_default(),
        fingerprint: finding.fingerprint.clone(),
        cost_bytes: cost.load_bytes + cost.store_bytes + cost.memory_bytes,
        reason: String::new(),
    }
}

/// One entry a line, sorted, so that a change of one finding is a change of one line.
fn print(mut known: Vec<Known>) -> String {
    known.sort();
    let mut out = format!("{{\"schema\": \"{SCHEMA}\", \"version\": {VERSION}, \"known\": [\n");
    for (index, entry) in known.iter().enumerate() {
        let entry = json!({
            "rule": entry.rule,
            "fingerprint": entry.fingerprint,
            "pass": entry.pass,
            "object": entry.object,
            "cost_bytes": entry.cost_bytes,
            "reason": entry.reason,
        });
        let comma = if index + 1 < known.len() { "," } else { "" };
        let _ = writeln!(out, "  {entry}{comma}");
    }
    out.push_str("]}\n");
    out
}

fn parse(text: &str) -> Result<BTreeMap<String, Known>, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if value.get("schema").and_then(Value::as_str) != Some(SCHEMA) {
        return Err(format!("it is no baseline: its schema is not `{SCHEMA}`"));
    }
    match value.get("version").and_then(Value::as_u64) {
        Some(VERSION) => {}
        other => return Err(format!("its version is {other:?}; this tool reads {VERSION}")),
    }
    let entries = value.get("known").and_then(Value::as_array);
    let entries = entries.ok_or("`known` must be a list")?;
    let mut known = BTreeMap::new();
    for entry in entries {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
        let fingerprint = text("fingerprint");
        if fingerprint.is_empty() {
            return Err(format!("an entry has no fingerprint: {entry}"));
        }
        let entry = Known {
            rule: text("rule"),
            pass: text("pass"),
            object: text("object"),
            fingerprint: fingerprint.clone(),
            cost_bytes: entry.get("cost_bytes").and_then(Value::as_u64).unwrap_or(0),
            reason: text("reason"),
        };
        known.insert(fingerprint, entry);
    }
    Ok(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(rule: &str, fingerprint: &str) -> Known {
        Known {
            rule: rule.to_owned(),
            fingerprint: fingerprint.to_owned(),
            reason: "a \"reason\"".to_owned(),
            ..Known::default()
        }
    }

    #[test]
    fn a_baseline_is_sorted_and_has_a_line_for_each_entry() {
        let text = print(vec![entry("msaa-store", "02"), entry("depth-store", "01")]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        assert!(lines[1].starts_with(r#"  {"rule":"depth-store","fingerprint":"01""#), "{text}");
        let known = parse(&text).expect("it is what was written");
        assert_eq!(known["02"], entry("msaa-store", "02"));
        assert_eq!(print(known.into_values().collect()), text);
        assert_eq!(parse(&print(Vec::new())).map(|known| known.len()), Ok(0));
    }

    #[test]
    fn other_files_are_told_apart() {
        for text in ["[]", "{}", "x", r#"{"schema": "tilelint-report", "version": 1}"#] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse(r#"{"schema": "tilelint-baseline", "version": 2, "known": []}"#).is_err());
        let nameless = r#"{"schema": "tilelint-baseline", "version": 1, "known": [{"rule": "x"}]}"#;
        assert!(parse(nameless).is_err());
    }
}
