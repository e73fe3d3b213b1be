//! The sample workflows of the README: their commands, run where there is no GPU.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tilelint_tests::harness::{Ran, root, run, vulkan_command};

use crate::stage::{BAD, GOOD, Stage};

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).expect("the README is there")
}

/// The YAML below a line of the README, as its reader sees it.
fn sample(title: &str) -> Value {
    let text = readme();
    let (_, rest) =
        text.split_once(&format!("\n{title}\n\n```yaml\n")).expect("the sample is there");
    let yaml = rest.split("```").next().unwrap_or_default();
    let mut read = Command::new("python3");
    read.args(["-c", "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.argv[1])))"]);
    serde_json::from_str(&run(read.arg(yaml)).ok().stdout).expect("YAML becomes JSON")
}

/// A machine of a forge: the tool is on the path, packages are there, the game is a listing.
struct Machine {
    stage: Stage,
}

impl Machine {
    fn new(listing: &str) -> Machine {
        let machine = Machine { stage: Stage::new() };
        machine.program("build/game", &format!("exec \"$PLAYER\" {listing}"));
        machine.program("bin/apt-get", "exit 0");
        machine.program("bin/sudo", "exec \"$@\"");
        machine
    }

    fn folder(&self) -> &Path {
        self.stage.folder()
    }

    fn program(&self, name: &str, script: &str) {
        let path = self.folder().join(name);
        fs::create_dir_all(path.parent().expect("it is in a folder")).unwrap();
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Runs a command as a forge does.
    fn step(&self, command: &str) -> Ran {
        let tool = self.stage.program().parent().expect("the tool is in a folder");
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{}:{path}", self.folder().join("bin").display(), tool.display());
        let mut shell = vulkan_command("bash", Path::new("/no/driver.json"));
        shell.args(["-eo", "pipefail", "-c", command]).current_dir(self.folder());
        let player = self.stage.tool(&[]);
        let player = player.get_envs().find(|(name, _)| *name == "PLAYER").and_then(|(_, v)| v);
        shell.env("PLAYER", player.expect("the stage names it")).env("PATH", path);
        shell.env("GITHUB_STEP_SUMMARY", self.folder().join("step-summary.md"));
        run(shell.env_remove("TILELINT_EVERY_FRAME"))
    }

    /// Writes the baseline with the README's own command.
    fn baseline(&self) {
        let text = readme();
        let command = text.lines().find(|line| line.contains("--update-baseline")).unwrap();
        let command = command.replace("-- PROGRAM", "--driver null -- ./build/game");
        assert_eq!(self.step(&command).status.code(), Some(0));
    }
}

/// Runs the steps of the GitHub sample; returns the exit code of the job and what its log shows.
fn github(machine: &Machine) -> (i32, String) {
    let workflow = sample("GitHub:");
    let (mut code, mut log) = (0, String::new());
    let mut ran = 0;
    for step in workflow["jobs"]["tilelint"]["steps"].as_array().expect("steps are a list") {
        let Some(command) = step["run"].as_str() else { continue };
        if code != 0 && step["if"] != "always()" {
            continue;
        }
        ran += 1;
        let step = machine.step(command);
        log += &step.stdout;
        code = code.max(step.status.code().unwrap_or(255));
    }
    assert_eq!(ran, 3, "packages, the run, the annotations");
    (code, log)
}

#[test]
fn the_github_sample_annotates_and_uploads() {
    let machine = Machine::new(GOOD);
    machine.baseline();
    assert_eq!(github(&machine), (0, String::new()));
    machine.program("build/game", &format!("exec \"$PLAYER\" {BAD}"));
    let (code, log) = github(&machine);
    assert_eq!(code, 1, "a new finding fails the job");
    assert!(log.starts_with("::error file=tilelint.calls,line="), "{log}");
    let summary = machine.stage.read("step-summary.md");
    assert!(summary.contains("| deny | `msaa-store` | pass `main`, image `ms` |"), "{summary}");
    let workflow = sample("GitHub:");
    let steps = workflow["jobs"]["tilelint"]["steps"].as_array().unwrap();
    let upload = steps.iter().find(|step| step["with"]["sarif_file"].is_string()).unwrap();
    assert_eq!(upload["if"], "always()", "a job that fails uploads too");
    let file = upload["with"]["sarif_file"].as_str().unwrap();
    machine.stage.fits_sarif(file);
    let results = machine.stage.json(file)["runs"][0]["results"].clone();
    assert_eq!(results.as_array().map(Vec::len), Some(1), "{results}");
    // Once it is in the baseline, nobody hears of it again.
    machine.baseline();
    assert_eq!(github(&machine), (0, String::new()));
    let results = machine.stage.json(file)["runs"][0]["results"].clone();
    assert_eq!(results, serde_json::json!([]));
}

#[test]
fn the_gitlab_sample_leaves_its_artifacts() {
    let machine = Machine::new(GOOD);
    machine.baseline();
    machine.program("build/game", &format!("exec \"$PLAYER\" {BAD}"));
    let job = sample("GitLab:")["tilelint"].clone();
    let script = job["script"].as_array().expect("a list of commands");
    let codes: Vec<_> =
        script.iter().map(|c| machine.step(c.as_str().unwrap()).status.code()).collect();
    assert_eq!(codes, [Some(0), Some(1)], "a new finding fails the job");
    let artifacts = &job["artifacts"];
    assert_eq!(artifacts["when"], "always");
    let page = artifacts["paths"][0].as_str().unwrap();
    assert!(machine.stage.read(page).starts_with("<!doctype html>"));
    let quality = machine.stage.json(artifacts["reports"]["codequality"].as_str().unwrap());
    assert_eq!(quality[0]["check_name"], "msaa-store");
    let junit = machine.folder().join(artifacts["reports"]["junit"].as_str().unwrap());
    let mut check = Command::new("xmllint");
    check.args(["--noout", "--schema"]).arg(root().join("tests/data/schemas/junit-10.xsd"));
    run(check.arg(junit)).ok();
}
