#![doc = include_str!("in_pass_barrier.md")]

use ash::vk;

use super::off_tile::{Reason, drawing, layers, wide_barrier};
use crate::finding::{Confidence, Cost, Fix, Level, Mark, QuoteLine, Tier};
use crate::model::Pass;
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "in-pass-barrier",
    group: Group::Merging,
    level: Level::Warn,
    tier: Tier::R,
    folds: &[],
    correctness: false,
    needs: Needs::BARRIERS.and(Needs::DRAWS).and(Needs::PIPELINES),
    since: "0.1",
    page: include_str!("in_pass_barrier.md"),
    checks: &[Check::Pass(check)],
};

/// Barriers in a pass that are fine.
pub const BARRIERS: RuleSetting = RuleSetting {
    rule: "in-pass-barrier",
    name: "barriers",
    default: 16,
    least: 0,
    most: u64::MAX,
    about: "barriers in a pass that are fine",
};

fn check(pass: &Pass, cx: &mut Cx<'_>) {
    if pass.shape.opaque {
        return;
    }
    let mut reasons = Vec::new();
    if cx.profile.one_command_costs_whole_pass() {
        reasons.extend(wide_barrier(pass, cx));
        reasons.extend(drawing(pass));
        // Layers alone are a choice; beside another reason they are named.
        if !reasons.is_empty() {
            reasons.extend(layers(pass));
        }
    }
    if let Some(reason) = reasons.first() {
        let confidence = if reason.certain { Confidence::Certain } else { Confidence::Likely };
        let mut report = Report::new(
            place(pass, reason, cx),
            confidence,
            reason.message.clone(),
            reason.why,
            reason.fix.clone(),
        );
        report = report.cost(Cost::store(untiled(pass, cx)));
        for other in reasons.iter().skip(1) {
            report = report.why(other.message.clone()).or_fix(other.fix.clone());
        }
        if !reason.certain {
            report = report
                .at_most(Level::Info, "")
                .assume("the target's driver decides as the open driver does");
        }
        cx.report(report);
    } else if pass.barriers.len() as u64 > cx.setting(&BARRIERS) {
        many(pass, cx);
    }
}

/// Bytes that the tile would have kept: of what is drawn and not stored.
fn untiled(pass: &Pass, cx: &Cx<'_>) -> u64 {
    let kept = pass_aspects(pass).filter(|(attachment, _, ops)| {
        attachment.loads() && ops.store != Some(vk::AttachmentStoreOp::STORE)
    });
    kept.map(|(attachment, _, ops)| cx.aspect_bytes(pass, attachment, ops.aspect)).sum()
}

fn place(pass: &Pass, reason: &Reason, cx: &Cx<'_>) -> Place {
    let mut place = Place::pass(pass, cx.device);
    place.object = "pass".into();
    place.quote.lines.push(QuoteLine { number: reason.line.0, text: reason.text.to_owned() });
    place.quote.marks.push(Mark { line: 0, key: "", label: String::new(), primary: true });
    place
}

fn many(pass: &Pass, cx: &mut Cx<'_>) {
    let Some(last) = pass.barriers.get(cx.setting(&BARRIERS) as usize) else { return };
    let reason = Reason {
        line: last.line,
        text: "  barrier",
        message: format!("{} barriers inside one pass", pass.barriers.len()),
        why: "each of them drains the fragment work of the tile before the next draw",
        fix: Fix::text(
            "draw what does not overlap between two barriers, or use rasterization order access",
        ),
        certain: false,
    };
    let place = place(pass, &reason, cx);
    cx.report(
        Report::new(place, Confidence::Likely, reason.message, reason.why, reason.fix)
            .at_most(Level::Info, "")
            .assume("the barriers stand between draws that could go without"),
    );
}
