//! A session as a report.

use std::collections::BTreeMap;

use ash::vk;
use serde_json::Value;

use super::passes;
use super::schema::*;
use super::spans::mark_span;
use super::text::asks;
use crate::config::{Config, Judged};
use crate::finding::{self, Action, Beside, Confidence, Level};
use crate::model::{DeviceModel, FrameRange};
use crate::profile::{Kind, Label, Profile};
use crate::rule::aspect_word;
use crate::session::Session;

/// What a report is made from.
pub struct Input<'a> {
    /// Version of the tool or layer.
    pub version: &'a str,
    /// Settings.
    pub config: &'a Config,
    /// The program.
    pub session: &'a Session,
    /// Its findings, after suppression.
    pub judged: &'a Judged,
    /// Path of the recording, relative to the report.
    pub recording: Option<&'a str>,
    /// Listing that line numbers speak of, relative to the report.
    pub quote_file: Option<&'a str>,
    /// Why devices are not linted, by their id.
    pub not_linted: BTreeMap<String, String>,
    /// Limits that were hit.
    pub limits: Vec<Limit>,
    /// What was not understood.
    pub unknown: Unknown,
    /// Time spent in API calls.
    pub api_time: Option<ApiTime>,
    /// Facts of this one run.
    pub run: Value,
}

impl<'a> Input<'a> {
    /// A report of findings alone.
    pub fn new(
        version: &'a str,
        config: &'a Config,
        session: &'a Session,
        judged: &'a Judged,
    ) -> Self {
        Self {
            version,
            config,
            session,
            judged,
            recording: None,
            quote_file: None,
            not_linted: BTreeMap::new(),
            limits: Vec::new(),
            unknown: Unknown::default(),
            api_time: None,
            run: Value::Null,
        }
    }
}

/// Makes a report.
pub fn build(input: Input<'_>) -> Report {
    let Input { config, session, judged, .. } = input;
    let profiles = session.engine().profiles();
    let mut targets: Vec<Target> = profiles.iter().map(target).collect();
    targets.sort_by(|a, b| a.name.cmp(&b.name));
    let mut devices: Vec<Device> =
        session.devices().iter().map(|model| device(model, &input.not_linted)).collect();
    devices.sort_by(|a, b| a.id.cmp(&b.id));
    let mut suppressed: Vec<Suppressed> = judged.suppressed.iter().map(suppressed).collect();
    suppressed.sort_by(|a, b| (&a.rule, &a.fingerprint).cmp(&(&b.rule, &b.fingerprint)));
    let mut unused: Vec<Unused> = judged.unused.iter().map(unused).collect();
    unused.sort_by(|a, b| (&a.rule, &a.by).cmp(&(&b.rule, &b.by)));
    let mut limits = input.limits;
    limits.extend(hit(session));
    limits.sort_by(|a, b| a.what.cmp(&b.what));
    let finding = |found| finding(found, config, input.quote_file);
    Report {
        schema: SCHEMA.to_owned(),
        version: VERSION,
        tool: Tool {
            name: "tilelint".to_owned(),
            version: input.version.to_owned(),
            rules: config.rules().len(),
        },
        targets,
        devices,
        frames: frames(session),
        traffic: traffic(session, &judged.findings),
        passes: passes::passes(session),
        edges: passes::edges(session),
        findings: judged.findings.iter().map(finding).collect(),
        suppressed,
        unused,
        limits,
        unknown: input.unknown,
        recording: input.recording.map(str::to_owned),
        api_time: input.api_time,
        run: input.run,
    }
}

/// A key or fingerprint as reports write it.
pub(super) fn hex(value: u64) -> String {
    format!("{value:016x}")
}

fn target(profile: &Profile) -> Target {
    // What bins is forecast by the fitted rule.
    let fitted = profile.kind == Kind::Binned && profile.source != Label::User;
    Target {
        name: profile.name.clone(),
        estimate: profile.is_tiler(),
        source: if fitted { Label::Fit } else { profile.source }.to_string(),
        refresh_hz: profile.refresh_hz(),
    }
}

