//! What one pass draws and another reads at its own pixel only: it need never leave the tile.

use ash::vk;
use rustc_hash::FxHashMap;

use super::super::load_store::is_full_screen;
use crate::format::Aspect;
use crate::model::{
    AlwaysLive, Attachment, DrawFacts, Frame, Image, ImageId, Pass, Pipeline, Read, Step,
};
use crate::rule::{Cx, pass_aspects};
use crate::spirv::{ReadShape, Stage};

/// How sure it is that a pass reads an image at its own pixel only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Proof {
    /// A full-screen draw, of whose shader nothing more is known.
    Supposed,
    /// The shader reads at the centre of its own pixel, by a sampler that may look around.
    Sampled,
    /// The shader fetches its own texel.
    Fetched,
}

/// An image that goes from one pass to another by memory, though it need not.
pub struct Handover<'a> {
    /// The pass that draws it.
    pub from: &'a Pass,
    /// In that pass.
    pub attachment: &'a Attachment,
    /// Its aspect.
    pub aspect: Aspect,
    /// The pass that reads it.
    pub to: &'a Pass,
    /// How sure that is.
    pub proof: Proof,
    /// The reading draw covers the target.
    pub covers: bool,
}

/// All handovers of a frame that subpasses of the target could spare.
pub fn handovers<'a>(frame: &'a Frame, cx: &Cx<'_>) -> Vec<Handover<'a>> {
    let mut found = Vec::new();
    if frame.passes().any(|pass| pass.unknown) {
        return found;
    }
    let uses = uses(frame);
    for from in frame.passes() {
        for (attachment, plane, ops) in pass_aspects(from) {
            let stored = from.aspect(attachment.slot, plane).is_some_and(|f| f.store.is_some());
            let Some(image) = attachment.image.as_deref().filter(|_| stored) else { continue };
            let Some(to) = only_reader(&uses, cx, from, attachment, image) else { continue };
            let mixed = samples(from) != samples(to);
            if (mixed && !cx.profile.merges_mixed_samples()) || !is_free(&uses, from, to) {
                continue;
            }
            let Some((proof, covers)) = own_pixel(to, image.id) else { continue };
            // Without its shader only the pass that hands the picture to a headset is taken for a
            // copy or tone mapping; a reader of depth mostly looks at neighbours.
            let last = ops.aspect == Aspect::Color && hands_over(cx, to);
            if proof == Proof::Supposed && !last {
                continue;
            }
            found.push(Handover { from, attachment, aspect: ops.aspect, to, proof, covers });
        }
    }
    found
}

/// The pass draws to an image that is not the application's own: an eye of a headset.
fn hands_over(cx: &Cx<'_>, pass: &Pass) -> bool {
    let images = pass.shape.attachments.iter().filter_map(|a| a.image.as_ref());
    let mut live = images.map(|image| cx.device.always_live(image.id));
    live.any(|why| why == Some(AlwaysLive::NotOurs))
}

/// A step that touches an image.
struct Use<'a> {
    index: u32,
    /// It reads the image's memory.
    reads: bool,
    /// The pass that it is, unless it is something else.
    pass: Option<&'a Pass>,
    /// It brings the image to the screen.
    presents: bool,
}

type Uses<'a> = FxHashMap<ImageId, Vec<Use<'a>>>;

