//! The layer, opened by hand.

use super::fake::{self, Below, Link, Node};
use ash::vk::{self, Handle};
use std::ffi::{CStr, CString, c_char, c_void};
use std::path::Path;
use std::ptr;
use std::sync::{Mutex, Once};
use tilelint_tests::harness;

/// The opened library.
#[derive(Clone, Copy)]
pub struct Layer {
    library: usize,
}

/// `VkNegotiateLayerInterface`.
#[repr(C)]
pub struct Negotiate {
    pub s_type: i32,
    pub next: *mut c_void,
    pub version: u32,
    pub get_instance_proc_addr: Option<vk::PFN_vkGetInstanceProcAddr>,
    pub get_device_proc_addr: Option<vk::PFN_vkGetDeviceProcAddr>,
    pub get_physical_device_proc_addr: Option<vk::PFN_vkGetInstanceProcAddr>,
}

pub type PfnNegotiate = unsafe extern "system" fn(*mut Negotiate) -> vk::Result;

impl Layer {
    /// Builds and opens it.
    pub fn open() -> Layer {
        Layer::open_file(&harness::build_cdylib(harness::LAYER))
    }

    pub fn open_file(path: &Path) -> Layer {
        static QUIET: Once = Once::new();
        QUIET.call_once(|| {
            for variable in ["TILELINT_REPORT", "TILELINT_RECORDING", "TILELINT_TEXT"] {
                // SAFETY: before the layer is opened, no thread of the test reads variables.
                unsafe { std::env::set_var(variable, "off") };
            }
        });
        let name = CString::new(path.as_os_str().as_encoded_bytes()).expect("no NUL in paths");
        // SAFETY: the layer runs no code when it is opened.
        let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        assert!(!library.is_null(), "{} cannot be opened", path.display());
        Layer { library: library as usize }
    }

    /// Closes it, as Android's loader does between enumerating and using it.
    pub fn close(self) {
        // SAFETY: opened by `open_file`, closed once.
        let result = unsafe { libc::dlclose(self.library as *mut c_void) };
        assert_eq!(result, 0);
    }

    /// Returns an exported function.
    pub fn export<F: Copy>(self, name: &CStr) -> F {
        assert_eq!(size_of::<F>(), size_of::<usize>());
        // SAFETY: the library is open.
        let symbol = unsafe { libc::dlsym(self.library as *mut c_void, name.as_ptr()) };
        assert!(!symbol.is_null(), "{name:?} is not exported");
        // SAFETY: the caller names the type that belongs to the name.
        unsafe { std::mem::transmute_copy(&symbol) }
    }

    /// Returns an instance-level function, or `None`.
    pub fn instance_function<F: Copy>(self, instance: vk::Instance, name: &CStr) -> Option<F> {
        let get: vk::PFN_vkGetInstanceProcAddr = self.export(c"vkGetInstanceProcAddr");
        // SAFETY: the instance is NULL or lives.
        let function = unsafe { get(instance, name.as_ptr()) }?;
        // SAFETY: the caller names the type that belongs to the name.
        Some(unsafe { std::mem::transmute_copy(&function) })
    }

    /// Returns a device-level function, or `None`.
    pub fn device_function<F: Copy>(self, device: vk::Device, name: &CStr) -> Option<F> {
        let get: vk::PFN_vkGetDeviceProcAddr = self.export(c"vkGetDeviceProcAddr");
        // SAFETY: the device is NULL or lives.
        let function = unsafe { get(device, name.as_ptr()) }?;
        // SAFETY: the caller names the type that belongs to the name.
        Some(unsafe { std::mem::transmute_copy(&function) })
    }

    /// `vkCreateInstance` through the layer, with the loader's chain. The data callback stands
    /// before the link, as Android's loader has it.
    pub fn create_instance(
        self,
        below: &'static Below,
        application: Option<&vk::ApplicationInfo<'_>>,
    ) -> Result<vk::Instance, vk::Result> {
        self.create_instance_with(below, application, &[])
    }

    /// The same with instance extensions.
    pub fn create_instance_with(
        self,
        below: &'static Below,
        application: Option<&vk::ApplicationInfo<'_>>,
        extensions: &[*const c_char],
    ) -> Result<vk::Instance, vk::Result> {
        let mut link = link(ptr::null());
        let s_type = vk::StructureType::LOADER_INSTANCE_CREATE_INFO;
        let node = node(s_type, 0, &mut link, ptr::null());
        let callback = node_of(s_type, 1, ptr::null_mut(), (&raw const node).cast());
        let info = vk::InstanceCreateInfo {
            p_next: (&raw const callback).cast(),
            p_application_info: application.map_or(ptr::null(), ptr::from_ref),
            enabled_extension_count: extensions.len() as u32,
            pp_enabled_extension_names: extensions.as_ptr(),
            ..Default::default()
        };
        let create: vk::PFN_vkCreateInstance = self
            .instance_function(vk::Instance::null(), c"vkCreateInstance")
            .expect("needs no instance");
        let _one_at_a_time = CREATING.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        fake::creates(below);
        let mut instance = vk::Instance::null();
        // SAFETY: the chain is valid.
        let result = unsafe { create(&info, ptr::null(), &mut instance) };
        if result != vk::Result::SUCCESS {
            assert!(instance.is_null(), "the layer wrote a handle of a failed call");
            return Err(result);
        }
        assert!(node.link.is_null(), "the layer did not advance the chain");
        Ok(instance)
    }

