//! Sizes, leftovers, the workspace, and tests that can fail.

use crate::source::{File, Wrong, tree, words};

/// Data: written by a fixed hand, long lines and all.
fn is_data(file: &File) -> bool {
    let data = [".calls", ".json", ".jsonl", ".lock", ".snap", ".toml", ".txt", ".xsd"];
    data.iter().any(|ending| file.path.ends_with(ending)) || file.path.starts_with("LICENSE")
}

/// A rule, not one of the helpers or lists beside it.
fn is_rule(file: &File) -> bool {
    file.under("layer/tilelint/src/rules") && file.code.contains("static RULE: Rule")
}

#[test]
fn files_stay_short() {
    let mut wrong = Wrong::default();
    for file in tree().iter().filter(|file| !is_data(file)) {
        let limit = match () {
            () if is_rule(file) => 150,
            () if file.under("layer/tilelint/src/rules") && file.path.ends_with(".md") => 150,
            () => 500,
        };
        let lines = file.text.lines().count();
        if lines > limit {
            wrong.add(file.at(limit), format!("{lines} lines, at most {limit}"));
        }
    }
    wrong.check();
}

#[test]
fn functions_stay_short() {
    let mut wrong = Wrong::default();
    for file in tree().iter().filter(|file| file.is_rust()) {
        for function in file.functions() {
            let lines = function.last - function.first + 1;
            if lines > 70 {
                let what = format!("`{}` has {lines} lines, at most 70", function.name);
                wrong.add(file.at(function.first), what);
            }
        }
    }
    wrong.check();
}

#[test]
fn lines_stay_short() {
    let mut wrong = Wrong::default();
    for file in tree().iter().filter(|file| !is_data(file)) {
        let page = file.path.ends_with(".md");
        let mut fenced = false;
        for (number, line) in file.text.lines().enumerate() {
            fenced ^= page && line.trim_start().starts_with("```");
            // A call, a row of a table and an address cannot be broken.
            let whole = page && (fenced || line.starts_with('|')) || line.contains("://");
            let columns = line.chars().count();
            if columns > 100 && !whole {
                wrong.add(file.at(number), format!("{columns} columns, at most 100"));
            }
            if line.ends_with([' ', '\t']) {
                wrong.add(file.at(number), "space at the end of the line");
            }
        }
    }
    wrong.check();
}

#[test]
fn nothing_is_left_for_later() {
    // In pieces, so that this file passes itself.
    let marks =
        [["TO", "DO"], ["FIX", "ME"], ["XX", "X"], ["HA", "CK"]].map(|[a, b]| format!("{a}{b}"));
    let mut wrong = Wrong::default();
    for file in tree().iter().filter(|file| !is_data(file)) {
        for mark in &marks {
            for (_, line) in words(&file.text, mark) {
                wrong.add(file.at(line), format!("{mark} in the repository"));
            }
        }
        for name in ["todo", "unimplemented"] {
            for (at, line) in words(&file.code, name) {
                if file.code[at + name.len()..].starts_with('!') {
                    wrong.add(file.at(line), format!("{name}! in the repository"));
                }
            }
        }
        for (number, line) in file.text.lines().enumerate() {
            let stub = ["To come.", "Coming soon", "TBD"].iter().find(|stub| line.trim() == **stub);
            if let Some(stub) = stub {
                wrong.add(file.at(number), format!("`{stub}` is no text"));
            }
        }
    }
    wrong.check();
}

#[test]
fn nothing_is_unwrapped_outside_tests() {
    let mut wrong = Wrong::default();
    for file in tree().iter().filter(|file| file.under("layer") && file.is_rust()) {
        for (number, line) in file.own_code() {
            if line.contains(".unwrap()") || line.contains("unwrap_unchecked") {
                wrong.add(file.at(number), "unwrap; say with expect why it cannot fail");
            }
        }
    }
    wrong.check();
}

