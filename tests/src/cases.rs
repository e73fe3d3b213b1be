//! Listings as tests: linting text, and comparing verdicts with what a case expects.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tilelint::call::listing::parse;
use tilelint::config::Config;
use tilelint::finding::Finding;
use tilelint::lint::lint;
use tilelint::rules;

/// Lints a listing for its targets with all rules at their defaults.
///
/// # Errors
///
/// The listing cannot be read, or names an unknown target.
pub fn findings(text: &str) -> Result<Vec<Finding>, String> {
    let listing = parse(text).map_err(|error| error.to_string())?;
    let mut config = Config::of(rules::all().collect());
    config.take_targets(&listing.header, "listing").map_err(|problem| problem.to_string())?;
    Ok(lint(&listing, Some(text), &config, None).judged.findings)
}

/// The rules that fired: findings and the notes under them.
pub fn fired(findings: &[Finding]) -> BTreeSet<&'static str> {
    findings.iter().flat_map(|f| f.notes.iter().map(|note| note.rule).chain([f.rule])).collect()
}

/// A listing with the verdict it must get.
pub struct Case {
    /// The listing.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    expected: Value,
}

/// The cases of a folder and the folders in it, by name.
///
/// # Errors
///
/// A folder has no cases, or a listing and its `.expected.json` are not both readable.
pub fn cases(folder: &Path) -> Result<Vec<Case>, String> {
    let read = |path: &Path| {
        fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            found.extend(cases(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "calls") {
            let expected = read(&path.with_extension("expected.json"))?;
            let expected = serde_json::from_str(&expected)
                .map_err(|error| format!("{}: {error}", path.display()))?;
            found.push(Case { text: read(&path)?, path, expected });
        } else if path.to_string_lossy().ends_with(".expected.json") {
            // An expectation that lost its listing would be forgotten in silence.
            read(&path.with_extension("").with_extension("calls"))?;
        }
    }
    if found.is_empty() {
        return Err(format!("{}: no cases", folder.display()));
    }
    Ok(found)
}

/// How a case went.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What is wrong with the findings; empty where nothing is.
    pub faults: Vec<String>,
    /// Expected rules that this build does not have.
    pub not_covered: Vec<String>,
}

impl Case {
    /// Lints the case and compares.
    pub fn run(&self) -> Outcome {
        self.judge(&self.text)
    }

    /// Lints a text, a variant of the case's own, and compares.
    pub fn judge(&self, text: &str) -> Outcome {
        let mut outcome = Outcome::default();
        let findings = match findings(text) {
            Ok(findings) => findings,
            Err(error) => {
                outcome.faults.push(error);
                return outcome;
            }
        };
        let fired = fired(&findings);
        for rule in self.list("fire") {
            if rules::by_name(&rule).is_none() {
                outcome.not_covered.push(rule);
            } else if !fired.contains(rule.as_str()) {
                outcome.faults.push(format!("{rule} must fire and does not"));
            }
        }
        for rule in self.list("not_fire") {
            if fired.contains(rule.as_str()) {
                outcome.faults.push(format!("{rule} fires and must not"));
            }
        }
        if self.is_silent() {
            let heard = findings.iter().map(|f| format!("{}: {}", f.rule, f.message));
            outcome.faults.extend(heard);
        }
        if let Some(counts) = self.expected.get("count").and_then(Value::as_object) {
            for (rule, count) in counts {
                let seen: Vec<u64> =
                    findings.iter().filter(|f| f.rule == rule).map(|f| f.count).collect();
                if seen.len() != 1 || Some(seen[0]) != count.as_u64() {
                    let fault = format!("{rule}: counts {seen:?} where one of {count} is expected");
                    outcome.faults.push(fault);
                }
            }
        }
        outcome
    }

    /// The whole listing must give no finding at all.
    pub fn is_silent(&self) -> bool {
        self.expected.get("silent").and_then(Value::as_bool).unwrap_or(false)
    }

    /// A list of rule names of the expectation.
    pub fn list(&self, key: &str) -> Vec<String> {
        let list = self.expected.get(key).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(|rule| rule.as_str().map(str::to_owned)).collect()
    }

    /// Name of the case.
    pub fn name(&self) -> String {
        self.path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
    }
}
