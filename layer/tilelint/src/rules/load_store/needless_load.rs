#![doc = include_str!("needless_load.md")]

use ash::vk;

use super::super::mend::then_dead;
use crate::finding::{Confidence, Cost, Fix, Level, Tier};
use crate::model::{AspectOps, Attachment, FirstUse, Frame, Pass, State, Undefined};
use crate::rule::*;

use super::coverage::{overdrawn, overwritten_first};

/// The rule.
pub static RULE: Rule = Rule {
    name: "needless-load",
    group: Group::LoadStore,
    level: Level::Warn,
    tier: Tier::F,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("needless_load.md"),
    checks: &[Check::Frame(check)],
};

/// Why a load is needless.
enum Cause {
    /// Nothing was ever written.
    Undefined,
    /// A pass without draws clears it all.
    Cleared,
    /// The first draw covers it all.
    Overdrawn {
        /// The vertex shader is known to cover the target.
        proven: bool,
    },
}

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for (pass, attachment, plane, ops) in used_aspects(frame) {
        if ops.load != Some(vk::AttachmentLoadOp::LOAD) || !attachment.loads() || pass.unknown {
            continue;
        }
        let Some(cause) = cause(pass, attachment, plane, ops) else { continue };
        let field = Field::load_of(ops.aspect);
        let place = Place::attachment(pass, attachment, Some(ops.aspect), field, cx.device);
        let message = format!(
            "{} of `{}` is loaded although the old content never counts",
            aspect_text(ops.aspect),
            attachment.name()
        );
        let (why, to, then) = match cause {
            Cause::Undefined => (
                "nothing was written to it before",
                "CLEAR",
                ", or DONT_CARE where every pixel is drawn",
            ),
            Cause::Cleared => ("the pass clears all of it and draws nothing", "CLEAR", ""),
            Cause::Overdrawn { .. } => (
                "the first draw covers the whole target and blends nothing",
                "DONT_CARE",
                ", as every pixel is drawn",
            ),
        };
        let edit = edit_op(pass, attachment, field, "LOAD", to);
        let op = op_name(pass, ops.aspect, field);
        let fix = Fix::text(format!("{op} = {to}{then}")).edit(edit);
        let fix = match &attachment.image {
            Some(image) => then_dead(fix, cx, frame, (&[pass], image), &[ops.aspect]),
            None => fix,
        };
        let bytes = cx.aspect_bytes(pass, attachment, ops.aspect);
        let sure = !matches!(cause, Cause::Overdrawn { proven: false });
        let confidence = if sure { Confidence::Certain } else { Confidence::Likely };
        let mut report = Report::new(place, confidence, message, why, fix).cost(Cost::load(bytes));
        if !sure {
            report = report
                .at_most(Level::Info, "")
                .assume("the vertex shader of the first draw covers the whole target");
        }
        cx.report(report);
    }
}

fn cause(pass: &Pass, attachment: &Attachment, plane: usize, ops: &AspectOps) -> Option<Cause> {
    let facts = pass.aspect(attachment.slot, plane)?;
    match facts.before.state {
        State::Undefined(Undefined::Never | Undefined::Aliased) => return Some(Cause::Undefined),
        // The barrier or the pass object is at fault: `load-of-undefined`.
        State::Undefined(Undefined::Transition) if !overwritten_first(pass, attachment, plane) => {
            return None;
        }
        // `discard-then-load`, unless it is certain that nobody sees what was loaded.
        State::Undefined(Undefined::Discarded) => {
            return match overdrawn(pass, attachment, plane, ops) {
                Some(true) => Some(Cause::Overdrawn { proven: true }),
                _ => None,
            };
        }
        _ => {}
    }
    if let Some(FirstUse::Clear(index)) = facts.first
        && pass.draws.is_empty()
    {
        let clear = pass.clears.get(index as usize)?;
        return (clear.covers_area && !clear.conditional).then_some(Cause::Cleared);
    }
    overdrawn(pass, attachment, plane, ops).map(|proven| Cause::Overdrawn { proven })
}
