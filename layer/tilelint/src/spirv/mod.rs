//! Facts about a shader, read from its SPIR-V.
//!
//! Nothing here trusts the words: they are bounds-checked, opcodes that are not known are
//! stepped over, and whatever is not understood is left unsaid. Specialization constants count
//! as unknown. The order inside: `walk` (instructions), `module` (declarations), `reach` (what
//! the entry point runs), `place` and `reads` (where images are read), `machine` (constant
//! evaluation) with `fullscreen` and `average` on top.

mod average;
mod fullscreen;
mod interface;
mod machine;
mod module;
mod place;
mod reach;
mod reads;
mod scalar;
#[cfg(test)]
pub(crate) mod tests;
mod value;
mod walk;

pub use average::Average;
pub use fullscreen::FullscreenUv;
pub use interface::{Binding, BindingKind, Output, OutputType};
use module::{EntryPoint, Module};
use reach::Reach;
use spirv::{ExecutionMode, ExecutionModel, Op};

/// `ExecutionModel` of an entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Vertex.
    Vertex,
    /// Tessellation control.
    TessellationControl,
    /// Tessellation evaluation.
    TessellationEvaluation,
    /// Geometry.
    Geometry,
    /// Fragment.
    Fragment,
    /// Compute (`GLCompute`).
    Compute,
    /// Task, mesh, ray tracing and kernels.
    Other,
}

impl Stage {
    fn new(model: u32) -> Self {
        match ExecutionModel::from_u32(model) {
            Some(ExecutionModel::Vertex) => Self::Vertex,
            Some(ExecutionModel::TessellationControl) => Self::TessellationControl,
            Some(ExecutionModel::TessellationEvaluation) => Self::TessellationEvaluation,
            Some(ExecutionModel::Geometry) => Self::Geometry,
            Some(ExecutionModel::Fragment) => Self::Fragment,
            Some(ExecutionModel::GLCompute) => Self::Compute,
            _ => Self::Other,
        }
    }
}

/// The promise a shader makes about the depth that it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DepthPromise {
    /// `DepthGreater`.
    Greater,
    /// `DepthLess`.
    Less,
    /// `DepthUnchanged`.
    Unchanged,
}

/// Which samples of a multisampled image are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SampleIndex {
    /// A bit for each sample index that is a constant.
    Constants(u32),
    /// `SampleId`: the invocation's own sample.
    Own,
    /// Anything else, such as a loop's variable.
    Any,
}

/// How an image is read, all reads of it taken together. Offsets, gathers, levels other than 0,
/// comparing and projecting reads are `Other`. Holds for pixels of one size only: not with a
/// fragment shading rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReadShape {
    /// Not read as an image.
    None,
    /// Fetched at `FragCoord` (or through an input attachment), level 0.
    OwnPixel,
    /// Sampled at `FragCoord` over the image's own extent: the own pixel if the sampler is
    /// nearest with normalised coordinates, and the image has the framebuffer's extent.
    OwnPixelIfNearest,
    /// As `OwnPixelIfNearest`, or sampled at two consecutive components of an interpolated
    /// input: the own pixel if also a three-vertex draw covers the target and the vertex shader
    /// has a [`FullscreenUv`] of this location and component.
    OwnPixelIfFullscreenUv {
        /// `Location` of the input.
        location: u32,
        /// First component of the two.
        component: u32,
    },
    /// Samples of a multisampled image at the own pixel.
    OwnPixelSamples(SampleIndex),
    /// Neighbours, or not understood.
    Other,
}

impl ReadShape {
    /// What can be said of both reads together.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        use ReadShape::{
            None, Other, OwnPixel, OwnPixelIfFullscreenUv, OwnPixelIfNearest, OwnPixelSamples,
        };
        match (self, other) {
            (a, b) if a == b => a,
            (None, a) | (a, None) => a,
            (OwnPixelSamples(a), OwnPixelSamples(b)) => OwnPixelSamples(match (a, b) {
                (SampleIndex::Constants(a), SampleIndex::Constants(b)) => {
                    SampleIndex::Constants(a | b)
                }
                _ => SampleIndex::Any,
            }),
            (OwnPixel, OwnPixelIfNearest) | (OwnPixelIfNearest, OwnPixel) => OwnPixelIfNearest,
            (OwnPixel | OwnPixelIfNearest, uv @ OwnPixelIfFullscreenUv { .. })
            | (uv @ OwnPixelIfFullscreenUv { .. }, OwnPixel | OwnPixelIfNearest) => uv,
            _ => Other,
        }
    }
}

/// What the rules want to know of one entry point.
#[derive(Clone, Debug, PartialEq)]
pub struct ShaderFacts {
    /// Stage.
    pub stage: Stage,
    /// Something that can run is not understood: then what is *not* said here proves nothing
    /// (no discard, no store, a binding that is not used).
    pub opaque: bool,
    /// `OpKill`, `OpTerminateInvocation` or `OpDemoteToHelperInvocation` can be reached.
    pub discards: bool,
    /// `DepthReplacing`: the shader writes the depth.
    pub replaces_depth: bool,
    /// The promise that goes with `replaces_depth`.
    pub depth_promise: Option<DepthPromise>,
    /// `EarlyFragmentTests`.
    pub early_fragment_tests: bool,
    /// Buffers or images are written, atomics included.
    pub stores: bool,
    /// An input asks for one invocation a sample (`SampleId`, `SamplePosition`, `Sample`).
    pub sample_shading: bool,
    /// Resources the module declares, by set and binding; one that is declared twice is twice
    /// here.
    pub bindings: Vec<Binding>,
    /// Outputs of a fragment shader that have a location.
    pub outputs: Vec<Output>,
    /// Invocations of a compute workgroup; `None` if specialization decides.
    pub workgroup_size: Option<[u32; 3]>,
    /// Vertex shaders: `Some(true)` if vertices 0, 1 and 2 (first vertex 0, any instance) are a
    /// triangle over the whole viewport at one depth or another inside the clip volume.
    /// `Some(false)` if they provably are not; `None` if that is not known. Culling is the
    /// pipeline's.
    pub covers_target: Option<bool>,
    /// Vertex shaders with `covers_target`: outputs that run from (0, 0) to (1, 1).
    pub fullscreen_uvs: Vec<FullscreenUv>,
    /// Fragment shaders: every output is the plain mean of all samples of one multisampled
    /// image at the own pixel.
    pub averages_samples: Option<Average>,
}