/// Every use of every image in a frame, each step once.
fn uses(frame: &Frame) -> Uses<'_> {
    let mut uses = Uses::default();
    for step in &frame.steps {
        let (index, presents) = (step.index(), matches!(step, Step::Present { .. }));
        let mut add = |image: ImageId, reads: bool, pass| {
            let of_image = uses.entry(image).or_default();
            match of_image.last_mut().filter(|last| last.index == index) {
                Some(last) => last.reads |= reads,
                None => of_image.push(Use { index, reads, pass, presents }),
            }
        };
        match step {
            Step::Pass(pass) => {
                pass.reads.iter().for_each(|read| add(read.image, true, Some(&**pass)));
                pass.writes.iter().for_each(|image| add(*image, false, Some(&**pass)));
                let images = pass.shape.attachments.iter().filter_map(|a| a.image.as_ref());
                images.for_each(|image| add(image.id, false, Some(&**pass)));
            }
            Step::Transfer(transfer) => {
                transfer.from.into_iter().for_each(|image| add(image, true, None));
                transfer.to.into_iter().for_each(|image| add(image, false, None));
            }
            Step::Dispatch { reads, writes, .. } => {
                reads.iter().for_each(|read| add(read.image, true, None));
                writes.iter().for_each(|image| add(*image, false, None));
            }
            Step::Present { image, .. } => add(*image, true, None),
            _ => {}
        }
    }
    uses
}

/// The only step of the frame beside the drawing pass that touches the image: a pass of the same
/// form that samples it.
fn only_reader<'a>(
    uses: &Uses<'a>,
    cx: &Cx<'_>,
    from: &Pass,
    attachment: &Attachment,
    image: &Image,
) -> Option<&'a Pass> {
    let (_, used) = cx.device.image(image.id)?;
    let sampled = used.reads & !(1 << Read::Sampled as u8) == 0 && !used.written;
    let passes_on = used.loaded || used.kept;
    let whole = image.info.mips == 1
        && image.info.samples == 1
        && image.info.layers == from.shape.rendered_layers()
        && from.shape.covers(attachment);
    if !sampled || passes_on || !whole || cx.device.always_live(image.id).is_some() {
        return None;
    }
    let others = uses.get(&image.id)?.iter().filter(|other| !other.presents);
    let mut others = others.filter(|other| other.index != from.step.index);
    let to = others.next().filter(|to| to.index > from.step.index)?.pass?;
    (others.next().is_none() && same_form(from, to) && !attached(to, image.id)).then_some(to)
}

fn attached(pass: &Pass, image: ImageId) -> bool {
    pass.shape.attachments.iter().any(|a| a.image.as_ref().is_some_and(|i| i.id == image))
}

fn same_form(a: &Pass, b: &Pass) -> bool {
    let maps = |pass: &Pass| -> Vec<Option<ImageId>> {
        let rates = pass.shape.attachments.iter().filter(|a| a.is_rate());
        rates.map(|a| a.image.as_ref().map(|image| image.id)).collect()
    };
    let (x, y) = (&a.shape, &b.shape);
    let drawn = |pass: &Pass| pass.shape.attachments.iter().any(Attachment::loads);
    !y.opaque
        && x.area == y.area
        && x.layers == y.layers
        && x.view_mask == y.view_mask
        && a.queue == b.queue
        && maps(a) == maps(b)
        && drawn(b)
}

fn samples(pass: &Pass) -> u32 {
    let drawn = pass.shape.attachments.iter().filter(|a| a.loads());
    drawn.map(|a| a.samples).max().unwrap_or(1)
}

/// Nothing between the two needs the first and is needed by the second, and the second reads
/// everything that the first drew at its own pixel.
fn is_free(uses: &Uses<'_>, from: &Pass, to: &Pass) -> bool {
    let made: Vec<ImageId> = from
        .shape
        .attachments
        .iter()
        .filter(|a| a.stores())
        .filter_map(|a| a.image.as_ref().map(|image| image.id))
        .collect();
    let local = made.iter().all(|image| !to.reads_image(*image) || own_pixel(to, *image).is_some());
    let between =
        made.iter().filter_map(|image| uses.get(image)).flatten().any(|other| {
            other.reads && other.index > from.step.index && other.index < to.step.index
        });
    local && !between && from.writes.is_empty() && to.writes.is_empty()
}

