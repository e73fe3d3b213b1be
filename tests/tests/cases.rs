//! Every case under `tests/cases` gets the verdict that stands beside it.
//!
//! `TILELINT_CASES` names one more folder, so that further cases run without touching code.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tilelint::rules;
use tilelint_tests::cases::cases;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases").join(name)
}

fn run(folder: &Path) -> usize {
    let cases = cases(folder).expect("the folder has cases, each with its expectation");
    let mut faults = Vec::new();
    let mut not_covered: BTreeMap<String, usize> = BTreeMap::new();
    for case in &cases {
        let outcome = case.run();
        faults.extend(outcome.faults.iter().map(|fault| format!("{}: {fault}", case.name())));
        for rule in outcome.not_covered {
            *not_covered.entry(rule).or_default() += 1;
        }
    }
    println!("{}: {} cases", folder.display(), cases.len());
    let count: usize = not_covered.values().sum();
    println!("not covered by the rules of this build: {count} expectations {not_covered:?}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    cases.len()
}

#[test]
fn field_cases() {
    assert_eq!(run(&folder("field")), 60);
}

#[test]
fn guards_are_silent() {
    let cases = cases(&folder("guards")).expect("the folder has cases");
    let loud: Vec<_> = cases.iter().filter(|case| !case.is_silent()).map(|c| c.name()).collect();
    assert!(loud.is_empty(), "guards that do not ask for silence: {loud:?}");
    run(&folder("guards"));
}

#[test]
fn counterparts_fire() {
    let cases = cases(&folder("fire")).expect("the folder has cases");
    for case in &cases {
        let known = |rule: &String| rules::by_name(rule).is_some();
        assert!(case.list("fire").iter().any(known), "{} asks for nothing", case.name());
    }
    run(&folder("fire"));
}

#[test]
fn further_cases() {
    if let Some(folder) = std::env::var_os("TILELINT_CASES") {
        run(Path::new(&folder));
    }
}

#[test]
fn an_empty_folder_is_an_error() {
    assert!(cases(&folder("../src")).is_err());
}
