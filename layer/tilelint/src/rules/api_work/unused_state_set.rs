#![doc = include_str!("unused_state_set.md")]

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use super::state_walk::{self, Seen, Told, Watch};
use crate::call::{Command, DynamicState, Recording};
use crate::finding::{Level, Tier};
use crate::model::{DeviceModel, Frame};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "unused-state-set",
    group: Group::ApiWork,
    level: Level::Info,
    tier: Tier::R,
    folds: &[],
    correctness: false,
    needs: Needs::DRAWS
        .and(Needs::DISPATCHES)
        .and(Needs::PIPELINES)
        .and(Needs::SETS)
        .and(Needs::VERTICES)
        .and(Needs::STATE)
        .and(Needs::OTHER_STATE),
    since: "0.1",
    page: include_str!("unused_state_set.md"),
    checks: &[Check::Frame(check)],
};

/// Calls that are few.
pub const CALLS: RuleSetting = state_walk::handful("unused-state-set");

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    let told = Told {
        what: "state overwritten before any draw used it",
        why: "nothing was drawn with the value before: its call and its check were for nothing",
        fix: "set state when the draw that needs it is known, not at the start of every pass or \
              material",
        handful: &CALLS,
    };
    state_walk::report::<Pending>(frame, cx, &told);
}

/// A setting: how many slots it covers, its value, and draws before it.
struct Setting {
    /// Number of the command among those seen.
    number: u32,
    len: u32,
    value: (u64, Option<DynamicState>),
    draws: u64,
}

/// The last setting of each piece of state: kind, bind point or name, first slot.
#[derive(Default)]
struct Pending {
    /// Commands seen.
    seen: u32,
    settings: FxHashMap<(u8, u64, u32), Setting>,
    draws: u64,
}

impl Watch for Pending {
    fn forget(&mut self) {
        *self = Self { seen: self.seen, ..Self::default() };
    }

    fn see(&mut self, command: &Command, held: &Recording, _: &DeviceModel) -> Seen {
        let number = self.seen;
        self.seen += 1;
        let (mut hasher, mut value) = (FxHasher::default(), None);
        let (key, len) = match command {
            Command::Draw(_) | Command::Dispatch(_) => {
                self.draws += 1;
                return Seen::Other;
            }
            Command::BindPipeline { point, pipeline } => {
                pipeline.hash(&mut hasher);
                ((0, point.as_raw() as u64, 0), 1)
            }
            Command::BindSets { point, layout, first, sets, offsets } => {
                (layout, held.words(*sets), held.words(*offsets)).hash(&mut hasher);
                ((1, point.as_raw() as u64, *first), sets.len() as u32)
            }
            Command::BindVertex { first, buffers, strides } => {
                (held.words(*buffers), strides).hash(&mut hasher);
                ((2, 0, *first), buffers.len() as u32)
            }
            Command::BindIndex { buffer, offset, kind } => {
                (buffer, offset, kind).hash(&mut hasher);
                ((3, 0, 0), 1)
            }
            Command::Set(state) => {
                // More than the first viewport, or more of it than whole texels: it may stay.
                match *state {
                    DynamicState::Other("vkCmdSetViewport", _) => self.settings.remove(&(5, 0, 0)),
                    DynamicState::Other("vkCmdSetScissor", _) => self.settings.remove(&(5, 1, 0)),
                    _ => None,
                };
                let Some((name, first, len)) = place(state) else { return Seen::Other };
                value = Some(state.clone());
                ((5, name, first), len)
            }
            _ => return Seen::Other,
        };
        let now = Setting { number, len, value: (hasher.finish(), value), draws: self.draws };
        let unused = self.settings.get(&key).filter(|before| {
            before.draws == self.draws && before.len <= len && before.value != now.value
        });
        let seen = unused.map_or(Seen::Set, |before| Seen::Ends(before.number));
        self.settings.insert(key, now);
        seen
    }
}

/// What a setting covers: a number for the state, the first slot or faces, the number of slots.
/// `None` where part of it may stay in force.
fn place(state: &DynamicState) -> Option<(u64, u32, u32)> {
    Some(match state {
        DynamicState::Viewport(_) => (0, 0, 1),
        DynamicState::Scissor(_) => (1, 0, 1),
        DynamicState::DepthTest(_) => (2, 0, 1),
        DynamicState::DepthWrite(_) => (3, 0, 1),
        DynamicState::DepthCompare(_) => (4, 0, 1),
        DynamicState::DepthBounds(_) => (5, 0, 1),
        DynamicState::StencilTest(_) => (6, 0, 1),
        DynamicState::StencilWriteMask(faces, _) => (7, faces.as_raw(), 1),
        DynamicState::StencilOp(faces, ..) => (8, faces.as_raw(), 1),
        DynamicState::BlendEnable(first, list) => (9, *first, list.len() as u32),
        DynamicState::WriteMask(first, list) => (10, *first, list.len() as u32),
        DynamicState::LogicOpEnable(_) => (11, 0, 1),
        DynamicState::RasterizerDiscard(_) => (12, 0, 1),
        DynamicState::Topology(_) => (13, 0, 1),
        DynamicState::Samples(_) => (14, 0, 1),
        DynamicState::Other(name, _) => match *name {
            "vkCmdSetBlendConstants" => (15, 0, 1),
            "vkCmdSetCullMode" => (16, 0, 1),
            "vkCmdSetFrontFace" => (17, 0, 1),
            "vkCmdSetDepthBias" => (18, 0, 1),
            "vkCmdSetDepthBiasEnable" => (19, 0, 1),
            "vkCmdSetLineWidth" => (20, 0, 1),
            _ => return None,
        },
        _ => return None,
    })
}
