//! What the driver says about a physical device, asked once when a device is created.

use super::registry::Instance;
use ash::vk;

/// A physical device as the model needs it.
pub(crate) struct PhysicalInfo {
    pub(crate) handle: vk::PhysicalDevice,
    pub(crate) properties: vk::PhysicalDeviceProperties,
    pub(crate) memory: vk::PhysicalDeviceMemoryProperties,
    pub(crate) queue_families: Vec<vk::QueueFamilyProperties>,
}

/// Asks the next layer.
///
/// # Safety
/// C3, C5: a live physical device of `instance`.
pub(super) unsafe fn read(
    instance: &Instance,
    physical_device: vk::PhysicalDevice,
) -> PhysicalInfo {
    let mut info = PhysicalInfo {
        handle: physical_device,
        properties: vk::PhysicalDeviceProperties::default(),
        memory: vk::PhysicalDeviceMemoryProperties::default(),
        queue_families: Vec::new(),
    };
    if let Some(get) = instance.table.get_physical_device_properties {
        // SAFETY: C5, C7 - the structure is the layer's own.
        unsafe { get(physical_device, &mut info.properties) };
    }
    if let Some(get) = instance.table.get_physical_device_memory_properties {
        // SAFETY: C5, C7 - the structure is the layer's own.
        unsafe { get(physical_device, &mut info.memory) };
    }
    if let Some(get) = instance.table.get_physical_device_queue_family_properties {
        let mut count = 0;
        // SAFETY: C5 - asks for the count only.
        unsafe { get(physical_device, &mut count, std::ptr::null_mut()) };
        info.queue_families.resize(count as usize, vk::QueueFamilyProperties::default());
        // SAFETY: C5, C7 - the array has that many elements.
        unsafe { get(physical_device, &mut count, info.queue_families.as_mut_ptr()) };
        info.queue_families.truncate(count as usize);
    }
    info
}
