//! The instances and devices that exist, found by the dispatch pointer of any of their handles.
//!
//! The locks are held for the look-up only, never across a call down or a callback.

use super::abi::PfnGetPhysicalDeviceProcAddr;
use super::debug::Debug;
use super::table::{DeviceTable, InstanceTable};
use crate::api_time;
use crate::capture::DeviceCapture;
use crate::handles::Handles;
use ash::vk::{self, Handle};
use once_cell::sync::Lazy;
use parking_lot::{Mutex, RwLock};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// An instance and the functions of the next layer.
pub(super) struct Instance {
    pub(super) handle: vk::Instance,
    pub(super) get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    pub(super) get_physical_device_proc_addr: Option<PfnGetPhysicalDeviceProcAddr>,
    pub(super) table: InstanceTable,
    pub(super) debug: Debug,
    pub(super) settings: crate::settings::InstanceSettings,
}

/// A device, the functions of the next layer, and what the capture keeps for it.
pub(super) struct Device {
    pub(super) handle: vk::Device,
    pub(super) physical: vk::PhysicalDevice,
    pub(super) instance: Arc<Instance>,
    pub(super) get_device_proc_addr: vk::PFN_vkGetDeviceProcAddr,
    pub(super) table: DeviceTable,
    /// Whether `VK_EXT_debug_marker` was enabled, which the layer implements itself.
    pub(super) debug_marker: bool,
    /// The command buffers of each pool, which a reset or the end of the pool concerns.
    pub(super) pools: Mutex<FxHashMap<vk::CommandPool, Handles>>,
    pub(super) capture: DeviceCapture,
    linting: AtomicBool,
    /// It is linted, and its calls are not timed.
    quick: AtomicBool,
}

impl Device {
    pub(super) fn new(
        handle: vk::Device,
        physical: vk::PhysicalDevice,
        instance: Arc<Instance>,
        get_device_proc_addr: vk::PFN_vkGetDeviceProcAddr,
        table: DeviceTable,
        debug_marker: bool,
        capture: DeviceCapture,
    ) -> Device {
        Device {
            handle,
            physical,
            instance,
            get_device_proc_addr,
            table,
            debug_marker,
            pools: Mutex::default(),
            capture,
            linting: AtomicBool::new(true),
            quick: AtomicBool::new(!api_time::is_on()),
        }
    }

    /// Returns whether the layer still looks at this device's calls.
    #[inline]
    pub(super) fn is_linting(&self) -> bool {
        self.linting.load(Ordering::Relaxed)
    }

    /// Returns whether its calls are looked at, and nothing else is done about them.
    #[inline]
    pub(super) fn is_quick(&self) -> bool {
        self.quick.load(Ordering::Relaxed)
    }

    /// Turns linting off; returns whether it was on.
    pub(super) fn silence(&self) -> bool {
        self.capture.silence();
        self.quick.store(false, Ordering::Relaxed);
        self.linting.swap(false, Ordering::Relaxed)
    }
}

type Registry<T> = Lazy<RwLock<FxHashMap<usize, Arc<T>>>>;

static INSTANCES: Registry<Instance> = Lazy::new(RwLock::default);
static DEVICES: Registry<Device> = Lazy::new(RwLock::default);

/// Returns the dispatch pointer of a handle, or `None` for NULL.
///
/// # Safety
/// C3: `handle` is NULL or a live dispatchable handle.
pub(super) unsafe fn key<H: Handle>(handle: H) -> Option<usize> {
    let pointer = handle.as_raw() as *const usize;
    // SAFETY: the caller's promise.
    unsafe { pointer.as_ref() }.copied()
}

/// Returns the instance that an instance or physical device belongs to.
///
/// # Safety
/// C3: `handle` is NULL or a live dispatchable handle.
pub(super) unsafe fn instance_of<H: Handle>(handle: H) -> Option<Arc<Instance>> {
    // SAFETY: the caller's promise.
    let key = unsafe { key(handle) }?;
    INSTANCES.read().get(&key).cloned()
}

/// Returns the device that a device, queue or command buffer belongs to.
///
/// # Safety
/// C3: `handle` is NULL or a live dispatchable handle.
pub(super) unsafe fn device_of<H: Handle>(handle: H) -> Option<Arc<Device>> {
    // SAFETY: the caller's promise.
    let key = unsafe { key(handle) }?;
    DEVICES.read().get(&key).cloned()
}

/// Adds an instance under its dispatch pointer.
pub(super) fn add_instance(key: usize, instance: Arc<Instance>) {
    INSTANCES.write().insert(key, instance);
}

/// Removes and returns an instance.
pub(super) fn remove_instance(key: usize) -> Option<Arc<Instance>> {
    INSTANCES.write().remove(&key)
}

/// Adds a device under its dispatch pointer.
pub(super) fn add_device(key: usize, device: Arc<Device>) {
    DEVICES.write().insert(key, device);
}

/// Removes and returns a device.
pub(super) fn remove_device(key: usize) -> Option<Arc<Device>> {
    DEVICES.write().remove(&key)
}
