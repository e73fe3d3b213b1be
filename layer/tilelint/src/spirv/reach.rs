//! What the entry point reaches: functions, variables, writes, side effects.

use super::module::Module;
use super::walk::Inst;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use spirv::{GlslStd450Op, Op, StorageClass};

/// A write to a variable of the function or private class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Write {
    /// The whole variable becomes this value.
    Whole(u32),
    /// One component of a vector becomes this value.
    Component(u32, u32),
    /// Anything else.
    Other,
}

/// The part of a module that an entry point can run.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// Indices of the instructions in reachable functions.
    pub insts: Vec<usize>,
    /// Variables that a reachable instruction names as a pointer.
    pub used: FxHashSet<u32>,
    /// Variables of the output class that are written.
    pub written: FxHashSet<u32>,
    /// An invocation may end without an output.
    pub discards: bool,
    /// Memory outside the invocation is written.
    pub stores: bool,
    /// Something reachable is not understood.
    pub opaque: bool,
    /// Reachable calls of each function, as indices of `OpFunctionCall`.
    calls: FxHashMap<u32, Vec<usize>>,
    /// Function and place of each parameter.
    parameters: FxHashMap<u32, (u32, usize)>,
    /// Values that each function returns.
    returns: FxHashMap<u32, Vec<u32>>,
    writes: FxHashMap<u32, Vec<Write>>,
    /// A write went to a variable that could not be told.
    lost_write: bool,
}

impl Reach {
    /// `None` if the call graph has a hole.
    pub fn new(module: &Module, entry: u32) -> Option<Self> {
        let mut reach = Self::default();
        let mut seen = FxHashSet::from_iter([entry]);
        let mut next = vec![entry];
        while let Some(function) = next.pop() {
            let mut parameters = 0;
            let mut has_body = false;
            for at in module.functions.get(&function)?.clone() {
                let inst = module.insts.get(at)?;
                reach.insts.push(at);
                match inst.op {
                    Some(Op::Label) => has_body = true,
                    Some(Op::FunctionParameter) => {
                        reach.parameters.insert(inst.word(1)?, (function, parameters));
                        parameters += 1;
                    }
                    Some(Op::FunctionCall) => {
                        let callee = inst.word(2)?;
                        reach.calls.entry(callee).or_default().push(at);
                        if seen.insert(callee) {
                            next.push(callee);
                        }
                    }
                    Some(Op::ReturnValue) => {
                        reach.returns.entry(function).or_default().push(inst.word(0)?);
                    }
                    _ => {}
                }
            }
            // An imported function may do anything.
            reach.opaque |= !has_body;
        }
        for at in 0..reach.insts.len() {
            let inst = module.insts.get(reach.insts[at])?;
            reach.note(module, inst);
        }
        Some(reach)
    }

    /// Arguments that reachable calls give for a parameter.
    pub fn arguments(&self, module: &Module, parameter: u32) -> Option<Vec<u32>> {
        let (function, place) = self.parameters.get(&parameter)?;
        let calls = self.calls.get(function)?;
        calls.iter().map(|&at| module.insts.get(at)?.word(3 + place)).collect()
    }

    /// Values that a function returns.
    pub fn returns(&self, function: u32) -> &[u32] {
        self.returns.get(&function).map_or(&[], Vec::as_slice)
    }

    /// All writes to a function or private variable, its initializer aside; `None` if not known.
    pub fn writes(&self, variable: u32) -> Option<&[Write]> {
        if self.lost_write {
            return None;
        }
        Some(self.writes.get(&variable).map_or(&[], Vec::as_slice))
    }

    /// The variables that a pointer, image or combined image sampler may come from; `None` if
    /// one of them cannot be told.
    pub fn roots(&self, module: &Module, id: u32) -> Option<Vec<u32>> {
        let mut roots = Vec::new();
        let mut seen = FxHashSet::from_iter([id]);
        let mut next = vec![id];
        while let Some(id) = next.pop() {
            let inst = module.def(id)?;
            let from: SmallVec<[u32; 4]> = match inst.op? {
                Op::Variable => {
                    roots.push(id);
                    continue;
                }
                Op::Load if module.class(inst.word(2)?)? != StorageClass::UniformConstant => {
                    return None;
                }
                Op::Load
                | Op::AccessChain
                | Op::InBoundsAccessChain
                | Op::CopyObject
                | Op::SampledImage
                | Op::Image
                | Op::ImageTexelPointer => SmallVec::from_slice(&[inst.word(2)?]),
                Op::Select => SmallVec::from_slice(inst.rest(3)),
                Op::Phi => inst.rest(2).iter().step_by(2).copied().collect(),
                Op::FunctionParameter => self.arguments(module, id)?.into(),
                _ => return None,
            };
            next.extend(from.into_iter().filter(|id| seen.insert(*id)));
        }
        Some(roots)
    }

