//! Playing listings as real Vulkan calls, through the system's loader, the layer and the null
//! driver or one that renders, and what was said of them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tilelint::call::Via;
use tilelint::call::listing::{self, Listing};
use tilelint::call::{Call, Entry, FrameBoundary};
use tilelint::config::Config;
use tilelint::finding::Level;
use tilelint::lint::lint;
use tilelint::rule::Rule;

use crate::driven::{asks_driver, committed, driver_of, memory_types};
use crate::harness::{
    LAYER, LAYER_NAME, NULL_DRIVER, TempDir, VALIDATION, WRAPPER, build_cdylib, build_program,
    lavapipe_library, run, vulkan_command,
};

/// Driver, layer and player, built and with their manifests written.
pub struct Stage {
    folder: TempDir,
    driver: PathBuf,
    /// Folders of layers' manifests.
    layers: String,
    /// Layers to load, from the program to the driver.
    chain: String,
    player: PathBuf,
    variables: Vec<(&'static str, String)>,
    more_of_driver: String,
}

/// One finding, as far as it does not depend on where the calls came from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Told {
    /// Rule.
    pub rule: String,
    /// Rule, fingerprint and level.
    pub id: String,
    /// Level, confidence, fingerprint, message, why, cost, count and notes, as one text.
    pub text: String,
}

impl Stage {
    /// Builds what is needed.
    #[expect(clippy::new_without_default, reason = "it builds programs")]
    pub fn new() -> Self {
        Self::on(NULL_DRIVER)
    }

    /// Builds what is needed to play on Mesa's software rasteriser, below the layer and the
    /// validation layer.
    pub fn rasterising() -> Self {
        let mut stage = Self::on(WRAPPER).with("WRAPPER_DRIVER", lavapipe_library());
        stage.layers += ":/usr/share/vulkan/explicit_layer.d";
        stage.chain += &format!(":{VALIDATION}");
        stage
    }

    fn on(driver: &str) -> Self {
        let folder = TempDir::new();
        let driver = folder.driver_manifest(&build_cdylib(driver));
        let layers = folder.layer_manifest(LAYER_NAME, &build_cdylib(LAYER)).display().to_string();
        // A listing names its shaders relative to itself.
        let shaders = crate::page::listings_folder().join("shaders");
        let copies = folder.path().join("shaders");
        std::fs::create_dir(&copies).expect("a folder for shaders");
        for file in std::fs::read_dir(shaders).expect("the shaders").flatten() {
            std::fs::copy(file.path(), copies.join(file.file_name())).expect("a shader");
        }
        Self {
            driver,
            layers,
            chain: LAYER_NAME.to_owned(),
            player: build_program("tilelint-player"),
            folder,
            variables: Vec::new(),
            more_of_driver: String::new(),
        }
    }

