//! Memory: allocation, binding and mapping.

use crate::capture::BoundImage;
use crate::ffi::hooks::{create_hooks, destroy_hooks, device_hooks};
use crate::ffi::read::{View, Views};
use crate::ffi::registry::Device;
use ash::vk::{self, Handle};
use std::ffi::c_void;
use tilelint::call::HostVerb;

create_hooks! {
    allocate_memory(vk::MemoryAllocateInfo<'_>, vk::DeviceMemory) => memory;
}

destroy_hooks! {
    free_memory(vk::DeviceMemory) |dev, key| { dev.capture.free_memory(key); }
}

device_hooks! {
    after [bind_buffer_memory](
        device: vk::Device,
        buffer: vk::Buffer,
        memory: vk::DeviceMemory,
        memory_offset: vk::DeviceSize
    ) (dev, result) {
        dev.capture.bind_buffer(buffer, memory, memory_offset);
    }
    after [bind_buffer_memory2 bind_buffer_memory2_khr](
        device: vk::Device,
        bind_info_count: u32,
        bind_infos: *const vk::BindBufferMemoryInfo<'_>
    ) (dev, result) {
        // SAFETY: C2 - as many as it says.
        let infos = unsafe { Views::new(bind_infos, bind_info_count) };
        for info in infos.iter() {
            dev.capture.bind_buffer(info.buffer, info.memory, info.memory_offset);
        }
    }
    before [invalidate_mapped_memory_ranges](
        device: vk::Device,
        memory_range_count: u32,
        memory_ranges: *const vk::MappedMemoryRange<'_>
    ) (dev) {
        // SAFETY: C2 - as many as it says.
        let ranges = unsafe { Views::new(memory_ranges, memory_range_count) };
        for range in ranges.iter() {
            // What the device wrote is about to be read through the mapping.
            dev.capture.map(range.memory, HostVerb::Read);
        }
    }
    after [bind_image_memory](
        device: vk::Device,
        image: vk::Image,
        memory: vk::DeviceMemory,
        memory_offset: vk::DeviceSize
    ) (dev, result) {
        bind(dev, image, memory, memory_offset);
    }
    after [bind_image_memory2 bind_image_memory2_khr](
        device: vk::Device,
        bind_info_count: u32,
        bind_infos: *const vk::BindImageMemoryInfo<'_>
    ) (dev, result) {
        // SAFETY: C2 - as many as it says.
        let infos = unsafe { Views::new(bind_infos, bind_info_count) };
        for info in infos.iter() {
            // Bound to a swapchain's memory instead where a NULL is given.
            if !info.memory.is_null() {
                bind(dev, info.image, info.memory, info.memory_offset);
            }
        }
    }
    after_void [get_device_memory_commitment](
        device: vk::Device,
        memory: vk::DeviceMemory,
        committed: *mut vk::DeviceSize
    ) (dev) {
        // SAFETY: C7 - the size was written.
        dev.capture.commitment(memory, unsafe { *committed });
    }
    after [map_memory](
        device: vk::Device,
        memory: vk::DeviceMemory,
        offset: vk::DeviceSize,
        size: vk::DeviceSize,
        flags: vk::MemoryMapFlags,
        data: *mut *mut c_void
    ) (dev, result) {
        dev.capture.map(memory, HostVerb::Map);
    }
    after [map_memory2 map_memory2_khr](
        device: vk::Device,
        map_info: *const vk::MemoryMapInfoKHR<'_>,
        data: *mut *mut c_void
    ) (dev, result) {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(map_info) } {
            dev.capture.map(info.memory, HostVerb::Map);
        }
    }
    before_void [unmap_memory](device: vk::Device, memory: vk::DeviceMemory) (dev) {
        dev.capture.map(memory, HostVerb::Unmap);
    }
    before [unmap_memory2 unmap_memory2_khr](
        device: vk::Device,
        unmap_info: *const vk::MemoryUnmapInfoKHR<'_>
    ) (dev) {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(unmap_info) } {
            dev.capture.map(info.memory, HostVerb::Unmap);
        }
    }
}

// Copies by the host: `VK_EXT_host_image_copy` and Vulkan 1.4.
device_hooks! {
    before [copy_memory_to_image copy_memory_to_image_ext](
        device: vk::Device,
        copy_info: *const vk::CopyMemoryToImageInfoEXT<'_>
    ) (dev) {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(copy_info) } {
            dev.capture.host_access(info.dst_image, HostVerb::Write);
        }
    }
    before [copy_image_to_memory copy_image_to_memory_ext](
        device: vk::Device,
        copy_info: *const vk::CopyImageToMemoryInfoEXT<'_>
    ) (dev) {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(copy_info) } {
            dev.capture.host_access(info.src_image, HostVerb::Read);
        }
    }
    before [copy_image_to_image copy_image_to_image_ext](
        device: vk::Device,
        copy_info: *const vk::CopyImageToImageInfoEXT<'_>
    ) (dev) {
        // SAFETY: C2 - the info is valid.
        if let Some(info) = unsafe { View::new(copy_info) } {
            dev.capture.host_access(info.src_image, HostVerb::Read);
            dev.capture.host_access(info.dst_image, HostVerb::Write);
        }
    }
}

/// Asks the driver now and then what it committed of lazily allocated memory.
pub(super) fn ask_commitments(device: &Device) {
    let Some(get) = device.table.get_device_memory_commitment else { return };
    device.capture.ask_commitments(|memory| {
        let mut bytes = 0;
        // SAFETY: C5, C7 - of a lazily allocated type, and not freed meanwhile.
        unsafe { get(device.handle, memory, &mut bytes) };
        bytes
    });
}

/// Tells the model what the driver asks for an image that was bound.
fn bind(device: &Device, image: vk::Image, memory: vk::DeviceMemory, offset: u64) {
    let mut requirements = vk::MemoryRequirements::default();
    if let Some(get) = device.table.get_image_memory_requirements {
        // SAFETY: C5, C7 - the image lives and the structure is the layer's own.
        unsafe { get(device.handle, image, &mut requirements) };
    }
    device.capture.bind_image(&BoundImage { image, memory, offset, requirements });
}