    fn note(&mut self, module: &Module, inst: &Inst) {
        let Some(op) = inst.op.filter(|_| inst.layout().is_some()) else {
            self.opaque = true;
            return;
        };
        // Debug information names variables without using them.
        let debug = op == Op::ExtInst && module.glsl(inst).is_none();
        for id in pointers(op, inst).into_iter().filter(|_| !debug) {
            if module.def_of(id, Op::Variable).is_some() {
                self.used.insert(id);
            }
        }
        match op {
            Op::Kill | Op::TerminateInvocation | Op::DemoteToHelperInvocation => {
                self.discards = true;
            }
            Op::ImageWrite => self.stores = true,
            Op::Store => self.write(module, inst.word(0), inst.word(1)),
            Op::CopyMemory | Op::CopyMemorySized => self.write(module, inst.word(0), None),
            Op::AtomicStore => self.write(module, inst.word(0), None),
            _ if (229..=242).contains(&(op as u32)) => self.write(module, inst.word(2), None),
            Op::ExtInst => match module.glsl(inst) {
                Some(GlslStd450Op::Modf | GlslStd450Op::Frexp) => {
                    self.write(module, inst.word(5), None);
                }
                Some(_) => {}
                // Debug information in a body changes nothing, and it is typed as void.
                None => {
                    let void = inst.ty().and_then(|ty| module.def_of(ty, Op::TypeVoid));
                    self.opaque |= void.is_none();
                }
            },
            _ => {}
        }
    }

    /// `value` is `None` where the value that is written is no id.
    fn write(&mut self, module: &Module, pointer: Option<u32>, value: Option<u32>) {
        let class = pointer.and_then(|pointer| module.class(pointer));
        let Some((pointer, class)) = pointer.zip(class) else {
            self.opaque = true;
            return;
        };
        let roots = self.roots(module, pointer);
        match class {
            StorageClass::Workgroup => {}
            StorageClass::Output => self.written.extend(roots.unwrap_or_default()),
            StorageClass::Function | StorageClass::Private => {
                let Some(roots) = roots else {
                    self.lost_write = true;
                    return;
                };
                let write = match (value, self.path(module, pointer)) {
                    (Some(value), Some(None)) => Write::Whole(value),
                    (Some(value), Some(Some(component))) => Write::Component(component, value),
                    _ => Write::Other,
                };
                for root in roots {
                    self.writes.entry(root).or_default().push(write);
                }
            }
            // Images and texel buffers through `OpImageTexelPointer`, buffers of every kind, and
            // the classes of stages that are not looked at.
            _ => self.stores = true,
        }
    }

    /// `Some(None)`: the pointer is to a whole variable; `Some(Some(n))`: to component `n` of a
    /// vector variable; `None`: to anything else.
    fn path(&self, module: &Module, pointer: u32) -> Option<Option<u32>> {
        let inst = module.def(pointer)?;
        match inst.op? {
            Op::Variable => Some(None),
            Op::AccessChain | Op::InBoundsAccessChain => {
                let base = inst.word(2)?;
                let &[index] = inst.rest(3) else { return None };
                module.def_of(base, Op::Variable)?;
                module.def_of(module.pointee(base)?, Op::TypeVector)?;
                Some(Some(module.constant(index)?))
            }
            // A parameter's argument may be a chain, so only variables count as whole.
            Op::FunctionParameter => {
                let arguments = self.arguments(module, pointer)?;
                let mut whole = arguments.iter().map(|id| module.def_of(*id, Op::Variable));
                whole.all(|def| def.is_some()).then_some(None)
            }
            _ => None,
        }
    }
}

/// The operands of an instruction that may be pointers.
fn pointers(op: Op, inst: &Inst) -> SmallVec<[u32; 4]> {
    let words: &[u32] = match op {
        Op::Store | Op::AtomicStore | Op::ReturnValue => inst.words.get(..1).unwrap_or_default(),
        Op::CopyMemory | Op::CopyMemorySized => inst.words.get(..2).unwrap_or_default(),
        Op::PtrEqual | Op::PtrNotEqual | Op::PtrDiff => inst.words.get(2..4).unwrap_or_default(),
        Op::FunctionCall | Op::Select => inst.rest(3),
        Op::ExtInst => inst.rest(4),
        Op::Phi => return inst.rest(2).iter().step_by(2).copied().collect(),
        Op::Load
        | Op::AccessChain
        | Op::InBoundsAccessChain
        | Op::PtrAccessChain
        | Op::InBoundsPtrAccessChain
        | Op::ArrayLength
        | Op::ImageTexelPointer
        | Op::CopyObject => inst.words.get(2..3).unwrap_or_default(),
        _ if op == Op::AtomicLoad || (229..=242).contains(&(op as u32)) => {
            inst.words.get(2..3).unwrap_or_default()
        }
        _ => &[],
    };
    SmallVec::from_slice(words)
}
