//! Settings as a value: what can be set, where each setting came from, and which wins.
//!
//! Sources are merged weakest first with [`Config::apply`] and [`Config::set`]: built in,
//! `tilelint.toml`, `VK_EXT_layer_settings`, the environment, the command line. A mistake costs
//! one message and its own setting, nothing else.

mod budget;
mod effective;
mod file;
mod given;
mod levels;
mod rule_values;
mod suppress;
mod table;

use std::fmt;

use crate::call::listing::Header;
use crate::finding::Level;
use crate::model::{self, FrameRange};
use crate::nearest::nearest;
use crate::profile::{self, DEFAULT_TARGETS, Profile};
use crate::rule::{Needs, Rule};
use crate::rules;

use budget::parse_amount;

pub use budget::Budget;
pub use effective::Row;
pub use file::{parse, parse_for};
pub use given::{CONFIG, Given, layer_settings, variables};
pub use levels::{LevelSetting, Selector};
pub use rule_values::RuleValue;
pub use suppress::{Date, Judged, Suppressed, Suppression, Unused, matches_glob};
pub use table::{SETTINGS, SettingInfo, Shape};

/// The origin of what nobody set.
pub const BUILT_IN: &str = "built-in";

/// A value and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value.
    pub value: T,
    /// `built-in`, `tilelint.toml:4`, `TILELINT_TARGETS`, `command line`.
    pub origin: String,
}

impl<T> Setting<T> {
    fn built_in(value: T) -> Self {
        Self { value, origin: BUILT_IN.to_owned() }
    }

    fn take(&mut self, other: Self) {
        if other.origin != BUILT_IN {
            *self = other;
        }
    }
}

/// What ends frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// A marker, else a present, else the structure of the submissions.
    Auto,
    /// Markers alone.
    Marker,
}

/// When text is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Where text goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextSink {
    /// Standard error.
    Stderr,
    /// Nowhere.
    Off,
    /// A file; the path may hold placeholders.
    File(String),
}

/// A mistake in the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    /// File, variable or other source.
    pub origin: String,
    /// Line and column, from 1; `None` where the source has none.
    pub place: Option<(usize, usize)>,
    /// What is wrong, what was probably meant, and what is valid.
    pub message: String,
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some((line, column)) => write!(f, "{}:{line}:{column}: {}", self.origin, self.message),
            None => write!(f, "{}: {}", self.origin, self.message),
        }
    }
}

/// All settings.
#[derive(Clone)]
pub struct Config {
    /// Targets.
    pub targets: Setting<Vec<String>>,
    /// Levels, weakest source first.
    pub levels: Vec<LevelSetting>,
    /// Steady frames that a verdict takes.
    pub steady_frames: Setting<u32>,
    /// Frames that are judged.
    pub frames: Setting<FrameRange>,
    /// What ends frames.
    pub frame_boundary: Setting<Boundary>,
    /// A program that is faster than the analysis waits for it.
    pub every_frame: Setting<bool>,
    /// Measured times of waits count, and are recorded.
    pub times: Setting<bool>,
    /// The driver is asked what it makes of passes and memory.
    pub ask_driver: Setting<bool>,
    /// Budgets, one for each target that has one.
    pub budgets: Vec<Budget>,
    /// Path of the report; `None` writes none.
    pub report: Setting<Option<String>>,
    /// Path of the recording; `None` writes none.
    pub recording: Setting<Option<String>>,
    /// Where findings are told as text.
    pub text: Setting<TextSink>,
    /// Colour of the text.
    pub color: Setting<Color>,
    /// The pass table is part of the text.
    pub pass_table: Setting<bool>,
    /// Path of the file that says how far the run is; `None` writes none.
    pub progress: Setting<Option<String>>,
    /// Numbers of single rules, by name.
    pub rule_values: Vec<RuleValue>,
    /// The time in Vulkan calls is measured.
    pub api_time: Setting<bool>,
    /// Suppressions.
    pub suppressions: Vec<Suppression>,
    rules: Vec<&'static Rule>,
    sources: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self::new()
    }
}

