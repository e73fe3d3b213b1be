//! From words to instructions: bounds-checked, stepping over opcodes that are not known.

use spirv::Op;

/// Words before the first instruction.
const HEADER: usize = 5;
/// A module longer than this is not looked at: the layer must not stall pipeline creation.
const MOST_INSTRUCTIONS: usize = 1 << 20;

/// One instruction: its opcode and the words after the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inst<'a> {
    /// `None` for an opcode that the `spirv` crate does not know.
    pub op: Option<Op>,
    /// Operands, result type and result included.
    pub words: &'a [u32],
}

/// What stands first among an instruction's operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Result type, result.
    Value,
    /// Result only: types, labels, imports.
    Result,
    /// Neither.
    Plain,
}

impl<'a> Inst<'a> {
    /// Operand `at`, if the instruction is that long.
    pub fn word(&self, at: usize) -> Option<u32> {
        self.words.get(at).copied()
    }

    /// Operands from `at` on; empty where there are none.
    pub fn rest(&self, at: usize) -> &'a [u32] {
        self.words.get(at..).unwrap_or_default()
    }

    /// Whether this is `op`.
    pub fn is(&self, op: Op) -> bool {
        self.op == Some(op)
    }

    /// Shape of the operands; `None` if the opcode is not understood.
    pub fn layout(&self) -> Option<Layout> {
        self.op.and_then(layout)
    }

    /// Result id.
    pub fn result(&self) -> Option<u32> {
        match self.layout()? {
            Layout::Value => self.word(1),
            Layout::Result => self.word(0),
            Layout::Plain => None,
        }
    }

    /// Result type.
    pub fn ty(&self) -> Option<u32> {
        (self.layout()? == Layout::Value).then(|| self.word(0)).flatten()
    }
}

/// All instructions of a module in the host's byte order; `None` if the words are no such module.
pub(super) fn instructions(words: &[u32]) -> Option<Vec<Inst<'_>>> {
    if words.first() != Some(&spirv::MAGIC_NUMBER) || words.get(1)? >> 16 != 1 {
        return None;
    }
    let mut rest = words.get(HEADER..)?;
    let mut out = Vec::new();
    while let Some(&first) = rest.first() {
        let count = (first >> 16) as usize;
        let operands = rest.get(1..count)?;
        if out.len() == MOST_INSTRUCTIONS {
            return None;
        }
        out.push(Inst { op: Op::from_u32(first & 0xffff), words: operands });
        rest = rest.get(count..)?;
    }
    Some(out)
}

/// A literal string that starts `words`, and how many words it takes.
pub(super) fn string(words: &[u32]) -> Option<(String, usize)> {
    let mut bytes = Vec::new();
    for (at, word) in words.iter().enumerate() {
        for byte in word.to_le_bytes() {
            if byte == 0 {
                return Some((String::from_utf8(bytes).ok()?, at + 1));
            }
            bytes.push(byte);
        }
    }
    None
}

/// The opcodes that graphics and compute shaders are made of. What is missing here makes a
/// function body opaque, so the list may be short but never wrong.
fn layout(op: Op) -> Option<Layout> {
    use Layout::{Plain, Result, Value};
    Some(match op as u32 {
        0 | 2..=6 | 8 | 10 | 14..=17 | 39 => Plain,
        7 | 11 | 19..=38 | 73 | 248 => Result,
        1 | 12 | 41..=46 | 48..=52 | 54 | 55 | 57 | 59..=61 => Value,
        56 | 62..=64 | 71 | 72 | 74 | 75 | 99 | 317 | 330..=332 => Plain,
        65..=70 | 77..=84 | 86..=98 | 100..=107 | 109..=116 | 124 => Value,
        126..=152 | 154..=191 | 194..=205 | 207..=215 => Value,
        218..=221 | 224 | 225 | 228 | 246 | 247 | 249..=257 => Plain,
        227 | 229..=242 | 245 | 305..=316 | 320 | 333..=366 | 400..=403 => Value,
        4416 | 5364 | 5365 | 5380 | 5632 | 5633 => Plain,
        4421 | 4422 | 4428..=4430 | 4432 | 4450..=4455 | 5056 | 5381 => Value,
        _ => return None,
    })
}
