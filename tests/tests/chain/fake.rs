//! A next layer made by hand: it answers for the driver, notes every call, and fails when told to.
//!
//! The dispatch pointer at the start of its handles leads to the [`Below`] that made them, as a
//! loader's leads to its tables.

use ash::vk;
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_void};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is below the layer in one instance or device.
#[derive(Default)]
pub struct Below {
    calls: Mutex<Vec<String>>,
    failures: Mutex<HashMap<String, vk::Result>>,
    missing: Mutex<Vec<String>>,
    next_handle: AtomicU64,
    /// Handles that the next command buffers shall have, last first.
    pub buffers: Mutex<Vec<u64>>,
}

/// Memory behind a dispatchable handle.
#[repr(C)]
struct Object {
    dispatch: *const Below,
}

impl Below {
    /// Makes one that lives as long as the test process.
    pub fn leak() -> &'static Below {
        Box::leak(Box::default())
    }

    /// Makes a dispatchable handle.
    pub fn handle(&'static self) -> u64 {
        Box::leak(Box::new(Object { dispatch: self })) as *mut Object as u64
    }

    /// Points a dispatchable handle here, as a driver does that uses memory again.
    pub fn adopt(&'static self, handle: u64) {
        let object = handle as *mut Object;
        // SAFETY: handles of this module point to leaked objects.
        unsafe { (*object).dispatch = self };
    }

    /// Makes the calls of this name fail.
    pub fn fail(&self, name: &str, result: vk::Result) {
        self.failures.lock().unwrap().insert(name.to_owned(), result);
    }

    /// Takes a function away.
    pub fn lack(&self, name: &str) {
        self.missing.lock().unwrap().push(name.to_owned());
    }

    /// Takes the calls noted so far.
    pub fn take_calls(&self) -> Vec<String> {
        std::mem::take(&mut *self.calls.lock().unwrap())
    }

    /// Counts the calls of this name, without taking them.
    pub fn count(&self, name: &str) -> usize {
        self.calls.lock().unwrap().iter().filter(|call| *call == name).count()
    }

    /// Notes a call that returns nothing.
    fn noted(&self, name: &str) {
        self.calls.lock().unwrap().push(name.to_owned());
    }

    /// Notes a call and returns its result.
    fn note(&self, name: &str) -> vk::Result {
        self.calls.lock().unwrap().push(name.to_owned());
        self.failures.lock().unwrap().get(name).copied().unwrap_or(vk::Result::SUCCESS)
    }

    fn has(&self, name: &str) -> bool {
        !self.missing.lock().unwrap().iter().any(|missing| missing == name)
    }
}

/// Finds who made a handle.
fn below(handle: u64) -> &'static Below {
    let object = handle as *const Object;
    // SAFETY: handles of this module point to leaked objects.
    let dispatch = unsafe { (*object).dispatch };
    // SAFETY: a dispatch pointer is that of a leaked `Below`.
    unsafe { &*dispatch }
}

/// The one that answers `vkCreateInstance` and `vkCreateDevice`, which have no handle yet.
static NEXT: Mutex<Option<&'static Below>> = Mutex::new(None);

/// Says who answers the next creation.
pub fn creates(next: &'static Below) {
    *NEXT.lock().unwrap() = Some(next);
}

type Void = unsafe extern "system" fn();

macro_rules! functions {
    ($($name:literal $pfn:ident |$first:ident: $ty:ty $(, $arg:ident: $arg_ty:ty)*| -> $ret:ty
        $body:block)*) => {
        /// Returns the function of this name.
        fn function(name: &str) -> Option<Void> {
            match name {
                $($name => {
                    unsafe extern "system" fn call($first: $ty $(, $arg: $arg_ty)*) -> $ret $body
                    let typed: vk::$pfn = call;
                    // SAFETY: all function pointers have one size.
                    Some(unsafe { std::mem::transmute::<vk::$pfn, Void>(typed) })
                })*
                _ => None,
            }
        }
    };
}

fn raw<H: vk::Handle>(handle: H) -> u64 {
    handle.as_raw()
}

/// Notes a call and writes a new handle, unless it shall fail.
///
/// # Safety
/// `out` is valid for writes.
unsafe fn create<H: vk::Handle>(from: u64, name: &str, out: *mut H) -> vk::Result {
    let below = below(from);
    let result = below.note(name);
    if result == vk::Result::SUCCESS {
        let value = below.next_handle.fetch_add(1, Ordering::Relaxed) + 1;
        // SAFETY: the caller's promise.
        unsafe { out.write(H::from_raw(value)) };
    }
    result
}

