use super::*;
use crate::finding::{Confidence, Cost, Finding, Level, Location, Quote, Tier};
use crate::rule::{Group, Needs};

const fn rule(name: &'static str, group: Group, level: Level) -> Rule {
    Rule {
        name,
        group,
        level,
        tier: Tier::F,
        folds: &[],
        correctness: false,
        needs: Needs::ALL,
        since: "0.1",
        page: "# x\n\nOne line.\n",
        checks: &[],
    }
}

static MSAA: Rule = rule("msaa-store", Group::LoadStore, Level::Warn);
static COLOR: Rule = rule("color-store", Group::LoadStore, Level::Warn);
static RESOLVE: Rule = rule("resolve-not-stored", Group::Correctness, Level::Deny);
static QUIET: Rule = rule("pass-budget", Group::Merging, Level::Allow);
static RULES: &[&Rule] = &[&MSAA, &COLOR, &RESOLVE, &QUIET];

fn read(text: &str) -> (Config, Vec<String>) {
    let (config, problems) = parse_for(text, "tilelint.toml", RULES.to_vec());
    (config, problems.iter().map(ToString::to_string).collect())
}

fn finding(rule: &'static str, pass: &str, image: &str, labels: &[&str]) -> Finding {
    Finding {
        rule,
        level: Level::Warn,
        confidence: Confidence::Certain,
        tier: Tier::F,
        fingerprint: 1,
        count: 1,
        per_frame: 1,
        first_frame: 0,
        only_unsteady: false,
        seen_over: 3,
        targets: vec!["quest2".into()],
        message: "x".into(),
        why: Vec::new(),
        assumes: Vec::new(),
        cost: Cost::default(),
        fixes: Vec::new(),
        location: Location {
            pass: Some(pass.into()),
            image: Some(image.into()),
            labels: labels.iter().map(ToString::to_string).collect(),
            ..Location::default()
        },
        quote: Quote::default(),
        notes: Vec::new(),
        by_target: Vec::new(),
        objects: Vec::new(),
    }
}

#[test]
fn a_whole_file_applies() {
    let (config, problems) = read(
        r#"
targets = ["mali-g78", "quest3"]
steady_frames = 2
frame_boundary = "marker"

[levels]
warnings = "deny"
color-store = "allow"
merging = "info"

[budgets]
quest3 = "1.5GB/s"
all = "20 MB/frame"

[output]
report = "out/{app}-{pid}.json"
text = "findings.txt"
recording = "off"
color = "never"
pass_table = true

[rules.msaa-store]
level = "forbid"

[[suppress]]
rule = "color-store"
object = "photo*"
pass = "main"
reason = "photo mode reads it"
expires = 2027-01-31
"#,
    );
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!(config.targets.value, ["mali-g78", "quest3"]);
    assert_eq!(config.targets.origin, "tilelint.toml:2");
    assert_eq!(config.model().steady_frames, 2);
    assert!(config.model().markers_only);
    assert_eq!(config.level_of(&MSAA).value, Level::Forbid);
    assert_eq!(config.level_of(&MSAA).origin, "tilelint.toml:23");
    assert_eq!(config.level_of(&COLOR).value, Level::Allow);
    assert_eq!(config.level_of(&QUIET).value, Level::Info);
    assert_eq!(config.budgets.len(), 2);
    assert_eq!((config.budgets[0].bytes, config.budgets[0].per_second), (20_000_000, false));
    assert_eq!((config.budgets[1].bytes, config.budgets[1].per_second), (1_500_000_000, true));
    assert_eq!(config.budgets[1].frame_bytes(&config.profiles()[1]), 1_500_000_000 / 72);
    assert_eq!(config.recording.value, None);
    assert_eq!(config.text.value, TextSink::File("findings.txt".into()));
    assert!(config.pass_table.value);
    let report = config.report.value.expect("was set");
    assert_eq!(fill_path(&report, 7, "game"), "out/game-7.json");
    let suppression = &config.suppressions[0];
    assert_eq!(suppression.expires, Some(Date { year: 2027, month: 1, day: 31 }));
    assert_eq!(suppression.origin, "tilelint.toml:25");
}

