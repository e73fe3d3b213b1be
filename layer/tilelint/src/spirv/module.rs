//! A module's declarations, found by id.

use super::walk::{self, Inst};
use rustc_hash::FxHashMap;
use spirv::{BuiltIn, Decoration, Dim, Op, StorageClass};
use std::ops::Range;

/// `OpEntryPoint`.
#[derive(Debug)]
pub(super) struct EntryPoint {
    pub model: u32,
    pub function: u32,
    pub name: String,
    pub interface: Vec<u32>,
}

/// A decoration and its first literal, 0 where it has none.
type Decorations = Vec<(u32, u32)>;

/// The indexed module.
#[derive(Debug, Default)]
pub(super) struct Module<'a> {
    pub insts: Vec<Inst<'a>>,
    pub entry_points: Vec<EntryPoint>,
    /// Instructions of each function body, `OpFunction` to `OpFunctionEnd`.
    pub functions: FxHashMap<u32, Range<usize>>,
    /// Module-scope `OpVariable`s.
    pub globals: Vec<u32>,
    /// Indices of `OpExecutionMode` and `OpExecutionModeId`.
    pub modes: Vec<usize>,
    defs: FxHashMap<u32, usize>,
    decorations: FxHashMap<u32, Decorations>,
    member_decorations: FxHashMap<(u32, u32), Decorations>,
    glsl: Option<u32>,
}

/// `OpTypeImage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ImageType {
    pub dim: u32,
    pub arrayed: bool,
    pub multisampled: bool,
    /// 1: used with a sampler; 2: storage or input.
    pub sampled: u32,
}

impl ImageType {
    pub fn is(&self, dim: Dim) -> bool {
        self.dim == dim as u32
    }
}

impl<'a> Module<'a> {
    /// `None` if the words are no module, or one whose structure is broken or not understood.
    pub fn new(words: &'a [u32]) -> Option<Self> {
        let mut module = Self { insts: walk::instructions(words)?, ..Self::default() };
        let mut open: Option<(u32, usize)> = None;
        for at in 0..module.insts.len() {
            let inst = module.insts[at];
            if let Some(id) = inst.result()
                && module.defs.insert(id, at).is_some()
            {
                return None;
            }
            match inst.op {
                Some(Op::Function) if open.is_none() => open = Some((inst.word(1)?, at)),
                Some(Op::Function) => return None,
                Some(Op::FunctionEnd) => {
                    let (id, from) = open.take()?;
                    module.functions.insert(id, from..at + 1);
                }
                Some(Op::Variable) if open.is_none() => module.globals.push(inst.word(1)?),
                Some(op) if open.is_none() => module.declare(op, &inst, at)?,
                _ => {}
            }
        }
        open.is_none().then_some(module)
    }

    fn declare(&mut self, op: Op, inst: &Inst<'a>, at: usize) -> Option<()> {
        match op {
            Op::EntryPoint => {
                let (name, words) = walk::string(inst.rest(2))?;
                self.entry_points.push(EntryPoint {
                    model: inst.word(0)?,
                    function: inst.word(1)?,
                    name,
                    interface: inst.rest(2 + words).to_vec(),
                });
            }
            Op::ExecutionMode | Op::ExecutionModeId => self.modes.push(at),
            Op::Decorate => {
                let decoration = (inst.word(1)?, inst.word(2).unwrap_or(0));
                self.decorations.entry(inst.word(0)?).or_default().push(decoration);
            }
            Op::MemberDecorate => {
                let decoration = (inst.word(2)?, inst.word(3).unwrap_or(0));
                let member = (inst.word(0)?, inst.word(1)?);
                self.member_decorations.entry(member).or_default().push(decoration);
            }
            Op::ExtInstImport if walk::string(inst.rest(1))?.0 == "GLSL.std.450" => {
                self.glsl = inst.word(0);
            }
            // Deprecated, and no compiler of ours writes them: decorations would be incomplete.
            Op::GroupDecorate | Op::GroupMemberDecorate => return None,
            _ => {}
        }
        Some(())
    }

