#![doc = include_str!("redundant_barrier.md")]

use super::super::flow::touches;
use super::barrier_scope::{behind_memory, holds, is_opaque, is_read, only_reads};
use crate::call::{Barrier, BarrierTarget};
use crate::finding::{Confidence, Edit, Fix, Level, Tier};
use crate::model::{BarrierFacts, Frame, Step, without_digits};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "redundant-barrier",
    group: Group::ApiWork,
    level: Level::Info,
    tier: Tier::R,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("redundant_barrier.md"),
    checks: &[Check::Frame(check)],
};

/// Commands looked back over for the barrier that did the work already.
const LOOK_BACK: usize = 256;

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for (at, step) in frame.steps.iter().enumerate() {
        let Step::Barrier { facts, .. } = step else { continue };
        if facts.event || facts.command.barriers.is_empty() {
            continue;
        }
        let earlier: Vec<Option<&BarrierFacts>> =
            facts.command.barriers.iter().map(|b| covered(frame, at, facts, b, cx)).collect();
        // Only a call that does nothing at all can go.
        if let Some(Some(first)) = earlier.first()
            && earlier.iter().all(Option::is_some)
            && !frame.ran.iter().any(|ran| is_opaque(&ran.recording))
        {
            report(step, facts, first, cx);
        }
    }
}

/// The earlier barrier call that already does what a barrier asks for, where nothing since could
/// need it.
fn covered<'a>(
    frame: &'a Frame,
    at: usize,
    facts: &BarrierFacts,
    barrier: &Barrier,
    cx: &Cx<'_>,
) -> Option<&'a BarrierFacts> {
    let BarrierTarget::Image { image, range, old, new } = &barrier.target else {
        let generates = ["VK_EXT_device_generated_commands", "VK_NV_device_generated_commands"];
        let generates = generates.iter().any(|name| cx.device.info.has_extension(name));
        let (before, step) = (&frame.steps[..at], &frame.steps[at]);
        return if generates { None } else { behind_memory(before, step, facts, barrier) };
    };
    if old != new || barrier.src_queue != barrier.dst_queue {
        return None;
    }
    let id = cx.device.image_id(*image)?;
    let (image_facts, _) = cx.device.image(id)?;
    if cx.device.always_live(id).is_some() {
        return None;
    }
    let reads = is_read(barrier.src_access) && is_read(barrier.dst_access);
    for step in frame.steps[..at].iter().rev().take(LOOK_BACK) {
        let Step::Barrier { facts: before, .. } = step else {
            if touches(step, image_facts) && !(reads && only_reads(step, id)) {
                return None;
            }
            continue;
        };
        for other in before.command.barriers.iter().rev() {
            let BarrierTarget::Image { image: its, range: its_range, new: its_new, .. } =
                &other.target
            else {
                // It may be part of a chain.
                return None;
            };
            if its != image {
                continue;
            }
            let same = its_range == range && its_new == old && before.queue == facts.queue;
            let plain = !before.event && other.src_queue == other.dst_queue;
            return (same && plain && holds(other, barrier, reads)).then_some(&**before);
        }
    }
    None
}

fn report(step: &Step, facts: &BarrierFacts, first: &BarrierFacts, cx: &mut Cx<'_>) {
    let image = |facts: &BarrierFacts| match facts.command.barriers.first()?.target {
        BarrierTarget::Image { image, .. } => {
            let id = cx.device.image_id(image)?;
            cx.device.image(id).map(|(image, _)| image.clone())
        }
        _ => None,
    };
    let image = image(facts);
    let name = image.as_ref().map(|image| image.name.text.to_string());
    let text = match &name {
        Some(name) => format!("barrier {}", identifier(name)),
        None => "barrier".to_owned(),
    };
    let mut place = Place::step(step.step(), text.clone(), "", cx.device).explained(
        first.line,
        text.clone(),
        "",
        "does it already",
    );
    let api =
        if facts.command.version == 1 { "vkCmdPipelineBarrier" } else { "vkCmdPipelineBarrier2" };
    place.location.call = Some(api);
    place.location.commands = Some(facts.commands.to_string());
    place.location.labels = facts.labels.iter().map(ToString::to_string).collect();
    place.location.image.clone_from(&name);
    place.object = name.as_deref().map_or_else(|| "memory".to_owned(), without_digits);
    place.objects.extend(image.zip(name.clone()).map(|(image, name)| (image.key.into(), name)));
    let what = name.map_or_else(|| "a memory barrier".into(), |n| format!("a barrier on `{n}`"));
    let message = format!("{what} orders nothing that an earlier one does not");
    let why = "no other layout, no wider stages or accesses, and nothing between needs it: \
               the GPU waits once more for nothing";
    let fix = Fix::text("leave the barrier out").edit(Edit::remove(text, api, facts.line));
    let report = Report::new(place, Confidence::Likely, message, why, fix)
        .assume("the barrier is not there to order something else");
    cx.report(report);
}
