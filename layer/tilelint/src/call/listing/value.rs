//! Values of keys: how each type is read and written.

use ash::vk;

use super::scene::Scene;
use super::words::{Bits, Word, read_bits, read_word, write_bits, write_word};
use crate::nearest::nearest;

/// Why a value cannot be read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bad {
    /// Byte of the value where it goes wrong.
    pub offset: usize,
    /// What is wrong.
    pub message: String,
    /// The nearest valid word.
    pub nearest: Option<String>,
    /// All valid words.
    pub valid: Vec<String>,
}

pub(super) type Read<T> = Result<T, Bad>;

impl Bad {
    /// A message without words to choose from.
    pub fn new(message: impl Into<String>) -> Self {
        Self { offset: 0, message: message.into(), nearest: None, valid: Vec::new() }
    }

    /// A word that is none of the valid ones.
    pub fn word<'a>(what: &str, word: &str, valid: impl IntoIterator<Item = &'a str>) -> Self {
        let valid: Vec<String> = valid.into_iter().map(str::to_owned).collect();
        let near = nearest(word, valid.iter().map(String::as_str)).map(str::to_owned);
        Self { offset: 0, message: format!("unknown {what} {word:?}"), nearest: near, valid }
    }

    /// The same, further on in the text.
    pub fn at(mut self, offset: usize) -> Self {
        self.offset += offset;
        self
    }
}

/// A type that stands behind `key=`.
pub(super) trait Value: Clone + PartialEq {
    /// Reads it.
    fn read(text: &str, scene: &mut Scene) -> Read<Self>;
    /// Writes it.
    fn write(&self, scene: &mut Scene) -> String;
}

/// Reads a number: decimal, `0x…` or `0b…`.
pub(super) fn number(text: &str) -> Option<u64> {
    let digits = |t: &str| t.starts_with(|c: char| c.is_ascii_hexdigit());
    match (text.strip_prefix("0x"), text.strip_prefix("0b")) {
        (Some(hex), _) if digits(hex) => u64::from_str_radix(hex, 16).ok(),
        (_, Some(bin)) if digits(bin) => u64::from_str_radix(bin, 2).ok(),
        _ if text.starts_with(|c: char| c.is_ascii_digit()) => text.parse().ok(),
        _ => None,
    }
}

fn not_a(what: &str, text: &str) -> Bad {
    Bad::new(format!("{text:?} is not {what}"))
}

macro_rules! numbers {
    ($($ty:ty),*) => {$(
        impl Value for $ty {
            fn read(text: &str, _: &mut Scene) -> Read<Self> {
                let found = match text.strip_prefix('-') {
                    Some(rest) => number(rest).and_then(|n| Some(-i128::from(n))),
                    None => number(text).map(i128::from),
                };
                found
                    .and_then(|n| Self::try_from(n).ok())
                    .ok_or_else(|| not_a("a number in range", text))
            }

            fn write(&self, _: &mut Scene) -> String {
                self.to_string()
            }
        }
    )*};
}

numbers!(u8, u32, u64, i32);

/// A size in bytes: `4`, `64KiB`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bytes(pub u64);

const UNITS: [(&str, u32); 4] = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40)];

impl Value for Bytes {
    fn read(text: &str, _: &mut Scene) -> Read<Self> {
        let unit = UNITS.iter().find(|(unit, _)| text.ends_with(unit));
        let (digits, shift) = unit.map_or((text, 0), |(u, s)| (&text[..text.len() - u.len()], *s));
        let bytes = number(digits).and_then(|n| n.checked_mul(1 << shift));
        bytes.map(Bytes).ok_or_else(|| not_a("a size in bytes", text))
    }

    fn write(&self, _: &mut Scene) -> String {
        let fits = |(_, shift): &&(&str, u32)| self.0 != 0 && self.0.is_multiple_of(1 << shift);
        match UNITS.iter().rev().find(fits) {
            Some((unit, shift)) => format!("{}{unit}", self.0 >> shift),
            None => self.0.to_string(),
        }
    }
}

/// A mask, written in binary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mask(pub u32);

impl Value for Mask {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        u32::read(text, scene).map(Mask)
    }

    fn write(&self, _: &mut Scene) -> String {
        if self.0 == 0 { "0".to_owned() } else { format!("{:#b}", self.0) }
    }
}

/// A number written in hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hex(pub u64);

