#![doc = include_str!("early_acquire_wait_stage.md")]

use ash::vk;
use vk::PipelineStageFlags2 as S;

use super::super::flow::next_pass;
use super::places;
use crate::call::SemaphoreWait;
use crate::finding::{Confidence, Edit, EditObject, Fix, Level, Tier};
use crate::model::{Frame, HostStep, Image, ImageId, Pass, Roles, Step, StepRef, SubmitFacts};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "early-acquire-wait-stage",
    group: Group::Sync,
    level: Level::Warn,
    tier: Tier::S,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("early_acquire_wait_stage.md"),
    checks: &[Check::Frame(check)],
};

/// Stages of a draw that come before anything touches its attachments.
fn early_stages() -> S {
    S::TOP_OF_PIPE
        | S::ALL_COMMANDS
        | S::ALL_GRAPHICS
        | S::DRAW_INDIRECT
        | S::VERTEX_INPUT
        | S::INDEX_INPUT
        | S::VERTEX_ATTRIBUTE_INPUT
        | S::VERTEX_SHADER
        | S::PRE_RASTERIZATION_SHADERS
}

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for (step, facts) in places::submits(frame) {
        for wait in facts.waits.iter().filter(|wait| wait.stages.intersects(early_stages())) {
            let acquired = acquired(frame, step, wait).and_then(|id| cx.device.image(id));
            let Some((image, _)) = acquired else { continue };
            let image = (**image).clone();
            let first = next_pass(frame, &image, step).filter(|pass| draws_to(pass, &image));
            if let Some(pass) = first {
                report(cx, step, facts, wait, &image, pass);
            }
        }
    }
}

/// The image whose acquire signals what is waited for.
fn acquired(frame: &Frame, submit: &StepRef, wait: &SemaphoreWait) -> Option<ImageId> {
    let before = frame.steps.iter().take_while(|step| step.index() < submit.index);
    let images = before.filter_map(|step| match step {
        Step::Host { what, .. } => match &**what {
            HostStep::Acquire(acquire, image) if acquire.signal == Some(wait.semaphore) => {
                Some(*image)
            }
            _ => None,
        },
        _ => None,
    });
    images.last()
}

/// The image is an output of the pass and nothing else in it.
fn draws_to(pass: &Pass, image: &Image) -> bool {
    let named = |a: &&crate::model::Attachment| a.image.as_ref().is_some_and(|i| i.id == image.id);
    !pass.unknown
        && !pass.reads_image(image.id)
        && pass.shape.attachments.iter().filter(named).all(|attachment| {
            attachment.roles.only(Roles::COLOR.or(Roles::RESOLVE).or(Roles::PRESERVE))
        })
}

fn report(
    cx: &mut Cx<'_>,
    step: &StepRef,
    facts: &SubmitFacts,
    wait: &SemaphoreWait,
    image: &Image,
    pass: &Pass,
) {
    let semaphore = cx.device.name_of(wait.semaphore);
    let field = if facts.version == 2 { "stageMask" } else { "pWaitDstStageMask" };
    let mut place = places::submit(step, facts, "wait", cx.device);
    place.location.field = Some(field);
    place = places::with_object(place, wait.semaphore, cx.device);
    place.objects.push((image.key.into(), image.name.text.to_string()));
    let now = flag_words(&wait.stages);
    let message = format!(
        "the batch waits for the swapchain image in {now}, long before pass `{}` writes it",
        pass.name
    );
    let why = "no vertex of the batch is worked on until the display lets go of the image";
    let to = "COLOR_ATTACHMENT_OUTPUT";
    let fix = Fix::text(format!(
        "{field} = COLOR_ATTACHMENT_OUTPUT, and the same stage as source of the image's first \
         transition (EXTERNAL dependency or barrier), or it may run before the image is there"
    ))
    .edit(
        Edit::set(EditObject::Queue, semaphore.text.to_string(), field, now, to)
            .said_by("wait", facts.line),
    );
    cx.report(Report::new(place, Confidence::Certain, message, why, fix));
}
