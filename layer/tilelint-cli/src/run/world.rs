//! What the program finds around it: a private folder with the manifests, and the environment.

use std::env;
use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tilelint::config::{BUILT_IN, Config, TextSink};
use tilelint::report::{Report, from_json};

use super::layer::manifest_folders;
use crate::join::join;

/// The layer's explicit manifest.
const MANIFEST: &str = include_str!("../../../../manifest/VkLayer_tilelint.json");
const LAYER_NAME: &str = "VK_LAYER_TILELINT_lint";

/// A folder that only this user can read, removed in the end.
pub struct World {
    folder: PathBuf,
    driver: Option<PathBuf>,
}

impl World {
    /// Makes the folder and the manifests of these libraries.
    pub fn new(layer: &Path, driver: Option<&Path>) -> io::Result<World> {
        let mut world = World { folder: private_folder()?, driver: None };
        let mut manifest: Value = serde_json::from_str(MANIFEST)?;
        manifest["layer"]["library_path"] = json!(layer);
        fs::create_dir(world.layers())?;
        fs::create_dir(world.folder.join("reports"))?;
        fs::write(world.layers().join("VkLayer_tilelint.json"), manifest.to_string())?;
        if let Some(driver) = driver {
            let path = world.folder.join("driver.json");
            let icd = json!({"library_path": driver, "api_version": "1.3.281"});
            fs::write(&path, json!({"file_format_version": "1.0.1", "ICD": icd}).to_string())?;
            world.driver = Some(path);
        }
        Ok(world)
    }

    /// The folder that the reports lie in.
    pub fn folder(&self) -> PathBuf {
        self.folder.join("reports")
    }

    fn layers(&self) -> PathBuf {
        self.folder.join("layers")
    }

    /// The program, under the layer.
    pub fn command(&self, program: &[OsString], config: &Config) -> Command {
        let (program, arguments) = program.split_first().expect("the parser wants a program");
        let mut command = Command::new(program);
        command.args(arguments).env("VK_LAYER_PATH", self.layer_path());
        let mut layers = env::var_os("VK_INSTANCE_LAYERS").unwrap_or_default();
        if !layers.is_empty() {
            layers.push(":");
        }
        layers.push(LAYER_NAME);
        command.env("VK_INSTANCE_LAYERS", layers);
        for switch in ["TILELINT", "TILELINT_DISABLE"] {
            command.env_remove(switch);
        }
        if let Some(driver) = &self.driver {
            // Newer loaders read the first, older ones the second.
            command.env("VK_DRIVER_FILES", driver).env("VK_ICD_FILENAMES", driver);
            command.env_remove("VK_ADD_DRIVER_FILES");
        }
        // A report for each process: a script may run several.
        command.env("TILELINT_REPORT", self.folder().join("{pid}.json"));
        if !matches!(config.text.value, TextSink::File(_)) {
            command.env("TILELINT_TEXT", "off");
        }
        // A verdict should not depend on how fast the machine is.
        if config.every_frame.origin == BUILT_IN {
            command.env("TILELINT_EVERY_FRAME", "on");
        }
        if let (Some(path), Ok(here)) = (&config.recording.value, env::current_dir()) {
            command.env("TILELINT_RECORDING", here.join(path));
        }
        command
    }

    /// VK_LAYER_PATH replaces the loader's own folders, so that they are repeated here: other
    /// layers must stay findable. VK_ADD_LAYER_PATH would do, but loaders before 1.3.207 do not
    /// know it.
    fn layer_path(&self) -> OsString {
        let mut path = self.layers().into_os_string();
        let mut add = |folder: &OsString| {
            if !folder.is_empty() {
                path.push(":");
                path.push(folder);
            }
        };
        add(&env::var_os("VK_ADD_LAYER_PATH").unwrap_or_default());
        match env::var_os("VK_LAYER_PATH").filter(|path| !path.is_empty()) {
            Some(given) => add(&given),
            None => {
                for folder in manifest_folders() {
                    add(&folder.join("explicit_layer.d").into_os_string());
                }
            }
        }
        path
    }

    /// What the layer wrote, joined to one report; `None` where it wrote none.
    ///
    /// # Errors
    ///
    /// A report that cannot be read.
    pub fn reports(&self) -> Result<Option<Report>, String> {
        let read = |error: io::Error| format!("cannot read the report: {error}");
        let mut files = Vec::new();
        for entry in fs::read_dir(self.folder()).map_err(read)? {
            let path = entry.map_err(read)?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                files.push(path);
            }
        }
        files.sort();
        let mut reports = Vec::new();
        for file in files {
            let text = fs::read_to_string(file).map_err(read)?;
            let report = from_json(&text).map_err(|error| format!("the report: {error}"))?;
            reports.push(report);
        }
        reports.sort_by(|a, b| started(a).cmp(started(b)));
        Ok(join(reports))
    }
}

fn started(report: &Report) -> &str {
    report.run.get("started").and_then(Value::as_str).unwrap_or_default()
}

impl Drop for World {
    fn drop(&mut self) {
        // What is left lies among the system's temporary files.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn private_folder() -> io::Result<PathBuf> {
    let mut number = 0;
    loop {
        let name = format!("tilelint-run-{}-{number}", std::process::id());
        let path = env::temp_dir().join(name);
        match DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => return path.canonicalize(),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}
