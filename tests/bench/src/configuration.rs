//! What stands between the program and the driver, and how a process gets it.

use std::path::{Path, PathBuf};
use std::process::Command;

use tilelint_tests::harness::{
    self, EMPTY_LAYER, EMPTY_NAME, LAYER, LAYER_NAME, NULL_DRIVER, TempDir,
};

const VALIDATION_NAME: &str = "VK_LAYER_KHRONOS_validation";

/// Rules that ask nothing of draws, binds or barriers.
const RULES_OF_PASSES: &str = "all=allow,mid-pass-resolve=warn,excess-samples=warn,\
                               excess-passes=warn,excess-color-attachments=warn";

/// Where distributions put the manifests of layers and drivers.
const FOLDERS: [&str; 4] =
    ["/usr/share/vulkan", "/usr/local/share/vulkan", "/etc/vulkan", "/usr/local/etc/vulkan"];

/// One column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Configuration {
    /// The driver alone.
    None,
    /// A layer that only forwards.
    Empty,
    /// tilelint without its recording, with rules that need passes alone.
    Passes,
    /// tilelint as it is delivered.
    Default,
    /// tilelint with every rule on.
    AllRules,
    /// The Khronos layer with best practices and the vendors' checks.
    Validation,
}

impl Configuration {
    /// All, in the table's order.
    pub const ALL: [Configuration; 6] =
        [Self::None, Self::Empty, Self::Passes, Self::Default, Self::AllRules, Self::Validation];

    /// The column's title.
    pub fn title(self) -> &'static str {
        match self {
            Self::None => "no layer",
            Self::Empty => "empty layer",
            Self::Passes => "rules of passes",
            Self::Default => "tilelint",
            Self::AllRules => "all rules",
            Self::Validation => "best practices",
        }
    }

    /// It is tilelint.
    pub fn is_tilelint(self) -> bool {
        matches!(self, Self::Passes | Self::Default | Self::AllRules)
    }
}

/// What is built and found, once for all processes.
pub struct Setup {
    folder: TempDir,
    driver: PathBuf,
    layers: PathBuf,
    /// The folder with the manifest of the Khronos layer.
    validation: Option<PathBuf>,
    /// The manifest of the software rasteriser.
    pub rasteriser: Option<PathBuf>,
}

impl Setup {
    /// Builds driver and layers, and looks for what others install.
    pub fn new() -> Setup {
        let folder = TempDir::new();
        let driver = folder.driver_manifest(&harness::build_cdylib(NULL_DRIVER));
        let layers = folder.layer_manifest(LAYER_NAME, &harness::build_cdylib(LAYER));
        folder.layer_manifest(EMPTY_NAME, &harness::build_cdylib(EMPTY_LAYER));
        let find = |sub: &str, wanted: &str| {
            let folders = FOLDERS.iter().map(|folder| Path::new(folder).join(sub));
            let files = folders.filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
            let paths = files.flatten().map(|file| file.path());
            let named = |p: &PathBuf| p.file_name().is_some_and(|n| n == wanted);
            paths.into_iter().find(named)
        };
        let validation = find("explicit_layer.d", "VkLayer_khronos_validation.json");
        let validation = validation.and_then(|path| path.parent().map(Path::to_path_buf));
        let architecture = std::env::consts::ARCH;
        let rasteriser = find("icd.d", &format!("lvp_icd.{architecture}.json"))
            .or_else(|| find("icd.d", "lvp_icd.json"));
        Setup { folder, driver, layers, validation, rasteriser }
    }

