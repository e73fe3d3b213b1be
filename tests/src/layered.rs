//! The benchmark's program under a layer: the delivered one, an empty one, none.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::harness::{self, EMPTY_LAYER, EMPTY_NAME, LAYER, LAYER_NAME, NULL_DRIVER, TempDir};

/// What stands between the program and the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
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

/// The benchmark's program.
pub fn program() -> &'static Path {
    &built().program
}

/// A command that runs `program` (the benchmark, or what runs it) in a folder of its own.
pub fn command(program: &Path, layer: Layer, folder: &TempDir) -> Command {
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
