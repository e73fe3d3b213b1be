//! The layer's settings and where they come from.

use crate::ffi::read::View;
use ash::vk;

/// Settings of one instance.
pub(crate) struct InstanceSettings {}

impl InstanceSettings {
    /// Reads the settings for a new instance.
    pub(crate) fn load(_info: View<'_, vk::InstanceCreateInfo<'_>>) -> InstanceSettings {
        InstanceSettings {}
    }
}