    /// `vkCreateDevice` through the layer.
    pub fn create_device(
        self,
        instance: vk::Instance,
        below: &'static Below,
    ) -> Result<vk::Device, vk::Result> {
        // A physical device has its instance's dispatch pointer.
        let physical = vk::PhysicalDevice::from_raw(instance.as_raw());
        let mut link = link(fake::get_device_proc_addr as *const c_void);
        let s_type = vk::StructureType::LOADER_DEVICE_CREATE_INFO;
        let node = node(s_type, 0, &mut link, ptr::null());
        let callback = node_of(s_type, 1, ptr::null_mut(), (&raw const node).cast());
        let info =
            vk::DeviceCreateInfo { p_next: (&raw const callback).cast(), ..Default::default() };
        let create: vk::PFN_vkCreateDevice =
            self.instance_function(instance, c"vkCreateDevice").expect("the layer has it");
        let _one_at_a_time = CREATING.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        fake::creates(below);
        let mut device = vk::Device::null();
        // SAFETY: the chain is valid.
        let result = unsafe { create(physical, &info, ptr::null(), &mut device) };
        if result != vk::Result::SUCCESS {
            assert!(device.is_null(), "the layer wrote a handle of a failed call");
            return Err(result);
        }
        assert!(node.link.is_null(), "the layer did not advance the chain");
        Ok(device)
    }

    pub fn destroy_instance(self, instance: vk::Instance) {
        let destroy: vk::PFN_vkDestroyInstance =
            self.instance_function(instance, c"vkDestroyInstance").expect("the layer has it");
        // SAFETY: the instance lives.
        unsafe { destroy(instance, ptr::null()) };
    }

    pub fn destroy_device(self, device: vk::Device) {
        let destroy: vk::PFN_vkDestroyDevice =
            self.device_function(device, c"vkDestroyDevice").expect("the layer has it");
        // SAFETY: the device lives.
        unsafe { destroy(device, ptr::null()) };
    }
}

/// Creations name who answers them in a global, so they are made one at a time.
static CREATING: Mutex<()> = Mutex::new(());

fn link(second: *const c_void) -> Link {
    Link { next: ptr::null_mut(), get_instance_proc_addr: fake::get_instance_proc_addr, second }
}

fn node(s_type: vk::StructureType, function: i32, link: &mut Link, next: *const c_void) -> Node {
    node_of(s_type, function, link, next)
}

fn node_of(s_type: vk::StructureType, function: i32, link: *mut Link, next: *const c_void) -> Node {
    Node { s_type, next, function, link, rest: ptr::null_mut() }
}

/// Reads a fixed string of C.
pub fn text(chars: &[c_char]) -> String {
    chars.iter().take_while(|c| **c != 0).map(|c| *c as u8 as char).collect()
}

/// A device of the layer with what a test of command buffers needs.
pub struct Recording {
    pub layer: Layer,
    pub device: vk::Device,
    pub pool: vk::CommandPool,
}

impl Recording {
    pub fn new(layer: Layer, device: vk::Device) -> Recording {
        let create: vk::PFN_vkCreateCommandPool =
            layer.device_function(device, c"vkCreateCommandPool").expect("the layer has it");
        let mut pool = vk::CommandPool::null();
        let info = vk::CommandPoolCreateInfo::default();
        // SAFETY: the device lives.
        let result = unsafe { create(device, &info, ptr::null(), &mut pool) };
        assert_eq!(result, vk::Result::SUCCESS);
        Recording { layer, device, pool }
    }

    pub fn allocate(&self) -> Result<vk::CommandBuffer, vk::Result> {
        let allocate: vk::PFN_vkAllocateCommandBuffers = self
            .layer
            .device_function(self.device, c"vkAllocateCommandBuffers")
            .expect("the layer has it");
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .command_buffer_count(1);
        let mut buffer = vk::CommandBuffer::null();
        // SAFETY: the device and the pool live.
        let result = unsafe { allocate(self.device, &info, &mut buffer) };
        if result == vk::Result::SUCCESS { Ok(buffer) } else { Err(result) }
    }

    pub fn free(&self, buffers: &[vk::CommandBuffer]) {
        let free: vk::PFN_vkFreeCommandBuffers = self
            .layer
            .device_function(self.device, c"vkFreeCommandBuffers")
            .expect("the layer has it");
        // SAFETY: the command buffers are of this pool, or NULL.
        unsafe { free(self.device, self.pool, buffers.len() as u32, buffers.as_ptr()) };
    }

    pub fn destroy_pool(&self) {
        let destroy: vk::PFN_vkDestroyCommandPool = self
            .layer
            .device_function(self.device, c"vkDestroyCommandPool")
            .expect("the layer has it");
        // SAFETY: the pool lives.
        unsafe { destroy(self.device, self.pool, ptr::null()) };
    }

    /// Records `n_draws` draws of `vertices` vertices.
    pub fn record(&self, buffer: vk::CommandBuffer, n_draws: u32, vertices: u32) {
        let get = |name| self.layer.device_function::<usize>(self.device, name).expect("present");
        // SAFETY: each function has the type of its name.
        let begin: vk::PFN_vkBeginCommandBuffer =
            unsafe { std::mem::transmute(get(c"vkBeginCommandBuffer")) };
        // SAFETY: as above.
        let end: vk::PFN_vkEndCommandBuffer =
            unsafe { std::mem::transmute(get(c"vkEndCommandBuffer")) };
        // SAFETY: as above.
        let draw: vk::PFN_vkCmdDraw = unsafe { std::mem::transmute(get(c"vkCmdDraw")) };
        let info = vk::CommandBufferBeginInfo::default();
        // SAFETY: this thread has the command buffer to itself.
        assert_eq!(unsafe { begin(buffer, &info) }, vk::Result::SUCCESS);
        for _ in 0..n_draws {
            // SAFETY: as above.
            unsafe { draw(buffer, vertices, 1, 0, 0) };
        }
        // SAFETY: as above.
        assert_eq!(unsafe { end(buffer) }, vk::Result::SUCCESS);
    }
}
