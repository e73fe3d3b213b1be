//! Android's system properties: `debug.tilelint.NAME`, for applications whose environment nobody
//! can set.

use tilelint::config::Given;

/// Returns the settings given as system properties.
#[cfg(target_os = "android")]
pub(super) fn all() -> Vec<Given> {
    let names =
        tilelint::config::SETTINGS.iter().map(|info| info.name).chain([tilelint::config::CONFIG]);
    let given = |name: &str| {
        let origin = format!("debug.tilelint.{name}");
        let value = crate::ffi::property::read(&origin)?;
        Some(Given { name: name.to_owned(), value, origin })
    };
    names.filter_map(given).collect()
}

/// Other systems have none.
#[cfg(not(target_os = "android"))]
pub(super) fn all() -> Vec<Given> {
    Vec::new()
}
