//! Whether a fragment shader is a hand-written average resolve.

use super::interface::interface;
use super::machine::Machine;
use super::module::{EntryPoint, Module};
use super::place::Axis;
use super::value::{Blend, Value};
use spirv::{BuiltIn, Decoration, StorageClass};

/// The image that a shader averages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Average {
    /// `DescriptorSet` of the multisampled image.
    pub set: u32,
    /// `Binding` of the multisampled image.
    pub binding: u32,
    /// Number of samples in the mean: a resolve only if the image has as many.
    pub samples: u32,
}

/// `None` if any output is something else, or not known.
pub(super) fn average(module: &Module, point: &EntryPoint) -> Option<Average> {
    let multisampled = |id: &u32| module.image(*id).is_some_and(|image| image.multisampled);
    module.globals.iter().any(multisampled).then_some(())?;
    let input = |builtin| match builtin {
        BuiltIn::FragCoord => Value::Parts(vec![
            Value::FragCoord(Axis::X),
            Value::FragCoord(Axis::Y),
            Value::Unknown,
            Value::Unknown,
        ]),
        _ => Value::Unknown,
    };
    let run = Machine::run(module, point.function, &input)?;
    let mut average = None;
    for output in interface(module, point, StorageClass::Output) {
        module.decoration(output, Decoration::Location)?;
        let parts = match run.output(output) {
            Value::Parts(parts) => parts.as_slice(),
            scalar => std::slice::from_ref(scalar),
        };
        for (at, part) in parts.iter().enumerate() {
            let Value::Blend(blend) = part else { return None };
            let mean = (blend.image, samples_of_mean(blend)?);
            (blend.component as usize == at).then_some(())?;
            (*average.get_or_insert(mean) == mean).then_some(())?;
        }
    }
    let (image, samples) = average?;
    let set = module.decoration(image, Decoration::DescriptorSet)?;
    let binding = module.decoration(image, Decoration::Binding)?;
    Some(Average { set, binding, samples })
}

/// Number of samples, if each of 0..n has the weight 1/n and n is a sample count.
fn samples_of_mean(blend: &Blend) -> Option<u32> {
    let samples = blend.weights.len() as u32;
    let weight = 1.0 / samples as f32;
    let equal = blend.weights.values().all(|other| (other - weight).abs() < 1e-4);
    let all = blend.weights.keys().copied().eq(0..samples);
    (samples > 1 && samples.is_power_of_two() && equal && all).then_some(samples)
}