impl ShaderFacts {
    /// How the images at a set and binding are read.
    pub fn reads(&self, set: u32, binding: u32) -> ReadShape {
        self.at(set, binding).fold(ReadShape::None, |shape, binding| shape.join(binding.reads))
    }

    /// Whether the entry point statically uses a set and binding.
    pub fn uses(&self, set: u32, binding: u32) -> bool {
        self.at(set, binding).any(|binding| binding.used)
    }

    fn at(&self, set: u32, binding: u32) -> impl Iterator<Item = &Binding> {
        self.bindings.iter().filter(move |at| at.set == set && at.binding == binding)
    }
}

/// Facts about the entry point of this name; with `None`, of the only one. `None` if the words
/// are no SPIR-V in the host's byte order, are broken, or no single entry point fits.
pub fn facts(words: &[u32], entry: Option<&str>) -> Option<ShaderFacts> {
    facts_where(words, |point| entry.is_none_or(|name| point.name == name))
}

/// Facts about the entry point of a stage and name: several stages of one module may share a
/// name.
pub fn facts_of_stage(words: &[u32], stage: Stage, entry: &str) -> Option<ShaderFacts> {
    facts_where(words, |point| Stage::new(point.model) == stage && point.name == entry)
}

fn facts_where(words: &[u32], fits: impl Fn(&EntryPoint) -> bool) -> Option<ShaderFacts> {
    let module = Module::new(words)?;
    let mut points = module.entry_points.iter().filter(|point| fits(point));
    let point = points.next().filter(|_| points.next().is_none())?;
    let stage = Stage::new(point.model);
    let reach = Reach::new(&module, point.function)?;
    let modes = Modes::new(&module, point.function)?;
    let shapes = reads::shapes(&module, &reach).filter(|_| !reach.opaque);
    let coverage = (stage == Stage::Vertex && !reach.opaque)
        .then(|| fullscreen::coverage(&module, point))
        .flatten();
    let (bindings, all_understood) = interface::bindings(&module, &reach, shapes.as_ref());
    Some(ShaderFacts {
        stage,
        opaque: reach.opaque || !all_understood,
        discards: reach.discards,
        replaces_depth: modes.replaces_depth,
        depth_promise: modes.depth_promise,
        early_fragment_tests: modes.early_fragment_tests,
        stores: reach.stores,
        sample_shading: stage == Stage::Fragment && interface::sample_shading(&module, point),
        bindings,
        outputs: if stage == Stage::Fragment {
            interface::outputs(&module, &reach, point)
        } else {
            Vec::new()
        },
        workgroup_size: (stage == Stage::Compute)
            .then(|| interface::workgroup_size(&module, modes.local_size))
            .flatten(),
        covers_target: coverage.as_ref().map(|coverage| coverage.covers),
        fullscreen_uvs: coverage.map(|coverage| coverage.uvs).unwrap_or_default(),
        averages_samples: (stage == Stage::Fragment && !reach.opaque && !reach.stores)
            .then(|| average::average(&module, point))
            .flatten(),
    })
}

/// Execution modes of one entry point.
#[derive(Default)]
struct Modes {
    replaces_depth: bool,
    depth_promise: Option<DepthPromise>,
    early_fragment_tests: bool,
    local_size: Option<[u32; 3]>,
}

impl Modes {
    fn new(module: &Module, function: u32) -> Option<Self> {
        let mut modes = Self::default();
        for inst in module.modes.iter().filter_map(|&at| module.insts.get(at)) {
            if inst.word(0)? != function {
                continue;
            }
            let three = || Some([inst.word(2)?, inst.word(3)?, inst.word(4)?]);
            match ExecutionMode::from_u32(inst.word(1)?) {
                Some(ExecutionMode::DepthReplacing) => modes.replaces_depth = true,
                Some(ExecutionMode::DepthGreater) => {
                    modes.depth_promise = Some(DepthPromise::Greater);
                }
                Some(ExecutionMode::DepthLess) => modes.depth_promise = Some(DepthPromise::Less),
                Some(ExecutionMode::DepthUnchanged) => {
                    modes.depth_promise = Some(DepthPromise::Unchanged);
                }
                Some(ExecutionMode::EarlyFragmentTests) => modes.early_fragment_tests = true,
                Some(ExecutionMode::LocalSize) => modes.local_size = three(),
                Some(ExecutionMode::LocalSizeId) if inst.is(Op::ExecutionModeId) => {
                    let [x, y, z] = three()?.map(|id| module.constant(id));
                    modes.local_size = x.zip(y).zip(z).map(|((x, y), z)| [x, y, z]);
                }
                _ => {}
            }
        }
        Some(modes)
    }
}
