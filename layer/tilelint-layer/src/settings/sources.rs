//! The files and the environment.

use crate::log;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use tilelint::config::Given;

/// The name of the configuration file.
const CONFIG_FILE: &str = "tilelint.toml";
/// The file that layer settings stand in, by the loader's convention.
const LAYER_SETTINGS_FILE: &str = "vk_layer_settings.txt";

/// Returns the text of the configuration file and the name to tell it by: the file that is named,
/// else the first `tilelint.toml` from the current folder upwards.
pub(super) fn config_file(named: Option<&Given>) -> Option<(String, String)> {
    let (path, shown) = match named {
        Some(given) => (PathBuf::from(&given.value), given.value.clone()),
        None => (search_upwards(&env::current_dir().ok()?)?, CONFIG_FILE.to_owned()),
    };
    match fs::read_to_string(&path) {
        Ok(text) => Some((shown, text)),
        Err(error) => {
            let origin = named.map_or(String::new(), |given| format!(" ({})", given.origin));
            log::warning(&format!("{shown}{origin}: {error}; the defaults are used"));
            None
        }
    }
}

fn search_upwards(from: &Path) -> Option<PathBuf> {
    from.ancestors().map(|folder| folder.join(CONFIG_FILE)).find(|path| path.is_file())
}

/// Returns the settings of the environment, weakest first.
pub(super) fn environment() -> Vec<Given> {
    let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    let all: Vec<_> = env::vars_os().map(|(name, value)| (text(name), text(value))).collect();
    tilelint::config::variables(&all)
}

/// Returns the settings in the loader's settings file for layers.
pub(super) fn layer_settings_file() -> Vec<Given> {
    let candidates = [
        data_folder().map(|folder| folder.join("vulkan/settings.d").join(LAYER_SETTINGS_FILE)),
        env::var_os("VK_LAYER_SETTINGS_PATH")
            .map(PathBuf::from)
            .map(|path| if path.is_dir() { path.join(LAYER_SETTINGS_FILE) } else { path }),
        Some(PathBuf::from(LAYER_SETTINGS_FILE)),
    ];
    let file = candidates.into_iter().flatten().find(|path| path.is_file());
    let text = file.and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default();
    tilelint::config::layer_settings(&text, LAYER_SETTINGS_FILE)
}

fn data_folder() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("XDG_DATA_HOME").or_else(|| set("HOME").map(|home| home.join(".local/share")))
}
