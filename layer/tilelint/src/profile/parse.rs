//! Reading profiles: unknown keys, wrong values and unknown parents are told with their place.

use std::fmt;
use std::ops::Range;

use serde::Deserialize;

use super::{Kind, Label, Profile};
use crate::nearest::closest;

/// Why a profile file could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileError {
    /// The file, as the caller named it.
    pub origin: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, with the nearest key where one is unknown.
    pub message: String,
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.origin, self.line, self.message)
    }
}

impl std::error::Error for ProfileError {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    profile: Vec<Profile>,
}

/// Reads a user's own profile file: `[[profile]]` tables that may inherit from a built-in profile
/// or from one above them. Numbers without a source of their own get the label `user`.
///
/// # Errors
///
/// The first thing that is wrong, with file and line.
pub fn parse(text: &str, origin: &str) -> Result<Vec<Profile>, ProfileError> {
    read(text, origin, super::all(), true)
}

/// Reads a file whose profiles may inherit from `known` or from one above them.
pub(super) fn parse_after(
    text: &str,
    origin: &str,
    known: &[Profile],
) -> Result<Vec<Profile>, ProfileError> {
    read(text, origin, known, false)
}

fn read(
    text: &str,
    origin: &str,
    known: &[Profile],
    user: bool,
) -> Result<Vec<Profile>, ProfileError> {
    // Each table is read alone first, so that errors have their place.
    let alone: File = toml::from_str(text).map_err(|error| from_toml(&error, text, origin))?;
    let file: toml::Table = text.parse().map_err(|error| from_toml(&error, text, origin))?;
    let entries = file.get("profile").and_then(toml::Value::as_array);
    let mut profiles: Vec<Profile> = Vec::new();
    for (index, entry) in entries.into_iter().flatten().enumerate() {
        let line = line_of_profile(text, index);
        let fail = |message| ProfileError { origin: origin.to_owned(), line, message };
        let mut profile = match &alone.profile[index].inherits {
            None => alone.profile[index].clone(),
            Some(parent) => {
                let mut all = known.iter().chain(&profiles);
                let Some(base) = all.find(|profile| profile.name == *parent).cloned() else {
                    let names = known.iter().chain(&profiles).map(|p| p.name.as_str());
                    let near = closest(parent, names).unwrap_or_default();
                    return Err(fail(format!(
                        "`inherits`: no profile is called `{parent}`; the nearest is `{near}`"
                    )));
                };
                overlay(base, entry, &alone.profile[index])
            }
        };
        check(&mut profile).map_err(fail)?;
        if user {
            claim(&mut profile, entry, origin);
        }
        profiles.push(profile);
    }
    Ok(profiles)
}

/// Gives numbers that a user's file states without a source the label `user`.
fn claim(profile: &mut Profile, entry: &toml::Value, origin: &str) {
    let Some(table) = entry.as_table() else { return };
    for field in numbers(table) {
        if entry.get("evidence").is_none_or(|own| own.get(&field).is_none()) {
            profile.evidence.insert(field, format!("user: {origin}"));
        }
    }
    if ["binned", "tile", "kind"].iter().any(|key| table.contains_key(*key)) {
        profile.source = Label::User;
    }
}

/// Writes the fields that `entry` names over those of `base`.
fn overlay(base: Profile, entry: &toml::Value, own: &Profile) -> Profile {
    let has = |path: &str| {
        let mut value = Some(entry);
        for key in path.split('.') {
            value = value.and_then(|value| value.get(key));
        }
        value.is_some()
    };
    let mut merged = base;
    merged.name.clone_from(&own.name);
    merged.inherits.clone_from(&own.inherits);
    // Names and patterns belong to one profile only.
    merged.aliases.clone_from(&own.aliases);
    merged.devices.clone_from(&own.devices);
    macro_rules! fields {
        ($($path:literal => $($field:ident).+;)*) => {
            $(if has($path) { merged.$($field).+ = own.$($field).+.clone(); })*
        };
    }
    fields! {
        "title" => title;
        "vendor_id" => vendor_id;
        "kind" => kind;
        "lazy_memory" => lazy_memory;
        "ds_one_plane" => ds_one_plane;
        "views_in_tile" => views_in_tile;
        "hidden_surface_removal" => hidden_surface_removal;
        "lrz" => lrz;
        "lrz_dir_tracking" => lrz_dir_tracking;
        "direct_mode" => direct_mode;
        "slow_resolves" => slow_resolves;
        "resolve_mid_pass_splits" => resolve_mid_pass_splits;
        "max_samples_full_rate" => max_samples_full_rate;
        "msaa_input_parallel" => msaa_input_parallel;
        "msrtss" => msrtss;
        "refresh_hz" => refresh_hz;
        "mw_per_gbps" => mw_per_gbps;
        "submit_budget" => submit_budget;
        "pass_budget" => pass_budget;
        "color_budget_bits" => color_budget_bits;
        "tile_signatures" => tile_signatures;
        "read_only_depth" => read_only_depth;
        "compression.storage" => compression.storage;
        "compression.mutable_format" => compression.mutable_format;
        "compression.alias" => compression.alias;
        "compression.linear" => compression.linear;
        "compression.multisampled" => compression.multisampled;
        "compression.max_texel_bytes" => compression.max_texel_bytes;
        "merge.policy" => merge.policy;
        "merge.dependencies" => merge.dependencies;
        "merge.access_masks_split" => merge.access_masks_split;
        "merge.color_bits" => merge.color_bits;
        "merge.max_attachments" => merge.max_attachments;
        "source" => source;
    }
    overlay_tables(&mut merged, own, has);
    merged.evidence.extend(own.evidence.clone());
    merged
}