/// One message a mistake; everything else of the file applies.
#[track_caller]
fn one_problem(text: &str, expected: &str) {
    let after = format!("{text}\n[output]\ncolor = \"never\"\n");
    let (config, problems) = read(&after);
    assert_eq!(problems, [expected], "{text}");
    assert_eq!(config.color.value, Color::Never, "the rest of the file applies");
}

#[test]
fn every_mistake_gives_one_message() {
    one_problem(
        "steady_frames = 3\ntragets = [\"quest2\"]",
        "tilelint.toml:2:1: unknown key \"tragets\"; did you mean \"targets\"? valid: targets, \
         levels, steady_frames, frames, frame_boundary, every_frame, times, ask_driver, \
         budgets, rules, output, suppress",
    );
    one_problem(
        "targets = \"quest2\"\nsteady_frames = \"three\"",
        "tilelint.toml:2:17: `steady_frames` must be a whole number, not a string",
    );
    one_problem("steady_frames = 0", "tilelint.toml:1:17: `0` is no whole number of at least 1");
    one_problem("levels = 3", "tilelint.toml:1:10: `levels` must be a table, not an integer");
    one_problem(
        "[levels]\n  msaa-stroe = \"deny\"",
        "tilelint.toml:2:3: unknown rule \"msaa-stroe\"; did you mean \"msaa-store\"? valid: all, \
         warnings, load-store, resolve, transient, merging, tile-budget, foveation, sync, \
         presentation, api-work, hidden-surface, correctness, msaa-store, color-store, \
         resolve-not-stored, pass-budget",
    );
    one_problem(
        "[levels]\nmsaa-store = \"dney\"",
        "tilelint.toml:2:14: unknown level \"dney\"; did you mean \"deny\"? valid: allow, info, \
         warn, deny, forbid, expect",
    );
    one_problem(
        "[budgets]\nquest2 = \"fast\"",
        "tilelint.toml:2:10: `fast` is no amount of traffic; write it as 1.5GB/s or 20MB/frame",
    );
    one_problem(
        "[rules.msaa-store]\nlimit = 4",
        "tilelint.toml:2:1: unknown setting of msaa-store \"limit\"; valid: level",
    );
    one_problem(
        "[[suppress]]\nrule = \"msaa-store\"",
        "tilelint.toml:1:1: a suppression needs `reason`: why is this meant?",
    );
    one_problem(
        "[[suppress]]\nrule = \"msaa-store\"\nreason = \"x\"\nexpires = \"soon\"",
        "tilelint.toml:4:11: `expires` must be a date like 2026-12-31",
    );
    one_problem(
        "suppress = \"all\"",
        "tilelint.toml:1:12: `suppress` must be a list of tables: \
         `[[suppress]]`, not a string",
    );
}

#[test]
fn an_unknown_target_leaves_the_known_ones() {
    let (config, problems) = read("targets = [\"quest2\", \"qest3\"]\n");
    assert_eq!(config.targets.value, ["quest2"]);
    let start = "tilelint.toml:1:22: unknown target \"qest3\"; did you mean \"quest3\"? valid: ";
    assert!(problems[0].starts_with(start), "{problems:?}");
    assert_eq!(problems.len(), 1);
    let (config, problems) = read("targets = [\"voodoo\"]\n");
    assert_eq!(config.targets.value, DEFAULT_TARGETS);
    assert_eq!(config.targets.origin, BUILT_IN);
    assert_eq!(problems.len(), 1);
}

#[test]
fn a_slip_of_syntax_keeps_what_can_be_read() {
    let (config, problems) = read("steady_frames = 5\nframe_boundary = marker\n[output]\n");
    assert_eq!(config.steady_frames.value, 5);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].starts_with("tilelint.toml:2:18: "), "{problems:?}");
    let (config, problems) = read("steady_frames = 5\ntargets = [\n[output]\npass_table = true\n");
    assert_eq!(config.steady_frames.value, 5);
    assert_eq!(problems.len(), 1, "{problems:?}");
}

