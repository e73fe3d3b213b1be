//! The files and the environment.

use super::Given;
use crate::log;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use tilelint::config::SETTINGS;

/// The name of the configuration file.
const CONFIG_FILE: &str = "tilelint.toml";
/// The file that layer settings stand in, by the loader's convention.
const LAYER_SETTINGS_FILE: &str = "vk_layer_settings.txt";
/// The key prefix of this layer there: vendor and name.
const LAYER_KEY: &str = "tilelint_lint.";
/// Variables of this prefix are the layer's own.
const VARIABLE_PREFIX: &str = "TILELINT_";
/// The prefixes by the loader's convention: vendor and layer, then layer.
const LOADER_PREFIXES: [&str; 2] = ["VK_TILELINT_LINT_", "VK_LINT_"];
/// Variables of the prefix that are no settings: the implicit layer's switch, and those of tests.
const NO_SETTINGS: [&str; 2] = ["DISABLE", "NULL_DRIVER"];
/// Variables of developers of the layer, and of its tests.
const DEVELOPER_PREFIXES: [&str; 2] = ["DEBUG_", "TEST_"];

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

/// Returns the settings of the environment, weakest first. A name of the layer's own prefix that
/// is no setting is kept, so that a slip is told.
pub(super) fn environment() -> Vec<Given> {
    let mut given = Vec::new();
    for prefix in LOADER_PREFIXES.iter().rev() {
        for setting in SETTINGS.iter().map(|info| info.name).chain([super::CONFIG]) {
            let origin = format!("{prefix}{}", setting.to_ascii_uppercase());
            if let Some(value) = env::var_os(&origin) {
                let value = value.to_string_lossy().into_owned();
                given.push(Given { name: setting.to_owned(), value, origin });
            }
        }
    }
    let mut own: Vec<_> = env::vars_os()
        .filter_map(|(variable, value)| {
            let origin = variable.to_string_lossy().into_owned();
            let name = origin.strip_prefix(VARIABLE_PREFIX)?;
            let is_developers = DEVELOPER_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
            let is_setting = !NO_SETTINGS.contains(&name) && !is_developers;
            let name = is_setting.then(|| name.to_ascii_lowercase())?;
            Some(Given { name, value: value.to_string_lossy().into_owned(), origin })
        })
        .collect();
    own.sort_by(|a, b| a.origin.cmp(&b.origin));
    given.extend(own);
    given
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
    parse_layer_settings(&text)
}

fn data_folder() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("XDG_DATA_HOME").or_else(|| set("HOME").map(|home| home.join(".local/share")))
}

/// Reads `vendor_layer.setting = value` lines; those of other layers are theirs.
fn parse_layer_settings(text: &str) -> Vec<Given> {
    let line = |(idx, line): (usize, &str)| {
        let (key, value) = line.split('#').next()?.split_once('=')?;
        let name = key.trim().strip_prefix(LAYER_KEY)?;
        Some(Given {
            name: name.to_owned(),
            value: value.trim().to_owned(),
            origin: format!("{LAYER_SETTINGS_FILE}:{}", idx + 1),
        })
    };
    text.lines().enumerate().filter_map(line).collect()
}
