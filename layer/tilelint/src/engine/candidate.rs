//! Findings on their way to being confirmed.

use rustc_hash::FxHashMap;

use super::said::Said;
use crate::finding::*;
use crate::model::{DeviceModel, Frame, VariantCount};
use crate::profile::Profile;
use crate::rule::{Check, Rule};

/// Frames between two that a rule about every frame may leave out: half of them.
const MAX_GAP: u64 = 2;
/// Pass variants of one finding that are told apart.
const MAX_VARIANTS: usize = 256;

/// A finding on its way to being confirmed.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub finding: Finding,
    /// Variants of the passes that it is about, at most [`MAX_VARIANTS`].
    variants: Vec<u64>,
    /// What is left of others.
    past: Past,
    /// Steady frames in which the rule said so.
    pub hits: u32,
    /// Frames in which it said so at all.
    frames: u64,
    /// The last of them.
    pub last_frame: u64,
    pub needs: u32,
    /// Every steady frame is judged anew, so that frames in which the rule is silent contradict it.
    over_frames: bool,
    /// It is about what every frame does: what happens now and then starts over.
    rhythm: bool,
    /// Only checks of single passes said so, which see frames of every kind.
    pub of_passes: bool,
    /// It is among those that are held back, until it is delivered.
    pub held: bool,
    pub delivered: bool,
}

/// What is left of the counts of variants that are not told apart any more.
#[derive(Clone, Copy, Debug, Default)]
struct Past {
    /// The most frames and steady frames of one, and the first of any.
    count: VariantCount,
    /// Steady frames of all.
    steady: u64,
}

impl Past {
    fn add(&mut self, count: VariantCount) {
        if count.frames == 0 {
            return;
        }
        let past = &mut self.count;
        past.first = if past.frames == 0 { count.first } else { past.first.min(count.first) };
        past.frames = past.frames.max(count.frames);
        past.steady = past.steady.max(count.steady);
        let steady = [past.first_steady, count.first_steady];
        past.first_steady = steady.into_iter().flatten().min();
        self.steady += count.steady;
    }
}

impl Candidate {
    /// A finding that nobody said before.
    pub fn new(rule: &'static Rule, profiles: &[Profile], said: Said, frame: &Frame) -> Self {
        Self {
            variants: Vec::new(),
            past: Past::default(),
            hits: 0,
            frames: 0,
            last_frame: u64::MAX,
            needs: said.needs,
            over_frames: rule.checks.iter().all(|check| matches!(check, Check::Frame(_))),
            rhythm: rule.group.is_about_rhythm() && said.report.place.variant.is_none(),
            of_passes: true,
            held: false,
            delivered: false,
            finding: finding(rule, profiles, said, frame),
        }
    }

    /// It is about passes of this variant too.
    pub fn add_variant(&mut self, variant: u64, device: &DeviceModel) {
        if self.variants.contains(&variant) {
            return;
        }
        if self.variants.len() >= MAX_VARIANTS {
            let oldest = (0..self.variants.len())
                .min_by_key(|at| device.variant(self.variants[*at]).last)
                .unwrap_or(0);
            let oldest = self.variants.swap_remove(oldest);
            self.past.add(device.variant(oldest));
        }
        self.variants.push(variant);
    }

    /// The device forgets variants.
    pub fn forget(&mut self, forgotten: &FxHashMap<u64, VariantCount>) {
        let Self { variants, past, .. } = self;
        variants.retain(|variant| {
            let count = forgotten.get(variant);
            count.into_iter().for_each(|count| past.add(*count));
            count.is_none()
        });
    }

    /// A finding shows the first steady frame with its pass, whenever it was proven.
    pub fn show_first_steady(&mut self, device: &DeviceModel) {
        let steady = self.variants.iter().filter_map(|v| device.variant(*v).first_steady);
        let steady = steady.chain(self.past.count.first_steady).min();
        if self.finding.location.frame.is_some() && steady.is_some() {
            self.finding.location.frame = steady;
        }
    }

    /// It belongs to the steady frames: they are judged as such, or its passes run in as many of
    /// them as a verdict takes. A single run among them is a screenshot, or work of that kind.
    pub fn is_steady(&self, device: &DeviceModel, steady_frames: u32) -> bool {
        let steady = self.variants.iter().map(|variant| device.variant(*variant).steady);
        let seen = steady.sum::<u64>() + self.past.steady;
        let enough = device.frame_counts().1.min(steady_frames.into()).max(1);
        !self.of_passes || seen >= enough
    }

    /// Rules that only speak in later frames become notes as well, each once.
    pub fn note(&mut self, notes: Vec<Note>) {
        for note in notes {
            if !self.is_noted(note.rule) {
                self.finding.notes.push(note);
            }
        }
    }

    /// It has a note of a rule.
    pub fn is_noted(&self, rule: &str) -> bool {
        self.finding.notes.iter().any(|note| note.rule == rule)
    }

    /// The rule said so in this frame.
    pub fn hit(&mut self, frame: &Frame) {
        if self.last_frame != frame.index {
            if self.rhythm && frame.index > self.last_frame.saturating_add(MAX_GAP) {
                self.hits = 0;
            }
            self.last_frame = frame.index;
            self.frames += 1;
            self.hits += 1;
        }
    }

    /// The finding with its counts; `None` where later frames contradict it.
    pub fn told(mut self, device: &DeviceModel, steady_frames: u32) -> Option<Finding> {
        self.show_first_steady(device);
        let is_steady = self.is_steady(device, steady_frames);
        let mut finding = self.finding;
        if device.frame_counts().1 != 0 && !is_steady {
            finding.only_unsteady = true;
            finding.level = finding.level.min(Level::Info);
        }
        if self.variants.is_empty() && self.past.count.frames == 0 {
            finding.count = self.frames;
            finding.per_frame = 1;
            return Some(finding);
        }
        let counts = self.variants.iter().map(|variant| device.variant(*variant));
        let counts = counts.chain([self.past.count]).filter(|count| count.frames != 0);
        let counts: Vec<_> = counts.collect();
        finding.count = counts.iter().map(|c| c.frames).max().unwrap_or(0);
        finding.first_frame = counts.iter().map(|c| c.first).min().unwrap_or(0);
        finding.per_frame = counts.iter().map(|c| c.per_frame).sum();
        let steady = counts.iter().map(|c| c.steady).max().unwrap_or(0);
        let said = u64::from(self.hits) + u64::from(finding.seen_over);
        (!self.over_frames || said * 2 >= steady).then_some(finding)
    }
}

fn finding(rule: &'static Rule, profiles: &[Profile], said: Said, frame: &Frame) -> Finding {
    let Said { report, level, fingerprint, targets, by_target, notes, .. } = said;
    let mut targets: Vec<_> = targets.iter().map(|at| profiles[*at].name.clone()).collect();
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