/// Bounds of what is remembered that the program went beyond.
fn hit(session: &Session) -> impl Iterator<Item = Limit> {
    let (most, left_out) = session.engine().limit();
    let findings = Limit { what: "findings".into(), limit: most as u64, left_out: left_out as u64 };
    let frames: Vec<(usize, u64)> =
        session.devices().iter().map(DeviceModel::frame_limit).collect();
    let steps = Limit {
        what: "steps of one frame".into(),
        limit: frames.first().map_or(0, |(most, _)| *most as u64),
        left_out: frames.iter().map(|(_, n_dropped)| n_dropped).sum(),
    };
    [findings, steps].into_iter().filter(|limit| limit.left_out != 0)
}

fn device(model: &DeviceModel, not_linted: &BTreeMap<String, String>) -> Device {
    let info = &model.info;
    let (major, minor) = (vk::api_version_major(info.api), vk::api_version_minor(info.api));
    let linting = not_linted.get(&*model.name).cloned();
    Device {
        id: model.name.to_string(),
        name: (!info.name.is_empty()).then(|| info.name.to_string()),
        vendor_id: (info.vendor != 0).then_some(info.vendor),
        api: (info.api != 0).then(|| format!("{major}.{minor}")),
        lazy_memory: (!model.memory_types.is_empty()).then(|| model.has_lazy_memory()),
        linting: linting.unwrap_or_else(|| "on".to_owned()),
    }
}

fn frames(session: &Session) -> Frames {
    let counts = session.devices().iter().map(|device| (device, device.frame_counts()));
    let range = session.frames();
    let range = (range != FrameRange::ALL).then(|| range.to_string());
    let mut frames = Frames { range, ..Frames::default() };
    for (device, (seen, steady)) in counts {
        frames.seen += seen;
        frames.steady += steady;
        if seen != 0 && frames.boundary.is_none() {
            frames.boundary = Some(device.boundary().word().to_owned());
        }
    }
    frames
}

fn traffic(session: &Session, findings: &[finding::Finding]) -> Traffic {
    let Some(median) = session.traffic().median() else { return Traffic::default() };
    let known = |bytes| (!median.partial).then_some(bytes);
    let total = median.load_bytes + median.store_bytes;
    Traffic {
        load_bytes: known(median.load_bytes),
        store_bytes: known(median.store_bytes),
        avoidable_bytes: avoidable(findings).min(total),
        passes: Some(median.passes),
    }
}

/// Bytes a frame that the findings could save. Two findings about one load or store of one
/// attachment save it once.
fn avoidable(findings: &[finding::Finding]) -> u64 {
    type Place<'a> = (Option<u64>, Option<&'a str>, Option<&'a str>);
    let mut saved: BTreeMap<Place<'_>, (u64, u64)> = BTreeMap::new();
    for finding in findings {
        if finding.only_unsteady || finding.confidence < Confidence::Likely {
            continue;
        }
        let at = &finding.location;
        let place = (at.pass_key, at.image.as_deref(), at.aspect.map(aspect_word));
        let bytes = saved.entry(place).or_default();
        bytes.0 = bytes.0.max(finding.cost.load_bytes);
        bytes.1 = bytes.1.max(finding.cost.store_bytes);
    }
    saved.values().map(|(load, store)| load + store).sum()
}

fn cost(cost: finding::Cost) -> Cost {
    Cost {
        store_bytes: cost.store_bytes,
        load_bytes: cost.load_bytes,
        memory_bytes: cost.memory_bytes,
    }
}