functions! {
    "vkCreateInstance" PFN_vkCreateInstance |info: *const vk::InstanceCreateInfo<'_>,
        alloc: *const vk::AllocationCallbacks<'_>, out: *mut vk::Instance| -> vk::Result {
        let _ = (info, alloc);
        let below = NEXT.lock().unwrap().expect("the test says who creates");
        let result = below.note("vkCreateInstance");
        if result == vk::Result::SUCCESS {
            // SAFETY: the layer passes the application's pointer.
            unsafe { out.write(vk::Handle::from_raw(below.handle())) };
        }
        result
    }
    "vkDestroyInstance" PFN_vkDestroyInstance |instance: vk::Instance,
        alloc: *const vk::AllocationCallbacks<'_>| -> () {
        let _ = alloc;
        below(raw(instance)).noted("vkDestroyInstance");
    }
    "vkCreateDevice" PFN_vkCreateDevice |physical: vk::PhysicalDevice,
        info: *const vk::DeviceCreateInfo<'_>, alloc: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::Device| -> vk::Result {
        let _ = (physical, info, alloc);
        let below = NEXT.lock().unwrap().expect("the test says who creates");
        let result = below.note("vkCreateDevice");
        if result == vk::Result::SUCCESS {
            // SAFETY: the layer passes the application's pointer.
            unsafe { out.write(vk::Handle::from_raw(below.handle())) };
        }
        result
    }
    "vkDestroyDevice" PFN_vkDestroyDevice |device: vk::Device,
        alloc: *const vk::AllocationCallbacks<'_>| -> () {
        let _ = alloc;
        below(raw(device)).noted("vkDestroyDevice");
    }
    "vkGetPhysicalDeviceProperties" PFN_vkGetPhysicalDeviceProperties |physical:
        vk::PhysicalDevice, out: *mut vk::PhysicalDeviceProperties| -> () {
        let _ = (physical, out);
    }
    "vkEnumerateDeviceExtensionProperties" PFN_vkEnumerateDeviceExtensionProperties |physical:
        vk::PhysicalDevice, layer: *const c_char, count: *mut u32,
        out: *mut vk::ExtensionProperties| -> vk::Result {
        let _ = (layer, out);
        // SAFETY: the layer passes the application's pointer.
        unsafe { *count = 7 };
        below(raw(physical)).note("vkEnumerateDeviceExtensionProperties")
    }
    "vkCreateImage" PFN_vkCreateImage |device: vk::Device, info: *const vk::ImageCreateInfo<'_>,
        alloc: *const vk::AllocationCallbacks<'_>, out: *mut vk::Image| -> vk::Result {
        let _ = (info, alloc);
        // SAFETY: the layer passes the application's pointer.
        unsafe { create(raw(device), "vkCreateImage", out) }
    }
    "vkDestroyImage" PFN_vkDestroyImage |device: vk::Device, image: vk::Image,
        alloc: *const vk::AllocationCallbacks<'_>| -> () {
        let _ = alloc;
        below(raw(device)).noted(&format!("vkDestroyImage {:#x}", raw(image)));
    }
    "vkGetDeviceQueue" PFN_vkGetDeviceQueue |device: vk::Device, family: u32, index: u32,
        out: *mut vk::Queue| -> () {
        let _ = (family, index);
        // SAFETY: the layer passes the application's pointer.
        unsafe { out.write(vk::Handle::from_raw(below(raw(device)).handle())) };
    }
    "vkQueueSubmit" PFN_vkQueueSubmit |queue: vk::Queue, count: u32,
        submits: *const vk::SubmitInfo<'_>, fence: vk::Fence| -> vk::Result {
        let _ = (count, submits, fence);
        below(raw(queue)).note("vkQueueSubmit")
    }
    "vkQueueWaitIdle" PFN_vkQueueWaitIdle |queue: vk::Queue| -> vk::Result {
        below(raw(queue)).note("vkQueueWaitIdle")
    }
    "vkDeviceWaitIdle" PFN_vkDeviceWaitIdle |device: vk::Device| -> vk::Result {
        below(raw(device)).note("vkDeviceWaitIdle")
    }
    "vkCreateCommandPool" PFN_vkCreateCommandPool |device: vk::Device,
        info: *const vk::CommandPoolCreateInfo<'_>, alloc: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::CommandPool| -> vk::Result {
        let _ = (info, alloc);
        // SAFETY: the layer passes the application's pointer.
        unsafe { create(raw(device), "vkCreateCommandPool", out) }
    }
    "vkDestroyCommandPool" PFN_vkDestroyCommandPool |device: vk::Device, pool: vk::CommandPool,
        alloc: *const vk::AllocationCallbacks<'_>| -> () {
        let _ = (pool, alloc);
        below(raw(device)).noted("vkDestroyCommandPool");
    }
    "vkAllocateCommandBuffers" PFN_vkAllocateCommandBuffers |device: vk::Device,
        info: *const vk::CommandBufferAllocateInfo<'_>, out: *mut vk::CommandBuffer|
        -> vk::Result {
        let below = below(raw(device));
        let result = below.note("vkAllocateCommandBuffers");
        if result != vk::Result::SUCCESS {
            return result;
        }
        // SAFETY: the layer passes the application's pointer.
        let count = unsafe { (*info).command_buffer_count };
        for idx in 0..count as usize {
            let reused = below.buffers.lock().unwrap().pop();
            let handle = reused.unwrap_or_else(|| below.handle());
            below.adopt(handle);
            // SAFETY: the application's array has that many elements.
            let out = unsafe { out.add(idx) };
            // SAFETY: as above.
            unsafe { out.write(vk::Handle::from_raw(handle)) };
        }
        result
    }
    "vkFreeCommandBuffers" PFN_vkFreeCommandBuffers |device: vk::Device, pool: vk::CommandPool,
        count: u32, buffers: *const vk::CommandBuffer| -> () {
        let _ = (pool, count, buffers);
        below(raw(device)).noted("vkFreeCommandBuffers");
    }
    "vkBeginCommandBuffer" PFN_vkBeginCommandBuffer |cb: vk::CommandBuffer,
        info: *const vk::CommandBufferBeginInfo<'_>| -> vk::Result {
        let _ = info;
        below(raw(cb)).note("vkBeginCommandBuffer")
    }
    "vkEndCommandBuffer" PFN_vkEndCommandBuffer |cb: vk::CommandBuffer| -> vk::Result {
        below(raw(cb)).note("vkEndCommandBuffer")
    }
    "vkCmdDraw" PFN_vkCmdDraw |cb: vk::CommandBuffer, vertices: u32, instances: u32, first: u32,
        first_instance: u32| -> () {
        let _ = (instances, first, first_instance);
        below(raw(cb)).noted(&format!("vkCmdDraw {vertices}"));
    }
    "vkCmdEndRendering" PFN_vkCmdEndRendering |cb: vk::CommandBuffer| -> () {
        below(raw(cb)).noted("vkCmdEndRendering");
    }
    "vkCmdEndRenderingKHR" PFN_vkCmdEndRendering |cb: vk::CommandBuffer| -> () {
        below(raw(cb)).noted("vkCmdEndRenderingKHR");
    }
    "vkCmdNextSubpass2" PFN_vkCmdNextSubpass2 |cb: vk::CommandBuffer,
        begin: *const vk::SubpassBeginInfo<'_>, end: *const vk::SubpassEndInfo<'_>| -> () {
        let _ = (begin, end);
        below(raw(cb)).noted("vkCmdNextSubpass2");
    }
    "vkCmdNextSubpass2KHR" PFN_vkCmdNextSubpass2 |cb: vk::CommandBuffer,
        begin: *const vk::SubpassBeginInfo<'_>, end: *const vk::SubpassEndInfo<'_>| -> () {
        let _ = (begin, end);
        below(raw(cb)).noted("vkCmdNextSubpass2KHR");
    }
    "vkNotOfThisLayer" PFN_vkDeviceWaitIdle |device: vk::Device| -> vk::Result {
        below(raw(device)).note("vkNotOfThisLayer")
    }
}

