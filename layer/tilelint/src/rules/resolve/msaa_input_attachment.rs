#![doc = include_str!("msaa_input_attachment.md")]

use super::inputs::{self, Reads};
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::Pass;
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "msaa-input-attachment",
    group: Group::Resolve,
    level: Level::Info,
    tier: Tier::C,
    folds: &[],
    correctness: false,
    needs: Needs::DRAWS.and(Needs::PIPELINES),
    since: "0.1",
    page: include_str!("msaa_input_attachment.md"),
    checks: &[Check::Pass(check)],
};

fn check(pass: &Pass, cx: &mut Cx<'_>) {
    let Some(width) = cx.profile.parallel_input_samples() else { return };
    if pass.shape.opaque {
        return;
    }
    let mut seen = Vec::new();
    for (index, subpass) in pass.shape.subpasses.iter().enumerate() {
        let index = index as u32;
        let reads = inputs::reads_inputs(pass, index);
        for reference in subpass.input.iter().flatten() {
            let attachment = pass.shape.attachments.get(reference.attachment as usize);
            let Some(attachment) = attachment.filter(|a| a.samples > width) else { continue };
            if reads == Reads::No || seen.contains(&attachment.slot) {
                continue;
            }
            seen.push(attachment.slot);
            let samples = attachment.samples;
            let place = inputs::place(pass, attachment, index, cx.device);
            let message = format!(
                "subpass {index} reads `{}`, an input attachment of {samples} samples",
                attachment.name()
            );
            let why = format!(
                "this target reads {width} samples of an input attachment at once, so a pixel \
                 takes {} turns of shader time",
                samples.div_ceil(width)
            );
            let mut fix = Fix::text(format!("{width} samples, in the images and the pipelines"));
            if let Some(image) = &attachment.image {
                let field = Field::Other("samples", "samples");
                fix = fix.edit(edit_image(image, field, &samples.to_string(), &width.to_string()));
            }
            let confidence =
                if reads == Reads::Yes { Confidence::Certain } else { Confidence::Likely };
            let mut report = Report::new(place, confidence, message, why, fix);
            let drawn = subpass.color.iter().chain([&subpass.depth]).flatten();
            let mut drawn = drawn.filter_map(|r| pass.shape.attachments.get(r.attachment as usize));
            if drawn.all(|a| a.samples == 1) {
                report = report.why("it still costs less than a resolve between the subpasses");
            } else {
                let text = "resolve at the end of the pass, and read the resolved picture";
                report = report.or_fix(Fix::text(text));
            }
            if reads == Reads::Perhaps {
                report = report.assume("the shader reads its input attachments");
            }
            cx.report(report);
        }
    }
}
