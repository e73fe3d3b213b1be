#![doc = include_str!("driver_merge_feedback.md")]

use super::{dependency, subpass_merge_blocked};
use crate::call::MergeFeedback;
use crate::finding::{Confidence, Cost, Fix, Level, Mark, QuoteLine, Tier};
use crate::model::Pass;
use crate::rule::*;
use crate::tiler::MergeStatus;

/// The rule.
pub static RULE: Rule = Rule {
    name: "driver-merge-feedback",
    group: Group::Merging,
    level: Level::Warn,
    tier: Tier::D,
    folds: &[
        "subpass-merge-blocked",
        "mid-pass-resolve",
        "subpass-dep-wide-stage",
        "subpass-dep-not-by-region",
        "subpass-dep-shader-read",
    ],
    correctness: false,
    needs: Needs::NONE,
    since: "0.1",
    page: include_str!("driver_merge_feedback.md"),
    checks: &[Check::Pass(check)],
};

/// A subpass that the driver keeps apart from those before it, and what that costs.
struct Apart<'a> {
    index: u32,
    answer: &'a MergeFeedback,
    status: MergeStatus,
    cost: Cost,
}

fn check(pass: &Pass, cx: &mut Cx<'_>) {
    if pass.shape.opaque || !cx.driver_speaks() {
        return;
    }
    let apart: Vec<Apart<'_>> = (1..pass.shape.subpasses.len() as u32)
        .filter_map(|index| apart(cx, pass, index))
        // Where nothing crosses, merging would save nothing.
        .filter(|apart| apart.cost.traffic_bytes() != 0)
        .collect();
    if !apart.is_empty() {
        cx.report(report(cx, pass, &apart));
    }
}

fn apart<'a>(cx: &Cx<'_>, pass: &'a Pass, index: u32) -> Option<Apart<'a>> {
    let answer = pass.shape.subpasses.get(index as usize)?.merge.as_ref()?;
    let status = MergeStatus::from_vk(answer.status);
    let is_apart = !matches!(status, MergeStatus::Merged | MergeStatus::SingleSubpass);
    is_apart.then(|| Apart {
        index,
        answer,
        status,
        cost: dependency::crossing_into(cx, pass, index),
    })
}

fn report(cx: &Cx<'_>, pass: &Pass, apart: &[Apart<'_>]) -> Report {
    let mut place = Place::pass(pass, cx.device);
    place.location.field = Some("pSubpasses");
    place.location.call = Some("vkCreateRenderPass2");
    for (line, apart) in apart.iter().enumerate() {
        let subpass = &pass.shape.subpasses[apart.index as usize];
        let label = if subpass.label.is_empty() {
            apart.index.to_string()
        } else {
            subpass.label.to_string()
        };
        let text = format!("  subpass {label} merge={:?}", apart.answer.status);
        place.quote.lines.push(QuoteLine { number: subpass.line.0, text });
        let primary = line == 0;
        place.quote.marks.push(Mark { line, key: "merge", label: String::new(), primary });
    }
    let named = |apart: &Apart<'_>| format!("subpass {} ({:?})", apart.index, apart.answer.status);
    let named: Vec<String> = apart.iter().map(named).collect();
    let message = format!("the driver does not merge {}", named.join(", "));
    let cost = apart.iter().fold(Cost::default(), |cost, apart| cost.plus(apart.cost));
    let words = apart.iter().filter(|apart| !apart.answer.text.is_empty()).map(|apart| {
        format!("its words on subpass {}: \"{}\"", apart.index, apart.answer.text.trim())
    });
    let count = pass.shape.subpasses.len();
    let shared = match pass.shape.merged {
        Some(left) => format!("it makes {left} passes of {count} subpasses, and what they share"),
        None => "what the subpasses share".to_owned(),
    };
    let shared = format!("{shared} leaves the tile and comes back");
    let mut report =
        Report::new(place, Confidence::Certain, message, shared, Fix::text(fix(apart))).cost(cost);
    report.why.extend(words);
    if apart.iter().all(|apart| apart.status == MergeStatus::Disallowed) {
        report = report.at_most(Level::Info, "the program itself disallows it");
    }
    report
}

/// What mends each reason, each once.
fn fix(apart: &[Apart<'_>]) -> String {
    let mut fixes: Vec<String> = Vec::new();
    for apart in apart {
        let next = apart.index;
        let fix = match apart.status {
            MergeStatus::Dependencies => format!(
                "dependencyFlags = BY_REGION, framebuffer stages alone and \
                 INPUT_ATTACHMENT_READ in the dependency into subpass {next}"
            ),
            MergeStatus::Disallowed => format!(
                "let it merge subpass {next}: disallowMerging = VK_FALSE in \
                 VkRenderPassCreationControlEXT"
            ),
            MergeStatus::Unspecified => {
                format!("change what the driver names, or end the pass before subpass {next}")
            }
            status => subpass_merge_blocked::fix(status, next as usize),
        };
        if !fixes.contains(&fix) {
            fixes.push(fix);
        }
    }
    fixes.join("; ")
}
