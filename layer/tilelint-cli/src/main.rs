//! The command-line tool: each subcommand is a module.

mod baseline;
mod diff;
mod expect;
mod explain;
mod formats;
mod gpus;
mod join;
mod lint;
mod outputs;
mod place;
mod profiles;
mod report;
mod run;
mod settings;
mod tile;
mod verdict;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use formats::Format;

/// Something at or above `deny` was found, or a case is not as expected.
const FOUND: u8 = 1;
/// The tool could not do what was asked; never mistaken for a clean result.
const FAILED: u8 = 2;

const ABOUT: &str = "Lints Vulkan programs for tile-based GPUs: loads, stores, resolves, \
                     dependencies and memory that make a tiler move data for nobody.";

const EXAMPLES: &str = "Examples:
  tilelint run -- ./game                  run a program and show what it does in vain
  tilelint run -o report.html -- ./game   write a page to look at
  tilelint lint tilelint.calls            judge the recorded frames again, with no GPU
  tilelint explain msaa-store             what a finding means and how to mend it

`run`, `lint` and `report --check` end with 0 if all is well, 1 for findings at level deny or an
exceeded budget, 2 if they could not do their work.";

#[derive(Parser)]
#[command(name = "tilelint", version, about = ABOUT, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(run::Args),
    /// Lint recordings and other listings (`.calls`), with no Vulkan
    Lint(LintArgs),
    Report(report::Args),
    Diff(diff::DiffArgs),
    Merge(diff::MergeArgs),
    /// Show the page of a rule, or the rules of a group
    Explain {
        /// A rule, as in `warning[msaa-store]`, or a group
        rule: String,
    },
    /// List all rules
    Rules,
    /// Show the settings in force and where each came from
    Config(settings::SettingArgs),
    Tile(tile::Args),
    Gpus(gpus::Args),
}

#[derive(Args)]
struct LintArgs {
    /// Listings; with --expect also folders
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Compare each listing's findings with the expectation beside it (`NAME.expected.json`)
    #[arg(long)]
    expect: bool,
    /// How findings are written
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Also write the pass table
    #[arg(long)]
    passes: bool,
    #[command(flatten)]
    settings: settings::SettingArgs,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = io::BufWriter::new(io::stdout().lock());
    let done = match cli.command {
        Command::Lint(args) if args.expect => expect::run(&args, &mut out),
        Command::Lint(args) => lint::run(&args, &mut out),
        Command::Run(args) => run::run(&args, &mut out),
        Command::Report(args) => report::run(&args, &mut out),
        Command::Diff(args) => diff::diff(&args, &mut out),
        Command::Merge(args) => diff::merge(&args, &mut out),
        Command::Explain { rule } => explain::explain(&rule, &mut out),
        Command::Rules => explain::rules(&mut out),
        Command::Config(args) => settings::show(&args, &mut out),
        Command::Tile(args) => tile::run(&args, &mut out),
        Command::Gpus(args) => gpus::run(&args, &mut out),
    };
    let flushed = out.flush();
    match done.and_then(|code| flushed.map(|()| code).map_err(Failure::from)) {
        Ok(code) => code,
        // Whoever read the output had enough.
        Err(Failure::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Io(error)) => fail(&error.to_string()),
        Err(Failure::Message(message)) => fail(&message),
    }
}

fn fail(message: &str) -> ExitCode {
    complain("error", message);
    ExitCode::from(FAILED)
}

/// Says what is wrong; a closed standard error is nobody's loss.
fn complain(word: &str, message: &str) {
    let _ = writeln!(io::stderr(), "{word}: {message}");
}

/// Why a subcommand could not do what was asked.
enum Failure {
    /// Output failed.
    Io(io::Error),
    /// What to tell the user.
    Message(String),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Io(error)
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Failure::Message(message)
    }
}

/// What a subcommand returns.
type Outcome = Result<ExitCode, Failure>;
