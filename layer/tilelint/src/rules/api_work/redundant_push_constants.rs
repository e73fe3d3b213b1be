#![doc = include_str!("redundant_push_constants.md")]

use super::state_walk::{self, Seen, Told, Watch};
use crate::call::{Command, PipelineLayoutKey, Recording};
use crate::finding::{Level, Tier};
use crate::model::{DeviceModel, Frame};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "redundant-push-constants",
    group: Group::ApiWork,
    level: Level::Allow,
    tier: Tier::R,
    folds: &[],
    correctness: false,
    needs: Needs::PUSHES.and(Needs::PIPELINES),
    since: "0.1",
    page: include_str!("redundant_push_constants.md"),
    checks: &[Check::Frame(check)],
};

/// Calls that are few.
pub const CALLS: RuleSetting = state_walk::handful("redundant-push-constants");

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    let told = Told {
        what: "push constants that push the bytes that are there already",
        why: "the bytes go into the command stream again, and the driver loads them for each draw",
        fix: "push only what differs from the draw before; what holds for a pass belongs in a \
              uniform buffer or is pushed once",
        handful: &CALLS,
    };
    state_walk::report::<Pushed>(frame, cx, &told);
}

/// Ranges that were pushed: layout, offset, size, hash of the bytes.
#[derive(Default)]
struct Pushed(Vec<(PipelineLayoutKey, u32, u32, u64)>);

impl Watch for Pushed {
    fn see(&mut self, command: &Command, _: &Recording, device: &DeviceModel) -> Seen {
        match command {
            Command::PushConstants { layout, offset, size, hash } => {
                let now = (*layout, *offset, *size, *hash);
                // Bytes that nobody hashed are not known.
                if *hash != 0 && self.0.contains(&now) {
                    return Seen::Wasted;
                }
                let end = offset.saturating_add(*size);
                self.0.retain(|(of, from, size, _)| {
                    of == layout && (*from >= end || from.saturating_add(*size) <= *offset)
                });
                self.0.push(now);
                Seen::Set
            }
            Command::BindPipeline { pipeline, .. } => {
                // A pipeline of another layout leaves them undefined.
                let layout = device.pipeline(*pipeline).and_then(|p| p.info.layout);
                self.0.retain(|(of, ..)| layout == Some(*of));
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
