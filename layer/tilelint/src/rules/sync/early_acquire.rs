#![doc = include_str!("early_acquire.md")]

use super::super::flow::next_touch;
use super::places;
use crate::call::Acquire;
use crate::finding::{Beside, Confidence, Edit, Fix, Level, Tier};
use crate::model::{Frame, HostStep, Image, Pass, Step, StepRef};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "early-acquire",
    group: Group::Sync,
    level: Level::Info,
    tier: Tier::S,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("early_acquire.md"),
    checks: &[Check::Frame(check)],
};

/// Share of a frame's pixels that may be drawn between acquire and use, in percent.
pub const PERCENT: RuleSetting = RuleSetting {
    rule: "early-acquire",
    name: "percent",
    default: 30,
    least: 0,
    most: 100,
    about: "share of a frame's pixels that may be drawn between acquire and use, in percent",
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    let drawn = |pass: &Pass| pass.shape.texels() * u64::from(pass.shape.rendered_layers());
    for step in &frame.steps {
        let Step::Host { step, what } = step else { continue };
        let HostStep::Acquire(acquire, image) = &**what else { continue };
        let Some((image, _)) = cx.device.image(*image) else { continue };
        let image = (**image).clone();
        let first = next_touch(frame, &image, step);
        let Some(first) = first.filter(|step| !matches!(step, Step::Present { .. })) else {
            continue;
        };
        // The rest of the batch is handed over in one call.
        let batch = places::submits(frame).filter(|(s, _)| s.index < first.index()).last();
        let Some((submit, facts)) = batch.filter(|(submit, _)| submit.index > step.index) else {
            continue;
        };
        // What other queues do for themselves takes no time of these.
        let queues = places::tied(frame, facts.queue);
        let passes = || frame.passes().filter(|pass| queues.contains(&pass.queue));
        let all: u64 = passes().map(drawn).sum();
        let between = passes().filter(|p| (step.index..submit.index).contains(&p.step.index));
        let early: u64 = between.map(drawn).sum();
        if early * 100 > all * cx.setting(&PERCENT) {
            report(cx, step, acquire, &image, submit, early * 100 / all.max(1));
        }
    }
}

fn report(
    cx: &mut Cx<'_>,
    step: &StepRef,
    acquire: &Acquire,
    image: &Image,
    submit: &StepRef,
    percent: u64,
) {
    let name = cx.device.name_of(acquire.swapchain);
    let text = format!("acquire {} image={}", identifier(&name.text), acquire.image);
    let object = places::identity(&name, "swapchain");
    let place = places::host(step, text, "", "vkAcquireNextImageKHR", object, cx.device);
    let mut place = places::with_object(place, acquire.swapchain, cx.device);
    place.objects.push((image.key.into(), image.name.text.to_string()));
    let place = place.explained(submit.line, "submit".to_owned(), "", "the first use is in here");
    let message =
        format!("an image of `{}` is acquired long before the frame's first use of it", name.text);
    let why = format!(
        "{percent} % of the pixels that the frame draws are submitted between: meanwhile the \
         display is an image short, and the host may wait for one that it does not need yet"
    );
    let what = format!("acquire {}", identifier(&name.text));
    let beside = Beside::Before(submit.line);
    let call = "vkAcquireNextImageKHR";
    let fix = Fix::text("acquire right before the commands of the final pass are submitted")
        .edit(Edit::moved(what, call, step.line, beside, "before the submit of its first use"));
    cx.report(
        Report::new(place, Confidence::Likely, message, why, fix)
            .assume("pixels drawn stand for the time that drawing takes"),
    );
}
