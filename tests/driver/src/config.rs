//! What the driver claims to be: defaults, and the TOML file that changes them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use ash::vk;
use serde::Deserialize;

use crate::{entry, extensions, features, formats};

/// The environment variable that names the file.
const VARIABLE: &str = "TILELINT_NULL_DRIVER";

/// The file, as written; see `lib.rs` for the keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct File {
    device_name: String,
    driver_name: String,
    vendor_id: u32,
    device_id: u32,
    driver_version: u32,
    device_type: String,
    api_version: String,
    devices: u32,
    heap_bytes: u64,
    memory_types: Vec<Vec<String>>,
    committed_bytes: u64,
    extensions: Option<Vec<String>>,
    add_extensions: Vec<String>,
    remove_extensions: Vec<String>,
    features: Option<Vec<String>>,
    remove_features: Vec<String>,
    formats: Option<Vec<String>>,
    remove_formats: Vec<String>,
    max_samples: u32,
    async_compute: bool,
    equal_handles: bool,
    reuse_handles: bool,
    swapchain_images: u32,
    surface_transform: String,
    tiles: Vec<[u32; 2]>,
    merge: Vec<Merge>,
    errors: BTreeMap<String, Injection>,
    log: Option<String>,
}

/// What is answered of a subpass of every render pass.
#[derive(Deserialize, Clone, Default)]
#[serde(deny_unknown_fields, default)]
struct Merge {
    status: String,
    index: u32,
    text: String,
}

/// The result of a function, for every call or only the nth.
#[derive(Deserialize, Clone)]
#[serde(untagged)]
enum Injection {
    Always(String),
    Nth(Nth),
}

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct Nth {
    result: String,
    call: Calls,
}

/// Calls of a function, from 1.
#[derive(Deserialize, Clone)]
#[serde(untagged)]
enum Calls {
    One(u32),
    Some(Vec<u32>),
}

impl Default for File {
    fn default() -> Self {
        let words = |list: &[&str]| list.iter().map(|w| (*w).to_owned()).collect();
        File {
            device_name: "Adreno (TM) 650 (tilelint null driver)".into(),
            driver_name: "tilelint null driver".into(),
            vendor_id: 0x5143,
            device_id: 0x0605_0002,
            driver_version: vk::make_api_version(0, 0, 1, 0),
            device_type: "INTEGRATED_GPU".into(),
            api_version: "1.3.281".into(),
            devices: 1,
            heap_bytes: 4 << 30,
            memory_types: vec![
                words(&["DEVICE_LOCAL"]),
                words(&["HOST_VISIBLE", "HOST_COHERENT"]),
                words(&["DEVICE_LOCAL", "LAZILY_ALLOCATED"]),
            ],
            committed_bytes: 0,
            extensions: None,
            add_extensions: Vec::new(),
            remove_extensions: Vec::new(),
            features: None,
            remove_features: Vec::new(),
            formats: None,
            remove_formats: Vec::new(),
            max_samples: 4,
            async_compute: false,
            equal_handles: false,
            reuse_handles: false,
            swapchain_images: 3,
            surface_transform: "IDENTITY".into(),
            tiles: vec![[256, 192]],
            merge: Vec::new(),
            errors: BTreeMap::new(),
            log: None,
        }
    }
}

/// Results by function, for all calls or for some, from 1.
type Injections = BTreeMap<String, (vk::Result, Option<Vec<u32>>)>;

/// The settings, checked.
pub struct Config {
    pub device_name: String,
    pub driver_name: String,
    pub vendor_id: u32,
    pub device_id: u32,
    pub driver_version: u32,
    pub device_type: vk::PhysicalDeviceType,
    pub api_version: u32,
    pub devices: u32,
    pub heap_bytes: u64,
    pub memory_types: Vec<vk::MemoryPropertyFlags>,
    /// What `vkGetDeviceMemoryCommitment` says of all memory.
    pub committed_bytes: u64,
    pub instance_extensions: Vec<(String, u32)>,
    pub device_extensions: Vec<(String, u32)>,
    features: Option<Vec<String>>,
    remove_features: Vec<String>,
    formats: Option<Vec<vk::Format>>,
    remove_formats: Vec<vk::Format>,
    pub sample_counts: vk::SampleCountFlags,
    pub async_compute: bool,
    pub equal_handles: bool,
    pub reuse_handles: bool,
    pub swapchain_images: u32,
    /// How every surface's display stands.
    pub surface_transform: vk::SurfaceTransformFlagsKHR,
    /// Width and height of the tiles of every framebuffer.
    pub tiles: Vec<[u32; 2]>,
    /// What `VK_EXT_subpass_merge_feedback` says of each subpass: status, index and words.
    pub merge: Vec<(vk::SubpassMergeStatusEXT, u32, String)>,
    errors: Injections,
    pub log: Option<String>,
    /// Neither a log nor an error is asked for.
    pub quiet: bool,
}

