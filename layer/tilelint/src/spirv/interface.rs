//! What a module declares: resources, outputs, sample inputs, workgroup size.

use super::ReadShape;
use super::module::{EntryPoint, Module};
use super::reach::Reach;
use rustc_hash::FxHashMap;
use spirv::{BuiltIn, Decoration, Dim, Op, StorageClass};

/// What a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BindingKind {
    /// An image that is sampled or fetched.
    Sampled,
    /// An image together with its sampler.
    CombinedSampler,
    /// A storage image.
    Storage,
    /// An input attachment and its `InputAttachmentIndex`; 0 where the module gives none.
    Input(u32),
    /// A buffer or texel buffer.
    Buffer,
    /// Samplers, acceleration structures, and what is not known.
    Other,
}

/// One resource variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Binding {
    /// `DescriptorSet`.
    pub set: u32,
    /// `Binding`.
    pub binding: u32,
    /// What it is.
    pub kind: BindingKind,
    /// An image of the multisampled type.
    pub multisampled: bool,
    /// An array of descriptors: `reads` speaks of all of them.
    pub array: bool,
    /// A function that the entry point can reach names it.
    pub used: bool,
    /// How an image is read; `None` for what is no image or not used.
    pub reads: ReadShape,
}

/// Numeric type of a fragment output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputType {
    /// `OpTypeFloat`.
    Float,
    /// Signed `OpTypeInt`.
    Int,
    /// Unsigned `OpTypeInt`.
    Uint,
}

/// One location of a fragment shader's outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Output {
    /// `Location`: the colour attachment.
    pub location: u32,
    /// `Index`: 1 for the second source of dual-source blending.
    pub index: u32,
    /// First component.
    pub component: u32,
    /// Components.
    pub components: u32,
    /// Numeric type.
    pub numeric: OutputType,
    /// A reachable instruction writes it.
    pub written: bool,
}

/// Resources, and whether all of them were understood. Without shapes every read is `Other`.
pub(super) fn bindings(
    module: &Module,
    reach: &Reach,
    shapes: Option<&FxHashMap<u32, ReadShape>>,
) -> (Vec<Binding>, bool) {
    let mut all_understood = true;
    let mut bindings = Vec::new();
    for &variable in &module.globals {
        let buffer = match module.class(variable) {
            Some(StorageClass::UniformConstant) => false,
            Some(StorageClass::Uniform | StorageClass::StorageBuffer) => true,
            Some(_) => continue,
            None => {
                all_understood = false;
                continue;
            }
        };
        match binding(module, reach, shapes, variable, buffer) {
            Some(binding) => bindings.push(binding),
            None => all_understood = false,
        }
    }
    bindings.sort_by_key(|binding| (binding.set, binding.binding));
    (bindings, all_understood)
}

fn binding(
    module: &Module,
    reach: &Reach,
    shapes: Option<&FxHashMap<u32, ReadShape>>,
    variable: u32,
    buffer: bool,
) -> Option<Binding> {
    let pointee = module.pointee(variable)?;
    let element = module.element(pointee);
    let kind = if buffer { BindingKind::Buffer } else { image_kind(module, variable, element) };
    let image = !matches!(kind, BindingKind::Buffer | BindingKind::Other);
    let used = reach.used.contains(&variable);
    let reads = match shapes {
        _ if !image || !used => ReadShape::None,
        Some(shapes) => shapes.get(&variable).copied().unwrap_or(ReadShape::None),
        None => ReadShape::Other,
    };
    Some(Binding {
        set: module.decoration(variable, Decoration::DescriptorSet)?,
        binding: module.decoration(variable, Decoration::Binding)?,
        kind,
        multisampled: module.image_type(element).is_some_and(|image| image.multisampled),
        array: pointee != element,
        used,
        reads,
    })
}

fn image_kind(module: &Module, variable: u32, element: u32) -> BindingKind {
    let Some(image) = module.image_type(element) else { return BindingKind::Other };
    if image.is(Dim::DimSubpassData) {
        let index = module.decoration(variable, Decoration::InputAttachmentIndex);
        BindingKind::Input(index.unwrap_or(0))
    } else if image.is(Dim::DimBuffer) {
        BindingKind::Buffer
    } else if module.def_of(element, Op::TypeSampledImage).is_some() {
        BindingKind::CombinedSampler
    } else if image.sampled == 2 {
        BindingKind::Storage
    } else {
        BindingKind::Sampled
    }
}

/// Variables of the entry point's interface that have this storage class.
pub(super) fn interface<'m>(
    module: &'m Module,
    point: &'m EntryPoint,
    class: StorageClass,
) -> impl Iterator<Item = u32> + 'm {
    let of_class = move |id: &u32| module.class(*id) == Some(class);
    point.interface.iter().copied().filter(of_class)
}

/// Whether an input of the interface makes the fragment shader run once a sample.
pub(super) fn sample_shading(module: &Module, point: &EntryPoint) -> bool {
    interface(module, point, StorageClass::Input).any(|id| {
        let sample_builtin = [BuiltIn::SampleId, BuiltIn::SamplePosition];
        let ty = module.pointee(id).unwrap_or(0);
        let members = 0..module.members(ty).len() as u32;
        let sample = |member| module.member_decoration(ty, member, Decoration::Sample).is_some();
        module.builtin(id).is_some_and(|builtin| sample_builtin.contains(&builtin))
            || module.decoration(id, Decoration::Sample).is_some()
            || members.into_iter().any(sample)
    })
}

/// Outputs with a location; an array takes one location for each element.
pub(super) fn outputs(module: &Module, reach: &Reach, point: &EntryPoint) -> Vec<Output> {
    let mut outputs: Vec<Output> = interface(module, point, StorageClass::Output)
        .filter_map(|id| output(module, reach, id))
        .flatten()
        .collect();
    outputs.sort_by_key(|output| (output.location, output.index, output.component));
    outputs
}

fn output(module: &Module, reach: &Reach, id: u32) -> Option<impl Iterator<Item = Output>> {
    let first = module.decoration(id, Decoration::Location)?;
    let pointee = module.pointee(id)?;
    let count = match module.def_of(pointee, Op::TypeArray) {
        Some(array) => module.constant(array.word(2)?)?.min(32),
        None => 1,
    };
    let (scalar, components) = module.vector(module.element(pointee))?;
    let scalar = module.def(scalar)?;
    let numeric = match (scalar.op?, scalar.word(2)) {
        (Op::TypeFloat, _) => OutputType::Float,
        (Op::TypeInt, Some(0)) => OutputType::Uint,
        (Op::TypeInt, _) => OutputType::Int,
        _ => return None,
    };
    let output = Output {
        location: first,
        index: module.decoration(id, Decoration::Index).unwrap_or(0),
        component: module.decoration(id, Decoration::Component).unwrap_or(0),
        components,
        numeric,
        written: reach.written.contains(&id),
    };
    Some((0..count).map(move |at| Output { location: first.saturating_add(at), ..output }))
}

/// The workgroup size of the execution mode, unless a `WorkgroupSize` constant overrides it.
pub(super) fn workgroup_size(module: &Module, mode: Option<[u32; 3]>) -> Option<[u32; 3]> {
    let overrides = module.insts.iter().filter_map(|inst| {
        let id = inst.result()?;
        (module.builtin(id)? == BuiltIn::WorkgroupSize).then_some(inst)
    });
    let Some(constant) = overrides.into_iter().next() else { return mode };
    let (&[x, y, z], true) = (constant.rest(2), constant.is(Op::ConstantComposite)) else {
        return None;
    };
    Some([module.constant(x)?, module.constant(y)?, module.constant(z)?])
}
