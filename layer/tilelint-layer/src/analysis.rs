//! What the analysis thread does with the calls: the library's session and its output.

use crate::api_time;
use crate::capture::{Message, Outbox, unknown_structures};
use crate::clock::Moment;
use crate::log;
use crate::message::message;
use crate::output::{Output, program};
use crate::progress::Progress;
use crate::queue::{Flush, LeftOut, Silence};
use crate::recording::Recording;
use crate::session::Wants;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tilelint::call::{Call, Command, DeviceKey, Entry, FrameBoundary};
use tilelint::config::Config;
use tilelint::finding::Finding;
use tilelint::report::{self, Renderer, Report, Unknown};
use tilelint::rule::Needs;
use tilelint::session::Session;

/// The report is rewritten at most this often while the program runs.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// The library's session and where its output goes.
pub(crate) struct Analysis {
    config: Config,
    /// The groups of commands that are seen.
    needs: Needs,
    session: Session,
    output: Output,
    recording: Option<Recording>,
    /// The recording that was written, relative to the report.
    recorded: Option<String>,
    /// There are findings that the recording on disk does not show.
    is_recording_stale: bool,
    outboxes: Vec<(DeviceKey, Arc<Outbox>)>,
    /// Findings about devices that are gone.
    late: Vec<Message>,
    silenced: BTreeMap<u64, Silence>,
    unknown: BTreeMap<String, u64>,
    /// Submissions analysed, by device.
    n_submits: BTreeMap<DeviceKey, u64>,
    n_frames_left_out: u64,
    started: Instant,
    started_at: String,
    last_report: Option<Instant>,
    /// There is something that the report on disk does not say.
    is_dirty: bool,
    progress: Progress,
}

impl Analysis {
    /// Begins a session under these settings.
    pub(crate) fn new(config: Config) -> Analysis {
        let output = Output::new(&config);
        if config.api_time.value {
            api_time::turn_on();
        }
        let recorded = if output.wants_recording() { Needs::RECORDING } else { Needs::NONE };
        let timed = if config.api_time.value { Needs::ALL } else { Needs::NONE };
        let needs = config.needs().and(recorded).and(timed);
        Analysis {
            needs,
            session: config.session(needs),
            recording: output.wants_recording().then(|| Recording::new(&config)),
            recorded: None,
            is_recording_stale: false,
            output,
            config,
            outboxes: Vec::new(),
            late: Vec::new(),
            silenced: BTreeMap::new(),
            unknown: BTreeMap::new(),
            n_submits: BTreeMap::new(),
            n_frames_left_out: 0,
            started: Instant::now(),
            started_at: Moment::now().text(),
            last_report: None,
            is_dirty: false,
            progress: Progress::default(),
        }
    }

    /// Takes one call and tells what it confirmed.
    pub(crate) fn apply(&mut self, mut entry: Entry) {
        if !self.config.times.value {
            without_time(&mut entry.call);
        }
        if let Call::Commands(_, recording) = &entry.call {
            for command in &recording.commands {
                if let Command::Opaque(opaque) = command {
                    *self.unknown.entry(opaque.name.to_string()).or_default() += 1;
                }
            }
        }
        if let Call::Submit(_) = entry.call {
            *self.n_submits.entry(entry.device).or_default() += 1;
        }
        let findings = self.session.apply(&entry);
        if let Some(recording) = &mut self.recording {
            recording.push(entry, self.session.ended());
        }
        if !findings.is_empty() {
            self.recording.iter_mut().for_each(Recording::confirm);
            self.tell(findings);
            self.is_dirty = true;
            self.is_recording_stale = true;
        }
        if !self.session.ended().is_empty() {
            self.progress.frame(&self.session, &mut self.output);
        }
        let is_due = self.last_report.is_none_or(|last| last.elapsed() >= REPORT_INTERVAL);
        let is_ready = |recording: &Recording| self.is_recording_stale && recording.is_ready();
        let records = self.recording.as_ref().is_some_and(is_ready);
        // A program may be killed, as mobile ones always are: what is known so far is kept.
        if (self.is_dirty || records) && is_due {
            if records {
                self.write_recording();
            }
            self.write_report(false);
        }
    }

