#![doc = include_str!("redundant_buffer_bind.md")]

use ash::vk;
use rustc_hash::FxHashMap;

use super::state_walk::{self, Seen, Told, Watch};
use crate::call::{BufferKey, Command, Recording};
use crate::finding::{Level, Tier};
use crate::model::{DeviceModel, Frame};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "redundant-buffer-bind",
    group: Group::ApiWork,
    level: Level::Info,
    tier: Tier::R,
    folds: &[],
    correctness: false,
    needs: Needs::VERTICES.and(Needs::PIPELINES),
    since: "0.1",
    page: include_str!("redundant_buffer_bind.md"),
    checks: &[Check::Frame(check)],
};

/// Calls that are few.
pub const CALLS: RuleSetting = state_walk::handful("redundant-buffer-bind");

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    let told = Told {
        what: "vertex and index buffer binds that bind what is bound already",
        why: "each of them is a call, a look-up and words in the command stream, for nothing new",
        fix: "bind shared buffers once and let firstIndex and vertexOffset of the draws choose",
        handful: &CALLS,
    };
    state_walk::report::<Buffers>(frame, cx, &told);
}

/// Buffers of vertices by binding (buffer, offset, strides), and the buffer of indices.
#[derive(Default)]
struct Buffers {
    vertex: FxHashMap<u32, (u64, u64, u64)>,
    index: Option<(BufferKey, u64, vk::IndexType)>,
}

impl Watch for Buffers {
    fn see(&mut self, command: &Command, held: &Recording, _: &DeviceModel) -> Seen {
        let same = match command {
            Command::BindVertex { first, buffers, strides } => {
                let mut same = !buffers.is_empty();
                // Strides are known for the whole call alone: only the same call repeats them.
                let strides =
                    if *strides == 0 { 0 } else { strides.rotate_left(1) ^ u64::from(*first) };
                for (binding, pair) in (*first..).zip(held.words(*buffers).chunks_exact(2)) {
                    let now = (pair[0], pair[1], strides);
                    same &= self.vertex.insert(binding, now) == Some(now);
                }
                same
            }
            Command::BindIndex { buffer, offset, kind } => {
                let now = (*buffer, *offset, *kind);
                self.index.replace(now) == Some(now)
            }
            Command::BindPipeline { .. } => {
                // A pipeline with strides of its own ends those of the binds.
                self.vertex.retain(|_, (_, _, strides)| *strides == 0);
                return Seen::Other;
            }
            _ => return Seen::Other,
        };
        if same { Seen::Wasted } else { Seen::Set }
    }
}
