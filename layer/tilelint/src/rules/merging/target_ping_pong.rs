#![doc = include_str!("target_ping_pong.md")]

use super::between::Cause;
use super::split_pass::names;
use super::{joined, pairs};
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::Frame;
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "target-ping-pong",
    group: Group::Merging,
    level: Level::Warn,
    tier: Tier::F,
    folds: &["split-pass"],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("target_ping_pong.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for group in pairs::groups(frame, cx) {
        let (Some(place), Some(pair)) = (group.place(cx), group.pairs.first()) else { continue };
        if pair.cause != Cause::Targets {
            continue;
        }
        let extra = group.pairs.len();
        let message = format!(
            "`{}` is left for other targets and taken up again{}",
            group.targets,
            if extra == 1 { String::new() } else { format!(" {extra} times a frame") }
        );
        let why = format!(
            "{} neither reads what pass `{}` drew nor stands in the way of drawing `{}` at once",
            names(&pair.others),
            pair.first.name,
            pair.second.name
        );
        let sure = group.pairs.iter().all(|pair| pair.assumes.is_empty());
        let confidence = if sure { Confidence::Certain } else { Confidence::Likely };
        let (others, first, second) = (names(&pair.others), &pair.first.name, &pair.second.name);
        let order = if pair.before {
            format!("{others}, `{first}`, `{second}`")
        } else {
            format!("`{first}`, `{second}`, {others}")
        };
        let text = format!("the order {order} needs one visit to `{}`", group.targets);
        let fix = Fix::text(text);
        let fix = joined::edits(fix, cx, frame, &group);
        let mut report = Report::new(place, confidence, message, why, fix).cost(group.cost());
        for assumed in &pair.assumes {
            report = report.assume(*assumed);
        }
        if group.is_light() {
            report = report.at_most(Level::Info, "");
        }
        cx.report(report);
    }
}
