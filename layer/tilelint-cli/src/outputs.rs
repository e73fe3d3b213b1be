//! What is written of a report, and where to.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use tilelint::config::{Color, Config};
use tilelint::report::{Report, api_time_table, pass_table, summary, to_json};

use crate::Failure;
use crate::baseline::{Baseline, Known};
use crate::formats::{self, Format};
use crate::place;

/// Options of commands that write reports.
#[derive(Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// What to write (repeatable)
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Vec<Format>,
    /// Where to (repeatable). With --format the first file is for the first format, and so on, and
    /// a format without a file goes to standard output; without it the file's name says the format
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Findings that this file lists are known and fail nothing
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Make the baseline list what was found now
    #[arg(long, requires = "baseline")]
    pub update_baseline: bool,
}

/// A format and its file.
pub type Plan = Vec<(Format, Option<PathBuf>)>;

impl OutputArgs {
    /// Which format goes where; `default` alone where none was asked for.
    ///
    /// # Errors
    ///
    /// More files than formats, or two documents on standard output.
    pub fn plan(&self, default: Option<Format>) -> Result<Plan, String> {
        if self.format.is_empty() && !self.output.is_empty() {
            let named = |file: &PathBuf| Ok((by_name(file)?, Some(file.clone())));
            return self.output.iter().map(named).collect();
        }
        let formats = match default.filter(|_| self.format.is_empty()) {
            Some(default) => vec![default],
            None => self.format.clone(),
        };
        if self.output.len() > formats.len() {
            let file = self.output[formats.len()].display();
            return Err(format!("-o {file} has no --format"));
        }
        if formats.len() > self.output.len() + 1 {
            return Err("two formats for standard output: give files with -o".to_owned());
        }
        let files = self.output.iter().cloned().map(Some).chain(std::iter::repeat(None));
        Ok(formats.into_iter().zip(files).collect())
    }

    /// The baseline that was named.
    ///
    /// # Errors
    ///
    /// That it cannot be read.
    pub fn read_baseline(&self) -> Result<Option<Baseline>, String> {
        let path = self.baseline.as_deref();
        path.map(|path| Baseline::read(path, self.update_baseline)).transpose()
    }
}

/// The format that a file's name says.
fn by_name(file: &Path) -> Result<Format, String> {
    let ending = file.extension().unwrap_or_default().to_string_lossy();
    match &*ending {
        "html" => Ok(Format::Html),
        "json" => Ok(Format::Json),
        "sarif" => Ok(Format::Sarif),
        "xml" => Ok(Format::Junit),
        "md" => Ok(Format::Markdown),
        "txt" => Ok(Format::Text),
        _ => Err(format!(
            "-o {}: give the format with --format, or a name that ends with .html, .json, .sarif, \
             .xml (JUnit), .md or .txt",
            file.display()
        )),
    }
}

/// Writes a report in all formats. Its paths are relative to the current folder.
pub fn write_all(
    plan: &Plan,
    report: &Report,
    config: &Config,
    gone: &[&Known],
    out: &mut dyn Write,
) -> Result<(), Failure> {
    for (format, file) in plan {
        let text = one(*format, file.as_deref(), report, config, gone)?;
        match file {
            None => out.write_all(text.as_bytes())?,
            Some(file) => fs::write(file, text)
                .map_err(|error| format!("cannot write {}: {error}", file.display()))?,
        }
    }
    Ok(())
}

fn one(
    format: Format,
    file: Option<&Path>,
    report: &Report,
    config: &Config,
    gone: &[&Known],
) -> io::Result<String> {
    Ok(match (format, file) {
        (Format::Text, None) => text(report, config, false, None),
        (Format::Text, Some(_)) => plain(report, config, false, None),
        (Format::Json, Some(file)) => {
            // A reader takes the paths of a report as relative to it.
            let here = std::env::current_dir()?;
            let mut report = report.clone();
            let folder = here.join(file);
            place::relative_to(&mut report, &here, folder.parent().unwrap_or(&here));
            to_json(&report)
        }
        (Format::Json, None) => to_json(report),
        (format, _) => formats::render(format, report, gone),
    })
}

/// Findings and summary for people, in colour on a terminal.
/// `kept` is where the report was left.
pub fn text(report: &Report, config: &Config, to_stderr: bool, kept: Option<&str>) -> String {
    let terminal = if to_stderr { io::stderr().is_terminal() } else { io::stdout().is_terminal() };
    let color = match config.color.value {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => terminal && std::env::var_os("NO_COLOR").is_none(),
    };
    plain(report, config, color, kept)
}

fn plain(report: &Report, config: &Config, color: bool, kept: Option<&str>) -> String {
    let mut text = formats::text::findings(report, color);
    if config.pass_table.value {
        text.push_str(&pass_table(report));
        text.push('\n');
    }
    if let Some(time) = &report.api_time {
        text.push_str(&api_time_table(time));
    }
    text + &summary(report, kept)
}