fn finding(found: &finding::Finding, config: &Config, file: Option<&str>) -> Finding {
    let group = config.rules().iter().find(|rule| rule.name == found.rule);
    Finding {
        rule: found.rule.to_owned(),
        group: group.map_or("", |rule| rule.group.name()).to_owned(),
        level: found.level.min(Level::Deny).word().to_owned(),
        confidence: found.confidence.word().to_owned(),
        tier: found.tier.letter().to_owned(),
        fingerprint: hex(found.fingerprint),
        status: None,
        count: found.count,
        per_frame: found.per_frame,
        first_frame: found.first_frame,
        only_unsteady: found.only_unsteady,
        targets: found.targets.clone(),
        message: found.message.clone(),
        why: found.why.clone(),
        assumes: found.assumes.clone(),
        cost: cost(found.cost),
        fixes: found.fixes.iter().map(fix).collect(),
        location: location(&found.location),
        quote: quote(found, file),
        notes: found
            .notes
            .iter()
            .map(|note| Note { rule: note.rule.to_owned(), message: note.message.clone() })
            .collect(),
        by_target: found
            .by_target
            .iter()
            .map(|other| {
                let confidence = other.confidence.map(|c| c.word().to_owned());
                (other.target.clone(), Differs { confidence, cost: other.cost.map(cost) })
            })
            .collect(),
    }
}

fn fix(fix: &finding::Fix) -> Fix {
    let line = |line: crate::call::Line| (line.0 != 0).then_some(line.0);
    let edit = |edit: &finding::Edit| Edit {
        action: edit.action.word().to_owned(),
        object: edit.object.word().to_owned(),
        name: edit.name.clone(),
        pass: edit.pass.clone(),
        slot: edit.slot,
        field: edit.field.to_owned(),
        from: edit.from.clone(),
        to: edit.to.clone(),
        line: line(edit.line),
        before: match edit.action {
            Action::Move(Beside::Before(at)) | Action::Insert(Beside::Before(at)) => line(at),
            _ => None,
        },
        behind: match edit.action {
            Action::Move(Beside::Behind(at)) | Action::Insert(Beside::Behind(at)) => line(at),
            Action::Join(at) => line(at),
            _ => None,
        },
    };
    Fix { text: fix.text.clone(), edits: fix.edits.iter().map(edit).collect() }
}

fn location(at: &finding::Location) -> Location {
    Location {
        device: at.device.clone(),
        frame: at.frame,
        commands: at.commands.clone(),
        pass: at.pass.clone(),
        pass_key: at.pass_key.map(hex),
        subpass: at.subpass,
        slot: at.slot,
        image: at.image.clone(),
        aspect: at.aspect.map(|aspect| aspect_word(aspect).to_owned()),
        field: at.field.map(str::to_owned),
        call: at.call.map(str::to_owned),
        labels: at.labels.clone(),
    }
}

fn quote(found: &finding::Finding, file: Option<&str>) -> Quote {
    let quote = &found.quote;
    let number = |line: &finding::QuoteLine| (line.number != 0).then_some(line.number);
    let mark = |mark: &finding::Mark| {
        let span = mark_span(quote, mark)?;
        let asked = if mark.primary { asks(found.cost) } else { String::new() };
        let label = match (mark.label.as_str(), asked.as_str()) {
            (label, "") => label.to_owned(),
            ("", asked) => format!("asks for {asked}"),
            (label, asked) => format!("{label}, asks for {asked}"),
        };
        let line = quote.lines.get(mark.line).and_then(number);
        Some(Mark { line, start: span.start, end: span.end, label, primary: mark.primary })
    };
    let lines = quote.lines.iter();
    Quote {
        file: file.map(str::to_owned),
        lines: lines.map(|l| QuoteLine { line: number(l), text: l.text.clone() }).collect(),
        marks: quote.marks.iter().filter_map(mark).collect(),
    }
}

fn suppressed(found: &crate::config::Suppressed) -> Suppressed {
    Suppressed {
        rule: found.finding.rule.to_owned(),
        fingerprint: hex(found.finding.fingerprint),
        count: found.finding.count,
        reason: found.reason.clone(),
        by: found.by.clone(),
    }
}

fn unused(unused: &crate::config::Unused) -> Unused {
    Unused { kind: unused.kind.to_owned(), by: unused.by.clone(), rule: unused.rule.to_owned() }
}
