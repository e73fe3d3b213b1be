//! The profiles that a command knows: built in, and a user's own folder.

use std::fs;
use std::path::{Path, PathBuf};

use tilelint::profile::{self, Profile};

/// The built-in profiles and those of the `.toml` files of `folder`, in the order of their names.
///
/// # Errors
///
/// What is wrong with the folder or with a file, with its line.
pub fn load(folder: Option<&Path>) -> Result<Vec<Profile>, String> {
    let mut profiles = profile::all().to_vec();
    let Some(folder) = folder else { return Ok(profiles) };
    for path in files(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let origin = path.display().to_string();
        let text = fs::read_to_string(&path).map_err(|error| format!("{origin}: {error}"))?;
        profiles.extend(profile::parse(&text, &origin).map_err(|error| error.to_string())?);
    }
    Ok(profiles)
}

fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
