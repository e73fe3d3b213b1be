#![doc = include_str!("suboptimal_ignored.md")]

use super::chains;
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::Frame;
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "suboptimal-ignored",
    group: Group::Presentation,
    level: Level::Info,
    tier: Tier::D,
    folds: &[],
    correctness: false,
    needs: Needs::NONE,
    since: "0.1",
    page: include_str!("suboptimal_ignored.md"),
    checks: &[Check::Frame(check)],
};

/// Presents in a row that may say so while a program gets round to it.
pub const PRESENTS: RuleSetting = RuleSetting {
    rule: "suboptimal-ignored",
    name: "presents",
    default: 3,
    least: 0,
    most: u64::MAX,
    about: "presents in a row that may say so while a program gets round to it",
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for chain in chains::presented(frame, cx.device) {
        if u64::from(chain.suboptimal) <= cx.setting(&PRESENTS) {
            continue;
        }
        let shown = chains::presents(frame).filter(|shown| shown.chain == chain.key).last();
        let Some(shown) = shown else { continue };
        let name = cx.device.name_of(chain.key).text;
        let place = chains::present_place(shown.step, chain, cx.device);
        let message = format!("presents of `{name}` return SUBOPTIMAL and nothing is done");
        let why = "the swapchain no longer matches the surface: every frame is scaled or turned \
                   on its way to the display";
        let fix = Fix::text(
            "make the swapchain again with the surface's current extent and transform \
             (`oldSwapchain` keeps the picture up)",
        );
        let report = Report::new(place, Confidence::Certain, message, why, fix);
        cx.report(report.seen_over(chain.suboptimal));
    }
}
