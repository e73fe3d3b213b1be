//! Where a coordinate comes from, component by component. Flow is not looked at: a value that
//! may be two things is neither.

use super::module::Module;
use super::reach::{Reach, Write};
use super::walk::Inst;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use spirv::{BuiltIn, Decoration, Dim, GlslStd450Op, Op, StorageClass};

/// Deeper expressions are unknown: the stack of a stranger's process is not ours to spend.
const DEEPEST: u32 = 64;

/// A framebuffer axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    X,
    Y,
}

/// One component of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Unknown,
    /// Bits of a 32-bit constant.
    Constant(u32),
    /// `FragCoord`, within the own pixel.
    FragCoord(Axis),
    /// `FragCoord` rounded down, still a float.
    Floor(Axis),
    /// The own pixel's integer coordinate.
    Pixel(Axis),
    /// Extent of level 0 of the image of a variable.
    Size(Axis, u32),
    /// The same as a float.
    FloatSize(Axis, u32),
    /// `FragCoord` over the extent of the image of a variable.
    Normalised(Axis, u32),
    /// An interpolated input: location, component.
    Input(u32, u32),
    /// `SampleId`.
    SampleId,
    /// `Layer` or `ViewIndex`.
    Layer,
}

/// Components of a scalar or vector; empty for other types.
pub(super) type Parts = SmallVec<[Part; 4]>;

/// Evaluates ids of one entry point.
#[derive(Debug)]
pub(super) struct Places<'m, 'a> {
    module: &'m Module<'a>,
    reach: &'m Reach,
    known: FxHashMap<u32, Parts>,
    /// What pointers load, so that no path is walked twice.
    loads: FxHashMap<u32, Option<Parts>>,
    depth: u32,
}

impl<'m, 'a> Places<'m, 'a> {
    pub fn new(module: &'m Module<'a>, reach: &'m Reach) -> Self {
        Self { module, reach, known: FxHashMap::default(), loads: FxHashMap::default(), depth: 0 }
    }

    /// The components of a value; unknown in circles, so a loop's variable is unknown.
    pub fn eval(&mut self, id: u32) -> Parts {
        if let Some(parts) = self.known.get(&id) {
            return parts.clone();
        }
        let blank = self.blank(id);
        if self.depth == DEEPEST {
            return blank;
        }
        self.known.insert(id, blank.clone());
        self.depth += 1;
        let module = self.module;
        let parts = module.def(id).and_then(|inst| self.value(inst)).unwrap_or_default();
        self.depth -= 1;
        let parts = if parts.len() == blank.len() { parts } else { blank };
        self.known.insert(id, parts.clone());
        parts
    }

    /// One component, unknown where there is none.
    pub fn part(&mut self, id: u32, at: usize) -> Part {
        self.eval(id).get(at).copied().unwrap_or(Part::Unknown)
    }

    /// Whether a value is 0 in every component, integer or float.
    pub fn is_zero(&mut self, id: u32) -> bool {
        let parts = self.eval(id);
        let zero = |part: &Part| *part == Part::Constant(0);
        !parts.is_empty() && parts.iter().all(zero)
    }

    fn blank(&self, id: u32) -> Parts {
        let ty = self.module.type_of(id).and_then(|ty| self.module.vector(ty));
        smallvec![Part::Unknown; ty.map_or(0, |(_, count)| count as usize)]
    }

