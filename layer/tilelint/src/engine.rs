//! Runs rules over frames: levels, targets, folding, counting.

mod candidate;
mod candidates;
mod fold;
mod said;
mod shapes;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::smallvec;

use candidate::Candidate;
use candidates::{Candidates, Key, MAX_CANDIDATES};
use fold::{Differs, Places, add_target, again, fold};
use said::{Said, level_of, shorten};
use shapes::Shapes;

use crate::finding::*;
use crate::model::{DeviceModel, Frame, VariantCount};
use crate::profile::Profile;
use crate::rule::{Check, Cx, Group, Rule, RuleValues, Target};

/// Frames in which a rule on synchronisation must have spoken, however few serve the others.
const RHYTHM_FRAMES: u32 = 3;

/// The rules in force and everything they said.
pub struct Engine {
    rules: Vec<(&'static Rule, Level)>,
    profiles: Vec<Profile>,
    steady_frames: u32,
    values: RuleValues,
    /// Variants that checks of single passes saw, by device, while it remembers them.
    seen_variants: FxHashSet<Key>,
    candidates: Candidates,
    /// What was said of passes that may yet turn out to be no part of the steady frames.
    held: Vec<Key>,
    shapes: Shapes,
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
            candidates: Candidates::default(),
            held: Vec::new(),
            shapes: Shapes::default(),
        }
    }

    /// Rules then judge by these numbers.
    pub fn with_values(self, values: RuleValues) -> Self {
        Self { values, ..self }
    }

    /// It then tells so many findings at most.
    #[cfg(test)]
    pub fn with_at_most(self, most: usize) -> Self {
        Self { candidates: Candidates::at_most(most), ..self }
    }

    /// How many findings it tells at most, and how many of more it left out.
    pub fn limit(&self) -> (usize, usize) {
        self.candidates.limit()
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
        // Only steady frames make what was held back theirs.
        if frame.steady {
            confirmed.extend(self.settle(index, device, false));
        }
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
            if self.seen_variants.insert((index, pass.variant)) {
                fresh.insert(pass.variant);
            }
        }
        for rule in 0..self.rules.len() {
            for check in self.rules[rule].0.checks {
                match check {
                    Check::Frame(check) if frame.steady => {
                        let of = (self.needs(rule), None);
                        self.run(rule, (index, device), of, &mut said, |cx| check(frame, cx));
                    }
                    Check::Pass(check) => {
                        for pass in frame.passes().filter(|pass| fresh.contains(&pass.variant)) {
                            let of = (1, Some(pass.variant));
                            self.run(rule, (index, device), of, &mut said, |cx| check(pass, cx));
                        }
                    }
                    Check::Frame(_) => {}
                }
            }
        }
        let candidates = &self.candidates;
        fold(&self.rules, &mut said, |headline, rule| {
            let known = candidates.get(&(index, headline.fingerprint));
            known.is_some_and(|known| known.is_noted(rule))
        });
        let mut keys: Vec<Key> = said.iter().map(|said| (index, said.fingerprint)).collect();
        keys.sort_unstable();
        keys.dedup();
        self.shapes.judged(shape, device.verdict_changes(), keys);
        self.enter(index, device, said, frame)
    }

    /// Counts a frame of a shape whose verdict is known; returns whether it is.
    fn count_alike(&mut self, shape: Key, device: &DeviceModel, frame: &Frame) -> bool {
        let changes = device.verdict_changes();
        let Some(said) = self.shapes.verdict(shape, changes, self.steady_frames) else {
            return false;
        };
        for key in said {
            if let Some(candidate) = self.candidates.get_mut(key) {
                candidate.hit(frame);
            }
        }
        true
    }

    /// A device forgets pass variants: when they come again, they are judged as new ones.
    pub fn forget(&mut self, index: usize, forgotten: &FxHashMap<u64, VariantCount>) {
        self.seen_variants.retain(|(of, variant)| *of != index || !forgotten.contains_key(variant));
        self.candidates.of_device(index).for_each(|candidate| candidate.forget(forgotten));
    }

    /// Numbers of what is remembered of frames, by table.
    pub fn table_sizes(&self) -> [(&'static str, usize); 5] {
        let [shapes, said] = self.shapes.sizes();
        [
            ("judged variants", self.seen_variants.len()),
            ("candidates", self.candidates.len()),
            ("held back", self.held.len()),
            ("shapes", shapes),
            ("said of shapes", said),
        ]
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
        (index, device): (usize, &DeviceModel),
        (needs, variant): (u32, Option<u64>),
        said: &mut Vec<Said>,
        check: impl Fn(&mut Cx<'_>),
    ) {
        let (definition, level) = self.rules[rule];
        if level == Level::Allow {
            return;
        }
        let about_tiles = definition.group.is_about_tiles() && !definition.correctness;
        let mut places = Places::default();
        // What was said of a target of which nothing was asked holds for those behind it.
        let mut common: Option<Vec<(usize, Differs)>> = None;
        for (target, profile) in self.profiles.iter().enumerate() {
            if about_tiles && !profile.is_tiler() {
                continue;
            }
            let is_new = self.profiles[..target].iter().all(|other| other.name != profile.name);
            if let Some(common) = common.as_ref().filter(|_| is_new) {
                for (at, differs) in common {
                    add_target(&mut said[*at], target, profile, *differs);
                }
                continue;
            }
            let asked = Target::new(profile);
            let mut cx = Cx { profile: &asked, device, values: &self.values, reports: Vec::new() };
            check(&mut cx);
            let mut told = Vec::with_capacity(cx.reports.len());
            for mut report in cx.reports {
                report.place.variant = report.place.variant.or(variant);
                let level = level_of(definition, level, &report);
                let differs = Differs { confidence: report.confidence, cost: report.cost, level };
                if let Some(at) = places.same(said, &report) {
                    told.push((at, differs));
                    let first = said[at].targets.first().map(|first| &self.profiles[*first].name);
                    match is_new && !said[at].targets.contains(&target) {
                        true => add_target(&mut said[at], target, profile, differs),
                        false if first == Some(&profile.name) => again(&mut said[at], &report),
                        false => {}
                    }
                    continue;
                }
                let fingerprint = report.place.fingerprint(definition.name);
                let is_known = self.candidates.get(&(index, fingerprint)).is_some();
                if is_known {
                    shorten(&mut report);
                }
                told.push((said.len(), differs));
                said.push(Said {
                    rule,
                    level,
                    fingerprint,
                    is_known,
                    needs: needs.saturating_sub(report.seen_over).max(1),
                    of_pass: variant.is_some(),
                    report,
                    targets: smallvec![target],
                    by_target: Vec::new(),
                    notes: Vec::new(),
                });
            }
            if !asked.was_asked() || definition.group.is_same_everywhere() {
                common.get_or_insert(told);
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
            let key = (index, said.fingerprint);
            let variant = said.report.place.variant;
            let (needs, of_pass) = (said.needs, said.of_pass);
            if let Some(known) = self.candidates.get_mut(&key) {
                known.note(said.notes);
            } else if !said.is_known {
                let new = || Candidate::new(rule, &self.profiles, said, frame);
                self.candidates.add(key, frame.index, new);
            }
            let Some(candidate) = self.candidates.get_mut(&key) else { continue };
            candidate.of_passes &= of_pass;
            if let Some(variant) = variant {
                candidate.add_variant(variant, device);
            }
            candidate.hit(frame);
            candidate.needs = candidate.needs.min(needs);
            let enough = candidate.hits >= candidate.needs;
            if of_pass && candidate.of_passes && !candidate.delivered {
                if !std::mem::replace(&mut candidate.held, true) {
                    self.held.push(key);
                }
                if self.held.len() >= 2 * MAX_CANDIDATES {
                    let candidates = &self.candidates;
                    self.held.retain(|key| candidates.get(key).is_some());
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
        let shown = self.candidates.iter().filter(|(_, one)| one.delivered || one.of_passes);
        let told = shown.filter_map(|(key, candidate)| {
            candidate.clone().told(devices.get(key.0)?, self.steady_frames)
        });
        let mut findings: Vec<Finding> = told.collect();
        findings.sort_by(|a, b| {
            let bytes = |f: &Finding| f.cost.traffic_bytes().max(f.cost.memory_bytes);
            (b.level, !b.only_unsteady, bytes(b))
                .cmp(&(a.level, !a.only_unsteady, bytes(a)))
                .then_with(|| (a.rule, a.fingerprint).cmp(&(b.rule, b.fingerprint)))
        });
        findings
    }
}
