#![doc = include_str!("timestamp_in_pass.md")]

use crate::call::QueryVerb;
use crate::finding::{Beside, Confidence, Edit, Fix, Level, Mark, QuoteLine, Tier};
use crate::model::{Frame, Pass, QueryFacts};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "timestamp-in-pass",
    group: Group::Sync,
    level: Level::Info,
    tier: Tier::R,
    folds: &[],
    correctness: false,
    needs: Needs::QUERIES,
    since: "0.1",
    page: include_str!("timestamp_in_pass.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    if !cx.profile.is_tiler() {
        return;
    }
    for pass in frame.passes() {
        let written = || pass.queries.iter().filter(|q| q.command.verb == QueryVerb::Timestamp);
        if let Some(first) = written().next() {
            report(cx, pass, first, written().count());
        }
    }
}

/// The first goes before the pass, all others behind it.
fn outside(fix: Fix, pass: &Pass, cx: &Cx<'_>) -> Fix {
    let written = pass.queries.iter().filter(|q| q.command.verb == QueryVerb::Timestamp);
    let written: Vec<&QueryFacts> = written.collect();
    let mut fix = fix;
    // Each goes right behind the pass, so the last goes first.
    for (index, query) in written.iter().enumerate().rev() {
        let first = index == 0 && written.len() > 1;
        let (beside, to) = if first {
            (Beside::Before(pass.line), "before the pass")
        } else {
            (Beside::Behind(pass.line), "behind the pass")
        };
        let what = format!("timestamp {}", identifier(&cx.device.name_of(query.command.pool).text));
        let call =
            if query.command.version == 2 { "vkCmdWriteTimestamp2" } else { "vkCmdWriteTimestamp" };
        fix = fix.edit(Edit::moved(what, call, query.line, beside, to).in_pass(pass));
    }
    fix
}

fn report(cx: &mut Cx<'_>, pass: &Pass, query: &QueryFacts, count: usize) {
    let mut place = Place::pass(pass, cx.device);
    let pool = cx.device.name_of(query.command.pool);
    place.location.call = Some(match query.command.version {
        2 => "vkCmdWriteTimestamp2",
        _ => "vkCmdWriteTimestamp",
    });
    let text = format!("  timestamp {} index={}", identifier(&pool.text), query.command.index);
    place.quote.lines.push(QuoteLine { number: query.line.0, text });
    place.quote.marks.push(Mark { line: 0, key: "", label: String::new(), primary: true });
    place.objects.push((query.command.pool.into(), pool.text.to_string()));
    let times = if count == 1 { "a timestamp".to_owned() } else { format!("{count} timestamps") };
    let message = format!("pass `{}` writes {times} between its draws", pass.name);
    let why = "the draws run once for each tile: the value is no moment of the pass, and writing \
               it may flush every tile";
    let fix = Fix::text("write timestamps before and behind the pass");
    let fix = outside(fix, pass, cx);
    cx.report(Report::new(place, Confidence::Certain, message, why, fix));
}
