//! The commands of instances and physical devices.

use super::{Command, Index, VoidFunction, table};
use crate::ffi::commands::instance;
use ash::vk;
use once_cell::sync::Lazy;
use std::ffi::CStr;

table! {
    /// The next layer's instance functions that the layer calls.
    struct InstanceTable, INSTANCE_COMMANDS, INSTANCE_INDEX;
    intercepted {
        instance create_debug_report_callback_ext PFN_vkCreateDebugReportCallbackEXT
            c"vkCreateDebugReportCallbackEXT"
        instance create_debug_utils_messenger_ext PFN_vkCreateDebugUtilsMessengerEXT
            c"vkCreateDebugUtilsMessengerEXT"
        instance create_device PFN_vkCreateDevice c"vkCreateDevice"
        instance debug_report_message_ext PFN_vkDebugReportMessageEXT c"vkDebugReportMessageEXT"
        instance destroy_debug_report_callback_ext PFN_vkDestroyDebugReportCallbackEXT
            c"vkDestroyDebugReportCallbackEXT"
        instance destroy_debug_utils_messenger_ext PFN_vkDestroyDebugUtilsMessengerEXT
            c"vkDestroyDebugUtilsMessengerEXT"
        instance destroy_instance PFN_vkDestroyInstance c"vkDestroyInstance"
        instance enumerate_device_extension_properties PFN_vkEnumerateDeviceExtensionProperties
            c"vkEnumerateDeviceExtensionProperties"
        instance enumerate_device_layer_properties PFN_vkEnumerateDeviceLayerProperties
            c"vkEnumerateDeviceLayerProperties"
        instance get_physical_device_tool_properties PFN_vkGetPhysicalDeviceToolProperties
            c"vkGetPhysicalDeviceToolProperties"
        instance get_physical_device_tool_properties_ext PFN_vkGetPhysicalDeviceToolProperties
            c"vkGetPhysicalDeviceToolPropertiesEXT"
        instance submit_debug_utils_message_ext PFN_vkSubmitDebugUtilsMessageEXT
            c"vkSubmitDebugUtilsMessageEXT"
    }
    called {
        get_physical_device_features2 PFN_vkGetPhysicalDeviceFeatures2
            c"vkGetPhysicalDeviceFeatures2"
        get_physical_device_features2_khr PFN_vkGetPhysicalDeviceFeatures2
            c"vkGetPhysicalDeviceFeatures2KHR"
        get_physical_device_memory_properties PFN_vkGetPhysicalDeviceMemoryProperties
            c"vkGetPhysicalDeviceMemoryProperties"
        get_physical_device_properties PFN_vkGetPhysicalDeviceProperties
            c"vkGetPhysicalDeviceProperties"
        get_physical_device_queue_family_properties PFN_vkGetPhysicalDeviceQueueFamilyProperties
            c"vkGetPhysicalDeviceQueueFamilyProperties"
        get_physical_device_surface_capabilities_khr PFN_vkGetPhysicalDeviceSurfaceCapabilitiesKHR
            c"vkGetPhysicalDeviceSurfaceCapabilitiesKHR"
    }
}
