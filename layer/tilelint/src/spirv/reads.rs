//! How each image is read.

use super::module::Module;
use super::place::{Axis, Part, Places};
use super::reach::Reach;
use super::walk::Inst;
use super::{ReadShape, SampleIndex};
use rustc_hash::FxHashMap;
use spirv::{Dim, ImageOperands, Op};

/// Where an instruction keeps the operands of an image read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Filtered, with normalised coordinates.
    Sample,
    /// By texel, or of an input attachment or storage image.
    Fetch,
    /// Not looked at any closer.
    Other,
}

/// Shapes of the reads of each image variable; `None` if an image that is read cannot be told.
pub(super) fn shapes(module: &Module, reach: &Reach) -> Option<FxHashMap<u32, ReadShape>> {
    let mut places = Places::new(module, reach);
    let mut shapes = FxHashMap::default();
    for inst in reach.insts.iter().filter_map(|&at| module.insts.get(at)) {
        let Some(kind) = inst.op.and_then(kind) else { continue };
        for root in reach.roots(module, inst.word(2)?)? {
            let shape = shape(module, &mut places, inst, kind, root).unwrap_or(ReadShape::Other);
            let before = shapes.entry(root).or_insert(ReadShape::None);
            *before = before.join(shape);
        }
    }
    Some(shapes)
}

fn kind(op: Op) -> Option<Kind> {
    Some(match op {
        Op::ImageSampleImplicitLod | Op::ImageSampleExplicitLod => Kind::Sample,
        Op::ImageFetch | Op::ImageRead => Kind::Fetch,
        Op::ImageTexelPointer => Kind::Other,
        // Depth comparing, projecting, gathering and sparse reads.
        op if (89..=97).contains(&(op as u32)) => Kind::Other,
        op if (305..=315).contains(&(op as u32)) || op == Op::ImageSparseRead => Kind::Other,
        _ => return None,
    })
}

/// `None` for anything that is not provably at the own pixel.
fn shape(
    module: &Module,
    places: &mut Places,
    inst: &Inst,
    kind: Kind,
    root: u32,
) -> Option<ReadShape> {
    let image = module.image(root)?;
    let operands = operands(places, inst.rest(4))?;
    let coordinate = inst.word(3)?;
    let [x, y, z] = [0, 1, 2].map(|at| places.part(coordinate, at));
    if image.is(Dim::DimSubpassData) {
        let zero = places.is_zero(coordinate);
        return (kind == Kind::Fetch && zero)
            .then_some(at_own_pixel(&operands, image.multisampled));
    }
    let layer = !image.arrayed || z == Part::Layer;
    (image.is(Dim::Dim2D) && layer && operands.level_0).then_some(())?;
    match (kind, x, y) {
        (Kind::Fetch, Part::Pixel(Axis::X), Part::Pixel(Axis::Y)) => {
            Some(at_own_pixel(&operands, image.multisampled))
        }
        (Kind::Sample, Part::Normalised(Axis::X, a), Part::Normalised(Axis::Y, b)) => {
            (a == root && b == root).then_some(ReadShape::OwnPixelIfNearest)
        }
        (Kind::Sample, Part::Input(location, component), Part::Input(other, next)) => {
            (location == other && component + 1 == next)
                .then_some(ReadShape::OwnPixelIfFullscreenUv { location, component })
        }
        _ => None,
    }
}

fn at_own_pixel(operands: &Operands, multisampled: bool) -> ReadShape {
    if multisampled { ReadShape::OwnPixelSamples(operands.sample) } else { ReadShape::OwnPixel }
}

struct Operands {
    level_0: bool,
    sample: SampleIndex,
}

/// Image operands: a mask and, in the order of its bits, their words. `None` if the read is
/// moved or its level is not 0.
fn operands(places: &mut Places, words: &[u32]) -> Option<Operands> {
    let mut out = Operands { level_0: true, sample: SampleIndex::Any };
    let Some((&mask, mut words)) = words.split_first() else { return Some(out) };
    let harmless = ImageOperands::LOD
        | ImageOperands::SAMPLE
        | ImageOperands::NON_PRIVATE_TEXEL
        | ImageOperands::VOLATILE_TEXEL
        | ImageOperands::SIGN_EXTEND
        | ImageOperands::ZERO_EXTEND
        | ImageOperands::NONTEMPORAL;
    let mask = ImageOperands::from_bits(mask).filter(|mask| harmless.contains(*mask))?;
    if mask.contains(ImageOperands::LOD) {
        let (&level, rest) = words.split_first()?;
        words = rest;
        out.level_0 = places.is_zero(level);
    }
    if mask.contains(ImageOperands::SAMPLE) {
        out.sample = match places.part(*words.first()?, 0) {
            Part::Constant(index @ 0..=31) => SampleIndex::Constants(1 << index),
            Part::SampleId => SampleIndex::Own,
            _ => SampleIndex::Any,
        };
    }
    Some(out)
}
