//! The profiles that come with the library, and how names and devices find them.

use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

use super::{Profile, UnknownProfile, parse};
use crate::nearest::closest;

/// The files, in the order in which they are listed.
const FILES: &[(&str, &str)] = &[
    ("adreno.toml", include_str!("../../profiles/adreno.toml")),
    ("adreno-a8xx.toml", include_str!("../../profiles/adreno-a8xx.toml")),
    ("headsets.toml", include_str!("../../profiles/headsets.toml")),
    ("mali.toml", include_str!("../../profiles/mali.toml")),
    ("powervr.toml", include_str!("../../profiles/powervr.toml")),
    ("apple.toml", include_str!("../../profiles/apple.toml")),
    ("v3d.toml", include_str!("../../profiles/v3d.toml")),
    ("generic.toml", include_str!("../../profiles/generic.toml")),
];

/// A profile that is read when it is first asked for: most programs ask for a few, and each costs
/// the start of the program as much as thousands of draws do later.
struct Entry {
    origin: &'static str,
    /// Its part of the file.
    text: &'static str,
    name: &'static str,
    aliases: Vec<&'static str>,
    parent: Option<&'static str>,
    profile: OnceLock<Profile>,
}

static ENTRIES: LazyLock<Vec<Entry>> =
    LazyLock::new(|| FILES.iter().flat_map(|(origin, text)| entries(origin, text)).collect());

static PROFILES: LazyLock<Vec<Profile>> =
    LazyLock::new(|| ENTRIES.iter().map(|entry| entry.profile().clone()).collect());

/// The entries of a file, which has each of these keys on a line of its own.
fn entries(origin: &'static str, text: &'static str) -> impl Iterator<Item = Entry> {
    let starts = text.match_indices("[[profile]]").map(|(start, _)| start);
    let ends = starts.clone().skip(1).chain([text.len()]);
    starts.zip(ends).map(move |(start, end)| {
        let text = &text[start..end];
        let keys = text.split("\n[").next().unwrap_or_default();
        let value = |key: &str| {
            let mut lines = keys.lines().filter_map(|line| line.strip_prefix(key));
            lines.find_map(|rest| rest.strip_prefix(" = "))
        };
        let strings = |value: &'static str| value.split('"').skip(1).step_by(2);
        let string = |key: &str| value(key).and_then(|value| strings(value).next());
        Entry {
            origin,
            text,
            name: string("name").unwrap_or_default(),
            aliases: value("aliases").into_iter().flat_map(strings).collect(),
            parent: string("inherits"),
            profile: OnceLock::new(),
        }
    })
}

impl Entry {
    fn profile(&self) -> &Profile {
        self.profile.get_or_init(|| {
            let parent = self.parent.and_then(entry).map(|entry| entry.profile().clone());
            let parsed = parse::parse_after(self.text, self.origin, parent.as_slice());
            let profile = parsed.ok().and_then(|profiles| profiles.into_iter().next());
            profile.expect("the tests parse every built-in profile")
        })
    }
}

/// The entry of a name or alias, in any case.
fn entry(name: &str) -> Option<&'static Entry> {
    let is = |candidate: &str| candidate.eq_ignore_ascii_case(name);
    let named = ENTRIES.iter().rev().find(|entry| is(entry.name));
    named.or_else(|| ENTRIES.iter().rev().find(|entry| entry.aliases.iter().any(|alias| is(alias))))
}

/// Every built-in profile.
#[must_use]
pub fn all() -> &'static [Profile] {
    &PROFILES
}

/// The built-in profile of a name or alias, in any case.
///
/// # Errors
///
/// [`UnknownProfile`] holds the nearest name and all names.
pub fn by_name(name: &str) -> Result<&'static Profile, UnknownProfile> {
    entry(name).map(Entry::profile).ok_or_else(|| unknown(name, all()))
}

/// The profile of a name or alias among `profiles`; the last one wins, so that a user's own may
/// replace a built-in one.
///
/// # Errors
///
/// [`UnknownProfile`] holds the nearest name and all names.
pub fn find<'a>(name: &str, profiles: &'a [Profile]) -> Result<&'a Profile, UnknownProfile> {
    let is = |candidate: &str| candidate.eq_ignore_ascii_case(name);
    let named = profiles.iter().rev().find(|profile| is(&profile.name));
    let found = named.or_else(|| {
        profiles.iter().rev().find(|profile| profile.aliases.iter().any(|alias| is(alias)))
    });
    found.ok_or_else(|| unknown(name, profiles))
}

