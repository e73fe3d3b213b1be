//! What lies between two passes on the same targets, and whether it must.

use ash::vk;

use crate::call::{QueryVerb, TransferEnd};
use crate::model::{Frame, HostStep, ImageId, Pass, Roles, Step, TransferStep};

/// Why two passes are two. The order is that of weight: the last one found is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// Nothing at all.
    Nothing,
    /// The second reads as an input attachment what the first drew.
    Input,
    /// One has its draws in secondary command buffers, the other not.
    Secondaries,
    /// Only barriers or events.
    Barrier,
    /// They are in different command buffers.
    Commands,
    /// They are in different submissions.
    Submit,
    /// Queries are reset.
    QueryReset,
    /// Another query command.
    Query,
    /// A copy of the target that could come later.
    Copy,
    /// A transfer that has nothing to do with the target.
    Upload,
    /// A dispatch that has nothing to do with the target.
    Dispatch,
    /// Passes on other targets.
    Targets,
}

impl Cause {
    /// Word that tells causes apart in fingerprints.
    pub fn word(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Input => "input",
            Self::Secondaries => "secondaries",
            Self::Barrier => "barrier",
            Self::Commands => "commands",
            Self::Submit => "submit",
            Self::QueryReset => "query-reset",
            Self::Query => "query",
            Self::Copy => "copy",
            Self::Upload => "upload",
            Self::Dispatch => "dispatch",
            Self::Targets => "targets",
        }
    }
}

/// What lies between two passes, where one pass could do without it.
#[derive(Default)]
pub struct Between<'a> {
    /// The weightiest cause; `None` where nothing lies between.
    pub cause: Option<Cause>,
    /// What is taken for granted.
    pub assumes: Vec<&'static str>,
    /// Passes on other targets.
    pub others: Vec<&'a str>,
    /// It can come before the first pass; else it comes after the second.
    pub before: bool,
}

impl Between<'_> {
    fn add(&mut self, cause: Cause) {
        self.cause = self.cause.max(Some(cause));
    }

    fn assume(&mut self, what: &'static str) {
        if !self.assumes.contains(&what) {
            self.assumes.push(what);
        }
    }
}

/// Images that a step reads and writes.
#[derive(Default)]
struct Touched {
    reads: Vec<ImageId>,
    writes: Vec<ImageId>,
}

/// Returns what lies between two passes; `None` where it needs the first and is needed by the
/// second, or where that is not known.
pub fn between<'a>(frame: &'a Frame, first: &Pass, second: &Pass) -> Option<Between<'a>> {
    let made = touched(first).writes;
    let (needed, wanted) = (touched(first).reads, sampled(second));
    if wanted.iter().any(|image| made.contains(image)) || !first.writes.is_empty() {
        return None;
    }
    let mut found = Between::default();
    if first.commands != second.commands {
        found.add(Cause::Commands);
    }
    let (mut before, mut after) = (true, true);
    for step in steps(frame, first, second) {
        let touched = match step {
            Step::Transfer(transfer) if copies(transfer, &made) => {
                if !may_come_later(frame, transfer, second) {
                    return None;
                }
                found.add(Cause::Copy);
                continue;
            }
            _ => judge(step, first, &mut found)?,
        };
        let meets = |a: &[ImageId], b: &[ImageId]| a.iter().any(|image| b.contains(image));
        if meets(&touched.reads, &made) || meets(&touched.writes, &made) {
            return None;
        }
        before &= !meets(&touched.writes, &needed);
        after &= !meets(&touched.writes, &wanted) && !meets(&touched.reads, &second.writes);
    }
    found.before = before;
    (before || after).then_some(found)
}

fn steps<'a>(frame: &'a Frame, a: &Pass, b: &Pass) -> impl Iterator<Item = &'a Step> + use<'a> {
    frame.steps_between(a.step.index, b.step.index)
}