    /// Why a configuration cannot be had, if so.
    pub fn lacks(&self, configuration: Configuration) -> Option<&'static str> {
        let missing = configuration == Configuration::Validation && self.validation.is_none();
        missing.then_some("not installed")
    }

    /// A command whose Vulkan has this configuration over the null driver.
    pub fn command(&self, program: &Path, configuration: Configuration) -> Command {
        self.command_over(program, configuration, &self.driver)
    }

    /// The same over another driver.
    pub fn command_over(
        &self,
        program: &Path,
        configuration: Configuration,
        driver: &Path,
    ) -> Command {
        let mut command = harness::vulkan_command(program, driver);
        let folder = self.folder.path();
        command.env_remove("TILELINT_EVERY_FRAME").current_dir(folder);
        // No layer of the machine's own. Loaders before 1.3.234 do not know it.
        command.env("VK_LOADER_LAYERS_DISABLE", "~implicit~");
        let path = match &self.validation {
            Some(validation) => format!("{}:{}", self.layers.display(), validation.display()),
            None => self.layers.display().to_string(),
        };
        command.env("VK_LAYER_PATH", path).env("HOME", folder);
        for (variable, file) in [("REPORT", "report.json"), ("RECORDING", "recording.calls")] {
            command.env(format!("TILELINT_{variable}"), folder.join(file));
        }
        command.env("TILELINT_TEXT", folder.join("text"));
        match configuration {
            Configuration::None => {}
            Configuration::Empty => {
                command.env("VK_INSTANCE_LAYERS", EMPTY_NAME);
            }
            Configuration::Passes => {
                command.env("VK_INSTANCE_LAYERS", LAYER_NAME).env("TILELINT_RECORDING", "off");
                command.env("TILELINT_LEVELS", RULES_OF_PASSES);
            }
            Configuration::Default => {
                command.env("VK_INSTANCE_LAYERS", LAYER_NAME);
            }
            Configuration::AllRules => {
                command.env("VK_INSTANCE_LAYERS", LAYER_NAME).env("TILELINT_LEVELS", "all=warn");
            }
            Configuration::Validation => {
                let settings = self.folder.write("vk_layer_settings.txt", self.settings());
                command.env("VK_INSTANCE_LAYERS", VALIDATION_NAME);
                command.env("VK_LAYER_SETTINGS_PATH", settings);
            }
        }
        command
    }

    /// Settings of the Khronos layer. Its messages go to a file, each at most ten times.
    fn settings(&self) -> String {
        let enables = "VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT,\
                       VALIDATION_CHECK_ENABLE_VENDOR_SPECIFIC_ALL";
        let lines = [
            ("enables", enables.to_owned()),
            ("report_flags", "error,warn,perf".to_owned()),
            ("debug_action", "VK_DBG_LAYER_ACTION_LOG_MSG".to_owned()),
            ("log_filename", self.validation_log().display().to_string()),
            ("enable_message_limit", "true".to_owned()),
            ("duplicate_message_limit", "10".to_owned()),
        ];
        lines.map(|(key, value)| format!("khronos_validation.{key} = {value}\n")).concat()
    }

    fn validation_log(&self) -> PathBuf {
        self.folder.path().join("validation.txt")
    }

    /// The report of the last process; nothing where there is none.
    pub fn report(&self) -> serde_json::Value {
        let text = std::fs::read_to_string(self.folder.path().join("report.json"));
        serde_json::from_str(&text.unwrap_or_default()).unwrap_or_default()
    }

    /// Removes what processes before left.
    pub fn forget(&self) {
        for file in [self.folder.path().join("report.json"), self.validation_log()] {
            // It need not be there.
            let _ = std::fs::remove_file(file);
        }
    }

    /// Checks that the last process had the configuration that its command asked for.
    ///
    /// # Errors
    ///
    /// What it lacked.
    pub fn check(&self, configuration: Configuration, draw_at: &str) -> Result<(), String> {
        let title = configuration.title();
        let holds = |library: &str| match draw_at.contains(library) {
            true => Ok(()),
            false => Err(format!("{title}: draws are {draw_at}'s, not {library}'s")),
        };
        match configuration {
            Configuration::None => holds("vulkan_tilelint_null"),
            Configuration::Empty => holds("VkLayer_tilelint_empty"),
            Configuration::Passes | Configuration::Default | Configuration::AllRules => {
                if configuration == Configuration::Passes {
                    holds("vulkan_tilelint_null")?;
                }
                match self.report()["devices"].as_array().map(Vec::as_slice) {
                    Some([device]) if device["linting"] == "on" => Ok(()),
                    _ => Err(format!("{title}: the layer reports no device that it linted")),
                }
            }
            Configuration::Validation => {
                holds("VkLayer_khronos_validation")?;
                // The loads map nothing on purpose, and vendors object to a store of depth.
                let text = std::fs::read_to_string(self.validation_log()).unwrap_or_default();
                match ["BestPractices", "[Arm]"].iter().find(|word| !text.contains(**word)) {
                    Some(word) => Err(format!("{title}: no message says {word:?}")),
                    None => Ok(()),
                }
            }
        }
    }
}