fn unknown(name: &str, profiles: &[Profile]) -> UnknownProfile {
    let known = profiles.iter().flat_map(|profile| {
        let aliases = profile.aliases.iter().map(move |alias| (alias.as_str(), profile));
        aliases.chain(std::iter::once((profile.name.as_str(), profile)))
    });
    let known: Vec<_> = known.collect();
    let best = closest(name, known.iter().map(|(name, _)| *name));
    let profile = known.iter().find(|(name, _)| Some(*name) == best);
    UnknownProfile {
        name: name.to_owned(),
        nearest: profile.map_or_else(String::new, |(_, profile)| profile.name.clone()),
        all: profiles.iter().map(|profile| profile.name.clone()).collect(),
    }
}

/// As [`find`], and `NAME@SIZE` is the same GPU with another amount of tile memory: `quest2@1M`,
/// `adreno-650@1152K`.
///
/// # Errors
///
/// [`UnknownProfile`] holds the nearest name and all names.
pub fn resolve<'a>(
    name: &str,
    profiles: &'a [Profile],
) -> Result<Cow<'a, Profile>, UnknownProfile> {
    let Some((base, size)) = name.split_once('@') else {
        return find(name, profiles).map(Cow::Borrowed);
    };
    let found = find(base, profiles)?;
    let (Some(bytes), Some(binned)) = (parse_size(size), &found.binned) else {
        let mut error = UnknownProfile { name: name.to_owned(), ..unknown(base, profiles) };
        error.nearest.clone_from(&found.name);
        return Err(error);
    };
    let mut changed = binned.clone();
    changed.tile_memory = bytes;
    let keep = |part: u32| bytes.saturating_sub(binned.tile_memory - part);
    changed.tile_memory_avoid_ccu = keep(binned.tile_memory_avoid_ccu);
    changed.tile_memory_fitted = keep(binned.tile_memory_fitted);
    let mut profile = found.clone();
    profile.name = name.to_owned();
    profile.binned = Some(changed);
    profile.evidence.insert("binned.tile_memory".to_owned(), "user: the target's name".to_owned());
    Ok(Cow::Owned(profile))
}

/// Bytes of `1M` or `1152K`, up to 1 GiB.
fn parse_size(size: &str) -> Option<u32> {
    let (digits, unit) = match size.strip_suffix(['M', 'm']) {
        Some(digits) => (digits, 1 << 20),
        None => (size.strip_suffix(['K', 'k'])?, 1 << 10),
    };
    let bytes = digits.parse::<u32>().ok()?.checked_mul(unit)?;
    ((64 << 10)..=(1 << 30)).contains(&bytes).then_some(bytes)
}

/// The profile of a device, by its `vendorID` and `deviceName`: the most specific pattern wins.
/// `None` when no pattern of this vendor matches.
#[must_use]
pub fn detect(vendor_id: u32, device_name: &str) -> Option<&'static Profile> {
    let name = device_name.to_lowercase();
    let same_vendor = all().iter().filter(|profile| profile.vendor_id == Some(vendor_id));
    let matches = same_vendor.flat_map(|profile| {
        let patterns = profile.devices.iter().map(|pattern| pattern.to_lowercase());
        let fitting = patterns.filter(|pattern| matches_pattern(pattern, &name));
        fitting.map(move |pattern| (pattern.len(), profile)).collect::<Vec<_>>()
    });
    matches.max_by_key(|(specific, _)| *specific).map(|(_, profile)| profile)
}

