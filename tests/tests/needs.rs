//! Rules see what they say that they need: without everything else they say the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use tilelint::call::listing::{Listing, parse, parse_with_header};
use tilelint::call::{Call, Command, Entry, Executed, Recording};
use tilelint::config::Config;
use tilelint::finding::Finding;
use tilelint::lint::lint;
use tilelint::rule::{Needs, Rule};
use tilelint::rules;
use tilelint_tests::cases::cases;
use tilelint_tests::page;

/// The listings of all pages and cases, each with a name.
fn listings() -> Vec<(String, Listing)> {
    let mut found = Vec::new();
    for rule in rules::all() {
        for (line, info, text) in page::listings(rule.page) {
            let mut listing = parse_with_header(&info, &text).expect("the pages are right");
            listing.load_shaders(page::shader);
            found.push((format!("{}.md:{line}", rule.name), listing));
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    for case in cases(&folder).expect("there are cases") {
        found.push((case.name(), parse(&case.text).expect("the cases are right")));
    }
    let demo = fs::read_to_string(page::listings_folder().join("demo.calls")).expect("is there");
    found.push(("demo".to_owned(), parse(&demo).expect("the demo is right")));
    found
}

/// The listing as a program would be seen of which only these groups are intercepted.
fn seen(listing: &Listing, needs: Needs) -> Listing {
    let mut listing = listing.clone();
    listing.entries.retain(|entry| needs.has(Needs::of_call(&entry.call)));
    for entry in &mut listing.entries {
        see_entry(entry, needs);
    }
    listing
}

fn see_entry(entry: &mut Entry, needs: Needs) {
    match &mut entry.call {
        Call::Commands(_, recording) => *recording = Arc::new(see(recording, needs)),
        Call::Submit(submit) => {
            for submitted in submit.batches.iter_mut().flat_map(|batch| &mut batch.commands) {
                if let Some(recording) = &mut submitted.recording {
                    *recording = Arc::new(see(recording, needs));
                }
            }
        }
        _ => {}
    }
}

fn see(recording: &Recording, needs: Needs) -> Recording {
    let mut seen = recording.clone();
    seen.commands.clear();
    seen.lines.clear();
    for (index, command) in recording.commands.iter().enumerate() {
        if !needs.has(Needs::of(command)) {
            continue;
        }
        let before = seen.commands.len();
        match command {
            // What stood between two of them may be gone.
            Command::Draw(draw) => seen.draw(*draw),
            Command::Dispatch(dispatch) => seen.dispatch(*dispatch),
            Command::Execute(list) => {
                let one = |executed: &Executed| Executed {
                    key: executed.key,
                    recording: executed.recording.as_ref().map(|r| Arc::new(see(r, needs))),
                };
                seen.push(Command::Execute(list.iter().map(one).collect()));
            }
            other => seen.push(other.clone()),
        }
        if seen.commands.len() > before {
            seen.lines.extend(recording.lines.get(index));
        }
    }
    seen
}

/// All rules, on, and with no rule under another: what one says does not depend on the others.
fn alone() -> Vec<&'static Rule> {
    let alone = |rule: &'static Rule| {
        let level = rule.level.max(tilelint::finding::Level::Info);
        &*Box::leak(Box::new(Rule { folds: &[], level, ..*rule }))
    };
    rules::all().map(alone).collect()
}

/// What each rule says of a listing.
fn said(listing: &Listing, all: &[&'static Rule]) -> BTreeMap<&'static str, BTreeSet<String>> {
    let mut config = Config::of(all.to_vec());
    config.take_targets(&listing.header, "listing").expect("the targets exist");
    let mut said: BTreeMap<&'static str, BTreeSet<String>> = BTreeMap::new();
    for finding in lint(listing, None, &config, None).session.findings() {
        said.entry(finding.rule).or_default().insert(whole(&finding));
    }
    said
}

fn whole(finding: &Finding) -> String {
    format!("{finding:?}")
}

#[test]
fn rules_see_no_more_than_they_need() {
    let all = alone();
    let kinds: BTreeSet<Needs> = all.iter().map(|rule| rule.needs).collect();
    let (mut faults, mut n_said) = (Vec::new(), 0);
    for (name, listing) in listings() {
        let whole = said(&listing, &all);
        for needs in &kinds {
            let of_kind: Vec<_> = all.iter().copied().filter(|r| r.needs == *needs).collect();
            n_said += of_kind.iter().filter(|rule| whole.contains_key(rule.name)).count();
            let seen = seen(&listing, *needs);
            if seen.entries == listing.entries {
                continue;
            }
            let less = said(&seen, &of_kind);
            for rule in of_kind {
                if whole.get(rule.name) != less.get(rule.name) {
                    faults.push(format!("{name}: {} reacts to what it does not need", rule.name));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(n_said > 500, "only {n_said} rules spoke: the listings show nothing");
}

/// What a recording lacks silences a rule or nothing: it makes none speak.
#[test]
fn a_recording_leads_no_rule_astray() {
    let all = alone();
    for (name, listing) in listings() {
        let seen = seen(&listing, Needs::RECORDING);
        if seen.entries == listing.entries {
            continue;
        }
        let whole = said(&listing, &all);
        for (rule, findings) in said(&seen, &all) {
            let known = whole.get(rule).is_some_and(|whole| findings.is_subset(whole));
            assert!(known, "{name}: {rule} says something else of the recording");
        }
    }
}

#[test]
fn the_groups_are_all_there_is() {
    let all = Needs::GROUPS.iter().fold(Needs::NONE, |needs, (_, group)| needs.and(*group));
    assert_eq!(all, Needs::ALL);
}
