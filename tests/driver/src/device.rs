//! Devices, their queues, and the handles they give out.

use std::ffi::c_char;
use std::sync::atomic::{AtomicU64, Ordering};

use ash::vk::{self, Handle};
use parking_lot::{Condvar, Mutex};
use rustc_hash::FxHashMap;

use crate::config::config;
use crate::entry::{Need, V1_0, V1_1, V1_3, entries, table};
use crate::image::Image;
use crate::instance::{self, Physical};
use crate::memory::Memory;
use crate::queue::Query;
use crate::raw::{self, Out};
use crate::swapchain::Swapchain;
use crate::{Alloc, MAGIC, features, physical_device};

/// A VkDevice. The loader writes its dispatch pointer over the first word.
#[repr(C)]
pub struct Device {
    magic: usize,
    /// Those of the device and of its instance.
    pub extensions: Vec<String>,
    /// By family.
    queues: Vec<Vec<Queue>>,
    pub state: Mutex<State>,
    /// Told when a fence or semaphore is signalled.
    pub signalled: Condvar,
}

/// A VkQueue.
#[repr(C)]
pub struct Queue {
    magic: usize,
    pub device: *const Device,
    flags: vk::DeviceQueueCreateFlags,
}

/// What the device must remember of its objects, by handle.
#[derive(Default)]
pub struct State {
    last: u64,
    free: Vec<u64>,
    pub images: FxHashMap<u64, Image>,
    /// Sizes in bytes.
    pub buffers: FxHashMap<u64, u64>,
    pub memories: FxHashMap<u64, Memory>,
    /// Whether each is signalled.
    pub fences: FxHashMap<u64, bool>,
    pub events: FxHashMap<u64, bool>,
    /// Counter values; binary semaphores stay at 0.
    pub semaphores: FxHashMap<u64, u64>,
    pub queries: FxHashMap<u64, Query>,
    /// The sets of each descriptor pool.
    pub sets: FxHashMap<u64, Vec<u64>>,
    /// The command buffers of each pool, as addresses.
    pub command_buffers: FxHashMap<u64, Vec<u64>>,
    /// Freed ones, kept for reuse.
    pub free_command_buffers: Vec<u64>,
    pub swapchains: FxHashMap<u64, Swapchain>,
    /// By slot and object.
    private: FxHashMap<(u64, u64), u64>,
}

const FIRST: u64 = 0x1000;

/// A handle value that no other object of the process has.
pub fn unique() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(FIRST);
    LAST.fetch_add(0x10, Ordering::Relaxed) + 0x10
}

impl State {
    /// A new handle, as the settings want it.
    pub fn new_handle<H: Handle>(&mut self) -> H {
        if let Some(value) = self.free.pop() {
            return H::from_raw(value);
        }
        if !config().equal_handles {
            return H::from_raw(unique());
        }
        self.last += 0x10;
        H::from_raw(FIRST + self.last)
    }

    /// Takes a handle back.
    pub fn free_handle<H: Handle>(&mut self, handle: H) {
        let value = handle.as_raw();
        if config().reuse_handles && value != 0 {
            self.free.push(value);
        }
    }
}

impl Device {
    pub fn new_handle<H: Handle>(&self) -> H {
        self.state.lock().new_handle()
    }

    pub fn free_handle<H: Handle>(&self, handle: H) {
        self.state.lock().free_handle(handle);
    }
}

fn create(physical: &Physical, info: &vk::DeviceCreateInfo<'_>) -> Result<Box<Device>, vk::Result> {
    let config = config();
    let names = raw::slice(info.pp_enabled_extension_names, info.enabled_extension_count);
    let mut extensions = instance::enabled(names, &config.device_extensions)?;
    if !features::supported(info) {
        return Err(vk::Result::ERROR_FEATURE_NOT_PRESENT);
    }
    extensions.extend_from_slice(&physical.instance_extensions);
    let mut device = Box::new(Device {
        magic: MAGIC,
        extensions,
        queues: Vec::new(),
        state: Mutex::default(),
        signalled: Condvar::new(),
    });
    let address = &raw const *device;
    device.queues = physical_device::queue_families().iter().map(|_| Vec::new()).collect();
    for queues in raw::slice(info.p_queue_create_infos, info.queue_create_info_count) {
        let Some(family) = device.queues.get_mut(queues.queue_family_index as usize) else {
            return Err(vk::Result::ERROR_INITIALIZATION_FAILED);
        };
        let flags = queues.flags;
        family.extend((0..queues.queue_count).map(|_| Queue {
            magic: MAGIC,
            device: address,
            flags,
        }));
    }
    Ok(device)
}

