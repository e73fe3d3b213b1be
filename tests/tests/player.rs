//! The player: listings become valid calls of Vulkan, in all forms of passes, on drivers that
//! render nothing and on one that renders.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use tilelint_tests::harness::{self, NULL_DRIVER, Ran, TempDir, VALIDATION, lavapipe};

const FORMS: [&str; 3] = ["rp1", "rp2", "dynamic"];

/// Listings that every driver can play, in every form.
const EVERYWHERE: [&str; 6] = ["imageless", "mixed", "msaa", "multiview", "secondary", "transfers"];

fn listing(name: &str) -> PathBuf {
    harness::root().join("tests/tests/player").join(format!("{name}.calls"))
}

fn null_driver(folder: &TempDir) -> PathBuf {
    folder.driver_manifest(&harness::build_cdylib(NULL_DRIVER))
}

fn player(manifest: &Path, file: &Path, form: Option<&str>) -> Command {
    let program = harness::build_program("tilelint-player");
    let mut command = harness::vulkan_command(program, manifest);
    command.arg(file);
    if let Some(form) = form {
        command.args(["--form", form]);
    }
    command
}

/// Runs the player under the validation layer, which must find nothing.
#[track_caller]
fn valid(mut command: Command) {
    let shown = format!("{command:?}");
    let ran = harness::run(command.env("VK_INSTANCE_LAYERS", VALIDATION));
    let all = format!("{}{}", ran.stdout, ran.stderr);
    assert!(ran.status.success(), "{shown}\n{all}");
    assert!(!all.contains("VUID-") && !all.contains("Validation"), "{shown}\n{all}");
}

/// The names of the calls that reach the null driver, in order.
fn calls(file: &Path, form: Option<&str>, toml: &str) -> (Ran, Vec<String>) {
    let folder = TempDir::new();
    let log = folder.path().join("calls.log");
    let toml =
        format!("log = '{}'\nadd_extensions = ['VK_EXT_debug_utils']\n{toml}", log.display());
    let config = folder.write("driver.toml", toml);
    let mut command = player(&null_driver(&folder), file, form);
    let ran = harness::run(command.env("TILELINT_NULL_DRIVER", config));
    let log = std::fs::read_to_string(log).unwrap_or_default();
    let names = log.lines().filter_map(|line| line.split(' ').next());
    (ran, names.map(str::to_owned).collect())
}

fn count(calls: &[String], name: &str) -> usize {
    calls.iter().filter(|call| *call == name).count()
}

/// What is recorded into command buffers.
fn recorded(calls: &[String]) -> Vec<&str> {
    let recorded = calls.iter().map(String::as_str);
    recorded.filter(|call| call.starts_with("vkCmd")).collect()
}

/// The layer that proves validity is there and speaks, and knows objects by their names.
#[test]
fn validation_is_on() {
    let text = std::fs::read_to_string(listing("msaa")).unwrap();
    let folder = TempDir::new();
    let wrong = text.replace("old=COLOR_ATTACHMENT_OPTIMAL", "old=GENERAL");
    let file = folder.write("wrong.calls", wrong);
    for manifest in [null_driver(&folder), lavapipe()] {
        let mut command = player(&manifest, &file, None);
        let ran = harness::run(command.env("VK_INSTANCE_LAYERS", VALIDATION)).ok();
        assert!(ran.stdout.contains("VUID-VkImageMemoryBarrier2-oldLayout-01197"), "{ran:?}");
        assert!(ran.stdout.contains("[out]"), "{ran:?}");
    }
}

#[test]
fn listings_are_valid_on_the_null_driver() {
    let folder = TempDir::new();
    let manifest = null_driver(&folder);
    for name in EVERYWHERE.into_iter().chain(["present", "headset", "mesh"]) {
        valid(player(&manifest, &listing(name), None));
        for form in FORMS {
            // The layer has no rule for density maps of several layers in dynamic rendering.
            if (name, form) != ("headset", "dynamic") {
                valid(player(&manifest, &listing(name), Some(form)));
            }
        }
    }
}

#[test]
fn listings_are_valid_on_a_driver_that_renders() {
    let manifest = lavapipe();
    for name in EVERYWHERE {
        valid(player(&manifest, &listing(name), None));
        for form in FORMS {
            valid(player(&manifest, &listing(name), Some(form)));
        }
    }
}

#[test]
fn subpasses_have_no_dynamic_form() {
    let folder = TempDir::new();
    for manifest in [null_driver(&folder), lavapipe()] {
        valid(player(&manifest, &listing("subpasses"), None));
        valid(player(&manifest, &listing("subpasses"), Some("rp1")));
        let ran = harness::run(&mut player(&manifest, &listing("subpasses"), Some("dynamic")));
        assert_eq!(ran.status.code(), Some(2), "{ran:?}");
        assert!(ran.stderr.contains("dynamic rendering has no subpasses"), "{ran:?}");
    }
}

