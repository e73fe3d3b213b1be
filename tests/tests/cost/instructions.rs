//! Instructions of each intercepted call over a layer that only forwards. Runs of two lengths are
//! compared, so that what happens once does not count.

use std::collections::BTreeMap;
use std::sync::Mutex;

use serde_json::Value;
use tilelint_tests::harness;

use super::{Layer, instructions};

/// So much more than the reference is a slow-down: a part of it, and what the growth of buffers
/// makes of a difference between runs.
const TOLERANCE: f64 = 0.10;
const SLACK: f64 = 15.0;

/// What is counted: a load in two sizes, and what of it.
struct Measure {
    name: &'static str,
    load: &'static str,
    /// `--units` or `--frames`, and the two sizes.
    varied: (&'static str, [u32; 2]),
    fixed: &'static [&'static str],
    counted: &'static str,
    /// Calls for one of the size.
    per: u32,
    /// Instructions over the empty layer that are the target; nothing where it is a time.
    target: Option<f64>,
    /// Instructions by which runs differ.
    slack: f64,
}

const fn recorded(name: &'static str, load: &'static str, target: Option<f64>) -> Measure {
    let (varied, fixed) = (("--units", [500, 2_000]), &["--frames", "1"]);
    Measure { name, load, varied, fixed, counted: "record", per: 1, target, slack: SLACK }
}

const DRAW: Measure = recorded("draw", "draws", Some(60.0));
const BIND_SET: Measure = recorded("bind-descriptor-set", "binds", Some(60.0));
const BIND_PIPELINE: Measure = recorded("bind-pipeline", "pipelines", Some(60.0));
const SINGLES: [&str; 13] = [
    "vkCmdDraw",
    "vkCmdDrawIndexed",
    "vkCmdDrawIndexedIndirect",
    "vkCmdBindVertexBuffers",
    "vkCmdBindVertexBuffers-2",
    "vkCmdBindIndexBuffer",
    "vkCmdBindDescriptorSets-2-dynamic",
    "vkCmdPushConstants-16",
    "vkCmdPushConstants-64",
    "vkCmdSetViewport",
    "vkCmdSetScissor",
    "vkCmdSetStencilReference",
    "vkCmdDispatch",
];
const BARRIER: Measure = recorded("barrier", "barriers", None);
const PASS: Measure = Measure {
    varied: ("--units", [50, 200]),
    ..recorded("begin-and-end-of-a-pass", "empty", None)
};
const SUBMIT: Measure = Measure {
    varied: ("--frames", [4, 20]),
    fixed: &["--units", "120"],
    counted: "submit",
    per: 3,
    // The lock and the wake-up depend on what the analysis does at that moment.
    slack: 800.0,
    ..recorded("submit", "engine", None)
};

const FILE: &str = "tests/data/instructions.json";

fn count(measure: &Measure, layer: Layer) -> f64 {
    let (option, sizes) = measure.varied;
    let of = |size: u32| {
        let size = size.to_string();
        let mut arguments = vec!["work", measure.load, option, &size];
        arguments.extend(["--counted", measure.counted].iter().chain(measure.fixed));
        instructions(layer, &arguments) as f64
    };
    (of(sizes[1]) - of(sizes[0])) / f64::from((sizes[1] - sizes[0]) * measure.per)
}

fn check(measure: &Measure) {
    let empty = count(measure, Layer::Empty);
    let counts = [("default", Layer::Default), ("all", Layer::All)]
        .map(|(name, layer)| (name, (count(measure, layer) - empty).round()));
    println!("{}: {counts:?} over {empty}", measure.name);
    if std::env::var_os("UPDATE").is_some() {
        update(measure.name, &counts);
    }
    let reference = references();
    for (name, count) in counts {
        let known = reference[measure.name][name].as_f64();
        let known = known.unwrap_or_else(|| panic!("{FILE}: no {}, {name}", measure.name));
        let most = known * (1.0 + TOLERANCE) + measure.slack;
        // A target that was met stays met, as far as another compiler lets it.
        let target = measure.target.filter(|target| known <= *target);
        let most = target.map_or(most, |target| most.min(target + measure.slack));
        assert!(
            count <= most,
            "{}, {name}: {count} instructions over the empty layer, at most {most}, {known} \
             before; if that is meant, UPDATE=1 writes it to {FILE}",
            measure.name
        );
    }
}

fn references() -> Value {
    let path = harness::root().join(FILE);
    let text = std::fs::read_to_string(path).unwrap_or_else(|_| "{}".to_owned());
    serde_json::from_str(&text).expect("the references are JSON")
}

/// Rewrites what the file says of one measure. The tests run side by side.
fn update(measure: &str, counts: &[(&str, f64)]) {
    static WRITING: Mutex<()> = Mutex::new(());
    let _writing = WRITING.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let known = serde_json::from_value(references());
    let mut known: BTreeMap<String, BTreeMap<String, u64>> = known.expect("numbers by name");
    let counts = counts.iter().map(|(name, count)| ((*name).to_owned(), *count as u64));
    known.insert(measure.to_owned(), counts.collect());
    let text = serde_json::to_string_pretty(&known).expect("numbers can be written");
    std::fs::write(harness::root().join(FILE), text + "\n").expect("the file can be written");
}

#[test]
fn a_draw() {
    check(&DRAW);
}

#[test]
fn a_bind_of_a_descriptor_set() {
    check(&BIND_SET);
}

#[test]
fn a_bind_of_a_pipeline() {
    check(&BIND_PIPELINE);
}

#[test]
fn each_of_the_other_frequent_commands() {
    for name in SINGLES {
        check(&recorded(name, name, Some(60.0)));
    }
}

#[test]
fn a_barrier() {
    check(&BARRIER);
}

#[test]
fn the_begin_and_end_of_a_pass() {
    check(&PASS);
}

#[test]
fn a_submit() {
    check(&SUBMIT);
}
