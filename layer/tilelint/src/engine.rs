//! Runs rules over frames: levels, targets, folding, counting.

mod fold;
mod said;

use rustc_hash::{FxHashMap, FxHashSet};

use fold::{Places, fold, merge};
use said::{Said, level_of};

use crate::finding::*;
use crate::model::{DeviceModel, Frame};
use crate::profile::Profile;
use crate::rule::{Check, Cx, Group, Report, Rule, RuleValues};

/// Frames between two that a rule about every frame may leave out: half of them.
const MAX_GAP: u64 = 2;
/// Frames in which a rule on synchronisation must have spoken, however few serve the others.
const RHYTHM_FRAMES: u32 = 3;

/// A finding on its way to being confirmed.
#[derive(Clone, Debug)]
struct Candidate {
    finding: Finding,
    variants: Vec<u64>,
    /// Steady frames in which the rule said so.
    hits: u32,
    /// Frames in which it said so at all.
    frames: u64,
    last_frame: u64,
    needs: u32,
    /// Every steady frame is judged anew, so that frames in which the rule is silent contradict it.
    over_frames: bool,
    /// It is about what every frame does: what happens now and then starts over.
    rhythm: bool,
    /// Only checks of single passes said so, which see frames of every kind.
    of_passes: bool,
    /// It is among [`Engine::held`], until it is delivered.
    held: bool,
    delivered: bool,
}

impl Candidate {
    /// A finding shows the first steady frame with its pass, whenever it was proven.
    fn show_first_steady(&mut self, device: &DeviceModel) {
        let steady = self.variants.iter().filter_map(|v| device.variant(*v).first_steady).min();
        if self.finding.location.frame.is_some() && steady.is_some() {
            self.finding.location.frame = steady;
        }
    }

    /// It belongs to the steady frames: they are judged as such, or its passes run in as many of
    /// them as a verdict takes. A single run among them is a screenshot, or work of that kind.
    fn is_steady(&self, device: &DeviceModel, steady_frames: u32) -> bool {
        let seen = self.variants.iter().map(|variant| device.variant(*variant).steady).sum::<u64>();
        let enough = device.frame_counts().1.min(steady_frames.into()).max(1);
        !self.of_passes || seen >= enough
    }

    /// Rules that only speak in later frames become notes as well, each once.
    fn note(&mut self, notes: Vec<Note>) {
        for note in notes {
            if self.finding.notes.iter().all(|known| known.rule != note.rule) {
                self.finding.notes.push(note);
            }
        }
    }

    /// The rule said so in this frame.
    fn hit(&mut self, frame: &Frame) {
        if self.last_frame != frame.index {
            if self.rhythm && frame.index > self.last_frame.saturating_add(MAX_GAP) {
                self.hits = 0;
            }
            self.last_frame = frame.index;
            self.frames += 1;
            self.hits += 1;
        }
    }
}

/// Frames of one shape that are judged before more of them only count.
const JUDGED_FRAMES: u32 = 8;
/// Shapes remembered.
const MAX_SHAPES: usize = 4096;

/// What is remembered of a shape of frame.
#[derive(Default)]
struct Shape {
    judged: u32,
    /// [`DeviceModel::verdict_changes`] when it was last judged.
    changes: u64,
    /// What was said of it.
    said: Vec<(usize, u64)>,
}

