//! The scripts, run as people run them: from another folder, on the null driver.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tilelint_tests::harness::{self, LAYER_NAME, NULL_DRIVER, Ran, TempDir, run, vulkan_command};

fn script(name: &str) -> PathBuf {
    harness::root().join("scripts").join(name)
}

/// A folder to run in, with a space in its name, and the manifest of the null driver.
fn place(temp: &TempDir) -> (PathBuf, PathBuf) {
    let folder = temp.path().join("a folder");
    fs::create_dir(&folder).expect("a folder inside the private folder");
    (folder, temp.driver_manifest(&harness::build_cdylib(NULL_DRIVER)))
}

fn demo_listing() -> PathBuf {
    harness::root().join("tests/listings/demo.calls")
}

/// Rules of the findings of a report.
fn rules_of(report: &Path) -> Vec<String> {
    let text =
        fs::read_to_string(report).unwrap_or_else(|error| panic!("{}: {error}", report.display()));
    let report: Value = serde_json::from_str(&text).expect("a report is JSON");
    let findings = report["findings"].as_array().expect("a report lists its findings");
    findings.iter().map(|f| f["rule"].as_str().expect("a name").to_owned()).collect()
}

const DEMO: [&str; 2] = ["msaa-store", "msaa-store"];

#[test]
fn the_demo_shows_its_findings_and_says_where_they_are() {
    let temp = TempDir::new();
    let ran = run(Command::new(script("demo")).current_dir(temp.path())).ok();
    assert!(ran.stderr.contains("warning[msaa-store]"), "{}", ran.stderr);
    for word in ["report:", "recording:"] {
        let line = ran.stderr.lines().rfind(|line| line.starts_with(word));
        let line = line.unwrap_or_else(|| panic!("no `{word}`: {}", ran.stderr));
        let path = line[word.len()..].trim().split("  ").next().expect("a path");
        assert!(Path::new(path).is_file(), "{line}");
        if word == "report:" {
            assert_eq!(rules_of(Path::new(path)), DEMO);
        }
    }
}

#[test]
fn run_keeps_folder_streams_arguments_and_exit_code() {
    let temp = TempDir::new();
    let (folder, driver) = place(&temp);
    let mut command = vulkan_command(script("run"), &driver);
    command.current_dir(&folder).env("VK_INSTANCE_LAYERS", "VK_LAYER_other");
    let text = "pwd; printf '%s\\n' \"$VK_INSTANCE_LAYERS\" \"$VK_LAYER_PATH\" \"$1\"; \
                echo error >&2; exit 7";
    let ran = run(command.args(["sh", "-c", text, "name", "two  words"]));
    assert_eq!(ran.status.code(), Some(7), "{}", ran.stderr);
    assert_eq!(ran.stderr, "error\n");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let [pwd, layers, path, argument] = lines[..] else { panic!("{}", ran.stdout) };
    assert_eq!(Path::new(pwd).canonicalize().ok(), folder.canonicalize().ok());
    assert_eq!(layers, format!("VK_LAYER_other:{LAYER_NAME}"));
    assert_eq!(argument, "two  words");
    let folders: Vec<&str> = path.split(':').collect();
    assert!(Path::new(folders[0]).join("VkLayer_tilelint.json").is_file(), "{path}");
    assert!(Path::new(folders[0]).join("libVkLayer_tilelint.so").is_file(), "{path}");
    assert!(folders.contains(&"/usr/share/vulkan/explicit_layer.d"), "{path}");
}

