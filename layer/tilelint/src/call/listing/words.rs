//! Names of enumerants and flags, taken from ash: Vulkan's without type prefix, `_BIT` and vendor
//! suffix.

use std::fmt::Debug;
use std::sync::OnceLock;

use ash::vk;

use super::value::Bad;

const SUFFIXES: &[&str] = &[
    "_KHR", "_EXT", "_NV", "_QCOM", "_ARM", "_AMD", "_ANDROID", "_INTEL", "_IMG", "_HUAWEI",
    "_VALVE", "_GOOGLE", "_FUCHSIA", "_NVX", "_LUNARG", "_MSFT", "_SEC", "_QNX", "_GGP",
];

/// Returns a name without its vendor suffix.
pub(super) fn plain(name: &str) -> &str {
    SUFFIXES.iter().find_map(|s| name.strip_suffix(s)).unwrap_or(name)
}

/// A table of names and values; a name that two values share keeps its suffix.
fn table<T: Copy + Debug>(values: impl Iterator<Item = T>) -> Vec<(Box<str>, T)> {
    let mut table: Vec<(Box<str>, T)> = Vec::new();
    for value in values {
        let full = format!("{value:?}");
        if full.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            continue;
        }
        let full = full.strip_prefix("TYPE_").unwrap_or(&full);
        let short = plain(full);
        let taken = table.iter().any(|(name, _)| **name == *short);
        table.push((if taken { full.into() } else { short.into() }, value));
    }
    table
}

/// An enumeration with named values.
pub(super) trait Word: Copy + PartialEq + 'static {
    /// Names and values.
    fn table() -> &'static [(Box<str>, Self)];
    /// The value of a number.
    fn from_number(number: i64) -> Option<Self>;
    /// The number of a value.
    fn number(self) -> i64;
}

/// A set of named bits.
pub(super) trait Bits: Copy + PartialEq + 'static {
    /// Names and bits.
    fn table() -> &'static [(Box<str>, u64)];
    /// Other spellings that are read.
    const ALIASES: &'static [(&'static str, u64)] = &[];
    /// The set of some bits.
    fn from_bits(bits: u64) -> Option<Self>;
    /// The bits of a set.
    fn bits(self) -> u64;
}

macro_rules! words {
    ($($ty:ty: $core:expr, [$($ext:literal),*] $width:literal;)*) => {$(
        impl Word for $ty {
            fn table() -> &'static [(Box<str>, Self)] {
                static TABLE: OnceLock<Vec<(Box<str>, $ty)>> = OnceLock::new();
                TABLE.get_or_init(|| {
                    let extensions: &[i32] = &[$($ext),*];
                    let more = extensions.iter().flat_map(|e| {
                        let base = 1_000_000_000 + e * 1000;
                        (base..base + $width).flat_map(|v| [v, -v])
                    });
                    table($core.chain(more).map(<$ty>::from_raw))
                })
            }

            fn from_number(number: i64) -> Option<Self> {
                i32::try_from(number).ok().map(Self::from_raw)
            }

            fn number(self) -> i64 {
                i64::from(self.as_raw())
            }
        }
    )*};
}

words! {
    vk::AttachmentLoadOp: 0..=2, [400] 1;
    vk::AttachmentStoreOp: 0..=1, [301] 1;
    vk::Format: 0..=184, [54, 66, 156, 330, 340, 464, 470] 40;
    vk::ImageLayout: 0..=8, [1, 24, 111, 117, 164, 218, 232, 241, 299, 314, 339] 4;
    vk::ImageType: 0..=2, [] 1;
    vk::IndexType: 0..=1, [165, 265] 1;
    vk::ImageTiling: 0..=1, [158] 1;
    vk::ImageViewType: 0..=6, [] 1;
    vk::Filter: 0..=1, [15] 1;
    vk::SamplerMipmapMode: 0..=1, [] 1;
    vk::SamplerAddressMode: 0..=4, [] 1;
    vk::PresentModeKHR: 0..=3, [111] 2;
    vk::DescriptorType: 0..=10, [138, 150, 165, 351, 440] 2;
    vk::PrimitiveTopology: 0..=10, [] 1;
    vk::CompareOp: 0..=7, [] 1;
    vk::StencilOp: 0..=7, [] 1;
    vk::LogicOp: 0..=15, [] 1;
    vk::DynamicState: 0..=8,
        [87, 99, 143, 164, 205, 226, 259, 267, 347, 352, 377, 381, 455, 524] 40;
    vk::SubpassMergeStatusEXT: 0..=13, [] 1;
    vk::QueryType: 0..=2, [23, 28, 116, 150, 165, 210, 299, 328, 382, 386, 396] 5;
    vk::Result: -13..=5,
        [0, 1, 3, 11, 12, 23, 69, 72, 158, 161, 174, 255, 257, 268, 297, 299, 338, 482] 6;
}

