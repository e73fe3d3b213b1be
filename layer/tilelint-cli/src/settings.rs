//! Settings from the places that the tool knows: `tilelint.toml`, the environment, the command
//! line.

use std::env;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use clap::Args;
use tilelint::config::{CONFIG, Color, Config, Given, parse};
use tilelint::finding::Level;

use crate::{Outcome, complain};

mod sources;

const COMMAND_LINE: &str = "command line";
const FILE: &str = "tilelint.toml";

#[derive(Args)]
#[command(next_help_heading = "Settings")]
pub struct SettingArgs {
    /// Judge for this target (repeatable)
    #[arg(long, value_name = "TARGET")]
    target: Vec<String>,
    /// Level `allow` for a rule, a group, `warnings` or `all` (repeatable)
    #[arg(short = 'A', long, value_name = "RULE")]
    allow: Vec<String>,
    /// Level `warn` (repeatable)
    #[arg(short = 'W', long, value_name = "RULE")]
    warn: Vec<String>,
    /// Level `deny`: such findings make the exit code 1 (repeatable)
    #[arg(short = 'D', long, value_name = "RULE")]
    deny: Vec<String>,
    /// Traffic that each target may have, as 1.5GB/s or 20MB/frame; TARGET=AMOUNT for one
    /// (repeatable)
    #[arg(long, value_name = "AMOUNT")]
    budget: Vec<String>,
    /// Frames that are judged: `10..20` are 10 to 19, `10..` all from 10
    #[arg(long, value_name = "A..B")]
    frames: Option<String>,
    /// A number of a rule, as `many-bins.bins=32` (repeatable); `tilelint explain RULE` lists them
    #[arg(long, value_name = "RULE.NAME=NUMBER")]
    set: Vec<String>,
    /// Steady frames that a verdict takes
    #[arg(long, value_name = "N")]
    steady_frames: Option<u32>,
    /// Colour: auto, always, never
    #[arg(long, value_name = "WHEN")]
    color: Option<String>,
    /// Settings file, instead of the nearest `tilelint.toml`
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl SettingArgs {
    /// All settings. Mistakes in the file and the environment are told and left out.
    ///
    /// # Errors
    ///
    /// Mistakes on the command line, where nobody would see that they were ignored.
    pub fn config(&self) -> Result<Config, String> {
        let mut config = Config::new();
        let given = sources::given();
        if let Some(path) = self.file(&given) {
            match fs::read_to_string(&path) {
                Ok(text) => {
                    let (file, problems) = parse(&text, &path.display().to_string());
                    problems.iter().for_each(|problem| complain("warning", &problem.to_string()));
                    config.apply(file);
                }
                Err(error) if self.config.is_some() => {
                    return Err(format!("cannot read {}: {error}", path.display()));
                }
                Err(error) => {
                    complain("warning", &format!("cannot read {}: {error}", path.display()))
                }
            }
        }
        let problems = config.take_given(&given);
        problems.iter().for_each(|problem| complain("warning", &problem.to_string()));
        self.command_line(&mut config)?;
        match config.contradiction() {
            Some(problem) if problem.origin == COMMAND_LINE => return Err(problem.message),
            Some(problem) => complain("warning", &problem.to_string()),
            None => {}
        }
        Ok(config)
    }

    /// The command line alone, over the defaults: the same everywhere.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn hermetic_config(&self) -> Result<Config, String> {
        let mut config = Config::new();
        self.command_line(&mut config)?;
        Ok(config)
    }

