//! The program: started, waited for, signals passed on, ended when its time is up.

use std::io::{self, IsTerminal};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::FAILED;

/// How often the program is looked after.
const POLL: Duration = Duration::from_millis(5);
/// What a program gets between being asked to end and being ended.
const GRACE: Duration = Duration::from_secs(2);
/// Signals that are passed on.
const PASSED_ON: [Signal; 3] = [Signal::INT, Signal::TERM, Signal::HUP];

/// How the program ended.
pub struct Ended {
    status: ExitStatus,
    timeout: Option<Duration>,
}

impl Ended {
    /// The exit code and the words for a program that did not end well; `None` where it did.
    pub fn failure(&self) -> Option<(u8, String)> {
        if let Some(timeout) = self.timeout {
            let seconds = timeout.as_secs_f64();
            return Some((FAILED, format!("the program was ended after {seconds} s (--timeout)")));
        }
        if let Some(signal) = self.status.signal() {
            let code = u8::try_from(128 + signal).unwrap_or(u8::MAX);
            let core = if self.status.core_dumped() { ", core dumped" } else { "" };
            return Some((code, format!("the program was ended by signal {signal}{core}")));
        }
        match self.status.code() {
            Some(0) => None,
            Some(code) => {
                let own = u8::try_from(code).unwrap_or(FAILED);
                Some((own, format!("the program failed with exit code {code}")))
            }
            None => Some((FAILED, "nobody knows how the program ended".to_owned())),
        }
    }
}

/// Runs a program to its end, with this process's own streams; `meanwhile` is called again and
/// again until then.
///
/// # Errors
///
/// That it cannot be started.
pub fn run(
    command: &mut Command,
    timeout: Option<Duration>,
    mut meanwhile: impl FnMut(),
) -> Result<Ended, String> {
    let signals = watch().map_err(|error| format!("cannot watch for signals: {error}"))?;
    // On a terminal the program shares its keys with us; elsewhere it is a group of its own, so
    // that the children of a script end with it.
    let own_group = !io::stdin().is_terminal();
    if own_group {
        command.process_group(0);
    }
    let started = Instant::now();
    let mut child = command.spawn().map_err(|error| {
        format!("cannot run {}: {error}", command.get_program().to_string_lossy())
    })?;
    let mut asked = None;
    loop {
        let waited = child.try_wait().map_err(|error| format!("cannot wait: {error}"))?;
        if let Some(status) = waited {
            return Ok(Ended { status, timeout: timeout.filter(|_| asked.is_some()) });
        }
        for (signal, flag) in &signals {
            // The terminal has sent its own to the whole group.
            let already = *signal == Signal::INT && !own_group;
            if flag.swap(false, Ordering::Relaxed) && !already {
                send(&child, *signal, own_group);
            }
        }
        match (asked, timeout) {
            (None, Some(timeout)) if started.elapsed() >= timeout => {
                send(&child, Signal::TERM, own_group);
                asked = Some(Instant::now());
            }
            (Some(since), _) if since.elapsed() >= GRACE => {
                send(&child, Signal::KILL, own_group);
            }
            _ => {}
        }
        meanwhile();
        std::thread::sleep(POLL);
    }
}

fn watch() -> io::Result<Vec<(Signal, Arc<AtomicBool>)>> {
    let mut flags = Vec::new();
    for signal in PASSED_ON {
        let flag = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(signal.as_raw(), Arc::clone(&flag))?;
        flags.push((signal, flag));
    }
    Ok(flags)
}

/// Sends a signal. A program that has just ended needs none.
fn send(child: &Child, signal: Signal, own_group: bool) {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = if own_group { kill_process_group(pid, signal) } else { kill_process(pid, signal) };
    }
}
