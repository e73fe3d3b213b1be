//! How far a long run is: the lowest line of the terminal, which the program keeps writing above.

use std::env;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::termios::tcgetwinsize;
use serde_json::Value;

/// Runs that are shorter show nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the line is written.
const INTERVAL: Duration = Duration::from_millis(250);
/// Rows that a terminal needs to have one to spare.
const ROWS_MIN: u16 = 4;

/// The line, while the program runs; it is gone when this is dropped.
pub struct Progress {
    /// Where the layer says how far each process is; `None` where nobody looks.
    folder: Option<PathBuf>,
    next: Instant,
    /// Rows of the terminal whose lowest is ours.
    rows: Option<u16>,
    /// What the line says.
    shown: Option<Counts>,
}

/// What all processes of the run came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    frames: u64,
    passes: u64,
    findings: u64,
}

impl Progress {
    /// Watches the `*.progress` files of a folder, if standard error is a terminal.
    pub fn new(folder: PathBuf) -> Progress {
        let term = env::var_os("TERM").unwrap_or_default();
        let can_show = io::stderr().is_terminal() && !term.is_empty() && term != "dumb";
        Progress {
            folder: can_show.then_some(folder),
            next: Instant::now() + PATIENCE,
            rows: None,
            shown: None,
        }
    }

    /// Somebody looks.
    pub fn is_watched(&self) -> bool {
        self.folder.is_some()
    }

    /// Writes the line where it is time to.
    pub fn tick(&mut self) {
        let Some(folder) = self.folder.as_ref().filter(|_| Instant::now() >= self.next) else {
            return;
        };
        self.next = Instant::now() + INTERVAL;
        let counts = counts(folder);
        if counts == Counts::default() {
            return;
        }
        let Ok(size) = tcgetwinsize(io::stderr()) else { return };
        if size.ws_row < ROWS_MIN || (self.shown == Some(counts) && self.rows == Some(size.ws_row))
        {
            return;
        }
        let mut text = String::new();
        if self.rows != Some(size.ws_row) {
            text.push_str(&begin(size.ws_row));
            self.rows = Some(size.ws_row);
        }
        text.push_str(&line(counts, size.ws_row, size.ws_col));
        self.shown = Some(counts);
        write(&text);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(rows) = self.rows {
            // The whole screen scrolls again; the cursor stays.
            write(&format!("\x1b7\x1b[r\x1b[{rows};1H\x1b[2K\x1b8"));
        }
    }
}

/// One write, so that nothing of the program's comes between.
fn write(text: &str) {
    let mut err = io::stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

/// Makes room below the cursor, and lets all but the lowest row scroll.
fn begin(rows: u16) -> String {
    format!("\x1bD\x1b[1A\x1b7\x1b[1;{}r\x1b8", rows - 1)
}

fn line(counts: Counts, rows: u16, columns: u16) -> String {
    let number = |count: u64, one: &str, more: &str| {
        format!("{count} {}", if count == 1 { one } else { more })
    };
    let text = format!(
        "tilelint: {}, {}, {} so far",
        number(counts.frames, "frame", "frames"),
        number(counts.passes, "pass", "passes"),
        number(counts.findings, "finding", "findings")
    );
    let fits: String = text.chars().take(usize::from(columns.saturating_sub(1))).collect();
    format!("\x1b7\x1b[{rows};1H\x1b[2K{fits}\x1b8")
}

/// Sums what the processes say. A file that is being replaced counts the next time.
fn counts(folder: &PathBuf) -> Counts {
    let mut sum = Counts::default();
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.map(|entry| entry.path());
    for file in files.filter(|path| path.extension().is_some_and(|end| end == "progress")) {
        let text = fs::read_to_string(file).unwrap_or_default();
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        let number = |key: &str| value.get(key).and_then(Value::as_u64).unwrap_or(0);
        sum.frames += number("frames");
        sum.passes += number("passes");
        sum.findings += number("findings");
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_fits_the_terminal() {
        let counts = Counts { frames: 120, passes: 1, findings: 2 };
        let whole = "tilelint: 120 frames, 1 pass, 2 findings so far";
        assert_eq!(line(counts, 24, 80), format!("\x1b7\x1b[24;1H\x1b[2K{whole}\x1b8"));
        assert_eq!(line(counts, 24, 11), "\x1b7\x1b[24;1H\x1b[2Ktilelint: \x1b8");
    }
}
