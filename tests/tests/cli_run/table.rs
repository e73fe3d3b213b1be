//! The table of exit codes, row by row.

use std::fs;

use tilelint_tests::harness::{TempDir, run};

use crate::stage::{BAD, GOOD, Stage};

/// What a row of the table is about, what makes it happen, its exit code, and the line that says
/// so.
type Row = (&'static str, &'static [&'static str], &'static str, i32, &'static str);

const DENY: &[&str] = &["--deny", "warnings"];
const KNOWN: &[&str] = &["--deny", "warnings", "--baseline", "known.json"];
const PLAY_BAD: &str = "\"$PLAYER\" bad.calls";

const ROWS: [Row; 14] = [
    ("clean", DENY, "\"$PLAYER\" good.calls", 0, "tilelint: no findings in 6 frames"),
    ("warnings alone", &[], PLAY_BAD, 0, "tilelint: 1 finding (1 warning) in 6 frames"),
    ("a new finding", DENY, PLAY_BAD, 1, "error: 1 new finding at level deny"),
    ("covered by the baseline", KNOWN, PLAY_BAD, 0, "no new finding at level deny"),
    ("over budget", &["--budget", "1MB/frame"], PLAY_BAD, 1, "error: over budget: "),
    ("the program fails", DENY, "\"$PLAYER\" bad.calls; exit 41", 41, "failed with exit code 41"),
    ("it crashes", DENY, "\"$PLAYER\" bad.calls; kill -SEGV $$", 139, "ended by signal 11"),
    ("it is killed", &[], "\"$PLAYER\" bad.calls; kill -KILL $$", 137, "ended by signal 9"),
    ("time is up", &["--timeout", "0.3"], "exec sleep 600", 2, "(--timeout)"),
    ("no report", DENY, "true", 2, "error: no report was written"),
    (
        "nothing rendered",
        DENY,
        "\"$PLAYER\" empty.calls",
        2,
        "rendered nothing that could be judged",
    ),
    ("frames that never came", &["--frames", "90.."], PLAY_BAD, 2, "before a frame of 90.. did"),
    ("bad options", &["--deny", "mssa-store"], PLAY_BAD, 2, "did you mean \"msaa-store\"?"),
    ("a missing baseline", &["--baseline", "absent.json"], PLAY_BAD, 2, "cannot read the baseline"),
];

#[test]
fn exit_codes_are_those_of_the_table() {
    let stage = Stage::new();
    let image = "image a format=R8G8B8A8_UNORM extent=8x8 usage=COLOR_ATTACHMENT";
    let empty = format!("calls version=1\n{image}\n");
    fs::write(stage.folder().join("empty.calls"), empty).unwrap();
    let made = stage.run(&["--baseline", "known.json", "--update-baseline"], BAD);
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    for (what, options, script, code, line) in ROWS {
        let ran = stage.shell(options, script);
        assert_eq!(ran.status.code(), Some(code), "{what}: {ran:?}");
        assert!(ran.stderr.contains(line), "{what}: {}", ran.stderr);
    }
    // The layer is missing where the tool stands alone.
    let alone = TempDir::new();
    let tool = alone.path().join("tilelint");
    fs::copy(stage.program(), &tool).unwrap();
    let mut command = std::process::Command::new(&tool);
    command.args(["run", "--", "true"]).env("HOME", alone.path());
    let missing = run(command.env("XDG_DATA_DIRS", alone.path()));
    assert_eq!(missing.status.code(), Some(2), "{missing:?}");
    assert!(missing.stderr.contains("there is no libVkLayer_tilelint.so"), "{missing:?}");
}

#[test]
fn a_label_around_the_commands_allows_its_rule() {
    let stage = Stage::new();
    let label = |text: &str| {
        let listing = stage.read(BAD);
        let listing = listing
            .replace("  pass main\n", &format!("  label-begin text=\"{text}\"\n  pass main\n"));
        let listing = listing.replace("  end\n  frame\n", "  end\n  label-end\n  frame\n");
        fs::write(stage.folder().join("label.calls"), listing).unwrap();
        stage.run(DENY, "label.calls")
    };
    let allowed = label("tilelint: allow msaa-store (the capture reads it)");
    assert_eq!(allowed.status.code(), Some(0), "{allowed:?}");
    let report = stage.json("tilelint-report.json");
    let suppressed = &report["suppressed"][0];
    assert_eq!(suppressed["rule"], "msaa-store", "{report}");
    assert_eq!(suppressed["reason"], "the capture reads it");
    assert_eq!(suppressed["by"], "label");
    let other = label("tilelint: allow depth-store");
    assert_eq!(other.status.code(), Some(1), "another rule's label allows nothing: {other:?}");
    let report = stage.json("tilelint-report.json");
    assert_eq!(report["findings"][0]["location"]["labels"][0], "tilelint: allow depth-store");
}

#[test]
fn suppressions_hold_until_their_day_and_are_told_when_nothing_needs_them() {
    let stage = Stage::new();
    let suppress = |extra: &str, listing: &str| {
        let text = format!(
            "[[suppress]]\nrule = \"msaa-store\"\nobject = \"m*\"\nreason = \"meant\"\n{extra}"
        );
        fs::write(stage.folder().join("tilelint.toml"), text).unwrap();
        stage.run(DENY, listing)
    };
    let held = suppress("expires = 2999-12-31\n", BAD);
    assert_eq!(held.status.code(), Some(0), "{held:?}");
    assert!(held.stderr.contains("no findings, 1 suppressed in 6 frames"), "{}", held.stderr);
    let over = suppress("expires = 2020-01-31\n", BAD);
    assert_eq!(over.status.code(), Some(1), "{over:?}");
    let line = "expired suppression: msaa-store in tilelint.toml:1 does nothing\n";
    assert!(over.stderr.contains(line), "{}", over.stderr);
    let unused = suppress("", GOOD);
    assert_eq!(unused.status.code(), Some(0), "{unused:?}");
    let line = "  suppression: msaa-store in tilelint.toml:1 does nothing\n";
    assert!(unused.stderr.contains(line), "{}", unused.stderr);
}

#[test]
fn a_number_of_a_rule_reaches_the_layer_from_every_source() {
    let stage = Stage::new();
    let barriers = "    barrier src_stage=FRAGMENT_SHADER dst_stage=FRAGMENT_SHADER \
                    flags=BY_REGION\n"
        .repeat(5);
    let listing = stage.read(GOOD).replace("    draw", &format!("{barriers}    draw"));
    fs::write(stage.folder().join("barriers.calls"), listing).unwrap();
    let told = |options: &[&str], variable: Option<&str>| {
        let mut command = stage.command(options, "barriers.calls");
        command.args(["--form", "rp2"]);
        variable.map(|value| command.env("TILELINT_RULES", value));
        let ran = run(&mut command);
        assert_eq!(ran.status.code(), Some(0), "{ran:?}");
        let line = ran.stderr.lines().find(|line| line.starts_with("info[in-pass-barrier]"));
        if line.is_some() {
            assert!(ran.stderr.contains(", tilelint.calls:"), "the place is found: {}", ran.stderr);
        }
        line.is_some()
    };
    assert!(!told(&[], None), "16 are fine");
    assert!(told(&["--set", "in-pass-barrier.barriers=4"], None));
    assert!(told(&[], Some("in-pass-barrier.barriers=4")));
    let both = told(&["--set", "in-pass-barrier.barriers=9"], Some("in-pass-barrier.barriers=4"));
    assert!(!both, "the command line is stronger");
    let file = "[rules.in-pass-barrier]\nbarriers = 4\n";
    fs::write(stage.folder().join("tilelint.toml"), file).unwrap();
    assert!(told(&[], None));
}
