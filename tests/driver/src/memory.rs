//! Device memory. Only memory that can be mapped exists.

use std::alloc::Layout;
use std::ffi::{c_int, c_void};
use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};

use ash::vk::{self, Handle};

use crate::Alloc;
use crate::config::config;
use crate::device::Device;
use crate::entry::{Need, V1_0, V1_2, V1_4, entries, table};
use crate::raw::{self, Out};

/// The alignment that mapped pointers have (`minMemoryMapAlignment`).
pub const MAP_ALIGNMENT: usize = 64;

/// A VkDeviceMemory.
pub struct Memory {
    bytes: Option<Bytes>,
}

struct Bytes {
    start: *mut u8,
    layout: Layout,
}

// SAFETY: the bytes belong to this value alone until the application maps them.
unsafe impl Send for Memory {}

impl Bytes {
    fn new(size: u64) -> Option<Self> {
        let size = usize::try_from(size).ok()?.max(1) + MAP_ALIGNMENT;
        // An alignment of 1 leaves zeroing to the system, which does it page by page when touched.
        let layout = Layout::array::<u8>(size).ok()?;
        // SAFETY: the layout is not empty.
        let start = unsafe { std::alloc::alloc_zeroed(layout) };
        (!start.is_null()).then_some(Bytes { start, layout })
    }

    fn aligned(&self) -> *mut u8 {
        self.start.wrapping_add(self.start.align_offset(MAP_ALIGNMENT))
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout in `new`, freed once.
        unsafe { std::alloc::dealloc(self.start, self.layout) }
    }
}

fn allocate(
    device: &Device,
    info: &vk::MemoryAllocateInfo<'_>,
) -> Result<vk::DeviceMemory, vk::Result> {
    let config = config();
    let flags = config.memory_types.get(info.memory_type_index as usize);
    let flags = flags.ok_or(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY)?;
    if info.allocation_size > config.heap_bytes {
        return Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
    }
    if let Some(import) = raw::find::<vk::ImportMemoryFdInfoKHR<'_>>(info.p_next) {
        close(import.fd);
    }
    let bytes = match flags.contains(vk::MemoryPropertyFlags::HOST_VISIBLE) {
        true => Some(Bytes::new(info.allocation_size).ok_or(vk::Result::ERROR_OUT_OF_HOST_MEMORY)?),
        false => None,
    };
    let mut state = device.state.lock();
    let handle: vk::DeviceMemory = state.new_handle();
    state.memories.insert(handle.as_raw(), Memory { bytes });
    Ok(handle)
}

fn map(
    device: &Device,
    memory: vk::DeviceMemory,
    offset: u64,
    out: &Out<*mut c_void>,
) -> vk::Result {
    let state = device.state.lock();
    let bytes = state.memories.get(&memory.as_raw()).and_then(|m| m.bytes.as_ref());
    let Some(bytes) = bytes else { return vk::Result::ERROR_MEMORY_MAP_FAILED };
    out.set(bytes.aligned().wrapping_add(offset as usize).cast());
    vk::Result::SUCCESS
}

/// Closes a descriptor whose ownership an import gave to the driver.
pub fn close(fd: c_int) {
    if fd >= 0 {
        // SAFETY: valid usage gives the descriptor away with the import.
        drop(unsafe { OwnedFd::from_raw_fd(fd) });
    }
}

/// A descriptor that stands for an exported object.
pub fn export(out: &Out<c_int>) -> vk::Result {
    match std::fs::File::open("/dev/null") {
        Ok(file) => {
            out.set(file.into_raw_fd());
            vk::Result::SUCCESS
        }
        Err(_) => vk::Result::ERROR_TOO_MANY_OBJECTS,
    }
}

/// Far apart, so that no two buffers' addresses overlap.
fn address(handle: u64) -> u64 {
    handle << 32
}

