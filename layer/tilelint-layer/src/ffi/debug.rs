//! The application's own callbacks: `VK_EXT_debug_utils` and `VK_EXT_debug_report`.
//!
//! The layer keeps a list of the callbacks and calls them itself. It does not go through the next
//! layer's `vkSubmitDebugUtilsMessageEXT`: the desktop loader's takes a lock there that it already
//! holds around `vkDestroyDevice`. Where nothing below implements an extension that was enabled
//! (Android without it in the driver), the layer is its implementation.

use super::registry::{Device, Instance};
use super::table::InstanceTable;
use crate::capture::{Message, MessageObject};
use ash::vk::{self, Handle};
use parking_lot::Mutex;
use std::ffi::{CStr, c_void};
use std::ptr;

/// A messenger that this layer keeps.
#[derive(Clone, Copy)]
pub(super) struct Messenger {
    handle: u64,
    severities: vk::DebugUtilsMessageSeverityFlagsEXT,
    types: vk::DebugUtilsMessageTypeFlagsEXT,
    callback: vk::PFN_vkDebugUtilsMessengerCallbackEXT,
    user_data: usize,
}

/// A report callback that this layer keeps.
#[derive(Clone, Copy)]
pub(super) struct ReportCallback {
    handle: u64,
    flags: vk::DebugReportFlagsEXT,
    callback: vk::PFN_vkDebugReportCallbackEXT,
    user_data: usize,
}

/// The debug extensions of one instance.
pub(super) struct Debug {
    /// The layer is the implementation of `VK_EXT_debug_utils`.
    implements_utils: bool,
    /// The layer is the implementation of `VK_EXT_debug_report`.
    implements_report: bool,
    lists: Mutex<Lists>,
}

#[derive(Default)]
struct Lists {
    last_handle: u64,
    messengers: Vec<Messenger>,
    callbacks: Vec<ReportCallback>,
}

impl Debug {
    /// Finds out which extensions of a new instance nothing below implements.
    pub(super) fn new(enabled: &[&CStr], below: &InstanceTable) -> Debug {
        let utils = enabled.contains(&ash::ext::debug_utils::NAME);
        let report = enabled.contains(&ash::ext::debug_report::NAME);
        Debug {
            implements_utils: utils && below.create_debug_utils_messenger_ext.is_none(),
            implements_report: report && below.create_debug_report_callback_ext.is_none(),
            lists: Mutex::default(),
        }
    }

    /// Returns whether this layer is the one to implement the function of this name.
    pub(super) fn implements(&self, name: &CStr) -> bool {
        let contains = |part: &[u8]| name.to_bytes().windows(part.len()).any(|bytes| bytes == part);
        (self.implements_utils && contains(b"DebugUtils"))
            || (self.implements_report && contains(b"DebugReport"))
    }

    /// Returns a handle for an object that the layer makes.
    pub(super) fn new_handle<H: Handle>(&self) -> H {
        let mut lists = self.lists.lock();
        lists.last_handle += 1;
        H::from_raw(lists.last_handle)
    }

    /// Adds a messenger.
    pub(super) fn add_messenger(
        &self,
        handle: vk::DebugUtilsMessengerEXT,
        info: &vk::DebugUtilsMessengerCreateInfoEXT<'_>,
    ) {
        self.lists.lock().messengers.push(Messenger {
            handle: handle.as_raw(),
            severities: info.message_severity,
            types: info.message_type,
            callback: info.pfn_user_callback,
            user_data: info.p_user_data as usize,
        });
    }

    /// Says whether the application has a messenger.
    pub(super) fn has_messengers(&self) -> bool {
        !self.lists.lock().messengers.is_empty()
    }

    /// Removes a messenger.
    pub(super) fn remove_messenger(&self, handle: u64) {
        self.lists.lock().messengers.retain(|messenger| messenger.handle != handle);
    }

    /// Adds a report callback.
    pub(super) fn add_callback(
        &self,
        handle: vk::DebugReportCallbackEXT,
        info: &vk::DebugReportCallbackCreateInfoEXT<'_>,
    ) {
        self.lists.lock().callbacks.push(ReportCallback {
            handle: handle.as_raw(),
            flags: info.flags,
            callback: info.pfn_callback,
            user_data: info.p_user_data as usize,
        });
    }

    /// Removes a report callback.
    pub(super) fn remove_callback(&self, handle: u64) {
        self.lists.lock().callbacks.retain(|callback| callback.handle != handle);
    }

