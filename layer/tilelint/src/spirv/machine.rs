//! Runs an entry point on what is known of its inputs. Whatever cannot be followed (a branch on
//! an unknown value, an instruction that is not understood, too many steps) ends the run.

use super::module::Module;
use super::place::Axis;
use super::scalar;
use super::value::{Blend, Value};
use super::walk::Inst;
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::{BuiltIn, Dim, GlslStd450Op, ImageOperands, Op, StorageClass};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Steps and copied values that one run may take.
const FUEL: u32 = 50_000;
/// Calls in calls.
const DEEPEST_CALL: u32 = 16;
/// Elements of one variable.
const LARGEST: u32 = 1024;

/// One run of an entry point.
pub(super) struct Machine<'m, 'a> {
    module: &'m Module<'a>,
    /// Value of a built-in input.
    input: &'m dyn Fn(BuiltIn) -> Value,
    values: FxHashMap<u32, Value>,
    memory: FxHashMap<u32, Value>,
    /// Variables that were written, with the first index of the path.
    stored: FxHashSet<(u32, Option<u32>)>,
    fuel: u32,
}

/// Where a block leads.
enum Next {
    Step,
    Block(u32),
    Return(Value),
}

impl<'m, 'a> Machine<'m, 'a> {
    /// Runs a function without parameters to its end.
    pub fn run(
        module: &'m Module<'a>,
        function: u32,
        input: &'m dyn Fn(BuiltIn) -> Value,
    ) -> Option<Self> {
        let (values, memory, stored) = Default::default();
        let mut machine = Self { module, input, values, memory, stored, fuel: FUEL };
        machine.call(function, Vec::new(), DEEPEST_CALL)?;
        Some(machine)
    }

    /// What a variable holds, unknown where nothing was written.
    pub fn output(&self, variable: u32) -> &Value {
        self.memory.get(&variable).unwrap_or(&Value::Unknown)
    }

    /// Variables that were written, with the first index if only a part was.
    pub fn stored(&self) -> impl Iterator<Item = (u32, Option<u32>)> {
        self.stored.iter().copied()
    }

    fn spend(&mut self, cost: u32) -> Option<()> {
        self.fuel = self.fuel.checked_sub(cost)?;
        Some(())
    }

    fn call(&mut self, function: u32, arguments: Vec<Value>, depth: u32) -> Option<Value> {
        let body = self.module.functions.get(&function)?.clone();
        let depth = depth.checked_sub(1)?;
        let mut arguments = arguments.into_iter();
        let (mut at, mut block) = (body.start, 0);
        loop {
            self.spend(1)?;
            let inst = *self.module.insts.get(at).filter(|_| body.contains(&at))?;
            at += 1;
            match inst.op? {
                Op::FunctionParameter => {
                    self.values.insert(inst.word(1)?, arguments.next()?);
                }
                Op::Label => {
                    let from = std::mem::replace(&mut block, inst.word(0)?);
                    at = self.phis(at, from)?;
                }
                _ => match self.step(&inst, depth)? {
                    Next::Step => {}
                    Next::Block(label) => {
                        self.module.def_of(label, Op::Label)?;
                        at = self.module.index(label)?;
                    }
                    Next::Return(value) => return Some(value),
                },
            }
        }
    }

    /// The phis at the start of a block, which all read the values from before it.
    fn phis(&mut self, mut at: usize, from: u32) -> Option<usize> {
        let mut new = Vec::new();
        while let Some(inst) = self.module.insts.get(at) {
            match inst.op {
                Some(Op::Phi) => {
                    let pair = inst.rest(2).chunks_exact(2).find(|pair| pair[1] == from)?;
                    new.push((inst.word(1)?, self.value(pair[0])?));
                }
                Some(Op::Line | Op::NoLine) => {}
                _ => break,
            }
            self.spend(1)?;
            at += 1;
        }
        self.values.extend(new);
        Some(at)
    }