fn queue(device: &Device, flags: vk::DeviceQueueCreateFlags, family: u32, index: u32) -> vk::Queue {
    let queues = device.queues.get(family as usize);
    let mut queues = queues.into_iter().flatten().filter(|q| q.flags == flags);
    let address = queues.nth(index as usize).map_or(0, |q| std::ptr::from_ref(q) as u64);
    vk::Queue::from_raw(address)
}

entries! {
    fn vkCreateDevice(
        physical: &Physical, info: &vk::DeviceCreateInfo<'_>, _alloc: Alloc, out: Out<vk::Device>
    ) -> vk::Result {
        match create(physical, info) {
            Ok(device) => {
                out.set(vk::Device::from_raw(Box::into_raw(device) as u64));
                vk::Result::SUCCESS
            }
            Err(error) => error,
        }
    }

    fn vkDestroyDevice(device: *mut Device, _alloc: Alloc) {
        raw::take(device);
    }

    fn vkEnumerateDeviceExtensionProperties(
        _physical: &Physical, layer: *const c_char, count: &mut u32,
        out: Out<vk::ExtensionProperties>
    ) -> vk::Result {
        instance::list(&config().device_extensions, layer, count, &out)
    }

    fn vkEnumerateDeviceLayerProperties(
        _physical: &Physical, count: &mut u32, _out: Out<vk::LayerProperties>
    ) -> vk::Result {
        *count = 0;
        vk::Result::SUCCESS
    }

    fn vkGetDeviceQueue(device: &Device, family: u32, index: u32, out: Out<vk::Queue>) {
        out.set(queue(device, vk::DeviceQueueCreateFlags::empty(), family, index));
    }

    fn vkGetDeviceQueue2(device: &Device, info: &vk::DeviceQueueInfo2<'_>, out: Out<vk::Queue>) {
        out.set(queue(device, info.flags, info.queue_family_index, info.queue_index));
    }

    fn vkGetDeviceGroupPeerMemoryFeatures | vkGetDeviceGroupPeerMemoryFeaturesKHR(
        _device: &Device, _heap: u32, _local: u32, _remote: u32,
        out: Out<vk::PeerMemoryFeatureFlags>
    ) {
        out.set(vk::PeerMemoryFeatureFlags::from_raw(0xf));
    }

    fn vkSetPrivateData | vkSetPrivateDataEXT(
        device: &Device, _kind: vk::ObjectType, object: u64, slot: vk::PrivateDataSlot, data: u64
    ) -> vk::Result {
        device.state.lock().private.insert((slot.as_raw(), object), data);
        vk::Result::SUCCESS
    }

    fn vkGetPrivateData | vkGetPrivateDataEXT(
        device: &Device, _kind: vk::ObjectType, object: u64, slot: vk::PrivateDataSlot,
        out: Out<u64>
    ) {
        let state = device.state.lock();
        out.set(state.private.get(&(slot.as_raw(), object)).copied().unwrap_or(0));
    }

    fn vkCreatePrivateDataSlot | vkCreatePrivateDataSlotEXT(
        device: &Device, _info: &vk::PrivateDataSlotCreateInfo<'_>, _alloc: Alloc,
        out: Out<vk::PrivateDataSlot>
    ) -> vk::Result {
        out.set(device.new_handle());
        vk::Result::SUCCESS
    }

    fn vkDestroyPrivateDataSlot | vkDestroyPrivateDataSlotEXT(
        device: &Device, slot: vk::PrivateDataSlot, _alloc: Alloc
    ) {
        let mut state = device.state.lock();
        state.private.retain(|(of, _), _| *of != slot.as_raw());
        state.free_handle(slot);
    }
}

table! {
    Physical(V1_0) {
        vkCreateDevice vkEnumerateDeviceExtensionProperties vkEnumerateDeviceLayerProperties
    }
    Device(V1_0) { vkDestroyDevice vkGetDeviceQueue }
    Device(V1_1) { vkGetDeviceQueue2 vkGetDeviceGroupPeerMemoryFeatures }
    Device(Need::Extension("VK_KHR_device_group")) { vkGetDeviceGroupPeerMemoryFeaturesKHR }
    Device(V1_3) {
        vkSetPrivateData vkGetPrivateData vkCreatePrivateDataSlot vkDestroyPrivateDataSlot
    }
    Device(Need::Extension("VK_EXT_private_data")) {
        vkSetPrivateDataEXT vkGetPrivateDataEXT vkCreatePrivateDataSlotEXT
        vkDestroyPrivateDataSlotEXT
    }
}