    fn value(&mut self, inst: &Inst<'a>) -> Option<Parts> {
        let ty = inst.ty()?;
        let (_, count) = self.module.vector(ty)?;
        match inst.op? {
            Op::Constant => Some(smallvec![Part::Constant(self.module.constant(inst.word(1)?)?)]),
            Op::ConstantNull => Some(smallvec![Part::Constant(0); count as usize]),
            Op::ConstantComposite | Op::CompositeConstruct => {
                Some(inst.rest(2).iter().flat_map(|id| self.eval(*id)).collect())
            }
            Op::Load => self.load(inst.word(2)?),
            Op::CopyObject => Some(self.eval(inst.word(2)?)),
            Op::CompositeExtract => {
                let &[index] = inst.rest(3) else { return None };
                Some(smallvec![self.part(inst.word(2)?, index as usize)])
            }
            Op::VectorShuffle => {
                let mut both = self.eval(inst.word(2)?);
                both.extend(self.eval(inst.word(3)?));
                let pick = |at: &u32| both.get(*at as usize).copied().unwrap_or(Part::Unknown);
                Some(inst.rest(4).iter().map(pick).collect())
            }
            Op::Phi => {
                let ids: SmallVec<[u32; 4]> = inst.rest(2).iter().step_by(2).copied().collect();
                self.join(&ids)
            }
            Op::Select => self.join(inst.rest(3)),
            Op::FunctionParameter => {
                let arguments = self.reach.arguments(self.module, inst.word(1)?)?;
                self.join(&arguments)
            }
            Op::FunctionCall => {
                let reach = self.reach;
                self.join(reach.returns(inst.word(2)?))
            }
            Op::ImageQuerySizeLod if !self.is_zero(inst.word(3)?) => None,
            Op::ImageQuerySizeLod | Op::ImageQuerySize => self.size(inst, count),
            Op::FDiv => Some(self.zip(inst, divide)?),
            Op::ExtInst => match self.module.glsl(inst)? {
                GlslStd450Op::Floor | GlslStd450Op::Trunc => Some(self.map(inst.word(4)?, floor)),
                _ => None,
            },
            op => convert(op).map(|f| self.map_32_bit(inst, ty, f))?,
        }
    }

    fn map(&mut self, id: u32, f: fn(Part) -> Part) -> Parts {
        self.eval(id).into_iter().map(f).collect()
    }

    fn map_32_bit(&mut self, inst: &Inst<'a>, ty: u32, f: fn(Part) -> Part) -> Option<Parts> {
        let wide = self.module.is_32_bit(ty, Op::TypeInt);
        let wide = wide || self.module.is_32_bit(ty, Op::TypeFloat);
        wide.then_some(())?;
        Some(self.map(inst.word(2)?, f))
    }

    fn zip(&mut self, inst: &Inst<'a>, f: fn(Part, Part) -> Part) -> Option<Parts> {
        let (a, b) = (self.eval(inst.word(2)?), self.eval(inst.word(3)?));
        Some(a.into_iter().zip(b).map(|(a, b)| f(a, b)).collect())
    }

    fn join(&mut self, ids: &[u32]) -> Option<Parts> {
        let (first, rest) = ids.split_first()?;
        let mut parts = self.eval(*first);
        for id in rest {
            merge(&mut parts, &self.eval(*id));
        }
        Some(parts)
    }

    fn size(&mut self, inst: &Inst<'a>, count: u32) -> Option<Parts> {
        let roots = self.reach.roots(self.module, inst.word(2)?)?;
        let &[root] = roots.as_slice() else { return None };
        self.module.image(root).filter(|image| image.is(Dim::Dim2D))?;
        let mut parts = smallvec![Part::Size(Axis::X, root), Part::Size(Axis::Y, root)];
        parts.resize(count as usize, Part::Unknown);
        Some(parts)
    }

    fn load(&mut self, pointer: u32) -> Option<Parts> {
        if let Some(parts) = self.loads.get(&pointer) {
            return parts.clone();
        }
        self.loads.insert(pointer, None);
        self.depth += 1;
        let parts = if self.depth >= DEEPEST { None } else { self.pointed(pointer) };
        self.depth -= 1;
        self.loads.insert(pointer, parts.clone());
        parts
    }

    fn pointed(&mut self, pointer: u32) -> Option<Parts> {
        let inst = self.module.def(pointer)?;
        match inst.op? {
            Op::Variable => match self.module.class(pointer)? {
                StorageClass::Input => self.input(pointer),
                StorageClass::Function | StorageClass::Private => self.local(inst, pointer),
                _ => None,
            },
            Op::CopyObject => self.load(inst.word(2)?),
            Op::FunctionParameter => {
                let arguments = self.reach.arguments(self.module, pointer)?;
                let mut values = arguments.iter().map(|id| self.load(*id));
                let mut parts = values.next()??;
                for other in values {
                    merge(&mut parts, &other?);
                }
                Some(parts)
            }
            Op::AccessChain | Op::InBoundsAccessChain => {
                let base = inst.word(2)?;
                let &[index] = inst.rest(3) else { return None };
                let index = self.module.constant(index)?;
                let pointee = self.module.pointee(base)?;
                if self.module.def_of(pointee, Op::TypeVector).is_some() {
                    let part = self.load(base)?.get(index as usize).copied()?;
                    return Some(smallvec![part]);
                }
                self.input_member(base, pointee, index)
            }
            _ => None,
        }
    }

