//! `tilelint-player FILE.calls [--form rp1|rp2|dynamic] [--device N]`: plays a listing.
//!
//! Exit code 0: played; 2: an error; 3: the driver lacks something, which is named.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tilelint::call::{Via, listing};
use tilelint_player::{Options, play};

const USAGE: &str = "usage: tilelint-player FILE.calls [--form rp1|rp2|dynamic] [--device N]";

/// What the command line says.
fn arguments() -> Result<(PathBuf, Options), String> {
    let mut options = Options::default();
    let mut file = None;
    let mut arguments = std::env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        let value = |next: Option<std::ffi::OsString>| {
            next.and_then(|v| v.into_string().ok()).ok_or(USAGE.to_owned())
        };
        match argument.to_str() {
            Some("--device") => {
                let value = value(arguments.next())?;
                options.device = value.parse().map_err(|_| format!("{value:?} is no number"))?;
            }
            Some("--form") => {
                options.form = Some(match value(arguments.next())?.as_str() {
                    "rp1" => Via::Rp1,
                    "rp2" => Via::Rp2,
                    "dynamic" => Via::Dynamic,
                    other => return Err(format!("{other:?} is no form: rp1, rp2, dynamic")),
                });
            }
            Some(flag) if flag.starts_with("--") => {
                return Err(format!("unknown option {flag}; {USAGE}"));
            }
            _ if file.is_none() => file = Some(PathBuf::from(argument)),
            _ => return Err(USAGE.to_owned()),
        }
    }
    let file = file.ok_or(USAGE.to_owned())?;
    options.folder = file.parent().unwrap_or(Path::new("")).to_path_buf();
    Ok((file, options))
}

fn run() -> Result<(), (u8, String)> {
    let (file, options) = arguments().map_err(|message| (2, message))?;
    let shown = file.display();
    let text = std::fs::read_to_string(&file).map_err(|e| (2, format!("{shown}: {e}")))?;
    let listing = listing::parse(&text).map_err(|e| (2, format!("{shown}: {e}")))?;
    play(&listing.entries, &options).map_err(|e| (e.code(), format!("{shown}: {e}")))
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err((code, message)) => {
            eprintln!("tilelint-player: {message}");
            ExitCode::from(code)
        }
    }
}