impl Config {
    /// Returns the built-in settings.
    pub fn new() -> Self {
        Self::of(rules::all().collect())
    }

    /// Returns the built-in settings for these rules.
    pub fn of(rules: Vec<&'static Rule>) -> Self {
        Self {
            targets: Setting::built_in(DEFAULT_TARGETS.map(str::to_owned).to_vec()),
            levels: Vec::new(),
            steady_frames: Setting::built_in(3),
            frames: Setting::built_in(FrameRange::ALL),
            frame_boundary: Setting::built_in(Boundary::Auto),
            every_frame: Setting::built_in(false),
            times: Setting::built_in(false),
            ask_driver: Setting::built_in(false),
            budgets: Vec::new(),
            report: Setting::built_in(Some("tilelint-report.json".to_owned())),
            recording: Setting::built_in(Some("tilelint.calls".to_owned())),
            text: Setting::built_in(TextSink::Stderr),
            color: Setting::built_in(Color::Auto),
            pass_table: Setting::built_in(false),
            progress: Setting::built_in(None),
            rule_values: Vec::new(),
            api_time: Setting::built_in(false),
            suppressions: Vec::new(),
            rules,
            sources: 0,
        }
    }

    /// The rules that these settings speak of.
    pub fn rules(&self) -> &[&'static Rule] {
        &self.rules
    }

    /// Lays stronger settings over these.
    pub fn apply(&mut self, stronger: Self) {
        self.targets.take(stronger.targets);
        self.steady_frames.take(stronger.steady_frames);
        self.frames.take(stronger.frames);
        self.frame_boundary.take(stronger.frame_boundary);
        self.every_frame.take(stronger.every_frame);
        self.times.take(stronger.times);
        self.ask_driver.take(stronger.ask_driver);
        self.report.take(stronger.report);
        self.recording.take(stronger.recording);
        self.text.take(stronger.text);
        self.color.take(stronger.color);
        self.pass_table.take(stronger.pass_table);
        self.progress.take(stronger.progress);
        stronger.rule_values.into_iter().for_each(|value| self.take_rule_value(value));
        self.api_time.take(stronger.api_time);
        let base = self.sources;
        let levels = stronger.levels.into_iter();
        self.levels.extend(levels.map(|mut level| {
            level.source += base;
            level
        }));
        self.sources += stronger.sources;
        stronger.budgets.into_iter().for_each(|budget| self.set_budget(budget));
        self.suppressions.extend(stronger.suppressions);
    }

    /// Judges for the targets that a listing names, unless something stronger than the defaults
    /// has set some.
    ///
    /// # Errors
    ///
    /// The targets that are unknown; the others still apply.
    pub fn take_targets(&mut self, listing: &Header, origin: &str) -> Result<(), ConfigProblem> {
        if self.targets.origin != BUILT_IN || listing.targets == self.targets.value {
            return Ok(());
        }
        self.set("targets", &listing.targets.join(","), origin)
    }

    /// Sets one setting from text, as variables, layer settings and the command line give it.
    ///
    /// # Errors
    ///
    /// What is wrong with the name or the text; the parts of a list that are right still apply.
    pub fn set(&mut self, name: &str, text: &str, origin: &str) -> Result<(), ConfigProblem> {
        self.sources += 1;
        let problem = |message| ConfigProblem { origin: origin.to_owned(), place: None, message };
        let Some(info) = SETTINGS.iter().find(|info| info.name == name) else {
            let names = SETTINGS.iter().map(|info| info.name);
            return Err(problem(unknown("setting", name, names)));
        };
        let parts = || text.split([',', ';']).map(str::trim).filter(|part| !part.is_empty());
        let mut messages = Vec::new();
        match info.shape {
            Shape::Targets => {
                let words: Vec<&str> = parts().collect();
                messages = self.set_targets(&words, origin).into_iter().map(|(_, m)| m).collect();
            }
            Shape::Levels | Shape::Budgets | Shape::RuleValues => {
                for part in parts() {
                    let done = match part.split_once('=') {
                        Some((key, value)) => self.set_pair(info, key.trim(), value.trim(), origin),
                        None => Err(format!("`{part}` is no `NAME=VALUE` pair")),
                    };
                    messages.extend(done.err());
                }
            }
            _ => messages.extend(self.set_value(info, text.trim(), origin).err()),
        }
        if messages.is_empty() { Ok(()) } else { Err(problem(messages.join("; "))) }
    }