#[test]
fn an_unknown_placeholder_is_told() {
    let mut config = Config::of(RULES.to_vec());
    let error = config.set("report", "x-{pdi}.json", "TILELINT_REPORT").expect_err("is unknown");
    assert_eq!(
        error.to_string(),
        "TILELINT_REPORT: unknown placeholder \"{pdi}\"; did you mean \"{pid}\"? \
    valid: {pid}, {app}"
    );
    assert_eq!(config.report.origin, BUILT_IN);
}

#[test]
fn stronger_sources_win_and_say_so() {
    let (mut config, _) = read("targets = [\"quest2\"]\n[levels]\nmsaa-store = \"deny\"\n");
    assert_eq!(config.set("targets", "quest3, mali-g78", "TILELINT_TARGETS"), Ok(()));
    assert_eq!(config.targets.value, ["quest3", "mali-g78"]);
    assert_eq!(config.targets.origin, "TILELINT_TARGETS");
    assert_eq!(config.level_of(&MSAA).value, Level::Deny);
    config.set("levels", "load-store=allow", "TILELINT_LEVELS").expect("is right");
    assert_eq!(
        config.level_of(&MSAA).value,
        Level::Allow,
        "a later source wins over a rule's name"
    );
    config.set_level("msaa-store", Level::Forbid, "command line").expect("is right");
    config.set_level("all", Level::Allow, "command line").expect("is right");
    assert_eq!(config.level_of(&MSAA).value, Level::Forbid, "forbid stands");
    assert_eq!(config.level_of(&COLOR).value, Level::Allow);
    let (file, _) = read("targets = [\"mali-g78\"]\n[levels]\ncolor-store = \"info\"\n");
    let mut base = Config::of(RULES.to_vec());
    base.set("levels", "all=deny", "weak").expect("is right");
    base.apply(file);
    assert_eq!(base.level_of(&COLOR).value, Level::Info);
    assert_eq!(base.level_of(&RESOLVE).value, Level::Deny);
    assert_eq!(base.targets.value, ["mali-g78"]);
    assert_eq!(base.steady_frames.origin, BUILT_IN);
}

#[test]
fn warnings_moves_warnings_only() {
    let mut config = Config::of(RULES.to_vec());
    config.set_level("warnings", Level::Deny, "command line").expect("is right");
    config.set_level("color-store", Level::Info, "command line").expect("is right");
    let levels = RULES.map_level(&config);
    assert_eq!(levels, [Level::Deny, Level::Info, Level::Deny, Level::Allow]);
}

trait MapLevel {
    fn map_level(&self, config: &Config) -> Vec<Level>;
}

impl MapLevel for &[&'static Rule] {
    fn map_level(&self, config: &Config) -> Vec<Level> {
        self.iter().map(|rule| config.level_of(rule).value).collect()
    }
}

#[test]
fn a_wrong_part_of_a_list_leaves_the_others() {
    let mut config = Config::of(RULES.to_vec());
    let error = config.set("levels", "msaa-store=deny,color-store", "TILELINT_LEVELS");
    assert_eq!(
        error.expect_err("has no level").to_string(),
        "TILELINT_LEVELS: `color-store` is no `NAME=VALUE` pair"
    );
    assert_eq!(config.level_of(&MSAA).value, Level::Deny);
    let error = config.set("stedy_frames", "3", "layer settings").expect_err("is unknown");
    assert!(error.message.starts_with(
        "unknown setting \"stedy_frames\"; did you mean \"steady_frames\"? valid: targets, levels"
    ));
    assert_eq!(SETTINGS[0].variable(), "TILELINT_TARGETS");
}

#[test]
fn defaults_are_those_of_the_table() {
    let config = Config::of(RULES.to_vec());
    let mut set = Config::of(RULES.to_vec());
    for info in SETTINGS.iter().filter(|info| !info.default.is_empty()) {
        set.set(info.name, info.default, "table").expect("a default is valid");
    }
    assert_eq!(set.targets.value, config.targets.value);
    assert_eq!(set.steady_frames.value, config.steady_frames.value);
    assert_eq!(set.frame_boundary.value, config.frame_boundary.value);
    assert_eq!(set.report.value, config.report.value);
    assert_eq!(set.recording.value, config.recording.value);
    assert_eq!(set.text.value, config.text.value);
    assert_eq!(set.color.value, config.color.value);
    assert_eq!(set.pass_table.value, config.pass_table.value);
    assert_eq!(set.frames.value, config.frames.value);
    assert_eq!(set.progress.value, config.progress.value);
}