    fn input(&self, variable: u32) -> Option<Parts> {
        let module = self.module;
        if let Some(builtin) = module.builtin(variable) {
            return Some(match builtin {
                BuiltIn::FragCoord => smallvec![
                    Part::FragCoord(Axis::X),
                    Part::FragCoord(Axis::Y),
                    Part::Unknown,
                    Part::Unknown
                ],
                BuiltIn::SampleId => smallvec![Part::SampleId],
                BuiltIn::Layer | BuiltIn::ViewIndex => smallvec![Part::Layer],
                _ => return None,
            });
        }
        self.interpolated(module.pointee(variable)?, |which| module.decoration(variable, which))
    }

    fn input_member(&self, base: u32, ty: u32, member: u32) -> Option<Parts> {
        let module = self.module;
        module.def_of(base, Op::Variable)?;
        (module.class(base)? == StorageClass::Input).then_some(())?;
        let member_ty = *module.members(ty).get(member as usize)?;
        self.interpolated(member_ty, |which| module.member_decoration(ty, member, which))
    }

    fn interpolated(
        &self,
        ty: u32,
        decoration: impl Fn(Decoration) -> Option<u32>,
    ) -> Option<Parts> {
        let moved = [Decoration::Flat, Decoration::Centroid, Decoration::Sample];
        let moved = moved.into_iter().any(|which| decoration(which).is_some());
        (!moved && self.module.is_32_bit(ty, Op::TypeFloat)).then_some(())?;
        let location = decoration(Decoration::Location)?;
        let first = decoration(Decoration::Component).unwrap_or(0).min(3);
        let (_, count) = self.module.vector(ty)?;
        Some((first..first + count).map(|component| Part::Input(location, component)).collect())
    }

    /// All that is ever written to a variable, joined: the order of writes and reads is not
    /// known, and what is read before the first write is undefined anyway.
    fn local(&mut self, inst: &Inst<'a>, variable: u32) -> Option<Parts> {
        let (_, count) = self.module.vector(self.module.pointee(variable)?)?;
        let reach = self.reach;
        let mut parts: SmallVec<[Option<Part>; 4]> = smallvec![None; count as usize];
        let mut put = |at: usize, part: Part| {
            if let Some(slot) = parts.get_mut(at) {
                *slot = Some(if slot.is_none_or(|old| old == part) { part } else { Part::Unknown });
            }
        };
        let initial = inst.word(3).map(Write::Whole);
        for write in initial.iter().chain(reach.writes(variable)?) {
            match *write {
                Write::Whole(value) => {
                    self.eval(value).iter().enumerate().for_each(|(at, part)| put(at, *part));
                }
                Write::Component(at, value) => put(at as usize, self.part(value, 0)),
                Write::Other => return None,
            }
        }
        Some(parts.into_iter().map(|part| part.unwrap_or(Part::Unknown)).collect())
    }
}

fn merge(parts: &mut Parts, other: &Parts) {
    for (at, part) in parts.iter_mut().enumerate() {
        if other.get(at) != Some(part) {
            *part = Part::Unknown;
        }
    }
}

fn divide(a: Part, b: Part) -> Part {
    match (a, b) {
        (Part::FragCoord(a), Part::FloatSize(b, image)) if a == b => Part::Normalised(a, image),
        _ => Part::Unknown,
    }
}

fn floor(part: Part) -> Part {
    match part {
        Part::FragCoord(axis) => Part::Floor(axis),
        _ => Part::Unknown,
    }
}

/// Conversions that keep a component's meaning; the result must have 32 bits.
fn convert(op: Op) -> Option<fn(Part) -> Part> {
    Some(match op {
        Op::ConvertFToS | Op::ConvertFToU => |part| match part {
            Part::FragCoord(axis) | Part::Floor(axis) => Part::Pixel(axis),
            _ => Part::Unknown,
        },
        Op::ConvertSToF | Op::ConvertUToF => |part| match part {
            Part::Size(axis, image) => Part::FloatSize(axis, image),
            Part::Layer => Part::Layer,
            Part::Constant(0) => Part::Constant(0),
            _ => Part::Unknown,
        },
        Op::Bitcast => |part| match part {
            Part::Constant(_) | Part::Pixel(_) | Part::Size(..) | Part::Layer | Part::SampleId => {
                part
            }
            _ => Part::Unknown,
        },
        _ => return None,
    })
}
