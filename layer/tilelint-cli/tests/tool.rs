//! The tool as its user meets it: exit codes, messages, expectations.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of this test's own, empty.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("the folder can be made");
    path
}

fn tilelint(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tilelint"));
    for name in ["TARGETS", "LEVELS", "STEADY_FRAMES", "COLOR", "CONFIG", "PASS_TABLE"] {
        command.env_remove(format!("TILELINT_{name}"));
    }
    command.args(arguments).current_dir(folder).output().expect("the tool runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is UTF-8")
}

const USAGE: &str = "usage=COLOR_ATTACHMENT|TRANSIENT_ATTACHMENT";

fn listing(store: &str) -> String {
    format!(
        "calls version=1 targets=quest2\n\
         image ms format=R8G8B8A8_UNORM extent=1024x1024 {USAGE} samples=4 memory=lazy\n\
         image eye format=R8G8B8A8_UNORM extent=1024x1024 usage=COLOR_ATTACHMENT memory=xr\n\
         repeat 5\n  pass main\n    attach ms load=CLEAR \
    store={store} resolve=eye   # the store\n    \
         draw vertices=3\n  end\n  frame\nend\n"
    )
}

#[test]
fn lint_quotes_the_file_and_its_exit_code_tells_denied_findings() {
    let folder = folder("lint");
    fs::write(folder.join("bad.calls"), listing("STORE")).expect("can be written");
    fs::write(folder.join("good.calls"), listing("DONT_CARE")).expect("can be written");
    let bad = tilelint(&folder, &["lint", "bad.calls"]);
    let out = text(&bad.stdout);
    assert_eq!(bad.status.code(), Some(0), "a warning is no failure: {out}");
    assert!(out.starts_with("warning[msaa-store]: "), "{out}");
    assert!(out.contains("--> frame 1, pass `main`, bad.calls:6:26\n"), "{out}");
    assert!(out.contains(" 6 |     attach ms load=CLEAR store=STORE resolve=eye   # the store\n"));
    assert!(out.contains("^^^^^^^^^^^ asks for 16.8 MB each frame (1.2 GB/s at 72 Hz)\n"), "{out}");
    assert!(out.contains("\ntilelint: 1 finding (1 warning) in 5 frames"), "{out}");
    assert_eq!(text(&bad.stderr), "");

    let denied = tilelint(&folder, &["lint", "bad.calls", "--deny", "warnings"]);
    assert_eq!(denied.status.code(), Some(1));
    assert!(text(&denied.stdout).starts_with("error[msaa-store]: "));
    let allowed = ["lint", "bad.calls", "--deny", "all", "--allow", "load-store,transient"];
    let allowed = tilelint(&folder, &allowed);
    assert_eq!((allowed.status.code(), text(&allowed.stdout).lines().count()), (Some(0), 1));

    let good = tilelint(&folder, &["lint", "good.calls", "-D", "warnings"]);
    assert_eq!(good.status.code(), Some(0));
    assert_eq!(
        text(&good.stdout),
        "tilelint: no findings in 5 frames (4 steady); 1 pass a frame loads 0 B and stores 4.2 MB \
         (302.0 MB/s at 72 Hz)\n"
    );
    let both = tilelint(&folder, &["lint", "good.calls", "bad.calls", "--deny", "msaa-store"]);
    assert_eq!(both.status.code(), Some(1));
    assert!(text(&both.stdout).contains("\nbad.calls: tilelint: 1 finding"));
    fs::write(folder.join("budget.toml"), "[budgets]\nall = \"4MB/frame\"\n").expect("can be");
    let over = tilelint(&folder, &["lint", "good.calls", "--config", "budget.toml"]);
    assert_eq!(over.status.code(), Some(1));
    assert_eq!(
        text(&over.stderr),
        "error: good.calls: over budget: quest2: 4.2 MB/frame is asked for, the budget is \
         4.0 MB/frame (budget.toml:2)\n"
    );
    let table = tilelint(&folder, &["lint", "good.calls", "--passes"]);
    assert!(text(&table.stdout).starts_with("pass `main`: 1024x1024, rp2, 1 draw, in 5 frames\n"));
}

