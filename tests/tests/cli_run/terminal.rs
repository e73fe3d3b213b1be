//! What `tilelint run` shows on a terminal while the program runs.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tilelint_tests::harness::{root, run};

use crate::stage::Stage;

/// Runs a script under the tool on a terminal. `$READY` is made once the lowest row shows how far
/// the run is.
fn on_a_terminal(stage: &Stage, term: &str, script: &str) -> Value {
    let ready = stage.folder().join("ready");
    let tool = stage.tool(&["run", "--driver", "null", "--", "sh", "-c", script]);
    let mut terminal = Command::new("python3");
    terminal.arg(root().join("tests/tests/cli_run/terminal.py"));
    terminal.args(["tilelint: ", &ready.to_string_lossy()]);
    terminal.arg(tool.get_program()).args(tool.get_args());
    terminal.current_dir(tool.get_current_dir().unwrap_or(Path::new(".")));
    for (name, value) in tool.get_envs() {
        match value {
            Some(value) => terminal.env(name, value),
            None => terminal.env_remove(name),
        };
    }
    let ran = run(terminal.env("READY", &ready).env("TERM", term)).ok();
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

fn rows(shown: &Value) -> Vec<&str> {
    shown["rows"].as_array().unwrap().iter().map(|row| row.as_str().unwrap()).collect()
}

#[test]
fn a_long_run_says_how_far_it_is_and_leaves_no_trace() {
    let stage = Stage::new();
    let script = "i=0; while [ $i -lt 20 ]; do echo line $i; i=$((i + 1)); done; \
                  printf 'not a whole '; \"$PLAYER\" bad.calls; \
                  until [ -e \"$READY\" ]; do sleep 0.02; done; echo line";
    let shown = on_a_terminal(&stage, "xterm", script);
    assert_eq!(shown["code"], 0, "{shown}");
    assert_eq!(shown["seen"], "tilelint: 6 frames, 1 pass, 1 finding so far");
    let rows = rows(&shown);
    let traces = rows.iter().filter(|row| row.contains("so far")).count();
    assert_eq!(traces, 0, "{rows:#?}");
    let last = rows.iter().rposition(|row| !row.is_empty()).unwrap();
    assert!(rows[last].starts_with("  recording: "), "the summary ends it: {rows:#?}");
}

#[test]
fn the_program_keeps_what_it_wrote() {
    let stage = Stage::new();
    let script = "printf 'one\\ntwo and '; \"$PLAYER\" good.calls; \
                  until [ -e \"$READY\" ]; do sleep 0.02; done; echo a half; echo three";
    let shown = on_a_terminal(&stage, "xterm", script);
    let rows = rows(&shown);
    assert_eq!(rows[..3], ["one", "two and a half", "three"], "{rows:#?}");
    assert!(rows[3].starts_with("tilelint: no findings in 6 frames"), "{rows:#?}");
}

#[test]
fn a_terminal_that_cannot_show_it_is_left_alone() {
    let stage = Stage::new();
    let script = "\"$PLAYER\" good.calls; sleep 1.2; echo done";
    for term in ["dumb", ""] {
        let shown = on_a_terminal(&stage, term, script);
        assert_eq!(shown["seen"], Value::Null);
        assert_eq!(rows(&shown)[0], "done");
    }
}