    fn command_line(&self, config: &mut Config) -> Result<(), String> {
        let mut set = |name: &str, text: &str| {
            config.set(name, text, COMMAND_LINE).map_err(|problem| problem.message)
        };
        if !self.target.is_empty() {
            set("targets", &self.target.join(","))?;
        }
        let levels =
            [(&self.allow, Level::Allow), (&self.warn, Level::Warn), (&self.deny, Level::Deny)];
        let pairs: Vec<String> = levels
            .iter()
            .flat_map(|(names, level)| names.iter().map(move |name| (name, level)))
            .flat_map(|(names, level)| names.split(',').map(move |name| (name, level)))
            .map(|(name, level)| format!("{}={}", name.trim(), level.word()))
            .collect();
        if !pairs.is_empty() {
            set("levels", &pairs.join(","))?;
        }
        for budget in self.budget.iter().flat_map(|budgets| budgets.split(',')) {
            let named = budget.contains('=');
            set("budgets", &if named { budget.to_owned() } else { format!("all={budget}") })?;
        }
        if let Some(frames) = &self.frames {
            set("frames", frames)?;
        }
        if !self.set.is_empty() {
            set("rules", &self.set.join(","))?;
        }
        if let Some(frames) = self.steady_frames {
            set("steady_frames", &frames.to_string())?;
        }
        if let Some(color) = &self.color {
            set("color", color)?;
        }
        Ok(())
    }

    /// What only a program or a listing can be judged by, not a report that is there already.
    pub fn for_judging(&self) -> Option<&'static str> {
        let given = [
            (self.frames.is_some(), "--frames"),
            (!self.set.is_empty(), "--set"),
            (self.steady_frames.is_some(), "--steady-frames"),
        ];
        given.into_iter().find(|(is_given, _)| *is_given).map(|(_, option)| option)
    }

    /// The command line names targets.
    pub fn names_targets(&self) -> bool {
        !self.target.is_empty()
    }

    /// Hands the command line on to a program under the layer, as variables: the layer itself
    /// reads the files and the other variables. `config` is everything together.
    pub fn to_variables(&self, config: &Config, command: &mut Command) {
        if let Some(path) = &self.config {
            command.env("TILELINT_CONFIG", env::current_dir().unwrap_or_default().join(path));
        }
        if self.names_targets() {
            command.env("TILELINT_TARGETS", config.targets.value.join(","));
        }
        if let Some(frames) = &self.frames {
            command.env("TILELINT_FRAMES", frames);
        }
        if !self.set.is_empty() {
            let before = env::var("TILELINT_RULES").ok().filter(|rules| !rules.is_empty());
            let values: Vec<String> = before.into_iter().chain(self.set.clone()).collect();
            command.env("TILELINT_RULES", values.join(","));
        }
        if let Some(frames) = self.steady_frames {
            command.env("TILELINT_STEADY_FRAMES", frames.to_string());
        }
        if self.allow.is_empty() && self.warn.is_empty() && self.deny.is_empty() {
            return;
        }
        // Every rule by its name, since names of groups would mix with those of a variable that
        // is set already. That one stays for its expectations.
        let before = env::var("TILELINT_LEVELS").ok().filter(|levels| !levels.is_empty());
        let rules = config.rules().iter();
        let levels =
            rules.map(|rule| format!("{}={}", rule.name, config.level_of(rule).value.word()));
        let levels: Vec<String> = before.into_iter().chain(levels).collect();
        command.env("TILELINT_LEVELS", levels.join(","));
    }

    /// The file that was named, else the nearest one from the current folder upwards.
    fn file(&self, given: &[Given]) -> Option<PathBuf> {
        if let Some(path) = &self.config {
            return Some(path.clone());
        }
        if let Some(named) = given.iter().rev().find(|given| given.name == CONFIG) {
            return Some(PathBuf::from(&named.value));
        }
        let here = env::current_dir().ok()?;
        here.ancestors().map(|folder| folder.join(FILE)).find(|path| path.is_file())
    }
}

/// Writes every setting in force with its origin.
pub fn show(args: &SettingArgs, out: &mut dyn Write) -> Outcome {
    let rows = args.config()?.effective();
    let texts: Vec<String> =
        rows.iter().map(|row| format!("{} = {}", row.name, row.value)).collect();
    let width = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).min(60);
    for (text, row) in texts.iter().zip(&rows) {
        writeln!(out, "{text:width$}  # {}", row.origin)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether standard output gets colour.
pub fn color(config: &Config) -> bool {
    match config.color.value {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => io::stdout().is_terminal() && env::var_os("NO_COLOR").is_none(),
    }
}
