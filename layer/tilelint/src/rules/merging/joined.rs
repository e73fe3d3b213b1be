//! The edits that make one pass of two visits to the same targets.

use ash::vk;

use super::super::mend::{Taken, then_transient};
use super::between::Cause;
use super::pairs::{Group, Pair};
use crate::finding::{Beside, Edit, Fix};
use crate::model::{Frame, Pass, Roles, Step, StepRef};
use crate::rule::{Cx, begin_call};

/// Completes a fix by the edits of a group, where calls can simply be recorded elsewhere.
pub fn edits(fix: Fix, cx: &Cx<'_>, frame: &Frame, group: &Group<'_>) -> Fix {
    if group.pairs.iter().any(|pair| apart(frame, pair)) {
        return fix;
    }
    let mut fix = fix;
    let mut into: Option<(u32, &Pass)> = None;
    for pair in &group.pairs {
        // The third of three is joined to what the first two became.
        let root = match into {
            Some((last, root)) if last == pair.first.step.index => root,
            _ => pair.first,
        };
        into = Some((pair.second.step.index, root));
        // What can only come after the two is behind the first already.
        if pair.before && pair.cause != Cause::Copy {
            fix.edits.extend(before(frame, root, pair));
        }
        fix = fix.edit(Edit::join(pair.second, root));
    }
    let steps: Vec<&StepRef> = group.pairs.iter().map(|pair| &*pair.second.step).collect();
    let mut seen = Vec::new();
    for carried in group.pairs.iter().flat_map(|pair| &pair.carried) {
        let Some(image) = carried.first.image.as_ref().filter(|image| !seen.contains(&image.id))
        else {
            continue;
        };
        seen.push(image.id);
        let taken = Taken { steps: &steps, ..Taken::default() };
        fix = then_transient(fix, cx, frame, image, &taken);
    }
    fix
}

/// It takes more to join them than to record calls elsewhere.
fn apart(frame: &Frame, pair: &Pair<'_>) -> bool {
    let plain = |pass: &Pass| {
        let inputs = pass.shape.attachments.iter().any(|a| a.roles.any(Roles::INPUT));
        pass.shape.subpasses.len() == 1 && !inputs
    };
    // What the first stores is read between, so the two have to store it.
    let needed = pair.carried.iter().any(|carried| {
        let kept = carried.second.ops(carried.aspect).and_then(|ops| ops.store);
        let (from, to) = (pair.first.step.index, pair.second.step.index);
        let image = carried.first.image.as_ref();
        kept != Some(vk::AttachmentStoreOp::STORE)
            && image.is_some_and(|image| frame.reads_between(image.id, from, to))
    });
    matches!(pair.cause, Cause::Commands | Cause::Submit | Cause::Secondaries | Cause::Input)
        || pair.first.commands != pair.second.commands
        || !plain(pair.first)
        || !plain(pair.second)
        || needed
}

/// What lies between the two goes before the first.
fn before(frame: &Frame, root: &Pass, pair: &Pair<'_>) -> Vec<Edit> {
    let between = frame.steps_between(pair.first.step.index, pair.second.step.index);
    let moved = between.map(|step| {
        let (what, call) = match step {
            Step::Pass(pass) => (format!("pass {}", pass.name), begin_call(pass)),
            Step::Barrier { .. } => ("barrier".to_owned(), "vkCmdPipelineBarrier2"),
            Step::Dispatch { .. } => ("dispatch".to_owned(), "vkCmdDispatch"),
            Step::Query { .. } => ("query command".to_owned(), "vkCmdResetQueryPool"),
            step => (step.step().name.to_string(), "vkCmdCopy*"),
        };
        let to = format!("before pass {}", root.name);
        Edit::moved(what, call, step.step().line, Beside::Before(root.line), to)
    });
    moved.collect()
}