#[test]
fn depth_resolves_have_no_first_form() {
    let folder = TempDir::new();
    for manifest in [null_driver(&folder), lavapipe()] {
        for form in [None, Some("rp2"), Some("dynamic")] {
            valid(player(&manifest, &listing("depth_resolve"), form));
        }
        let ran = harness::run(&mut player(&manifest, &listing("depth_resolve"), Some("rp1")));
        assert_eq!(ran.status.code(), Some(2), "{ran:?}");
        assert!(ran.stderr.contains("render pass 1 has no depth resolve"), "{ran:?}");
    }
}

/// A window of an X server is used where there are no surfaces without one.
#[test]
fn presents_to_an_x_window() {
    let folder = TempDir::new();
    let text = std::fs::read_to_string(listing("present")).unwrap();
    let file = folder.write("once.calls", text.replace("repeat 4", "repeat 1"));
    let program = harness::build_program("tilelint-player");
    let mut command = harness::x_command(program.to_str().unwrap(), &lavapipe());
    command.arg(file);
    valid(command);
}

#[test]
fn forms_use_their_own_calls() {
    let (ran, as_listed) = calls(&listing("msaa"), None, "");
    ran.ok();
    assert_eq!(count(&as_listed, "vkCreateRenderPass2"), 1);
    assert_eq!(count(&as_listed, "vkCreateRenderPass"), 1);
    for (form, one, two, rendering) in [("rp1", 2, 0, 0), ("rp2", 0, 2, 0), ("dynamic", 0, 0, 6)] {
        let (ran, calls) = calls(&listing("msaa"), Some(form), "");
        ran.ok();
        assert_eq!(count(&calls, "vkCreateRenderPass"), one, "{form}");
        assert_eq!(count(&calls, "vkCreateRenderPass2"), two, "{form}");
        assert_eq!(count(&calls, "vkCmdBeginRendering"), rendering, "{form}");
        assert_eq!(count(&calls, "vkCmdEndRendering"), rendering, "{form}");
        assert_eq!(count(&calls, "vkCmdBeginRenderPass"), 6 - rendering, "{form}");
    }
}

#[test]
fn commands_are_those_of_the_listing() {
    let text = "calls version=1\n\
        image color format=R8G8B8A8_UNORM extent=8x8 usage=COLOR_ATTACHMENT\n\
        pass one\n\
          attach color load=CLEAR store=STORE\n\
          draw vertices=3 times=2\n\
        end\n\
        pass two via=dynamic\n\
          attach color load=LOAD store=STORE\n\
          draw vertices=6 kind=multi\n\
        end\n\
        frame\nframe\n";
    let folder = TempDir::new();
    let (ran, calls) = calls(&folder.write("two.calls", text), None, "");
    ran.ok();
    let expected = [
        "vkCmdBeginRenderPass",
        "vkCmdBindPipeline",
        "vkCmdDraw",
        "vkCmdDraw",
        "vkCmdEndRenderPass",
        // The name of a pass without an object is a label around it.
        "vkCmdBeginDebugUtilsLabelEXT",
        "vkCmdBeginRendering",
        "vkCmdBindPipeline",
        "vkCmdDrawMultiEXT",
        "vkCmdEndRendering",
        "vkCmdEndDebugUtilsLabelEXT",
    ];
    assert_eq!(recorded(&calls), expected);
    assert_eq!(count(&calls, "vkQueueInsertDebugUtilsLabelEXT"), 2);
    assert_eq!(count(&calls, "vkQueueSubmit"), 1);
}

/// A present ends the frame; no label says so a second time.
#[test]
fn presents_end_frames() {
    let text = std::fs::read_to_string(listing("present")).unwrap();
    let folder = TempDir::new();
    let file = folder.write("frames.calls", text.replace("wait-idle", "frame by=present"));
    let (ran, calls) = calls(&file, None, "");
    ran.ok();
    assert_eq!(count(&calls, "vkQueuePresentKHR"), 4);
    assert_eq!(count(&calls, "vkQueueInsertDebugUtilsLabelEXT"), 0);
}

#[test]
fn everything_that_is_made_is_destroyed() {
    for name in EVERYWHERE.into_iter().chain(["subpasses", "present", "headset", "mesh"]) {
        let (ran, calls) = calls(&listing(name), None, "");
        ran.ok();
        let mut balance: BTreeMap<String, i32> = BTreeMap::new();
        for call in &calls {
            let kind = |name: &str| name.trim_end_matches('2').replace("Pipelines", "Pipeline");
            if let Some(what) = call.strip_prefix("vkCreate") {
                let what = kind(what).replace("Graphics", "").replace("Compute", "");
                *balance.entry(what.replace("HeadlessSurfaceEXT", "SurfaceKHR")).or_default() += 1;
            } else if let Some(what) = call.strip_prefix("vkDestroy") {
                *balance.entry(kind(what)).or_default() -= 1;
            } else if call == "vkAllocateMemory" {
                *balance.entry("memory".into()).or_default() += 1;
            } else if call == "vkFreeMemory" {
                *balance.entry("memory".into()).or_default() -= 1;
            }
        }
        assert!(balance.len() > 6, "{name}: {balance:?}");
        balance.retain(|_, count| *count != 0);
        assert!(balance.is_empty(), "{name}: {balance:?}");
    }
}

