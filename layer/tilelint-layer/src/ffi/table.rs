//! The command table: which function answers to which name, and what the next layer has for it.
//!
//! Each name has a field of its own, so that a core command and its KHR or EXT alias forward each
//! to its own next function. A function of ours is handed out only where the next layer has one.

use super::commands::{command_buffer, device, instance, label};
use ash::vk;
use once_cell::sync::Lazy;
use rustc_hash::FxHashMap;
use std::ffi::CStr;

/// A function whose type is known by its name.
pub(super) type VoidFunction = unsafe extern "system" fn();

/// One intercepted command.
pub(super) struct Command<T: 'static> {
    name: &'static CStr,
    pub(super) ours: VoidFunction,
    /// Returns whether the next layer has it.
    pub(super) is_below: fn(&T) -> bool,
}

/// The commands by name.
type Index<T> = Lazy<FxHashMap<&'static CStr, &'static Command<T>>>;

macro_rules! table {
    (
        $(#[$attribute:meta])*
        struct $table:ident, $list:ident, $index:ident;
        intercepted { $($chapter:ident $field:ident $pfn:ident $name:literal)* }
        called { $($called:ident $called_pfn:ident $called_name:literal)* }
    ) => {
        $(#[$attribute])*
        pub(super) struct $table {
            $(pub(super) $field: Option<vk::$pfn>,)*
            $(pub(super) $called: Option<vk::$called_pfn>,)*
        }

        static $list: &[Command<$table>] = &[$(Command {
            name: $name,
            // SAFETY: all function pointers have one size; the loader calls it by its name's type,
            // which the coercion to that type checks here.
            ours: unsafe {
                std::mem::transmute::<vk::$pfn, VoidFunction>($chapter::$field as vk::$pfn)
            },
            is_below: |table| table.$field.is_some(),
        },)*];

        static $index: Index<$table> =
            Lazy::new(|| $list.iter().map(|command| (command.name, command)).collect());

        impl $table {
            /// Asks the next layer for every function.
            ///
            /// # Safety
            /// C5: `get` is the next layer's `vkGet*ProcAddr` for the new object.
            pub(super) unsafe fn load(get: impl Fn(&CStr) -> vk::PFN_vkVoidFunction) -> $table {
                $table {
                    $($field: get($name).map(|function| {
                        // SAFETY: C5 - the function has the type of its name.
                        unsafe { std::mem::transmute::<VoidFunction, vk::$pfn>(function) }
                    }),)*
                    $($called: get($called_name).map(|function| {
                        // SAFETY: C5 - the function has the type of its name.
                        unsafe { std::mem::transmute::<VoidFunction, vk::$called_pfn>(function) }
                    }),)*
                }
            }

            /// Returns the intercepted command of this name.
            pub(super) fn command(name: &CStr) -> Option<&'static Command<$table>> {
                $index.get(name).copied()
            }
        }
    };
}

table! {
    /// The next layer's instance functions that the layer calls.
    struct InstanceTable, INSTANCE_COMMANDS, INSTANCE_INDEX;
    intercepted {
        instance create_debug_report_callback_ext PFN_vkCreateDebugReportCallbackEXT c"vkCreateDebugReportCallbackEXT"
        instance create_debug_utils_messenger_ext PFN_vkCreateDebugUtilsMessengerEXT c"vkCreateDebugUtilsMessengerEXT"
        instance create_device PFN_vkCreateDevice c"vkCreateDevice"
        instance debug_report_message_ext PFN_vkDebugReportMessageEXT c"vkDebugReportMessageEXT"
        instance destroy_debug_report_callback_ext PFN_vkDestroyDebugReportCallbackEXT c"vkDestroyDebugReportCallbackEXT"
        instance destroy_debug_utils_messenger_ext PFN_vkDestroyDebugUtilsMessengerEXT c"vkDestroyDebugUtilsMessengerEXT"
        instance destroy_instance PFN_vkDestroyInstance c"vkDestroyInstance"
        instance enumerate_device_extension_properties PFN_vkEnumerateDeviceExtensionProperties c"vkEnumerateDeviceExtensionProperties"
        instance enumerate_device_layer_properties PFN_vkEnumerateDeviceLayerProperties c"vkEnumerateDeviceLayerProperties"
        instance get_physical_device_tool_properties PFN_vkGetPhysicalDeviceToolProperties c"vkGetPhysicalDeviceToolProperties"
        instance get_physical_device_tool_properties_ext PFN_vkGetPhysicalDeviceToolProperties c"vkGetPhysicalDeviceToolPropertiesEXT"
        instance submit_debug_utils_message_ext PFN_vkSubmitDebugUtilsMessageEXT c"vkSubmitDebugUtilsMessageEXT"
    }
    called {
        get_physical_device_memory_properties PFN_vkGetPhysicalDeviceMemoryProperties c"vkGetPhysicalDeviceMemoryProperties"
        get_physical_device_properties PFN_vkGetPhysicalDeviceProperties c"vkGetPhysicalDeviceProperties"
        get_physical_device_queue_family_properties PFN_vkGetPhysicalDeviceQueueFamilyProperties c"vkGetPhysicalDeviceQueueFamilyProperties"
    }
}

table! {
    /// The next layer's device functions that the layer calls.
    struct DeviceTable, DEVICE_COMMANDS, DEVICE_INDEX;
    intercepted {
        command_buffer allocate_command_buffers PFN_vkAllocateCommandBuffers c"vkAllocateCommandBuffers"
        command_buffer begin_command_buffer PFN_vkBeginCommandBuffer c"vkBeginCommandBuffer"
        command_buffer create_command_pool PFN_vkCreateCommandPool c"vkCreateCommandPool"
        command_buffer destroy_command_pool PFN_vkDestroyCommandPool c"vkDestroyCommandPool"
        command_buffer end_command_buffer PFN_vkEndCommandBuffer c"vkEndCommandBuffer"
        command_buffer free_command_buffers PFN_vkFreeCommandBuffers c"vkFreeCommandBuffers"
        command_buffer reset_command_buffer PFN_vkResetCommandBuffer c"vkResetCommandBuffer"
        command_buffer reset_command_pool PFN_vkResetCommandPool c"vkResetCommandPool"
        device destroy_device PFN_vkDestroyDevice c"vkDestroyDevice"
        device device_wait_idle PFN_vkDeviceWaitIdle c"vkDeviceWaitIdle"
        label cmd_begin_debug_utils_label_ext PFN_vkCmdBeginDebugUtilsLabelEXT c"vkCmdBeginDebugUtilsLabelEXT"
        label cmd_debug_marker_begin_ext PFN_vkCmdDebugMarkerBeginEXT c"vkCmdDebugMarkerBeginEXT"
        label cmd_debug_marker_end_ext PFN_vkCmdDebugMarkerEndEXT c"vkCmdDebugMarkerEndEXT"
        label cmd_debug_marker_insert_ext PFN_vkCmdDebugMarkerInsertEXT c"vkCmdDebugMarkerInsertEXT"
        label cmd_end_debug_utils_label_ext PFN_vkCmdEndDebugUtilsLabelEXT c"vkCmdEndDebugUtilsLabelEXT"
        label cmd_insert_debug_utils_label_ext PFN_vkCmdInsertDebugUtilsLabelEXT c"vkCmdInsertDebugUtilsLabelEXT"
        label debug_marker_set_object_name_ext PFN_vkDebugMarkerSetObjectNameEXT c"vkDebugMarkerSetObjectNameEXT"
        label debug_marker_set_object_tag_ext PFN_vkDebugMarkerSetObjectTagEXT c"vkDebugMarkerSetObjectTagEXT"
        label queue_begin_debug_utils_label_ext PFN_vkQueueBeginDebugUtilsLabelEXT c"vkQueueBeginDebugUtilsLabelEXT"
        label queue_end_debug_utils_label_ext PFN_vkQueueEndDebugUtilsLabelEXT c"vkQueueEndDebugUtilsLabelEXT"
        label queue_insert_debug_utils_label_ext PFN_vkQueueInsertDebugUtilsLabelEXT c"vkQueueInsertDebugUtilsLabelEXT"
        label set_debug_utils_object_name_ext PFN_vkSetDebugUtilsObjectNameEXT c"vkSetDebugUtilsObjectNameEXT"
        label set_debug_utils_object_tag_ext PFN_vkSetDebugUtilsObjectTagEXT c"vkSetDebugUtilsObjectTagEXT"
    }
    called {
        get_image_memory_requirements PFN_vkGetImageMemoryRequirements c"vkGetImageMemoryRequirements"
    }
}
