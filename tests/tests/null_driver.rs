//! The null driver, through the system's loader: it says what its file says, fails when told to,
//! and real programs run on it.

use std::ffi::CString;
use std::process::Command;

use ash::vk::{self, Handle};
use tilelint_tests::harness::{self, NULL_DRIVER, Ran, TempDir, in_child};

#[path = "null_driver/world.rs"]
mod world;

use world::{World, core_device_functions, extension_device_functions};

/// Sets the driver's file.
fn toml(text: &str) -> impl FnOnce(&mut Command, &TempDir) + '_ {
    move |command, folder| {
        command.env("TILELINT_NULL_DRIVER", folder.write("driver.toml", text));
    }
}

#[test]
fn is_a_tiler_by_default() {
    in_child("is_a_tiler_by_default", toml(""), || {
        let world = World::new(&[]);
        let properties = world.properties();
        assert_eq!(world.name(), "Adreno (TM) 650 (tilelint null driver)");
        assert_eq!((properties.vendor_id, properties.device_id), (0x5143, 0x0605_0002));
        assert_eq!(properties.api_version, vk::make_api_version(0, 1, 3, 281));
        assert_eq!(
            world.memory_types(),
            [
                vk::MemoryPropertyFlags::DEVICE_LOCAL,
                vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT,
                vk::MemoryPropertyFlags::DEVICE_LOCAL | vk::MemoryPropertyFlags::LAZILY_ALLOCATED,
            ]
        );
        let extensions = world.device_extensions();
        assert!(extensions.iter().any(|e| e == "VK_KHR_swapchain"));
        assert!(!extensions.iter().any(|e| e.contains("debug")));
    });
}

#[test]
fn sizes_follow_the_image() {
    in_child("sizes_follow_the_image", toml(""), || {
        let world = World::new(&[]);
        let color = vk::ImageUsageFlags::COLOR_ATTACHMENT;
        let transient = color | vk::ImageUsageFlags::TRANSIENT_ATTACHMENT;
        let rgba = vk::Format::R8G8B8A8_UNORM;
        let (size, types) = world.requirements(rgba, (1024, 512), 1, 1, color);
        assert_eq!((size, types), (1024 * 512 * 4, 0b001));
        let (size, types) = world.requirements(rgba, (1024, 512), 1, 4, transient);
        assert_eq!((size, types), (1024 * 512 * 4 * 4, 0b101));
        let (size, _) = world.requirements(rgba, (64, 64), 7, 1, color);
        let mips: u64 = (0..7).map(|mip| (64 >> mip) * (64 >> mip) * 4).sum();
        assert_eq!(size, mips.next_multiple_of(4096));
        let sampled = vk::ImageUsageFlags::SAMPLED;
        let astc = vk::Format::ASTC_8X8_SRGB_BLOCK;
        assert_eq!(world.requirements(astc, (1020, 1024), 1, 1, sampled).0, 128 * 128 * 16);
        assert_eq!(world.buffer_types(), 0b011);
    });
}

#[test]
fn one_memory_type_holds_everything() {
    let file = "memory_types = [['DEVICE_LOCAL', 'HOST_VISIBLE', 'HOST_COHERENT']]";
    in_child("one_memory_type_holds_everything", toml(file), || {
        let world = World::new(&[]);
        let usage = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT
            | vk::ImageUsageFlags::TRANSIENT_ATTACHMENT;
        let depth = vk::Format::D24_UNORM_S8_UINT;
        assert_eq!(world.requirements(depth, (64, 64), 1, 1, usage), (64 * 64 * 4, 1));
        assert_eq!(world.buffer_types(), 1);
    });
}

