//! Instructions of each intercepted call over a layer that only forwards, as gungraun counts them
//! (`tests/instructions`, a row there for each), beside the reference.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;
use tilelint_tests::counted::{LAYERS, MEASURES, Measure};
use tilelint_tests::harness::{self, TempDir, run};

/// So much more than the reference is a slow-down: a part of it, and at least so many.
const TOLERANCE: f64 = 0.10;
const TOLERANCE_MIN: i64 = 2;
const FILE: &str = "tests/data/instructions.json";

/// So often is counted again what is too much: a hash table that probes once more, as addresses
/// fall, is there in one run, and a slow-down in every run.
const AGAIN: usize = 2;

type Counts = BTreeMap<&'static str, BTreeMap<&'static str, i64>>;

/// What gungraun says of the benchmarks whose names fit a pattern. All members of the workspace
/// stand in the command so that cargo takes what `cargo test --workspace` has built.
fn summaries(pattern: &str) -> Vec<Value> {
    let profile = if cfg!(debug_assertions) { "dev" } else { "bench" };
    // Containers may forbid it, and gungraun does not ask.
    let fixed = Command::new("setarch").args(["-R", "true"]).status();
    let random = !fixed.is_ok_and(|status| status.success());
    let folder = TempDir::new();
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["bench", "--workspace", "--bench", "instructions", "--profile", profile, "--"]);
    cargo.args(["--output-format=json", "--parallel=auto", &format!("--allow-aslr={random}")]);
    cargo.arg("--home").arg(folder.path()).arg(pattern).current_dir(harness::root());
    let ran = run(&mut cargo).ok();
    ran.stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// What one call takes over the first of the layers.
fn count(measures: &[&'static Measure]) -> Counts {
    let pattern = match measures {
        [one] => format!("*::{}::*", one.benchmark()),
        _ => "*".to_owned(),
    };
    let summaries = summaries(&pattern);
    let of_run = |measure: &Measure, run: &str| {
        let is_it = |summary: &&Value| {
            summary["function_name"] == *measure.benchmark() && summary["id"] == *run
        };
        let summary = summaries.iter().find(is_it);
        let total = summary.map(|s| &s["profiles"][0]["data"]["total"]["metrics"]["Ir"]);
        // Nothing is counted where the function that is counted is not found.
        let count = total.and_then(|ir| ir["values"]["new"].as_u64()).filter(|count| *count > 0);
        count.unwrap_or_else(|| panic!("{}, {run}: nothing was counted", measure.name))
    };
    let of = |measure: &Measure, layer: &str| {
        measure.of_one(measure.runs(layer).map(|(run, _)| of_run(measure, &run)))
    };
    let [(floor, _), layers @ ..] = LAYERS;
    let over = |measure: &&'static Measure| {
        let floor = of(measure, floor);
        let over = layers.map(|(layer, _)| (layer, (of(measure, layer) - floor).round() as i64));
        (measure.name, over.into())
    };
    measures.iter().map(over).collect()
}

fn with_tolerance(count: i64) -> i64 {
    count + ((count as f64 * TOLERANCE) as i64).max(TOLERANCE_MIN)
}

/// What the file is to say of a count: a target that was met stays met, as far as another compiler
/// lets it.
fn reference(measure: &Measure, count: i64, known: Option<i64>) -> i64 {
    let met = known.zip(measure.target).filter(|(known, target)| known <= target);
    met.filter(|(_, target)| count > with_tolerance(*target)).map_or(count, |(known, _)| known)
}

/// What is wrong with a count, if anything is.
fn complaint(measure: &Measure, layer: &str, count: i64, known: Option<i64>) -> Option<String> {
    let name = measure.name;
    let Some(known) = known else { return Some(format!("{name}, {layer}: {count}, not known")) };
    // A layer that is not there would cost nothing.
    if known > 0 && count <= 0 {
        return Some(format!("{name}, {layer}: no more than the empty layer: was it loaded?"));
    }
    let most = with_tolerance(known);
    (count > most).then(|| {
        format!(
            "{name}, {layer}: {count} instructions over the empty layer, at most {most}, {known} \
             before"
        )
    })
}

/// What the file says, of a measure and a layer.
fn references() -> Value {
    let text = std::fs::read_to_string(harness::root().join(FILE)).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

fn update(mut counts: Counts) {
    let known = references();
    for measure in MEASURES {
        for (layer, count) in counts.get_mut(measure.name).into_iter().flatten() {
            *count = reference(measure, *count, known[measure.name][layer].as_i64());
        }
    }
    let text = serde_json::to_string_pretty(&counts).expect("numbers can be written");
    std::fs::write(harness::root().join(FILE), text + "\n").expect("the file can be written");
}

/// What is wrong with counts, beside the reference.
fn complaints(counts: &Counts) -> Vec<(&'static Measure, String)> {
    let known = references();
    let of = |measure: &'static Measure| {
        let known = &known[measure.name];
        counts.get(measure.name).into_iter().flatten().filter_map(move |(layer, count)| {
            Some((measure, complaint(measure, layer, *count, known[layer].as_i64())?))
        })
    };
    MEASURES.iter().flat_map(of).collect()
}

#[test]
fn no_call_takes_more_than_before() {
    // gungraun runs it: without it, this says how to get it.
    run(Command::new("valgrind").arg("--version")).ok();
    let mut counts = count(&MEASURES.iter().collect::<Vec<_>>());
    println!("{counts:#?}");
    if std::env::var_os("UPDATE").is_some() {
        update(counts.clone());
    }
    for _ in 0..AGAIN {
        let mut again: Vec<_> = complaints(&counts).into_iter().map(|(of, _)| of).collect();
        again.dedup_by_key(|measure| measure.name);
        for measure in again {
            for (layer, count) in count(&[measure]).remove(measure.name).into_iter().flatten() {
                let layers = counts.entry(measure.name).or_default();
                layers.entry(layer).and_modify(|least| *least = count.min(*least));
            }
        }
    }
    let complaints: Vec<String> = complaints(&counts).into_iter().map(|(_, text)| text).collect();
    let text = complaints.join("\n");
    assert!(complaints.is_empty(), "{text}\nif that is meant, UPDATE=1 writes it to {FILE}");
}

#[test]
fn ten_instructions_more_in_a_draw_or_a_missing_layer_are_told() {
    let draw = MEASURES.iter().find(|measure| measure.name == "draw").expect("it is counted");
    let complains =
        |count: i64, known: Option<i64>| complaint(draw, "default", count, known).is_some();
    assert!(!complains(78, Some(78)));
    assert!(!complains(85, Some(78)));
    assert!(complains(88, Some(78)));
    assert!(complains(0, Some(78)));
    assert!(complains(78, None));
    // What is not intercepted costs less than the empty layer.
    assert!(!complains(-20, Some(-20)));
    assert!(complains(-10, Some(-20)));
}

#[test]
fn a_target_that_was_met_stays_met() {
    let draw = MEASURES.iter().find(|measure| measure.name == "draw").expect("it is counted");
    assert_eq!(draw.target, Some(60));
    assert_eq!(reference(draw, 66, Some(58)), 66);
    assert_eq!(reference(draw, 67, Some(58)), 58);
    assert_eq!(reference(draw, 80, Some(78)), 80);
    assert_eq!(reference(draw, 80, None), 80);
}