#[test]
fn suppressions_take_findings_out_with_their_reason() {
    let (config, _) = read(
        "[[suppress]]\nrule = \"color-store\"\nobject = \"photo*\"\nreason = \"photo mode\"\n\
         expires = \"2026-12-31\"\n[[suppress]]\nrule = \"msaa-store\"\npass = \"ui\"\n\
         reason = \"later\"\n",
    );
    let findings = vec![
        finding("color-store", "main", "photo_2", &[]),
        finding("color-store", "main", "scene", &[]),
        finding("msaa-store", "main", "ms", &["Frame", "tilelint: allow msaa-store (measured)"]),
    ];
    let day = |year| Some(Date { year, month: 6, day: 1 });
    let judged = config.judge(findings.clone(), day(2026));
    assert_eq!(judged.findings.len(), 1);
    let reasons: Vec<_> =
        judged.suppressed.iter().map(|s| (s.reason.as_str(), s.by.as_str())).collect();
    assert_eq!(reasons, [("photo mode", "tilelint.toml:1"), ("measured", "label")]);
    assert_eq!(judged.unused.len(), 1);
    assert_eq!(judged.unused[0].by, "tilelint.toml:6");
    let judged = config.judge(findings, day(2027));
    assert_eq!(judged.findings.len(), 2, "an expired suppression no longer holds");
    assert_eq!(judged.unused[0].kind, "expired suppression");
}

#[test]
fn an_expected_rule_must_fire() {
    let (config, problems) =
        read("[levels]\ncolor-store = \"expect\"\npass-budget = \"expect\"\nall = \"expect\"\n");
    assert_eq!(problems, ["tilelint.toml:4:7: `expect` is for one rule, not for `all`"]);
    assert_eq!(config.level_of(&QUIET).value, Level::Warn, "a rule that is off cannot fire");
    let judged = config.judge(vec![finding("color-store", "main", "scene", &[])], None);
    assert_eq!((judged.findings.len(), judged.suppressed.len()), (0, 1));
    assert_eq!(judged.suppressed[0].reason, "expected");
    let unused: Vec<_> = judged.unused.iter().map(|u| (u.kind, u.rule, u.by.as_str())).collect();
    assert_eq!(unused, [("expectation", "pass-budget", "tilelint.toml:3")]);
}

#[test]
fn settings_in_force_say_where_they_came_from() {
    let (mut config, _) = read(
        "[levels]\nwarnings = \"deny\"\ncolor-store = \"warn\"\n[budgets]\nall = \"2kB/frame\"\n\
         [[suppress]]\nrule = \"msaa-store\"\npass = \"ui\"\nreason = \"later\"\n",
    );
    config.set("targets", "quest3", "TILELINT_TARGETS").expect("is right");
    let rows: Vec<String> = config
        .effective()
        .iter()
        .map(|row| format!("{} = {} ({})", row.name, row.value, row.origin))
        .collect();
    assert_eq!(
        rows,
        [
            "targets = [\"quest3\"] (TILELINT_TARGETS)",
            "steady_frames = 3 (built-in)",
            "frames = \"all\" (built-in)",
            "frame_boundary = \"auto\" (built-in)",
            "every_frame = false (built-in)",
            "times = false (built-in)",
            "ask_driver = false (built-in)",
            "output.report = \"tilelint-report.json\" (built-in)",
            "output.recording = \"tilelint.calls\" (built-in)",
            "output.text = \"stderr\" (built-in)",
            "output.color = \"auto\" (built-in)",
            "output.pass_table = false (built-in)",
            "output.progress = \"off\" (built-in)",
            "output.api_time = false (built-in)",
            "levels.msaa-store = \"deny\" (tilelint.toml:2)",
            "levels.color-store = \"deny\" (tilelint.toml:2)",
            "budgets.all = \"2000B/frame\" (tilelint.toml:5)",
            "suppression = rule = \"msaa-store\", pass = \"ui\", reason = \"later\" \
             (tilelint.toml:6)",
        ]
    );
}

