#![doc = include_str!("redundant_present.md")]

use super::chains::{self, Shown};
use crate::call::FrameBoundary;
use crate::finding::{Confidence, Edit, Fix, Level, Tier};
use crate::model::{Frame, Step};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "redundant-present",
    group: Group::Presentation,
    level: Level::Warn,
    tier: Tier::S,
    folds: &["present-overdrive"],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("redundant_present.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for chain in chains::presented(frame, cx.device) {
        let shown: Vec<Shown<'_>> =
            chains::presents(frame).filter(|shown| shown.chain == chain.key).collect();
        let Some(last) = shown.last() else { continue };
        let name = cx.device.name_of(chain.key).text;
        let mut place = chains::present_place(last.step, chain, cx.device);
        // Other work in the frame shows that its loop draws: then this present came by mistake.
        let idle = || !frame.steps.iter().any(|step| matches!(step, Step::Pass(_)));
        let (message, why, confidence) = if shown.len() > 1 && marked(frame.by) {
            let first = shown[0].step;
            let text = format!("present {}", identifier(&name));
            place = place.explained(first.line, text, "", "presented before in the frame");
            let drawn = shown.iter().skip(1).all(|s| !chains::is_unchanged(s, chain));
            let message = format!("`{name}` is presented {} times in one frame", shown.len());
            let why = "the display shows one picture a refresh: the others are drawn, composed \
                       and dropped, or hold the next frame up";
            (message, why, if drawn { Confidence::Likely } else { Confidence::Certain })
        } else if chains::is_unchanged(last, chain) && !idle() {
            let message =
                format!("`{name}` is presented, but the frame draws to other images only");
            let why = "it shows a picture that an earlier frame drew, at the cost of a composition";
            (message, why, Confidence::Certain)
        } else if chains::is_unchanged(last, chain) {
            let message = format!("`{name}` is presented twice with no drawing between");
            let why = "the second present shows an older picture, at the cost of a composition and \
                       a place in the display's queue";
            (message, why, Confidence::Certain)
        } else {
            continue;
        };
        let text = format!("present {}", identifier(&name));
        let fix = Fix::text("one present for each frame that draws to the swapchain")
            .edit(Edit::remove(text, "vkQueuePresentKHR", last.step.line));
        let mut report = Report::new(place, confidence, message, why, fix);
        if confidence == Confidence::Likely {
            report = report.assume("the frame's marker is what the display is paced by");
        }
        cx.report(report);
    }
}

/// The frame's end does not come from a present.
fn marked(by: FrameBoundary) -> bool {
    matches!(by, FrameBoundary::Marker | FrameBoundary::Label | FrameBoundary::Boundary)
}