    /// Sets the level of what `names` lists, as `--deny` and its sisters do.
    ///
    /// # Errors
    ///
    /// The names that are unknown; the others still apply.
    pub fn set_level(
        &mut self,
        names: &str,
        level: Level,
        origin: &str,
    ) -> Result<(), ConfigProblem> {
        let pairs: Vec<String> =
            names.split(',').map(|name| format!("{}={}", name.trim(), level.word())).collect();
        self.set("levels", &pairs.join(","), origin)
    }

    /// Replaces the targets by those that exist; says which words are wrong, by index.
    fn set_targets(&mut self, words: &[&str], origin: &str) -> Vec<(usize, String)> {
        let mut targets: Vec<String> = Vec::new();
        let mut wrong = Vec::new();
        for (index, word) in words.iter().enumerate() {
            match profile::by_name(word) {
                Ok(profile) if !targets.contains(&profile.name) => {
                    targets.push(profile.name.clone());
                }
                Ok(_) => {}
                Err(error) => {
                    let all = error.all.iter().map(String::as_str);
                    wrong.push((index, unknown("target", word, all)));
                }
            }
        }
        if !targets.is_empty() {
            self.targets = Setting { value: targets, origin: origin.to_owned() };
        }
        wrong
    }

    fn set_pair(
        &mut self,
        info: &SettingInfo,
        key: &str,
        value: &str,
        origin: &str,
    ) -> Result<(), String> {
        if info.shape == Shape::Levels {
            let selector = Selector::parse(key, &self.rules)?;
            return self.add_level(selector, value, origin);
        }
        if info.shape == Shape::RuleValues {
            return self.set_rule_value(self.rule_setting(key)?, value, origin);
        }
        let target = match key {
            "all" => "all".to_owned(),
            _ => match profile::by_name(key) {
                Ok(profile) => profile.name.clone(),
                Err(error) => {
                    let names = error.all.iter().map(String::as_str).chain(["all"]);
                    return Err(unknown("target", key, names));
                }
            },
        };
        let (bytes, per_second) = parse_amount(value).ok_or_else(|| {
            format!("`{value}` is no amount of traffic; write it as 1.5GB/s or 20MB/frame")
        })?;
        self.set_budget(Budget { target, bytes, per_second, origin: origin.to_owned() });
        Ok(())
    }

    fn set_budget(&mut self, budget: Budget) {
        self.budgets.retain(|other| other.target != budget.target);
        self.budgets.push(budget);
        self.budgets.sort_by(|a, b| a.target.cmp(&b.target));
    }