#[test]
fn run_keeps_the_callers_layer_path() {
    let temp = TempDir::new();
    let (folder, driver) = place(&temp);
    let mut command = vulkan_command(script("run"), &driver);
    command.current_dir(&folder).env("VK_LAYER_PATH", "/one:/two");
    let ran = run(command.args(["sh", "-c", "echo $VK_LAYER_PATH"])).ok();
    assert!(ran.stdout.trim_end().ends_with(":/one:/two"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("/usr/share/vulkan"), "{}", ran.stdout);
}

#[test]
fn run_lints_and_leaves_the_report_in_the_callers_folder() {
    let temp = TempDir::new();
    let (folder, driver) = place(&temp);
    let mut command = vulkan_command(script("run"), &driver);
    command.arg(harness::build_program("tilelint-player")).arg(demo_listing());
    let ran = run(command.current_dir(&folder)).ok();
    assert!(ran.stderr.contains("warning[msaa-store]"), "{}", ran.stderr);
    assert_eq!(rules_of(&folder.join("tilelint-report.json")), DEMO);
}

#[test]
fn run_without_a_program_says_how() {
    let ran = run(&mut Command::new(script("run")));
    assert_eq!(ran.status.code(), Some(2));
    assert!(ran.stderr.contains("usage: scripts/run PROGRAM"), "{}", ran.stderr);
}

fn files_under(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return files };
    for entry in entries {
        let path = entry.expect("an entry of a private folder").path();
        if path.is_dir() { files.extend(files_under(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

/// The player under an installed layer: the loader looks below `home`, and in the system's folders.
fn play(temp: &TempDir, home: &Path, variables: &[(&str, &str)]) -> (Ran, PathBuf) {
    play_in(temp, home, variables, |program| Command::new(program))
}

fn play_in(
    temp: &TempDir,
    home: &Path,
    variables: &[(&str, &str)],
    command: impl Fn(&Path) -> Command,
) -> (Ran, PathBuf) {
    let out = temp.path().join("out");
    fs::create_dir_all(&out).expect("a folder inside the private folder");
    let report = out.join("tilelint-report.json");
    let _ = fs::remove_file(&report);
    let driver = temp.driver_manifest(&harness::build_cdylib(NULL_DRIVER));
    let mut command = command(&harness::build_program("tilelint-player"));
    harness::vulkan_variables(&mut command, &driver);
    command.arg(demo_listing()).current_dir(&out).env("HOME", home);
    for name in ["XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied());
    (run(&mut command).ok(), report)
}

#[test]
fn install_installs_for_the_user_and_removes_again() {
    let temp = TempDir::new();
    let home = temp.path().join("a \"home\" & more");
    fs::create_dir(&home).expect("a folder inside the private folder");
    // Rust is found by variables, so that another HOME does not hide it.
    let own = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let set_or = |name: &str, folder: &str| {
        std::env::var_os(name).map_or_else(|| own.join(folder), PathBuf::from)
    };
    let install = |argument: &[&str]| {
        let mut command = Command::new(script("install"));
        command.current_dir(temp.path()).env("HOME", &home).env_remove("XDG_DATA_HOME");
        command.env("CARGO_HOME", set_or("CARGO_HOME", ".cargo"));
        command.env("RUSTUP_HOME", set_or("RUSTUP_HOME", ".rustup"));
        run(command.args(argument)).ok()
    };

    // Twice: the second time changes nothing.
    for _ in 0..2 {
        let ran = install(&["--user"]);
        let said = ran.stdout.lines().filter_map(|line| line.strip_prefix("installed "));
        let mut said: Vec<PathBuf> = said.map(PathBuf::from).collect();
        said.sort();
        assert_eq!(said, files_under(&home), "{}", ran.stdout);
        assert_eq!(said.len(), 3, "{}", ran.stdout);
        assert!(ran.stdout.contains("TILELINT=1"), "{}", ran.stdout);
    }
    for file in files_under(&home).iter().filter(|file| file.extension() == Some("json".as_ref())) {
        let text = fs::read_to_string(file).expect("an installed file");
        let manifest: Value = serde_json::from_str(&text).expect("a manifest is JSON");
        let library = manifest["layer"]["library_path"].as_str().expect("a path");
        assert!(Path::new(library).is_absolute() && Path::new(library).is_file(), "{library}");
    }

    let on: [&[(&str, &str)]; 3] = [
        &[("TILELINT", "1")],
        &[("VK_INSTANCE_LAYERS", LAYER_NAME)],
        &[("TILELINT", "1"), ("VK_INSTANCE_LAYERS", LAYER_NAME)],
    ];
    for variables in on {
        let (ran, report) = play(&temp, &home, variables);
        assert_eq!(rules_of(&report), DEMO, "{variables:?}");
        let times = ran.stderr.matches("warning[msaa-store]").count();
        assert_eq!(times, DEMO.len(), "loaded once, {variables:?}: {}", ran.stderr);
    }
    let off: [&[(&str, &str)]; 3] =
        [&[], &[("TILELINT", "0")], &[("TILELINT", "1"), ("TILELINT_DISABLE", "1")]];
    for variables in off {
        let (ran, report) = play(&temp, &home, variables);
        assert!(!report.exists() && ran.stderr.is_empty(), "{variables:?}: {}", ran.stderr);
    }

    install(&["--user", "--uninstall"]);
    assert_eq!(files_under(&home), Vec::<PathBuf>::new());
    let again = install(&["--uninstall"]);
    assert_eq!(again.stdout.matches("not there: ").count(), 3, "{}", again.stdout);
}

/// A program for which the folders of `tree` stand in place of those of `/usr/local`, and which may
/// write there: in a namespace of its own (`unshare` is part of every Debian system).
fn in_tree(tree: &Path, program: &Path) -> Command {
    let mut command = Command::new("unshare");
    let text = "mount --bind \"$1/lib\" /usr/local/lib && \
                mount --bind \"$1/share\" /usr/local/share && shift && exec \"$@\"";
    command.args(["--map-root-user", "--mount", "sh", "-ec", text, "sh"]);
    command.arg(tree).arg(program);
    command
}

#[test]
fn install_installs_for_the_system_and_removes_again() {
    let temp = TempDir::new();
    let (tree, home) = (temp.path().join("tree"), temp.path().join("home"));
    for folder in [tree.join("lib"), tree.join("share"), home.clone()] {
        fs::create_dir_all(folder).expect("a folder inside the private folder");
    }
    let install = |argument: &[&str]| {
        let mut command = in_tree(&tree, &script("install"));
        run(command.args(argument)).ok()
    };
    let play = || {
        let variables = [("TILELINT", "1")];
        play_in(&temp, &home, &variables, |program| in_tree(&tree, program)).1
    };

    let ran = install(&["--system"]);
    let said = ran.stdout.lines().filter_map(|line| line.strip_prefix("installed /usr/local/"));
    let mut said: Vec<PathBuf> = said.map(|path| tree.join(path)).collect();
    said.sort();
    assert_eq!(said, files_under(&tree), "{}", ran.stdout);
    assert_eq!(said.len(), 3, "{}", ran.stdout);
    assert_eq!(rules_of(&play()), DEMO);

    let ran = install(&["--system", "--uninstall"]);
    assert_eq!(ran.stdout.matches("removed /usr/local/").count(), 3, "{}", ran.stdout);
    assert_eq!(files_under(&tree), Vec::<PathBuf>::new());
    assert!(!play().exists(), "the layer is gone");
    let again = install(&["--system", "--uninstall"]);
    assert_eq!(again.stdout.matches("not there: ").count(), 3, "{}", again.stdout);
}

#[test]
fn install_refuses_what_it_does_not_know() {
    let ran = run(Command::new(script("install")).arg("--global"));
    assert_eq!(ran.status.code(), Some(2));
    assert!(ran.stderr.contains("unknown argument `--global`"), "{}", ran.stderr);
}

/// Copies what cargo needs to build the library, and the scripts.
fn copy_tree(to: &Path) {
    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).expect("a folder inside the private folder");
        for entry in fs::read_dir(from).expect("a folder of the repository") {
            let entry = entry.expect("a folder of the repository");
            let (from, to) = (entry.path(), to.join(entry.file_name()));
            if from.is_dir() {
                copy(&from, &to);
            } else {
                fs::copy(&from, &to).expect("a file of the repository");
            }
        }
    }
    let root = harness::root();
    for folder in ["layer", "scripts", "tests"] {
        copy(&root.join(folder), &to.join(folder));
    }
    for file in ["Cargo.toml", "Cargo.lock", ".rustfmt.toml", "README.md"] {
        fs::copy(root.join(file), to.join(file)).expect("a file of the repository");
    }
}

/// A new rule must build, be formatted and be listed: in a chapter that exists and in a new one.
#[test]
fn a_new_rule_builds_and_is_listed() {
    let temp = TempDir::new();
    let root = temp.path().join("copy");
    copy_tree(&root);
    let new_rule = |group: &str, name: &str| {
        run(Command::new(root.join("scripts/new-rule")).args([group, name]))
    };
    new_rule("load-store", "zz-first").ok();
    new_rule("transient", "aa-second").ok();
    let chapters = root.join("layer/tilelint/src/rules");
    let new_chapter = ["api-work", "hidden-surface"]
        .iter()
        .find(|g| !chapters.join(g.replace('-', "_")).exists());
    let group = new_chapter.copied().unwrap_or("api-work");
    new_rule(group, "third-1").ok();
    new_rule(group, "fourth").ok();

    let again = new_rule("transient", "zz-first");
    assert_eq!(again.status.code(), Some(2), "{}", again.stderr);
    let nowhere = new_rule("nowhere", "fifth");
    assert!(nowhere.stderr.contains("unknown group `nowhere`; there are load-store"));
    let misnamed = new_rule("transient", "Fifth_Rule");
    assert_eq!(misnamed.status.code(), Some(2), "{}", misnamed.stderr);

    let test = "#[test]\nfn new_rules_are_listed() {\n    for name in [\"zz-first\", \
                \"aa-second\", \"third-1\", \"fourth\"] {\n        \
                assert!(tilelint::rules::by_name(name).is_some());\n    }\n}\n";
    fs::create_dir_all(root.join("layer/tilelint/tests")).expect("a folder of the copy");
    fs::write(root.join("layer/tilelint/tests/listed.rs"), test).expect("a file of the copy");
    let cargo = |arguments: &[&str]| {
        let mut command = Command::new("cargo");
        // The dependencies are built already; the copy's own crates have another identity.
        command.current_dir(&root).env("CARGO_TARGET_DIR", harness::root().join("target"));
        run(command.args(arguments)).ok()
    };
    cargo(&["fmt", "--check", "-p", "tilelint"]);
    cargo(&["test", "--offline", "-p", "tilelint", "--test", "listed"]);
}
