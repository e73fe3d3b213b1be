//! The layer under the system's Vulkan loader: found, enabled, stacked, and heard.

#[path = "loader/forms.rs"]
mod forms;
#[path = "loader/killed.rs"]
mod killed;
#[path = "loader/merging.rs"]
mod merging;
#[path = "loader/messages.rs"]
mod messages;
#[path = "loader/needs.rs"]
mod needs;
#[path = "loader/settings.rs"]
mod settings;
#[path = "loader/shaders.rs"]
mod shaders;
#[path = "loader/slow.rs"]
mod slow;
#[path = "loader/vkcube.rs"]
mod vkcube;
#[path = "loader/world.rs"]
mod world;

use ash::vk::{self, Handle};
use serde_json::Value;
use std::ffi::{CStr, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;
use tilelint::config::Shape;
use tilelint_tests::harness::{
    LAYER, LAYER_NAME, Ran, TempDir, build_cdylib, in_child, root, run, vulkan_command,
};
use world::World;

const DEPTH: vk::Format = vk::Format::D32_SFLOAT;
const EXTENT: vk::Extent2D = vk::Extent2D { width: 512, height: 256 };
/// The driver's software rasteriser, as Debian installs it.
const LAVAPIPE: &str = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";
/// Where Debian puts the Khronos validation layer's manifest.
const EXPLICIT_LAYERS: &str = "/usr/share/vulkan/explicit_layer.d";

/// Copies the repository's manifests into `folder`, with the library beside them.
fn install(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    let library = build_cdylib(LAYER);
    let file = library.file_name().unwrap();
    std::os::unix::fs::symlink(&library, folder.join(file)).unwrap();
}

/// Makes the layer known to the loader as an explicit one.
fn known(command: &mut Command, folder: &TempDir) -> PathBuf {
    let layers = folder.path().join("layers");
    install(&layers);
    let manifest = root().join("manifest/VkLayer_tilelint.json");
    std::fs::copy(manifest, layers.join("VkLayer_tilelint.json")).unwrap();
    command.env("VK_LAYER_PATH", format!("{}:{EXPLICIT_LAYERS}", layers.display()));
    command.current_dir(folder.path()).env("HOME", folder.path());
    layers
}

/// Enables the layer for the child process.
fn enabled(command: &mut Command, folder: &TempDir) {
    known(command, folder);
    command.env("VK_INSTANCE_LAYERS", LAYER_NAME);
    command.env("TILELINT_REPORT", folder.path().join("report.json"));
}

/// A frame with a mistake, six times, then everything is destroyed.
fn lint_depth() {
    let world = World::new(&[], &[]);
    let depth = world.depth(DEPTH, EXTENT);
    world.frames(&depth, 6);
    world.destroy(vec![depth]);
}

/// The findings that the layer printed.
fn findings(ran: &Ran) -> Vec<&str> {
    let is_finding =
        |line: &&str| ["warning[", "error[", "info["].iter().any(|head| line.starts_with(head));
    ran.stderr.lines().filter(is_finding).collect()
}

/// The rules that find something in a listing.
fn lint(listing: &str) -> Vec<&'static str> {
    let listing = tilelint::call::listing::parse(listing).expect("a recording can be read");
    let linted = tilelint::lint::lint(&listing, None, &tilelint::config::Config::new(), None);
    linted.judged.findings.iter().map(|finding| finding.rule).collect()
}