#[test]
fn every_core_function_exists() {
    in_child("every_core_function_exists", toml(""), || {
        let world = World::new(&[]);
        for name in core_device_functions() {
            assert!(world.device_function(&name), "{name:?}");
        }
        assert!(!world.device_function(c"vkNoSuchFunction"));
        assert!(!world.device_function(c"vkCreateInstance"));
        assert!(!world.device_function(c"vkCmdDrawMultiEXT"));
        assert!(!world.device_function(c"vkQueuePresentKHR"));
        let world = World::new(&[c"VK_EXT_multi_draw"]);
        assert!(world.device_function(c"vkCmdDrawMultiEXT"));
        assert!(!world.device_function(c"vkCmdDrawMeshTasksEXT"));
    });
}

#[test]
fn every_offered_extension_works() {
    in_child("every_offered_extension_works", toml(""), || {
        let offered: Vec<_> = World::new(&[]).device_extensions();
        let names: Vec<_> = offered.into_iter().map(|e| CString::new(e).unwrap()).collect();
        let names: Vec<_> = names.iter().map(|name| name.as_c_str()).collect();
        let world = World::new(&names);
        let missing: Vec<_> = extension_device_functions()
            .into_iter()
            .filter(|name| !world.device_function(name))
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
    });
}

#[test]
fn old_devices_lack_new_functions() {
    let file = "api_version = '1.1.128'\nremove_features = ['geometryShader']";
    in_child("old_devices_lack_new_functions", toml(file), || {
        let world = World::new(&[]);
        assert!(world.device_function(c"vkGetDeviceQueue2"));
        assert!(!world.device_function(c"vkCmdBeginRendering"));
        assert!(!world.device_function(c"vkCreateRenderPass2"));
        let world = World::new(&[c"VK_KHR_create_renderpass2"]);
        assert!(world.device_function(c"vkCreateRenderPass2KHR"));
        let features = vk::PhysicalDeviceFeatures::default().geometry_shader(true);
        assert_eq!(world.create_device(&[], &features), vk::Result::ERROR_FEATURE_NOT_PRESENT);
        let unknown = c"VK_EXT_no_such_extension";
        let result = world.create_device(&[unknown], &vk::PhysicalDeviceFeatures::default());
        assert_eq!(result, vk::Result::ERROR_EXTENSION_NOT_PRESENT);
    });
}

#[test]
fn new_devices_have_new_functions() {
    in_child("new_devices_have_new_functions", toml("api_version = '1.4.303'"), || {
        let world = World::new(&[]);
        for name in [c"vkCmdPushDescriptorSet", c"vkMapMemory2", c"vkGetRenderingAreaGranularity"] {
            assert!(world.device_function(name), "{name:?}");
        }
        assert!(!world.device_function(c"vkMapMemory2KHR"));
    });
}

