//! The application's own callbacks: `VK_EXT_debug_utils` and `VK_EXT_debug_report`.
//!
//! The layer keeps a list of the callbacks and calls them itself. It does not go through the next
//! layer's `vkSubmitDebugUtilsMessageEXT`: the desktop loader's takes a lock there that it already
//! holds around `vkDestroyDevice`. Where nothing below implements an extension that was enabled
//! (Android without it in the driver), the layer is its implementation.

use super::read::View;
use super::registry::{Device, Instance};
use super::table::InstanceTable;
use crate::capture::{Message, MessageObject};
use ash::vk::{self, Handle, TaggedStructure};
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

impl Messenger {
    fn new(handle: u64, info: &vk::DebugUtilsMessengerCreateInfoEXT<'_>) -> Messenger {
        Messenger {
            handle,
            severities: info.message_severity,
            types: info.message_type,
            callback: info.pfn_user_callback,
            user_data: info.p_user_data as usize,
        }
    }
}

/// A report callback that this layer keeps.
#[derive(Clone, Copy)]
pub(super) struct ReportCallback {
    handle: u64,
    flags: vk::DebugReportFlagsEXT,
    callback: vk::PFN_vkDebugReportCallbackEXT,
    user_data: usize,
}

impl ReportCallback {
    fn new(handle: u64, info: &vk::DebugReportCallbackCreateInfoEXT<'_>) -> ReportCallback {
        ReportCallback {
            handle,
            flags: info.flags,
            callback: info.pfn_callback,
            user_data: info.p_user_data as usize,
        }
    }
}

/// The debug extensions of one instance.
pub(super) struct Debug {
    /// The layer is the implementation of `VK_EXT_debug_utils`.
    implements_utils: bool,
    /// The layer is the implementation of `VK_EXT_debug_report`.
    implements_report: bool,
    /// What the application chained to the creation of the instance: it hears what happens in the
    /// creation and in the destruction of the instance.
    chained: Lists,
    lists: Mutex<Lists>,
}

#[derive(Default)]
struct Lists {
    last_handle: u64,
    messengers: Vec<Messenger>,
    callbacks: Vec<ReportCallback>,
}

