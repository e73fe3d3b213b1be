#![doc = include_str!("redundant_pipeline_bind.md")]

use ash::vk;
use rustc_hash::FxHashMap;

use super::state_walk::{self, Seen, Told, Watch, leaves_dynamic};
use crate::call::{Command, PipelineKey, PipelineLayoutKey, Recording};
use crate::finding::{Level, Tier};
use crate::model::{DeviceModel, Frame};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "redundant-pipeline-bind",
    group: Group::ApiWork,
    level: Level::Warn,
    tier: Tier::R,
    folds: &[],
    correctness: false,
    needs: Needs::PIPELINES.and(Needs::SETS).and(Needs::STATE).and(Needs::OTHER_STATE),
    since: "0.1",
    page: include_str!("redundant_pipeline_bind.md"),
    checks: &[Check::Frame(check)],
};

/// Calls that are few.
pub const CALLS: RuleSetting = state_walk::handful("redundant-pipeline-bind");

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    let told = Told {
        what: "pipeline binds that bind what is bound already",
        why: "the driver checks and writes the whole state again, for the same pixels",
        fix: "keep the last pipeline of the command buffer and skip a bind of the same; sort draws \
              by pipeline",
        handful: &CALLS,
    };
    state_walk::report::<Pipelines>(frame, cx, &told);
}

/// The pipeline of each bind point.
#[derive(Default)]
struct Pipelines(FxHashMap<i32, PipelineKey>);

impl Pipelines {
    /// Sets of another layout than the pipeline's are bound: the pipeline has to follow them.
    fn bind_sets(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: PipelineLayoutKey,
        device: &DeviceModel,
    ) {
        let bound = self.0.get(&point.as_raw()).and_then(|key| device.pipeline(*key));
        if bound.is_none_or(|pipeline| pipeline.info.layout != Some(layout)) {
            self.0.remove(&point.as_raw());
        }
    }
}

impl Watch for Pipelines {
    fn see(&mut self, command: &Command, _: &Recording, device: &DeviceModel) -> Seen {
        match command {
            Command::BindPipeline { point, pipeline } => {
                match self.0.insert(point.as_raw(), *pipeline) {
                    Some(before) if before == *pipeline => return Seen::Wasted,
                    _ => return Seen::Set,
                }
            }
            Command::BindShaders(_) => self.forget(),
            Command::BindSets { point, layout, .. } => self.bind_sets(*point, *layout, device),
            Command::PushSet(push) => self.bind_sets(push.point, push.layout, device),
            Command::Set(state) => {
                // A bind brings back the state that is the pipeline's own.
                let point = vk::PipelineBindPoint::GRAPHICS.as_raw();
                let bound = self.0.get(&point).and_then(|key| device.pipeline(*key));
                if bound.is_none_or(|pipeline| !leaves_dynamic(&pipeline.info, state)) {
                    self.0.remove(&point);
                }
            }
            _ => {}
        }
        Seen::Other
    }
}
