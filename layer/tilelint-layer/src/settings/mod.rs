//! The layer's settings, gathered from where people put them.
//!
//! Weakest first: built in, `tilelint.toml`, the `VK_EXT_layer_settings` chain,
//! `vk_layer_settings.txt`, environment variables (on Android also system properties). A mistake
//! costs one message and its own setting.

mod properties;
mod sources;

use crate::analysis::Analysis;
use crate::ffi::enumerate::LAYER_NAME;
use crate::ffi::read::View;
use crate::session::{self, Sink, Wants};
use ash::vk;
use std::sync::Arc;
use tilelint::config::{CONFIG, Config, Given};

/// Settings of one instance.
pub(crate) struct InstanceSettings {
    api_version: u32,
    sink: Arc<Sink>,
}

impl InstanceSettings {
    /// Reads the settings for a new instance and starts the analysis; says what is wrong with them.
    /// The process has one session, so the settings of its first instance count.
    pub(crate) fn load(
        info: View<'_, vk::InstanceCreateInfo<'_>>,
    ) -> (InstanceSettings, Vec<String>) {
        let asked = info.application().map_or(0, |application| application.api_version);
        let chained = chained(info);
        let mut problems = Vec::new();
        let settings = InstanceSettings {
            // Without a version the application asks for Vulkan 1.0.
            api_version: if asked == 0 { vk::API_VERSION_1_0 } else { asked },
            sink: session::instance_begins(|| Analysis::new(gather(chained, &mut problems))),
        };
        (settings, problems)
    }

    /// The version that the application asked for.
    pub(crate) fn api_version(&self) -> u32 {
        self.api_version
    }

    /// What the analysis asks of the layer.
    pub(crate) fn wants(&self) -> Wants {
        self.sink.wants()
    }

    /// Where the events of the instance's devices go.
    pub(crate) fn sink(&self) -> Arc<Sink> {
        Arc::clone(&self.sink)
    }
}

/// Returns the settings that the application chained for this layer.
fn chained(info: View<'_, vk::InstanceCreateInfo<'_>>) -> Vec<Given> {
    let Some(chained) = info.next::<vk::LayerSettingsCreateInfoEXT<'_>>() else {
        return Vec::new();
    };
    let given = |setting: View<'_, vk::LayerSettingEXT<'_>>| {
        let is_ours = setting.layer() == Some(LAYER_NAME);
        let name = setting.name().filter(|_| is_ours)?.to_string_lossy().into_owned();
        let origin = format!("VkLayerSettingEXT `{name}`");
        Some(Given { name, value: setting.values().join(","), origin })
    };
    chained.settings().iter().filter_map(given).collect()
}

/// Merges all sources; what is wrong is told in one line each.
fn gather(chained: Vec<Given>, told: &mut Vec<String>) -> Config {
    let mut given = chained;
    given.extend(sources::layer_settings_file());
    given.extend(properties::all());
    given.extend(sources::environment());
    let named = given.iter().rev().find(|given| given.name == CONFIG);
    let mut problems = Vec::new();
    let mut config = Config::new();
    if let Some((path, text)) = sources::config_file(named) {
        let (file, wrong) = tilelint::config::parse(&text, &path);
        config.apply(file);
        problems.extend(wrong);
    }
    problems.extend(config.take_given(&given));
    problems.extend(config.contradiction());
    for problem in problems {
        crate::log::warning(&problem.to_string());
        told.push(problem.to_string());
    }
    config
}
