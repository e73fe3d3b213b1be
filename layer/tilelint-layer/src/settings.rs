//! The layer's settings and where they come from.

use crate::analysis::Analysis;
use crate::ffi::read::View;
use crate::session::{self, Sink};
use ash::vk;
use std::sync::Arc;

/// Settings of one instance.
pub(crate) struct InstanceSettings {
    api_version: u32,
    sink: Arc<Sink>,
}

impl InstanceSettings {
    /// Reads the settings for a new instance and starts the analysis.
    pub(crate) fn load(info: View<'_, vk::InstanceCreateInfo<'_>>) -> InstanceSettings {
        let asked = info.application().map_or(0, |application| application.api_version);
        InstanceSettings {
            // Without a version the application asks for Vulkan 1.0.
            api_version: if asked == 0 { vk::API_VERSION_1_0 } else { asked },
            sink: session::instance_begins(Analysis::new),
        }
    }

    /// The version that the application asked for.
    pub(crate) fn api_version(&self) -> u32 {
        self.api_version
    }

    /// Where the events of the instance's devices go.
    pub(crate) fn sink(&self) -> Arc<Sink> {
        Arc::clone(&self.sink)
    }
}
