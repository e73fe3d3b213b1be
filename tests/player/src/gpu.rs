//! The instance, the device and what they were made of.

use std::collections::HashMap;
use std::ffi::{CStr, CString};

use ash::vk;
use tilelint::call::*;

use crate::error::{Done, Error};
use crate::features::Features;
use crate::needs::Needs;
use crate::window::Window;

/// Makes one call of Vulkan.
macro_rules! api {
    ($call:expr) => {
        // SAFETY: the structures passed live until the call returns, and every handle in them is
        // one that this program made and has not destroyed: keys are looked up in its tables. What
        // else the API demands is the listing's business, as it is that of any program.
        unsafe { $call }
    };
}
pub(crate) use api;

/// Loader and instance.
pub struct Host {
    entry: ash::Entry,
    /// The instance.
    pub instance: ash::Instance,
    /// The physical device that was chosen.
    pub physical: vk::PhysicalDevice,
    /// Functions of surfaces.
    pub surfaces: ash::khr::surface::Instance,
    window: Option<Window>,
    headless: bool,
}

fn text(name: &[std::ffi::c_char]) -> String {
    let bytes: Vec<u8> = name.iter().take_while(|c| **c != 0).map(|c| *c as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn names(list: &[vk::ExtensionProperties]) -> Vec<String> {
    list.iter().map(|e| text(&e.extension_name)).collect()
}

pub(crate) fn c_string(name: &str) -> CString {
    CString::new(name.replace('\0', "")).expect("the zeros are gone")
}

fn failed(call: &'static str) -> impl Fn(vk::Result) -> Error {
    move |result| Error::Driver(Line(0), call, result)
}

impl Host {
    /// Opens the loader and makes an instance.
    ///
    /// # Errors
    ///
    /// If there is no loader or no such device, or the loader lacks an instance extension.
    pub fn new(api: u32, surface: bool, index: usize) -> Done<Self> {
        // SAFETY: the library is the system's Vulkan loader, whose initialisers have no demands.
        let entry = unsafe { ash::Entry::load() };
        let entry = entry.map_err(|e| Error::System(format!("no Vulkan loader: {e}")))?;
        let offered = api!(entry.enumerate_instance_extension_properties(None));
        let offered = names(&offered.map_err(failed("vkEnumerateInstanceExtensionProperties"))?);
        let has = |name: &CStr| offered.iter().any(|o| o.as_bytes() == name.to_bytes());
        let mut wanted = vec![ash::ext::debug_utils::NAME];
        let headless = has(ash::ext::headless_surface::NAME);
        if surface {
            wanted.push(ash::khr::surface::NAME);
            wanted.push(match headless {
                true => ash::ext::headless_surface::NAME,
                false => ash::khr::xlib_surface::NAME,
            });
        }
        if vk::api_version_minor(api) == 0 {
            wanted.push(ash::khr::get_physical_device_properties2::NAME);
        }
        let missing: Vec<_> = wanted.iter().filter(|name| !has(name)).collect();
        if !missing.is_empty() {
            let name = |n: &&&CStr| n.to_string_lossy().into_owned();
            return Err(Error::Lacks(missing.iter().map(name).collect()));
        }
        let window = if surface && !headless { Some(Window::open()?) } else { None };
        let pointers: Vec<_> = wanted.iter().map(|name| name.as_ptr()).collect();
        let application =
            vk::ApplicationInfo::default().application_name(c"tilelint-player").api_version(api);
        let info = vk::InstanceCreateInfo::default()
            .application_info(&application)
            .enabled_extension_names(&pointers);
        let instance = api!(entry.create_instance(&info, None));
        let instance = instance.map_err(failed("vkCreateInstance"))?;
        let devices = api!(instance.enumerate_physical_devices());
        let devices = devices.map_err(failed("vkEnumeratePhysicalDevices"))?;
        let Some(physical) = devices.get(index).copied() else {
            api!(instance.destroy_instance(None));
            let count = devices.len();
            return Err(Error::System(format!("there is no device {index}: {count} in all")));
        };
        let surfaces = ash::khr::surface::Instance::new(&entry, &instance);
        Ok(Self { entry, instance, physical, surfaces, window, headless })
    }

    /// Makes a surface.
    ///
    /// # Errors
    ///
    /// What the call says.
    pub fn surface(&self, extent: vk::Extent2D) -> Result<vk::SurfaceKHR, vk::Result> {
        match &self.window {
            Some(window) if !self.headless => {
                let functions = ash::khr::xlib_surface::Instance::new(&self.entry, &self.instance);
                let (display, window) = window.show(extent);
                let info =
                    vk::XlibSurfaceCreateInfoKHR::default().dpy(display.cast()).window(window);
                api!(functions.create_xlib_surface(&info, None))
            }
            _ => {
                let functions =
                    ash::ext::headless_surface::Instance::new(&self.entry, &self.instance);
                let info = vk::HeadlessSurfaceCreateInfoEXT::default();
                api!(functions.create_headless_surface(&info, None))
            }
        }
    }

    /// Destroys the instance.
    pub fn destroy(self) {
        api!(self.instance.destroy_instance(None));
    }
}

/// A logical device with its functions.
pub struct Gpu {
    /// Version of Vulkan that the listing's device uses.
    pub api: u32,
    /// Core functions, also by the names they had as extensions.
    pub device: ash::Device,
    /// Names and labels.
    pub debug: ash::ext::debug_utils::Device,
    /// Swapchains.
    pub swapchains: ash::khr::swapchain::Device,
    /// Push descriptors.
    pub push: ash::khr::push_descriptor::Device,
    /// Mesh draws.
    pub mesh: ash::ext::mesh_shader::Device,
    /// Multi draws.
    pub multi: ash::ext::multi_draw::Device,
    /// Conditional rendering.
    pub conditional: ash::ext::conditional_rendering::Device,
    /// Transform feedback.
    pub feedback: ash::ext::transform_feedback::Device,
    /// Dynamic state of the third extension.
    pub state3: ash::ext::extended_dynamic_state3::Device,
    /// Colour write enable.
    pub color_write: ash::ext::color_write_enable::Device,
    /// Attachment locations and input indices.
    pub local_read: ash::khr::dynamic_rendering_local_read::Device,
    /// Memory types of the driver.
    pub memory: vk::PhysicalDeviceMemoryProperties,
    /// Queues by their keys: handle, and family of the driver.
    pub queues: HashMap<QueueKey, (vk::Queue, u32)>,
    /// Families of the listing to those of the driver.
    pub families: HashMap<u32, u32>,
    /// The first queue that does graphics.
    pub main: (vk::Queue, u32),
}

/// Where each queue of a listing goes: its family and its index there.
struct Places {
    queues: Vec<(QueueKey, QueueInfo, u32, u32)>,
    main: u32,
}

fn place_queues(
    families: &[vk::QueueFamilyProperties],
    entries: &[Entry],
    device: DeviceKey,
    lacks: &mut Vec<String>,
) -> Places {
    let fitting = |flags: vk::QueueFlags| {
        let wide = |f: vk::QueueFlags| match f {
            // Every queue that draws or computes also copies, even where it does not say so.
            f if f.intersects(vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE) => {
                f | vk::QueueFlags::TRANSFER
            }
            f => f,
        };
        let all = families.iter().map(|f| wide(f.queue_flags));
        let exact = all.clone().position(|f| f == wide(flags));
        exact.or_else(|| all.clone().position(|f| f.contains(flags))).map(|f| f as u32)
    };
    let mut used: HashMap<u32, u32> = HashMap::new();
    let mut queues = Vec::new();
    for entry in entries.iter().filter(|e| e.device == device) {
        let Call::Queue(key, info) = &entry.call else { continue };
        let Some(family) = fitting(info.flags) else {
            lacks.push(format!("a queue with {:?}", info.flags));
            continue;
        };
        let count = families[family as usize].queue_count;
        let next = used.entry(family).or_insert(0);
        queues.push((*key, *info, family, (*next).min(count - 1)));
        *next += 1;
    }
    // One queue cannot stand for two: what waits between them would be something else.
    let mut places = HashMap::new();
    for key in used_queues(entries, device) {
        let place = queues.iter().find(|(k, ..)| *k == key).map(|(_, _, f, index)| (*f, *index));
        if place.is_some_and(|place| *places.entry(place).or_insert(key) != key) {
            lacks.push("a queue of its own for each that is used".to_owned());
        }
    }
    let main = fitting(vk::QueueFlags::GRAPHICS).unwrap_or(0);
    used.entry(main).or_insert(1);
    Places { queues, main }
}

/// The queues to which a listing submits or presents.
fn used_queues(entries: &[Entry], device: DeviceKey) -> impl Iterator<Item = QueueKey> {
    let mine = entries.iter().filter(move |e| e.device == device);
    mine.filter_map(|e| match &e.call {
        Call::Submit(info) => Some(info.queue),
        Call::Present(info) => Some(info.queue),
        _ => None,
    })
}

/// A feature structure of the driver's own, all that it supports.
fn supported(host: &Host, api: u32, extensions: &[String]) -> Features {
    let mut features = Features::default();
    let first = features.chain(api, extensions);
    api!(host.instance.get_physical_device_features2(host.physical, first));
    features
}

impl Gpu {
    /// Makes the device that a listing needs.
    ///
    /// # Errors
    ///
    /// [`Error::Lacks`] with everything that the driver lacks.
    pub fn new(host: &Host, entries: &[Entry], key: DeviceKey, lacks: Vec<String>) -> Done<Self> {
        let needs = Needs::of(entries, key);
        let mut lacks = lacks;
        lacks.extend(needs.unknown.clone());
        let properties = api!(host.instance.get_physical_device_properties(host.physical));
        let version = |v| (vk::api_version_major(v), vk::api_version_minor(v));
        if version(properties.api_version) < version(needs.api) {
            let (major, minor) = version(needs.api);
            lacks.push(format!("Vulkan {major}.{minor}"));
        }
        let offered = api!(host.instance.enumerate_device_extension_properties(host.physical));
        let offered = names(&offered.map_err(failed("vkEnumerateDeviceExtensionProperties"))?);
        let extensions: Vec<String> = needs.extensions.iter().cloned().collect();
        let missed = extensions.iter().chain(&needs.answers).filter(|e| !offered.contains(e));
        lacks.extend(missed.cloned());
        let known: Vec<String> =
            extensions.iter().filter(|e| offered.contains(e)).cloned().collect();
        let api = needs.api;
        let mut has = supported(host, api.min(properties.api_version), &known);
        let mut wanted = Features::default();
        for name in &needs.features {
            if has.get(name, api).is_some_and(|value| *value == vk::FALSE) {
                lacks.push(format!("feature {name}"));
            }
            if let Some(value) = wanted.get(name, api) {
                *value = vk::TRUE;
            }
        }
        let families =
            api!(host.instance.get_physical_device_queue_family_properties(host.physical));
        let places = place_queues(&families, entries, key, &mut lacks);
        if !lacks.is_empty() {
            lacks.sort();
            lacks.dedup();
            return Err(Error::Lacks(lacks));
        }
        let device = create(host, &places, api, &extensions, &mut wanted)?;
        Ok(Self::with(host, device, &places, api))
    }

    fn with(host: &Host, device: ash::Device, places: &Places, api: u32) -> Self {
        let instance = &host.instance;
        let memory = api!(instance.get_physical_device_memory_properties(host.physical));
        let queue = |family, index| (api!(device.get_device_queue(family, index)), family);
        let queues =
            places.queues.iter().map(|(key, _, family, index)| (*key, queue(*family, *index)));
        let queues = queues.collect();
        let families = places.queues.iter().map(|(_, info, family, _)| (info.family, *family));
        let families = families.collect();
        let main = queue(places.main, 0);
        Self {
            api,
            debug: ash::ext::debug_utils::Device::new(instance, &device),
            swapchains: ash::khr::swapchain::Device::new(instance, &device),
            push: ash::khr::push_descriptor::Device::new(instance, &device),
            mesh: ash::ext::mesh_shader::Device::new(instance, &device),
            multi: ash::ext::multi_draw::Device::new(instance, &device),
            conditional: ash::ext::conditional_rendering::Device::new(instance, &device),
            feedback: ash::ext::transform_feedback::Device::new(instance, &device),
            state3: ash::ext::extended_dynamic_state3::Device::new(instance, &device),
            color_write: ash::ext::color_write_enable::Device::new(instance, &device),
            local_read: ash::khr::dynamic_rendering_local_read::Device::new(instance, &device),
            device,
            memory,
            queues,
            families,
            main,
        }
    }

    /// The queue of a key; the main one for a key that no line declares.
    pub fn queue(&self, key: QueueKey) -> (vk::Queue, u32) {
        self.queues.get(&key).copied().unwrap_or(self.main)
    }

    /// A version of Vulkan 1 that is at least this.
    pub fn at_least(&self, minor: u32) -> bool {
        vk::api_version_minor(self.api) >= minor
    }
}

fn create(
    host: &Host,
    places: &Places,
    api: u32,
    extensions: &[String],
    wanted: &mut Features,
) -> Done<ash::Device> {
    let mut counts: HashMap<u32, usize> = HashMap::from([(places.main, 1)]);
    for (_, _, family, index) in &places.queues {
        let count = counts.entry(*family).or_insert(0);
        *count = (*count).max(*index as usize + 1);
    }
    let priorities = [1.0f32; 64];
    let queues: Vec<_> = counts
        .iter()
        .map(|(family, count)| {
            vk::DeviceQueueCreateInfo::default()
                .queue_family_index(*family)
                .queue_priorities(&priorities[..(*count).min(64)])
        })
        .collect();
    let names: Vec<CString> = extensions.iter().map(|name| c_string(name)).collect();
    let pointers: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
    let features = wanted.chain(api, extensions);
    let old = features.features;
    let mut info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&pointers);
    // Without Vulkan 1.1 the chain is not to be had from core.
    if vk::api_version_minor(api) == 0 {
        info = info.enabled_features(&old);
    } else {
        info = info.push_next(features);
    }
    let device = api!(host.instance.create_device(host.physical, &info, None));
    let handle = device.map_err(failed("vkCreateDevice"))?.handle();
    let find = |name: &CStr| {
        api!(host.instance.get_device_proc_addr(handle, name.as_ptr()))
            .map_or(std::ptr::null(), |f| f as *const std::ffi::c_void)
    };
    let load = |name: &CStr| {
        let own = find(name);
        if !own.is_null() {
            return own;
        }
        // Functions that became core later have a suffix on older devices.
        let suffixed = |suffix| find(&c_string(&(name.to_string_lossy().into_owned() + suffix)));
        let khr = suffixed("KHR");
        if khr.is_null() { suffixed("EXT") } else { khr }
    };
    Ok(api!(ash::Device::load_with(load, handle)))
}
