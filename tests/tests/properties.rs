//! What a listing is told does not depend on what has nothing to do with it: unrelated images,
//! passes and queues, the order of independent submissions, handles, names of the machine and
//! the number of frames.

#[path = "properties/exceptions.rs"]
mod exceptions;
#[path = "properties/order.rs"]
mod order;
#[path = "properties/renamed.rs"]
mod renamed;
#[path = "properties/strangers.rs"]
mod strangers;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use exceptions::{EXCEPTIONS, Exceptions};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use strangers::{PREFIXES, Place, STRANGERS, Stranger};
use tilelint::call::listing::parse;
use tilelint::finding::Finding;
use tilelint_tests::flat::{Flat, Source, judge, judge_text, sources, verdict};

/// Longer listings are left to other tests.
const MAX_BYTES: usize = 20_000;

/// `TILELINT_PROPERTIES=all` tries every stranger at every place of every listing.
fn everything() -> bool {
    std::env::var_os("TILELINT_PROPERTIES").is_some_and(|value| value == "all")
}

/// A finding about a stranger.
fn is_strange(finding: &Finding) -> bool {
    let at = &finding.location;
    let strange = |name: &String| PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    let names = [&at.image, &at.pass];
    let quotes = |text: &str| PREFIXES.iter().any(|prefix| text.contains(prefix));
    let objects = || finding.objects.iter().map(|(_, name)| name);
    names.iter().any(|name| name.as_ref().is_some_and(strange))
        || (!finding.objects.is_empty() && objects().all(strange))
        || finding.quote.lines.first().is_some_and(|line| quotes(&line.text))
}

/// What differs between two verdicts, but for findings about strangers.
fn differences(before: &[Finding], after: &[Finding]) -> Vec<(&'static str, String)> {
    let own: Vec<Finding> = after.iter().filter(|f| !is_strange(f)).cloned().collect();
    changed(before, &own)
}

/// What differs between two verdicts: rule and what was or is said.
fn changed(before: &[Finding], after: &[Finding]) -> Vec<(&'static str, String)> {
    let mut lines: BTreeMap<String, (i32, &'static str)> = BTreeMap::new();
    for finding in before {
        lines.entry(verdict(finding)).or_insert((0, finding.rule)).0 -= 1;
    }
    for finding in after {
        lines.entry(verdict(finding)).or_insert((0, finding.rule)).0 += 1;
    }
    let changed = lines.into_iter().filter(|(_, (count, _))| *count != 0);
    let sign = |count: i32| if count < 0 { '-' } else { '+' };
    changed.map(|(line, (count, rule))| (rule, format!("{} {line}", sign(count)))).collect()
}

/// A listing and what is said of it.
struct Judged {
    source: Source,
    flat: Flat,
    findings: Vec<Finding>,
    /// Some number of its own, which other listings do not change.
    number: usize,
}

/// Calls work on all items, on two cores.
fn on_all<T: Sync>(items: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            work(item);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
}

/// All listings, judged once.
fn all() -> &'static [Judged] {
    static ALL: OnceLock<Vec<Judged>> = OnceLock::new();
    ALL.get_or_init(|| {
        let sources = sources().into_iter().filter(|source| source.text.len() < MAX_BYTES);
        let sources: Vec<Mutex<Option<Source>>> = sources.map(|s| Mutex::new(Some(s))).collect();
        let all = Mutex::new(Vec::new());
        on_all(&sources, |source| {
            let source = source.lock().expect("nothing panics").take().expect("is taken once");
            let listing = source.read(&source.text);
            let flat = Flat::of(&listing);
            let findings = judge(listing);
            let letters = source.text.bytes().map(usize::from);
            let number = letters.fold(7, |hash, byte| (hash * 31 + byte) % 1_000_003);
            let judged = Judged { source, flat, findings, number };
            all.lock().expect("nothing panics").push(judged);
        });
        let mut all = all.into_inner().expect("nothing panics");
        all.sort_by(|a, b| a.source.name.cmp(&b.source.name));
        all
    })
}

