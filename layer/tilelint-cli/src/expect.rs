//! `tilelint lint --expect`: listings with their expected verdicts beside them.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::Value;
use tilelint::config::Config;
use tilelint::finding::Level;
use tilelint::lint::lint;
use tilelint::rules;

use crate::lint::read;
use crate::{FOUND, LintArgs, Outcome};

const LISTING: &str = "calls";
const EXPECTED: &str = "expected.json";

/// What a case says of its listing.
#[derive(Debug, Default, PartialEq, Eq)]
struct Expectation {
    fire: Vec<String>,
    not_fire: Vec<String>,
    may_fire: Vec<String>,
    silent: bool,
}

/// Runs every case; exit code 1 when one fails, 2 when there is none.
pub fn run(args: &LintArgs, out: &mut dyn Write) -> Outcome {
    let config = args.settings.hermetic_config()?;
    let mut cases = BTreeSet::new();
    for path in &args.files {
        collect(path, true, &mut cases)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    }
    if cases.is_empty() {
        let message = "no case: no listing `NAME.calls` has a `NAME.expected.json` beside it";
        return Err(message.to_owned().into());
    }
    let mut failed = 0;
    for case in &cases {
        let problems = check(case, &config);
        if !problems.is_empty() {
            failed += 1;
            writeln!(out, "FAILED {}", case.display())?;
        }
        for problem in problems {
            writeln!(out, "  {problem}")?;
        }
    }
    writeln!(out, "{} of {} cases as expected", cases.len() - failed, cases.len())?;
    Ok(ExitCode::from(if failed == 0 { 0 } else { FOUND }))
}

/// Collects the listings of cases. One that was `named` is a case whatever stands beside it; in a
/// folder a listing without expectation is none, an expectation without listing fails.
fn collect(path: &Path, named: bool, cases: &mut BTreeSet<PathBuf>) -> io::Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            collect(&entry?.path(), false, cases)?;
        }
        return Ok(());
    }
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if let Some(stem) = name.strip_suffix(EXPECTED) {
        cases.insert(path.with_file_name(format!("{stem}{LISTING}")));
    } else if named || (name.ends_with(".calls") && path.with_extension(EXPECTED).exists()) {
        cases.insert(path.to_owned());
    }
    Ok(())
}

/// What is wrong with a case; empty when it is as expected.
fn check(path: &Path, config: &Config) -> Vec<String> {
    let beside = path.with_extension(EXPECTED);
    let expected = fs::read_to_string(&beside)
        .map_err(|error| format!("cannot read {}: {error}", beside.display()))
        .and_then(|text| parse(&text).map_err(|error| format!("{}: {error}", beside.display())));
    let (expected, (text, listing)) = match (expected, read(path)) {
        (Ok(expected), Ok(read)) => (expected, read),
        (expected, read) => return [expected.err(), read.err()].into_iter().flatten().collect(),
    };
    let mut config = config.clone();
    let mut problems = Vec::new();
    let name = path.display().to_string();
    problems.extend(config.take_targets(&listing.header, &name).err().map(|p| p.to_string()));
    for rule in expected.fire.iter().filter_map(|name| rules::by_name(name)) {
        if config.level_of(rule).value == Level::Allow {
            problems
                .extend(config.set_level(rule.name, Level::Warn, &name).err().map(|p| p.message));
        }
    }
    let linted = lint(&listing, Some(&text), &config, None);
    let mut fired: Vec<(&str, &str)> = Vec::new();
    for finding in &linted.judged.findings {
        fired.push((finding.rule, &finding.message));
        fired.extend(finding.notes.iter().map(|note| (note.rule, note.message.as_str())));
    }
    problems.extend(compare(&expected, &fired));
    problems
}

fn compare(expected: &Expectation, fired: &[(&str, &str)]) -> Vec<String> {
    let mut problems = Vec::new();
    for rule in &expected.fire {
        if !fired.iter().any(|(name, _)| name == rule) {
            let known = if rules::by_name(rule).is_some() { "" } else { " (no such rule)" };
            problems.push(format!("missing: {rule}{known}"));
        }
    }
    for (rule, message) in fired {
        let is = |list: &[String]| list.iter().any(|name| name == rule);
        let any = expected.silent && expected.fire.is_empty() && !is(&expected.may_fire);
        if is(&expected.not_fire) || any {
            problems.push(format!("must not fire: {rule}: {message}"));
        }
    }
    problems
}

/// Reads an expectation, also as the member `expected` of a larger object.
fn parse(text: &str) -> Result<Expectation, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let value = value.get("expected").unwrap_or(&value);
    if !value.is_object() {
        return Err("an expectation is an object".to_owned());
    }
    let list = |key: &str| match value.get(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => items
            .iter()
            .map(|item| item.as_str().map(str::to_owned))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| format!("`{key}` must be a list of rule names")),
        Some(_) => Err(format!("`{key}` must be a list of rule names")),
    };
    let silent = value.get("silent").map_or(Ok(false), |silent| {
        silent.as_bool().ok_or_else(|| "`silent` must be true or false".to_owned())
    })?;
    let expected = Expectation {
        fire: list("fire")?,
        not_fire: list("not_fire")?,
        may_fire: list("may_fire")?,
        silent,
    };
    if expected.fire.is_empty() && expected.not_fire.is_empty() && !silent {
        return Err("it expects nothing: give `fire`, `not_fire` or `silent`".to_owned());
    }
    Ok(expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(expected: &str, fired: &[&str]) -> Vec<String> {
        let fired: Vec<(&str, &str)> = fired.iter().map(|rule| (*rule, "x")).collect();
        compare(&parse(expected).expect("is an expectation"), &fired)
    }

    #[test]
    fn verdicts_are_compared() {
        let both = r#"{"fire": ["msaa-store"], "not_fire": ["depth-store"], "may_fire": []}"#;
        assert_eq!(problems(both, &["msaa-store", "color-store"]), Vec::<String>::new());
        assert_eq!(
            problems(both, &["depth-store"]),
            ["missing: msaa-store", "must not fire: depth-store: x"]
        );
        let silent = r#"{"expected": {"fire": [], "silent": true, "may_fire": ["color-store"]}}"#;
        assert_eq!(problems(silent, &["color-store"]), Vec::<String>::new());
        assert_eq!(problems(silent, &["msaa-store"]), ["must not fire: msaa-store: x"]);
        assert_eq!(
            problems(r#"{"fire": ["mssa-store"]}"#, &[]),
            ["missing: mssa-store (no such rule)"]
        );
    }

    #[test]
    fn an_expectation_must_say_something() {
        assert!(parse("{}").is_err());
        assert!(parse(r#"{"fire": "msaa-store"}"#).is_err());
        assert!(parse(r#"{"fire": [1]}"#).is_err());
        assert!(parse("[]").is_err());
        assert!(parse(r#"{"silent": true}"#).is_ok());
    }
}
