//! The table of settings: one row serves every source and the documentation.

/// What a setting's text may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Names of targets.
    Targets,
    /// A number, at least 1.
    Count,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A path, or `off`; `{pid}` and `{app}` stand for process and program.
    Path,
    /// `on` or `off`.
    Switch,
    /// `NAME=LEVEL` pairs; NAME is a rule, a group, `warnings` or `all`.
    Levels,
    /// `TARGET=AMOUNT` pairs, as `1.5GB/s` or `20MB/frame`.
    Budgets,
    /// `RULE.NAME=NUMBER` pairs.
    RuleValues,
    /// A range of frames: `10..20`, `10..`, `..20` or `all`.
    Frames,
}

/// A setting that can be given as text, for every source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingInfo {
    /// Name for [`Config::set`], layer settings and the command line.
    pub name: &'static str,
    /// Place in `tilelint.toml`: a key, `table.key`, or a whole table.
    pub file: &'static str,
    /// What it may be.
    pub shape: Shape,
    /// Value when nobody sets it.
    pub default: &'static str,
    /// What it does.
    pub about: &'static str,
}

impl SettingInfo {
    /// Name of its environment variable.
    pub fn variable(&self) -> String {
        format!("TILELINT_{}", self.name.to_ascii_uppercase())
    }
}

const fn info(
    name: &'static str,
    file: &'static str,
    shape: Shape,
    default: &'static str,
    about: &'static str,
) -> SettingInfo {
    SettingInfo { name, file, shape, default, about }
}

/// Every setting, in the order of the documentation.
pub const SETTINGS: &[SettingInfo] = &[
    info(
        "targets",
        "targets",
        Shape::Targets,
        "quest2,quest3,mali-g78",
        "GPUs that are judged for",
    ),
    info("levels", "levels", Shape::Levels, "", "levels of rules and groups"),
    info("steady_frames", "steady_frames", Shape::Count, "3", "steady frames that a verdict takes"),
    info(
        "frames",
        "frames",
        Shape::Frames,
        "all",
        "frames that are judged: `10..20` are 10 to 19, `10..` all from 10",
    ),
    info(
        "frame_boundary",
        "frame_boundary",
        Shape::Word(&["auto", "marker"]),
        "auto",
        "what ends a frame: whatever the program has, or markers alone",
    ),
    info(
        "every_frame",
        "every_frame",
        Shape::Switch,
        "off",
        "analyse every frame: a program that is too fast waits",
    ),
    info(
        "times",
        "times",
        Shape::Switch,
        "off",
        "let measured times of waits count, and record them: they differ from run to run",
    ),
    info(
        "ask_driver",
        "ask_driver",
        Shape::Switch,
        "off",
        "ask the driver what it makes of passes and memory; enables its extensions for that",
    ),
    info("budgets", "budgets", Shape::Budgets, "", "traffic that each target may have"),
    info(
        "rules",
        "rules",
        Shape::RuleValues,
        "",
        "numbers of single rules: `tilelint explain RULE` lists them",
    ),
    info("report", "output.report", Shape::Path, "tilelint-report.json", "the JSON report"),
    info("recording", "output.recording", Shape::Path, "tilelint.calls", "the recording"),
    info("text", "output.text", Shape::Path, "stderr", "findings as text: `stderr` or a path"),
    info(
        "color",
        "output.color",
        Shape::Word(&["auto", "always", "never"]),
        "auto",
        "colour of the text",
    ),
    info("pass_table", "output.pass_table", Shape::Switch, "off", "the pass table in the text"),
    info(
        "progress",
        "output.progress",
        Shape::Path,
        "off",
        "a small file that says how far the run is",
    ),
    info(
        "api_time",
        "output.api_time",
        Shape::Switch,
        "off",
        "measure the time in Vulkan calls: a table in the text and the report",
    ),
];
