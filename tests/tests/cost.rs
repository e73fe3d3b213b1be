//! What the layer costs, counted and not timed: instructions, memory, and growth with size. The
//! layer is the one that is delivered; the program and the driver below it are the benchmark's.

#[path = "cost/instructions.rs"]
mod instructions;
#[path = "cost/memory.rs"]
mod memory;
#[path = "cost/scale.rs"]
mod scale;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;
use tilelint_tests::harness::{self, LAYER, LAYER_NAME, NULL_DRIVER, TempDir, run};

const EMPTY_LAYER: &str = "tilelint-empty-layer";
const EMPTY_NAME: &str = "VK_LAYER_TILELINT_empty";

/// What stands between the program and the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layer {
    /// Nothing.
    None,
    /// A layer that only forwards.
    Empty,
    /// tilelint as it is delivered.
    Default,
    /// tilelint with every rule on.
    All,
}

/// The libraries and the program, built once.
struct Built {
    driver: PathBuf,
    layer: PathBuf,
    empty: PathBuf,
    program: PathBuf,
}

fn built() -> &'static Built {
    static BUILT: OnceLock<Built> = OnceLock::new();
    BUILT.get_or_init(|| Built {
        driver: harness::build_delivered(NULL_DRIVER),
        layer: harness::build_delivered(LAYER),
        empty: harness::build_delivered(EMPTY_LAYER),
        program: harness::build_program("tilelint-bench"),
    })
}

/// A command that runs `program` (the benchmark, or what runs it) in a folder of its own.
fn command(program: &Path, layer: Layer, folder: &TempDir) -> Command {
    let built = built();
    let mut command = harness::vulkan_command(program, &folder.driver_manifest(&built.driver));
    folder.layer_manifest(EMPTY_NAME, &built.empty);
    command.env("VK_LAYER_PATH", folder.layer_manifest(LAYER_NAME, &built.layer));
    command.env("VK_LOADER_LAYERS_DISABLE", "~implicit~").env_remove("TILELINT_EVERY_FRAME");
    command.env("HOME", folder.path()).current_dir(folder.path());
    match layer {
        Layer::None => {}
        Layer::Empty => {
            command.env("VK_INSTANCE_LAYERS", EMPTY_NAME);
        }
        Layer::Default => {
            command.env("VK_INSTANCE_LAYERS", LAYER_NAME);
        }
        Layer::All => {
            command.env("VK_INSTANCE_LAYERS", LAYER_NAME).env("TILELINT_LEVELS", "all=warn");
        }
    }
    command
}

/// What the benchmark says of a load that runs under a layer.
fn work(layer: Layer, arguments: &[&str], prepare: impl FnOnce(&mut Command)) -> Value {
    let folder = TempDir::new();
    let mut command = command(&built().program, layer, &folder);
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
    command.arg("--callgrind-out-file=/dev/null").arg(&built().program).args(arguments);
    let ran = run(&mut command).ok();
    let line = ran.stderr.lines().find_map(|line| line.split_once("Collected : "));
    let number = line.and_then(|(_, number)| number.trim().parse().ok());
    number.unwrap_or_else(|| panic!("valgrind counted nothing: {}", ran.stderr))
}