/// As [`overlay`], for the tables of numbers.
fn overlay_tables(merged: &mut Profile, own: &Profile, has: impl Fn(&str) -> bool) {
    macro_rules! numbers {
        ($table:ident: $($name:literal => $field:ident;)*) => {
            if let Some(own) = &own.$table {
                let table = merged.$table.get_or_insert_default();
                $(if has(concat!(stringify!($table), ".", $name)) { table.$field = own.$field; })*
            }
        };
    }
    numbers! { binned:
        "tile_memory" => tile_memory;
        "tile_memory_avoid_ccu" => tile_memory_avoid_ccu;
        "tile_memory_fitted" => tile_memory_fitted;
        "max_ratio_fitted" => max_ratio_fitted;
        "align" => align;
        "max_tile" => max_tile;
        "store_align" => store_align;
        "visibility_streams" => visibility_streams;
        "generic_clear" => generic_clear;
    }
    numbers! { tile:
        "model" => model;
        "color_bytes" => color_bytes;
        "depth_bytes" => depth_bytes;
        "pipelined" => pipelined;
        "max" => max;
        "min" => min;
        "registers" => registers;
    }
}

/// What no single field can show, and defaults that follow from others.
fn check(profile: &mut Profile) -> Result<(), String> {
    if profile.name.is_empty() {
        return Err("the profile has no `name`".to_owned());
    }
    let name = profile.name.clone();
    if profile.title.is_empty() {
        profile.title.clone_from(&name);
    }
    // A child writes 0 where its parent knows a number and it does not.
    let unknown = [&mut profile.max_samples_full_rate, &mut profile.msaa_input_parallel];
    for number in unknown {
        *number = number.filter(|number| *number != 0);
    }
    match profile.kind {
        Kind::Immediate => (profile.binned, profile.tile) = (None, None),
        Kind::Fixed => {
            profile.binned = None;
            let tile = profile.tile.as_ref();
            let tile = tile.ok_or_else(|| format!("`{name}` is fixed: it needs a `tile` table"))?;
            if tile.max.contains(&0) || tile.max.iter().any(|side| *side > 4096) {
                return Err(format!("`{name}`: `tile.max` must be 1 to 4096 pixels a side"));
            }
        }
        Kind::Binned => {
            profile.tile = None;
            let binned = profile.binned.as_mut();
            let binned =
                binned.ok_or_else(|| format!("`{name}` is binned: it needs a `binned` table"))?;
            check_binned(binned).map_err(|message| format!("`{name}`: {message}"))?;
        }
    }
    Ok(())
}

fn check_binned(binned: &mut super::Binned) -> Result<(), String> {
    let sides = |what: &str, sides: [u32; 2], max: u32| {
        if sides.iter().all(|side| (1..=max).contains(side)) {
            return Ok(());
        }
        Err(format!("`binned.{what}` must be 1 to {max} pixels a side"))
    };
    sides("align", binned.align, 512)?;
    sides("max_tile", binned.max_tile, 1 << 15)?;
    if binned.store_align == [0, 0] {
        binned.store_align = [16, 4];
    }
    sides("store_align", binned.store_align, 512)?;
    let granule = 8 * binned.align[0] * binned.align[1];
    if !(granule..=1 << 30).contains(&binned.tile_memory) {
        return Err(format!("`binned.tile_memory` must be {granule} bytes to 1 GiB"));
    }
    for bytes in [&mut binned.tile_memory_avoid_ccu, &mut binned.tile_memory_fitted] {
        if *bytes == 0 {
            *bytes = binned.tile_memory;
        }
        if *bytes > binned.tile_memory {
            return Err("no layout can be larger than `binned.tile_memory`".to_owned());
        }
    }
    if binned.max_ratio_fitted == 0 {
        binned.max_ratio_fitted = 300;
    }
    if !(1..=1024).contains(&binned.visibility_streams) {
        return Err("`binned.visibility_streams` must be 1 to 1024".to_owned());
    }
    Ok(())
}

