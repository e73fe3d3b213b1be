#![doc = include_str!("portability_subpass.md")]

use crate::finding::Mark;
use crate::finding::{Confidence, Cost, Fix, Level, QuoteLine, Tier};
use crate::model::Pass;
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "portability-subpass",
    group: Group::Merging,
    level: Level::Info,
    tier: Tier::C,
    folds: &[],
    correctness: false,
    needs: Needs::NONE,
    since: "0.1",
    page: include_str!("portability_subpass.md"),
    checks: &[Check::Pass(check)],
};

fn check(pass: &Pass, cx: &mut Cx<'_>) {
    if pass.shape.opaque || !cx.profile.runs_subpasses_apart() {
        return;
    }
    let count = pass.shape.subpasses.len();
    let on_itself = pass.shape.dependencies.iter().find(|d| d.src == d.dst);
    let mut place = Place::pass(pass, cx.device);
    place.location.call = Some("vkCreateRenderPass2");
    let (line, text, message) = match (pass.shape.subpasses.get(1), on_itself) {
        (Some(subpass), _) => (
            subpass.line,
            "subpass 1".to_owned(),
            format!("the pass has {count} subpasses, and this target runs them apart"),
        ),
        (None, Some(dependency)) => (
            dependency.line,
            format!("dependency {}->{}", dependency.src, dependency.dst),
            "the pass waits for its own output, and restarts for it on this target".to_owned(),
        ),
        (None, None) => return,
    };
    place.quote.lines.push(QuoteLine { number: line.0, text });
    place.quote.marks.push(Mark { line: 0, key: "", label: String::new(), primary: true });
    let why = "its API has neither subpasses nor barriers inside a pass: the pass ends there, and \
               what crosses is stored and loaded again";
    let fix = Fix::text(
        "draw it as one pass whose shaders read the framebuffer, or accept the traffic on this \
         target",
    );
    let mut cost = Cost::default();
    for next in 1..count {
        cost = cost.plus(super::dependency::crossing_into(cx, pass, next as u32));
    }
    let mut report = Report::new(place, Confidence::Certain, message, why, fix).cost(cost);
    let lazy = pass.shape.attachments.iter().find(|a| {
        a.image.as_ref().is_some_and(|image| image.is_lazy())
            && super::dependency::crosses_any(pass, a)
    });
    if let Some(attachment) = lazy {
        report = report.why(format!(
            "`{}` has no memory of its own here, so it needs some to cross",
            attachment.name()
        ));
    }
    cx.report(report);
}
