//! What the layer reads beside `tilelint.toml`, read here as well: the loader's settings file for
//! layers, and the environment.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use tilelint::config::{Given, layer_settings, variables};

const FILE: &str = "vk_layer_settings.txt";

/// Settings given as text, weakest first.
pub fn given() -> Vec<Given> {
    let text = |text: OsString| text.to_string_lossy().into_owned();
    let all: Vec<_> = env::vars_os().map(|(name, value)| (text(name), text(value))).collect();
    let file = places().into_iter().find(|path| path.is_file());
    let file = file.and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default();
    let mut given = layer_settings(&file, FILE);
    given.extend(variables(&all));
    given
}

/// Where the file is looked for; the first one counts.
fn places() -> Vec<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let data = set("XDG_DATA_HOME").or_else(|| set("HOME").map(|home| home.join(".local/share")));
    let named = set("VK_LAYER_SETTINGS_PATH");
    let named = named.map(|path| if path.is_dir() { path.join(FILE) } else { path });
    let data = data.map(|folder| folder.join("vulkan/settings.d").join(FILE));
    data.into_iter().chain(named).chain([PathBuf::from(FILE)]).collect()
}