    /// Sets a variable for every program.
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.variables.push((name, value.to_string()));
        self
    }

    /// Adds tables to the null driver's settings.
    pub fn with_driver(mut self, tables: &str) -> Self {
        self.more_of_driver.push_str(tables);
        self
    }

    /// Plays a listing and returns what the layer said of it; `name` is unique to the listing.
    ///
    /// # Errors
    /// If the player fails or no report is written: what it printed.
    pub fn play(
        &self,
        name: &str,
        listing: &Listing,
        text: &str,
        rule: Option<&Rule>,
        form: Option<Via>,
    ) -> Result<Vec<Told>, String> {
        self.play_printing(name, listing, text, rule, form).map(|(told, _)| told)
    }

    /// As [`Stage::play`], with what was printed to the standard output.
    ///
    /// # Errors
    /// As there.
    pub fn play_printing(
        &self,
        name: &str,
        listing: &Listing,
        text: &str,
        rule: Option<&Rule>,
        form: Option<Via>,
    ) -> Result<(Vec<Told>, String), String> {
        let file = self.folder.write(&format!("{name}.calls"), text);
        let device = self
            .folder
            .write(&format!("{name}.driver.toml"), driver_of(listing) + &self.more_of_driver);
        let report = self.folder.path().join(format!("{name}.json"));
        let mut command = vulkan_command(&self.player, &self.driver);
        command.arg(&file).current_dir(self.folder.path());
        if let Some(form) = form {
            command.args(["--form", form_word(form)]);
        }
        command.env("VK_LAYER_PATH", &self.layers).env("VK_INSTANCE_LAYERS", &self.chain);
        command.env("TILELINT_NULL_DRIVER", device).env("TILELINT_REPORT", &report);
        let types = memory_types(listing);
        let types = types.iter().map(|flags| flags.as_raw().to_string());
        command.env("WRAPPER_TYPES", types.collect::<Vec<_>>().join(","));
        command.env("WRAPPER_COMMITTED", committed(listing).to_string());
        command.env("TILELINT_RECORDING", self.folder.path().join(format!("{name}.rec.calls")));
        if asks_driver(listing) {
            command.env("TILELINT_ASK_DRIVER", "on");
        }
        if !listing.header.targets.is_empty() {
            command.env("TILELINT_TARGETS", listing.header.targets.join(","));
        }
        if let Some(rule) = rule.filter(|rule| rule.level == Level::Allow) {
            command.env("TILELINT_LEVELS", format!("{}=warn", rule.name));
        }
        let marker =
            |entry: &Entry| matches!(entry.call, Call::Frame { by: FrameBoundary::Marker, .. });
        if listing.entries.iter().any(marker) {
            command.env("TILELINT_FRAME_BOUNDARY", "marker");
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        let ran = run(&mut command);
        if !ran.status.success() {
            return Err(format!("{}\n{}{}", ran.status, ran.stdout, ran.stderr));
        }
        let json = std::fs::read_to_string(&report).map_err(|e| format!("no report: {e}"))?;
        Ok((told(&json)?, ran.stdout))
    }

    /// Returns the recording of the listing that was played under this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn recording(&self, name: &str) -> Result<String, String> {
        let file = self.folder.path().join(format!("{name}.rec.calls"));
        std::fs::read_to_string(&file).map_err(|e| format!("no recording: {e}"))
    }

    /// Lints that recording.
    ///
    /// # Errors
    /// If there is none, or it cannot be read; the message holds it.
    pub fn repeated(&self, name: &str, rule: Option<&Rule>) -> Result<Vec<Told>, String> {
        let text = self.recording(name)?;
        let repeated = linted(&text, rule, self.folder.path());
        repeated.map(|(_, told)| told).map_err(|e| format!("the recording: {e}\n{text}"))
    }
}

/// Rule, fingerprint and level of each finding.
pub fn ids(told: &[Told]) -> Vec<&str> {
    let mut ids: Vec<&str> = told.iter().map(|told| told.id.as_str()).collect();
    ids.sort_unstable();
    ids
}

/// Word of a form on the player's command line.
pub fn form_word(form: Via) -> &'static str {
    match form {
        Via::Rp1 => "rp1",
        Via::Rp2 => "rp2",
        Via::Dynamic => "dynamic",
    }
}

/// Lints a listing and returns what was said of it; paths of its shaders start in a folder.
///
/// # Errors
/// If the listing cannot be read.
pub fn linted(
    text: &str,
    rule: Option<&Rule>,
    shaders: &Path,
) -> Result<(Listing, Vec<Told>), String> {
    let mut listing = listing::parse(text).map_err(|e| e.to_string())?;
    listing.load_shaders(|file| std::fs::read(shaders.join(file)).ok());
    let mut config = Config::new();
    config.take_targets(&listing.header, "listing").map_err(|e| e.to_string())?;
    if let Some(rule) = rule.filter(|rule| rule.level == Level::Allow) {
        config.set_level(rule.name, Level::Warn, "page").map_err(|e| e.to_string())?;
    }
    let linted = lint(&listing, None, &config, None);
    let input = tilelint::report::Input::new("", &config, &linted.session, &linted.judged);
    let told = told(&tilelint::report::to_json(&tilelint::report::build(input)))?;
    Ok((listing, told))
}

fn told(json: &str) -> Result<Vec<Told>, String> {
    let report: Value = serde_json::from_str(json).map_err(|e| e.to_string())?;
    let findings = report["findings"].as_array().ok_or("the report has no findings")?;
    let mut told: Vec<Told> = findings.iter().map(one).collect();
    told.sort();
    Ok(told)
}

fn one(finding: &Value) -> Told {
    let mut text = String::new();
    for key in ["level", "confidence", "fingerprint", "message", "why", "cost", "count", "targets"]
    {
        let _ = write!(text, "{key}={} ", finding[key]);
    }
    for note in finding["notes"].as_array().into_iter().flatten() {
        let _ = write!(text, "note={} ", note["rule"]);
    }
    let rule = finding["rule"].as_str().unwrap_or_default().to_owned();
    let id = format!("{rule} {} {}", finding["fingerprint"], finding["level"]);
    Told { rule, id, text }
}
