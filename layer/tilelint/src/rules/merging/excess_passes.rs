#![doc = include_str!("excess_passes.md")]

use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::Frame;
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "excess-passes",
    group: Group::Merging,
    level: Level::Info,
    tier: Tier::F,
    folds: &[],
    correctness: false,
    needs: Needs::NONE,
    since: "0.1",
    page: include_str!("excess_passes.md"),
    checks: &[Check::Frame(check)],
};

/// Passes that a frame may have.
pub const PASSES: RuleSetting =
    RuleSetting::new("excess-passes", "passes", 0, "passes a frame may have; 0 asks the target");

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    let (own, target) = (cx.setting(&PASSES), cx.profile.pass_budget);
    let Some(most) = (if own == 0 { target.map(u64::from) } else { Some(own) }) else { return };
    let count = frame.passes().count();
    let Some(past) = frame.passes().nth(most as usize) else { return };
    let text = format!("pass {}", identifier(&past.name));
    let mut place = Place::step(&past.step, text, "", cx.device);
    place.object = "frame".into();
    // The same frame is one place for every target, whatever its budget.
    place.quote.marks.iter_mut().for_each(|mark| mark.label = "past the budget from here".into());
    let who = if own == 0 { "guides for this target ask for" } else { "its setting allows" };
    let message = format!("the frame has {count} passes; {who} {most}");
    let why = "each pass begins with loads and ends with stores, and fills and drains the tiler";
    let fix = Fix::text(
        "merge passes on the same targets, make post passes subpasses or compute, drop passes that \
         draw nothing",
    );
    cx.report(Report::new(place, Confidence::Certain, message, why, fix));
}
