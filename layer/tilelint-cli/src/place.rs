//! Where the files that a report names are, and where in the recording its findings are.

use std::fs;
use std::path::{Component, Path, PathBuf};

use tilelint::call::listing;
use tilelint::config::Config;
use tilelint::finding::Level;
use tilelint::lint::lint;
use tilelint::report::{Finding, Input, Mark, Quote, Report, build};

/// Makes the files that a report names, which are relative to `from`, relative to `to`.
pub fn relative_to(report: &mut Report, from: impl AsRef<Path>, to: impl AsRef<Path>) {
    let change = |path: &mut String| {
        let absolute = normal(&from.as_ref().join(&*path));
        *path = relative(&absolute, &normal(to.as_ref())).display().to_string();
    };
    report.recording.as_mut().map(change);
    report.findings.iter_mut().filter_map(|finding| finding.quote.file.as_mut()).for_each(change);
}

/// Folds `.` and `..` without asking the disk.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if normal.file_name().is_some() => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

/// The way from a folder to a file; the file's own path where there is no short one.
fn relative(path: &Path, base: &Path) -> PathBuf {
    if let Ok(inside) = path.strip_prefix(base) {
        return inside.to_owned();
    }
    if path.is_relative() || base.is_relative() {
        return path.to_owned();
    }
    let shared = path.components().zip(base.components()).take_while(|(a, b)| a == b).count();
    let up = base.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(path.components().skip(shared)).collect()
}

/// Gives findings that quote no file the lines of the recording, where linting it gives the same
/// findings. `folder` is what the report's paths are relative to, `config` what it was made under.
pub fn locate(report: &mut Report, folder: &Path, config: &Config) {
    let Some(name) = report.recording.clone() else { return };
    if report.findings.iter().all(|finding| finding.quote.file.is_some()) {
        return;
    }
    let Ok(text) = fs::read_to_string(folder.join(&name)) else { return };
    let Ok(listing) = listing::parse(&text) else { return };
    let config = same_settings(report, config);
    let linted = lint(&listing, Some(&text), &config, None);
    let mut input = Input::new("", &config, &linted.session, &linted.judged);
    input.quote_file = Some(&name);
    let again = build(input);
    for finding in report.findings.iter_mut().filter(|finding| finding.quote.file.is_none()) {
        let same = again.findings.iter().find(|other| other.fingerprint == finding.fingerprint);
        if let Some(same) = same.filter(|same| same.quote.lines.iter().any(|l| l.line.is_some())) {
            let label = |quote: &Quote| {
                let primary = quote.marks.iter().find(|mark| mark.primary);
                primary.map(|mark| mark.label.clone())
            };
            let told = label(&finding.quote);
            finding.quote = same.quote.clone();
            // What the run saw stands; the recording may hold less of it.
            let primary = finding.quote.marks.iter_mut().find(|mark| mark.primary);
            if let (Some(primary), Some(told)) = (primary, told) {
                primary.label = told;
            }
        }
    }
}

/// Settings under which the report's findings come again.
fn same_settings(report: &Report, of_run: &Config) -> Config {
    let mut config = Config::new();
    config.rule_values.clone_from(&of_run.rule_values);
    let targets: Vec<&str> = report.targets.iter().map(|target| target.name.as_str()).collect();
    // A name that this version does not know leaves the defaults: fewer lines are found.
    let _ = config.set("targets", &targets.join(","), "the report");
    let _ = config.set("steady_frames", "1", "the report");
    for finding in &report.findings {
        let _ = config.set_level(&finding.rule, Level::Warn, "the report");
    }
    config
}

/// A place in a file, lines and columns from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// First column.
    pub start: usize,
    /// The column behind.
    pub end: usize,
}

/// Where a finding is, if it quotes a file.
pub fn place(finding: &Finding) -> Option<Place> {
    let file = finding.quote.file.clone()?;
    let mark = finding.quote.marks.iter().find(|mark| mark.primary)?;
    let (line, text) = line_of(finding, mark)?;
    let column = |bytes: usize| text.get(..bytes).map(|part| part.chars().count() + 1);
    Some(Place { file, line, start: column(mark.start)?, end: column(mark.end)? })
}

fn line_of<'a>(finding: &'a Finding, mark: &Mark) -> Option<(u32, &'a str)> {
    let number = mark.line?;
    let line = finding.quote.lines.iter().find(|line| line.line == Some(number))?;
    Some((number, &line.text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_where_they_can_be() {
        let cases = [
            ("/home/a/tilelint.calls", "/home/a", "tilelint.calls"),
            ("/home/a/b/../c.calls", "/home/a/d", "../c.calls"),
            ("/tmp/c.calls", "/work", "../tmp/c.calls"),
        ];
        for (path, base, expected) in cases {
            let found = relative(&normal(Path::new(path)), Path::new(base));
            assert_eq!(found, Path::new(expected), "{path} from {base}");
        }
    }
}
