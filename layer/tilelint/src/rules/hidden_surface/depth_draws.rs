//! The draws of a pass that test or write depth, and places of draws.

use super::super::flow::pass_place;
use crate::finding::{Mark, QuoteLine};
use crate::format::Aspect;
use crate::model::{Attachment, DeviceModel, DrawFacts, Pass};
use crate::rule::*;

/// A draw that tests or writes depth.
#[derive(Clone, Copy)]
pub struct DepthDraw<'a> {
    /// Its number in the pass.
    pub index: usize,
    /// The draw.
    pub draw: &'a DrawFacts,
    /// The depth attachment of its subpass.
    pub attachment: &'a Attachment,
    /// Depth may be written.
    pub writes: bool,
}

/// The draws that are known to test or write depth, in order; none where the pass is not
/// understood.
pub fn depth_draws(pass: &Pass) -> impl Iterator<Item = DepthDraw<'_>> {
    let known = !pass.unknown && !pass.shape.opaque;
    pass.draws.iter().enumerate().filter(move |_| known).filter_map(|(index, draw)| {
        let subpass = pass.shape.subpasses.get(draw.subpass as usize)?;
        let attachment = pass.shape.attachments.get(subpass.depth?.attachment as usize)?;
        let ops = attachment.ops(Aspect::Depth)?;
        let effect = &draw.effect;
        let writes = effect.depth_writes && !ops.read_only;
        let uses = !effect.unknown && (effect.depth_reads || writes);
        uses.then_some(DepthDraw { index, draw, attachment, writes })
    })
}

/// How many draws one step stands for.
pub fn draws_of(draw: &DrawFacts) -> u64 {
    u64::from(draw.draw.times) * u64::from(draw.draw.draw_count.max(1))
}

/// A draw of a pass as the place of a mistake, about the depth of an attachment.
pub fn draw_place(pass: &Pass, at: &DepthDraw<'_>, label: &str, device: &DeviceModel) -> Place {
    let mut place = pass_place(pass, None, device);
    place.location.slot = Some(at.attachment.slot);
    place.location.image = Some(at.attachment.name());
    place.location.aspect = Some(Aspect::Depth);
    place.location.call = Some("vkCmdDraw");
    place.quote.lines.clear();
    place.quote.marks.clear();
    place.quote.lines.push(QuoteLine { number: at.draw.line.0, text: draw_text(at.draw) });
    let label = label.to_owned();
    place.quote.marks.push(Mark { line: 0, key: "", label, primary: true });
    place
}

/// A draw as a listing has it.
pub fn draw_text(draw: &DrawFacts) -> String {
    let pipeline = draw.pipeline.as_ref().map(|p| identifier(&p.name.text));
    let pipeline = pipeline.map(|name| format!(" pipeline={name}")).unwrap_or_default();
    format!("    draw vertices={} times={}{pipeline}", draw.draw.vertices, draw.draw.times)
}