/// Whether `text` has the form of `pattern`, where `*` stands for any text.
fn matches_pattern(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{DEFAULT_TARGETS, Kind};

    #[test]
    fn patterns() {
        assert!(matches_pattern("adreno*650*", "adreno (tm) 650"));
        assert!(matches_pattern("*", ""));
        assert!(matches_pattern("mali-g71*", "mali-g71"));
        assert!(!matches_pattern("mali-g71", "mali-g710"));
        assert!(!matches_pattern("adreno*6*0", "adreno (tm) 618"));
    }

    #[test]
    fn each_is_read_as_its_file_has_it() {
        let mut profiles: Vec<Profile> = Vec::new();
        for (origin, text) in FILES {
            let parsed = parse::parse_after(text, origin, &profiles);
            profiles.extend(parsed.unwrap());
        }
        assert_eq!(profiles, all());
        for (profile, entry) in profiles.iter().zip(ENTRIES.iter()) {
            assert_eq!(profile.name, entry.name);
            assert_eq!(profile.aliases, entry.aliases, "{}", entry.name);
        }
    }

    #[test]
    fn names_are_unique_and_found() {
        let mut seen = std::collections::BTreeSet::new();
        for profile in all() {
            for name in profile.aliases.iter().chain([&profile.name]) {
                assert!(seen.insert(name.to_lowercase()), "{name} stands twice");
                assert_eq!(by_name(&name.to_uppercase()).unwrap().name, profile.name);
            }
        }
        for target in DEFAULT_TARGETS {
            assert!(by_name(target).unwrap().is_tiler());
        }
    }

    #[test]
    fn kinds_have_their_numbers() {
        for profile in all() {
            assert_eq!(profile.binned.is_some(), profile.kind == Kind::Binned, "{}", profile.name);
            assert_eq!(profile.tile.is_some(), profile.kind == Kind::Fixed, "{}", profile.name);
            if let Some(binned) = &profile.binned {
                assert!(binned.tile_memory_avoid_ccu <= binned.tile_memory, "{}", profile.name);
                assert!(binned.align[0] > 0 && binned.visibility_streams > 0, "{}", profile.name);
            }
            assert!(!profile.title.is_empty(), "{}", profile.name);
        }
    }

    #[test]
    fn every_number_has_a_source() {
        for (origin, text) in FILES {
            let file: toml::Table = text.parse().unwrap();
            for entry in file["profile"].as_array().unwrap() {
                let table = entry.as_table().unwrap();
                let profile = by_name(table["name"].as_str().unwrap()).unwrap();
                for field in parse::numbers(table) {
                    let source = profile.source_of(&field);
                    assert!(source.is_some(), "{origin}: {}: {field} has no source", profile.name);
                }
            }
        }
    }

    #[test]
    fn a_wrong_name_gets_the_nearest_and_the_list() {
        let error = by_name("quest22").unwrap_err();
        assert_eq!(error.nearest, "quest2");
        assert_eq!(error.all.len(), all().len());
        assert!(error.to_string().contains("mali-g78"));
    }

    #[test]
    fn another_amount_of_tile_memory() {
        let binned = resolve("quest2@1M", all()).unwrap().binned.clone().unwrap();
        assert_eq!(binned.tile_memory, 1 << 20);
        assert_eq!(binned.tile_memory_avoid_ccu, (1 << 20) - (48 << 10));
        assert!(resolve("quest2@1", all()).is_err() && resolve("mali-g78@1M", all()).is_err());
        assert_eq!(resolve("quest2@9G", all()).unwrap_err().nearest, "quest2");
        assert_eq!(resolve("quest3", all()).unwrap().name, "quest3");
    }

    #[test]
    fn devices() {
        let name = |vendor, device| detect(vendor, device).map(|profile| profile.name.as_str());
        assert_eq!(name(0x5143, "Adreno (TM) 650"), Some("adreno-650"));
        assert_eq!(name(0x5143, "Turnip Adreno (TM) 740v3"), Some("adreno-740v3"));
        assert_eq!(name(0x5143, "Turnip Adreno (TM) 740"), Some("adreno-740"));
        assert_eq!(name(0x5143, "Adreno (TM) 644"), Some("adreno-6xx"));
        assert_eq!(name(0x5143, "Adreno (TM) 617"), Some("adreno-6xx"));
        assert_eq!(name(0x5143, "Adreno (TM) 735"), Some("adreno-7xx"));
        assert_eq!(name(0x5143, "Adreno (TM) 506"), None);
        assert_eq!(name(0x13B5, "Mali-G719"), None);
        assert_eq!(name(0x13B5, "Mali-G715-Immortalis MC11"), Some("mali-g715"));
        assert_eq!(name(0x5143, "Adreno X1-85"), Some("adreno-x1-85"));
        assert_eq!(name(0x13B5, "Mali-G78"), Some("mali-g78"));
        assert_eq!(name(0x13B5, "Mali-G71"), Some("mali-g71"));
        assert_eq!(name(0x13B5, "Mali-G710 MC10"), Some("mali-g710"));
        assert_eq!(name(0x106B, "Apple M1"), Some("apple-m1"));
        assert_eq!(name(0x14E4, "V3D 7.1.7"), Some("v3d-7"));
        assert_eq!(name(0x10DE, "NVIDIA GeForce RTX 4090"), Some("immediate-nvidia"));
        assert_eq!(name(0x10005, "llvmpipe (LLVM 19.1.0, 256 bits)"), None);
        assert_eq!(name(0x10DE, "Mali-G78"), Some("immediate-nvidia"));
    }
}
