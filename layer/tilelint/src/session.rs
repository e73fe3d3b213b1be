//! A program under the lint: calls in, findings out.

use std::sync::Arc;

use ash::vk;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::call::{Call, DeviceKey, Entry, FrameBoundary};
use crate::config::Config;
use crate::engine::Engine;
use crate::finding::{Finding, Level};
use crate::model::{
    DeviceModel, DrawFacts, Frame, FrameRange, Model, Pass, Settings, VariantCount,
};
use crate::rule::Needs;
use crate::traffic::Traffic;

/// Variants of passes that the pass table tells apart: a program may draw to another area in each
/// frame.
const MAX_PASSES: usize = 8192;

/// A pass as it was first executed, for the pass table.
#[derive(Clone, Debug)]
pub struct PassLine {
    /// Device.
    pub device: usize,
    /// The pass.
    pub pass: Pass,
    /// Order of first execution.
    pub order: usize,
    /// It occurred in a steady frame.
    pub steady: bool,
    /// Its count when the model last forgot it.
    past: VariantCount,
}

/// A frame that a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameEnd {
    /// Its device.
    pub device: DeviceKey,
    /// What ended it.
    pub by: FrameBoundary,
    /// Its number.
    pub index: u64,
    /// The call that ended it belongs to the next frame.
    pub before_call: bool,
}

/// Model and engine together.
pub struct Session {
    model: Model,
    frames: FrameRange,
    ended: Vec<FrameEnd>,
    engine: Engine,
    passes: FxHashMap<(usize, u64), PassLine>,
    traffic: Traffic,
}

impl Session {
    /// Returns a session for these settings and rules.
    pub fn new(settings: Settings, engine: Engine) -> Self {
        Self {
            model: Model::new(settings),
            frames: settings.frames,
            ended: Vec::new(),
            engine,
            passes: FxHashMap::default(),
            traffic: Traffic::default(),
        }
    }

    /// Applies a call. Returns the findings that it confirmed.
    pub fn apply(&mut self, entry: &Entry) -> Vec<Finding> {
        self.ended.clear();
        match self.model.apply(entry) {
            Some((device, frame)) => {
                let is_submit = matches!(entry.call, Call::Submit(_));
                self.note_end(device, &frame, is_submit && frame.by == FrameBoundary::Submits);
                self.judge(device, &frame)
            }
            None => Vec::new(),
        }
    }

    /// Frames of a device could not be seen, the one that was begun among them.
    pub fn skip(&mut self, device: DeviceKey, frames: u64) {
        self.ended.clear();
        self.model.skip(device, frames);
    }

    /// The frames that the last call ended.
    pub fn ended(&self) -> &[FrameEnd] {
        &self.ended
    }

    fn note_end(&mut self, device: usize, frame: &Frame, before_call: bool) {
        self.ended.push(FrameEnd {
            device: self.model.devices()[device].key(),
            by: frame.by,
            index: frame.index,
            before_call,
        });
    }

    /// No more calls come. Returns the findings that this confirmed.
    pub fn finish(&mut self) -> Vec<Finding> {
        self.ended.clear();
        let frames = self.model.finish();
        for (device, frame) in &frames {
            self.note_end(*device, frame, false);
        }
        let mut confirmed: Vec<Finding> =
            frames.iter().flat_map(|(device, frame)| self.judge(*device, frame)).collect();
        confirmed.extend(self.engine.finish(self.model.devices()));
        confirmed
    }

    fn judge(&mut self, device: usize, frame: &Frame) -> Vec<Finding> {
        if !frame.forgotten.is_empty() {
            self.engine.forget(device, &frame.forgotten);
            for (variant, count) in &frame.forgotten {
                if let Some(line) = self.passes.get_mut(&(device, *variant)) {
                    line.past = line.past.then(*count);
                }
            }
        }
        if !self.frames.contains(frame.index) {
            return Vec::new();
        }
        for pass in frame.passes() {
            let order = self.passes.len();
            if order >= MAX_PASSES && !self.passes.contains_key(&(device, pass.variant)) {
                continue;
            }
            let line = self.passes.entry((device, pass.variant)).or_insert_with(|| PassLine {
                device,
                pass: outline(pass),
                order,
                steady: false,
                past: VariantCount::default(),
            });
            line.steady |= frame.steady;
        }
        self.traffic.add(frame);
        self.engine.frame(device, &self.model.devices()[device], frame)
    }

    /// All confirmed findings, in the order of the report.
    pub fn findings(&self) -> Vec<Finding> {
        self.engine.findings(self.model.devices())
    }

    /// Devices, in order of creation.
    pub fn devices(&self) -> &[DeviceModel] {
        self.model.devices()
    }

    /// The frames that are judged.
    pub fn frames(&self) -> FrameRange {
        self.frames
    }

    /// What the frames asked for.
    pub fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// The rules' targets.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Numbers of what is kept of frames by table; of all devices together.
    pub fn table_sizes(&self) -> Vec<(&'static str, usize)> {
        let own = [("pass lines", self.passes.len()), ("kinds of frame", self.traffic.len())];
        own.into_iter().chain(self.engine.table_sizes()).collect()
    }

    /// How many variants of passes there are.
    pub fn n_passes(&self) -> usize {
        self.passes.len()
    }

    /// Passes by variant, in order of first execution, with their counts.
    pub fn passes(&self) -> Vec<(&PassLine, VariantCount)> {
        let mut lines: Vec<_> = self
            .passes
            .values()
            .map(|line| {
                let count = self.model.devices()[line.device].variant(line.pass.variant);
                (line, line.past.then(count))
            })
            .collect();
        lines.sort_by_key(|(line, _)| line.order);
        lines
    }
}

impl Config {
    /// An engine with these targets and every rule that is not allowed, at its level.
    pub fn engine(&self) -> Engine {
        let rules = self.rules().iter().map(|rule| (*rule, self.level_of(rule).value));
        let rules = rules.filter(|(_, level)| *level != Level::Allow).collect();
        let engine = Engine::new(rules, self.profiles(), self.steady_frames.value);
        engine.with_values(self.rule_values())
    }

    /// A session for a program under these settings, of which these commands are seen.
    pub fn session(&self, seen: Needs) -> Session {
        Session::new(Settings { seen, ..self.model() }, self.engine())
    }
}

/// A pass without its commands, of which only a tessellated draw is kept: it decides how the pass
/// is drawn.
fn outline(pass: &Pass) -> Pass {
    let is_tessellated = |draw: &&DrawFacts| {
        let pipeline = draw.pipeline.as_ref();
        pipeline.is_some_and(|p| p.info.topology == vk::PrimitiveTopology::PATCH_LIST)
    };
    Pass {
        shape: Arc::clone(&pass.shape),
        step: Arc::clone(&pass.step),
        name: Arc::clone(&pass.name),
        labels: pass.labels.clone(),
        commands: Arc::clone(&pass.commands),
        facts: pass.facts.clone(),
        draws: pass.draws.iter().find(is_tessellated).cloned().into_iter().collect(),
        clears: Vec::new(),
        barriers: Vec::new(),
        queries: Vec::new(),
        reads: Vec::new(),
        writes: Vec::new(),
        buffers: FxHashSet::default(),
        ..*pass
    }
}