/// Says whether a pass reads an image at its own pixel only, how sure that is, and whether the
/// reading draw covers the target. `None` where it does not, or nobody knows.
pub fn own_pixel(pass: &Pass, image: ImageId) -> Option<(Proof, bool)> {
    let reads: Vec<_> = pass.reads.iter().filter(|read| read.image == image).collect();
    if reads.is_empty() || reads.iter().any(|read| read.how != Read::Sampled) {
        return None;
    }
    let places: Option<Vec<(u32, u32)>> = reads.iter().map(|read| read.at).collect();
    let mut found: Option<(Proof, bool)> = None;
    for draw in &pass.draws {
        let pipeline = draw.pipeline.as_deref()?;
        let full = is_full_screen(draw, pass);
        let proof = if pipeline.built_in {
            full.then_some(Proof::Supposed)?
        } else {
            match by_shader(pipeline, draw, pass, places.as_deref()?)? {
                Some(proof) => proof,
                None => continue,
            }
        };
        let covers = full && (pipeline.built_in || covers(pipeline, draw));
        found = Some(match found {
            Some((known, all)) => (known.min(proof), all && covers),
            None => (proof, covers),
        });
    }
    found
}

/// What the shaders of a draw say: `None` where they read elsewhere or are not known,
/// `Some(None)` where they do not read the image.
fn by_shader(
    pipeline: &Pipeline,
    draw: &DrawFacts,
    pass: &Pass,
    places: &[(u32, u32)],
) -> Option<Option<Proof>> {
    let fragment = pipeline.shader(Stage::Fragment).filter(|facts| !facts.opaque)?;
    let vertex = pipeline.shader(Stage::Vertex).filter(|facts| !facts.opaque)?;
    let others = vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT;
    let more = !(pipeline.info.stages & !others).is_empty();
    if more || places.iter().any(|(set, binding)| vertex.uses(*set, *binding)) {
        return None;
    }
    let shapes = places.iter().map(|(set, binding)| fragment.reads(*set, *binding));
    match shapes.fold(ReadShape::None, ReadShape::join) {
        ReadShape::None => Some(None),
        ReadShape::OwnPixel => Some(Some(Proof::Fetched)),
        ReadShape::OwnPixelIfNearest => Some(Some(Proof::Sampled)),
        ReadShape::OwnPixelIfFullscreenUv { location, component } => {
            let uv = vertex.fullscreen_uvs.iter().any(|uv| {
                let upright = draw.viewport.is_some_and(|[_, _, _, height]| height > 0);
                uv.location == location && uv.component == component && uv.flipped_y != upright
            });
            let whole = is_full_screen(draw, pass) && covers(pipeline, draw);
            (uv && whole).then_some(Some(Proof::Sampled))
        }
        ReadShape::OwnPixelSamples(_) | ReadShape::Other => None,
    }
}

fn covers(pipeline: &Pipeline, draw: &DrawFacts) -> bool {
    let keeps = pipeline.shader(Stage::Fragment).is_some_and(|facts| !facts.discards);
    let vertex = pipeline.shader(Stage::Vertex);
    keeps && draw.draw.vertices == 3 && vertex.is_some_and(|v| v.covers_target == Some(true))
}

/// What is known of where a pass reads an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// At the own pixel.
    Local,
    /// The shaders are not known.
    Unknown,
    /// Somewhere else as well.
    Elsewhere,
}

/// Says where the draws of a pass read an image, whatever they cover.
pub fn reading(pass: &Pass, image: ImageId) -> Reading {
    let reads = pass.reads.iter().filter(|read| read.image == image);
    let places: Option<Vec<(u32, u32)>> = reads.map(|read| read.at).collect();
    let mut local = false;
    for draw in &pass.draws {
        let known = draw.pipeline.as_deref().filter(|p| !p.built_in).zip(places.as_deref());
        let Some((pipeline, places)) = known else { return Reading::Unknown };
        match (by_shader(pipeline, draw, pass, places), pipeline.shader(Stage::Fragment)) {
            (Some(read), _) => local |= read.is_some(),
            (None, Some(facts)) if !facts.opaque => return Reading::Elsewhere,
            (None, _) => return Reading::Unknown,
        }
    }
    if local { Reading::Local } else { Reading::Elsewhere }
}