impl Config {
    /// The result that the file wants for the `call`th call (from 1) of a function.
    pub fn error(&self, name: &str, call: u32) -> Option<vk::Result> {
        let (result, nth) = self.errors.get(name)?;
        nth.as_ref().is_none_or(|calls| calls.contains(&call)).then_some(*result)
    }

    /// Whether a feature (Vulkan's spelling, `robustBufferAccess`) is supported.
    pub fn feature(&self, name: &str) -> bool {
        let has = |list: &[String]| list.iter().any(|f| f == name);
        self.features.as_deref().is_none_or(has) && !has(&self.remove_features)
    }

    /// Whether a format can be used.
    pub fn format(&self, format: vk::Format) -> bool {
        self.formats.as_ref().is_none_or(|list| list.contains(&format))
            && !self.remove_formats.contains(&format)
    }
}

/// The settings of this process, read once.
pub fn config() -> &'static Config {
    static CONFIG: LazyLock<Config> = LazyLock::new(|| {
        let path = std::env::var_os(VARIABLE).filter(|p| !p.is_empty());
        let read = path.map(|path| {
            let place = path.to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).map_err(|e| format!("{place}: {e}"))?;
            parse(&text).map_err(|(line, message)| format!("{place}:{line}: {message}"))
        });
        match read {
            Some(Ok(config)) => config,
            Some(Err(message)) => {
                eprintln!("tilelint-null: {message}; the defaults are used");
                defaults()
            }
            None => defaults(),
        }
    });
    &CONFIG
}

fn defaults() -> Config {
    check(File::default())
        .unwrap_or_else(|e| unreachable!("the defaults name only known things: {e:?}"))
}

/// Settings from a file's text, or the line (from 1) and what is wrong there.
fn parse(text: &str) -> Result<Config, (usize, String)> {
    let line_at = |offset: usize| text[..offset.min(text.len())].matches('\n').count() + 1;
    let file: File = toml::from_str(text).map_err(|e| {
        let line = e.span().map_or(1, |span| line_at(span.start));
        (line, e.message().replace('\n', " "))
    })?;
    check(file).map_err(|wrong| {
        // The word itself is the best guide to its line.
        (text.find(&wrong.word).map_or(1, line_at), wrong.message)
    })
}

#[derive(Debug)]
struct Wrong {
    word: String,
    message: String,
}

/// Looks a word up, or says which words there are.
fn word<T: Copy>(kind: &str, text: &str, known: &[(&str, T)]) -> Result<T, Wrong> {
    known.iter().find(|(name, _)| *name == text).map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
        wrong(text, format!("unknown {kind} `{text}`, expected one of {}", names.join(", ")))
    })
}

fn wrong(word: &str, message: String) -> Wrong {
    Wrong { word: word.to_owned(), message }
}

fn check(file: File) -> Result<Config, Wrong> {
    let api_version = version(&file.api_version)?;
    let memory_types = file
        .memory_types
        .iter()
        .map(|flags| {
            let mut all = vk::MemoryPropertyFlags::empty();
            for flag in flags {
                all |= word("memory property", flag, MEMORY)?;
            }
            Ok(all)
        })
        .collect::<Result<Vec<_>, Wrong>>()?;
    if memory_types.is_empty() || memory_types.len() > vk::MAX_MEMORY_TYPES {
        return Err(wrong("memory_types", "memory_types: expected 1 to 32 types".into()));
    }
    if !(1..=64).contains(&file.max_samples) || !file.max_samples.is_power_of_two() {
        return Err(wrong("max_samples", "max_samples: expected 1, 2, 4, 8, 16, 32 or 64".into()));
    }
    for name in file.features.iter().flatten().chain(&file.remove_features) {
        if !features::known(name) {
            return Err(wrong(
                name,
                format!("unknown feature `{name}`: {}", features::nearest(name)),
            ));
        }
    }
    let (instance_extensions, device_extensions) = extensions::offered(
        file.extensions.as_deref(),
        &file.add_extensions,
        &file.remove_extensions,
    );
    Ok(Config {
        device_type: word("device type", &file.device_type, DEVICE_TYPES)?,
        formats: file.formats.map(|f| format_list(&f)).transpose()?,
        remove_formats: format_list(&file.remove_formats)?,
        quiet: file.errors.is_empty() && file.log.is_none(),
        errors: errors(file.errors)?,
        sample_counts: vk::SampleCountFlags::from_raw(file.max_samples * 2 - 1),
        device_name: file.device_name,
        driver_name: file.driver_name,
        vendor_id: file.vendor_id,
        device_id: file.device_id,
        driver_version: file.driver_version,
        api_version,
        devices: file.devices,
        heap_bytes: file.heap_bytes,
        memory_types,
        committed_bytes: file.committed_bytes,
        instance_extensions,
        device_extensions,
        features: file.features,
        remove_features: file.remove_features,
        async_compute: file.async_compute,
        equal_handles: file.equal_handles,
        reuse_handles: file.reuse_handles,
        swapchain_images: file.swapchain_images.max(1),
        surface_transform: word("transform", &file.surface_transform, TRANSFORMS)?,
        tiles: file.tiles,
        merge: file.merge.into_iter().map(merge).collect::<Result<_, Wrong>>()?,
        log: file.log,
    })
}

