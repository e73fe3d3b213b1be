//! Values of the constant evaluator.

use super::place::Axis;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A weighted sum of one component over samples of one multisampled image at the own pixel.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Blend {
    /// Variable of the image.
    pub image: u32,
    pub component: u32,
    /// Weight of each sample index.
    pub weights: BTreeMap<u32, f32>,
}

impl Blend {
    fn scaled(&self, by: f32) -> Self {
        let weights = self.weights.iter().map(|(sample, weight)| (*sample, weight * by));
        Self { weights: weights.collect(), ..*self }
    }

    fn sum(&self, other: &Self) -> Option<Self> {
        let same = self.image == other.image && self.component == other.component;
        same.then(|| {
            let mut sum = self.clone();
            for (sample, weight) in &other.weights {
                *sum.weights.entry(*sample).or_default() += weight;
            }
            sum
        })
    }
}

/// A value, as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Unknown,
    Bool(bool),
    /// A 32-bit integer or float.
    Bits(u32),
    /// Components, elements or members.
    Parts(Vec<Value>),
    /// A variable and the indices into it.
    Pointer(u32, Vec<u32>),
    /// The image of a variable, with or without its sampler.
    Image(u32),
    /// `FragCoord`.
    FragCoord(Axis),
    /// The own pixel's integer coordinate.
    Pixel(Axis),
    Blend(Rc<Blend>),
}

impl Value {
    /// The float that the bits are.
    pub fn float(&self) -> Option<f32> {
        match self {
            Self::Bits(bits) => Some(f32::from_bits(*bits)),
            _ => None,
        }
    }

    /// Number of values inside, itself included: what a copy costs.
    pub fn size(&self) -> u32 {
        match self {
            Self::Parts(parts) => {
                parts.iter().map(Self::size).fold(1, |sum, size| sum.saturating_add(size))
            }
            Self::Pointer(_, path) => 1 + path.len() as u32,
            Self::Blend(blend) => 1 + blend.weights.len() as u32,
            _ => 1,
        }
    }

    /// The value at a path; `None` if the path leaves it. What is inside an unknown value is
    /// unknown.
    pub fn at(&self, path: &[u32]) -> Option<&Value> {
        match (self, path.split_first()) {
            (Self::Unknown, _) => Some(&Self::Unknown),
            (_, None) => Some(self),
            (Self::Parts(parts), Some((first, rest))) => parts.get(*first as usize)?.at(rest),
            _ => None,
        }
    }

    /// The place at a path, to be written; a write inside an unknown value is lost.
    pub fn at_mut(&mut self, path: &[u32]) -> Option<&mut Value> {
        match (self, path.split_first()) {
            (place, None) => Some(place),
            (place @ Self::Unknown, _) => Some(place).filter(|_| false),
            (Self::Parts(parts), Some((first, rest))) => {
                parts.get_mut(*first as usize)?.at_mut(rest)
            }
            _ => None,
        }
    }

    /// Applies `f` to each component.
    pub fn map(&self, f: &dyn Fn(&Value) -> Value) -> Value {
        match self {
            Self::Parts(parts) => Self::Parts(parts.iter().map(|part| part.map(f)).collect()),
            scalar => f(scalar),
        }
    }

    /// Applies `f` to each pair of components.
    pub fn zip(&self, other: &Value, f: &dyn Fn(&Value, &Value) -> Value) -> Value {
        match (self, other) {
            (Self::Parts(a), Self::Parts(b)) if a.len() == b.len() => {
                Self::Parts(a.iter().zip(b).map(|(a, b)| a.zip(b, f)).collect())
            }
            (Self::Parts(_), _) | (_, Self::Parts(_)) => Self::Unknown,
            (a, b) => f(a, b),
        }
    }

    /// `a + b` of floats.
    pub fn add(a: &Value, b: &Value) -> Value {
        match (a, b) {
            (Self::Blend(a), Self::Blend(b)) => {
                a.sum(b).map_or(Self::Unknown, |sum| Self::Blend(Rc::new(sum)))
            }
            (Self::Blend(_), _) if b.float() == Some(0.0) => a.clone(),
            (_, Self::Blend(_)) if a.float() == Some(0.0) => b.clone(),
            _ => float2(a, b, |a, b| a + b),
        }
    }

    /// `a * b` of floats.
    pub fn multiply(a: &Value, b: &Value) -> Value {
        match (a, b, a.float(), b.float()) {
            (Self::Blend(blend), _, _, Some(by)) | (_, Self::Blend(blend), Some(by), _) => {
                Self::Blend(Rc::new(blend.scaled(by)))
            }
            _ => float2(a, b, |a, b| a * b),
        }
    }

    /// `a / b` of floats.
    pub fn divide(a: &Value, b: &Value) -> Value {
        match (a, b.float()) {
            (Self::Blend(blend), Some(by)) => Self::Blend(Rc::new(blend.scaled(1.0 / by))),
            _ => float2(a, b, |a, b| a / b),
        }
    }
}

/// A function of two floats.
pub(super) fn float2(a: &Value, b: &Value, f: impl Fn(f32, f32) -> f32) -> Value {
    match (a.float(), b.float()) {
        (Some(a), Some(b)) => Value::Bits(f(a, b).to_bits()),
        _ => Value::Unknown,
    }
}