macro_rules! bits {
    ($($ty:ty, $raw:ty $(, $alias:literal = $bit:expr)*;)*) => {$(
        impl Bits for $ty {
            const ALIASES: &'static [(&'static str, u64)] = &[$(($alias, $bit)),*];

            fn table() -> &'static [(Box<str>, u64)] {
                static TABLE: OnceLock<Vec<(Box<str>, u64)>> = OnceLock::new();
                TABLE.get_or_init(|| {
                    table((0..<$raw>::BITS).map(|i| <$ty>::from_raw(1 << i)))
                        .into_iter()
                        .map(|(name, bit)| (name, <$ty as Bits>::bits(bit)))
                        .collect()
                })
            }

            fn from_bits(bits: u64) -> Option<Self> {
                <$raw>::try_from(bits).ok().map(Self::from_raw)
            }

            fn bits(self) -> u64 {
                u64::from(self.as_raw())
            }
        }
    )*};
}

bits! {
    vk::AccessFlags2, u64;
    vk::PipelineStageFlags2, u64, "TRANSFER" = 0x1000;
    vk::DependencyFlags, u32;
    vk::ImageUsageFlags, u32;
    vk::ImageCreateFlags, u32;
    vk::ImageAspectFlags, u32;
    vk::BufferUsageFlags, u32;
    vk::SamplerCreateFlags, u32;
    vk::SurfaceTransformFlagsKHR, u32;
    vk::ShaderStageFlags, u32, "ALL_GRAPHICS" = 0x1f, "ALL" = 0x7fff_ffff;
    vk::DescriptorBindingFlags, u32;
    vk::DescriptorSetLayoutCreateFlags, u32;
    vk::PipelineCreateFlags, u32;
    vk::RenderPassCreateFlags, u32;
    vk::AttachmentDescriptionFlags, u32;
    vk::SubpassDescriptionFlags, u32;
    vk::ResolveModeFlags, u32;
    vk::RenderingFlags, u32;
    vk::MemoryPropertyFlags, u32;
    vk::QueueFlags, u32;
    vk::CommandBufferUsageFlags, u32;
    vk::StencilFaceFlags, u32, "FRONT_AND_BACK" = 3;
}

/// Reads the name or number of an enumerant.
pub(super) fn read_word<T: Word>(text: &str) -> Result<T, Bad> {
    let wanted = plain(text);
    let table = T::table();
    let exact = table.iter().find(|(name, _)| **name == *text);
    let found = exact.or_else(|| table.iter().find(|(name, _)| **name == *wanted));
    if let Some((_, value)) = found {
        return Ok(*value);
    }
    let number = text.parse::<i64>().ok().and_then(T::from_number);
    number.ok_or_else(|| Bad::word("value", text, table.iter().map(|(name, _)| &**name)))
}

/// Writes the name of an enumerant, or its number where it has none.
pub(super) fn write_word<T: Word>(value: T) -> String {
    match T::table().iter().find(|(_, v)| *v == value) {
        Some((name, _)) => name.to_string(),
        None => value.number().to_string(),
    }
}

