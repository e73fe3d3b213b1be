//! What may stand where: purity, unsafe, mutation, vendors, the order of the library's modules.

use crate::source::{File, Wrong, closing, line_of, tree, words};

const LIBRARY: &str = "layer/tilelint/src";
const RULES: &str = "layer/tilelint/src/rules";

/// Where unsafe code may stand.
const UNSAFE: [&str; 7] = [
    "layer/tilelint-layer/src/ffi",
    "tests/bench/src/work",
    "tests/driver/src",
    "tests/empty-layer/src",
    "tests/player/src",
    "tests/wrapper/src",
    // A test that calls Vulkan is itself a C line.
    "tests/tests",
];

fn library() -> Vec<File> {
    tree().into_iter().filter(|file| file.under(LIBRARY) && file.is_rust()).collect()
}

/// Finds `text`; where it begins or ends with a word, that word has to stand alone.
fn contains(line: &str, text: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(text).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + text.len()..]);
        !(text.starts_with(part) && before.ends_with(part)
            || text.ends_with(part) && after.starts_with(part))
    })
}

#[test]
fn the_library_is_pure() {
    let banned = [
        ("unsafe", "unsafe code"),
        ("*const", "a raw pointer"),
        ("*mut", "a raw pointer"),
        ("NonNull", "a raw pointer"),
        ("extern", "a C line"),
        ("static mut", "global state"),
        ("thread_local!", "global state"),
        ("println!", "output"),
        ("print!", "output"),
        ("eprintln!", "output"),
        ("eprint!", "output"),
        ("stdin", "input"),
        ("stdout", "output"),
        ("stderr", "output"),
        ("SystemTime", "a clock"),
        ("Instant", "a clock"),
        ("Mutex", "a lock"),
        ("RwLock", "a lock"),
        ("Condvar", "a lock"),
        ("parking_lot", "a lock"),
        ("std::sync::atomic", "shared state"),
        ("std::sync::mpsc", "shared state"),
        ("libc", "the system"),
    ];
    let modules = ["fs", "io", "env", "time", "net", "process", "thread", "os", "path"];
    let mut wrong = Wrong::default();
    for file in library() {
        for (number, line) in file.own_code() {
            for (text, what) in banned {
                if contains(line, text) && line.trim() != "#![forbid(unsafe_code)]" {
                    wrong.add(file.at(number), format!("{what} (`{text}`) in the library"));
                }
            }
            let listed = line.contains("use std::{").then(|| line.split_once('{')).flatten();
            for module in modules {
                let named = contains(line, &format!("std::{module}"));
                if named || listed.is_some_and(|(_, list)| contains(list, module)) {
                    wrong.add(file.at(number), format!("std::{module} in the library"));
                }
            }
        }
    }
    wrong.check();
}

#[test]
fn the_library_forbids_unsafe_and_depends_on_nothing_that_acts() {
    let files = tree();
    let find = |path: &str| files.iter().find(|f| f.path == path).expect("the file is there");
    let root = find("layer/tilelint/src/lib.rs");
    assert!(root.code.contains("#![forbid(unsafe_code)]"), "{}", root.path);
    let known =
        ["ash", "rustc-hash", "serde", "serde_json", "smallvec", "spirv", "toml", "xxhash-rust"];
    let manifest = find("layer/tilelint/Cargo.toml");
    let mut wrong = Wrong::default();
    let mut inside = false;
    for (number, line) in manifest.text.lines().enumerate() {
        if line.starts_with('[') {
            inside = line == "[dependencies]";
        } else if let Some(name) = line.split(['.', ' ', '=']).next().filter(|n| !n.is_empty())
            && inside
            && !known.contains(&name)
        {
            wrong.add(manifest.at(number), format!("is `{name}` free of IO, clock and locks?"));
        }
    }
    wrong.check();
}

/// The comment right above a line, or above the statement that it belongs to.
fn comment_above(file: &File, line: usize) -> String {
    let text: Vec<&str> = file.text.lines().collect();
    let code: Vec<&str> = file.code.lines().collect();
    let mut comment = Vec::new();
    let mut at = line;
    while at > 0 {
        at -= 1;
        let (text, code) = (text[at].trim(), code[at].trim());
        if text.starts_with("//") {
            comment.push(text);
        } else if !comment.is_empty() || text.is_empty() || code.ends_with([';', '{', '}', ',']) {
            break;
        }
    }
    comment.reverse();
    comment.join("\n")
}

