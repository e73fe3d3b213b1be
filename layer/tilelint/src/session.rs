//! A program under the lint: calls in, findings out.

use rustc_hash::FxHashMap;

use crate::call::Entry;
use crate::engine::Engine;
use crate::finding::Finding;
use crate::model::{DeviceModel, Frame, Model, Pass, Settings, VariantCount};
use crate::traffic::Traffic;

/// A pass as it was last executed, for the pass table.
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
}

/// Model and engine together.
pub struct Session {
    model: Model,
    engine: Engine,
    passes: FxHashMap<(usize, u64), PassLine>,
    traffic: Traffic,
}

impl Session {
    /// Returns a session for these settings and rules.
    pub fn new(settings: Settings, engine: Engine) -> Self {
        Self {
            model: Model::new(settings),
            engine,
            passes: FxHashMap::default(),
            traffic: Traffic::default(),
        }
    }

    /// Applies a call. Returns the findings that it confirmed.
    pub fn apply(&mut self, entry: &Entry) -> Vec<Finding> {
        match self.model.apply(entry) {
            Some((device, frame)) => self.judge(device, &frame),
            None => Vec::new(),
        }
    }

    /// No more calls come. Returns the findings that this confirmed.
    pub fn finish(&mut self) -> Vec<Finding> {
        let frames = self.model.finish();
        frames.iter().flat_map(|(device, frame)| self.judge(*device, frame)).collect()
    }

    fn judge(&mut self, device: usize, frame: &Frame) -> Vec<Finding> {
        for pass in frame.passes() {
            let order = self.passes.len();
            let line = self.passes.entry((device, pass.variant)).or_insert_with(|| PassLine {
                device,
                pass: pass.clone(),
                order,
                steady: false,
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

    /// What the frames asked for.
    pub fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// The rules' targets.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Passes by variant, in order of first execution, with their counts.
    pub fn passes(&self) -> Vec<(&PassLine, VariantCount)> {
        let mut lines: Vec<_> = self
            .passes
            .values()
            .map(|line| (line, self.model.devices()[line.device].variant(line.pass.variant)))
            .collect();
        lines.sort_by_key(|(line, _)| line.order);
        lines
    }
}