impl Value for Hex {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        u64::read(text, scene).map(Hex)
    }

    fn write(&self, _: &mut Scene) -> String {
        if self.0 == 0 { "0".to_owned() } else { format!("{:#x}", self.0) }
    }
}

impl Value for bool {
    fn read(text: &str, _: &mut Scene) -> Read<Self> {
        match text {
            "on" => Ok(true),
            "off" => Ok(false),
            _ => Err(Bad::word("switch", text, ["on", "off"])),
        }
    }

    fn write(&self, _: &mut Scene) -> String {
        if *self { "on" } else { "off" }.to_owned()
    }
}

/// Longest text that is written, in bytes: more would not fit on a line.
const TEXT_BYTES: usize = 2000;

/// Text, in quotes.
impl Value for Box<str> {
    fn read(text: &str, _: &mut Scene) -> Read<Self> {
        let Some(inner) = text.strip_prefix('"') else {
            return Ok(text.into());
        };
        let mut out = String::new();
        let mut chars = inner.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' if at + 1 == inner.len() => return Ok(out.into()),
                '"' => return Err(Bad::new("text goes on behind its closing quote").at(at + 2)),
                '\\' => match chars.next() {
                    Some((_, 'n')) => out.push('\n'),
                    Some((_, 'r')) => out.push('\r'),
                    Some((_, c @ ('"' | '\\'))) => out.push(c),
                    _ => return Err(Bad::new("only \\\", \\\\, \\n and \\r are known").at(at + 1)),
                },
                c => out.push(c),
            }
        }
        Err(Bad::new("the closing quote is missing").at(text.len()))
    }

    fn write(&self, _: &mut Scene) -> String {
        let mut out = String::from("\"");
        for c in self.chars() {
            if out.len() >= TEXT_BYTES {
                out.push('…');
                break;
            }
            match c {
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '"' | '\\' => out.extend(['\\', c]),
                c => out.push(c),
            }
        }
        out.push('"');
        out
    }
}

/// Text that is written without quotes: names that Vulkan defines.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plain(pub Box<str>);

impl Value for Plain {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        Box::<str>::read(text, scene).map(Plain)
    }

    fn write(&self, scene: &mut Scene) -> String {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-./".contains(&b);
        let reserved = ["-", "none", "?"].contains(&&*self.0);
        if self.0.is_empty() || reserved || !self.0.bytes().all(plain) {
            self.0.write(scene)
        } else {
            self.0.to_string()
        }
    }
}

/// An enumerant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct W<T>(pub T);

impl<T: Word> Value for W<T> {
    fn read(text: &str, _: &mut Scene) -> Read<Self> {
        read_word(text).map(W)
    }

    fn write(&self, _: &mut Scene) -> String {
        write_word(self.0)
    }
}

/// Flags.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct F<T>(pub T);

impl<T: Bits> Value for F<T> {
    fn read(text: &str, _: &mut Scene) -> Read<Self> {
        read_bits(text).map(F)
    }

    fn write(&self, _: &mut Scene) -> String {
        write_bits(self.0)
    }
}

