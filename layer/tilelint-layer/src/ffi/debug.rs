//! The application's own callbacks: `VK_EXT_debug_utils` and `VK_EXT_debug_report`.
//!
//! The desktop loader keeps the list of messengers and its `vkSubmitDebugUtilsMessageEXT` calls
//! them all, so where the next layer has that function, findings go down through it. Where nothing
//! below implements the extension (Android without it in the driver), the layer keeps a list of its
//! own. Never both: every message would arrive twice.

use super::registry::{Device, Instance};
use super::table::InstanceTable;
use crate::capture::{Message, MessageObject};
use ash::vk::{self, Handle};
use parking_lot::Mutex;
use std::ffi::{CStr, c_void};
use std::ptr;

/// Who keeps the list of an extension's callbacks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keeper {
    /// The extension is not enabled.
    Nobody,
    /// The next layer has the functions.
    Below,
    /// This layer.
    Layer,
}

impl Keeper {
    fn new(is_enabled: bool, is_below: bool) -> Keeper {
        match (is_enabled, is_below) {
            (false, _) => Keeper::Nobody,
            (true, true) => Keeper::Below,
            (true, false) => Keeper::Layer,
        }
    }
}

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
    utils: Keeper,
    report: Keeper,
    lists: Mutex<Lists>,
}

#[derive(Default)]
struct Lists {
    last_handle: u64,
    messengers: Vec<Messenger>,
    callbacks: Vec<ReportCallback>,
}

impl Debug {
    /// Finds out who keeps the callbacks of a new instance.
    pub(super) fn new(enabled: &[&CStr], below: &InstanceTable) -> Debug {
        let has_utils = below.submit_debug_utils_message_ext.is_some()
            && below.create_debug_utils_messenger_ext.is_some();
        let has_report = below.debug_report_message_ext.is_some()
            && below.create_debug_report_callback_ext.is_some();
        Debug {
            utils: Keeper::new(enabled.contains(&ash::ext::debug_utils::NAME), has_utils),
            report: Keeper::new(enabled.contains(&ash::ext::debug_report::NAME), has_report),
            lists: Mutex::default(),
        }
    }

    /// Returns whether this layer is the one to implement the function of this name.
    pub(super) fn implements(&self, name: &CStr) -> bool {
        let contains = |part: &[u8]| name.to_bytes().windows(part.len()).any(|bytes| bytes == part);
        (self.utils == Keeper::Layer && contains(b"DebugUtils"))
            || (self.report == Keeper::Layer && contains(b"DebugReport"))
    }

    /// Adds a messenger and returns its handle.
    pub(super) fn add_messenger(&self, info: &vk::DebugUtilsMessengerCreateInfoEXT<'_>) -> u64 {
        let mut lists = self.lists.lock();
        lists.last_handle += 1;
        let handle = lists.last_handle;
        lists.messengers.push(Messenger {
            handle,
            severities: info.message_severity,
            types: info.message_type,
            callback: info.pfn_user_callback,
            user_data: info.p_user_data as usize,
        });
        handle
    }

    /// Removes a messenger.
    pub(super) fn remove_messenger(&self, handle: u64) {
        self.lists.lock().messengers.retain(|messenger| messenger.handle != handle);
    }

    /// Adds a report callback and returns its handle.
    pub(super) fn add_callback(&self, info: &vk::DebugReportCallbackCreateInfoEXT<'_>) -> u64 {
        let mut lists = self.lists.lock();
        lists.last_handle += 1;
        let handle = lists.last_handle;
        lists.callbacks.push(ReportCallback {
            handle,
            flags: info.flags,
            callback: info.pfn_callback,
            user_data: info.p_user_data as usize,
        });
        handle
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
    if instance.debug.utils != Keeper::Nobody {
        submit_to_messengers(instance, message);
    }
    if instance.debug.report != Keeper::Nobody {
        submit_to_report_callbacks(instance, message);
    }
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

fn submit_to_messengers(instance: &Instance, message: &Message) {
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
    match (instance.debug.utils, instance.table.submit_debug_utils_message_ext) {
        (Keeper::Below, Some(submit)) => {
            // SAFETY: C5 - a live instance; `data` and what it points to outlive the call.
            unsafe { submit(instance.handle, message.severity, types, &data) };
        }
        _ => {
            // SAFETY: `data` and what it points to outlive the call.
            unsafe { instance.debug.call_messengers(message.severity, types, &data) };
        }
    }
}

fn submit_to_report_callbacks(instance: &Instance, message: &Message) {
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
    match (instance.debug.report, instance.table.debug_report_message_ext) {
        (Keeper::Below, Some(submit)) => {
            // SAFETY: C5 - a live instance; the strings outlive the call.
            unsafe {
                submit(
                    instance.handle,
                    report.flags,
                    report.object_type,
                    report.object,
                    report.location,
                    report.code,
                    report.prefix,
                    report.text,
                )
            };
        }
        _ => {
            // SAFETY: the strings outlive the call.
            unsafe { instance.debug.call_report_callbacks(&report) };
        }
    }
}

/// Returns a handle that this layer made.
pub(super) fn own_handle<H: Handle>(value: u64) -> H {
    H::from_raw(value)
}
