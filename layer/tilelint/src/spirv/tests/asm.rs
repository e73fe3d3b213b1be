//! A small assembler: the text form that disassemblers print, one instruction a line.

use rustc_hash::FxHashMap;
use spirv::{BuiltIn, Decoration, Dim, ExecutionMode, ExecutionModel, GlslStd450Op, ImageOperands};
use spirv::{Op, StorageClass};
use std::str::FromStr;

/// Types and constants that most shaders of the tests name.
const COMMON: &str = "
    %void = OpTypeVoid
    %to_void = OpTypeFunction %void
    %bool = OpTypeBool
    %float = OpTypeFloat 32
    %int = OpTypeInt 32 1
    %uint = OpTypeInt 32 0
    %vec2 = OpTypeVector %float 2
    %vec3 = OpTypeVector %float 3
    %vec4 = OpTypeVector %float 4
    %ivec2 = OpTypeVector %int 2
    %bvec2 = OpTypeVector %bool 2
    %in_vec2 = OpTypePointer Input %vec2
    %in_vec4 = OpTypePointer Input %vec4
    %in_int = OpTypePointer Input %int
    %out_vec4 = OpTypePointer Output %vec4
    %out_vec2 = OpTypePointer Output %vec2
    %fn_vec2 = OpTypePointer Function %vec2
    %fn_vec4 = OpTypePointer Function %vec4
    %fn_ivec2 = OpTypePointer Function %ivec2
    %fn_int = OpTypePointer Function %int
    %tex = OpTypeImage %float 2D 0 0 0 1 Unknown
    %texms = OpTypeImage %float 2D 0 0 1 1 Unknown
    %combined = OpTypeSampledImage %tex
    %in_tex = OpTypePointer UniformConstant %tex
    %in_texms = OpTypePointer UniformConstant %texms
    %in_combined = OpTypePointer UniformConstant %combined
    %0 = OpConstant %int 0
    %1 = OpConstant %int 1
    %2 = OpConstant %int 2
    %3 = OpConstant %int 3
    %4 = OpConstant %int 4
    %0f = OpConstant %float 0.0
    %1f = OpConstant %float 1.0
    %2f = OpConstant %float 2.0
    %half = OpConstant %float 0.5
    %quarter = OpConstant %float 0.25
    %-1f = OpConstant %float -1.0
    %grey = OpConstantComposite %vec4 %half %half %half %half
    %black = OpConstantComposite %vec4 %0f %0f %0f %0f
";

/// A module of an entry point with its decorations, the common declarations, and the rest.
pub fn module(head: &str, rest: &str) -> Vec<u32> {
    assemble(&format!("%glsl = OpExtInstImport \"GLSL.std.450\"\n{head}\n{COMMON}\n{rest}"))
}

/// Words of a text without the five lines of a header.
pub fn assemble(text: &str) -> Vec<u32> {
    let mut assembler = Assembler::new();
    let mut words = vec![spirv::MAGIC_NUMBER, 0x0001_0300, 0, 0, 0];
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        words.extend(assembler.line(line));
    }
    words[3] = assembler.ids.len() as u32 + 1;
    words
}

struct Assembler {
    ids: FxHashMap<String, u32>,
    ops: FxHashMap<String, Op>,
}

impl Assembler {
    fn new() -> Self {
        let ops = (0..6000).filter_map(Op::from_u32).map(|op| (format!("Op{op:?}"), op));
        Self { ids: FxHashMap::default(), ops: ops.collect() }
    }

    fn id(&mut self, name: &str) -> u32 {
        let next = self.ids.len() as u32 + 1;
        *self.ids.entry(name.to_owned()).or_insert(next)
    }

    fn line(&mut self, line: &str) -> Vec<u32> {
        let mut tokens: Vec<&str> = line.split_whitespace().collect();
        let mut result = None;
        if tokens.get(1) == Some(&"=") {
            result = Some(self.id(tokens[0]));
            tokens.drain(..2);
        }
        // An opcode that the crate does not know is written as `Op#number`.
        let op = self.ops.get(tokens[0]).copied();
        let code =
            op.map_or_else(|| tokens[0][3..].parse().expect("a known opcode"), |op| op as u32);
        let typed = op.is_some_and(|op| !op.is_type() && op != Op::Label);
        let typed = typed && op != Some(Op::ExtInstImport) && result.is_some();
        let mut words = Vec::new();
        for at in 1..tokens.len() {
            if at == 1 && !typed {
                words.extend(result.take());
            }
            let operand = self.operand(op, &tokens, at);
            words.extend(operand);
            if at == 1 && typed {
                words.extend(result.take());
            }
        }
        words.extend(result);
        words.insert(0, (words.len() as u32 + 1) << 16 | code);
        words
    }

    fn operand(&mut self, op: Option<Op>, tokens: &[&str], at: usize) -> Vec<u32> {
        let token = tokens[at];
        if token.starts_with('%') {
            return vec![self.id(token)];
        }
        if let Some(text) = token.strip_prefix('"') {
            let mut bytes = text.trim_end_matches('"').as_bytes().to_vec();
            bytes.resize(bytes.len() / 4 * 4 + 4, 0);
            let word = |word: &[u8]| u32::from_le_bytes(word.try_into().expect("four bytes"));
            return bytes.chunks(4).map(word).collect();
        }
        if token.contains('.') {
            return vec![token.parse::<f32>().expect("a float").to_bits()];
        }
        if let Ok(number) = token.parse::<i64>() {
            return vec![number as u32];
        }
        let value = enumerant(op.expect("words of an unknown opcode are numbers"), token);
        vec![value.unwrap_or_else(|| panic!("what is {token} in {tokens:?}?"))]
    }
}

fn enumerant(op: Op, token: &str) -> Option<u32> {
    if token == "None" || token == "Unknown" {
        return Some(0);
    }
    match op {
        Op::EntryPoint => ExecutionModel::from_str(token).ok().map(|model| model as u32),
        Op::ExecutionMode | Op::ExecutionModeId => {
            ExecutionMode::from_str(token).ok().map(|mode| mode as u32)
        }
        Op::Decorate | Op::MemberDecorate => (Decoration::from_str(token).ok())
            .map(|decoration| decoration as u32)
            .or_else(|| BuiltIn::from_str(token).ok().map(|builtin| builtin as u32)),
        Op::TypePointer | Op::Variable => {
            StorageClass::from_str(token).ok().map(|class| class as u32)
        }
        Op::TypeImage => Dim::from_str(&format!("Dim{token}")).ok().map(|dim| dim as u32),
        Op::ExtInst => (0..100)
            .filter_map(GlslStd450Op::from_u32)
            .find(|inst| format!("{inst:?}") == token)
            .map(|inst| inst as u32),
        _ => {
            let mask = |name: &str| ImageOperands::from_name(name).map(|mask| mask.bits());
            let name = match token {
                "ConstOffset" => "CONST_OFFSET".to_owned(),
                other => other.to_uppercase(),
            };
            mask(&name)
        }
    }
}
