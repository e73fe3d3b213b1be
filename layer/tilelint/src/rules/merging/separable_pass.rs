#![doc = include_str!("separable_pass.md")]

use super::own_pixel::{self, Handover, Proof};
use crate::call::Via;
use crate::finding::{Confidence, Cost, Fix, Level, Tier};
use crate::model::Frame;
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "separable-pass",
    group: Group::Merging,
    level: Level::Info,
    tier: Tier::F,
    folds: &["local-read-available"],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("separable_pass.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    if !cx.profile.merges_input_reads() {
        return;
    }
    for handover in own_pixel::handovers(frame, cx) {
        report(cx, &handover);
    }
}

fn report(cx: &mut Cx<'_>, handover: &Handover<'_>) {
    let Handover { from, attachment, aspect, to, .. } = *handover;
    let name = attachment.name();
    let field = Field::store_of(aspect);
    let place = Place::attachment(from, attachment, Some(aspect), field, cx.device).explained(
        to.line,
        format!("pass {}", identifier(&to.name)),
        "",
        "read here",
    );
    let message = format!(
        "pass `{}` stores `{name}`, and pass `{}` reads each texel of it at its own pixel",
        from.name, to.name
    );
    let why = "on a tile such a read costs nothing; through memory it is a store and a read";
    let bytes = cx.aspect_bytes(from, attachment, aspect);
    let cost = Cost { load_bytes: bytes, store_bytes: bytes, memory_bytes: 0 };
    let mut report = Report::new(place, Confidence::Likely, message, why, fix(handover)).cost(cost);
    match handover.proof {
        Proof::Fetched => {
            report = report.assume("no frame that was not seen reads it");
            if handover.covers {
                report = report.proven(Level::Warn);
            }
        }
        Proof::Sampled => {
            report = report.assume("the sampler looks at the nearest texel alone");
        }
        Proof::Supposed => {
            report = report.assume(format!("`{}` looks at no neighbours of the pixel", to.name));
        }
    }
    cx.report(report);
}

/// What makes the two passes one.
fn fix(handover: &Handover<'_>) -> Fix {
    let Handover { from, attachment, to, .. } = *handover;
    let name = attachment.name();
    let text = if to.shape.via == Via::Dynamic && from.shape.via == Via::Dynamic {
        format!(
            "draw both in one rendering instance with local read: `{name}` in layout \
             RENDERING_LOCAL_READ, a BY_REGION barrier between the draws, and an input attachment \
             in the shader of `{}`",
            to.name
        )
    } else {
        format!(
            "make `{}` and `{}` two subpasses of one pass: `{name}` an input attachment of the \
             second, joined by a BY_REGION dependency to INPUT_ATTACHMENT_READ",
            from.name, to.name
        )
    };
    Fix::text(text + "; then nothing stores it")
}