/// The dotted names of the fields of a profile that hold numbers which need a source.
pub(super) fn numbers(table: &toml::Table) -> Vec<String> {
    let is_number = |value: &toml::Value| match value {
        toml::Value::Array(items) => items.iter().all(toml::Value::is_integer),
        value => value.is_integer() || value.is_float(),
    };
    let mut names = Vec::new();
    for (key, value) in table {
        if let toml::Value::Table(inner) = value {
            let inner = inner.iter().filter(|(_, value)| is_number(value));
            names.extend(inner.map(|(name, _)| format!("{key}.{name}")));
        } else if is_number(value) && value.as_array().is_none_or(|items| !items.is_empty()) {
            names.push(key.clone());
        }
    }
    names
}

fn from_toml(error: &toml::de::Error, text: &str, origin: &str) -> ProfileError {
    let span = error.span().unwrap_or(0..0);
    let mut message = error.message().to_owned();
    // serde lists every key; only the nearest helps.
    if message.starts_with("unknown field") || message.starts_with("unknown variant") {
        let kind = if message.starts_with("unknown field") { "key" } else { "value" };
        let mut quoted = message.split('`').skip(1).step_by(2);
        let unknown = quoted.next().unwrap_or_default();
        let known: Vec<&str> = quoted.collect();
        let near = closest(unknown, known.iter().copied()).unwrap_or_default();
        let all = known.join(", ");
        message = format!("unknown {kind} `{unknown}`; the nearest is `{near}` (known: {all})");
    }
    ProfileError { origin: origin.to_owned(), line: line_at(text, &span), message }
}

fn line_at(text: &str, span: &Range<usize>) -> usize {
    text.as_bytes().iter().take(span.start).filter(|byte| **byte == b'\n').count() + 1
}

/// The line of the header of the `index`th `[[profile]]`.
fn line_of_profile(text: &str, index: usize) -> usize {
    let headers = text
        .lines()
        .enumerate()
        .filter(|(_, line)| line.split_whitespace().collect::<String>().starts_with("[[profile]]"));
    headers.map(|(line, _)| line + 1).nth(index).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse(text, "mine.toml").unwrap_err().to_string()
    }

    #[test]
    fn inherits_and_overrides() {
        let text = "[[profile]]\nname = \"studio\"\ninherits = \"quest2\"\nrefresh_hz = 90\n\
                    [profile.binned]\ntile_memory_fitted = 1048576\n\
                    [[profile]]\nname = \"studio-b\"\ninherits = \"studio\"\n";
        let profiles = parse(text, "mine.toml").unwrap();
        let quest2 = super::super::by_name("quest2").unwrap();
        for profile in &profiles {
            assert_eq!(profile.refresh_hz(), 90);
            let binned = profile.binned.as_ref().unwrap();
            assert_eq!(binned.tile_memory_fitted, 1 << 20);
            assert_eq!(binned.tile_memory, quest2.binned.as_ref().unwrap().tile_memory);
        }
        assert_eq!(profiles[0].source_of("refresh_hz"), Some("user: mine.toml"));
        assert_eq!(profiles[0].source_of("binned.align"), quest2.source_of("binned.align"));
    }

    #[test]
    fn errors_have_their_place() {
        let unknown = error("[[profile]]\nname = \"x\"\nrefresh_h = 90\n");
        assert!(unknown.starts_with("mine.toml:3: unknown key `refresh_h`"), "{unknown}");
        assert!(unknown.contains("the nearest is `refresh_hz`"), "{unknown}");
        let value = error("[[profile]]\nname = \"x\"\nkind = \"bined\"\n");
        assert!(value.starts_with("mine.toml:3: ") && value.contains("`binned`"), "{value}");
        let parent = error("# mine\n[[profile]]\nname = \"x\"\ninherits = \"quest9\"\n");
        assert!(parent.starts_with("mine.toml:2: `inherits`"), "{parent}");
        let syntax = error("[[profile]]\nname = \n");
        assert!(syntax.starts_with("mine.toml:2: "), "{syntax}");
        let nameless = error("[[profile]]\ntitle = \"x\"\n");
        assert!(nameless.contains("no `name`"), "{nameless}");
        let empty = error("[[profile]]\nname = \"x\"\nkind = \"binned\"\n");
        assert!(empty.contains("needs a `binned` table"), "{empty}");
        let zero =
            error("[[profile]]\nname = \"x\"\ninherits = \"quest2\"\nbinned.align = [0, 1]\n");
        assert!(zero.contains("`binned.align`"), "{zero}");
    }
}
