//! Names and labels: `VK_EXT_debug_utils` and `VK_EXT_debug_marker`.
//!
//! Where nothing below has them, the layer is their implementation and forwarding is left out.

use crate::ffi::hooks::{cmd_hooks, device_hooks};
use crate::ffi::read::{View, string};
use ash::vk;

/// Returns the text of a label.
macro_rules! label_text {
    ($pointer:expr, $name:ident) => {{
        // SAFETY: C2 - the label is valid.
        let label = unsafe { View::new($pointer) };
        label.and_then(|label| {
            // SAFETY: C2 - the name is a string.
            unsafe { string(label.get().$name) }
        })
    }};
}

device_hooks! {
    own [set_debug_utils_object_name_ext](
        device: vk::Device,
        name_info: *const vk::DebugUtilsObjectNameInfoEXT<'_>
    ) (dev) {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(name_info) } {
            // SAFETY: C2 - NULL or a string; NULL takes the name away.
            let name = unsafe { string(info.p_object_name) };
            dev.capture.name(info.object_type, info.object_handle, name);
        }
    }
    own [set_debug_utils_object_tag_ext](
        device: vk::Device,
        tag_info: *const vk::DebugUtilsObjectTagInfoEXT<'_>
    ) (dev) {
        let _ = dev;
    }
    own [debug_marker_set_object_name_ext](
        device: vk::Device,
        name_info: *const vk::DebugMarkerObjectNameInfoEXT<'_>
    ) (dev) {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(name_info) } {
            // The enumerants of the older extension have the same numbers.
            let object_type = vk::ObjectType::from_raw(info.object_type.as_raw());
            // SAFETY: C2 - NULL or a string.
            let name = unsafe { string(info.p_object_name) };
            dev.capture.name(object_type, info.object, name);
        }
    }
    own [debug_marker_set_object_tag_ext](
        device: vk::Device,
        tag_info: *const vk::DebugMarkerObjectTagInfoEXT<'_>
    ) (dev) {
        let _ = dev;
    }
    after_void [queue_begin_debug_utils_label_ext](
        queue: vk::Queue,
        label_info: *const vk::DebugUtilsLabelEXT<'_>
    ) (dev) {
        dev.capture.queue_label_begin(queue, label_text!(label_info, p_label_name));
    }
    after_void [queue_end_debug_utils_label_ext](queue: vk::Queue) (dev) {
        dev.capture.queue_label_end(queue);
    }
    after_void [queue_insert_debug_utils_label_ext](
        queue: vk::Queue,
        label_info: *const vk::DebugUtilsLabelEXT<'_>
    ) (dev) {
        dev.capture.queue_label(label_text!(label_info, p_label_name));
    }
}

cmd_hooks! {
    [cmd_begin_debug_utils_label_ext](
        command_buffer: vk::CommandBuffer,
        label_info: *const vk::DebugUtilsLabelEXT<'_>
    ) (dev, recorder) {
        recorder.label_begin(label_text!(label_info, p_label_name));
    }
    [cmd_debug_marker_begin_ext](
        command_buffer: vk::CommandBuffer,
        marker_info: *const vk::DebugMarkerMarkerInfoEXT<'_>
    ) (dev, recorder) {
        recorder.label_begin(label_text!(marker_info, p_marker_name));
    }
    [cmd_end_debug_utils_label_ext cmd_debug_marker_end_ext](
        command_buffer: vk::CommandBuffer
    ) (dev, recorder) {
        recorder.label_end();
    }
    [cmd_insert_debug_utils_label_ext](
        command_buffer: vk::CommandBuffer,
        label_info: *const vk::DebugUtilsLabelEXT<'_>
    ) (dev, recorder) {
        recorder.label(label_text!(label_info, p_label_name));
    }
    [cmd_debug_marker_insert_ext](
        command_buffer: vk::CommandBuffer,
        marker_info: *const vk::DebugMarkerMarkerInfoEXT<'_>
    ) (dev, recorder) {
        recorder.label(label_text!(marker_info, p_marker_name));
    }
}
