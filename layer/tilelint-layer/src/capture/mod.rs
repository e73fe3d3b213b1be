//! What the calls show, as the library's calls.

use crate::ffi::device_info::PhysicalInfo;
use crate::ffi::read::View;
use crate::settings::InstanceSettings;
use ash::vk;
use std::ffi::{CStr, CString};

/// A finding for the application's callbacks.
pub(crate) struct Message {
    pub(crate) severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    pub(crate) id_name: CString,
    pub(crate) id_number: i32,
    pub(crate) text: CString,
    pub(crate) objects: Vec<MessageObject>,
    pub(crate) labels: Vec<CString>,
}

/// An object that a message is about.
pub(crate) struct MessageObject {
    pub(crate) object_type: vk::ObjectType,
    pub(crate) handle: u64,
    pub(crate) name: Option<CString>,
}

/// What the capture keeps for a device.
pub(crate) struct DeviceCapture {}

impl DeviceCapture {
    /// Opens the capture of a new device.
    pub(crate) fn new(
        _settings: &InstanceSettings,
        _physical: PhysicalInfo,
        _info: View<'_, vk::DeviceCreateInfo<'_>>,
        _extensions: &[&CStr],
    ) -> DeviceCapture {
        DeviceCapture {}
    }
    pub(crate) fn off() -> DeviceCapture {
        DeviceCapture {}
    }
    pub(crate) fn silence(&self) {}
    pub(crate) fn has_messages(&self) -> bool {
        false
    }
    pub(crate) fn take_messages(&self) -> Vec<Message> {
        Vec::new()
    }
    pub(crate) fn finish(&self) {}
    pub(crate) fn recorder(&self, _: vk::CommandBuffer, _: vk::CommandBufferLevel) -> Recorder {
        Recorder {}
    }
    pub(crate) fn wait_idle(&self, _queue: Option<u64>, _result: vk::Result) {}
    pub(crate) fn name(&self, _: vk::ObjectType, _handle: u64, _name: Option<&CStr>) {}
    pub(crate) fn queue_label_begin(&self, _queue: u64, _text: Option<&CStr>) {}
    pub(crate) fn queue_label_end(&self, _queue: u64) {}
    pub(crate) fn queue_label(&self, _queue: u64, _text: Option<&CStr>) {}
}

/// What is recorded into a command buffer.
pub(crate) struct Recorder {}

impl Recorder {
    pub(crate) fn begin(&mut self, _info: View<'_, vk::CommandBufferBeginInfo<'_>>) {}
    pub(crate) fn end(&mut self) {}
    pub(crate) fn reset(&mut self) {}
    pub(crate) fn label_begin(&mut self, _text: Option<&CStr>) {}
    pub(crate) fn label_end(&mut self) {}
    pub(crate) fn label(&mut self, _text: Option<&CStr>) {}
}