    /// Sets a setting that has one word as its value.
    fn set_value(&mut self, info: &SettingInfo, text: &str, origin: &str) -> Result<(), String> {
        let origin = origin.to_owned();
        let path = |text: &str| match text {
            "off" | "" => Ok(None),
            path => check_placeholders(path).map(|()| Some(path.to_owned())),
        };
        if let Shape::Word(words) = info.shape
            && !words.contains(&text)
        {
            return Err(unknown("value", text, words.iter().copied()));
        }
        match info.name {
            "steady_frames" => {
                let count = text.parse().ok().filter(|count: &u32| *count >= 1);
                let value =
                    count.ok_or_else(|| format!("`{text}` is no whole number of at least 1"))?;
                self.steady_frames = Setting { value, origin };
            }
            "frames" => self.frames = Setting { value: FrameRange::parse(text)?, origin },
            "frame_boundary" => {
                let value = if text == "marker" { Boundary::Marker } else { Boundary::Auto };
                self.frame_boundary = Setting { value, origin };
            }
            "report" => self.report = Setting { value: path(text)?, origin },
            "recording" => self.recording = Setting { value: path(text)?, origin },
            "progress" => self.progress = Setting { value: path(text)?, origin },
            "text" => {
                let value = match text {
                    "stderr" => TextSink::Stderr,
                    _ => path(text)?.map_or(TextSink::Off, TextSink::File),
                };
                self.text = Setting { value, origin };
            }
            "color" => {
                let value = match text {
                    "always" => Color::Always,
                    "never" => Color::Never,
                    _ => Color::Auto,
                };
                self.color = Setting { value, origin };
            }
            _ => {
                let value = match text {
                    "on" | "true" | "1" => true,
                    "off" | "false" | "0" => false,
                    _ => return Err(unknown("value", text, ["on", "off"])),
                };
                match info.name {
                    "every_frame" => self.every_frame = Setting { value, origin },
                    "times" => self.times = Setting { value, origin },
                    "api_time" => self.api_time = Setting { value, origin },
                    "ask_driver" => self.ask_driver = Setting { value, origin },
                    _ => self.pass_table = Setting { value, origin },
                }
            }
        }
        Ok(())
    }

    /// The targets' profiles.
    pub fn profiles(&self) -> Vec<Profile> {
        self.targets.value.iter().filter_map(|name| profile::by_name(name).ok()).cloned().collect()
    }

    /// What is wrong with settings that are right each by itself.
    pub fn contradiction(&self) -> Option<ConfigProblem> {
        let (frames, takes) = (&self.frames, self.steady_frames.value);
        let count = frames.value.len().filter(|count| *count < u64::from(takes))?;
        let message = format!(
            "the range {} holds {count} of the {takes} frames that a verdict takes (steady_frames)",
            frames.value
        );
        Some(ConfigProblem { origin: frames.origin.clone(), place: None, message })
    }

    /// Settings of the model.
    pub fn model(&self) -> model::Settings {
        model::Settings {
            steady_frames: self.steady_frames.value,
            markers_only: self.frame_boundary.value == Boundary::Marker,
            frames: self.frames.value,
            ..model::Settings::default()
        }
    }

    /// The commands that some rule has to see which is not allowed.
    pub fn needs(&self) -> Needs {
        let on = self.rules.iter().filter(|rule| self.level_of(rule).value != Level::Allow);
        on.fold(Needs::NONE, |needs, rule| needs.and(rule.needs))
    }
}

/// Says that a word is unknown, which was probably meant, and which there are.
pub fn unknown<'a>(what: &str, word: &str, valid: impl IntoIterator<Item = &'a str>) -> String {
    let valid: Vec<&str> = valid.into_iter().collect();
    let list = valid.join(", ");
    match nearest(word, valid) {
        Some(near) => format!("unknown {what} \"{word}\"; did you mean \"{near}\"? valid: {list}"),
        None => format!("unknown {what} \"{word}\"; valid: {list}"),
    }
}

/// Fills the placeholders of a path.
pub fn fill_path(path: &str, pid: u32, app: &str) -> String {
    path.replace("{pid}", &pid.to_string()).replace("{app}", app)
}

fn check_placeholders(path: &str) -> Result<(), String> {
    let rest = path.replace("{pid}", "").replace("{app}", "");
    match rest.find('{') {
        None => Ok(()),
        Some(start) => {
            let word = rest[start..].split_inclusive('}').next().unwrap_or_default();
            Err(unknown("placeholder", word, ["{pid}", "{app}"]))
        }
    }
}

#[cfg(test)]
mod tests;