#[test]
fn functions_fail_when_told_to() {
    let file = "[errors]\nvkCreateFence = 'ERROR_OUT_OF_HOST_MEMORY'\n\
                vkCreateEvent = { result = 'VK_ERROR_DEVICE_LOST', call = 2 }\n\
                vkAllocateCommandBuffers = 'ERROR_OUT_OF_DEVICE_MEMORY'";
    in_child("functions_fail_when_told_to", toml(file), || {
        let world = World::new(&[]);
        let fence = || world.fence();
        assert_eq!(fence(), Err(vk::Result::ERROR_OUT_OF_HOST_MEMORY));
        assert_eq!(fence(), Err(vk::Result::ERROR_OUT_OF_HOST_MEMORY));
        assert!(world.event().is_ok());
        assert_eq!(world.event(), Err(vk::Result::ERROR_DEVICE_LOST));
        assert!(world.event().is_ok());
        let (result, buffer) = world.allocate_command_buffer();
        assert_eq!(result, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
        assert!(buffer.is_null(), "an error leaves no handle behind");
    });
}

#[test]
fn handles_differ_by_default() {
    in_child("handles_differ_by_default", toml("devices = 2"), || {
        let (a, b) = (World::nth(0, &[]), World::nth(1, &[]));
        assert_eq!(a.physical_devices(), 2);
        assert_eq!(a.name(), b.name());
        let first = a.fence().unwrap();
        assert_ne!(first, b.fence().unwrap());
        a.destroy_fence(first);
        assert_ne!(first, a.fence().unwrap());
    });
}

#[test]
fn handles_are_equal_and_reused_on_request() {
    let file = "devices = 2\nequal_handles = true\nreuse_handles = true";
    in_child("handles_are_equal_and_reused_on_request", toml(file), || {
        let (a, b) = (World::nth(0, &[]), World::nth(1, &[]));
        let first = a.fence().unwrap();
        assert_eq!(first, b.fence().unwrap());
        a.destroy_fence(first);
        assert_eq!(a.event().unwrap().as_raw(), first.as_raw());
        let (first, second) = a.command_buffer_twice();
        assert_eq!(first, second);
    });
}

#[test]
fn work_is_done_at_submit() {
    in_child("work_is_done_at_submit", toml(""), || {
        let world = World::new(&[]);
        world.check_mapping();
        world.check_submission();
        world.check_timeline();
        world.check_queries();
    });
}

#[test]
fn a_headless_swapchain_goes_round() {
    let file = "[errors]\nvkQueuePresentKHR = { result = 'SUBOPTIMAL_KHR', call = 2 }";
    in_child("a_headless_swapchain_goes_round", toml(file), || {
        let world = World::new(&[c"VK_KHR_swapchain"]);
        assert_eq!(
            world.present_frames(4),
            [(0, Ok(false)), (1, Ok(true)), (2, Ok(false)), (0, Ok(false)),]
        );
    });
}

#[test]
fn the_log_names_every_call() {
    let prepare = |command: &mut Command, folder: &TempDir| {
        let path = folder.path().join("calls.log");
        let errors = "[errors]\nvkCreateEvent = 'ERROR_DEVICE_LOST'";
        toml(&format!("log = '{}'\n{errors}", path.display()))(command, folder);
    };
    in_child("the_log_names_every_call", prepare, || {
        let world = World::new(&[]);
        assert!(world.fence().is_ok());
        assert!(world.event().is_err());
        let lines = log_of_this_process();
        assert!(lines.starts_with("vk"), "{lines}");
        assert!(lines.contains("\nvkCreateDevice ok\n"), "{lines}");
        assert!(
            lines.ends_with("\nvkCreateFence ok\nvkCreateEvent ERROR_DEVICE_LOST\n"),
            "{lines}"
        );
    });
}

/// The text of the log that the driver's file asks for.
fn log_of_this_process() -> String {
    let file = std::fs::read_to_string(std::env::var("TILELINT_NULL_DRIVER").unwrap()).unwrap();
    std::fs::read_to_string(file.split('\'').nth(1).unwrap()).unwrap()
}

#[test]
fn debug_utils_are_offered_on_request() {
    for (test, add) in [("on", "add_extensions = ['VK_EXT_debug_utils']"), ("off", "")] {
        let prepare = |command: &mut Command, folder: &TempDir| {
            let path = folder.path().join("calls.log");
            toml(&format!("log = '{}'\n{add}", path.display()))(command, folder);
            command.env("EXPECT_DEBUG_UTILS", test);
        };
        in_child("debug_utils_are_offered_on_request", prepare, || {
            World::new(&[]).name_object().unwrap();
            let heard = log_of_this_process().contains("\nvkSetDebugUtilsObjectNameEXT ok\n");
            assert_eq!(heard, std::env::var("EXPECT_DEBUG_UTILS").unwrap() == "on");
        });
    }
}

#[test]
fn a_function_without_a_result_cannot_fail() {
    let file = "[errors]\nvkTrimCommandPool = 'ERROR_DEVICE_LOST'";
    let test = "a_function_without_a_result_cannot_fail";
    let ran = in_child(test, toml(file), || World::new(&[]).trim());
    if let Some(ran) = ran {
        assert!(ran.stderr.contains("vkTrimCommandPool returns no VkResult"), "{}", ran.stderr);
    }
}

/// What the driver says about a file, on its way to the defaults.
fn complaint(test: &str, file: &str) -> Option<String> {
    let ran: Option<Ran> = in_child(test, toml(file), || {
        assert_eq!(World::new(&[]).properties().vendor_id, 0x5143);
    });
    let stderr = ran?.stderr;
    let lines: Vec<_> = stderr.lines().filter(|l| l.starts_with("tilelint-null: ")).collect();
    assert_eq!(lines.len(), 1, "{stderr}");
    Some(lines[0].to_owned())
}

#[test]
fn an_unknown_key_is_one_message() {
    let file = "devices = 1\nvendor = 0x13b5\n";
    if let Some(line) = complaint("an_unknown_key_is_one_message", file) {
        assert!(line.contains("driver.toml:2: unknown field `vendor`"), "{line}");
        assert!(line.contains("`vendor_id`"), "{line}");
    }
}

#[test]
fn an_unknown_word_is_one_message() {
    let file = "vendor_id = 1\nmemory_types = [\n  ['DEVICE_LOCAL'],\n  ['LAZY'],\n]\n";
    if let Some(line) = complaint("an_unknown_word_is_one_message", file) {
        assert!(line.contains("driver.toml:4: unknown memory property `LAZY`"), "{line}");
        assert!(line.contains("LAZILY_ALLOCATED"), "{line}");
    }
}

#[test]
fn an_unknown_function_is_one_message() {
    let file = "[errors]\nvkCreateImages = 'ERROR_DEVICE_LOST'\n";
    if let Some(line) = complaint("an_unknown_function_is_one_message", file) {
        assert!(line.contains("driver.toml:2: "), "{line}");
        assert!(line.contains("`vkCreateImages`"), "{line}");
    }
}

#[test]
fn the_example_devices_load() {
    let folder = TempDir::new();
    let manifest = folder.driver_manifest(&harness::build_cdylib(NULL_DRIVER));
    let devices = harness::root().join("tests/driver/devices");
    let mut seen = 0;
    for entry in std::fs::read_dir(devices).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let name = text.lines().find_map(|l| l.strip_prefix("device_name = ")).unwrap();
        let mut command = harness::vulkan_command("vulkaninfo", &manifest);
        let ran = harness::run(command.arg("--summary").env("TILELINT_NULL_DRIVER", &path)).ok();
        assert!(ran.stdout.contains(name.trim_matches('"')), "{}: {}", path.display(), ran.stdout);
        assert!(!ran.stderr.contains("tilelint-null"), "{}", ran.stderr);
        seen += 1;
    }
    assert_eq!(seen, 4);
}