/// Returns the name that a `vkGet*ProcAddr` was asked for.
///
/// # Safety
/// `name` is a string.
unsafe fn asked<'a>(name: *const c_char) -> &'a str {
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(name) }.to_str().expect("names are ASCII")
}

/// The next layer's `vkGetInstanceProcAddr`.
pub unsafe extern "system" fn get_instance_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the layer passes a string.
    let name = unsafe { asked(name) };
    if raw(instance) == 0 {
        assert_ne!(name, "vkCreateDevice", "illegal without an instance");
        return (name == "vkCreateInstance").then(|| function(name)).flatten();
    }
    below(raw(instance)).has(name).then(|| function(name)).flatten()
}

/// The next layer's `vkGetDeviceProcAddr`.
pub unsafe extern "system" fn get_device_proc_addr(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the layer passes a string.
    let name = unsafe { asked(name) };
    below(raw(device)).has(name).then(|| function(name)).flatten()
}

/// The nodes that a loader chains to the create-infos, as C has them.
#[repr(C)]
pub struct Link {
    pub next: *mut Link,
    pub get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    pub second: *const c_void,
}

/// `VkLayerInstanceCreateInfo` and `VkLayerDeviceCreateInfo`: their fields in use are the same.
#[repr(C)]
pub struct Node {
    pub s_type: vk::StructureType,
    pub next: *const c_void,
    pub function: i32,
    pub link: *mut Link,
    pub rest: *mut c_void,
}
