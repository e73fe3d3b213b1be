#![doc = include_str!("msaa_gbuffer.md")]

use super::super::flow;
use super::inputs::{self, Reads};
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::{Attachment, Pass};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "msaa-gbuffer",
    group: Group::Resolve,
    level: Level::Info,
    tier: Tier::C,
    folds: &["msaa-input-attachment"],
    correctness: false,
    needs: Needs::DRAWS.and(Needs::PIPELINES),
    since: "0.1",
    page: include_str!("msaa_gbuffer.md"),
    checks: &[Check::Pass(check)],
};

fn check(pass: &Pass, cx: &mut Cx<'_>) {
    if pass.shape.opaque {
        return;
    }
    let count = pass.shape.subpasses.len() as u32;
    let found = (0..count).find_map(|drawn| {
        let readers = (drawn + 1..count).filter(|by| inputs::reads_inputs(pass, *by) != Reads::No);
        let mut readers = readers.map(|by| (by, read_later(pass, drawn, by)));
        readers.find(|(_, read)| read.len() >= 2).map(|(by, read)| (drawn, by, read))
    });
    let Some((drawn, by, outputs)) = found else { return };
    let samples = outputs[0].samples;
    let place = flow::pass_place(pass, None, cx.device);
    let names: Vec<String> = outputs.iter().map(|a| format!("`{}`", a.name())).collect();
    let message = format!(
        "subpass {by} reads {samples} samples a pixel of {} outputs of subpass {drawn}",
        outputs.len()
    );
    let why = format!(
        "a G-buffer of {samples} samples takes {samples} times the tile memory, and lighting it \
         up to {samples} times the shader time"
    );
    let mut fix = Fix::text(
        "one sample, and anti-aliasing of the lit picture; or forward shading, which needs one \
         multisampled output",
    );
    for image in outputs.iter().filter_map(|a| a.image.as_ref()) {
        let field = Field::Other("samples", "samples");
        fix = fix.edit(edit_image(image, field, &samples.to_string(), "1"));
    }
    let known = inputs::reads_inputs(pass, by) == Reads::Yes;
    let confidence = if known { Confidence::Certain } else { Confidence::Likely };
    let report = Report::new(place, confidence, message, why, fix);
    let mut report = report.why(format!("they are {}", names.join(", ")));
    if !known {
        report = report.assume("the shader reads its input attachments");
    }
    cx.report(report);
}

/// Multisampled colour outputs of one subpass that another reads.
fn read_later(pass: &Pass, drawn: u32, by: u32) -> Vec<&Attachment> {
    let subpasses = &pass.shape.subpasses;
    let inputs = &subpasses[by as usize].input;
    let outputs = subpasses[drawn as usize].color.iter().flatten();
    let read = outputs.filter(|o| inputs.iter().flatten().any(|i| i.attachment == o.attachment));
    let read = read.filter_map(|o| pass.shape.attachments.get(o.attachment as usize));
    read.filter(|a| a.is_multisampled()).collect()
}
