//! The loader's side of the line: the structures of `vk_layer.h`, written by hand.
//!
//! ash has none of them. Sizes and offsets are asserted below for 64-bit targets; the loader fills
//! these structures, so a wrong offset would read a wrong pointer.

use ash::vk;
use std::ffi::{c_char, c_void};

/// The interface version this layer speaks.
pub(super) const LOADER_LAYER_INTERFACE_VERSION: u32 = 2;

/// `LAYER_NEGOTIATE_INTERFACE_STRUCT`.
pub(super) const LAYER_NEGOTIATE_INTERFACE_STRUCT: i32 = 1;

/// `VK_LAYER_LINK_INFO`: the node that holds the next layer's functions.
pub(super) const LAYER_LINK_INFO: i32 = 0;

/// `PFN_GetPhysicalDeviceProcAddr`.
pub(super) type PfnGetPhysicalDeviceProcAddr =
    unsafe extern "system" fn(vk::Instance, *const c_char) -> vk::PFN_vkVoidFunction;

/// `VkNegotiateLayerInterface`.
#[repr(C)]
pub(super) struct NegotiateLayerInterface {
    pub(super) s_type: i32,
    pub(super) p_next: *mut c_void,
    pub(super) loader_layer_interface_version: u32,
    pub(super) pfn_get_instance_proc_addr: Option<vk::PFN_vkGetInstanceProcAddr>,
    pub(super) pfn_get_device_proc_addr: Option<vk::PFN_vkGetDeviceProcAddr>,
    pub(super) pfn_get_physical_device_proc_addr: Option<PfnGetPhysicalDeviceProcAddr>,
}

/// `VkLayerInstanceLink`: one layer's place in the instance chain.
#[repr(C)]
pub(super) struct LayerInstanceLink {
    pub(super) p_next: *mut LayerInstanceLink,
    pub(super) pfn_next_get_instance_proc_addr: Option<vk::PFN_vkGetInstanceProcAddr>,
    pub(super) pfn_next_get_physical_device_proc_addr: Option<PfnGetPhysicalDeviceProcAddr>,
}

/// `VkLayerInstanceCreateInfo`. Its union is as large as two pointers; this layer only reads the
/// link, which is the first pointer when `function` says [`LAYER_LINK_INFO`].
#[repr(C)]
pub(super) struct LayerInstanceCreateInfo {
    pub(super) s_type: vk::StructureType,
    pub(super) p_next: *const c_void,
    pub(super) function: i32,
    pub(super) p_layer_info: *mut LayerInstanceLink,
    pub(super) second_word_of_union: *mut c_void,
}

/// `VkLayerDeviceLink`: one layer's place in the device chain.
#[repr(C)]
pub(super) struct LayerDeviceLink {
    pub(super) p_next: *mut LayerDeviceLink,
    pub(super) pfn_next_get_instance_proc_addr: Option<vk::PFN_vkGetInstanceProcAddr>,
    pub(super) pfn_next_get_device_proc_addr: Option<vk::PFN_vkGetDeviceProcAddr>,
}

/// `VkLayerDeviceCreateInfo`, with the same reading of its union.
#[repr(C)]
pub(super) struct LayerDeviceCreateInfo {
    pub(super) s_type: vk::StructureType,
    pub(super) p_next: *const c_void,
    pub(super) function: i32,
    pub(super) p_layer_info: *mut LayerDeviceLink,
}

#[cfg(target_pointer_width = "64")]
mod layout {
    use super::{
        LayerDeviceCreateInfo, LayerDeviceLink, LayerInstanceCreateInfo, LayerInstanceLink,
        NegotiateLayerInterface,
    };
    use std::mem::{offset_of, size_of};

    const _: () = {
        assert!(size_of::<NegotiateLayerInterface>() == 48);
        assert!(offset_of!(NegotiateLayerInterface, p_next) == 8);
        assert!(offset_of!(NegotiateLayerInterface, loader_layer_interface_version) == 16);
        assert!(offset_of!(NegotiateLayerInterface, pfn_get_instance_proc_addr) == 24);
        assert!(offset_of!(NegotiateLayerInterface, pfn_get_device_proc_addr) == 32);
        assert!(offset_of!(NegotiateLayerInterface, pfn_get_physical_device_proc_addr) == 40);

        assert!(size_of::<LayerInstanceLink>() == 24);
        assert!(offset_of!(LayerInstanceLink, pfn_next_get_instance_proc_addr) == 8);
        assert!(offset_of!(LayerInstanceLink, pfn_next_get_physical_device_proc_addr) == 16);

        assert!(size_of::<LayerInstanceCreateInfo>() == 40);
        assert!(offset_of!(LayerInstanceCreateInfo, p_next) == 8);
        assert!(offset_of!(LayerInstanceCreateInfo, function) == 16);
        assert!(offset_of!(LayerInstanceCreateInfo, p_layer_info) == 24);

        assert!(size_of::<LayerDeviceLink>() == 24);
        assert!(offset_of!(LayerDeviceLink, pfn_next_get_instance_proc_addr) == 8);
        assert!(offset_of!(LayerDeviceLink, pfn_next_get_device_proc_addr) == 16);

        assert!(size_of::<LayerDeviceCreateInfo>() == 32);
        assert!(offset_of!(LayerDeviceCreateInfo, p_next) == 8);
        assert!(offset_of!(LayerDeviceCreateInfo, function) == 16);
        assert!(offset_of!(LayerDeviceCreateInfo, p_layer_info) == 24);
    };
}
