//! Every case under `tests/cases` gets the verdict that stands beside it.
//!
//! `TILELINT_CASES` names one more folder, so that further cases run without touching code.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tilelint::call::listing::{parse, print};
use tilelint::rules;
use tilelint_tests::cases::{cases, findings};

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
    if let Some(further) = std::env::var_os("TILELINT_CASES") {
        run(Path::new(&further));
    }
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
fn kinds_of_programs() {
    run(&folder("kinds"));
}

/// Guards that are silent because of a reader speak once the reader is gone: their silence is no
/// accident. Some have another reason to be silent: an alias, a LOAD that keeps the content alive,
/// a content seen too rarely.
#[test]
fn guards_speak_without_their_readers() {
    let cases = cases(&folder("guards")).expect("the folder has cases");
    let (mut tried, mut mute) = (0, Vec::new());
    for case in cases.iter().filter(|case| case.text.contains(" reads=")) {
        let without = |line: &str| {
            let reads = |word: &&str| !word.starts_with("reads=");
            let indent = &line[..line.len() - line.trim_start().len()];
            indent.to_owned() + &line.split_whitespace().filter(reads).collect::<Vec<_>>().join(" ")
        };
        let lines = case.text.lines().filter(|line| !line.trim_start().starts_with("copy "));
        let text = lines.map(without).collect::<Vec<_>>().join("\n");
        tried += 1;
        if findings(&text).expect("the listing is read").is_empty() {
            mute.push(case.name());
        }
    }
    let spoke = tried - mute.len();
    println!("{spoke} of {tried} guards with readers speak without them; silent still: {mute:?}");
    assert!(spoke >= 35 && mute.len() * 3 < tried, "too many are silent anyway: {mute:?}");
}

/// One cause is one finding: what else holds for it stands in its notes.
#[test]
fn a_cause_is_said_once() {
    let expected = [
        // Samples that travel over a boundary, which is a boundary too many, and one format.
        ("P40", "split-pass msaa-store msaa-store color-store color-store slow-resolve-format"),
        ("P71", "split-pass msaa-store msaa-store color-store"),
        // Depth that a command clears needs no way back either.
        ("P26", "msaa-roundtrip resolve-outside-pass clear-in-pass"),
        // What lives in the tile once its content is right depends on how it is put right.
        ("P66", "discard-then-load"),
        // Three reasons against one dependency.
        (
            "P12",
            "subpass-dep-wide-stage intermediate-subpass-store intermediate-subpass-store \
                 many-bins",
        ),
    ];
    let all = cases(&folder("field")).expect("the folder has cases");
    for (name, rules) in expected {
        let case = all.iter().find(|case| case.name().starts_with(name)).expect("a field case");
        let said = findings(&case.text).expect("the listing is read");
        let said: Vec<&str> = said.iter().map(|finding| finding.rule).collect();
        assert_eq!(said.join(" "), rules, "{name}");
    }
}

#[test]
fn an_empty_folder_is_an_error() {
    assert!(cases(&folder("../src")).is_err());
}

/// A recording is a printed listing: what is printed means what was read.
#[test]
fn printed_cases_get_the_same_verdict() {
    for case in cases(&folder("")).expect("the folder has cases") {
        let listing = parse(&case.text).expect("the listing is read");
        let mut printed = print(&listing.header, &listing.entries);
        if listing.has_frames {
            assert!(printed.contains("\nframe"), "{}", case.name());
        }
        printed.push('\n');
        let again = parse(&printed).unwrap_or_else(|error| panic!("{}: {error}", case.name()));
        assert!(again.entries == listing.entries, "{}", case.name());
        let outcome = case.judge(&printed);
        assert!(outcome.faults.is_empty(), "{}: {:?}", case.name(), outcome.faults);
    }
}
