#![doc = include_str!("query_wait.md")]

use ash::vk;

use super::places;
use crate::call::{HostAccess, HostVerb, QueryCommand, QueryPoolKey, QueryVerb};
use crate::finding::{Confidence, Edit, EditObject, Fix, Level, Tier};
use crate::model::{Frame, HostStep, QueryFacts, Step, StepRef};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "query-wait",
    group: Group::Sync,
    level: Level::Warn,
    tier: Tier::R,
    folds: &[],
    correctness: false,
    needs: Needs::QUERIES.and(Needs::WAITS),
    since: "0.1",
    page: include_str!("query_wait.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for (position, step) in frame.steps.iter().enumerate() {
        let Step::Host { step, what } = step else { continue };
        let HostStep::Access(access) = &**what else { continue };
        if access.verb != HostVerb::QueryRead || !access.wait {
            continue;
        }
        let blocks = places::blocked(access.took_ns);
        if blocks != Some(false) && is_pending(frame, position, access) {
            report_wait(cx, step, access, blocks.is_some());
        }
    }
    too_many(frame, cx);
}

/// One of the queries ended in this frame, and the host waited for nothing since that could be the
/// work they are about.
fn is_pending(frame: &Frame, position: usize, access: &HostAccess) -> bool {
    let steps = &frame.steps[..position];
    let ended = steps.iter().rposition(|step| match step {
        Step::Pass(pass) => pass.queries.iter().any(|query| ends(&query.command, access)),
        Step::Query { facts, .. } => ends(&facts.command, access),
        _ => false,
    });
    let Some(ended) = ended else { return false };
    let queue = steps[..ended].iter().rev().find_map(|step| match step {
        Step::Submit { facts, .. } => Some(facts.queue),
        _ => None,
    });
    let waited = |step: &Step| match step {
        Step::Host { step, what } => match &**what {
            HostStep::WaitIdle(idle) => idle.queue.is_none() || idle.queue == queue,
            HostStep::Wait(_) => places::may_await(frame, step, queue),
            _ => false,
        },
        _ => false,
    };
    !steps[ended..].iter().any(waited)
}

fn ends(query: &QueryCommand, access: &HostAccess) -> bool {
    let verb = matches!(query.verb, QueryVerb::End | QueryVerb::Timestamp);
    let end = access.index.saturating_add(access.count);
    verb && access.object == query.pool.into() && (access.index..end).contains(&query.index)
}

fn report_wait(cx: &mut Cx<'_>, step: &StepRef, access: &HostAccess, measured: bool) {
    let name = cx.device.name_of(QueryPoolKey(access.object.key));
    let text = format!(
        "query-read {} index={} count={} wait=on",
        identifier(&name.text),
        access.index,
        access.count
    );
    let object = places::identity(&name, "query-pool");
    let place = places::host(step, text, "wait", "vkGetQueryPoolResults", object, cx.device);
    let mut place = places::with_object(place, access.object, cx.device);
    place.location.field = Some("flags");
    let message = format!("the host waits for queries of `{}` from this same frame", name.text);
    let why = "the results exist once all tiles are done: the host stands still until then, and \
               the GPU afterwards";
    let fix = Fix::text("read them 2 or 3 frames later, without WAIT").edit(
        Edit::set(EditObject::Queue, name.text.to_string(), "flags", "WAIT", "0")
            .said_by("wait", step.line),
    );
    let mut report = Report::new(place, Confidence::Certain, message, why, fix);
    if measured {
        report = report.tier(Tier::D).why("it was measured to block");
    }
    cx.report(report);
}

fn too_many(frame: &Frame, cx: &mut Cx<'_>) {
    let Some(budget) = cx.profile.occlusion_query_budget else { return };
    let begins = |query: &&QueryFacts| {
        query.command.verb == QueryVerb::Begin && query.kind == vk::QueryType::OCCLUSION
    };
    let mut queries: Vec<(&StepRef, &QueryFacts)> = Vec::new();
    for step in &frame.steps {
        match step {
            Step::Pass(pass) => {
                queries
                    .extend(pass.queries.iter().filter(begins).map(|query| (&*pass.step, query)));
            }
            Step::Query { step, facts } => {
                queries.extend(Some(&**facts).filter(begins).map(|query| (&**step, query)));
            }
            _ => {}
        }
    }
    let count = queries.len();
    let Some((step, query)) = queries.get(budget as usize).copied() else { return };
    let name = cx.device.name_of(query.command.pool);
    let text = format!("query-begin {} index={}", identifier(&name.text), query.command.index);
    let object = places::identity(&name, "query-pool");
    let place = places::host(step, text, "", "vkCmdBeginQuery", object, cx.device);
    let mut place = places::with_object(place, query.command.pool, cx.device);
    if let Some(line) = place.quote.lines.first_mut() {
        line.number = query.line.0;
    }
    let message = format!("{count} occlusion queries are active in one frame");
    let why = format!("the target's guide advises no more than {budget} in flight at once");
    let fix = Fix::text("query groups of objects, or cull on the host from older results");
    cx.report(
        Report::new(place, Confidence::Likely, message, why, fix)
            .assume("none of them is read and used again within the frame"),
    );
}