/// Reads flags: names or numbers joined with `|`.
pub(super) fn read_bits<T: Bits>(text: &str) -> Result<T, Bad> {
    let mut bits = 0;
    let mut offset = 0;
    for part in text.split('|') {
        bits |= read_bit::<T>(part).map_err(|bad| bad.at(offset))?;
        offset += part.len() + 1;
    }
    T::from_bits(bits).ok_or_else(|| Bad::new("these flags have fewer bits"))
}

fn read_bit<T: Bits>(text: &str) -> Result<u64, Bad> {
    let wanted = plain(text).trim_end_matches("_BIT");
    let table = T::table();
    let same = |name: &str| name == text || name == wanted;
    if let Some((_, bit)) = table.iter().find(|(name, _)| same(name)) {
        return Ok(*bit);
    }
    if let Some((_, bits)) = T::ALIASES.iter().find(|(name, _)| same(name)) {
        return Ok(*bits);
    }
    if text == "NONE" {
        return Ok(0);
    }
    super::value::number(text)
        .ok_or_else(|| Bad::word("flag", text, table.iter().map(|(name, _)| &**name)))
}

/// Writes flags; bits without a name as one hexadecimal number.
pub(super) fn write_bits<T: Bits>(value: T) -> String {
    let mut rest = value.bits();
    let mut parts: Vec<String> = Vec::new();
    for (name, bit) in T::table() {
        if rest & bit != 0 {
            parts.push(name.to_string());
            rest &= !bit;
        }
    }
    if rest != 0 || parts.is_empty() {
        parts.push(if rest == 0 { "0".to_owned() } else { format!("{rest:#x}") });
    }
    parts.join("|")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words<T: Word + Debug>() {
        for (name, value) in T::table() {
            let read: T = read_word(name).expect("a name of the table");
            assert!(read == *value, "{name}");
            assert_eq!(write_word(*value), **name);
        }
        let odd = T::from_number(1_000_999_000).expect("any number");
        assert!(read_word::<T>(&write_word(odd)) == Ok(odd));
    }

    fn bits<T: Bits + Debug>() {
        for (name, bit) in T::table() {
            let read: T = read_bits(name).expect("a name of the table");
            assert_eq!(read.bits(), *bit, "{name}");
        }
        let all = T::from_bits(0x7fff_ffff).expect("31 bits");
        assert!(read_bits::<T>(&write_bits(all)) == Ok(all));
    }

    #[test]
    fn names_stand_for_one_value() {
        words::<vk::Format>();
        words::<vk::ImageLayout>();
        words::<vk::QueryType>();
        words::<vk::DynamicState>();
        words::<vk::DescriptorType>();
        words::<vk::Result>();
        words::<vk::SubpassMergeStatusEXT>();
        bits::<vk::AccessFlags2>();
        bits::<vk::PipelineStageFlags2>();
        bits::<vk::ImageUsageFlags>();
        bits::<vk::ShaderStageFlags>();
    }

    #[test]
    fn suffixes_are_read_and_not_written() {
        assert_eq!(read_word("PRESENT_SRC_KHR"), Ok(vk::ImageLayout::PRESENT_SRC_KHR));
        assert_eq!(write_word(vk::ImageLayout::PRESENT_SRC_KHR), "PRESENT_SRC");
        assert_eq!(read_word("NONE_EXT"), Ok(vk::AttachmentLoadOp::NONE_KHR));
        assert_eq!(read_word("TYPE_2D_ARRAY").ok(), None::<vk::ImageViewType>);
        assert_eq!(read_word("2D_ARRAY"), Ok(vk::ImageViewType::TYPE_2D_ARRAY));
        let usage = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::FRAGMENT_DENSITY_MAP_EXT;
        assert_eq!(read_bits("FRAGMENT_DENSITY_MAP_BIT_EXT|SAMPLED_BIT"), Ok(usage));
        assert_eq!(write_bits(usage), "SAMPLED|FRAGMENT_DENSITY_MAP");
        assert_eq!(read_bits("TRANSFER"), Ok(vk::PipelineStageFlags2::ALL_TRANSFER));
        assert_eq!(read_bits("NONE"), Ok(vk::AccessFlags2::empty()));
        assert!(read_bits::<vk::ImageUsageFlags>("0x100000000").is_err());
    }
}
