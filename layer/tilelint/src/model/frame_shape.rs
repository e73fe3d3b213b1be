//! The shape of a frame: frames of one shape get one verdict.

use std::hash::{Hash, Hasher};

use ash::vk;
use rustc_hash::FxHasher;

use super::frame::{Frame, HostStep, Pass, Step, TransferStep};
use crate::call::BarrierTarget;

/// A wait that blocks longer counts as blocking.
const BLOCKING_NS: u64 = 200_000;

impl Frame {
    /// Hash of everything that rules judge, as far as it may differ between frames; no handles,
    /// no identities of images.
    pub fn shape(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.steady.hash(&mut hasher);
        for step in &self.steps {
            step.step().what.hash(&mut hasher);
            match step {
                Step::Pass(pass) => hash_pass(pass, &mut hasher),
                Step::Transfer(transfer) => hash_transfer(transfer, &mut hasher),
                Step::Dispatch { dispatch, reads, writes, .. } => {
                    (dispatch.groups, reads.len(), writes.len()).hash(&mut hasher);
                }
                Step::Barrier { facts, .. } => {
                    for barrier in &facts.command.barriers {
                        let masks = (barrier.src_stage, barrier.dst_stage);
                        (masks, barrier.src_access, barrier.dst_access).hash(&mut hasher);
                        if let BarrierTarget::Image { old, new, .. } = barrier.target {
                            (old, new).hash(&mut hasher);
                        }
                    }
                }
                Step::Query { facts, .. } => facts.command.verb.hash(&mut hasher),
                Step::Event { set, .. } => set.hash(&mut hasher),
                Step::Submit { facts, .. } => {
                    let commands = (facts.call, facts.batch, facts.command_buffers);
                    (commands, facts.waits.len(), facts.signals.len()).hash(&mut hasher);
                    facts.waits.iter().for_each(|wait| wait.stages.hash(&mut hasher));
                }
                Step::Host { what, .. } => hash_host(what, &mut hasher),
                Step::Present { content, result, .. } => {
                    let before = content.by.as_ref().is_some_and(|by| by.frame < self.index);
                    (content.state, before, result).hash(&mut hasher);
                }
            }
        }
        for ran in &self.ran {
            ran.recording.commands.len().hash(&mut hasher);
        }
        // Rates in steps of a sixteenth: a frame's exact time is its own.
        self.time_ns
            .map(|ns| (ns.max(1).ilog2(), (ns << 4 >> ns.max(1).ilog2()) & 15))
            .hash(&mut hasher);
        self.opaque.len().hash(&mut hasher);
        for awaited in &self.awaited {
            let submit = &awaited.submit;
            (awaited.wait, submit.step.index, self.index - submit.step.frame).hash(&mut hasher);
            submit.ordinal.hash(&mut hasher);
        }
        self.made.hash(&mut hasher);
        self.destroyed.hash(&mut hasher);
        (self.kept_making.len(), self.kept_destroying.len()).hash(&mut hasher);
        hasher.finish()
    }
}

fn hash_pass(pass: &Pass, hasher: &mut FxHasher) {
    (pass.variant, pass.draws.len(), pass.clears.len(), pass.reads.len()).hash(hasher);
    (pass.barriers.len(), pass.queries.len(), pass.secondaries, pass.unknown).hash(hasher);
    for draw in &pass.draws {
        draw.effect.hash(hasher);
        eighths(draw.scissor, pass.shape.area).hash(hasher);
        (draw.draw.vertices, draw.draw.kind, draw.subpass, draw.vertex_buffers).hash(hasher);
    }
    for clear in &pass.clears {
        (clear.covers_area, clear.conditional, clear.draws_before).hash(hasher);
    }
    for facts in pass.facts.iter().flatten() {
        (facts.before.state, facts.read, facts.written, facts.cleared).hash(hasher);
    }
    for read in &pass.reads {
        (read.how, read.discarded_by.is_some(), read.certain).hash(hasher);
    }
}

/// How much of the render area a scissor leaves, in steps: its exact place may move every frame.
fn eighths(scissor: Option<vk::Rect2D>, area: vk::Rect2D) -> Option<u64> {
    let pixels = |e: vk::Extent2D| u64::from(e.width) * u64::from(e.height);
    scissor.map(|rect| (pixels(rect.extent) >> 3).min(1 << 40) * 64 / pixels(area.extent).max(1))
}

fn hash_transfer(transfer: &TransferStep, hasher: &mut FxHasher) {
    let whole = (transfer.whole_source, transfer.whole_target);
    (whole, transfer.source.state, transfer.from.is_some(), transfer.to.is_some()).hash(hasher);
}

fn hash_host(what: &HostStep, hasher: &mut FxHasher) {
    let blocks = |took: Option<u64>| took.map(|took| took > BLOCKING_NS);
    match what {
        HostStep::Wait(wait) => (0, wait.fences.len(), blocks(wait.took_ns)).hash(hasher),
        HostStep::WaitIdle(idle) => (1, idle.queue.is_some(), blocks(idle.took_ns)).hash(hasher),
        HostStep::Access(access) => {
            (2, access.verb as u8, access.wait, access.bytes != 0).hash(hasher);
            blocks(access.took_ns).hash(hasher);
        }
        HostStep::Acquire(..) => 3.hash(hasher),
    }
}
