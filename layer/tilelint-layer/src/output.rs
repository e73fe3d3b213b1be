//! Where findings, summary and report go: standard error or a file, and a report file.

use crate::log;
use crate::recording::{Printed, shader_file};
use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use tilelint::config::{Color, Config, TextSink, fill_path};

/// Where text goes.
enum Text {
    Off,
    Stderr,
    File(File),
}

/// The sinks of a session.
pub(crate) struct Output {
    text: Text,
    /// With ANSI colours.
    pub(crate) color: bool,
    report: Option<PathBuf>,
    recording: Option<PathBuf>,
    progress: Option<PathBuf>,
    /// One complaint is enough.
    has_complained: bool,
}

impl Output {
    /// Opens what the settings name. What cannot be opened is told once and left out.
    pub(crate) fn new(config: &Config) -> Output {
        let mut output = Output {
            text: Text::Off,
            color: false,
            report: config.report.value.as_deref().map(place),
            recording: config.recording.value.as_deref().map(place),
            progress: config.progress.value.as_deref().map(place),
            has_complained: false,
        };
        match &config.text.value {
            TextSink::Off => {}
            TextSink::Stderr => output.text = Text::Stderr,
            TextSink::File(path) => {
                let path = place(path);
                match File::create(&path) {
                    Ok(file) => output.text = Text::File(file),
                    Err(error) => output.complain("findings", &path, &error),
                }
            }
        }
        output.color = match config.color.value {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                matches!(output.text, Text::Stderr)
                    && io::stderr().is_terminal()
                    && std::env::var_os("NO_COLOR").is_none()
            }
        };
        output
    }

    /// Writes text. A closed standard error is the application's affair.
    pub(crate) fn text(&mut self, text: &str) {
        let _ = match &mut self.text {
            Text::Off => Ok(()),
            Text::Stderr => log::write(text),
            Text::File(file) => file.write_all(text.as_bytes()),
        };
    }

    /// Returns where the report goes.
    pub(crate) fn report_path(&self) -> Option<&Path> {
        self.report.as_deref()
    }

    /// Replaces the report; returns whether it stands there now.
    pub(crate) fn write_report(&mut self, text: &str) -> bool {
        let path = self.report.clone();
        path.is_some_and(|path| self.replace("report", &path, text.as_bytes()))
    }

    /// Replaces what says how far the run is, if somebody wants to know.
    pub(crate) fn write_progress(&mut self, text: &str) {
        if let Some(path) = self.progress.clone() {
            self.replace("progress", &path, text.as_bytes());
        }
    }

    /// Returns whether a recording is wanted.
    pub(crate) fn wants_recording(&self) -> bool {
        self.recording.is_some()
    }

    /// Returns the name of the recording's file.
    pub(crate) fn recording_name(&self) -> String {
        let name = self.recording.as_deref().and_then(Path::file_name);
        name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    /// Replaces the recording; returns its path relative to the report, if it stands there now.
    pub(crate) fn write_recording(&mut self, printed: &Printed) -> Option<String> {
        let path = self.recording.clone()?;
        let folder = path.parent()?;
        for (number, code) in printed.shaders.iter().enumerate() {
            let bytes: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
            let shader = folder.join(shader_file(&self.recording_name(), number));
            let _ = shader.parent().map(fs::create_dir_all);
            if !self.replace("recording", &shader, &bytes) {
                return None;
            }
        }
        if !self.replace("recording", &path, printed.text.as_bytes()) {
            return None;
        }
        let folder = self.report.as_deref().and_then(Path::parent);
        let shown = folder.and_then(|folder| path.strip_prefix(folder).ok()).unwrap_or(&path);
        Some(shown.display().to_string())
    }

    /// Writes beside the file and renames, so that a reader never sees half of it.
    fn replace(&mut self, what: &str, path: &Path, bytes: &[u8]) -> bool {
        let mut beside = path.as_os_str().to_owned();
        beside.push(format!(".{}.tmp", std::process::id()));
        let beside = PathBuf::from(beside);
        let written = fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, path));
        if let Err(error) = &written {
            let _ = fs::remove_file(&beside);
            self.complain(what, path, error);
        }
        written.is_ok()
    }

    fn complain(&mut self, what: &str, path: &Path, error: &io::Error) {
        if !self.has_complained {
            self.has_complained = true;
            log::warning(&format!("cannot write the {what} to {}: {error}", path.display()));
        }
    }
}

/// Returns the name of the running program.
pub(crate) fn program() -> String {
    let exe = std::env::current_exe().ok();
    let name = exe.as_deref().and_then(Path::file_stem).map(|name| name.to_string_lossy());
    name.map_or_else(|| "unknown".to_owned(), |name| name.into_owned())
}

/// Returns the place of a path that the settings name. The application may change its folder
/// later, so a relative one is made absolute now.
fn place(path: &str) -> PathBuf {
    let path = PathBuf::from(fill_path(path, std::process::id(), &program()));
    if path.is_absolute() {
        return path;
    }
    base_folder().map_or(path.clone(), |base| base.join(path))
}

/// The folder that relative paths start from.
#[cfg(not(target_os = "android"))]
fn base_folder() -> Option<PathBuf> {
    std::env::current_dir().ok()
}

/// The folder that an application may write to without a permission.
#[cfg(target_os = "android")]
fn base_folder() -> Option<PathBuf> {
    let line = fs::read("/proc/self/cmdline").ok()?;
    let name = line.split(|byte| *byte == 0 || *byte == b':').next()?;
    let package = std::str::from_utf8(name).ok()?;
    Some(PathBuf::from(format!("/sdcard/Android/data/{package}/files")))
}