#[test]
fn vulkaninfo_and_vkcube_run() {
    let folder = TempDir::new();
    let manifest = folder.driver_manifest(&harness::build_cdylib(NULL_DRIVER));
    let ran = harness::run(&mut harness::vulkan_command("vulkaninfo", &manifest)).ok();
    assert!(ran.stdout.contains("VK_KHR_dynamic_rendering_local_read"), "{}", ran.stdout);
    let mut cube = harness::x_command("vkcube", &manifest);
    let ran = harness::run(cube.args(["--c", "10"])).ok();
    let all = format!("{}{}", ran.stdout, ran.stderr);
    assert!(all.contains("Adreno (TM) 650 (tilelint null driver)"), "{all}");
}

/// The validation layer sees nothing wrong with what the driver says of itself.
#[test]
fn vkcube_is_valid_on_it() {
    let folder = TempDir::new();
    let manifest = folder.driver_manifest(&harness::build_cdylib(NULL_DRIVER));
    let mut cube = harness::x_command("vkcube", &manifest);
    // With this argument vkcube fails where the layer is missing.
    let ran = harness::run(cube.args(["--validate", "--c", "3"])).ok();
    let all = format!("{}{}", ran.stdout, ran.stderr);
    assert!(!all.contains("VALIDATION"), "{all}");
}