#[track_caller]
fn assert_finds_depth(ran: &Ran) {
    let found = findings(ran);
    assert_eq!(found.len(), 1, "{}", ran.stderr);
    assert!(found[0].starts_with("warning[non-transient]: `image.0`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("524.3 kB"), "{}", ran.stderr);
    assert!(ran.stderr.contains("tilelint: 1 finding"), "{}", ran.stderr);
}

#[test]
fn a_linked_program_is_linted() {
    let ran = in_child("a_linked_program_is_linted", enabled, || {
        let world = World::new(&[], &[]);
        assert_eq!(world.tools()[0], "tilelint");
        let depth = world.depth(DEPTH, EXTENT);
        world.frames(&depth, 6);
        world.destroy(vec![depth]);
        let text = std::fs::read_to_string(std::env::var("TILELINT_REPORT").unwrap()).unwrap();
        let report: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(report["run"]["complete"], true);
        assert_eq!(report["findings"][0]["rule"], "non-transient");
        assert_eq!(report["findings"][0]["cost"]["memory_bytes"], 512 * 256 * 4);
        assert_eq!(report["findings"][0]["count"], 6);
        assert_eq!(report["devices"][0]["linting"], "on");
    });
    if let Some(ran) = ran {
        assert_finds_depth(&ran);
    }
}

#[test]
fn the_applications_list_enables_it() {
    let prepare = |command: &mut Command, folder: &TempDir| {
        known(command, folder);
    };
    let ran = in_child("the_applications_list_enables_it", prepare, || {
        let world = World::new(&[], &[c"VK_LAYER_TILELINT_lint"]);
        assert_eq!(world.tools()[0], "tilelint");
        let depth = world.depth(DEPTH, EXTENT);
        world.frames(&depth, 6);
        world.destroy(vec![depth]);
    });
    if let Some(ran) = ran {
        assert_finds_depth(&ran);
    }
}

/// Installs the implicit manifest where the loader looks for it.
fn implicit(variables: &'static [(&'static str, &'static str)]) -> impl Fn(&mut Command, &TempDir) {
    move |command, folder| {
        let layers = folder.path().join("share/vulkan/implicit_layer.d");
        install(&layers);
        let manifest = root().join("manifest/VkLayer_tilelint_implicit.json");
        std::fs::copy(manifest, layers.join("VkLayer_tilelint_implicit.json")).unwrap();
        command.env("XDG_DATA_HOME", folder.path().join("share"));
        command.current_dir(folder.path()).envs(variables.iter().copied());
    }
}

#[test]
fn the_implicit_manifest_needs_its_variable() {
    let on = in_child(
        "the_implicit_manifest_needs_its_variable",
        implicit(&[("TILELINT", "1")]),
        lint_depth,
    );
    if let Some(ran) = on {
        assert_finds_depth(&ran);
    }
}

#[test]
fn the_implicit_layer_stays_out() {
    let off = in_child("the_implicit_layer_stays_out", implicit(&[]), || {
        assert_eq!(World::new(&[], &[]).tools(), Vec::<String>::new());
    });
    assert!(off.is_none_or(|ran| !ran.stderr.contains("tilelint:")));
}

#[test]
fn the_implicit_layer_can_be_disabled() {
    let prepare = implicit(&[("TILELINT", "1"), ("TILELINT_DISABLE", "1")]);
    let off = in_child("the_implicit_layer_can_be_disabled", prepare, || {
        assert_eq!(World::new(&[], &[]).tools(), Vec::<String>::new());
    });
    assert!(off.is_none_or(|ran| !ran.stderr.contains("tilelint:")));
}

/// Enables the layer and the validation layer in this order, the first nearest the application.
fn stacked(order: &'static str) -> impl Fn(&mut Command, &TempDir) {
    move |command, folder| {
        enabled(command, folder);
        command.env("VK_INSTANCE_LAYERS", order);
    }
}

fn lint_under_validation() {
    let world = World::new(&[], &[]);
    let tools = world.tools_ext();
    assert_eq!(tools.len(), 2, "{tools:?}");
    assert!(tools.contains(&"tilelint".to_owned()), "{tools:?}");
    assert!(tools.iter().any(|tool| tool.contains("Validation")), "{tools:?}");
    let depth = world.depth(DEPTH, EXTENT);
    world.frames(&depth, 6);
    world.destroy(vec![depth]);
}

#[track_caller]
fn assert_valid(ran: &Ran) {
    assert_finds_depth(ran);
    let text = format!("{}{}", ran.stdout, ran.stderr);
    assert!(!text.contains("VUID") && !text.contains("Validation Error"), "{text}");
}

#[test]
fn it_works_below_validation() {
    let prepare = stacked("VK_LAYER_KHRONOS_validation:VK_LAYER_TILELINT_lint");
    let ran = in_child("it_works_below_validation", prepare, lint_under_validation);
    if let Some(ran) = ran {
        assert_valid(&ran);
    }
}

#[test]
fn it_works_above_validation() {
    let prepare = stacked("VK_LAYER_TILELINT_lint:VK_LAYER_KHRONOS_validation");
    let ran = in_child("it_works_above_validation", prepare, lint_under_validation);
    if let Some(ran) = ran {
        assert_valid(&ran);
    }
}

/// The name of a message that is not the loader's own.
fn name_of(data: &vk::DebugUtilsMessengerCallbackDataEXT<'_>) -> Option<String> {
    // SAFETY: the layer and the loader name every message.
    let name = unsafe { CStr::from_ptr(data.p_message_id_name) }.to_string_lossy().into_owned();
    (name != "Loader Message").then_some(name)
}

/// Notes what the application's messenger is told.
unsafe extern "system" fn messenger(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user_data: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the data is valid during the call.
    let data = unsafe { &*data };
    let Some(name) = name_of(data) else { return vk::FALSE };
    assert!(severity.contains(vk::DebugUtilsMessageSeverityFlagsEXT::WARNING));
    assert!(types.contains(vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE));
    assert_eq!(data.object_count, 1);
    // SAFETY: one object was counted.
    let object = unsafe { &*data.p_objects };
    // SAFETY: a list of the test's own.
    let heard = unsafe { &mut *user_data.cast::<Vec<Heard>>() };
    heard.push(Heard { name, number: data.message_id_number, object: object.object_handle });
    vk::FALSE
}

struct Heard {
    name: String,
    number: i32,
    object: u64,
}

#[test]
fn messengers_hear_each_finding_once() {
    let ran = in_child("messengers_hear_each_finding_once", enabled, || {
        let world = World::new(&[ash::ext::debug_utils::NAME], &[]);
        let utils = ash::ext::debug_utils::Instance::new(&world.entry, &world.instance);
        let mut heard: Vec<Heard> = Vec::new();
        let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(vk::DebugUtilsMessageSeverityFlagsEXT::WARNING)
            .message_type(vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE)
            .pfn_user_callback(Some(messenger))
            .user_data((&raw mut heard).cast());
        // SAFETY: the instance lives and `heard` outlives the messenger.
        let callback = unsafe { utils.create_debug_utils_messenger(&info, None) }.unwrap();
        let names = ash::ext::debug_utils::Device::new(&world.instance, &world.device);
        let depth = world.depth(DEPTH, EXTENT);
        let image = depth.image;
        let info = vk::DebugUtilsObjectNameInfoEXT::default()
            .object_handle(image)
            .object_name(c"scene depth");
        // SAFETY: the image lives.
        unsafe { names.set_debug_utils_object_name(&info) }.unwrap();
        world.frames(&depth, 6);
        // The device's end delivers what is left; the messenger must live till then.
        // SAFETY: the device lives; what it made goes with the test process.
        unsafe { world.device.destroy_device(None) };
        // SAFETY: the messenger lives.
        unsafe { utils.destroy_debug_utils_messenger(callback, None) };
        // SAFETY: the device is gone.
        unsafe { world.instance.destroy_instance(None) };
        assert_eq!(heard.len(), 1);
        assert_eq!(heard[0].name, "non-transient");
        let number = tilelint::rules::by_name("non-transient").unwrap().id();
        assert_eq!(heard[0].number, number.cast_signed());
        assert_eq!(heard[0].object, image.as_raw());
    });
    if let Some(ran) = ran {
        assert!(ran.stderr.contains("`scene depth`"), "{}", ran.stderr);
    }
}

#[test]
fn a_panic_costs_only_the_linting() {
    let prepare = |command: &mut Command, folder: &TempDir| {
        enabled(command, folder);
        command.env("TILELINT_DEBUG_PANIC", "cmd_begin_render_pass");
    };
    let ran = in_child("a_panic_costs_only_the_linting", prepare, || {
        lint_depth();
        let text = std::fs::read_to_string(std::env::var("TILELINT_REPORT").unwrap()).unwrap();
        let report: Value = serde_json::from_str(&text).unwrap();
        assert_ne!(report["devices"][0]["linting"], "on");
    });
    if let Some(ran) = ran {
        assert_eq!(findings(&ran), Vec::<&str>::new());
        let line = "  not linted: device `device.0`: an internal error; linting stopped\n";
        assert!(ran.stderr.contains(line), "{}", ran.stderr);
        assert_eq!(ran.stderr.matches("internal error in").count(), 1, "{}", ran.stderr);
        assert!(ran.stderr.contains("cmd_begin_render_pass"), "{}", ran.stderr);
    }
}

#[test]
fn a_program_that_destroys_nothing_is_reported() {
    let ran = in_child("a_program_that_destroys_nothing_is_reported", enabled, || {
        let world = World::new(&[], &[]);
        let depth = world.depth(DEPTH, EXTENT);
        world.frames(&depth, 6);
    });
    if let Some(ran) = ran {
        assert_finds_depth(&ran);
    }
}

#[test]
fn two_instances_make_one_report() {
    let ran = in_child("two_instances_make_one_report", enabled, || {
        lint_depth();
        World::new(&[], &[]).destroy(Vec::new());
        let text = std::fs::read_to_string(std::env::var("TILELINT_REPORT").unwrap()).unwrap();
        let report: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(report["devices"].as_array().map(Vec::len), Some(2));
        assert_eq!(report["findings"].as_array().map(Vec::len), Some(1));
    });
    if let Some(ran) = ran {
        assert_eq!(findings(&ran).len(), 1, "{}", ran.stderr);
    }
}

#[test]
fn settings_may_be_chained() {
    let prepare = |command: &mut Command, folder: &TempDir| {
        enabled(command, folder);
    };
    let ran = in_child("settings_may_be_chained", prepare, || {
        let targets = [c"adreno-650".as_ptr(), c"mali-g78".as_ptr()];
        let setting = |name: &'static CStr| vk::LayerSettingEXT {
            p_layer_name: c"VK_LAYER_TILELINT_lint".as_ptr(),
            p_setting_name: name.as_ptr(),
            ty: vk::LayerSettingTypeEXT::STRING,
            value_count: targets.len() as u32,
            p_values: targets.as_ptr().cast(),
            ..Default::default()
        };
        let settings = [setting(c"targets"), setting(c"tragets")];
        let mut chained = vk::LayerSettingsCreateInfoEXT::default().settings(&settings);
        let info = vk::InstanceCreateInfo::default().push_next(&mut chained);
        World::with(&info, &[], &[]).destroy(Vec::new());
        let text = std::fs::read_to_string(std::env::var("TILELINT_REPORT").unwrap()).unwrap();
        let report: Value = serde_json::from_str(&text).unwrap();
        let names: Vec<_> =
            report["targets"].as_array().unwrap().iter().map(|t| &t["name"]).collect();
        assert_eq!(names, ["adreno-650", "mali-g78"]);
    });
    if let Some(ran) = ran {
        assert!(ran.stderr.contains("did you mean \"targets\""), "{}", ran.stderr);
    }
}

#[test]
fn a_broken_file_costs_one_message() {
    let prepare = |command: &mut Command, folder: &TempDir| {
        enabled(command, folder);
        folder.write("tilelint.toml", "\n[levels]\nnon-transiant = \"warn\"\n");
    };
    let ran = in_child("a_broken_file_costs_one_message", prepare, lint_depth);
    if let Some(ran) = ran {
        let told: Vec<_> =
            ran.stderr.lines().filter(|line| line.contains("tilelint.toml:3:")).collect();
        assert_eq!(told.len(), 1, "{}", ran.stderr);
        assert!(told[0].contains("did you mean \"non-transient\""), "{}", told[0]);
        assert_finds_depth(&ran);
    }
}

#[test]
fn an_unwritable_report_costs_one_message() {
    let prepare = |command: &mut Command, folder: &TempDir| {
        enabled(command, folder);
        command.env("TILELINT_REPORT", "/proc/tilelint/no/report.json").env_remove("HOME");
    };
    let ran = in_child("an_unwritable_report_costs_one_message", prepare, lint_depth);
    if let Some(ran) = ran {
        assert_eq!(ran.stderr.matches("cannot write the report").count(), 1, "{}", ran.stderr);
        assert_finds_depth(&ran);
    }
}

#[test]
fn a_closed_standard_error_does_not_matter() {
    in_child("a_closed_standard_error_does_not_matter", enabled, || {
        // SAFETY: nothing of the test writes to it any more.
        assert_eq!(unsafe { libc::close(2) }, 0);
        lint_depth();
        let text = std::fs::read_to_string(std::env::var("TILELINT_REPORT").unwrap()).unwrap();
        let report: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(report["findings"].as_array().map(Vec::len), Some(1));
    });
}

#[test]
fn vulkaninfo_is_unchanged() {
    let output = |is_linted: bool| {
        let folder = TempDir::new();
        let mut command = vulkan_command("vulkaninfo", Path::new(LAVAPIPE));
        known(&mut command, &folder);
        command.env_remove("DISPLAY").env("XDG_RUNTIME_DIR", folder.path());
        if is_linted {
            command.env("VK_INSTANCE_LAYERS", LAYER_NAME);
        }
        let ran = run(&mut command).ok();
        // The layer is in the list of layers either way.
        ran.stdout.lines().filter(|line| !line.contains("tilelint")).map(str::to_owned).collect()
    };
    let (plain, linted): (Vec<String>, Vec<String>) = (output(false), output(true));
    assert!(plain.len() > 100, "vulkaninfo says little: {plain:?}");
    assert_eq!(plain, linted);
}

#[test]
fn the_manifests_agree_with_the_layer() {
    let read = |name: &str| -> Value {
        let path = root().join("manifest").join(name);
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    };
    let mut explicit = read("VkLayer_tilelint.json");
    let mut implicit = read("VkLayer_tilelint_implicit.json");
    let layer = implicit["layer"].as_object_mut().unwrap();
    assert_eq!(layer.remove("enable_environment").unwrap()["TILELINT"], "1");
    assert_eq!(layer.remove("disable_environment").unwrap()["TILELINT_DISABLE"], "1");
    assert_eq!(explicit, implicit);
    let layer = explicit["layer"].take();
    assert_eq!(layer["name"], LAYER_NAME);
    let settings = layer["features"]["settings"].as_array().unwrap();
    let keys: Vec<_> = settings.iter().map(|setting| setting["key"].as_str().unwrap()).collect();
    let known = tilelint::config::SETTINGS.iter().map(|info| info.name);
    assert_eq!(keys, known.chain(["config"]).collect::<Vec<_>>());
    for (setting, info) in settings.iter().zip(tilelint::config::SETTINGS) {
        let default = match &setting["default"] {
            Value::Array(words) => {
                words.iter().map(|word| word.as_str().unwrap()).collect::<Vec<_>>().join(",")
            }
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        assert_eq!((default.as_str(), &setting["env"]), (info.default, &info.variable().into()));
        let words: Vec<_> = match &setting["flags"] {
            Value::Array(flags) => flags.iter().map(|f| f["key"].as_str().unwrap()).collect(),
            _ => Vec::new(),
        };
        let expected = match info.shape {
            Shape::Targets => ("LIST", Vec::new()),
            Shape::Count => ("INT", Vec::new()),
            Shape::Word(words) => ("ENUM", words.to_vec()),
            Shape::Switch => ("ENUM", vec!["on", "off"]),
            Shape::Path if info.name != "text" => ("SAVE_FILE", Vec::new()),
            _ => ("STRING", Vec::new()),
        };
        assert_eq!((setting["type"].as_str().unwrap(), words), expected, "{}", info.name);
    }
}
