#![doc = include_str!("redundant_dynamic_state.md")]

use std::mem::{Discriminant, discriminant};

use ash::vk;
use rustc_hash::FxHashMap;

use super::state_walk::{self, Seen, Told, Watch, leaves_dynamic};
use crate::call::{Command, DynamicState, Recording};
use crate::finding::{Level, Tier};
use crate::model::{DeviceModel, Frame};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "redundant-dynamic-state",
    group: Group::ApiWork,
    level: Level::Info,
    tier: Tier::R,
    folds: &[],
    correctness: false,
    needs: Needs::STATE.and(Needs::OTHER_STATE).and(Needs::PIPELINES),
    since: "0.1",
    page: include_str!("redundant_dynamic_state.md"),
    checks: &[Check::Frame(check)],
};

/// Calls that are few.
pub const CALLS: RuleSetting = state_walk::handful("redundant-dynamic-state");

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    let told = Told {
        what: "dynamic state set to the value that it has already",
        why: "each setting is a call and words in the command stream, for the same pixels",
        fix: "keep the last value of each state in the command buffer and set it only when it \
              changes",
        handful: &CALLS,
    };
    state_walk::report::<States>(frame, cx, &told);
}

/// The last command for each kind of state: one for other faces or attachments counts as a
/// change, so that only a repeat is called one.
#[derive(Default)]
struct States(FxHashMap<(Discriminant<DynamicState>, &'static str), DynamicState>);

impl Watch for States {
    fn see(&mut self, command: &Command, _: &Recording, device: &DeviceModel) -> Seen {
        match command {
            Command::Set(state) => {
                let name = match *state {
                    DynamicState::Other(name, _) => name,
                    _ => "",
                };
                let before = self.0.insert((discriminant(state), name), state.clone());
                let same = before.as_ref() == Some(state);
                // What the whole texels of the first one leave out: not a call of its own.
                let counted = match name {
                    "vkCmdSetViewport" => DynamicState::Viewport([0; 4]),
                    "vkCmdSetScissor" => DynamicState::Scissor(vk::Rect2D::default()),
                    _ => return if same { Seen::Wasted } else { Seen::Set },
                };
                if !same {
                    self.0.remove(&(discriminant(&counted), ""));
                }
                Seen::Other
            }
            Command::BindPipeline { point: vk::PipelineBindPoint::GRAPHICS, pipeline } => {
                match device.pipeline(*pipeline) {
                    Some(bound) => self.0.retain(|_, state| leaves_dynamic(&bound.info, state)),
                    None => self.forget(),
                }
                Seen::Other
            }
            Command::BindShaders(_) => {
                self.forget();
                Seen::Other
            }
            _ => Seen::Other,
        }
    }
}