#[test]
fn unsafe_stands_at_the_c_line_and_says_why() {
    let mut wrong = Wrong::default();
    for file in tree().iter().filter(|file| file.is_rust()) {
        for (at, line) in words(&file.code, "unsafe") {
            let before = file.code[..at].trim_end();
            let after = file.code[at + "unsafe".len()..].trim_start();
            if !UNSAFE.iter().any(|folder| file.under(folder)) {
                wrong.add(file.at(line), "unsafe outside the C line");
            }
            let own = file.text.lines().nth(line).is_some_and(|text| text.contains("SAFETY:"));
            let block = after.starts_with('{') || after.starts_with("impl");
            if !block || before.ends_with('(') && after.starts_with('(') {
                continue;
            }
            let comment = comment_above(file, line);
            if !own && !comment.contains("SAFETY:") {
                wrong.add(file.at(line), "no `// SAFETY:` above this");
            }
        }
    }
    wrong.check();
}

#[test]
fn the_layer_cites_its_contract() {
    let folder = UNSAFE[0];
    let files: Vec<File> = tree().into_iter().filter(|file| file.under(folder)).collect();
    let contract = files.iter().find(|f| f.path.ends_with("ffi/mod.rs"));
    let contract = contract.expect("the C line of the layer has a contract");
    let mut wrong = Wrong::default();
    for file in &files {
        for (number, line) in file.text.lines().enumerate() {
            let Some((_, reason)) = line.split_once("// SAFETY:") else { continue };
            if line.trim_start().starts_with("//!") {
                continue;
            }
            let reason = reason.trim_start();
            let cited = reason
                .split(|c: char| !c.is_alphanumeric())
                .find(|word| word.strip_prefix('C').is_some_and(|n| n.parse::<u32>().is_ok()));
            match cited {
                Some(promise) if words(&contract.text, promise).next().is_some() => {}
                Some(promise) => wrong.add(file.at(number), format!("no promise {promise}")),
                None if reason.starts_with("the caller's promise") => {}
                None => wrong.add(file.at(number), "cites no promise of the contract"),
            }
        }
    }
    wrong.check();
}

#[test]
fn only_apply_changes_the_model() {
    let mut wrong = Wrong::default();
    for file in library().iter().filter(|file| file.under("layer/tilelint/src/model")) {
        for name in ["Model", "DeviceModel", "Frame", "Pass"] {
            let blocks = file.code.match_indices(&format!("impl {name} {{")).collect::<Vec<_>>();
            for (at, head) in blocks {
                let open = at + head.len() - 1;
                let block = &file.code[open..closing(&file.code, open)];
                for (start, _) in words(block, "fn") {
                    let line = line_of(&file.code, open + start);
                    let head = block[start..].split(['{', ';']).next().unwrap_or_default();
                    let shown = file.code.lines().nth(line).unwrap_or_default().trim_start();
                    let exported =
                        shown.starts_with("pub fn") || shown.starts_with("pub(crate) fn");
                    // A frame that was left out is an event too: it makes contents unknown.
                    let events = ["fn apply", "fn finish", "fn skip"];
                    let allowed =
                        name == "Model" && events.iter().any(|event| contains(head, event));
                    if exported && head.contains("&mut self") && !allowed {
                        wrong.add(file.at(line), format!("{name} can be changed from outside"));
                    }
                }
            }
        }
    }
    wrong.check();
}

#[test]
fn rules_look_and_hold_nothing() {
    let mut wrong = Wrong::default();
    let state = ["Cell", "RefCell", "OnceLock", "LazyLock", "OnceCell", "thread_local!", "Rc"];
    for file in library().iter().filter(|file| file.under(RULES)) {
        for (number, line) in file.own_code() {
            let held = state.iter().find(|word| contains(line, word));
            if let Some(word) = held {
                wrong.add(file.at(number), format!("a rule holds state (`{word}`)"));
            }
            let value = contains(line, "static") && !line.contains("'static");
            if value && !line.contains("static RULE: Rule") {
                wrong.add(file.at(number), "the only static of a rule is RULE");
            }
            for name in ["Model", "DeviceModel", "Frame", "Pass"] {
                if line.contains(&format!("&mut {name}")) {
                    wrong.add(file.at(number), format!("a rule gets &{name}"));
                }
            }
        }
    }
    wrong.check();
}

