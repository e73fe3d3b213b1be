//! What the layer costs, counted and not timed: instructions, memory, and growth with size. The
//! layer is the one that is delivered; the program and the driver below it are the benchmark's.

#[path = "cost/instructions.rs"]
mod instructions;
#[path = "cost/memory.rs"]
mod memory;
#[path = "cost/scale.rs"]
mod scale;

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tilelint_tests::harness::{TempDir, run};
use tilelint_tests::layered::{Layer, command, program};

/// What the benchmark says of a load that runs under a layer.
fn work(layer: Layer, arguments: &[&str], prepare: impl FnOnce(&mut Command)) -> Value {
    let folder = TempDir::new();
    let mut command = command(program(), layer, &folder);
    command.arg("work").args(arguments);
    prepare(&mut command);
    let ran = run(&mut command).ok();
    let text = ran.stdout.lines().last().unwrap_or_default();
    let value = serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {}", ran.stdout));
    // A layer that is not there would cost nothing.
    let report = folder.path().join("tilelint-report.json").is_file();
    assert_eq!(report, matches!(layer, Layer::Default | Layer::All), "{}", ran.stderr);
    value
}

/// Instructions inside the benchmark's counted function, by the thread that calls it.
fn instructions(layer: Layer, arguments: &[&str]) -> u64 {
    let folder = TempDir::new();
    let mut command = command(Path::new("valgrind"), layer, &folder);
    command.args(["--tool=callgrind", "--toggle-collect=*measure::counted*"]);
    command.arg("--callgrind-out-file=/dev/null").arg(program()).args(arguments);
    let ran = run(&mut command).ok();
    let line = ran.stderr.lines().find_map(|line| line.split_once("Collected : "));
    let number = line.and_then(|(_, number)| number.trim().parse().ok());
    number.unwrap_or_else(|| panic!("valgrind counted nothing: {}", ran.stderr))
}