#[test]
fn what_cannot_be_read_is_never_clean() {
    let folder = folder("unreadable");
    fs::write(folder.join("typo.calls"), "calls version=1\nimgae x\n").expect("can be written");
    let typo = tilelint(&folder, &["lint", "typo.calls"]);
    assert_eq!(typo.status.code(), Some(2));
    let message = text(&typo.stderr);
    assert!(message.starts_with("error: typo.calls: line 2, column 1: "), "{message}");
    assert!(message.contains("did you mean \"image\"?"), "{message}");
    assert_eq!(tilelint(&folder, &["lint", "none.calls"]).status.code(), Some(2));
    assert_eq!(tilelint(&folder, &["lint"]).status.code(), Some(2));
    fs::write(folder.join("good.calls"), listing("DONT_CARE")).expect("can be written");
    for (arguments, expected) in [
        (["--target", "qest2"], "unknown target \"qest2\"; did you mean \"quest2\"? valid: "),
        (["--deny", "msaa-stroe"], "unknown rule \"msaa-stroe\"; did you mean \"msaa-store\"?"),
        (["--steady-frames", "0"], "`0` is no whole number of at least 1"),
    ] {
        let wrong = tilelint(&folder, &["lint", "good.calls", arguments[0], arguments[1]]);
        assert_eq!(wrong.status.code(), Some(2), "{arguments:?}");
        assert!(text(&wrong.stderr).contains(expected), "{}", text(&wrong.stderr));
    }
}

