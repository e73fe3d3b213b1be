//! Which source of settings wins, for each pair of them.

use super::enabled;
use crate::world::World;
use ash::vk;
use serde_json::Value;
use std::ffi::CString;
use std::process::Command;
use tilelint_tests::harness::{TempDir, in_child};

/// The sources beside the built-in settings, weakest first: what each sets `targets` to, and what
/// it is called in the report.
const SOURCES: [(&str, &str); 6] = [
    ("adreno-630", "tilelint.toml:1"),
    ("adreno-640", "VkLayerSettingEXT `targets`"),
    ("adreno-650", "vk_layer_settings.txt:2"),
    ("adreno-660", "VK_LINT_TARGETS"),
    ("adreno-680", "VK_TILELINT_LINT_TARGETS"),
    ("adreno-690", "TILELINT_TARGETS"),
];
/// The variable that tells the child what it has to chain; no setting.
const CHAINED: &str = "TILELINT_TEST_CHAINED";

/// Sets one source of the child.
fn give(command: &mut Command, folder: &TempDir, source: usize) {
    let (target, name) = SOURCES[source];
    match source {
        0 => drop(folder.write("tilelint.toml", format!("targets = [\"{target}\"]\n"))),
        1 => drop(command.env(CHAINED, target)),
        2 => {
            let text = format!("khronos_validation.x = 1\ntilelint_lint.targets = {target}\n");
            folder.write("vk_layer_settings.txt", text);
        }
        _ => drop(command.env(name, target)),
    }
}

/// Makes an instance, with a chained setting if there is to be one, and checks the report.
fn judged_for(expected: &str, origin: &str) {
    let chained = std::env::var(CHAINED).ok().map(|target| CString::new(target).unwrap());
    let values = [chained.as_ref().map_or(std::ptr::null(), |target| target.as_ptr())];
    let settings = [vk::LayerSettingEXT {
        p_layer_name: c"VK_LAYER_TILELINT_lint".as_ptr(),
        p_setting_name: c"targets".as_ptr(),
        ty: vk::LayerSettingTypeEXT::STRING,
        value_count: 1,
        p_values: values.as_ptr().cast(),
        ..Default::default()
    }];
    let settings = &settings[..usize::from(chained.is_some())];
    let mut info = vk::LayerSettingsCreateInfoEXT::default().settings(settings);
    World::with(&vk::InstanceCreateInfo::default().push_next(&mut info), &[], &[])
        .destroy(Vec::new());
    let text = std::fs::read_to_string(std::env::var("TILELINT_REPORT").unwrap()).unwrap();
    let report: Value = serde_json::from_str(&text).unwrap();
    let names: Vec<_> = report["targets"].as_array().unwrap().iter().map(|t| &t["name"]).collect();
    assert_eq!(names, [expected]);
    assert_eq!(report["run"]["settings"]["targets"], origin);
}

#[test]
fn the_stronger_of_two_sources_wins() {
    // The child learns from the folder and the environment what it has; here are the pairs.
    let pairs = (0..SOURCES.len()).flat_map(|strong| (0..=strong).map(move |weak| (weak, strong)));
    for (weak, strong) in pairs {
        let (target, origin) = SOURCES[strong];
        let prepare = |command: &mut Command, folder: &TempDir| {
            enabled(command, folder);
            give(command, folder, weak);
            give(command, folder, strong);
            command.env("TILELINT_TEST_EXPECTED", target).env("TILELINT_TEST_ORIGIN", origin);
        };
        let expected = |name: &str| std::env::var(name).unwrap();
        let ran = in_child("settings::the_stronger_of_two_sources_wins", prepare, || {
            judged_for(&expected("TILELINT_TEST_EXPECTED"), &expected("TILELINT_TEST_ORIGIN"));
        });
        if ran.is_none() {
            return;
        }
    }
}
