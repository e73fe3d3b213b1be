//! Fixes are data: applied to the `Bad` listing of its own page, each makes its finding go away
//! and brings no other.

use std::fs;

use tilelint::rule::Rule;
use tilelint::rules;
use tilelint_tests::fixes::{mend, saved};
use tilelint_tests::page::path;

/// Rules whose fix is no edit of calls, and why.
const BY_HAND: &[(&str, &str)] = &[];

fn page(rule: &Rule) -> String {
    let path = path(rule);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_fix_mends_its_own_page() {
    let all: Vec<&'static Rule> = rules::all().collect();
    let (mut applied, mut problems) = (0, Vec::new());
    for rule in &all {
        let by_hand = BY_HAND.iter().find(|(name, _)| *name == rule.name);
        match (mend(&page(rule), rule, &all), by_hand) {
            (Ok(_), Some(_)) => problems.push(format!("{}: it has edits after all", rule.name)),
            (Err(_), Some(_)) => {}
            (Err(error), None) => problems.push(format!("{}: {error}", rule.name)),
            (Ok(mended), None) => {
                applied += 1;
                for one in &mended {
                    println!("{} {:?} {:?}", rule.name, one.promised, saved(one));
                }
                for one in mended.iter().filter(|one| !one.faults.is_empty()) {
                    let faults = one.faults.join("\n  ");
                    problems.push(format!("{}:\n  {faults}\n{}", rule.name, one.text));
                }
            }
        }
    }
    println!("{applied} of {} rules are mended by their edits", all.len());
    assert!(problems.is_empty(), "{}\n{}", problems.len(), problems.join("\n"));
}
