//! The command line.

use crate::work::Plan;

const USAGE: &str = "usage: bench [--rounds N] [--seconds S] [--only LOAD[,LOAD…]] [--json]
       bench --scale [--json]
       bench --soak MINUTES
       bench work LOAD [--units N] [--frames N] [--seconds S] [--counted WHAT]
       bench lint SHAPE DRAWS";

/// What is to be done.
#[derive(Clone, Debug)]
pub enum Mode {
    /// All configurations, as a table.
    Table(Options),
    /// Four sizes of frames.
    Scale { json: bool },
    /// Object churn for a long time.
    Soak { minutes: f64 },
    /// A load in this process.
    Work(Plan),
    /// A listing in this process.
    Lint(String, usize),
}

/// How the table is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// Processes for each configuration and load.
    pub rounds: usize,
    /// Time for each process.
    pub seconds: f64,
    /// Loads that are run; all where empty.
    pub only: Vec<String>,
    /// JSON instead of the table.
    pub json: bool,
}

/// Reads the command line.
///
/// # Errors
///
/// What is wrong with it.
pub fn read(words: impl Iterator<Item = String>) -> Result<Mode, String> {
    let mut words = words.peekable();
    match words.peek().map(String::as_str) {
        Some("work") => work(words.skip(1)),
        Some("lint") => {
            let shape = words.nth(1).ok_or(USAGE)?;
            Ok(Mode::Lint(shape, number("lint", words.next())?))
        }
        _ => measure(words),
    }
}

fn number<T: std::str::FromStr>(name: &str, word: Option<String>) -> Result<T, String> {
    let word = word.ok_or_else(|| format!("{name} needs a number\n{USAGE}"))?;
    word.parse().map_err(|_| format!("{name}: {word:?} is no such number"))
}

fn work(mut words: impl Iterator<Item = String>) -> Result<Mode, String> {
    let load = words.next().ok_or(USAGE)?;
    let mut plan = Plan { load, units: 0, frames: 1000, seconds: f64::INFINITY, counted: None };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--units" => plan.units = number(&word, words.next())?,
            "--frames" => plan.frames = number(&word, words.next())?,
            "--seconds" => plan.seconds = number(&word, words.next())?,
            "--counted" => plan.counted = words.next(),
            _ => return Err(format!("unknown argument {word:?}\n{USAGE}")),
        }
    }
    Ok(Mode::Work(plan))
}

fn measure(mut words: impl Iterator<Item = String>) -> Result<Mode, String> {
    let mut options = Options { rounds: 5, seconds: 1.0, only: Vec::new(), json: false };
    let (mut scale, mut soak) = (false, None);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--rounds" => options.rounds = number(&word, words.next())?,
            "--seconds" => options.seconds = number(&word, words.next())?,
            "--only" => {
                let list = words.next().ok_or(USAGE)?;
                options.only = list.split(',').map(str::to_owned).collect();
            }
            "--json" => options.json = true,
            "--scale" => scale = true,
            "--soak" => soak = Some(number(&word, words.next())?),
            _ => return Err(format!("unknown argument {word:?}\n{USAGE}")),
        }
    }
    Ok(match soak {
        Some(minutes) => Mode::Soak { minutes },
        None if scale => Mode::Scale { json: options.json },
        None => Mode::Table(options),
    })
}
