//! Instance functions: messengers and report callbacks, tool properties.

use crate::ffi::debug::Report;
use crate::ffi::read::View;
use crate::ffi::{registry, tools};
use ash::vk::{self, Handle};
use std::ffi::c_char;

pub(in crate::ffi) use crate::ffi::chain::{create_device, destroy_instance};
pub(in crate::ffi) use crate::ffi::enumerate::{
    device_extensions as enumerate_device_extension_properties,
    device_layers as enumerate_device_layer_properties,
};

/// `vkGetPhysicalDeviceToolProperties`.
///
/// # Safety
/// C2, C3.
pub(in crate::ffi) unsafe extern "system" fn get_physical_device_tool_properties(
    physical_device: vk::PhysicalDevice,
    count: *mut u32,
    properties: *mut vk::PhysicalDeviceToolProperties<'_>,
) -> vk::Result {
    // SAFETY: C2, C3 - the arguments as they came.
    unsafe {
        tools::tool_properties(physical_device, count, properties, |instance| {
            instance.table.get_physical_device_tool_properties
        })
    }
}

/// `vkGetPhysicalDeviceToolPropertiesEXT`.
///
/// # Safety
/// C2, C3.
pub(in crate::ffi) unsafe extern "system" fn get_physical_device_tool_properties_ext(
    physical_device: vk::PhysicalDevice,
    count: *mut u32,
    properties: *mut vk::PhysicalDeviceToolProperties<'_>,
) -> vk::Result {
    // SAFETY: C2, C3 - the arguments as they came.
    unsafe {
        tools::tool_properties(physical_device, count, properties, |instance| {
            instance.table.get_physical_device_tool_properties_ext
        })
    }
}

/// `vkCreateDebugUtilsMessengerEXT`.
///
/// # Safety
/// C2, C3, C7.
pub(in crate::ffi) unsafe extern "system" fn create_debug_utils_messenger_ext(
    instance: vk::Instance,
    create_info: *const vk::DebugUtilsMessengerCreateInfoEXT<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    messenger: *mut vk::DebugUtilsMessengerEXT,
) -> vk::Result {
    // SAFETY: C3 - a live instance.
    let Some(entry) = (unsafe { registry::instance_of(instance) }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    let mut result = vk::Result::SUCCESS;
    if let Some(next) = entry.table.create_debug_utils_messenger_ext {
        // SAFETY: C5 - the arguments go down as they came.
        result = unsafe { next(instance, create_info, allocator, messenger) };
    } else {
        // SAFETY: C7 - the output is valid for writes.
        unsafe { messenger.write(entry.debug.new_handle()) };
    }
    // SAFETY: C2 - the create-info is valid.
    if let (vk::Result::SUCCESS, Some(info)) = (result, unsafe { View::new(create_info) }) {
        // SAFETY: C7 - the call succeeded.
        entry.debug.add_messenger(unsafe { *messenger }, &info);
    }
    result
}

/// `vkDestroyDebugUtilsMessengerEXT`.
///
/// # Safety
/// C2, C3.
pub(in crate::ffi) unsafe extern "system" fn destroy_debug_utils_messenger_ext(
    instance: vk::Instance,
    messenger: vk::DebugUtilsMessengerEXT,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: C3 - a live instance.
    let Some(entry) = (unsafe { registry::instance_of(instance) }) else { return };
    entry.debug.remove_messenger(messenger.as_raw());
    if let Some(next) = entry.table.destroy_debug_utils_messenger_ext {
        // SAFETY: C5 - the arguments go down as they came.
        unsafe { next(instance, messenger, allocator) };
    }
}

/// `vkSubmitDebugUtilsMessageEXT`.
///
/// # Safety
/// C2, C3.
pub(in crate::ffi) unsafe extern "system" fn submit_debug_utils_message_ext(
    instance: vk::Instance,
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
) {
    // SAFETY: C3 - a live instance.
    let Some(entry) = (unsafe { registry::instance_of(instance) }) else { return };
    match entry.table.submit_debug_utils_message_ext {
        // SAFETY: C5 - the arguments go down as they came.
        Some(next) => unsafe { next(instance, severity, types, data) },
        // SAFETY: C2 - the application's data is valid.
        None => unsafe { entry.debug.call_messengers(severity, types, data) },
    }
}

/// `vkCreateDebugReportCallbackEXT`.
///
/// # Safety
/// C2, C3, C7.
pub(in crate::ffi) unsafe extern "system" fn create_debug_report_callback_ext(
    instance: vk::Instance,
    create_info: *const vk::DebugReportCallbackCreateInfoEXT<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    callback: *mut vk::DebugReportCallbackEXT,
) -> vk::Result {
    // SAFETY: C3 - a live instance.
    let Some(entry) = (unsafe { registry::instance_of(instance) }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    let mut result = vk::Result::SUCCESS;
    if let Some(next) = entry.table.create_debug_report_callback_ext {
        // SAFETY: C5 - the arguments go down as they came.
        result = unsafe { next(instance, create_info, allocator, callback) };
    } else {
        // SAFETY: C7 - the output is valid for writes.
        unsafe { callback.write(entry.debug.new_handle()) };
    }
    // SAFETY: C2 - the create-info is valid.
    if let (vk::Result::SUCCESS, Some(info)) = (result, unsafe { View::new(create_info) }) {
        // SAFETY: C7 - the call succeeded.
        entry.debug.add_callback(unsafe { *callback }, &info);
    }
    result
}

/// `vkDestroyDebugReportCallbackEXT`.
///
/// # Safety
/// C2, C3.
pub(in crate::ffi) unsafe extern "system" fn destroy_debug_report_callback_ext(
    instance: vk::Instance,
    callback: vk::DebugReportCallbackEXT,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: C3 - a live instance.
    let Some(entry) = (unsafe { registry::instance_of(instance) }) else { return };
    entry.debug.remove_callback(callback.as_raw());
    if let Some(next) = entry.table.destroy_debug_report_callback_ext {
        // SAFETY: C5 - the arguments go down as they came.
        unsafe { next(instance, callback, allocator) };
    }
}

/// `vkDebugReportMessageEXT`.
///
/// # Safety
/// C2, C3.
pub(in crate::ffi) unsafe extern "system" fn debug_report_message_ext(
    instance: vk::Instance,
    flags: vk::DebugReportFlagsEXT,
    object_type: vk::DebugReportObjectTypeEXT,
    object: u64,
    location: usize,
    message_code: i32,
    layer_prefix: *const c_char,
    message: *const c_char,
) {
    // SAFETY: C3 - a live instance.
    let Some(entry) = (unsafe { registry::instance_of(instance) }) else { return };
    if let Some(next) = entry.table.debug_report_message_ext {
        // SAFETY: C5 - the arguments go down as they came.
        return unsafe {
            next(
                instance,
                flags,
                object_type,
                object,
                location,
                message_code,
                layer_prefix,
                message,
            )
        };
    }
    let report = Report {
        flags,
        object_type,
        object,
        location,
        code: message_code,
        prefix: layer_prefix,
        text: message,
    };
    // SAFETY: C2 - the application's strings are valid.
    unsafe { entry.debug.call_report_callbacks(&report) };
}
