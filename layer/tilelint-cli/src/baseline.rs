//! Baselines: the findings that are known, by fingerprint.

use std::collections::BTreeMap;
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
pub struct Known {
    /// Its rule.
    pub rule: String,
    /// Name of its pass; empty where it has none.
    pub pass: String,
    /// Name of its object; empty where it has none.
    pub object: String,
    /// Its identity.
    pub fingerprint: String,
    /// What it said when it was listed.
    pub message: String,
    /// What it cost then: bytes a frame and bytes of memory.
    pub cost_bytes: u64,
    /// Why it is known.
    pub reason: String,
}

impl Known {
    /// Where it was, in the program's own names.
    pub fn at(&self) -> String {
        let at = [("pass", &self.pass), ("object", &self.object)];
        let at = at.iter().filter(|(_, name)| !name.is_empty());
        at.map(|(what, name)| format!("{what} `{name}`")).collect::<Vec<_>>().join(", ")
    }
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
            let (path, rule, at) = (self.path.display(), &known.rule, known.at());
            let comma = if at.is_empty() { "" } else { ", " };
            complain("gone", &format!("{rule}{comma}{at} ({path} still lists it)"));
        }
    }

    /// Entries that no finding has any more.
    pub fn gone(&self, report: &Report) -> Vec<&Known> {
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
        message: finding.message.clone(),
        cost_bytes: cost.load_bytes + cost.store_bytes + cost.memory_bytes,
        reason: String::new(),
    }
}

/// One block for each entry, sorted, so that a change of one finding is a change of one block.
fn print(mut known: Vec<Known>) -> String {
    known.sort();
    let entry = |entry: &Known| {
        json!({
            "rule": entry.rule,
            "pass": entry.pass,
            "object": entry.object,
            "message": entry.message,
            "cost_bytes": entry.cost_bytes,
            "reason": entry.reason,
            "fingerprint": entry.fingerprint,
        })
    };
    let known: Vec<Value> = known.iter().map(entry).collect();
    let document = json!({"schema": SCHEMA, "version": VERSION, "known": known});
    format!("{document:#}\n")
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
            message: text("message"),
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
    fn a_baseline_is_sorted_and_has_a_block_for_each_entry() {
        let text = print(vec![entry("msaa-store", "02"), entry("depth-store", "01")]);
        let rules: Vec<&str> = text.lines().filter(|line| line.contains("\"rule\"")).collect();
        let rule = |name: &str| format!("      \"rule\": \"{name}\",");
        assert_eq!(rules, [rule("depth-store"), rule("msaa-store")], "{text}");
        let added = print(vec![
            entry("msaa-store", "02"),
            entry("color-store", "03"),
            entry("depth-store", "01"),
        ]);
        let new = added.lines().count() - text.lines().count();
        assert_eq!(new, 9, "a new entry is a block of its own: {added}");
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