/// The recording of formats.md, with the shader that it names.
#[test]
fn plays_a_recording_with_a_shader_file() {
    let folder = TempDir::new();
    let text = std::fs::read_to_string(listing("full")).unwrap();
    let file = folder.write("full.calls", text);
    let (ran, _) = calls(&file, None, "");
    assert_eq!(ran.status.code(), Some(2), "{ran:?}");
    assert!(ran.stderr.contains("tonemap.frag.spv"), "{ran:?}");
    let outputs = [Some(tilelint_player::spirv::Scalar::Float)];
    let words = tilelint_player::spirv::fragment(&outputs, &[]);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    folder.write("tonemap.frag.spv", bytes);
    let (ran, calls) = calls(&file, None, "");
    ran.ok();
    assert_eq!(count(&calls, "vkCmdDrawIndexed"), 400);
    for name in [
        "vkUpdateDescriptorSetWithTemplate",
        "vkCmdNextSubpass",
        "vkCmdBlitImage",
        "vkQueueSubmit2",
        "vkWaitForFences",
        "vkQueuePresentKHR",
    ] {
        assert_eq!(count(&calls, name), 1, "{name}");
    }
}

#[test]
fn what_a_driver_lacks_is_named() {
    let folder = TempDir::new();
    let desktop = harness::root().join("tests/driver/devices/desktop.toml");
    let mut command = player(&null_driver(&folder), &listing("headset"), None);
    let desktop = harness::run(command.env("TILELINT_NULL_DRIVER", desktop));
    let lavapipe = harness::run(&mut player(&lavapipe(), &listing("headset"), None));
    for ran in [desktop, lavapipe] {
        assert_eq!(ran.status.code(), Some(3), "{ran:?}");
        for name in ["VK_EXT_fragment_density_map", "lazily allocated memory"] {
            assert!(ran.stderr.contains(name), "{name}: {ran:?}");
        }
    }
    let toml = "remove_features = ['multiview', 'imagelessFramebuffer']\n\
        remove_formats = ['D24_UNORM_S8_UINT']\nmax_samples = 2\n";
    let (ran, calls) = calls(&listing("multiview"), None, toml);
    assert_eq!(ran.status.code(), Some(3), "{ran:?}");
    for name in ["feature multiview", "D24_UNORM_S8_UINT", "4 samples"] {
        assert!(ran.stderr.contains(name), "{name}: {ran:?}");
    }
    // What the listing does not use is not missed, and nothing was made.
    assert!(!ran.stderr.contains("imageless"), "{ran:?}");
    assert_eq!(count(&calls, "vkCreateDevice"), 0);
}

#[test]
fn failures_are_those_of_the_listing() {
    let text = |result: &str| {
        format!(
            "calls version=1\n\
             image big format=R8_UNORM extent=64x64 usage=SAMPLED memory=none {result}\nframe\n"
        )
    };
    let error = "[errors]\nvkCreateImage = 'ERROR_OUT_OF_DEVICE_MEMORY'\n";
    let result = "result=ERROR_OUT_OF_DEVICE_MEMORY";
    let folder = TempDir::new();
    for (result, error, code, message) in [
        (result, error, 0, ""),
        ("", error, 2, "line 2: vkCreateImage failed: ERROR_OUT_OF_DEVICE_MEMORY"),
        (result, "", 2, "but it succeeded"),
    ] {
        let (ran, _) = calls(&folder.write("fails.calls", text(result)), None, error);
        assert_eq!(ran.status.code(), Some(code), "{ran:?}");
        assert!(ran.stderr.contains(message), "{ran:?}");
    }
}

#[test]
fn errors_of_the_caller_are_said() {
    let folder = TempDir::new();
    let manifest = null_driver(&folder);
    let broken = folder.write("broken.calls", "calls version=1\nimagine\n");
    let missing = folder.path().join("missing.calls");
    for (arguments, message) in [
        (vec![broken.to_str().unwrap()], "line 2"),
        (vec![missing.to_str().unwrap()], "missing.calls"),
        (vec!["--form", "rp3", "x"], "rp1, rp2, dynamic"),
        (vec!["--what"], "unknown option --what"),
        (vec![], "usage"),
        (vec![listing("msaa").to_str().unwrap(), "--device", "7"], "there is no device 7"),
    ] {
        let program = harness::build_program("tilelint-player");
        let mut command = harness::vulkan_command(program, &manifest);
        let ran = harness::run(command.args(&arguments));
        assert_eq!(ran.status.code(), Some(2), "{ran:?}");
        assert!(ran.stderr.contains(message), "{ran:?}");
    }
}