/// Adds what a step between the passes is; `None` where nothing can be known.
fn judge<'a>(step: &'a Step, first: &Pass, found: &mut Between<'a>) -> Option<Touched> {
    match step {
        Step::Pass(pass) => {
            if pass.unknown || pass.shape.opaque {
                return None;
            }
            found.add(Cause::Targets);
            found.others.push(&pass.name);
            if pass.side_effects || first.side_effects {
                found.assume("the passes hand nothing to each other through storage buffers");
            }
            return Some(touched(pass));
        }
        Step::Transfer(transfer) => {
            found.add(Cause::Upload);
            found.assume("the first pass does not use what is written between the two");
            let list = |image: Option<ImageId>| image.into_iter().collect();
            return Some(Touched { reads: list(transfer.from), writes: list(transfer.to) });
        }
        Step::Dispatch { reads, writes, .. } => {
            found.add(Cause::Dispatch);
            found.assume("no buffer carries data from the first pass through the dispatch");
            let reads = reads.iter().map(|read| read.image).collect();
            return Some(Touched { reads, writes: writes.clone() });
        }
        Step::Present { image, .. } => {
            return Some(Touched { reads: vec![*image], writes: Vec::new() });
        }
        Step::Barrier { facts, .. } => {
            let written = vk::AccessFlags2::SHADER_WRITE
                | vk::AccessFlags2::SHADER_STORAGE_WRITE
                | vk::AccessFlags2::MEMORY_WRITE;
            let mut barriers = facts.command.barriers.iter();
            // Storage that the first pass wrote is waited for.
            if first.side_effects && barriers.any(|b| b.src_access.intersects(written)) {
                return None;
            }
            found.add(Cause::Barrier);
        }
        Step::Event { .. } => found.add(Cause::Barrier),
        Step::Query { facts, .. } => found.add(match facts.command.verb {
            QueryVerb::Reset => Cause::QueryReset,
            _ => Cause::Query,
        }),
        // Something else, perhaps of another queue, is waited for.
        Step::Submit { facts, .. } if !facts.waits.is_empty() => return None,
        Step::Submit { .. } => found.add(Cause::Submit),
        Step::Host { what, .. } if matches!(**what, HostStep::Acquire(..)) => {}
        Step::Host { .. } => return None,
    }
    Some(Touched::default())
}

/// Images that a pass reads and writes, attachments among them.
fn touched(pass: &Pass) -> Touched {
    let mut touched = Touched { reads: sampled(pass), writes: pass.writes.clone() };
    for attachment in &pass.shape.attachments {
        let Some(image) = attachment.image.as_ref().map(|image| image.id) else { continue };
        if attachment.roles.is_none() {
            continue;
        }
        touched.reads.push(image);
        if attachment.stores() && !attachment.aspects.iter().all(|ops| ops.read_only) {
            touched.writes.push(image);
        }
    }
    touched
}

/// Images that the shaders of a pass read.
fn sampled(pass: &Pass) -> Vec<ImageId> {
    pass.reads.iter().map(|read| read.image).collect()
}

/// The command copies something that the first pass made.
fn copies(transfer: &TransferStep, made: &[ImageId]) -> bool {
    transfer.from.is_some_and(|from| made.contains(&from))
}

/// A copy could come after the second pass where that pass does not change its source, and
/// nothing needs its result by then.
fn may_come_later(frame: &Frame, transfer: &TransferStep, second: &Pass) -> bool {
    let Some(from) = transfer.from else { return false };
    let changes = second.shape.attachments.iter().any(|a| {
        a.image.as_ref().is_some_and(|image| image.id == from)
            && (a.roles.any(Roles::RESOLVE)
                || second
                    .facts
                    .get(a.slot as usize)
                    .is_none_or(|planes| planes.iter().any(|facts| facts.written || facts.cleared)))
    });
    if changes || matches!(transfer.transfer.as_ref().map(|t| t.to), Some(TransferEnd::Buffer(_))) {
        return false;
    }
    let Some(to) = transfer.to else { return false };
    let (start, end) = (transfer.step.index, second.step.index);
    !second.reads_image(to) && !frame.reads_between(to, start, end)
}
