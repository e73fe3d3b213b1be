#![doc = include_str!("msaa_framebuffer_fetch.md")]

use ash::vk;

use super::inputs::{self, Reads};
use crate::call::AttachmentReference;
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::{Attachment, Pass};
use crate::rule::*;
use crate::spirv::Stage;

/// The rule.
pub static RULE: Rule = Rule {
    name: "msaa-framebuffer-fetch",
    group: Group::Resolve,
    level: Level::Info,
    tier: Tier::C,
    folds: &["msaa-input-attachment"],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("msaa_framebuffer_fetch.md"),
    checks: &[Check::Pass(check)],
};

fn check(pass: &Pass, cx: &mut Cx<'_>) {
    if pass.shape.opaque || pass.unknown {
        return;
    }
    for (index, subpass) in pass.shape.subpasses.iter().enumerate() {
        let index = index as u32;
        for reference in subpass.color.iter().chain([&subpass.depth]).flatten() {
            let attachment = pass.shape.attachments.get(reference.attachment as usize);
            let Some(attachment) = attachment.filter(|a| a.is_multisampled()) else { continue };
            let input = subpass.input.iter().flatten().any(|r| r.attachment == attachment.slot);
            let reads = fetches(pass, attachment, reference, index, input);
            if reads != Reads::No {
                report(cx, pass, attachment, index, reads);
            }
        }
    }
}

/// Says whether draws of the subpass read what they draw to.
fn fetches(
    pass: &Pass,
    attachment: &Attachment,
    reference: &AttachmentReference,
    subpass: u32,
    input: bool,
) -> Reads {
    if input {
        return inputs::reads_inputs(pass, subpass);
    }
    let mut pipelines = pass.draws.iter().filter_map(|draw| draw.pipeline.as_ref());
    let image = attachment.image.as_ref().map(|image| image.id);
    let fetched = match reference.layout {
        vk::ImageLayout::RENDERING_LOCAL_READ_KHR => pipelines.any(|pipeline| {
            let mapped = pipeline.built_in && pipeline.info.input_indices.is_some();
            mapped || inputs::declares_input(pipeline)
        }),
        vk::ImageLayout::ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT => pass
            .reads
            .iter()
            .any(|read| Some(read.image) == image && read.subpass == subpass && read.certain),
        _ => false,
    };
    if fetched { Reads::Yes } else { Reads::No }
}

fn report(cx: &mut Cx<'_>, pass: &Pass, attachment: &Attachment, subpass: u32, reads: Reads) {
    let place = inputs::place(pass, attachment, subpass, cx.device);
    let samples = attachment.samples;
    let message = format!(
        "draws of subpass {subpass} read `{}`, the multisampled attachment that they draw to",
        attachment.name()
    );
    let why = format!("the old value differs by sample: the shader runs up to {samples} times");
    let fix = Fix::text(
        "do the effect once a pixel: after the resolve, in a pass of one sample, or with a custom \
         resolve at the end of this one",
    );
    let confidence = if reads == Reads::Yes { Confidence::Certain } else { Confidence::Likely };
    let mut report = Report::new(place, confidence, message, why, fix);
    if reads == Reads::Perhaps {
        report = report.assume("the shader reads its input attachments");
    }
    let mut draws = pass.draws.iter().filter(|draw| draw.subpass == subpass);
    let by_sample = draws.any(|draw| {
        draw.pipeline.as_ref().is_some_and(|pipeline| {
            let shader = pipeline.shader(Stage::Fragment);
            pipeline.info.sample_shading || shader.is_some_and(|facts| facts.sample_shading)
        })
    });
    if by_sample && reads == Reads::Yes {
        report = report.why("a pipeline asks for sample shading").proven(Level::Warn);
    }
    cx.report(report);
}