    /// Whether a program that is too fast waits for the analysis.
    pub(crate) fn every_frame(&self) -> bool {
        self.config.every_frame.value
    }

    /// Takes the findings about devices that are gone.
    pub(crate) fn take_late(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.late)
    }

    /// What the layer has to do for it.
    pub(crate) fn wants(&self) -> Wants {
        Wants { needs: self.needs, asks_driver: self.config.ask_driver.value }
    }

    /// Calls of a device were left out, since the program is faster than the analysis.
    pub(crate) fn gap(&mut self, device: DeviceKey, left_out: &LeftOut) {
        let n_frames = self.frames_of(device, left_out);
        if self.n_frames_left_out == 0 {
            log::warning(
                "the program is faster than its analysis: frames are left out (every_frame = on \
                 analyses all of them)",
            );
        }
        self.n_frames_left_out += n_frames;
        self.session.skip(device, n_frames);
        if let Some(recording) = &mut self.recording {
            recording.gap(left_out.n_calls);
        }
        self.is_dirty = true;
    }

    /// The frames that calls which were left out would have ended.
    fn frames_of(&self, key: DeviceKey, left_out: &LeftOut) -> u64 {
        let device = self.session.devices().iter().rev().find(|device| device.key() == key);
        let n_frames = device.map_or(0, |device| device.frames_seen());
        let by_submits = || {
            let n_submits = self.n_submits.get(&key).copied().unwrap_or(0);
            let per_frame = n_submits.checked_div(n_frames).unwrap_or(1).max(1);
            // The frame that was begun would have ended before the first of them.
            left_out.n_submits / per_frame + u64::from(n_submits > 0)
        };
        match device.map(|device| device.boundary()) {
            Some(FrameBoundary::Boundary) => left_out.n_boundaries,
            Some(FrameBoundary::Label) => left_out.n_labels,
            Some(FrameBoundary::Present) => left_out.n_presents,
            _ => {
                let ends = [left_out.n_boundaries, left_out.n_labels, left_out.n_presents];
                ends.into_iter().find(|count| *count != 0).unwrap_or_else(by_submits)
            }
        }
    }

    /// Findings of this device go to this outbox too.
    pub(crate) fn add_device(&mut self, key: DeviceKey, outbox: Arc<Outbox>) {
        self.outboxes.push((key, outbox));
    }

    /// A device is not linted any more.
    pub(crate) fn device_silenced(&mut self, key: DeviceKey, why: Silence) {
        if self.silenced.insert(key.0, why).is_none() && why == Silence::Overrun {
            log::warning(why.text());
        }
        self.is_dirty = true;
    }

    /// Ends what can be ended, and writes the report.
    pub(crate) fn flush(&mut self, why: Flush) {
        match why {
            Flush::Device(key) => {
                self.write_recording();
                self.outboxes.retain(|(other, _)| *other != key);
                self.write_report(false);
            }
            Flush::End => self.end(),
        }
    }

    /// The program ends: the last findings, the report, the summary.
    fn end(&mut self) {
        if self.session.devices().is_empty() {
            return;
        }
        let findings = self.session.finish();
        if let Some(recording) = &mut self.recording {
            recording.finish(self.session.ended());
            if !findings.is_empty() {
                recording.confirm();
            }
        }
        self.tell(findings);
        self.write_recording();
        let report = self.report(true);
        self.progress.write(&self.session, &mut self.output);
        let is_written = self.output.write_report(&report::to_json(&report));
        let path = self.output.report_path().filter(|_| is_written);
        let path = path.map(|path| path.display().to_string());
        let summary = report::summary(&report, path.as_deref());
        if self.config.pass_table.value {
            self.output.text(&report::pass_table(&report));
        }
        if let Some(time) = &report.api_time {
            self.output.text(&report::api_time_table(time));
        }
        self.output.text(&summary);
        for budget in report::over_budget(&report, &self.config) {
            self.output.text(&format!("tilelint: over budget: {budget}\n"));
        }
    }

    /// Tells findings that were just confirmed, unless they are suppressed.
    fn tell(&mut self, findings: Vec<Finding>) {
        let judged = self.config.judge(findings, Some(Moment::now().date()));
        self.progress.found(judged.findings.len());
        let profiles = self.config.profiles();
        let renderer = Renderer {
            color: self.output.color,
            profiles: &profiles,
            file: None,
            many_devices: self.session.devices().len() > 1,
        };
        for finding in &judged.findings {
            self.output.text(&format!("{}\n", renderer.finding(finding)));
            let device = self
                .session
                .devices()
                .iter()
                .find(|device| *device.name == *finding.location.device);
            let message = message(finding);
            let is_its = |key: DeviceKey| device.is_none_or(|device| device.key() == key);
            let mut outboxes = self.outboxes.iter().filter(|(key, _)| is_its(*key)).peekable();
            if outboxes.peek().is_none() {
                self.late.push(message.clone());
            }
            for (_, outbox) in outboxes {
                outbox.push(message.clone());
            }
        }
    }

    /// Writes the recording where there is a finding that it may repeat.
    fn write_recording(&mut self) {
        if self.session.findings().is_empty() {
            return;
        }
        let file = self.output.recording_name();
        let printed = self.recording.as_mut().and_then(|recording| recording.print(&file));
        self.is_recording_stale = false;
        if let Some(printed) = printed {
            self.recorded = self.output.write_recording(&printed);
        }
    }

    fn write_report(&mut self, is_complete: bool) {
        let report = self.report(is_complete);
        self.output.write_report(&report::to_json(&report));
        self.last_report = Some(Instant::now());
        self.is_dirty = false;
    }

    fn report(&self, is_complete: bool) -> Report {
        let judged = self.config.judge(self.session.findings(), Some(Moment::now().date()));
        let silenced = self.session.devices().iter().filter_map(|device| {
            let why = self.silenced.get(&device.key().0)?;
            Some((device.name.to_string(), why.text().to_owned()))
        });
        let frames_seen = self.session.devices().iter().map(|device| device.frame_counts().0).sum();
        let input = report::Input {
            not_linted: silenced.collect(),
            unknown: Unknown { commands: self.unknown.clone(), structures: unknown_structures() },
            recording: self.recorded.as_deref(),
            api_time: api_time::measured(frames_seen),
            run: self.run(is_complete),
            ..report::Input::new(env!("CARGO_PKG_VERSION"), &self.config, &self.session, &judged)
        };
        report::build(input)
    }

    /// Facts of this one run.
    fn run(&self, is_complete: bool) -> Value {
        let arguments: Vec<String> =
            std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
        let config = &self.config;
        json!({
            "pid": std::process::id(),
            "program": program(),
            "arguments": arguments,
            "started": self.started_at,
            "seconds": self.started.elapsed().as_millis() as f64 / 1000.0,
            "settings": {
                "targets": config.targets.origin,
                "steady_frames": config.steady_frames.origin,
                "frames": config.frames.origin,
                "frame_boundary": config.frame_boundary.origin,
                "every_frame": config.every_frame.origin,
                "times": config.times.origin,
                "ask_driver": config.ask_driver.origin,
                "report": config.report.origin,
                "recording": config.recording.origin,
                "text": config.text.origin,
                "color": config.color.origin,
                "pass_table": config.pass_table.origin,
                "api_time": config.api_time.origin,
            },
            "frames_not_analysed": self.n_frames_left_out,
            "complete": is_complete,
        })
    }
}

/// Measured times differ from run to run, and the findings should not.
fn without_time(call: &mut Call) {
    match call {
        Call::Wait(wait) => wait.took_ns = None,
        Call::WaitIdle(wait) => wait.took_ns = None,
        Call::Host(access) => access.took_ns = None,
        Call::Present(present) => present.time_ns = None,
        _ => {}
    }
}
