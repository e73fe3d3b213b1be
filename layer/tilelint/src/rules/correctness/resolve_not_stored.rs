#![doc = include_str!("resolve_not_stored.md")]

use ash::vk;

use super::super::dead;
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::{Content, Frame, ImageId, Pass, State, Step, Undefined};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "resolve-not-stored",
    group: Group::Correctness,
    level: Level::Deny,
    tier: Tier::S,
    folds: &["discard-then-load"],
    correctness: true,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("resolve_not_stored.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for (pass, target, _, ops) in used_aspects(frame) {
        let dropped = ops.store == Some(vk::AttachmentStoreOp::DONT_CARE);
        if !dropped || !dead::is_resolve_target(target) {
            continue;
        }
        let Some(image) = &target.image else { continue };
        let Some((reader, certain)) = reader(frame, pass, image.id) else { continue };
        let field = Field::store_of(ops.aspect);
        let mut place = Place::attachment(pass, target, None, field, cx.device);
        // The read elsewhere is the same cause.
        place.location.pass_key = None;
        let message =
            format!("the resolve into `{}` is dropped, yet {reader} reads it", target.name());
        let why = "the store op of a resolve target is its own: the one of the multisampled \
                   image says nothing about it";
        let edit = edit_op(pass, target, field, "DONT_CARE", "STORE");
        let text = format!("{} = STORE on the resolve target", edit.field);
        let fix = Fix::text(text).edit(edit);
        let confidence = if certain { Confidence::Certain } else { Confidence::Likely };
        let mut report = Report::new(place, confidence, message, why, fix);
        if !certain {
            report = report.assume("the shader really reads the descriptor that is bound");
        }
        cx.report(report);
    }
}

/// Who reads the target in this frame after a pass like this one dropped it.
fn reader(frame: &Frame, pass: &Pass, image: ImageId) -> Option<(String, bool)> {
    let by_us = |content: &Content| {
        content.state == State::Undefined(Undefined::Discarded)
            && content.by.as_ref().is_some_and(|by| by.name == pass.name)
    };
    for step in &frame.steps {
        match step {
            Step::Pass(later) => {
                let read = later.reads.iter().find(|read| {
                    read.image == image
                        && read.discarded_by.as_ref().is_some_and(|by| by.name == pass.name)
                });
                if let Some(read) = read {
                    return Some((format!("pass `{}`", later.name), read.certain));
                }
                let loads = pass_aspects(later).any(|(a, plane, ops)| {
                    a.image.as_ref().is_some_and(|i| i.id == image)
                        && a.loads()
                        && ops.load == Some(vk::AttachmentLoadOp::LOAD)
                        && later.aspect(a.slot, plane).is_some_and(|f| by_us(&f.before))
                });
                if loads {
                    return Some((format!("pass `{}`", later.name), true));
                }
            }
            Step::Transfer(transfer) if transfer.from == Some(image) && by_us(&transfer.source) => {
                return Some((format!("a {} command", transfer.step.name), true));
            }
            Step::Present { image: presented, content, .. }
                if *presented == image && by_us(content) =>
            {
                return Some(("the presentation engine".to_owned(), true));
            }
            _ => {}
        }
    }
    None
}