fn version(text: &str) -> Result<u32, Wrong> {
    let mut numbers = [1, 0, 0];
    let parts: Vec<_> = text.split('.').map(str::parse::<u32>).collect();
    let good = (2..=3).contains(&parts.len()) && parts.iter().all(Result::is_ok);
    if !good {
        return Err(wrong(
            text,
            format!("api_version `{text}`: expected a version such as 1.3.281"),
        ));
    }
    for (number, part) in numbers.iter_mut().zip(parts.into_iter().flatten()) {
        *number = part;
    }
    Ok(vk::make_api_version(0, numbers[0], numbers[1], numbers[2]))
}

fn format_list(names: &[String]) -> Result<Vec<vk::Format>, Wrong> {
    let find = |name: &String| {
        formats::named(name).ok_or_else(|| {
            let message = format!("unknown format `{name}`, expected e.g. R8G8B8A8_UNORM");
            wrong(name, message)
        })
    };
    names.iter().map(find).collect()
}

fn merge(file: Merge) -> Result<(vk::SubpassMergeStatusEXT, u32, String), Wrong> {
    // The type prints its names; the numbers are those of the extension.
    let known = (0..=13).map(vk::SubpassMergeStatusEXT::from_raw);
    let names: Vec<_> = known.map(|status| (format!("{status:?}"), status)).collect();
    let names: Vec<_> = names.iter().map(|(name, status)| (name.as_str(), *status)).collect();
    Ok((word("merge status", &file.status, &names)?, file.index, file.text))
}

fn errors(wanted: BTreeMap<String, Injection>) -> Result<Injections, Wrong> {
    let check = |(name, injection): (String, Injection)| {
        let (text, nth) = match injection {
            Injection::Always(result) => (result, None),
            Injection::Nth(Nth { result, call: Calls::One(call) }) => (result, Some(vec![call])),
            Injection::Nth(Nth { result, call: Calls::Some(calls) }) => (result, Some(calls)),
        };
        if entry::find(&name).is_none() {
            return Err(wrong(&name, format!("errors: the driver has no function `{name}`")));
        }
        // vk::Result prints its names; the numbers are those of 1.3 and its extensions.
        let known = (-13..=5).chain(RESULTS.iter().copied()).map(vk::Result::from_raw);
        let names: Vec<_> = known.map(|r| (format!("{r:?}"), r)).collect();
        let names: Vec<_> = names.iter().map(|(name, r)| (name.as_str(), *r)).collect();
        let result = word("result", text.trim_start_matches("VK_"), &names)?;
        Ok((name, (result, nth)))
    };
    wanted.into_iter().map(check).collect()
}

const RESULTS: &[i32] = &[
    -1_000_000_000,
    -1_000_000_001,
    1_000_001_003,
    -1_000_001_004,
    -1_000_069_000,
    -1_000_072_003,
    -1_000_161_000,
    -1_000_257_000,
    1_000_297_000,
];

const MEMORY: &[(&str, vk::MemoryPropertyFlags)] = &[
    ("DEVICE_LOCAL", vk::MemoryPropertyFlags::DEVICE_LOCAL),
    ("HOST_VISIBLE", vk::MemoryPropertyFlags::HOST_VISIBLE),
    ("HOST_COHERENT", vk::MemoryPropertyFlags::HOST_COHERENT),
    ("HOST_CACHED", vk::MemoryPropertyFlags::HOST_CACHED),
    ("LAZILY_ALLOCATED", vk::MemoryPropertyFlags::LAZILY_ALLOCATED),
    ("PROTECTED", vk::MemoryPropertyFlags::PROTECTED),
];

const DEVICE_TYPES: &[(&str, vk::PhysicalDeviceType)] = &[
    ("INTEGRATED_GPU", vk::PhysicalDeviceType::INTEGRATED_GPU),
    ("DISCRETE_GPU", vk::PhysicalDeviceType::DISCRETE_GPU),
    ("VIRTUAL_GPU", vk::PhysicalDeviceType::VIRTUAL_GPU),
    ("CPU", vk::PhysicalDeviceType::CPU),
    ("OTHER", vk::PhysicalDeviceType::OTHER),
];

const TRANSFORMS: &[(&str, vk::SurfaceTransformFlagsKHR)] = &[
    ("IDENTITY", vk::SurfaceTransformFlagsKHR::IDENTITY),
    ("ROTATE_90", vk::SurfaceTransformFlagsKHR::ROTATE_90),
    ("ROTATE_180", vk::SurfaceTransformFlagsKHR::ROTATE_180),
    ("ROTATE_270", vk::SurfaceTransformFlagsKHR::ROTATE_270),
];