/// The rules in force and everything they said.
pub struct Engine {
    rules: Vec<(&'static Rule, Level)>,
    profiles: Vec<Profile>,
    steady_frames: u32,
    values: RuleValues,
    seen_variants: FxHashSet<u64>,
    candidates: FxHashMap<(usize, u64), Candidate>,
    order: Vec<(usize, u64)>,
    /// What was said of passes that may yet turn out to be no part of the steady frames.
    held: Vec<(usize, u64)>,
    shapes: FxHashMap<(usize, u64), Shape>,
}

impl Engine {
    /// Returns an engine for these rules, at these levels, and these targets.
    pub fn new(
        rules: Vec<(&'static Rule, Level)>,
        profiles: Vec<Profile>,
        steady_frames: u32,
    ) -> Self {
        Self {
            rules,
            profiles,
            steady_frames,
            values: RuleValues::default(),
            seen_variants: FxHashSet::default(),
            candidates: FxHashMap::default(),
            order: Vec::new(),
            held: Vec::new(),
            shapes: FxHashMap::default(),
        }
    }

    /// Rules then judge by these numbers.
    pub fn with_values(self, values: RuleValues) -> Self {
        Self { values, ..self }
    }

    /// The targets.
    pub fn profiles(&self) -> &[Profile] {
        &self.profiles
    }

    /// Judges a frame of a device. Returns the findings that it confirmed.
    pub fn frame(&mut self, index: usize, device: &DeviceModel, frame: &Frame) -> Vec<Finding> {
        let shape = (index, frame.shape());
        let mut confirmed = match self.count_alike(shape, device, frame) {
            true => Vec::new(),
            false => self.judge(shape, index, device, frame),
        };
        confirmed.extend(self.settle(index, device, false));
        confirmed
    }

    /// No more frames come. Returns the findings that this confirmed: those of a program that was
    /// too short to tell its start from the rest.
    pub fn finish(&mut self, devices: &[DeviceModel]) -> Vec<Finding> {
        let short = devices.iter().enumerate().filter(|(_, d)| d.frame_counts().1 == 0);
        short.flat_map(|(index, device)| self.settle(index, device, true)).collect()
    }

    /// Delivers what was held back and belongs to the steady frames, or all of it.
    fn settle(&mut self, index: usize, device: &DeviceModel, all: bool) -> Vec<Finding> {
        let mut confirmed = Vec::new();
        let (candidates, steady_frames) = (&mut self.candidates, self.steady_frames);
        self.held.retain(|key| {
            let Some(candidate) = candidates.get_mut(key).filter(|c| !c.delivered) else {
                return false;
            };
            if key.0 != index || !(all || candidate.is_steady(device, steady_frames)) {
                return true;
            }
            candidate.delivered = true;
            candidate.show_first_steady(device);
            confirmed.push(candidate.finding.clone());
            false
        });
        confirmed
    }

    fn judge(
        &mut self,
        shape: (usize, u64),
        index: usize,
        device: &DeviceModel,
        frame: &Frame,
    ) -> Vec<Finding> {
        let mut said: Vec<Said> = Vec::new();
        let mut fresh: FxHashSet<u64> = FxHashSet::default();
        for pass in frame.passes() {
            if self.seen_variants.insert(pass.variant) {
                fresh.insert(pass.variant);
            }
        }
        for rule in 0..self.rules.len() {
            for check in self.rules[rule].0.checks {
                match check {
                    Check::Frame(check) if frame.steady => {
                        let needs = self.needs(rule);
                        self.run(rule, device, (needs, None), &mut said, |cx| {
                            check(frame, cx);
                        });
                    }
                    Check::Pass(check) => {
                        for pass in frame.passes().filter(|pass| fresh.contains(&pass.variant)) {
                            let of = (1, Some(pass.variant));
                            self.run(rule, device, of, &mut said, |cx| check(pass, cx));
                        }
                    }
                    Check::Frame(_) => {}
                }
            }
        }
        fold(&self.rules, &mut said);
        self.remember(shape, device, index, &said);
        self.enter(index, device, said, frame)
    }

    /// Counts a frame of a shape whose verdict is known; returns whether it is.
    fn count_alike(&mut self, shape: (usize, u64), device: &DeviceModel, frame: &Frame) -> bool {
        let Some(known) = self.shapes.get(&shape) else { return false };
        if known.judged < JUDGED_FRAMES + self.steady_frames
            || known.changes != device.verdict_changes()
        {
            return false;
        }
        for key in &known.said {
            if let Some(candidate) = self.candidates.get_mut(key) {
                candidate.hit(frame);
            }
        }
        true
    }

    fn remember(&mut self, shape: (usize, u64), device: &DeviceModel, index: usize, said: &[Said]) {
        if self.shapes.len() >= MAX_SHAPES {
            self.shapes.clear();
        }
        let known = self.shapes.entry(shape).or_default();
        known.judged += 1;
        known.changes = device.verdict_changes();
        known.said = said
            .iter()
            .map(|said| (index, said.report.place.fingerprint(self.rules[said.rule].0.name)))
            .collect();
    }

    /// Steady frames that a rule over frames takes. What a program does once proves nothing of its
    /// rhythm: one that draws a single frame has to wait for it.
    fn needs(&self, rule: usize) -> u32 {
        match self.rules[rule].0.group {
            Group::Sync => self.steady_frames.max(RHYTHM_FRAMES),
            _ => self.steady_frames,
        }
    }

    fn run(
        &self,
        rule: usize,
        device: &DeviceModel,
        (needs, variant): (u32, Option<u64>),
        said: &mut Vec<Said>,
        check: impl Fn(&mut Cx<'_>),
    ) {
        let (definition, level) = self.rules[rule];
        if level == Level::Allow {
            return;
        }
        let mut places = Places::default();
        let mut common: Option<Vec<Report>> = None;
        for profile in &self.profiles {
            let about_tiles = definition.group.is_about_tiles() && !definition.correctness;
            if about_tiles && !profile.is_tiler() {
                continue;
            }
            let reports = match &common {
                Some(reports) => reports.clone(),
                None => {
                    let mut cx = Cx { profile, device, values: &self.values, reports: Vec::new() };
                    check(&mut cx);
                    if definition.group.is_same_everywhere() {
                        common = Some(cx.reports.clone());
                    }
                    cx.reports
                }
            };
            for mut report in reports {
                report.place.variant = report.place.variant.or(variant);
                let level = level_of(definition, level, &report);
                if let Some(other) = places.same(said, &report) {
                    merge(other, &report, profile, level);
                    continue;
                }
                said.push(Said {
                    rule,
                    level,
                    needs: needs.saturating_sub(report.seen_over).max(1),
                    of_pass: variant.is_some(),
                    report,
                    targets: vec![profile.name.clone()],
                    by_target: Vec::new(),
                    notes: Vec::new(),
                });
            }
        }
    }

    fn enter(
        &mut self,
        index: usize,
        device: &DeviceModel,
        said: Vec<Said>,
        frame: &Frame,
    ) -> Vec<Finding> {
        let mut confirmed = Vec::new();
        for said in said {
            let rule = self.rules[said.rule].0;
            let fingerprint = said.report.place.fingerprint(rule.name);
            let key = (index, fingerprint);
            let variant = said.report.place.variant;
            let (needs, of_pass) = (said.needs, said.of_pass);
            if !self.candidates.contains_key(&key) {
                self.order.push(key);
            }
            let notes = said.notes.clone();
            let candidate = self.candidates.entry(key).or_insert_with(|| Candidate {
                finding: finding(rule, fingerprint, said, frame),
                variants: Vec::new(),
                hits: 0,
                frames: 0,
                last_frame: u64::MAX,
                needs,
                over_frames: rule.checks.iter().all(|check| matches!(check, Check::Frame(_))),
                rhythm: rule.group.is_about_rhythm() && variant.is_none(),
                of_passes: true,
                held: false,
                delivered: false,
            });
            candidate.of_passes &= of_pass;
            if let Some(variant) = variant
                && !candidate.variants.contains(&variant)
            {
                candidate.variants.push(variant);
            }
            candidate.note(notes);
            candidate.hit(frame);
            candidate.needs = candidate.needs.min(needs);
            let enough = candidate.hits >= candidate.needs;
            if of_pass && candidate.of_passes && !candidate.delivered {
                if !std::mem::replace(&mut candidate.held, true) {
                    self.held.push(key);
                }
            } else if enough && !candidate.delivered {
                candidate.delivered = true;
                if candidate.needs > 1 {
                    candidate.finding.seen_over = candidate.finding.seen_over.max(candidate.hits);
                }
                candidate.show_first_steady(device);
                confirmed.push(candidate.finding.clone());
            }
        }
        confirmed
    }

    /// All confirmed findings with their counts, in the order of the report.
    pub fn findings(&self, devices: &[DeviceModel]) -> Vec<Finding> {
        let mut findings: Vec<Finding> = Vec::new();
        for key in &self.order {
            let mut candidate = self.candidates[key].clone();
            if !candidate.delivered && !candidate.of_passes {
                continue;
            }
            let Some(device) = devices.get(key.0) else { continue };
            candidate.show_first_steady(device);
            let is_steady = candidate.is_steady(device, self.steady_frames);
            let mut finding = candidate.finding;
            if device.frame_counts().1 != 0 && !is_steady {
                finding.only_unsteady = true;
                finding.level = finding.level.min(Level::Info);
            }
            if candidate.variants.is_empty() {
                finding.count = candidate.frames;
                finding.per_frame = 1;
            } else {
                let counts = candidate.variants.iter().map(|variant| device.variant(*variant));
                let counts: Vec<_> = counts.filter(|count| count.frames != 0).collect();
                finding.count = counts.iter().map(|c| c.frames).max().unwrap_or(0);
                finding.first_frame = counts.iter().map(|c| c.first).min().unwrap_or(0);
                finding.per_frame = counts.iter().map(|c| c.per_frame).sum();
                let steady = counts.iter().map(|c| c.steady).max().unwrap_or(0);
                let said = u64::from(candidate.hits) + u64::from(finding.seen_over);
                if candidate.over_frames && said * 2 < steady {
                    // Later frames contradict it.
                    continue;
                }
            }
            findings.push(finding);
        }
        findings.sort_by(|a, b| {
            let bytes = |f: &Finding| f.cost.traffic_bytes().max(f.cost.memory_bytes);
            (b.level, !b.only_unsteady, bytes(b))
                .cmp(&(a.level, !a.only_unsteady, bytes(a)))
                .then_with(|| (a.rule, a.fingerprint).cmp(&(b.rule, b.fingerprint)))
        });
        findings
    }
}

fn finding(rule: &'static Rule, fingerprint: u64, said: Said, frame: &Frame) -> Finding {
    let Said { report, level, mut targets, by_target, notes, .. } = said;
    targets.sort();
    Finding {
        rule: rule.name,
        level,
        confidence: report.confidence,
        tier: report.tier.unwrap_or(rule.tier),
        fingerprint,
        count: 1,
        per_frame: 1,
        first_frame: frame.index,
        only_unsteady: false,
        seen_over: report.seen_over,
        targets,
        message: report.message,
        why: report.why,
        assumes: report.assumes,
        cost: report.cost,
        fixes: report.fixes,
        location: report.place.location,
        quote: report.place.quote,
        notes,
        by_target,
        objects: report.place.objects,
    }
}