    fn step(&mut self, inst: &Inst<'a>, depth: u32) -> Option<Next> {
        match inst.op? {
            Op::Function | Op::Line | Op::NoLine | Op::Nop | Op::LoopMerge | Op::SelectionMerge => {
            }
            Op::Branch => return Some(Next::Block(inst.word(0)?)),
            Op::BranchConditional => {
                let Value::Bool(taken) = self.value(inst.word(0)?)? else { return None };
                return Some(Next::Block(inst.word(if taken { 1 } else { 2 })?));
            }
            Op::Switch => {
                let Value::Bits(selector) = self.value(inst.word(0)?)? else { return None };
                let case = inst.rest(2).chunks_exact(2).find(|case| case[0] == selector);
                return Some(Next::Block(case.map_or(inst.word(1)?, |case| case[1])));
            }
            Op::Return => return Some(Next::Return(Value::Unknown)),
            Op::ReturnValue => return Some(Next::Return(self.value(inst.word(0)?)?)),
            Op::Store => {
                let value = self.value(inst.word(1)?)?;
                self.store(inst.word(0)?, value)?;
            }
            op => {
                let value = match op {
                    Op::FunctionCall => {
                        let arguments = self.values_of(inst.rest(3))?;
                        self.call(inst.word(2)?, arguments, depth)?
                    }
                    Op::Variable => {
                        let initial = self.initial(inst)?;
                        self.memory.insert(inst.word(1)?, initial);
                        Value::Pointer(inst.word(1)?, Vec::new())
                    }
                    _ => self.compute(op, inst)?,
                };
                self.values.insert(inst.result()?, value);
            }
        }
        Some(Next::Step)
    }

    fn values_of(&mut self, ids: &[u32]) -> Option<Vec<Value>> {
        ids.iter().map(|id| self.value(*id)).collect()
    }

    /// A copy of the value of an id.
    fn value(&mut self, id: u32) -> Option<Value> {
        if let Some(value) = self.values.get(&id) {
            let value = value.clone();
            self.spend(value.size())?;
            return Some(value);
        }
        let value = self.declared(id, 8)?;
        self.values.insert(id, value.clone());
        Some(value)
    }

    /// Constants and variables of the module.
    fn declared(&mut self, id: u32, depth: u32) -> Option<Value> {
        self.spend(1)?;
        let inst = *self.module.def(id)?;
        let depth = depth.checked_sub(1)?;
        Some(match inst.op? {
            Op::ConstantTrue => Value::Bool(true),
            Op::ConstantFalse => Value::Bool(false),
            Op::Constant => self.module.constant(id).map_or(Value::Unknown, Value::Bits),
            Op::ConstantNull => {
                let (scalar, count) = self.module.vector(inst.ty()?)?;
                let zero = match self.module.def(scalar)?.op? {
                    Op::TypeBool => Value::Bool(false),
                    _ if self.module.is_32_bit(scalar, Op::TypeInt) => Value::Bits(0),
                    _ if self.module.is_32_bit(scalar, Op::TypeFloat) => Value::Bits(0),
                    _ => Value::Unknown,
                };
                let vector = self.module.def_of(inst.ty()?, Op::TypeVector).is_some();
                if vector { Value::Parts(vec![zero; count as usize]) } else { zero }
            }
            Op::ConstantComposite => {
                let parts = inst.rest(2).iter().map(|part| self.declared(*part, depth));
                Value::Parts(parts.collect::<Option<_>>()?)
            }
            Op::Variable => Value::Pointer(id, Vec::new()),
            Op::Undef | Op::SpecConstantTrue | Op::SpecConstantFalse => Value::Unknown,
            Op::SpecConstant | Op::SpecConstantComposite | Op::SpecConstantOp => Value::Unknown,
            _ => return None,
        })
    }

    /// What a variable holds before the first write.
    fn initial(&mut self, inst: &Inst<'a>) -> Option<Value> {
        match inst.word(3) {
            Some(initial) => self.value(initial),
            None => {
                let mut left = LARGEST;
                let blank = self.blank(self.module.pointee(inst.word(1)?)?, &mut left, 8);
                self.spend(blank.size())?;
                Some(blank)
            }
        }
    }

