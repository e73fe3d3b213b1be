//! Where the layer and the driver that renders nothing are.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The layer's library.
pub const LAYER: &str = "libVkLayer_tilelint.so";
/// The library of the driver that renders nothing.
pub const NULL_DRIVER: &str = "libvulkan_tilelint_null.so";
/// The manifest that an installed layer has.
const INSTALLED: &str = "explicit_layer.d/VkLayer_tilelint.json";

/// Finds a library: beside this program, in the `lib` folder beside its folder, or, for the
/// layer, where an installed manifest says.
///
/// # Errors
///
/// Every place that was looked at.
pub fn find(library: &str) -> Result<PathBuf, String> {
    let mut looked = Vec::new();
    let program = env::current_exe().and_then(|path| path.canonicalize()).ok();
    if let Some(folder) = program.as_deref().and_then(Path::parent) {
        looked.push(folder.join(library));
        looked.extend(folder.parent().map(|above| above.join("lib").join(library)));
    }
    if let Some(found) = looked.iter().find(|path| path.is_file()) {
        return Ok(found.clone());
    }
    if library == LAYER {
        for manifest in manifest_folders().into_iter().map(|folder| folder.join(INSTALLED)) {
            if let Some(path) = named_by(&manifest).filter(|path| path.is_file()) {
                return Ok(path);
            }
            looked.push(manifest);
        }
    }
    let looked: Vec<String> = looked.iter().map(|path| format!("  {}", path.display())).collect();
    Err(format!("there is no {library}; looked at\n{}", looked.join("\n")))
}

/// The library that a manifest names.
fn named_by(manifest: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(manifest).ok()?;
    let value: Value = serde_json::from_str(&text).ok()?;
    let path = value.get("layer")?.get("library_path")?.as_str()?;
    Some(manifest.parent()?.join(path))
}

/// The folders `vulkan` that the loader searches for manifests, first to last.
pub fn manifest_folders() -> Vec<PathBuf> {
    let text = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let home = text("HOME").unwrap_or_default();
    let or = |name: &str, default: String| text(name).unwrap_or(default);
    let lists = [
        or("XDG_CONFIG_HOME", format!("{home}/.config")),
        or("XDG_CONFIG_DIRS", "/etc/xdg".to_owned()),
        "/usr/local/etc:/etc".to_owned(),
        or("XDG_DATA_HOME", format!("{home}/.local/share")),
        or("XDG_DATA_DIRS", "/usr/local/share:/usr/share".to_owned()),
    ];
    let folders = lists.iter().flat_map(|list| list.split(':')).filter(|path| !path.is_empty());
    folders.map(|folder| Path::new(folder).join("vulkan")).collect()
}