    /// The instruction that defines `id`.
    pub fn def(&self, id: u32) -> Option<&Inst<'a>> {
        self.defs.get(&id).and_then(|&at| self.insts.get(at))
    }

    /// Place of the instruction that defines `id`.
    pub fn index(&self, id: u32) -> Option<usize> {
        self.defs.get(&id).copied()
    }

    /// The instruction that defines `id`, if it is `op`.
    pub fn def_of(&self, id: u32, op: Op) -> Option<&Inst<'a>> {
        self.def(id).filter(|inst| inst.is(op))
    }

    /// Literal of a decoration of `id`.
    pub fn decoration(&self, id: u32, which: Decoration) -> Option<u32> {
        find(self.decorations.get(&id)?, which)
    }

    /// Literal of a decoration of a structure's member.
    pub fn member_decoration(&self, ty: u32, member: u32, which: Decoration) -> Option<u32> {
        find(self.member_decorations.get(&(ty, member))?, which)
    }

    /// The built-in that a variable is.
    pub fn builtin(&self, id: u32) -> Option<BuiltIn> {
        self.decoration(id, Decoration::BuiltIn).and_then(BuiltIn::from_u32)
    }

    /// Members of a structure type.
    pub fn members(&self, ty: u32) -> &'a [u32] {
        self.def_of(ty, Op::TypeStruct).map_or(&[], |inst| inst.rest(1))
    }

    /// Type of a value.
    pub fn type_of(&self, id: u32) -> Option<u32> {
        self.def(id)?.ty()
    }

    /// What a pointer points to.
    pub fn pointee(&self, pointer: u32) -> Option<u32> {
        self.def_of(self.type_of(pointer)?, Op::TypePointer)?.word(2)
    }

    /// Storage class of a pointer, from its type.
    pub fn class(&self, pointer: u32) -> Option<StorageClass> {
        StorageClass::from_u32(self.def_of(self.type_of(pointer)?, Op::TypePointer)?.word(1)?)
    }

    /// `ty` without arrays around it. Ids are unique, but a broken module may nest in a circle.
    pub fn element(&self, mut ty: u32) -> u32 {
        for _ in 0..8 {
            match self.def(ty) {
                Some(inst) if inst.is(Op::TypeArray) || inst.is(Op::TypeRuntimeArray) => {
                    ty = inst.word(1).unwrap_or(ty);
                }
                _ => break,
            }
        }
        ty
    }

    /// Scalar type and number of components of a scalar or vector type.
    pub fn vector(&self, ty: u32) -> Option<(u32, u32)> {
        let inst = self.def(ty)?;
        match inst.op? {
            Op::TypeVector => Some((inst.word(1)?, inst.word(2).filter(|n| *n <= 16)?)),
            Op::TypeFloat | Op::TypeInt | Op::TypeBool => Some((ty, 1)),
            _ => None,
        }
    }

    /// Whether the components of a scalar or vector type are `op` of 32 bits.
    pub fn is_32_bit(&self, ty: u32, op: Op) -> bool {
        self.vector(ty)
            .and_then(|(scalar, _)| self.def_of(scalar, op))
            .is_some_and(|inst| inst.word(1) == Some(32))
    }

    /// Bits of a 32-bit constant; `None` for specialization constants, which may change.
    pub fn constant(&self, id: u32) -> Option<u32> {
        let inst = self.def(id)?;
        let ty = inst.ty()?;
        if !self.is_32_bit(ty, Op::TypeInt) && !self.is_32_bit(ty, Op::TypeFloat) {
            return None;
        }
        match inst.op? {
            Op::Constant => inst.word(2),
            Op::ConstantNull if self.vector(ty)?.1 == 1 => Some(0),
            _ => None,
        }
    }

    /// The image type behind an image or a combined image sampler type.
    pub fn image_type(&self, ty: u32) -> Option<ImageType> {
        let mut inst = self.def(ty)?;
        if inst.is(Op::TypeSampledImage) {
            inst = self.def(inst.word(1)?)?;
        }
        inst.is(Op::TypeImage).then_some(())?;
        Some(ImageType {
            dim: inst.word(2)?,
            arrayed: inst.word(4)? != 0,
            multisampled: inst.word(5)? != 0,
            sampled: inst.word(6)?,
        })
    }

    /// The image type of an image variable.
    pub fn image(&self, variable: u32) -> Option<ImageType> {
        self.image_type(self.element(self.pointee(variable)?))
    }

    /// Number of the GLSL.std.450 instruction that an `OpExtInst` calls.
    pub fn glsl(&self, inst: &Inst<'a>) -> Option<spirv::GlslStd450Op> {
        (inst.is(Op::ExtInst) && inst.word(2) == self.glsl)
            .then(|| inst.word(3).and_then(spirv::GlslStd450Op::from_u32))
            .flatten()
    }
}

fn find(decorations: &Decorations, which: Decoration) -> Option<u32> {
    decorations.iter().find(|(raw, _)| *raw == which as u32).map(|(_, literal)| *literal)
}