/// Cuts a list at its commas, quoted ones excepted.
pub(super) fn split(text: &str, separator: u8) -> Vec<(usize, &str)> {
    let mut parts = Vec::new();
    let (mut start, mut quoted, mut escaped) = (0, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b if b == separator && !quoted => {
                parts.push((start, &text[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push((start, &text[start..]));
    parts
}

impl<T: Value> Value for Vec<T> {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        if text == "none" {
            return Ok(Vec::new());
        }
        let item = |(at, part): (usize, &str)| T::read(part, scene).map_err(|bad| bad.at(at));
        split(text, b',').into_iter().map(item).collect()
    }

    fn write(&self, scene: &mut Scene) -> String {
        if self.is_empty() {
            return "none".to_owned();
        }
        self.iter().map(|item| item.write(scene)).collect::<Vec<_>>().join(",")
    }
}

/// A value or a hole.
impl<T: Value> Value for Option<T> {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        if text == "-" { Ok(None) } else { T::read(text, scene).map(Some) }
    }

    fn write(&self, scene: &mut Scene) -> String {
        self.as_ref().map_or_else(|| "-".to_owned(), |value| value.write(scene))
    }
}

/// A size: `1440x1584` or `8x8x1`.
impl Value for vk::Extent3D {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        let parts = split(text, b'x');
        let mut numbers = [1; 3];
        if !(2..=3).contains(&parts.len()) {
            return Err(not_a("a size (as 640x480)", text));
        }
        for (number, (at, part)) in numbers.iter_mut().zip(parts) {
            *number = u32::read(part, scene).map_err(|bad| bad.at(at))?;
        }
        Ok(Self { width: numbers[0], height: numbers[1], depth: numbers[2] })
    }

    fn write(&self, _: &mut Scene) -> String {
        match self.depth {
            1 => format!("{}x{}", self.width, self.height),
            _ => format!("{}x{}x{}", self.width, self.height, self.depth),
        }
    }
}

impl Value for vk::Extent2D {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        let vk::Extent3D { width, height, depth } = vk::Extent3D::read(text, scene)?;
        if depth != 1 {
            Err(not_a("a size in two dimensions", text))
        } else {
            Ok(Self { width, height })
        }
    }

    fn write(&self, scene: &mut Scene) -> String {
        vk::Extent3D { width: self.width, height: self.height, depth: 1 }.write(scene)
    }
}

/// A rectangle: `64x64+0+32`.
impl Value for vk::Rect2D {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        let parts = split(text, b'+');
        let extent = vk::Extent2D::read(parts[0].1, scene)?;
        let mut offset = [0; 2];
        if parts.len() != 1 && parts.len() != 3 {
            return Err(not_a("a rectangle (as 64x64+0+32)", text));
        }
        for (number, (at, part)) in offset.iter_mut().zip(&parts[1..]) {
            *number = i32::read(part, scene).map_err(|bad| bad.at(*at))?;
        }
        Ok(Self { offset: vk::Offset2D { x: offset[0], y: offset[1] }, extent })
    }

    fn write(&self, scene: &mut Scene) -> String {
        format!("{}+{}+{}", self.extent.write(scene), self.offset.x, self.offset.y)
    }
}

/// A half-open range: `0..4`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span(pub u32, pub u32);

impl Value for Span {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        let Some((from, to)) = text.split_once("..") else {
            return Err(not_a("a range (as 0..4)", text));
        };
        let to_at = from.len() + 2;
        let from = u32::read(from, scene)?;
        let to = u32::read(to, scene).map_err(|bad| bad.at(to_at))?;
        if to < from { Err(not_a("a range that ascends", text)) } else { Ok(Self(from, to)) }
    }

    fn write(&self, _: &mut Scene) -> String {
        format!("{}..{}", self.0, self.1)
    }
}

/// Three numbers, as an offset or an extent with zeros.
impl Value for [i32; 3] {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        let list = Vec::<i32>::read(text, scene)?;
        Self::try_from(list).map_err(|_| not_a("three numbers", text))
    }

    fn write(&self, scene: &mut Scene) -> String {
        self.to_vec().write(scene)
    }
}

/// A viewport: x, y, width, height and, where given, its depth range, which is not kept.
impl Value for [i32; 4] {
    fn read(text: &str, scene: &mut Scene) -> Read<Self> {
        let mut numbers = Vec::new();
        for (at, part) in split(text, b',') {
            let float = part.parse::<f64>().ok().filter(|f| f.is_finite());
            numbers.push(float.ok_or_else(|| not_a("a number", part).at(at))?.round() as i32);
        }
        numbers.truncate(if numbers.len() == 6 { 4 } else { numbers.len() });
        let _ = scene;
        Self::try_from(numbers).map_err(|_| not_a("a viewport (x,y,width,height)", text))
    }

    fn write(&self, scene: &mut Scene) -> String {
        self.to_vec().write(scene)
    }
}

/// Words of a small set that has no enumeration in Vulkan.
macro_rules! choices {
    ($($ty:ty { $($value:path = $word:literal),* $(,)? })*) => {$(
        impl Value for $ty {
            fn read(text: &str, _: &mut Scene) -> Read<Self> {
                match text {
                    $($word => Ok($value),)*
                    _ => Err(Bad::word("word", text, [$($word),*])),
                }
            }

            fn write(&self, _: &mut Scene) -> String {
                match *self {
                    $($value => $word.to_owned(),)*
                    #[allow(unreachable_patterns, reason = "open enumerations of Vulkan")]
                    _ => "?".to_owned(),
                }
            }
        }
    )*};
}

pub(super) use choices;
