//! `tilelint report`: a report in another form, and a check of it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tilelint::report::{Report, from_json};

use crate::formats::Format;
use crate::outputs::{self, OutputArgs};
use crate::settings::SettingArgs;
use crate::verdict::{judge, relevel};
use crate::{Outcome, place};

/// Write a report in another form; --check decides the exit code by it
#[derive(clap::Args)]
#[command(mut_arg("frames", |arg| arg.hide(true)), mut_arg("set", |arg| arg.hide(true)))]
#[command(mut_arg("steady_frames", |arg| arg.hide(true)))]
pub struct Args {
    /// The report, as the layer wrote it
    report: PathBuf,
    /// Exit code 1 for new findings at level `deny` and exceeded budgets, 2 for a report that
    /// says less than happened
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    settings: SettingArgs,
}

/// Runs the subcommand.
pub fn run(args: &Args, out: &mut dyn Write) -> Outcome {
    if let Some(option) = args.settings.for_judging() {
        let why = "what a report leaves out is not in it: give it to `run` or `lint`";
        return Err(format!("{option} is not for a report: {why}").into());
    }
    let mut config = args.settings.config()?;
    let plan = args.output.plan(Some(Format::Text))?;
    let baseline = args.output.read_baseline()?;
    let here = std::env::current_dir()?;
    let mut report = read(&args.report)?;
    let folder = here.join(&args.report);
    place::relative_to(&mut report, folder.parent().unwrap_or(&here), &here);
    place::locate(&mut report, &here, &config);
    relevel(&mut report, &args.settings.hermetic_config()?);
    if args.settings.names_targets() {
        let targets = &config.targets.value;
        report.findings.retain(|f| f.targets.iter().any(|target| targets.contains(target)));
    } else {
        let targets: Vec<&str> = report.targets.iter().map(|target| target.name.as_str()).collect();
        // A target that this version does not know has no budget here.
        let _ = config.set("targets", &targets.join(","), "the report");
    }
    let mut verdict = judge(&mut report, &config, baseline.as_ref());
    let gone = baseline.as_ref().map_or(Vec::new(), |baseline| baseline.gone(&report));
    outputs::write_all(&plan, &report, &config, &gone, out)?;
    out.flush()?;
    if let Some(baseline) = baseline {
        if args.output.update_baseline {
            baseline.update(&report, &mut verdict)?;
        }
        baseline.tell_gone(&report);
    }
    if !args.check {
        return Ok(ExitCode::SUCCESS);
    }
    verdict.tell();
    Ok(ExitCode::from(verdict.code()))
}

/// Reads a report.
///
/// # Errors
///
/// Why it cannot be read.
pub fn read(path: &Path) -> Result<Report, String> {
    let shown = path.display();
    let text = fs::read_to_string(path).map_err(|error| format!("cannot read {shown}: {error}"))?;
    from_json(&text).map_err(|error| format!("{shown}: {error}"))
}