#[test]
fn settings_come_from_the_nearest_file_and_the_environment() {
    let folder = folder("settings");
    let inner = folder.join("a/b");
    fs::create_dir_all(&inner).expect("can be made");
    fs::write(inner.join("bad.calls"), listing("STORE")).expect("can be written");
    let settings = "tragets = []\n[levels]\nmsaa-store = \"deny\"\n";
    fs::write(folder.join("tilelint.toml"), settings).expect("can be written");
    let run = tilelint(&inner, &["lint", "bad.calls"]);
    assert_eq!(run.status.code(), Some(1), "the file's level holds");
    let message = text(&run.stderr);
    assert!(message.contains("tilelint.toml:1:1: unknown key \"tragets\""), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    let run = Command::new(env!("CARGO_BIN_EXE_tilelint"))
        .args(["lint", "bad.calls"])
        .env("TILELINT_LEVELS", "load-store=info,transient=allow")
        .env("TILELINT_STEADY_FRAMES", "many")
        .current_dir(&inner)
        .output()
        .expect("the tool runs");
    assert_eq!(run.status.code(), Some(0), "the environment is stronger");
    assert!(text(&run.stdout).starts_with("info[msaa-store]: "), "{}", text(&run.stdout));
    assert!(
        text(&run.stderr)
            .contains("warning: TILELINT_STEADY_FRAMES: `many` is no whole number of at least 1\n")
    );
    let suppression = "[[suppress]]\nrule = \"msaa-store\"\nobject = \"m?\"\nreason = \"meant\"\n\
                       [[suppress]]\nrule = \"depth-store\"\nreason = \"old\"\n";
    fs::write(inner.join("tilelint.toml"), suppression).expect("can be written");
    let run = tilelint(&inner, &["lint", "bad.calls"]);
    let out = text(&run.stdout);
    assert!(out.starts_with("tilelint: no findings, 1 suppressed in 5 frames"), "{out}");
    assert!(out.contains("tilelint.toml:5 does nothing\n"), "{out}");
}

#[test]
fn the_json_report_can_be_read_and_is_the_same_twice() {
    let folder = folder("json");
    fs::write(folder.join("bad.calls"), listing("STORE")).expect("can be written");
    let arguments = ["lint", "bad.calls", "--format", "json"];
    let first = tilelint(&folder, &arguments);
    assert_eq!(first.stdout, tilelint(&folder, &arguments).stdout);
    let report = tilelint::report::from_json(&text(&first.stdout)).expect("is a report");
    let finding = &report.findings[0];
    assert_eq!((finding.rule.as_str(), finding.count), ("msaa-store", 5));
    assert_eq!(finding.quote.file.as_deref(), Some("bad.calls"));
    let mark = &finding.quote.marks[0];
    assert_eq!((mark.line, mark.start, mark.end), (Some(6), 25, 36));
    assert_eq!(&finding.quote.lines[0].text[mark.start..mark.end], "store=STORE");
}

#[test]
fn expectations_are_compared() {
    let folder = folder("expect");
    let cases = folder.join("cases/deep");
    fs::create_dir_all(&cases).expect("can be made");
    let write = |name: &str, text: &str| {
        fs::write(cases.join(name), text).expect("can be written");
    };
    let none = tilelint(&folder, &["lint", "--expect", "cases"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none.stderr).contains("no case"));
    write("bad.calls", &listing("STORE"));
    write("bad.expected.json", r#"{"fire": ["msaa-store", "transient-load-store"]}"#);
    write("good.calls", &listing("DONT_CARE"));
    write("good.expected.json", r#"{"fire": [], "silent": true}"#);
    write("other.calls", "this is no case");
    let right = tilelint(&folder, &["lint", "--expect", "cases"]);
    assert_eq!(text(&right.stdout), "2 of 2 cases as expected\n", "a folded rule has fired too");
    assert_eq!(right.status.code(), Some(0));
    write("bad.expected.json", r#"{"fire": ["depth-store"], "not_fire": ["msaa-store"]}"#);
    write("good.expected.json", r#"{"fire": ["msaa-store"]}"#);
    write("lost.expected.json", r#"{"silent": true}"#);
    write("broken.calls", "imgae x\n");
    write("broken.expected.json", r#"{"silent": true}"#);
    let wrong = tilelint(&folder, &["lint", "--expect", "cases"]);
    let out = text(&wrong.stdout);
    assert_eq!(wrong.status.code(), Some(1), "{out}");
    assert!(out.contains("FAILED cases/deep/bad.calls\n  missing: depth-store\n"), "{out}");
    assert!(out.contains("  must not fire: msaa-store: multisampled colour `ms`"), "{out}");
    assert!(out.contains("FAILED cases/deep/good.calls\n  missing: msaa-store\n"), "{out}");
    assert!(out.contains("FAILED cases/deep/lost.calls\n  cannot read "), "{out}");
    assert!(out.contains("FAILED cases/deep/broken.calls\n"), "{out}");
    assert!(out.ends_with("0 of 4 cases as expected\n"), "{out}");
    let named = tilelint(&folder, &["lint", "--expect", "cases/deep/other.calls"]);
    assert_eq!(named.status.code(), Some(1), "a listing that is named must have its expectation");
}

#[test]
fn rules_are_listed_and_explained() {
    let folder = folder("rules");
    let list = tilelint(&folder, &["rules"]);
    let out = text(&list.stdout);
    assert!(out.starts_with("load-store:\n  msaa-store "), "{out}");
    assert_eq!(list.status.code(), Some(0));
    let page = tilelint(&folder, &["explain", "msaa-store"]);
    assert!(text(&page.stdout).starts_with("# `msaa-store`\n"));
    let typo = tilelint(&folder, &["explain", "msaa-stroe"]);
    assert_eq!(typo.status.code(), Some(2));
    let said = |word: &str| text(&tilelint(&folder, &["explain", word]).stderr);
    let all = "(`tilelint rules` lists all)\n";
    let near = "error: unknown rule \"msaa-stroe\"; did you mean \"msaa-store\"?";
    assert_eq!(said("msaa-stroe"), format!("{near} {all}"));
    let part = "error: unknown rule \"msaa\"; did you mean one of msaa-store, msaa-roundtrip, ";
    assert!(said("msaa").starts_with(part), "{}", said("msaa"));
    assert_eq!(said("zzzz"), format!("error: unknown rule \"zzzz\" {all}"));
    let group = text(&tilelint(&folder, &["explain", "foveation"]).stdout);
    assert!(group.starts_with("foveation:\n  density-map-missing "), "{group}");
    let bins = text(&tilelint(&folder, &["explain", "many-bins"]).stdout);
    assert!(bins.contains("\n- `bins` (default 16): "), "{bins}");
    assert!(bins.contains("\n- `level` (default \"info\"): one of allow, info, "), "{bins}");
}

#[test]
fn settings_in_force_are_shown_with_their_origin() {
    let folder = folder("config");
    fs::write(folder.join("tilelint.toml"), "steady_frames = 2\n").expect("can be written");
    let run = tilelint(&folder, &["config", "--target", "quest3", "--deny", "msaa-store"]);
    let out = text(&run.stdout);
    assert_eq!(run.status.code(), Some(0), "{out}");
    let origin_of = |name: &str| {
        let line = out.lines().find(|line| line.starts_with(&format!("{name} = "))).expect(name);
        line.split("# ").last().expect("a line ends with its origin").to_owned()
    };
    assert_eq!(origin_of("targets"), "command line");
    assert_eq!(origin_of("levels.msaa-store"), "command line");
    assert!(origin_of("steady_frames").ends_with("tilelint.toml:1"));
    assert_eq!(origin_of("output.color"), "built-in");
}

/// The tool knows the sources that the layer knows, and the command line above them all.
#[test]
fn the_stronger_of_two_sources_wins() {
    const SOURCES: [(&str, &str); 6] = [
        ("adreno-630", "tilelint.toml:1"),
        ("adreno-640", "vk_layer_settings.txt:1"),
        ("adreno-650", "VK_LINT_TARGETS"),
        ("adreno-660", "VK_TILELINT_LINT_TARGETS"),
        ("adreno-680", "TILELINT_TARGETS"),
        ("adreno-690", "command line"),
    ];
    let folder = folder("pairs");
    for (strong, (expected, origin)) in SOURCES.iter().enumerate() {
        for weak in 0..=strong {
            let mut command = Command::new(env!("CARGO_BIN_EXE_tilelint"));
            command.arg("config").current_dir(&folder).env("HOME", &folder);
            for file in ["tilelint.toml", "vk_layer_settings.txt"] {
                let _ = fs::remove_file(folder.join(file));
            }
            for source in [weak, strong] {
                let (target, name) = SOURCES[source];
                let text = match source {
                    0 => format!("targets = [\"{target}\"]\n"),
                    _ => format!("tilelint_lint.targets = {target}\n"),
                };
                match source {
                    0 | 1 => {
                        let file = name.split(':').next().expect("a name");
                        fs::write(folder.join(file), text).expect("can be written");
                    }
                    5 => drop(command.args(["--target", target])),
                    _ => drop(command.env(name, target)),
                }
            }
            let shown = text(&command.output().expect("the tool runs").stdout);
            let line = shown.lines().next().expect("targets come first");
            let start = format!("targets = [\"{expected}\"]");
            assert!(line.starts_with(&start), "{weak}: {line}");
            assert!(line.ends_with(origin), "{weak}: {line}");
        }
    }
}

#[test]
fn a_file_says_what_a_rule_takes_for_too_much() {
    let folder = folder("rule_settings");
    let listing = "calls version=1 targets=quest2\n\
        swapchain screen format=B8G8R8A8_UNORM extent=1024x1024 mode=IMMEDIATE\n\
        repeat 5\n  pass main\n    attach screen load=CLEAR store=STORE\n    \
        draw vertices=36 times=200\n  end\n  present screen\n  frame time=10000000\nend\n";
    fs::write(folder.join("fast.calls"), listing).expect("can be written");
    // 100 presents a second are 39 % more than 72.
    for (percent, is_told) in [("", true), ("38", true), ("39", false)] {
        let file = match percent {
            "" => String::new(),
            percent => format!("[rules.present-overdrive]\nexcess_percent = {percent}\n"),
        };
        fs::write(folder.join("tilelint.toml"), file).expect("can be written");
        let told = tilelint(&folder, &["lint", "fast.calls"]);
        let out = text(&told.stdout);
        assert_eq!(out.contains("warning[present-overdrive]"), is_told, "{percent}: {out}");
        let rate =
            format!("more than {} % faster", if percent.is_empty() { "20" } else { percent });
        assert_eq!(out.contains(&rate), is_told, "{percent}: {out}");
    }
}
