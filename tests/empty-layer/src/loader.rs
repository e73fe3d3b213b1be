//! The loader's structures (`vk_layer.h`), as far as the layer reads them.

use std::ffi::{c_char, c_void};

use ash::vk;

type PhysicalDeviceProc =
    unsafe extern "system" fn(vk::Instance, *const c_char) -> vk::PFN_vkVoidFunction;

/// `VkNegotiateLayerInterface`.
#[repr(C)]
pub struct Negotiate {
    kind: i32,
    next: *mut c_void,
    pub version: u32,
    pub instance_proc: Option<vk::PFN_vkGetInstanceProcAddr>,
    pub device_proc: Option<vk::PFN_vkGetDeviceProcAddr>,
    pub physical_device_proc: *const c_void,
}

/// `VkLayerInstanceLink`.
#[repr(C)]
pub struct InstanceLink {
    pub next: *mut InstanceLink,
    pub instance_proc: vk::PFN_vkGetInstanceProcAddr,
    physical_device_proc: Option<PhysicalDeviceProc>,
}

/// `VkLayerInstanceCreateInfo` with its link.
#[repr(C)]
pub struct InstanceCreateInfo {
    kind: vk::StructureType,
    next: *const c_void,
    function: i32,
    pub link: *mut InstanceLink,
}

/// `VkLayerDeviceLink`.
#[repr(C)]
pub struct DeviceLink {
    pub next: *mut DeviceLink,
    pub instance_proc: vk::PFN_vkGetInstanceProcAddr,
    pub device_proc: vk::PFN_vkGetDeviceProcAddr,
}

/// `VkLayerDeviceCreateInfo` with its link.
#[repr(C)]
pub struct DeviceCreateInfo {
    kind: vk::StructureType,
    next: *const c_void,
    function: i32,
    pub link: *mut DeviceLink,
}

/// What all nodes of the loader begin with.
#[repr(C)]
struct Node {
    kind: vk::StructureType,
    next: *const Node,
    function: i32,
}

/// The node of a create-info's chain that holds the link (`VK_LAYER_LINK_INFO`, 0).
pub fn link<'a, T>(chain: *const c_void, kind: vk::StructureType) -> Option<&'a mut T> {
    let mut current = chain.cast::<Node>();
    // SAFETY: a chain's elements begin with type and next; the loader's have `function` too, which
    // is read from those alone.
    while let Some(node) = unsafe { current.as_ref() } {
        if node.kind == kind && node.function == 0 {
            // SAFETY: the loader's node of this type, in its own writable memory.
            return unsafe { current.cast_mut().cast::<T>().as_mut() };
        }
        current = node.next;
    }
    None
}
