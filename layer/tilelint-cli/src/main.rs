//! The tool `tilelint`: lints listings, explains rules.

mod expect;
mod explain;
mod lint;
mod settings;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Nothing at or above `deny` was found.
const CLEAN: u8 = 0;
/// Something was.
const FOUND: u8 = 1;
/// It could not run.
const FAILED: u8 = 2;

/// Lints Vulkan programs for tile-based GPUs.
#[derive(Parser)]
#[command(name = "tilelint", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Lint listings (`.calls`)
    Lint(LintArgs),
    /// Show the page of a rule
    Explain {
        /// The rule
        rule: String,
    },
    /// List all rules
    Rules,
}

/// How a report is written.
#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// For people.
    Text,
    /// The report, one JSON document a listing.
    Json,
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
    let mut out = io::stdout().lock();
    let code = match cli.command {
        Command::Lint(args) if args.expect => expect::run(&args, &mut out),
        Command::Lint(args) => lint::run(&args, &mut out),
        Command::Explain { rule } => explain::explain(&rule, &mut out),
        Command::Rules => explain::rules(&mut out),
    };
    // A reader that has gone away has seen what it wanted.
    let code = match code.and_then(|code| out.flush().map(|()| code)) {
        Ok(code) => code,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => CLEAN,
        Err(error) => {
            complain(&format!("cannot write: {error}"));
            FAILED
        }
    };
    ExitCode::from(code)
}

/// Says what is wrong; a closed standard error is nobody's loss.
fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "tilelint: {message}");
}
