#![doc = include_str!("redundant_descriptor_bind.md")]

use std::hash::{Hash, Hasher};

use ash::vk;
use rustc_hash::{FxHashMap, FxHasher};

use super::state_walk::{self, Seen, Told, Watch};
use crate::call::{Command, PipelineLayoutKey, Recording};
use crate::finding::{Level, Tier};
use crate::model::{DeviceModel, Frame};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "redundant-descriptor-bind",
    group: Group::ApiWork,
    level: Level::Warn,
    tier: Tier::R,
    folds: &[],
    correctness: false,
    needs: Needs::SETS,
    since: "0.1",
    page: include_str!("redundant_descriptor_bind.md"),
    checks: &[Check::Frame(check)],
};

/// Calls that are few.
pub const CALLS: RuleSetting = state_walk::handful("redundant-descriptor-bind");

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    let told = Told {
        what: "descriptor set binds that bind what is bound already",
        why: "each of them makes the driver look at every descriptor of the sets again",
        fix: "order sets by how often they change (frame, pass, material, draw) and bind only the \
              sets that differ",
        handful: &CALLS,
    };
    state_walk::report::<Sets>(frame, cx, &told);
}

/// A set that is bound.
#[derive(PartialEq, Eq)]
struct Slot {
    set: u64,
    layout: PipelineLayoutKey,
    /// Hash of the whole call where it has dynamic offsets; else 0.
    offsets: u64,
}

/// Sets by bind point and number.
#[derive(Default)]
struct Sets(FxHashMap<(i32, u32), Slot>);

impl Sets {
    /// A bind with another layout may disturb every set that was bound with this one.
    fn disturb(&mut self, point: vk::PipelineBindPoint, layout: PipelineLayoutKey) {
        self.0.retain(|(at, _), slot| *at != point.as_raw() || slot.layout == layout);
    }
}

impl Watch for Sets {
    fn see(&mut self, command: &Command, held: &Recording, _: &DeviceModel) -> Seen {
        match command {
            Command::BindSets { point, layout, first, sets, offsets } => {
                let (sets, words) = (held.words(*sets), held.words(*offsets));
                let offsets = if words.is_empty() {
                    0
                } else {
                    let mut hasher = FxHasher::default();
                    (first, sets, words).hash(&mut hasher);
                    hasher.finish() | 1
                };
                self.disturb(*point, *layout);
                let mut same = !sets.is_empty();
                for (number, set) in (*first..).zip(sets) {
                    let slot = Slot { set: *set, layout: *layout, offsets };
                    let key = (point.as_raw(), number);
                    same &= self.0.get(&key) == Some(&slot);
                    self.0.insert(key, slot);
                }
                if same { Seen::Wasted } else { Seen::Set }
            }
            Command::PushSet(push) => {
                self.disturb(push.point, push.layout);
                self.0.remove(&(push.point.as_raw(), push.set));
                Seen::Other
            }
            _ => Seen::Other,
        }
    }
}