#[test]
fn the_sample_file_is_right_and_shows_every_setting() {
    let text = include_str!("../../../../manifest/tilelint.toml");
    let (_, problems) = parse(text, "sample");
    assert_eq!(problems, []);
    // Lines that are commented out with `#` and no space are settings too.
    let all: String = text.lines().map(|line| format!("{}\n", uncommented(line))).collect();
    let (config, problems) = parse(&all, "sample");
    assert_eq!(problems, []);
    let rows = config.effective();
    for info in SETTINGS {
        let set = |row: &Row| row.name.starts_with(info.file) && row.origin != BUILT_IN;
        assert!(rows.iter().any(set), "the sample does not show {}", info.file);
    }
    assert_eq!(config.suppressions.len(), 1);
}

fn uncommented(line: &str) -> &str {
    match line.strip_prefix('#') {
        Some(setting) if !setting.starts_with(' ') => setting,
        _ => line,
    }
}

#[test]
fn patterns_match_whole_names() {
    assert!(matches_glob("gbuffer_*", "gbuffer_albedo"));
    assert!(matches_glob("*depth?", "main_depth2"));
    assert!(!matches_glob("depth", "depth2"));
    assert!(!matches_glob("*x", "xy"));
    assert!(matches_glob("*", ""));
}

#[test]
fn numbers_of_rules_are_checked_by_name_type_and_range() {
    let (config, problems) = parse(
        "[rules.in-pass-barrier]\nbarriers = 4\nlevel = \"deny\"\n\n[rules.early-acquire]\n\
         percent = 120\nperzent = 3\n\n[rules.many-bins]\nbins = \"few\"\n",
        "tilelint.toml",
    );
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "tilelint.toml:6:11: `120` is no whole number from 0 to 100 for \
             `early-acquire.percent`",
            "tilelint.toml:7:1: unknown setting of early-acquire \"perzent\"; did you mean \
             \"percent\"? valid: level, percent",
            "tilelint.toml:10:8: `bins` must be a whole number, not a string",
        ]
    );
    let mut all = Config::new();
    all.apply(config);
    all.set("rules", "many-bins.bins=64, in-pass-barrier.barriers=8", "TILELINT_RULES")
        .expect("is right");
    let rows: Vec<String> = all
        .effective()
        .iter()
        .filter(|row| row.name.starts_with("rules."))
        .map(|row| format!("{} = {} ({})", row.name, row.value, row.origin))
        .collect();
    assert_eq!(
        rows,
        [
            "rules.in-pass-barrier.barriers = 8 (TILELINT_RULES)",
            "rules.many-bins.bins = 64 (TILELINT_RULES)",
        ]
    );
    for (text, expected) in [
        (
            "many-bins=3",
            "unknown setting \"many-bins\"; valid: oversized-render-area.used_percent, ",
        ),
        ("many-bins.level=3", "unknown setting of many-bins \"level\"; valid: bins"),
        ("many-bins.binz=3", "unknown setting of many-bins \"binz\"; did you mean \"bins\"? "),
        ("many-bins.bins=-3", "`-3` is no whole number of at least 0 for `many-bins.bins`"),
        ("many-bins.bins", "`many-bins.bins` is no `NAME=VALUE` pair"),
    ] {
        let error = all.set("rules", text, "command line").expect_err(text);
        assert!(error.message.starts_with(expected), "{error}");
    }
}

#[test]
fn a_range_of_frames_must_hold_a_verdict() {
    one_problem(
        "frames = \"7\"",
        "tilelint.toml:1:10: `7` is no range of frames; write 10..20 for frames 10 to 19, 10.., \
         ..20 or all",
    );
    one_problem("frames = 7", "tilelint.toml:1:10: `frames` must be a string, not an integer");
    let (mut config, _) = read("frames = \"10..12\"\n");
    let problem = config.contradiction().expect("two frames are too few");
    assert_eq!(
        problem.to_string(),
        "tilelint.toml:1: the range 10..12 holds 2 of the 3 frames that a verdict takes \
         (steady_frames)"
    );
    config.set("steady_frames", "2", "command line").expect("is right");
    assert_eq!(config.contradiction(), None);
    assert_eq!(config.model().frames.to_string(), "10..12");
}
