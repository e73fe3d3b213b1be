//! Whole frames of a program that nobody here wrote, on the software rasteriser.

use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use crate::configuration::{Configuration, Setup};

/// Frames of the shorter and the longer run; the difference leaves out start and end.
const FRAMES: [u32; 2] = [30, 230];

/// What is missing for it.
pub fn lacks(setup: &Setup) -> Option<&'static str> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let has = |name: &str| std::env::split_paths(&path).any(|folder| folder.join(name).is_file());
    let programs = [("vkcube", "vkcube not installed"), ("xvfb-run", "xvfb-run not installed")];
    let missing = programs.into_iter().find(|(name, _)| !has(name)).map(|(_, what)| what);
    missing.or_else(|| setup.rasteriser.is_none().then_some("lavapipe not installed"))
}

/// Nanoseconds of a frame.
///
/// # Errors
///
/// What the program said when it failed.
pub fn frame_ns(setup: &Setup, configuration: Configuration) -> Result<f64, String> {
    let driver = setup.rasteriser.as_ref().ok_or("there is no software rasteriser")?;
    let mut seconds = [0.0; 2];
    for (taken, frames) in seconds.iter_mut().zip(FRAMES) {
        let mut command = setup.command_over(Path::new("xvfb-run"), configuration, driver);
        command.args(["-a", "vkcube", "--c", &frames.to_string()]).stdin(Stdio::null());
        let start = Instant::now();
        let output = command.output().map_err(|error| format!("xvfb-run: {error}"))?;
        *taken = start.elapsed().as_secs_f64();
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr);
            return Err(format!("vkcube: {}\n{text}", output.status));
        }
    }
    Ok((seconds[1] - seconds[0]) * 1e9 / f64::from(FRAMES[1] - FRAMES[0]))
}