/// Runs a check for all listings and asserts that it finds no faults.
fn for_all(check: impl Fn(&Judged) -> Vec<String> + Sync) {
    let faults = Mutex::new(Vec::new());
    on_all(all(), |judged| {
        let found = check(judged);
        faults.lock().expect("no check panics").extend(found);
    });
    let mut faults = faults.into_inner().expect("no check panics");
    faults.sort();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Faults as text.
fn told(faults: Vec<(&'static str, String)>, what: &str, source: &Source) -> Vec<String> {
    let told = |(rule, line)| format!("{rule} / {what}: {}\n    {line}", source.name);
    faults.into_iter().map(told).collect()
}

/// What a stranger changes, but for the exceptions.
fn join(exceptions: &Exceptions, stranger: &Stranger, place: Place, of: &Judged) -> Vec<String> {
    let Judged { source, flat, findings, .. } = of;
    if !flat.has_one_device() || flat.graphics().is_none() {
        return Vec::new();
    }
    let after = judge_text(&stranger.join(flat, place).text(), &source.name);
    let mut changed = differences(findings, &after);
    changed.retain(|(rule, _)| !exceptions.allow(rule, stranger.name));
    told(changed, &format!("{} {place:?}", stranger.name), source)
}

/// Lets strangers into all listings, a few into each: by turns all of them stand everywhere.
fn join_all(strangers: &[&Stranger], few: usize, place: fn(usize) -> Place, test: &'static str) {
    let exceptions = Exceptions::new(test);
    for_all(|judged| {
        let turns = (0..few).map(|turn| judged.number / 3 + turn * 2);
        let one = |turn: usize| {
            let place = place([0, 99, 1][(judged.number + turn) % 3]);
            join(&exceptions, strangers[turn % strangers.len()], place, judged)
        };
        turns.flat_map(one).collect()
    });
}

/// An exception that nothing needs would hide the next mistake.
#[test]
fn exceptions_for_strangers_are_needed() {
    let of_strangers = EXCEPTIONS.iter().filter(|e| ["submit", "inside"].contains(&e.test));
    for exception in of_strangers {
        let place = if exception.test == "submit" { Place::Submit } else { Place::Inside };
        let none = Exceptions::new("none");
        let listings = all().iter().filter(|j| j.source.name.starts_with(exception.shown_by));
        let strangers = || STRANGERS.iter().filter(|s| exception.by.contains(&s.name));
        let needed = listings.flat_map(|judged| {
            let none = &none;
            let all = strangers().flat_map(|s| [0, 1, 2, 99].map(|at| (s, place(at))));
            all.flat_map(move |(stranger, place)| join(none, stranger, place, judged))
        });
        let head = format!("{} /", exception.rule);
        assert!(needed.into_iter().any(|fault| fault.starts_with(&head)), "{exception:?}");
    }
}

#[test]
fn strangers_change_nothing() {
    let strangers: Vec<&Stranger> = STRANGERS.iter().collect();
    let few = if everything() { strangers.len() * 3 } else { 2 };
    join_all(&strangers, few, Place::Submit, "submit");
}

#[test]
fn strangers_in_a_command_buffer_change_nothing() {
    let strangers: Vec<&Stranger> = STRANGERS.iter().filter(|s| s.fits_inside()).collect();
    let few = if everything() { strangers.len() * 3 } else { 1 };
    join_all(&strangers, few, Place::Inside, "inside");
}

/// A second queue that draws, with findings of its own: wherever its submissions stand among the
/// others, everything that is said stays.
#[test]
fn the_order_of_independent_submissions_changes_nothing() {
    let stranger = strangers::drawing_queue();
    let (tried, said) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for_all(|Judged { source, flat, number, .. }| {
        let submits = order::submits(flat);
        let chosen = everything() || submits > 1 || number % 4 == 0;
        if flat.frame_end.is_none() || !flat.has_one_device() || submits == 0 || !chosen {
            return Vec::new();
        }
        tried.fetch_add(1, Ordering::Relaxed);
        let at = |at| judge_text(&stranger.join(flat, Place::Submit(at)).text(), &source.name);
        let first = at(0);
        said.fetch_add(first.len(), Ordering::Relaxed);
        let others = (1..=submits).filter(|n| *n == 1 || *n == submits);
        others.flat_map(|n| told(changed(&first, &at(n)), "order", source)).collect()
    });
    let (tried, said) = (tried.into_inner(), said.into_inner());
    println!("{said} findings about {tried} listings beside another queue");
    assert!(tried >= 100 && said >= tried, "{said} findings about {tried} listings");
}

/// Rule and fingerprint of findings, sorted.
fn identities(findings: &[Finding]) -> Vec<(&'static str, String)> {
    let one = |f: &Finding| (f.rule, format!("{} {:016x}", f.rule, f.fingerprint));
    let mut all: Vec<_> = findings.iter().map(one).collect();
    all.sort();
    all
}

/// Identities that only one of two verdicts has.
fn strayed(before: &[Finding], after: &[Finding]) -> Vec<(&'static str, String)> {
    let (before, after) = (identities(before), identities(after));
    let gone = before.iter().filter(|one| !after.contains(one));
    let new = after.iter().filter(|one| !before.contains(one));
    let gone = gone.map(|(rule, text)| (*rule, format!("- {text}")));
    gone.chain(new.map(|(rule, text)| (*rule, format!("+ {text}")))).collect()
}

#[test]
fn fingerprints_survive_another_order_of_passes() {
    let exceptions = Exceptions::new("order");
    let tried = AtomicUsize::new(0);
    for_all(|Judged { source, findings, .. }| {
        let Some(swapped) = order::swap_passes(&source.text) else { return Vec::new() };
        tried.fetch_add(1, Ordering::Relaxed);
        let mut faults = strayed(findings, &judge(source.read(&swapped)));
        faults.retain(|(rule, _)| !exceptions.allow(rule, "swapped"));
        told(faults, "passes swapped", source)
    });
    exceptions.all_needed();
    let tried = tried.into_inner();
    println!("{tried} listings have unrelated passes in a row");
    assert!(tried >= 20, "only {tried} listings have unrelated passes in a row");
}

#[test]
fn handles_and_names_of_the_machine_change_nothing() {
    for_all(|Judged { source, flat, findings, number }| {
        let other = renamed::on_another_machine(flat);
        let order =
            if number % 2 == 0 { renamed::Handles::Reversed } else { renamed::Handles::Far };
        let listing = renamed::with_other_handles(&other, order, &source.name);
        let same = parse(&other.text()).is_ok_and(|own| own.entries == listing.entries);
        assert!(!same, "{} has other handles", source.name);
        told(differences(findings, &judge(listing)), "another machine", source)
    });
}

#[test]
fn fingerprints_survive_more_frames() {
    let exceptions = Exceptions::new("frames");
    let tried = AtomicUsize::new(0);
    for_all(|Judged { source, findings, .. }| {
        let Some(longer) = renamed::with_more_frames(&source.text) else { return Vec::new() };
        tried.fetch_add(1, Ordering::Relaxed);
        let mut faults = strayed(findings, &judge(source.read(&longer)));
        faults.retain(|(rule, line)| line.starts_with('-') || !exceptions.allow(rule, "more"));
        told(faults, "more frames", source)
    });
    exceptions.all_needed();
    assert!(tried.into_inner() > 400, "most listings repeat a frame");
}

proptest! {
    // Every run tries the same; nothing is written to disk.
    #![proptest_config(ProptestConfig {
        cases: 96,
        rng_seed: RngSeed::Fixed(20_791),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Two strangers at any two places.
    #[test]
    fn any_two_strangers_change_nothing(
        listing in any::<prop::sample::Index>(),
        strangers in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
        places in (0..6usize, 0..6usize),
    ) {
        let of = listing.get(all());
        let Judged { source, flat, findings, .. } = of;
        prop_assume!(flat.has_one_device() && flat.graphics().is_some());
        let first = strangers.0.get(STRANGERS);
        let second = strangers.1.get(STRANGERS);
        prop_assume!(first.name != second.name);
        let joined = first.join(flat, Place::Submit(places.0));
        let joined = second.again().join(&joined, Place::Submit(places.1));
        let after = judge_text(&joined.text(), &source.name);
        let exceptions = Exceptions::new("submit");
        let mut changed = differences(findings, &after);
        changed.retain(|(rule, _)| {
            !exceptions.allow(rule, first.name) && !exceptions.allow(rule, second.name)
        });
        let told = told(changed, &format!("{} and {}", first.name, second.name), source);
        prop_assert!(told.is_empty(), "{}", told.join("\n"));
    }
}
