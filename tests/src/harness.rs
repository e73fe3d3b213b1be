//! Builds the libraries that the Vulkan loader opens, writes their manifests into a private folder
//! and runs programs under them.
//!
//! `cargo test` does not build a cdylib of another package, so [`build_cdylib`] asks cargo for it
//! and takes the path from cargo's own messages.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

/// The package of the driver that renders nothing.
pub const NULL_DRIVER: &str = "tilelint-null-driver";
/// The package of the driver around another.
pub const WRAPPER: &str = "tilelint-wrapper";
/// The layer that proves that calls are valid.
pub const VALIDATION: &str = "VK_LAYER_KHRONOS_validation";
/// The package of the layer.
pub const LAYER: &str = "tilelint-layer";
/// The layer's name, as programs and the loader say it.
pub const LAYER_NAME: &str = "VK_LAYER_TILELINT_lint";
/// The package of the layer that only forwards.
pub const EMPTY_LAYER: &str = "tilelint-empty-layer";
/// Its name.
pub const EMPTY_NAME: &str = "VK_LAYER_TILELINT_empty";

/// The root of the repository.
pub fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("the tests lie in a folder of the repository").to_path_buf()
}

/// The manifest of Mesa's software rasteriser.
///
/// # Panics
///
/// If it is not installed.
pub fn lavapipe() -> PathBuf {
    let folder = Path::new("/usr/share/vulkan/icd.d");
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found = files.map(|f| f.path()).filter(|p| {
        p.file_name().is_some_and(|name| name.to_string_lossy().starts_with("lvp_icd"))
    });
    found.next().expect("mesa-vulkan-drivers is installed (scripts/test installs it)")
}

/// The library of Mesa's software rasteriser.
///
/// # Panics
///
/// As [`lavapipe`].
pub fn lavapipe_library() -> String {
    let text = std::fs::read_to_string(lavapipe()).expect("a manifest can be read");
    let manifest: Value = serde_json::from_str(&text).expect("a manifest is JSON");
    manifest["ICD"]["library_path"].as_str().expect("a manifest names its library").to_owned()
}

/// Builds the cdylib of `package` (once per process) and returns its path.
///
/// # Panics
///
/// If cargo fails or names no library; the message holds what the compiler said.
pub fn build_cdylib(package: &str) -> PathBuf {
    build(package, "cdylib", !cfg!(debug_assertions))
}

/// Builds the cdylib of `package` as it is delivered (once per process) and returns its path.
///
/// # Panics
///
/// As [`build_cdylib`].
pub fn build_delivered(package: &str) -> PathBuf {
    build(package, "cdylib", true)
}

/// Builds the program of `package` (once per process) and returns its path.
///
/// # Panics
///
/// As [`build_cdylib`].
pub fn build_program(package: &str) -> PathBuf {
    build(package, "bin", !cfg!(debug_assertions))
}