    /// An unknown value that has places to write to.
    fn blank(&self, ty: u32, left: &mut u32, depth: u32) -> Value {
        let Some(inst) = self.module.def(ty) else { return Value::Unknown };
        let elements = match inst.op {
            Some(Op::TypeVector | Op::TypeMatrix) => inst.word(2),
            Some(Op::TypeArray) => inst.word(2).and_then(|id| self.module.constant(id)),
            Some(Op::TypeStruct) => Some(inst.rest(1).len() as u32),
            _ => None,
        };
        let Some((rest, depth)) =
            elements.and_then(|count| left.checked_sub(count)).zip(depth.checked_sub(1))
        else {
            return Value::Unknown;
        };
        *left = rest;
        let member = |at| match inst.op {
            Some(Op::TypeStruct) => inst.word(1 + at as usize),
            _ => inst.word(1),
        };
        let parts = (0..elements.unwrap_or(0)).map(|at| match member(at) {
            Some(ty) => self.blank(ty, left, depth),
            None => Value::Unknown,
        });
        Value::Parts(parts.collect())
    }

    fn load(&mut self, pointer: u32) -> Option<Value> {
        let Value::Pointer(root, path) = self.value(pointer)? else { return None };
        let value = match self.module.class(root)? {
            StorageClass::Input => match self.module.builtin(root) {
                Some(builtin) => (self.input)(builtin).at(&path)?.clone(),
                None => Value::Unknown,
            },
            StorageClass::UniformConstant if path.is_empty() => match self.module.image(root) {
                Some(_) => Value::Image(root),
                None => Value::Unknown,
            },
            StorageClass::Function | StorageClass::Private | StorageClass::Output => {
                self.variable(root)?.at(&path)?.clone()
            }
            _ => Value::Unknown,
        };
        self.spend(value.size())?;
        Some(value)
    }

    fn store(&mut self, pointer: u32, value: Value) -> Option<()> {
        let Value::Pointer(root, path) = self.value(pointer)? else { return None };
        match self.module.class(root)? {
            StorageClass::Function | StorageClass::Private | StorageClass::Output => {
                self.stored.insert((root, path.first().copied()));
                // A place that was never laid out stays unknown.
                if let Some(place) = self.variable(root)?.at_mut(&path) {
                    *place = value;
                }
                Some(())
            }
            _ => None,
        }
    }

    fn variable(&mut self, root: u32) -> Option<&mut Value> {
        if !self.memory.contains_key(&root) {
            let inst = *self.module.def_of(root, Op::Variable)?;
            let initial = self.initial(&inst)?;
            self.memory.insert(root, initial);
        }
        self.memory.get_mut(&root)
    }

    /// Instructions that have a result and no side effect.
    fn compute(&mut self, op: Op, inst: &Inst<'a>) -> Option<Value> {
        match op {
            Op::Load => self.load(inst.word(2)?),
            Op::AccessChain | Op::InBoundsAccessChain => {
                let Value::Pointer(root, mut path) = self.value(inst.word(2)?)? else {
                    return None;
                };
                for index in inst.rest(3) {
                    let Value::Bits(index) = self.value(*index)? else { return None };
                    path.push(index);
                }
                Some(Value::Pointer(root, path))
            }
            Op::CompositeConstruct => self.construct(inst),
            Op::CompositeExtract => {
                let part = self.value(inst.word(2)?)?.at(inst.rest(3))?.clone();
                Some(part)
            }
            Op::CompositeInsert => {
                let object = self.value(inst.word(2)?)?;
                let mut whole = self.value(inst.word(3)?)?;
                if let Some(place) = whole.at_mut(inst.rest(4)) {
                    *place = object;
                    return Some(whole);
                }
                Some(Value::Unknown)
            }
            Op::VectorExtractDynamic => {
                let vector = self.value(inst.word(2)?)?;
                let Value::Bits(index) = self.value(inst.word(3)?)? else { return None };
                vector.at(&[index]).cloned()
            }
            Op::VectorShuffle => {
                let (a, b) = (self.value(inst.word(2)?)?, self.value(inst.word(3)?)?);
                let (Value::Parts(mut both), Value::Parts(b)) = (a, b) else {
                    return Some(Value::Unknown);
                };
                both.extend(b);
                let pick = |at: &u32| both.get(*at as usize).cloned().unwrap_or(Value::Unknown);
                Some(Value::Parts(inst.rest(4).iter().map(pick).collect()))
            }
            Op::Image | Op::SampledImage => self.value(inst.word(2)?),
            Op::ImageFetch | Op::ImageRead => self.fetch(inst),
            _ => self.arithmetic(op, inst),
        }
    }