    /// Calls the messengers that this layer keeps; the list is not locked meanwhile.
    ///
    /// # Safety
    /// C2: `data` is NULL or valid callback data.
    pub(super) unsafe fn call_messengers(
        &self,
        severity: vk::DebugUtilsMessageSeverityFlagsEXT,
        types: vk::DebugUtilsMessageTypeFlagsEXT,
        data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    ) {
        let messengers = self.lists.lock().messengers.clone();
        for messenger in messengers {
            let wants =
                messenger.severities.contains(severity) && messenger.types.intersects(types);
            if let (true, Some(callback)) = (wants, messenger.callback) {
                // SAFETY: C2 - the application's callback takes these; its answer is for
                // validation layers and changes nothing here.
                unsafe { callback(severity, types, data, messenger.user_data as *mut c_void) };
            }
        }
    }

    /// Calls the report callbacks that this layer keeps; the list is not locked meanwhile.
    ///
    /// # Safety
    /// C2: the strings of `report` are valid.
    pub(super) unsafe fn call_report_callbacks(&self, report: &Report) {
        let callbacks = self.lists.lock().callbacks.clone();
        for callback in callbacks {
            let wants = callback.flags.intersects(report.flags);
            if let (true, Some(function)) = (wants, callback.callback) {
                // SAFETY: C2 - the application's callback takes these.
                unsafe {
                    function(
                        report.flags,
                        report.object_type,
                        report.object,
                        report.location,
                        report.code,
                        report.prefix,
                        report.text,
                        callback.user_data as *mut c_void,
                    )
                };
            }
        }
    }
}

/// The arguments of one debug report.
pub(super) struct Report {
    pub(super) flags: vk::DebugReportFlagsEXT,
    pub(super) object_type: vk::DebugReportObjectTypeEXT,
    pub(super) object: u64,
    pub(super) location: usize,
    pub(super) code: i32,
    pub(super) prefix: *const std::ffi::c_char,
    pub(super) text: *const std::ffi::c_char,
}

/// Delivers what waits in the device's outbox. No lock is held while the application is called.
pub(super) fn deliver(device: &Device) {
    for message in device.capture.take_messages() {
        deliver_one(&device.instance, &message);
    }
}

fn deliver_one(instance: &Instance, message: &Message) {
    tell_messengers(&instance.debug, message);
    tell_report_callbacks(&instance.debug, message);
}

fn labels(names: &[std::ffi::CString]) -> Vec<vk::DebugUtilsLabelEXT<'_>> {
    names.iter().map(|name| vk::DebugUtilsLabelEXT::default().label_name(name)).collect()
}

fn object_info(object: &MessageObject) -> vk::DebugUtilsObjectNameInfoEXT<'_> {
    vk::DebugUtilsObjectNameInfoEXT {
        object_type: object.object_type,
        object_handle: object.handle,
        p_object_name: object.name.as_ref().map_or(ptr::null(), |name| name.as_ptr()),
        ..Default::default()
    }
}

/// Calls the messengers that want a message.
pub(super) fn tell_messengers(debug: &Debug, message: &Message) {
    let mut objects: Vec<_> = message.objects.iter().map(object_info).collect();
    let mut cmd_buf_labels = labels(&message.labels);
    let data = vk::DebugUtilsMessengerCallbackDataEXT {
        p_message_id_name: message.id_name.as_ptr(),
        message_id_number: message.id_number,
        p_message: message.text.as_ptr(),
        cmd_buf_label_count: cmd_buf_labels.len() as u32,
        p_cmd_buf_labels: cmd_buf_labels.as_mut_ptr(),
        object_count: objects.len() as u32,
        p_objects: objects.as_mut_ptr(),
        ..Default::default()
    };
    let types = vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE;
    // SAFETY: C8 - `data` and what it points to outlive the call.
    unsafe { debug.call_messengers(message.severity, types, &data) };
}

fn tell_report_callbacks(debug: &Debug, message: &Message) {
    let object = message.objects.first();
    // The enumerants of the older extension have the same numbers.
    let object_type = object.map_or(0, |object| object.object_type.as_raw());
    let is_info = message.severity == vk::DebugUtilsMessageSeverityFlagsEXT::INFO;
    let report = Report {
        flags: if is_info {
            vk::DebugReportFlagsEXT::INFORMATION
        } else {
            vk::DebugReportFlagsEXT::PERFORMANCE_WARNING
        },
        object_type: vk::DebugReportObjectTypeEXT::from_raw(object_type),
        object: object.map_or(0, |object| object.handle),
        location: 0,
        code: message.id_number,
        prefix: message.id_name.as_ptr(),
        text: message.text.as_ptr(),
    };
    // SAFETY: C8 - the strings outlive the call.
    unsafe { debug.call_report_callbacks(&report) };
}