fn build(package: &str, kind: &str, is_release: bool) -> PathBuf {
    static BUILT: Mutex<Option<HashMap<String, PathBuf>>> = Mutex::new(None);
    let mut built = BUILT.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let key = format!("{package} {kind} {is_release}");
    let paths = built.get_or_insert_with(HashMap::new);
    if let Some(path) = paths.get(&key) {
        return path.clone();
    }
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--package", package, "--message-format=json-render-diagnostics"]);
    if is_release {
        cargo.arg("--release");
    }
    let output = cargo.current_dir(root()).output().expect("cargo starts");
    let messages = String::from_utf8_lossy(&output.stdout);
    let path = messages.lines().rev().find_map(|line| artifact(line, kind));
    match path {
        Some(path) if output.status.success() => {
            paths.insert(key, path.clone());
            path
        }
        _ => panic!(
            "cargo build --package {package} gave no {kind}: {}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        ),
    }
}

/// The file that one of cargo's messages says it made, if it is of the wanted kind. Only the
/// package asked for is of these kinds: its dependencies are plain libraries.
fn artifact(line: &str, kind: &str) -> Option<PathBuf> {
    let message: Value = serde_json::from_str(line).ok()?;
    let of_kind =
        |value: &Value| value.as_array().is_some_and(|kinds| kinds.contains(&json!(kind)));
    if message["reason"] != "compiler-artifact" || !of_kind(&message["target"]["kind"]) {
        return None;
    }
    match kind {
        "bin" => message["executable"].as_str().map(PathBuf::from),
        _ => {
            let files = message["filenames"].as_array()?;
            let suffix = std::env::consts::DLL_SUFFIX;
            files.iter().filter_map(Value::as_str).find(|f| f.ends_with(suffix)).map(PathBuf::from)
        }
    }
}

/// A folder of this test's own, removed with everything in it when dropped.
#[derive(Debug)]
pub struct TempDir(PathBuf);

impl TempDir {
    /// Makes the folder; nobody else can read it.
    ///
    /// # Panics
    ///
    /// If the system's temporary folder cannot be written.
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        loop {
            let n = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!("tilelint-test-{}-{n}", std::process::id());
            let path = std::env::temp_dir().join(name);
            let mut builder = std::fs::DirBuilder::new();
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            match builder.create(&path) {
                Ok(()) => return TempDir(path),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => panic!("cannot make {}: {e}", path.display()),
            }
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file in the folder and returns its path.
    ///
    /// # Panics
    ///
    /// If it cannot be written.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        path
    }

    /// Writes the driver manifest (ICD JSON) of `library` and returns its path.
    pub fn driver_manifest(&self, library: &Path) -> PathBuf {
        let manifest = json!({
            "file_format_version": "1.0.1",
            "ICD": { "library_path": library, "api_version": "1.3.281" }
        });
        self.write("tilelint_null_icd.json", manifest.to_string())
    }

    /// Writes an explicit layer manifest of `library` into a folder of its own and returns that
    /// folder (the value for `VK_LAYER_PATH`).
    pub fn layer_manifest(&self, name: &str, library: &Path) -> PathBuf {
        let manifest = json!({
            "file_format_version": "1.2.0",
            "layer": {
                "name": name, "type": "GLOBAL", "library_path": library,
                "api_version": "1.4.0", "implementation_version": "1", "description": name
            }
        });
        let folder = self.0.join("layers");
        std::fs::create_dir_all(&folder).expect("a folder inside the private folder");
        let path = folder.join(format!("{name}.json"));
        std::fs::write(path, manifest.to_string()).expect("a file inside the private folder");
        folder
    }
}

impl Default for TempDir {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        // A test that fails to tidy up has still said what it had to say.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a program did.
#[derive(Debug)]
pub struct Ran {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

impl Ran {
    /// Passes the result on if the program ended with 0.
    ///
    /// # Panics
    ///
    /// Otherwise, with everything that it wrote.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert!(self.status.success(), "{}\n{}\n{}", self.status, self.stdout, self.stderr);
        self
    }
}

/// Runs a program to its end, with no input, and keeps what it wrote.
///
/// # Panics
///
/// If it cannot be started, naming it: a test whose program is missing must fail, not pass.
#[track_caller]
pub fn run(command: &mut Command) -> Ran {
    let output = match command.stdin(Stdio::null()).output() {
        Ok(output) => output,
        Err(e) => panic!("cannot run {:?}: {e} (scripts/test installs it)", command.get_program()),
    };
    Ran {
        status: output.status,
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A command whose Vulkan programs see one driver, and no layer but those asked for afterwards:
/// variables of the caller that steer the loader or tilelint are removed.
pub fn vulkan_command(program: impl AsRef<OsStr>, driver_manifest: &Path) -> Command {
    let mut command = Command::new(program);
    vulkan_variables(&mut command, driver_manifest);
    command
}

/// Gives a command the variables of [`vulkan_command`].
pub fn vulkan_variables(command: &mut Command, driver_manifest: &Path) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("VK_") || text.starts_with("TILELINT") {
            command.env_remove(&name);
        }
    }
    // Newer loaders read the first, older ones the second.
    command.env("VK_DRIVER_FILES", driver_manifest).env("VK_ICD_FILENAMES", driver_manifest);
    command.env("TILELINT_EVERY_FRAME", "on");
    // Mesa's implicit layer sorts devices and asks an X server.
    command.env("NODEVICE_SELECT", "1");
}

/// As [`vulkan_command`], in a virtual X display (package `xvfb`).
pub fn x_command(program: &str, driver_manifest: &Path) -> Command {
    let mut command = vulkan_command("xvfb-run", driver_manifest);
    command.args(["-a", program]);
    command
}

/// Runs `body` in a process of its own, with the null driver alone, so that it can load Vulkan with
/// its own variables. To be called first in the `#[test]` function `test` (its path, as the test
/// runner prints it): in the test's process it starts the same test again, and there `body` runs.
/// `prepare` sets further variables; the folder is kept until the child has ended.
///
/// # Panics
///
/// If the child fails; the message holds what it wrote.
#[track_caller]
pub fn in_child(
    test: &str,
    prepare: impl FnOnce(&mut Command, &TempDir),
    body: impl FnOnce(),
) -> Option<Ran> {
    const CHILD: &str = "TILELINT_TEST_CHILD";
    if std::env::var_os(CHILD).is_some_and(|name| name == test) {
        body();
        return None;
    }
    let folder = TempDir::new();
    let manifest = folder.driver_manifest(&build_cdylib(NULL_DRIVER));
    let this = std::env::current_exe().expect("the system knows this program's path");
    let mut command = vulkan_command(this, &manifest);
    command.args([test, "--exact", "--nocapture"]);
    prepare(&mut command, &folder);
    let ran = run(command.env(CHILD, test)).ok();
    // A name that fits no test would run nothing and succeed.
    assert!(ran.stdout.contains("1 passed"), "no test is called {test}");
    Some(ran)
}