    /// A vector may be made of vectors; other composites are made of their members.
    fn construct(&mut self, inst: &Inst<'a>) -> Option<Value> {
        let parts = self.values_of(inst.rest(2))?;
        let Some((_, count)) = self.module.vector(inst.ty()?) else {
            return Some(Value::Parts(parts));
        };
        let flat: Vec<Value> = parts
            .into_iter()
            .flat_map(|part| match part {
                Value::Parts(parts) => parts,
                scalar => vec![scalar],
            })
            .collect();
        Some(if flat.len() == count as usize { Value::Parts(flat) } else { Value::Unknown })
    }

    fn arithmetic(&mut self, op: Op, inst: &Inst<'a>) -> Option<Value> {
        // Images can be asked about, inputs derived and more: none of it matters unless it is
        // an output or decides a branch.
        let ty = inst.ty()?;
        let operands = inst.rest(2);
        match self.module.glsl(inst) {
            // These two also write through a pointer.
            Some(GlslStd450Op::Modf | GlslStd450Op::Frexp) => return None,
            Some(GlslStd450Op::Fma) if self.is_evaluated(ty) => {
                let operands = self.values_of(inst.rest(4))?;
                let [a, b, c] = operands.as_slice() else { return None };
                return Some(scalar::multiply_add(a, b, c));
            }
            _ => {}
        }
        let known = scalar::understands(op) && self.is_evaluated(ty);
        let from = operands.first().and_then(|id| self.module.type_of(*id));
        if !known || operands.len() > 3 || !from.is_some_and(|ty| self.is_evaluated(ty)) {
            return inst.layout().map(|_| Value::Unknown);
        }
        let operands = self.values_of(operands)?;
        self.spend(operands.iter().map(Value::size).fold(0, u32::saturating_add))?;
        Some(scalar::evaluate(op, &operands).unwrap_or(Value::Unknown))
    }

    /// Scalars and vectors of booleans or of 32 bits.
    fn is_evaluated(&self, ty: u32) -> bool {
        let Some((scalar, _)) = self.module.vector(ty) else { return false };
        self.module.def_of(scalar, Op::TypeBool).is_some()
            || self.module.is_32_bit(ty, Op::TypeInt)
            || self.module.is_32_bit(ty, Op::TypeFloat)
    }

    /// One sample of a multisampled image at the own pixel; anything else is unknown.
    fn fetch(&mut self, inst: &Inst<'a>) -> Option<Value> {
        let image = self.value(inst.word(2)?)?;
        let coordinate = self.value(inst.word(3)?)?;
        let Value::Image(root) = image else { return Some(Value::Unknown) };
        let ty = self.module.image(root)?;
        let own = [Value::Pixel(Axis::X), Value::Pixel(Axis::Y)];
        let zero = [Value::Bits(0), Value::Bits(0)];
        let at_own_pixel = match &coordinate {
            Value::Parts(parts) if ty.is(Dim::DimSubpassData) => parts[..] == zero,
            Value::Parts(parts) if ty.is(Dim::Dim2D) => parts[..] == own,
            _ => false,
        };
        let only_sample = inst.word(4) == Some(ImageOperands::SAMPLE.bits());
        let float = self.module.is_32_bit(inst.ty()?, Op::TypeFloat);
        if !at_own_pixel || !ty.multisampled || ty.arrayed || !only_sample || !float {
            return Some(Value::Unknown);
        }
        let Value::Bits(sample) = self.value(inst.word(5)?)? else { return Some(Value::Unknown) };
        let (_, count) = self.module.vector(inst.ty()?)?;
        let weights = BTreeMap::from([(sample, 1.0)]);
        let blend = |component| {
            let weights = weights.clone();
            Value::Blend(Rc::new(Blend { image: root, component, weights }))
        };
        Some(Value::Parts((0..count).map(blend).collect()))
    }
}
