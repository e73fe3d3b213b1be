//! The tool with everything beside it, and a folder to work in.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tilelint_tests::harness::{self, LAYER, NULL_DRIVER, Ran, TempDir, root, run};

/// A listing with one mistake.
pub const BAD: &str = "bad.calls";
/// A listing with none.
pub const GOOD: &str = "good.calls";

/// A folder that holds both listings.
pub struct Stage {
    folder: TempDir,
    tool: PathBuf,
    player: PathBuf,
}

impl Stage {
    /// Builds the tool, the layer, the driver and the player; cargo puts them side by side.
    pub fn new() -> Stage {
        let tool = harness::build_program("tilelint-cli");
        let player = harness::build_program("tilelint-player");
        for package in [LAYER, NULL_DRIVER] {
            let library = harness::build_cdylib(package);
            assert_eq!(library.parent(), tool.parent(), "the tool finds what lies beside it");
        }
        let folder = TempDir::new();
        folder.write(BAD, listing("STORE"));
        folder.write(GOOD, listing("DONT_CARE"));
        Stage { folder, tool, player }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn program(&self) -> &Path {
        &self.tool
    }

    pub fn exists(&self, name: &str) -> bool {
        self.folder().join(name).exists()
    }

    #[track_caller]
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    #[track_caller]
    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// A file is SARIF by its official schema.
    #[track_caller]
    pub fn fits_sarif(&self, name: &str) {
        let mut check = Command::new("python3");
        check.arg("-c").arg(
            "import json, sys, jsonschema\n\
             schema, document = (json.load(open(path)) for path in sys.argv[1:])\n\
             jsonschema.Draft7Validator.check_schema(schema)\n\
             jsonschema.Draft7Validator(schema).validate(document)\n",
        );
        check.arg(root().join("tests/data/schemas/sarif-2.1.0.json"));
        run(check.arg(self.folder().join(name))).ok();
    }

    /// The tool, which knows no driver but those it is told to take.
    pub fn tool(&self, arguments: &[&str]) -> Command {
        let mut command = harness::vulkan_command(&self.tool, Path::new("/no/driver.json"));
        command.args(arguments).current_dir(self.folder()).env("PLAYER", &self.player);
        command.env_remove("TILELINT_EVERY_FRAME");
        command
    }

    /// `tilelint run` of the player with a listing.
    pub fn command(&self, options: &[&str], listing: &str) -> Command {
        let mut command = self.tool(&["run", "--driver", "null"]);
        command.args(options).arg("--").arg(&self.player).arg(listing);
        command
    }

    /// Runs that.
    pub fn run(&self, options: &[&str], listing: &str) -> Ran {
        run(&mut self.command(options, listing))
    }

    fn script(&self, options: &[&str], script: &str) -> Command {
        let mut command = self.tool(&["run", "--driver", "null"]);
        command.args(options).args(["--", "sh", "-c", script]);
        command
    }

    /// Runs a script of the shell under the tool; `$PLAYER` is the player.
    pub fn shell(&self, options: &[&str], script: &str) -> Ran {
        run(&mut self.script(options, script))
    }

    /// Starts a script under the tool.
    pub fn start(&self, options: &[&str], script: &str) -> Child {
        let mut command = self.script(options, script);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the tool starts")
    }
}

/// What a program wrote.
pub fn as_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn listing(store: &str) -> String {
    let path = root().join("tests/tests/cli_run/frame.calls");
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.replace("store=ms", &format!("store={store}"))
}
