#![doc = include_str!("split_pass.md")]

use super::between::Cause;
use super::{joined, pairs};
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::Frame;
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "split-pass",
    group: Group::Merging,
    level: Level::Warn,
    tier: Tier::F,
    folds: &["msaa-roundtrip"],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("split_pass.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for group in pairs::groups(frame, cx) {
        report(cx, frame, &group);
    }
}

fn report(cx: &mut Cx<'_>, frame: &Frame, group: &pairs::Group<'_>) {
    let (Some(place), Some(pair)) = (group.place(cx), group.pairs.first()) else { return };
    if pair.cause == Cause::Input && !cx.profile.merges_input_reads() {
        return;
    }
    let (first, second) = (&pair.first.name, &pair.second.name);
    let message = match group.pairs.len() {
        1 => format!("passes `{first}` and `{second}` on `{}` could be one", group.targets),
        more => format!(
            "`{}` leaves the tile and comes back {more} times a frame: {} passes could be one",
            group.targets,
            more + 1
        ),
    };
    let why = format!("{}: what the first stores, the next loads back", reason(pair));
    let sure = group.pairs.iter().all(|pair| pair.assumes.is_empty());
    let confidence = if sure { Confidence::Certain } else { Confidence::Likely };
    let fix = joined::edits(Fix::text(fix(pair)), cx, frame, group);
    let mut report = Report::new(place, confidence, message, why, fix).cost(group.cost());
    for assumed in group.pairs.iter().flat_map(|pair| &pair.assumes) {
        if !report.assumes.iter().any(|known| known == assumed) {
            report = report.assume(*assumed);
        }
    }
    if group.is_light() {
        report = report.at_most(Level::Info, "it is one round trip of one single-sampled target");
    } else if pair.cause == Cause::Upload && !group.is_multisampled() {
        report = report.at_most(Level::Info, "it may take work to know the upload in time");
    }
    cx.report(report);
}

fn reason(pair: &pairs::Pair<'_>) -> String {
    match pair.cause {
        Cause::Nothing => "nothing lies between them".into(),
        Cause::Input => {
            let name = pair.carried.first().map(|carried| carried.second.name());
            format!(
                "an input attachment is all that `{}` is to the second",
                name.unwrap_or_default()
            )
        }
        Cause::Secondaries => "only one of them has its draws in secondary buffers".into(),
        Cause::Barrier => "only barriers lie between them".into(),
        Cause::Commands => "only the end of a command buffer lies between them".into(),
        Cause::Submit => "only the end of a submission lies between them".into(),
        Cause::QueryReset => "only a reset of queries lies between them".into(),
        Cause::Query => "only a query command lies between them".into(),
        Cause::Copy => "only a copy whose result is used later lies between them".into(),
        Cause::Upload => "only a transfer that does not use the target lies between them".into(),
        Cause::Dispatch => "only a dispatch that does not use the target lies between them".into(),
        Cause::Targets => {
            format!("only work on other targets lies between them ({})", names(&pair.others))
        }
    }
}

fn fix(pair: &pairs::Pair<'_>) -> String {
    let (first, second) = (&pair.first.name, &pair.second.name);
    let aside = if pair.before { format!("before `{first}`") } else { format!("after `{second}`") };
    match pair.cause {
        Cause::Nothing => format!("record the draws of `{second}` in pass `{first}`"),
        Cause::Input => {
            format!("make `{first}` and `{second}` two subpasses of one pass, joined by BY_REGION")
        }
        Cause::Secondaries => "record the draws of both in secondary buffers of one pass".into(),
        Cause::Barrier => format!("put the barriers before `{first}`, and keep the pass open"),
        Cause::Commands | Cause::Submit => format!(
            "keep `{first}` open: secondary buffers, or SUSPENDING and RESUMING over command \
             buffers of one submission"
        ),
        Cause::QueryReset => format!("reset the queries before `{first}`, or on the host"),
        Cause::Query => format!("move the query command before `{first}`, or into it"),
        Cause::Copy => format!("copy after `{second}`"),
        Cause::Upload => format!("record the transfer {aside}"),
        Cause::Dispatch => format!("dispatch {aside}"),
        Cause::Targets => format!("draw {} {aside}", names(&pair.others)),
    }
}

/// The first names of a list, quoted.
pub fn names(all: &[&str]) -> String {
    let shown: Vec<String> = all.iter().take(3).map(|name| format!("`{name}`")).collect();
    let rest = all.len() - shown.len();
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    shown.join(", ") + &more
}
