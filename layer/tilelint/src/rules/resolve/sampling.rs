//! What draws take of the samples of a multisampled image.

use super::super::load_store::is_full_screen;
use crate::model::{DrawFacts, Image, ImageRead, Pass, Pipeline, Roles};
use crate::spirv::{ReadShape, SampleIndex, Stage};

/// What is taken of each pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Taken {
    /// Sample 0.
    One,
    /// One value, made of the samples in a way that is not known.
    Perhaps,
}

/// Says what a pass takes of an image that it samples; `None` where it may need all samples.
pub fn taken(pass: &Pass, image: &Image) -> Option<Taken> {
    let single = pass.shape.attachments.iter().all(|a| a.samples == 1);
    if !single || pass.unknown || pass.shape.opaque {
        return None;
    }
    let mut all: Option<Taken> = None;
    for read in pass.reads.iter().filter(|read| read.image == image.id) {
        for draw in pass.draws.iter().filter(|draw| draw.subpass == read.subpass) {
            let pipeline = draw.pipeline.as_deref()?;
            let Some(here) = by_draw(pass, draw, pipeline, read)? else { continue };
            all = Some(all.map_or(here, |all| all.max(here)));
        }
    }
    all
}

/// What one draw takes: `Some(None)` where it reads nothing of it.
fn by_draw(
    pass: &Pass,
    draw: &DrawFacts,
    pipeline: &Pipeline,
    read: &ImageRead,
) -> Option<Option<Taken>> {
    let copies = is_full_screen(draw, pass);
    if pipeline.built_in {
        // A listing without shaders says that it reads, not how: a draw over the whole target
        // makes one value a pixel.
        return copies.then_some(Some(Taken::Perhaps));
    }
    let (set, binding) = read.at?;
    let fragment = pipeline.shader(Stage::Fragment).filter(|facts| !facts.opaque)?;
    let other = |stage: Stage| pipeline.shader(stage).is_some_and(|f| f.uses(set, binding));
    let stages = [Stage::Vertex, Stage::Geometry, Stage::TessellationControl, Stage::Other];
    if stages.into_iter().chain([Stage::TessellationEvaluation]).any(other) {
        return None;
    }
    if !fragment.uses(set, binding) {
        return Some(None);
    }
    match fragment.reads(set, binding) {
        ReadShape::OwnPixelSamples(SampleIndex::Constants(1)) => Some(Some(Taken::One)),
        ReadShape::OwnPixelSamples(SampleIndex::Constants(mask)) if mask.is_power_of_two() => {
            Some(Some(Taken::Perhaps))
        }
        // A draw that only makes depth of depth.
        ReadShape::OwnPixelSamples(_) if copies && fragment.replaces_depth && only_depth(pass) => {
            Some(Some(Taken::Perhaps))
        }
        _ => None,
    }
}

fn only_depth(pass: &Pass) -> bool {
    pass.shape.attachments.iter().all(|a| a.roles.only(Roles::DEPTH_STENCIL))
}
