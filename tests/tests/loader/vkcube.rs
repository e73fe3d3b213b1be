//! A program that nobody here wrote, on the software rasteriser.

use super::{LAVAPIPE, enabled, findings, lint};
use serde_json::Value;
use std::path::Path;
use tilelint_tests::harness::{self, Ran, TempDir, run};

/// Runs vkcube for 60 frames on the software rasteriser, with or without the layer.
fn vkcube(is_linted: bool, variables: &[(&str, &str)]) -> (Ran, Option<Value>, Option<String>) {
    let folder = TempDir::new();
    let mut command = harness::x_command("vkcube", Path::new(LAVAPIPE));
    command.args(["--c", "60"]).current_dir(folder.path());
    if is_linted {
        enabled(&mut command, &folder);
    }
    for (name, value) in variables {
        match value.is_empty() {
            true => command.env_remove(name),
            false => command.env(name, value),
        };
    }
    let ran = run(&mut command);
    let report = std::fs::read_to_string(folder.path().join("report.json")).ok();
    let recording = std::fs::read_to_string(folder.path().join("tilelint.calls")).ok();
    (ran, report.and_then(|text| serde_json::from_str(&text).ok()), recording)
}

#[test]
fn vkcube_has_one_mistake() {
    let (plain, ..) = vkcube(false, &[]);
    let (ran, report, recording) = vkcube(true, &[]);
    assert_eq!((&ran.stdout, ran.status), (&plain.stdout, plain.status));
    assert!(plain.status.success(), "{}", plain.stderr);
    let found = findings(&ran);
    assert_eq!(found.len(), 1, "{}", ran.stderr);
    assert!(found[0].starts_with("warning[non-transient]:"), "{}", ran.stderr);
    let report = report.expect("the report is written");
    let finding = &report["findings"][0];
    assert_eq!(report["findings"].as_array().map(Vec::len), Some(1));
    // 500 x 500 texels of D16_UNORM.
    assert_eq!(finding["cost"]["memory_bytes"], 500 * 500 * 2);
    assert_eq!(finding["confidence"], "certain");
    assert_eq!(finding["count"], 60);
    assert_eq!(report["frames"]["boundary"], "present");
    // The recording repeats the verdict without the program.
    let repeated = lint(&recording.expect("the recording is written"));
    assert_eq!(repeated, ["non-transient"]);
    // One pass, which stores 500 x 500 texels of four bytes.
    assert_eq!(report["traffic"]["store_bytes"], 500 * 500 * 4);
    assert_eq!(report["traffic"]["load_bytes"], 0);
}

#[test]
fn it_works_beside_mesas_device_select_layer() {
    // Mesa's layer is implicit and comes with its drivers; the harness keeps it out elsewhere.
    let (ran, report, _) = vkcube(true, &[("NODEVICE_SELECT", ""), ("VK_LOADER_DEBUG", "layer")]);
    assert!(ran.status.success(), "{}", ran.stderr);
    assert!(ran.stderr.contains("VK_LAYER_MESA_device_select"), "{}", ran.stderr);
    let report = report.expect("the report is written");
    assert_eq!(report["findings"].as_array().map(Vec::len), Some(1));
    assert_eq!(report["findings"][0]["rule"], "non-transient");
}

#[test]
fn an_excerpt_of_vkcube_has_its_mistake() {
    // The frame with all that is made does not fit.
    let (.., recording) = vkcube(true, &[("TILELINT_DEBUG_RECORDING_LIMIT", "70")]);
    let recording = recording.expect("the recording is written");
    let header = recording.lines().next().unwrap();
    assert!(header.ends_with(" excerpt=on"), "{header}");
    assert_eq!(lint(&recording), ["non-transient"]);
}

#[test]
fn the_time_in_calls_is_measured_where_asked() {
    let (_, report, _) = vkcube(true, &[]);
    assert!(report.expect("the report is written")["api_time"].is_null());
    let (ran, report, _) = vkcube(true, &[("TILELINT_API_TIME", "on")]);
    let time = &report.expect("the report is written")["api_time"];
    // From the end of the first of 60 frames to the end of the last one.
    assert_eq!(time["frames"], 59);
    let calls = time["calls"].as_array().expect("a list");
    let number = |call: &Value, key: &str| call[key].as_u64().expect("a number");
    let call = |name: &str| {
        let found = calls.iter().find(|call| call["name"] == name);
        found.unwrap_or_else(|| panic!("{name} is not in {time:#}"))
    };
    for (name, kind) in [
        ("vkAcquireNextImageKHR", "acquire"),
        ("vkWaitForFences", "fence"),
        ("vkQueueSubmit", "submit"),
        ("vkQueuePresentKHR", "present"),
    ] {
        let call = call(name);
        assert_eq!((number(call, "count"), number(call, "timed")), (59, 59), "{call}");
        assert_eq!(call["blocked"], kind);
    }
    // vkcube records all its command buffers before the first frame.
    assert!(calls.iter().all(|call| call["name"] != "vkCmdDraw"), "{time:#}");
    let timed = |call: &Value| number(call, "timed") <= number(call, "count");
    assert!(calls.iter().all(timed), "{time:#}");
    let spent: u64 = calls.iter().map(|call| number(call, "nanoseconds")).sum();
    assert!(0 < spent && spent <= number(time, "nanoseconds"), "{time:#}");
    assert!(ran.stderr.contains("tilelint: time in Vulkan calls: "), "{}", ran.stderr);
    assert!(ran.stderr.contains("blocked apart from that, in a frame: "), "{}", ran.stderr);
}
