//! Processes, and what they measured.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::configuration::{Configuration, Setup};

/// This program.
pub fn this() -> PathBuf {
    std::env::current_exe().expect("the system knows this program's path")
}

/// Runs a command and reads the JSON that it prints.
///
/// # Errors
///
/// What it said instead.
pub fn json_of(command: &mut Command) -> Result<Value, String> {
    let output = command.stdin(Stdio::null()).output().map_err(|e| format!("{command:?}: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.lines().last().unwrap_or_default();
    match serde_json::from_str(last) {
        Ok(value) if output.status.success() => Ok(value),
        _ => Err(format!(
            "{command:?}: {}\n{text}{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}

/// What one process measures: a load, or a load whose every frame is analysed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    pub load: &'static str,
    pub every_frame: bool,
}

/// The least and the middle of what several processes measured.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    pub min: f64,
    pub median: f64,
}

/// All that was measured: by run, configuration and round.
#[derive(Default)]
pub struct Measured {
    values: BTreeMap<(Run, usize), Vec<Value>>,
}

impl Measured {
    /// Runs one process, checks that it was what it was to be, and keeps what it says.
    ///
    /// # Errors
    ///
    /// What went wrong.
    pub fn run(
        &mut self,
        setup: &Setup,
        run: Run,
        configuration: Configuration,
        seconds: f64,
    ) -> Result<(), String> {
        setup.forget();
        let mut command = setup.command(&this(), configuration);
        command.args(["work", run.load, "--seconds", &seconds.to_string()]);
        if run.every_frame {
            command.env("TILELINT_EVERY_FRAME", "on").args(["--frames", "100"]);
        }
        let value = json_of(&mut command)?;
        let draw_at = value["draw_at"].as_str().unwrap_or_default();
        setup.check(configuration, draw_at)?;
        self.keep(run, configuration, value);
        Ok(())
    }

    /// Keeps what a process said.
    pub fn keep(&mut self, run: Run, configuration: Configuration, value: Value) {
        self.values.entry((run, configuration as usize)).or_default().push(value);
    }

    /// Some configuration was run.
    pub fn has(&self, run: Run) -> bool {
        self.values.keys().any(|(known, _)| *known == run)
    }

    /// A measured value, divided by `per`; nothing where the configuration was not run.
    pub fn cell(
        &self,
        run: Run,
        configuration: Configuration,
        key: &str,
        per: f64,
    ) -> Option<Cell> {
        let values = self.values.get(&(run, configuration as usize))?;
        let of = |part: &str| {
            let value = |v: &Value| v[key][part].as_f64().or_else(|| v[key].as_f64());
            let mut numbers: Vec<f64> = values.iter().filter_map(value).collect();
            numbers.sort_by(f64::total_cmp);
            numbers
        };
        let (least, middle) = (of("min"), of("median"));
        let cell = Cell { min: *least.first()? / per, median: middle[middle.len() / 2] / per };
        Some(cell)
    }

    /// Everything as JSON.
    pub fn json(&self) -> Value {
        let all = self.values.iter().map(|((run, configuration), values)| {
            serde_json::json!({
                "load": run.load,
                "every_frame": run.every_frame,
                "configuration": Configuration::ALL[*configuration].title(),
                "rounds": values,
            })
        });
        Value::Array(all.collect())
    }
}
