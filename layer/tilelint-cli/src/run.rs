//! `tilelint run`: a program under the layer, and the verdict on what it did.

mod child;
mod layer;
mod progress;
mod world;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

use clap::ValueEnum;
use tilelint::config::Config;
use tilelint::report::{Report, to_json};

use crate::outputs::{self, OutputArgs};
use crate::settings::SettingArgs;
use crate::verdict::{Verdict, judge};
use crate::{FAILED, Outcome, complain, place};

use child::Ended;
use progress::Progress;
use world::World;

/// Run a program under the layer; its findings decide the exit code
#[derive(clap::Args)]
pub struct Args {
    /// The driver that the program gets: `null` renders nothing, for machines that have none
    #[arg(long, value_enum, default_value = "system", value_name = "DRIVER")]
    driver: Driver,
    /// End the program after so many seconds; the exit code is then 2
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    timeout: Option<Duration>,
    /// The program and its arguments; `--` before it ends the options
    #[arg(trailing_var_arg = true, required = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    settings: SettingArgs,
}

/// Whose Vulkan the program gets.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Driver {
    /// The system's.
    System,
    /// The one that renders nothing, beside this tool.
    Null,
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
    let seconds = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| format!("`{text}` is no number of seconds above 0"))
}

/// Runs the subcommand.
pub fn run(args: &Args, out: &mut dyn Write) -> Outcome {
    let config = args.settings.config()?;
    let baseline = args.output.read_baseline()?;
    let plan = args.output.plan(None)?;
    let library = layer::find(layer::LAYER)?;
    let driver = match args.driver {
        Driver::System => None,
        Driver::Null => Some(layer::find(layer::NULL_DRIVER)?),
    };
    let world = World::new(&library, driver.as_deref())
        .map_err(|error| format!("cannot make a private folder: {error}"))?;
    let mut command = world.command(&args.program, &config);
    args.settings.to_variables(&config, &mut command);
    let ended = watched(&world, &mut command, args.timeout)?;
    let report = world.reports()?;
    let Some(mut report) = report else {
        return Ok(no_report(&ended));
    };
    let here = std::env::current_dir()?;
    place::relative_to(&mut report, world.folder(), &here);
    place::locate(&mut report, &here, &config);
    let mut verdict = judge(&mut report, &config, baseline.as_ref());
    let kept = keep(&report, &config, &here);
    let gone = baseline.as_ref().map_or(Vec::new(), |baseline| baseline.gone(&report));
    outputs::write_all(&plan, &report, &config, &gone, out)?;
    // Where another form goes to the terminal or the log, the findings are there already.
    let told = match plan.iter().any(|(_, file)| file.is_none()) {
        true => tilelint::report::summary(&report, kept.as_deref()),
        false => outputs::text(&report, &config, true, kept.as_deref()),
    };
    let _ = write!(io::stderr(), "{told}");
    if let Some(baseline) = baseline {
        if args.output.update_baseline && (ended.failure().is_some() || verdict.is_partial()) {
            complain("error", "the baseline stays as it is: the run did not come to its end");
        } else if args.output.update_baseline {
            baseline.update(&report, &mut verdict)?;
        }
        baseline.tell_gone(&report);
    }
    Ok(decide(&ended, &verdict))
}

/// Runs the program, with a line that says how far it is where somebody sees it.
fn watched(
    world: &World,
    command: &mut Command,
    timeout: Option<Duration>,
) -> Result<Ended, String> {
    let mut progress = Progress::new(world.folder());
    if progress.is_watched() {
        command.env("TILELINT_PROGRESS", world.folder().join("{pid}.progress"));
    }
    child::run(command, timeout, || progress.tick())
}

/// Leaves the report where the settings say, as the layer does without this tool; returns where.
fn keep(report: &Report, config: &Config, here: &Path) -> Option<String> {
    let path = config.report.value.as_ref()?;
    let run = |key: &str| report.run.get(key);
    let pid = run("pid").and_then(serde_json::Value::as_u64).unwrap_or(0) as u32;
    let app = run("program").and_then(serde_json::Value::as_str).unwrap_or("unknown");
    let shown = tilelint::config::fill_path(path, pid, app);
    let path = here.join(&shown);
    let mut kept = report.clone();
    if let Some(folder) = path.parent() {
        place::relative_to(&mut kept, here, folder);
    }
    if let Err(error) = std::fs::write(&path, to_json(&kept)) {
        complain("warning", &format!("cannot write the report to {}: {error}", path.display()));
        return None;
    }
    Some(shown)
}

fn no_report(ended: &Ended) -> ExitCode {
    let why = "no report was written: the program made no Vulkan device under the layer";
    complain("error", why);
    match ended.failure() {
        Some((code, what)) => {
            complain("error", &what);
            ExitCode::from(code)
        }
        None => ExitCode::from(FAILED),
    }
}

fn decide(ended: &Ended, verdict: &Verdict) -> ExitCode {
    verdict.tell();
    if let Some((code, what)) = ended.failure() {
        complain("error", &format!("{what}; the findings are those until then"));
        return ExitCode::from(code);
    }
    ExitCode::from(verdict.code())
}