/// The words of a line, identifiers taken apart at `_` and at capitals, in small letters.
fn small_words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in line.chars() {
        let starts = !c.is_alphanumeric() || before.is_lowercase() && c.is_uppercase();
        if starts {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().expect("there is a first").extend(c.to_lowercase());
        }
        before = c;
    }
    words
}

#[test]
fn rules_name_no_vendor() {
    let names = [
        "adreno",
        "amd",
        "apple",
        "arm",
        "bifrost",
        "broadcom",
        "exynos",
        "imagination",
        "immortalis",
        "intel",
        "lavapipe",
        "llvmpipe",
        "mali",
        "meta",
        "midgard",
        "nvidia",
        "oculus",
        "panfrost",
        "panvk",
        "pico",
        "powervr",
        "qualcomm",
        "quest",
        "rogue",
        "samsung",
        "snapdragon",
        "swiftshader",
        "tegra",
        "turnip",
        "v3d",
        "valhall",
        "videocore",
        "xclipse",
    ];
    let mut wrong = Wrong::default();
    for file in library().iter().filter(|file| file.under(RULES)) {
        for (number, line) in file.text.lines().enumerate() {
            for word in small_words(line) {
                let bare = word.trim_end_matches(|c: char| c.is_ascii_digit());
                if names.contains(&word.as_str()) || names.contains(&bare) {
                    wrong.add(file.at(number), format!("names `{word}`; ask a behaviour"));
                }
            }
        }
    }
    wrong.check();
}

/// The library's modules, each before those that may use it. Those of one row are plain data,
/// which may use each other.
const ORDER: [&[&str]; 14] = [
    &["format", "nearest", "spirv"],
    &["call"],
    &["finding", "profile"],
    &["model"],
    &["tiler"],
    &["traffic"],
    &["rule"],
    &["rules"],
    &["patch"],
    // Knows the rules' names.
    &["config"],
    &["engine"],
    &["session"],
    &["report"],
    &["lint"],
];

#[test]
fn library_modules_stand_in_order() {
    let rank = |module: &str| ORDER.iter().position(|row| row.contains(&module));
    let mut wrong = Wrong::default();
    for file in library() {
        let inside = file.path.strip_prefix("layer/tilelint/src/").unwrap_or_default();
        let module = inside.split(['/', '.']).next().unwrap_or_default();
        if module == "lib" {
            continue;
        }
        let Some(own) = rank(module) else {
            wrong.add(file.at(0), format!("`{module}` has no place in the order"));
            continue;
        };
        for (number, used) in used_modules(&file) {
            match rank(&used) {
                Some(other) if other <= own => {}
                Some(_) => wrong.add(file.at(number), format!("`{module}` uses `{used}`")),
                None => wrong.add(file.at(number), format!("`{used}` is no module of the order")),
            }
        }
        // The way up by `super` stays inside the module.
        let depth = inside.matches('/').count() + usize::from(!inside.ends_with("mod.rs"));
        for (number, line) in file.own_code() {
            if line.contains(&"super::".repeat(depth)) {
                wrong.add(file.at(number), "write `crate::` for what lies outside the module");
            }
        }
    }
    wrong.check();
}

/// Modules of the library that a file's own code names, with the line.
fn used_modules(file: &File) -> Vec<(usize, String)> {
    let own: Vec<&str> = file.own_code().map(|(_, line)| line).collect();
    let code = own.join("\n");
    let mut used = Vec::new();
    for (at, _) in words(&code, "crate") {
        let Some(rest) = code[at..].strip_prefix("crate::") else { continue };
        let line = line_of(&code, at);
        let list = match rest.strip_prefix('{') {
            Some(_) => &rest[1..closing(rest, 0).max(1)],
            None => rest,
        };
        let mut depth = 0;
        let tops: String = list
            .chars()
            .take_while(|c| rest.starts_with('{') || c.is_alphanumeric() || *c == '_')
            .filter(|c| {
                depth += i32::from(*c == '{') - i32::from(*c == '}');
                depth == 0
            })
            .collect();
        for item in tops.split(',') {
            let name: String =
                item.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if !name.is_empty() {
                used.push((line, name));
            }
        }
    }
    used
}

#[test]
fn grouped_imports_are_taken_apart() {
    let text =
        "use crate::{call::{A, B}, engine};\nuse crate::model::X;\nfn f(x: crate::tiler::Y) {}";
    let file = File::new("layer/tilelint/src/x.rs", text);
    let found: Vec<_> = used_modules(&file).into_iter().map(|(_, name)| name).collect();
    assert_eq!(found, ["call", "engine", "model", "tiler"]);
}
