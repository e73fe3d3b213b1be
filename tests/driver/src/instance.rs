//! Instances and their physical devices, and functions by name.

use std::ffi::c_char;

use ash::vk::{self, Handle};

use crate::config::config;
use crate::device::Device;
use crate::entry::{self, Entry, Level, Need, V1_0, V1_1, entries, table};
use crate::raw::{self, Out};
use crate::{Alloc, MAGIC};

/// A VkInstance. The loader writes its dispatch pointer over the first word.
#[repr(C)]
pub struct Instance {
    magic: usize,
    extensions: Vec<String>,
    devices: Vec<Physical>,
}

/// A VkPhysicalDevice.
#[repr(C)]
pub struct Physical {
    magic: usize,
    /// From 0; devices differ in nothing else.
    pub index: u32,
    /// The extensions of the instance, which its devices' functions depend on too.
    pub instance_extensions: Vec<String>,
}

/// The enabled extensions, or the error that an unknown one deserves.
pub fn enabled(
    names: &[*const c_char],
    offered: &[(String, u32)],
) -> Result<Vec<String>, vk::Result> {
    let find = |name: &*const c_char| {
        let name = raw::text(*name).filter(|name| offered.iter().any(|(n, _)| n == name));
        name.map(str::to_owned).ok_or(vk::Result::ERROR_EXTENSION_NOT_PRESENT)
    };
    names.iter().map(find).collect()
}

/// Extension properties for Vulkan's two-call protocol.
pub fn list(
    offered: &[(String, u32)],
    layer: *const c_char,
    count: &mut u32,
    out: &Out<vk::ExtensionProperties>,
) -> vk::Result {
    if !layer.is_null() {
        return vk::Result::ERROR_LAYER_NOT_PRESENT;
    }
    raw::enumerate_with(offered.len(), count, out.is_null(), |i| {
        let (name, spec_version) = &offered[i];
        out.set_at(
            i,
            vk::ExtensionProperties {
                extension_name: raw::name(name),
                spec_version: *spec_version,
            },
        );
    })
}

fn create(info: &vk::InstanceCreateInfo<'_>) -> Result<Instance, vk::Result> {
    let config = config();
    let names = raw::slice(info.pp_enabled_extension_names, info.enabled_extension_count);
    // The loader passes its own extensions on only if the driver offers them.
    let extensions = enabled(names, &config.instance_extensions)?;
    let device = |index| Physical { magic: MAGIC, index, instance_extensions: extensions.clone() };
    let devices = (0..config.devices).map(device).collect();
    Ok(Instance { magic: MAGIC, extensions, devices })
}

fn handle(device: &Physical) -> vk::PhysicalDevice {
    vk::PhysicalDevice::from_raw(std::ptr::from_ref(device) as u64)
}

entries! {
    fn vkCreateInstance(
        info: &vk::InstanceCreateInfo<'_>, _alloc: Alloc, out: Out<vk::Instance>
    ) -> vk::Result {
        match create(info) {
            Ok(instance) => {
                out.set(vk::Instance::from_raw(raw::give(instance)));
                vk::Result::SUCCESS
            }
            Err(error) => error,
        }
    }

    fn vkDestroyInstance(instance: *mut Instance, _alloc: Alloc) {
        raw::take(instance);
    }

    fn vkEnumerateInstanceVersion(out: Out<u32>) -> vk::Result {
        out.set(config().api_version);
        vk::Result::SUCCESS
    }

    fn vkEnumerateInstanceExtensionProperties(
        layer: *const c_char, count: &mut u32, out: Out<vk::ExtensionProperties>
    ) -> vk::Result {
        list(&config().instance_extensions, layer, count, &out)
    }

    fn vkEnumerateInstanceLayerProperties(count: &mut u32, _out: Out<vk::LayerProperties>)
        -> vk::Result
    {
        *count = 0;
        vk::Result::SUCCESS
    }

    fn vkEnumeratePhysicalDevices(
        instance: &Instance, count: &mut u32, out: Out<vk::PhysicalDevice>
    ) -> vk::Result {
        let devices: Vec<_> = instance.devices.iter().map(handle).collect();
        raw::enumerate(&devices, count, &out)
    }

    fn vkEnumeratePhysicalDeviceGroups | vkEnumeratePhysicalDeviceGroupsKHR(
        instance: &Instance, count: &mut u32, out: Out<vk::PhysicalDeviceGroupProperties<'_>>
    ) -> vk::Result {
        raw::enumerate_with(instance.devices.len(), count, out.is_null(), |i| {
            let group = raw::begun(out.pointer(), i);
            group.physical_device_count = 1;
            group.physical_devices[0] = handle(&instance.devices[i]);
            group.subset_allocation = vk::FALSE;
        })
    }

    fn vkCreateDebugUtilsMessengerEXT(
        _instance: &Instance, _info: &vk::DebugUtilsMessengerCreateInfoEXT<'_>, _alloc: Alloc,
        out: Out<vk::DebugUtilsMessengerEXT>
    ) -> vk::Result {
        out.set(vk::DebugUtilsMessengerEXT::from_raw(crate::device::unique()));
        vk::Result::SUCCESS
    }

    fn vkDestroyDebugUtilsMessengerEXT() {}
    fn vkSubmitDebugUtilsMessageEXT() {}
}

/// The answer of vkGetInstanceProcAddr.
pub extern "system" fn vkGetInstanceProcAddr(
    instance: Option<&Instance>,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    let entry = entry::find(raw::text(name)?)?;
    let good = match instance {
        None => entry.level == Level::Global,
        Some(instance) => available(instance, entry),
    };
    good.then_some(entry.address)
}

/// Device functions are there for any device that could enable their extension.
fn available(instance: &Instance, entry: &Entry) -> bool {
    let config = config();
    entry.need.met(config.api_version, |name| {
        instance.extensions.iter().any(|e| e == name)
            || config.device_extensions.iter().any(|(e, _)| e == name)
    })
}

/// The answer of vkGetDeviceProcAddr.
pub extern "system" fn vkGetDeviceProcAddr(
    device: &Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    let entry = entry::find(raw::text(name)?)?;
    let enabled = |name: &str| device.extensions.iter().any(|e| e == name);
    let good = entry.level == Level::Device && entry.need.met(config().api_version, enabled);
    good.then_some(entry.address)
}

/// The answer of vk_icdGetPhysicalDeviceProcAddr.
pub fn physical_device_proc(name: *const c_char) -> vk::PFN_vkVoidFunction {
    let entry = entry::find(raw::text(name)?)?;
    (entry.level == Level::Physical).then_some(entry.address)
}

table! {
    Global(V1_0) {
        vkCreateInstance vkEnumerateInstanceExtensionProperties vkEnumerateInstanceLayerProperties
    }
    Global(V1_1) { vkEnumerateInstanceVersion }
    Instance(V1_0) { vkDestroyInstance vkEnumeratePhysicalDevices vkGetInstanceProcAddr }
    Instance(V1_1) { vkEnumeratePhysicalDeviceGroups }
    Instance(Need::Extension("VK_KHR_device_group_creation")) {
        vkEnumeratePhysicalDeviceGroupsKHR
    }
    Instance(Need::Extension("VK_EXT_debug_utils")) {
        vkCreateDebugUtilsMessengerEXT vkDestroyDebugUtilsMessengerEXT vkSubmitDebugUtilsMessageEXT
    }
    Device(V1_0) { vkGetDeviceProcAddr }
}