entries! {
    fn vkAllocateMemory(
        device: &Device, info: &vk::MemoryAllocateInfo<'_>, _alloc: Alloc,
        out: Out<vk::DeviceMemory>
    ) -> vk::Result {
        match allocate(device, info) {
            Ok(handle) => {
                out.set(handle);
                vk::Result::SUCCESS
            }
            Err(error) => error,
        }
    }

    fn vkFreeMemory(device: &Device, memory: vk::DeviceMemory, _alloc: Alloc) {
        let mut state = device.state.lock();
        state.memories.remove(&memory.as_raw());
        state.free_handle(memory);
    }

    fn vkMapMemory(
        device: &Device, memory: vk::DeviceMemory, offset: u64, _size: u64,
        _flags: vk::MemoryMapFlags, out: Out<*mut c_void>
    ) -> vk::Result {
        map(device, memory, offset, &out)
    }

    fn vkMapMemory2 | vkMapMemory2KHR(
        device: &Device, info: &vk::MemoryMapInfoKHR<'_>, out: Out<*mut c_void>
    ) -> vk::Result {
        map(device, info.memory, info.offset, &out)
    }

    fn vkUnmapMemory2 | vkUnmapMemory2KHR() -> vk::Result { vk::Result::SUCCESS }

    fn vkGetDeviceMemoryCommitment(
        _device: &Device, _memory: vk::DeviceMemory, out: Out<vk::DeviceSize>
    ) {
        out.set(config().committed_bytes);
    }

    fn vkGetDeviceMemoryOpaqueCaptureAddress | vkGetDeviceMemoryOpaqueCaptureAddressKHR(
        _device: &Device, info: &vk::DeviceMemoryOpaqueCaptureAddressInfo<'_>
    ) -> u64 {
        address(info.memory.as_raw())
    }

    fn vkGetBufferDeviceAddress | vkGetBufferDeviceAddressKHR | vkGetBufferDeviceAddressEXT |
        vkGetBufferOpaqueCaptureAddress | vkGetBufferOpaqueCaptureAddressKHR(
        _device: &Device, info: &vk::BufferDeviceAddressInfo<'_>
    ) -> u64 {
        address(info.buffer.as_raw())
    }

    fn vkGetMemoryFdKHR(
        _device: &Device, _info: &vk::MemoryGetFdInfoKHR<'_>, out: Out<c_int>
    ) -> vk::Result {
        export(&out)
    }

    fn vkGetMemoryFdPropertiesKHR(
        _device: &Device, _kind: vk::ExternalMemoryHandleTypeFlags, _fd: c_int,
        out: &mut vk::MemoryFdPropertiesKHR<'_>
    ) -> vk::Result {
        out.memory_type_bits = crate::image::type_bits(|flags| {
            !flags.contains(vk::MemoryPropertyFlags::LAZILY_ALLOCATED)
        });
        vk::Result::SUCCESS
    }
}

table! {
    Device(V1_0) { vkAllocateMemory vkFreeMemory vkMapMemory vkGetDeviceMemoryCommitment }
    Device(V1_2) {
        vkGetDeviceMemoryOpaqueCaptureAddress vkGetBufferDeviceAddress
        vkGetBufferOpaqueCaptureAddress
    }
    Device(Need::Extension("VK_KHR_buffer_device_address")) {
        vkGetDeviceMemoryOpaqueCaptureAddressKHR vkGetBufferDeviceAddressKHR
        vkGetBufferOpaqueCaptureAddressKHR
    }
    Device(Need::Extension("VK_EXT_buffer_device_address")) { vkGetBufferDeviceAddressEXT }
    Device(V1_4) { vkMapMemory2 vkUnmapMemory2 }
    Device(Need::Extension("VK_KHR_map_memory2")) { vkMapMemory2KHR vkUnmapMemory2KHR }
    Device(Need::Extension("VK_KHR_external_memory_fd")) {
        vkGetMemoryFdKHR vkGetMemoryFdPropertiesKHR
    }
}
