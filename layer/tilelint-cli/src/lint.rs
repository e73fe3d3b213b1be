//! `tilelint lint`: listings in, findings out.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use tilelint::call::listing;
use tilelint::config::{Config, Date};
use tilelint::finding::Level;
use tilelint::lint::{Linted, lint};
use tilelint::report::{Input, Renderer, Report, build, over_budget, pass_table, summary};

use crate::{FAILED, FOUND, Format, LintArgs, Outcome, complain, formats, settings};

/// Lints every file; the worst of them decides the exit code.
pub fn run(args: &LintArgs, out: &mut dyn Write) -> Outcome {
    let config = args.settings.config()?;
    let mut code = 0;
    for path in &args.files {
        code = code.max(one(path, args, config.clone(), out)?);
    }
    Ok(ExitCode::from(code))
}

fn one(path: &Path, args: &LintArgs, mut config: Config, out: &mut dyn Write) -> io::Result<u8> {
    let name = path.display().to_string();
    let (text, listing) = match read(path) {
        Ok(read) => read,
        Err(message) => {
            complain("error", &message);
            return Ok(FAILED);
        }
    };
    if let Err(problem) = config.take_targets(&listing.header, &name) {
        complain("warning", &problem.to_string());
    }
    let linted = lint(&listing, Some(&text), &config, today());
    let report = report(&linted, &config, &name);
    match args.format {
        Format::Text => write_text(&linted, &report, &name, args, &config, out)?,
        format => write!(out, "{}", formats::render(format, &report, &[]))?,
    }
    let over = over_budget(&report, &config);
    for budget in &over {
        complain("error", &format!("{name}: over budget: {budget}"));
    }
    let denied = linted.judged.findings.iter().any(|finding| finding.level >= Level::Deny);
    Ok(if denied || !over.is_empty() { FOUND } else { 0 })
}

/// Reads a listing: its text and its calls, with the code of its shaders where it is there.
///
/// # Errors
///
/// Why it cannot be read, with its place.
pub fn read(path: &Path) -> Result<(String, listing::Listing), String> {
    let name = path.display();
    let text = fs::read_to_string(path).map_err(|error| format!("cannot read {name}: {error}"))?;
    let mut listing = listing::parse(&text).map_err(|error| format!("{name}: {error}"))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    listing.load_shaders(|file| fs::read(folder.join(file)).ok());
    Ok((text, listing))
}

fn report(linted: &Linted, config: &Config, name: &str) -> Report {
    let mut input = Input::new(env!("CARGO_PKG_VERSION"), config, &linted.session, &linted.judged);
    input.quote_file = Some(name);
    build(input)
}

fn write_text(
    linted: &Linted,
    report: &Report,
    name: &str,
    args: &LintArgs,
    config: &Config,
    out: &mut dyn Write,
) -> io::Result<()> {
    let renderer = Renderer {
        color: settings::color(config),
        profiles: linted.session.engine().profiles(),
        file: Some(name),
        many_devices: linted.session.devices().len() > 1,
    };
    let (unsteady, steady): (Vec<_>, Vec<_>) =
        linted.judged.findings.iter().partition(|finding| finding.only_unsteady);
    for finding in steady {
        writeln!(out, "{}", renderer.finding(finding))?;
    }
    if !unsteady.is_empty() {
        writeln!(out, "{}\n", formats::UNSTEADY)?;
    }
    for finding in unsteady {
        writeln!(out, "{}", renderer.finding(finding))?;
    }
    if args.passes || config.pass_table.value {
        writeln!(out, "{}", pass_table(report))?;
    }
    if args.files.len() > 1 {
        write!(out, "{name}: ")?;
    }
    write!(out, "{}", summary(report, None))
}

/// Today, in UTC.
pub fn today() -> Option<Date> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
    date_of(seconds / 86_400)
}

/// The day that is so many days after 1970-01-01, in the Gregorian calendar.
fn date_of(days: u64) -> Option<Date> {
    // Years are counted from March, so that the leap day is a year's last.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    Some(Date {
        year: year.try_into().ok()?,
        month: month.try_into().ok()?,
        day: day.try_into().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates() {
        let cases = [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_787, "2026-11-30"),
            (47_541, "2100-03-01"),
        ];
        for (days, text) in cases {
            assert_eq!(date_of(days).map(|date| date.to_string()).as_deref(), Some(text));
        }
    }
}