impl Debug {
    /// Finds out which extensions of a new instance nothing below implements, and what is chained
    /// to its create-info.
    pub(super) fn new(
        enabled: &[&CStr],
        below: &InstanceTable,
        info: View<'_, vk::InstanceCreateInfo<'_>>,
    ) -> Debug {
        let utils = enabled.contains(&ash::ext::debug_utils::NAME);
        let report = enabled.contains(&ash::ext::debug_report::NAME);
        let mut chained = Lists::default();
        for (s_type, node) in info.chain() {
            if utils && s_type == vk::DebugUtilsMessengerCreateInfoEXT::STRUCTURE_TYPE {
                // SAFETY: C2 - a chained structure has the type that its sType says.
                let info =
                    unsafe { View::new(node.cast::<vk::DebugUtilsMessengerCreateInfoEXT<'_>>()) };
                chained.messengers.extend(info.map(|info| Messenger::new(0, info.get())));
            } else if report && s_type == vk::DebugReportCallbackCreateInfoEXT::STRUCTURE_TYPE {
                // SAFETY: C2 - a chained structure has the type that its sType says.
                let info =
                    unsafe { View::new(node.cast::<vk::DebugReportCallbackCreateInfoEXT<'_>>()) };
                chained.callbacks.extend(info.map(|info| ReportCallback::new(0, info.get())));
            }
        }
        Debug {
            implements_utils: utils && below.create_debug_utils_messenger_ext.is_none(),
            implements_report: report && below.create_debug_report_callback_ext.is_none(),
            chained,
            lists: Mutex::default(),
        }
    }

    /// Calls what is chained to the instance's create-info, inside its creation or destruction.
    pub(super) fn tell_chained(&self, message: &Message) {
        tell_messengers(&self.chained.messengers, message);
        tell_report_callbacks(&self.chained.callbacks, message);
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
        self.lists.lock().messengers.push(Messenger::new(handle.as_raw(), info));
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
        self.lists.lock().callbacks.push(ReportCallback::new(handle.as_raw(), info));
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
        // SAFETY: C2 - the caller's promise.
        unsafe { call_messengers(&self.messengers(), severity, types, data) };
    }

    /// Calls the report callbacks that this layer keeps; the list is not locked meanwhile.
    ///
    /// # Safety
    /// C2: the strings of `report` are valid.
    pub(super) unsafe fn call_report_callbacks(&self, report: &Report) {
        // SAFETY: C2 - the caller's promise.
        unsafe { call_report_callbacks(&self.callbacks(), report) };
    }

    fn messengers(&self) -> Vec<Messenger> {
        self.lists.lock().messengers.clone()
    }

    fn callbacks(&self) -> Vec<ReportCallback> {
        self.lists.lock().callbacks.clone()
    }

    /// Calls the messengers that want a message.
    pub(super) fn tell_messengers(&self, message: &Message) {
        tell_messengers(&self.messengers(), message);
    }
}

/// Calls the messengers that want a message.
///
/// # Safety
/// C2: `data` is NULL or valid callback data.
unsafe fn call_messengers(
    messengers: &[Messenger],
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
) {
    for messenger in messengers {
        let wants = messenger.severities.contains(severity) && messenger.types.intersects(types);
        if let (true, Some(callback)) = (wants, messenger.callback) {
            // SAFETY: C2 - the application's callback takes these; its answer is for validation
            // layers and changes nothing here.
            unsafe { callback(severity, types, data, messenger.user_data as *mut c_void) };
        }
    }
}

/// Calls the report callbacks that want a report.
///
/// # Safety
/// C2: the strings of `report` are valid.
unsafe fn call_report_callbacks(callbacks: &[ReportCallback], report: &Report) {
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
    tell_messengers(&instance.debug.messengers(), message);
    tell_report_callbacks(&instance.debug.callbacks(), message);
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

fn tell_messengers(messengers: &[Messenger], message: &Message) {
    let mut objects: Vec<_> = message.objects.iter().map(object_info).collect();
    let mut queue_labels = labels(&message.queue_labels);
    let mut cmd_buf_labels = labels(&message.labels);
    let data = vk::DebugUtilsMessengerCallbackDataEXT {
        p_message_id_name: message.id_name.as_ptr(),
        message_id_number: message.id_number,
        p_message: message.text.as_ptr(),
        queue_label_count: queue_labels.len() as u32,
        p_queue_labels: queue_labels.as_mut_ptr(),
        cmd_buf_label_count: cmd_buf_labels.len() as u32,
        p_cmd_buf_labels: cmd_buf_labels.as_mut_ptr(),
        object_count: objects.len() as u32,
        p_objects: objects.as_mut_ptr(),
        ..Default::default()
    };
    // SAFETY: C8 - `data` and what it points to outlive the call.
    unsafe { call_messengers(messengers, message.severity, message.types, &data) };
}

fn tell_report_callbacks(callbacks: &[ReportCallback], message: &Message) {
    let object = message.objects.first();
    // The enumerants of the older extension have the same numbers.
    let object_type = object.map_or(0, |object| object.object_type.as_raw());
    let is_info = message.severity == vk::DebugUtilsMessageSeverityFlagsEXT::INFO;
    let is_general = message.types == vk::DebugUtilsMessageTypeFlagsEXT::GENERAL;
    let report = Report {
        flags: match (is_info, is_general) {
            (true, _) => vk::DebugReportFlagsEXT::INFORMATION,
            (false, true) => vk::DebugReportFlagsEXT::WARNING,
            (false, false) => vk::DebugReportFlagsEXT::PERFORMANCE_WARNING,
        },
        object_type: vk::DebugReportObjectTypeEXT::from_raw(object_type),
        object: object.map_or(0, |object| object.handle),
        location: 0,
        code: message.id_number,
        prefix: message.id_name.as_ptr(),
        text: message.text.as_ptr(),
    };
    // SAFETY: C8 - the strings outlive the call.
    unsafe { call_report_callbacks(callbacks, &report) };
}