#[test]
fn members_are_named_and_share_the_lints() {
    let files = tree();
    let manifests: Vec<&File> =
        files.iter().filter(|file| file.path.ends_with("Cargo.toml")).collect();
    let root = manifests.iter().find(|file| file.path == "Cargo.toml").expect("a workspace");
    let members = root.text.split("members = [").nth(1).and_then(|rest| rest.split(']').next());
    let members = members.expect("the workspace lists its members");
    assert!(!members.contains('*'), "Cargo.toml: members stand by name");
    assert!(root.text.contains("panic = \"unwind\""), "Cargo.toml: panics unwind");
    assert!(!root.text.contains("[package]"), "Cargo.toml: the workspace is virtual");
    let mut wrong = Wrong::default();
    for file in manifests {
        let Some(folder) = file.path.strip_suffix("/Cargo.toml") else { continue };
        if !members.contains(&format!("\"{folder}\"")) {
            wrong.add(file.at(0), "no member of the workspace");
        }
        if !file.text.contains("[lints]\nworkspace = true") {
            wrong.add(file.at(0), "does not take over the workspace's lints");
        }
    }
    wrong.check();
}

#[test]
fn nothing_is_generated() {
    let mut wrong = Wrong::default();
    let marks = [["DO NOT", " EDIT"], ["@gen", "erated"]].map(|[a, b]| format!("{a}{b}"));
    let files = tree();
    for file in &files {
        // Cargo takes a build script for what it is by its place.
        let beside = file.path.strip_suffix("build.rs").map(|folder| format!("{folder}Cargo.toml"));
        if beside.is_some_and(|manifest| files.iter().any(|other| other.path == manifest)) {
            wrong.add(file.at(0), "a build script");
        }
        for (number, line) in file.text.lines().enumerate() {
            if file.path.ends_with("Cargo.toml") {
                let line = line.replace(' ', "");
                let built = line.starts_with("build=") || line == "[build-dependencies]";
                if built || line == "proc-macro=true" {
                    wrong.add(file.at(number), "no build scripts, no macros of our own");
                }
            }
            let generated = file.path != "Cargo.lock" && marks.iter().any(|m| line.contains(m));
            if generated {
                wrong.add(file.at(number), "generated sources do not belong here");
            }
        }
    }
    wrong.check();
}

#[test]
fn every_test_can_fail() {
    // Ways to fail that a body may show itself; else it has to call something.
    let constant = ["assert!(true", "assert_eq!(true, true", "assert_eq!(1, 1", "assert_ne!(1, 2"];
    let mut wrong = Wrong::default();
    for file in tree().iter().filter(|file| file.is_rust()) {
        for (number, line) in file.code.lines().enumerate() {
            let line = line.trim_start();
            if line.starts_with("#[ignore")
                || line.contains(", ignore") && line.contains("cfg_attr")
            {
                wrong.add(file.at(number), "a test that does not run");
            }
            if let Some(text) = constant.iter().find(|text| line.starts_with(**text)) {
                wrong.add(file.at(number), format!("`{text}` cannot fail"));
            }
        }
        let lines: Vec<&str> = file.code.lines().collect();
        for function in file.functions() {
            let mut above = lines[..function.first].iter().rev().map(|line| line.trim());
            let test = above
                .by_ref()
                .take_while(|line| line.starts_with("#["))
                .any(|line| line == "#[test]" || line.ends_with("::test]"));
            let calls = function.body.contains('(');
            if test && !calls {
                wrong.add(file.at(function.first), format!("`{}` tests nothing", function.name));
            }
        }
    }
    wrong.check();
}

#[test]
fn no_test_skips_in_silence() {
    let mut wrong = Wrong::default();
    for file in tree().iter().filter(|file| file.under("tests") && file.is_rust()) {
        let code: Vec<&str> = file.code.lines().collect();
        for (number, line) in file.text.lines().enumerate() {
            let prints = code[number].contains("println!(");
            if prints && line.to_lowercase().contains("skip") {
                wrong.add(file.at(number), "a test that cannot run has to fail");
            }
        }
    }
    wrong.check();
}

#[test]
fn scripts_stop_at_the_first_error() {
    let mut wrong = Wrong::default();
    let scripts = tree().into_iter().filter(|file| file.under("scripts") || file.under(".ci"));
    for file in scripts {
        if file.path.ends_with(".md") {
            continue;
        }
        let strict = file.text.contains("set -euo pipefail")
            || file.text.contains("source \"$(dirname \"${BASH_SOURCE[0]}\")/needs.sh\"");
        if !strict {
            wrong.add(file.at(0), "no `set -euo pipefail`");
        }
        let lines = file.text.lines().count();
        if lines > 150 {
            wrong.add(file.at(150), "a long script; write it in Rust");
        }
    }
    wrong.check();
}
