//! The command-line tool: each subcommand is a module.

mod gpus;
mod profiles;
mod tile;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Lints Vulkan programs for tile-based GPUs.
#[derive(Parser)]
#[command(name = "tilelint", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Tile(tile::Args),
    Gpus(gpus::Args),
}

/// The tool could not do what was asked; never mistaken for a clean result.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = io::BufWriter::new(io::stdout().lock());
    let done = match cli.command {
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
    eprintln!("error: {message}");
    ExitCode::from(FAILED)
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
