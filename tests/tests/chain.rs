//! The layer's chain driven by hand, with no loader: what a loader, an application or a driver may
//! do that none of those at hand does.

#[path = "chain/fake.rs"]
mod fake;
#[path = "chain/layer.rs"]
mod layer;
#[path = "chain/silenced.rs"]
mod silenced;

use ash::vk::{self, Handle};
use fake::Below;
use layer::{Layer, Negotiate, PfnNegotiate, Recording, text};
use std::ffi::{CStr, c_char, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

const NAME: &CStr = c"VK_LAYER_TILELINT_lint";

/// The layer with one instance and one device.
fn one_device() -> (Layer, vk::Instance, vk::Device, &'static Below, &'static Below) {
    let layer = Layer::open();
    let (instance_below, device_below) = (Below::leak(), Below::leak());
    let instance = layer.create_instance(instance_below, None).unwrap();
    let device = layer.create_device(instance, device_below).unwrap();
    (layer, instance, device, instance_below, device_below)
}

#[test]
fn negotiates_the_smaller_version() {
    let negotiate: PfnNegotiate = Layer::open().export(c"vkNegotiateLoaderLayerInterfaceVersion");
    let ask = |s_type, version| {
        let mut answer = Negotiate {
            s_type,
            next: ptr::null_mut(),
            version,
            get_instance_proc_addr: None,
            get_device_proc_addr: None,
            get_physical_device_proc_addr: None,
        };
        // SAFETY: the structure is valid.
        let result = unsafe { negotiate(&mut answer) };
        (result, answer)
    };
    for (offered, agreed) in [(1, 1), (2, 2), (3, 2), (99, 2)] {
        let (result, answer) = ask(1, offered);
        assert_eq!((result, answer.version), (vk::Result::SUCCESS, agreed));
        assert_eq!(answer.get_instance_proc_addr.is_some(), agreed == 2);
        assert_eq!(answer.get_device_proc_addr.is_some(), agreed == 2);
        assert_eq!(answer.get_physical_device_proc_addr.is_some(), agreed == 2);
    }
    assert_eq!(ask(0, 2).0, vk::Result::ERROR_INITIALIZATION_FAILED);
    // SAFETY: NULL is allowed to be refused.
    let refused = unsafe { negotiate(ptr::null_mut()) };
    assert_eq!(refused, vk::Result::ERROR_INITIALIZATION_FAILED);
}

type EnumerateExtensions = vk::PFN_vkEnumerateInstanceExtensionProperties;

#[test]
fn enumerations_keep_the_protocol() {
    let layer = Layer::open();
    let list: EnumerateExtensions = layer.export(c"vkEnumerateInstanceExtensionProperties");
    let enumerate = |layer_name: *const c_char, room: Option<u32>| {
        let mut count = room.unwrap_or(77);
        let mut out = vec![vk::ExtensionProperties::default(); room.unwrap_or(0) as usize];
        let pointer = if room.is_some() { out.as_mut_ptr() } else { ptr::null_mut() };
        // SAFETY: the array has as much room as is said.
        let result = unsafe { list(layer_name, &mut count, pointer) };
        (result, count, out)
    };
    let (result, count, _) = enumerate(NAME.as_ptr(), None);
    assert_eq!((result, count), (vk::Result::SUCCESS, 3));
    let (result, count, out) = enumerate(NAME.as_ptr(), Some(2));
    assert_eq!((result, count), (vk::Result::INCOMPLETE, 2));
    assert_eq!(text(&out[1].extension_name), "VK_EXT_debug_utils");
    assert_eq!(enumerate(NAME.as_ptr(), Some(0)).0, vk::Result::INCOMPLETE);
    let (result, count, _) = enumerate(NAME.as_ptr(), Some(9));
    assert_eq!((result, count), (vk::Result::SUCCESS, 3));
    let absent = vk::Result::ERROR_LAYER_NOT_PRESENT;
    assert_eq!(enumerate(ptr::null(), None).0, absent);
    assert_eq!(enumerate(c"VK_LAYER_OTHER".as_ptr(), Some(4)).0, absent);
}

#[test]
fn device_extensions_of_others_come_from_below() {
    let (layer, instance, device, below, _) = one_device();
    let list: vk::PFN_vkEnumerateDeviceExtensionProperties =
        layer.export(c"vkEnumerateDeviceExtensionProperties");
    let physical = vk::PhysicalDevice::from_raw(instance.as_raw());
    let mut count = 0;
    // SAFETY: asks for the count only.
    let result = unsafe { list(physical, ptr::null(), &mut count, ptr::null_mut()) };
    assert_eq!((result, count), (vk::Result::SUCCESS, 7));
    assert_eq!(below.count("vkEnumerateDeviceExtensionProperties"), 1);
    // SAFETY: asks for the count only; the layer's own list needs no device.
    let result =
        unsafe { list(vk::PhysicalDevice::null(), NAME.as_ptr(), &mut count, ptr::null_mut()) };
    assert_eq!((result, count), (vk::Result::SUCCESS, 2));
    layer.destroy_device(device);
    layer.destroy_instance(instance);
}

/// What Android's loader does: open, ask, close, open again; no negotiation, no manifest.
#[test]
fn androids_loader_is_served() {
    let layers = |layer: Layer| {
        let list: vk::PFN_vkEnumerateInstanceLayerProperties =
            layer.export(c"vkEnumerateInstanceLayerProperties");
        let device_list: vk::PFN_vkEnumerateDeviceLayerProperties =
            layer.export(c"vkEnumerateDeviceLayerProperties");
        let mut counts = [1, 1];
        // Rubbish where the layer writes: a tail left over would differ.
        let mut bytes = [[0xaa_u8; size_of::<vk::LayerProperties>()]; 2];
        let first = bytes[0].as_mut_ptr().cast();
        // SAFETY: there is room for one.
        assert_eq!(unsafe { list(&mut counts[0], first) }, vk::Result::SUCCESS);
        let second = bytes[1].as_mut_ptr().cast();
        let null = vk::PhysicalDevice::null();
        // SAFETY: there is room for one.
        let result = unsafe { device_list(null, &mut counts[1], second) };
        assert_eq!((result, counts), (vk::Result::SUCCESS, [1, 1]));
        assert_eq!(bytes[0], bytes[1], "byte for byte, or the layer sees no device call");
        assert!(bytes[0].starts_with(NAME.to_bytes_with_nul()));
        assert_eq!(bytes[0][NAME.count_bytes()..256].iter().max(), Some(&0));
    };
    let layer = Layer::open();
    layers(layer);
    layer.close();
    let layer = Layer::open();
    layers(layer);
    let (instance_below, device_below) = (Below::leak(), Below::leak());
    let instance = layer.create_instance(instance_below, None).unwrap();
    let device = layer.create_device(instance, device_below).unwrap();
    let recording = Recording::new(layer, device);
    let buffer = recording.allocate().unwrap();
    recording.record(buffer, 2, 36);
    assert_eq!(device_below.count("vkCmdDraw 36"), 2);
    layer.destroy_device(device);
    layer.destroy_instance(instance);
    layer.close();
}

#[test]
fn null_handles_are_legal() {
    let (layer, instance, device, _, below) = one_device();
    let destroy_device: vk::PFN_vkDestroyDevice =
        layer.device_function(device, c"vkDestroyDevice").unwrap();
    // SAFETY: NULL is legal.
    unsafe { destroy_device(vk::Device::null(), ptr::null()) };
    let destroy_instance: vk::PFN_vkDestroyInstance =
        layer.instance_function(instance, c"vkDestroyInstance").unwrap();
    // SAFETY: NULL is legal.
    unsafe { destroy_instance(vk::Instance::null(), ptr::null()) };
    let destroy_image: vk::PFN_vkDestroyImage =
        layer.device_function(device, c"vkDestroyImage").unwrap();
    // SAFETY: NULL is legal.
    unsafe { destroy_image(device, vk::Image::null(), ptr::null()) };
    assert_eq!(below.count("vkDestroyImage 0x0"), 1);
    let recording = Recording::new(layer, device);
    let buffer = recording.allocate().unwrap();
    recording.free(&[vk::CommandBuffer::null(), buffer, vk::CommandBuffer::null()]);
    assert_eq!(below.count("vkFreeCommandBuffers"), 1);
    assert!(layer.device_function::<usize>(vk::Device::null(), c"vkCmdDraw").is_none());
    let none = vk::Instance::null();
    assert!(layer.instance_function::<usize>(none, c"vkCreateDevice").is_none());
    layer.destroy_device(device);
    layer.destroy_instance(instance);
}

#[test]
fn failures_below_come_back_unchanged() {
    let layer = Layer::open();
    let below = Below::leak();
    below.fail("vkCreateInstance", vk::Result::ERROR_INCOMPATIBLE_DRIVER);
    let result = layer.create_instance(below, None);
    assert_eq!(result, Err(vk::Result::ERROR_INCOMPATIBLE_DRIVER));

    let instance = layer.create_instance(Below::leak(), None).unwrap();
    let below = Below::leak();
    below.fail("vkCreateDevice", vk::Result::ERROR_FEATURE_NOT_PRESENT);
    assert_eq!(layer.create_device(instance, below), Err(vk::Result::ERROR_FEATURE_NOT_PRESENT));

    let below = Below::leak();
    let device = layer.create_device(instance, below).unwrap();
    let oom = vk::Result::ERROR_OUT_OF_DEVICE_MEMORY;
    for name in ["vkCreateImage", "vkAllocateCommandBuffers", "vkQueueSubmit", "vkDeviceWaitIdle"] {
        below.fail(name, oom);
    }
    let create: vk::PFN_vkCreateImage = layer.device_function(device, c"vkCreateImage").unwrap();
    let info = vk::ImageCreateInfo::default();
    let mut image = vk::Image::null();
    // SAFETY: the device lives.
    assert_eq!(unsafe { create(device, &info, ptr::null(), &mut image) }, oom);
    assert!(image.is_null());
    assert_eq!(Recording::new(layer, device).allocate(), Err(oom));
    let get: vk::PFN_vkGetDeviceQueue = layer.device_function(device, c"vkGetDeviceQueue").unwrap();
    let mut queue = vk::Queue::null();
    // SAFETY: the device lives.
    unsafe { get(device, 0, 0, &mut queue) };
    let submit: vk::PFN_vkQueueSubmit = layer.device_function(device, c"vkQueueSubmit").unwrap();
    // SAFETY: the queue lives and nothing is submitted.
    assert_eq!(unsafe { submit(queue, 0, ptr::null(), vk::Fence::null()) }, oom);
    let wait: vk::PFN_vkDeviceWaitIdle =
        layer.device_function(device, c"vkDeviceWaitIdle").unwrap();
    // SAFETY: the device lives.
    assert_eq!(unsafe { wait(device) }, oom);
    layer.destroy_device(device);
    layer.destroy_instance(instance);
}

#[test]
fn everything_may_end_in_any_order() {
    let layer = Layer::open();
    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
    let belows: Vec<_> = (0..4).map(|_| Below::leak()).collect();
    for (first, second) in [(0, 1), (1, 0)] {
        let instances = [
            layer.create_instance(belows[0], None).unwrap(),
            layer.create_instance(belows[1], Some(&application)).unwrap(),
        ];
        let devices = [
            layer.create_device(instances[0], belows[2]).unwrap(),
            layer.create_device(instances[1], belows[3]).unwrap(),
        ];
        // Objects that are never destroyed must not matter.
        let recording = Recording::new(layer, devices[first]);
        let buffer = recording.allocate().unwrap();
        recording.record(buffer, 1, 3);
        layer.destroy_device(devices[first]);
        layer.destroy_instance(instances[first]);
        let recording = Recording::new(layer, devices[second]);
        let buffer = recording.allocate().unwrap();
        recording.record(buffer, 1, 3);
        recording.destroy_pool();
        layer.destroy_device(devices[second]);
        layer.destroy_instance(instances[second]);
    }
    for below in &belows[..2] {
        assert_eq!(below.count("vkDestroyInstance"), 2);
    }
    for below in &belows[2..] {
        assert_eq!(below.count("vkDestroyDevice"), 2);
        assert_eq!(below.count("vkCmdDraw 3"), 2);
    }
}

#[test]
fn devices_may_have_equal_handles() {
    let layer = Layer::open();
    let instance = layer.create_instance(Below::leak(), None).unwrap();
    let belows = [Below::leak(), Below::leak()];
    let devices = belows.map(|below| layer.create_device(instance, below).unwrap());
    let images = devices.map(|device| {
        let create: vk::PFN_vkCreateImage =
            layer.device_function(device, c"vkCreateImage").unwrap();
        let mut image = vk::Image::null();
        let info = vk::ImageCreateInfo::default();
        // SAFETY: the device lives.
        let result = unsafe { create(device, &info, ptr::null(), &mut image) };
        assert_eq!(result, vk::Result::SUCCESS);
        image
    });
    assert_eq!(images[0], images[1]);
    let destroy: vk::PFN_vkDestroyImage =
        layer.device_function(devices[0], c"vkDestroyImage").unwrap();
    // SAFETY: the image lives on this device.
    unsafe { destroy(devices[0], images[0], ptr::null()) };
    let line = format!("vkDestroyImage {:#x}", images[0].as_raw());
    assert_eq!((belows[0].count(&line), belows[1].count(&line)), (1, 0));
    for device in devices {
        layer.destroy_device(device);
    }
    layer.destroy_instance(instance);
}

#[test]
fn a_handle_is_used_again_right_after() {
    let layer = Layer::open();
    let instance = layer.create_instance(Below::leak(), None).unwrap();
    let belows = [Below::leak(), Below::leak()];
    let devices = belows.map(|below| layer.create_device(instance, below).unwrap());
    let recordings = devices.map(|device| Recording::new(layer, device));
    let mut buffer = recordings[0].allocate().unwrap();
    for round in 0..100_u32 {
        let owner = round as usize % 2;
        recordings[owner].record(buffer, 1, round);
        let draw = format!("vkCmdDraw {round}");
        assert_eq!(belows[owner].count(&draw), 1);
        assert_eq!(belows[1 - owner].count(&draw), 0);
        if round % 4 < 2 {
            recordings[owner].free(&[buffer]);
        } else {
            recordings[owner].destroy_pool();
        }
        belows[1 - owner].buffers.lock().unwrap().push(buffer.as_raw());
        let again = recordings[1 - owner].allocate().unwrap();
        assert_eq!(again, buffer, "the test wants the same handle");
        buffer = again;
    }
    for device in devices {
        layer.destroy_device(device);
    }
    layer.destroy_instance(instance);
}

#[test]
fn eight_threads_record() {
    let (layer, instance, device, _, below) = one_device();
    std::thread::scope(|scope| {
        for thread in 0..8_u32 {
            scope.spawn(move || {
                let recording = Recording::new(layer, device);
                for round in 0..50 {
                    let buffers: Vec<_> = (0..10).map(|_| recording.allocate().unwrap()).collect();
                    for buffer in &buffers {
                        recording.record(*buffer, 20, 1000 + thread);
                    }
                    if round % 2 == 0 {
                        recording.free(&buffers);
                    }
                }
                recording.destroy_pool();
            });
        }
    });
    let calls = below.take_calls();
    for thread in 0..8 {
        let draw = format!("vkCmdDraw {}", 1000 + thread);
        assert_eq!(calls.iter().filter(|call| **call == draw).count(), 50 * 10 * 20);
    }
    layer.destroy_device(device);
    layer.destroy_instance(instance);
}

#[test]
fn each_name_goes_to_its_own_function() {
    let (layer, instance, device, _, below) = one_device();
    let recording = Recording::new(layer, device);
    let buffer = recording.allocate().unwrap();
    below.take_calls();
    for name in [c"vkCmdEndRendering", c"vkCmdEndRenderingKHR"] {
        let end: vk::PFN_vkCmdEndRendering = layer.device_function(device, name).unwrap();
        // SAFETY: the command buffer lives.
        unsafe { end(buffer) };
        assert_eq!(below.take_calls(), [name.to_str().unwrap()]);
    }
    for name in [c"vkCmdNextSubpass2", c"vkCmdNextSubpass2KHR"] {
        let next: vk::PFN_vkCmdNextSubpass2 = layer.instance_function(instance, name).unwrap();
        let (begin, end) = (vk::SubpassBeginInfo::default(), vk::SubpassEndInfo::default());
        // SAFETY: the command buffer lives.
        unsafe { next(buffer, &begin, &end) };
        assert_eq!(below.take_calls(), [name.to_str().unwrap()]);
    }
    layer.destroy_device(device);
    layer.destroy_instance(instance);
}

#[test]
fn only_what_is_below_is_handed_out() {
    let layer = Layer::open();
    let (instance_below, below) = (Below::leak(), Below::leak());
    below.lack("vkCmdEndRendering");
    instance_below.lack("vkCmdEndRendering");
    let instance = layer.create_instance(instance_below, None).unwrap();
    let device = layer.create_device(instance, below).unwrap();
    for absent in [c"vkCmdEndRendering", c"vkCmdDrawMeshTasksEXT", c"vkSetDebugUtilsObjectNameEXT"]
    {
        assert!(layer.device_function::<usize>(device, absent).is_none(), "{absent:?}");
        assert!(layer.instance_function::<usize>(instance, absent).is_none(), "{absent:?}");
    }
    let none: Option<usize> = layer.instance_function(instance, c"vkSubmitDebugUtilsMessageEXT");
    assert!(none.is_none());
    // A function that the layer does not know passes through.
    let other: vk::PFN_vkDeviceWaitIdle =
        layer.device_function(device, c"vkNotOfThisLayer").unwrap();
    // SAFETY: the device lives.
    assert_eq!(unsafe { other(device) }, vk::Result::SUCCESS);
    assert_eq!(below.count("vkNotOfThisLayer"), 1);
    // The functions that find functions find themselves.
    let itself: vk::PFN_vkGetDeviceProcAddr =
        layer.device_function(device, c"vkGetDeviceProcAddr").unwrap();
    // SAFETY: the device lives.
    let again = unsafe { itself(device, c"vkGetDeviceProcAddr".as_ptr()) };
    assert_eq!(again.map(|f| f as usize), Some(itself as usize));
    layer.destroy_device(device);
    layer.destroy_instance(instance);
}

/// Counts the messages that the application gets.
unsafe extern "system" fn on_message(
    _severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _types: vk::DebugUtilsMessageTypeFlagsEXT,
    _data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user_data: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: a counter of the test's own.
    let counter = unsafe { &*user_data.cast::<AtomicU32>() };
    counter.fetch_add(1, Ordering::Relaxed);
    vk::FALSE
}

/// Counts the reports that the application gets.
unsafe extern "system" fn on_report(
    _flags: vk::DebugReportFlagsEXT,
    _object_type: vk::DebugReportObjectTypeEXT,
    _object: u64,
    _location: usize,
    _code: i32,
    _prefix: *const c_char,
    _text: *const c_char,
    user_data: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: a counter of the test's own.
    let counter = unsafe { &*user_data.cast::<AtomicU32>() };
    counter.fetch_add(1, Ordering::Relaxed);
    vk::FALSE
}

/// Android's drivers may lack the extension; the layer offers it and must then be it.
#[test]
fn the_layer_is_debug_utils_where_nothing_is() {
    let layer = Layer::open();
    let extensions = [c"VK_EXT_debug_utils".as_ptr()];
    let instance = layer.create_instance_with(Below::leak(), None, &extensions).unwrap();
    let device = layer.create_device(instance, Below::leak()).unwrap();
    let create: vk::PFN_vkCreateDebugUtilsMessengerEXT =
        layer.instance_function(instance, c"vkCreateDebugUtilsMessengerEXT").unwrap();
    let submit: vk::PFN_vkSubmitDebugUtilsMessageEXT =
        layer.instance_function(instance, c"vkSubmitDebugUtilsMessageEXT").unwrap();
    let destroy: vk::PFN_vkDestroyDebugUtilsMessengerEXT =
        layer.instance_function(instance, c"vkDestroyDebugUtilsMessengerEXT").unwrap();
    let counter = AtomicU32::new(0);
    let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(vk::DebugUtilsMessageSeverityFlagsEXT::WARNING)
        .message_type(vk::DebugUtilsMessageTypeFlagsEXT::GENERAL)
        .pfn_user_callback(Some(on_message))
        .user_data((&raw const counter).cast_mut().cast());
    let mut messenger = vk::DebugUtilsMessengerEXT::null();
    // SAFETY: the instance lives and the counter outlives the messenger.
    let result = unsafe { create(instance, &info, ptr::null(), &mut messenger) };
    assert_eq!(result, vk::Result::SUCCESS);
    assert!(!messenger.is_null());
    let say = |severity| {
        let data = vk::DebugUtilsMessengerCallbackDataEXT::default().message(c"text");
        // SAFETY: the instance lives.
        unsafe { submit(instance, severity, vk::DebugUtilsMessageTypeFlagsEXT::GENERAL, &data) };
    };
    say(vk::DebugUtilsMessageSeverityFlagsEXT::WARNING);
    say(vk::DebugUtilsMessageSeverityFlagsEXT::INFO);
    assert_eq!(counter.load(Ordering::Relaxed), 1);
    // SAFETY: the messenger lives.
    unsafe { destroy(instance, messenger, ptr::null()) };
    say(vk::DebugUtilsMessageSeverityFlagsEXT::WARNING);
    assert_eq!(counter.load(Ordering::Relaxed), 1);

    let name: vk::PFN_vkSetDebugUtilsObjectNameEXT =
        layer.device_function(device, c"vkSetDebugUtilsObjectNameEXT").unwrap();
    let info = vk::DebugUtilsObjectNameInfoEXT::default().object_name(c"name");
    // SAFETY: the device lives.
    assert_eq!(unsafe { name(device, &info) }, vk::Result::SUCCESS);
    let recording = Recording::new(layer, device);
    let buffer = recording.allocate().unwrap();
    let label: vk::PFN_vkCmdInsertDebugUtilsLabelEXT =
        layer.device_function(device, c"vkCmdInsertDebugUtilsLabelEXT").unwrap();
    let info = vk::DebugUtilsLabelEXT::default().label_name(c"label");
    // SAFETY: the command buffer lives.
    unsafe { label(buffer, &info) };
    layer.destroy_device(device);
    layer.destroy_instance(instance);
}

#[test]
fn the_layer_is_debug_report_where_nothing_is() {
    let layer = Layer::open();
    let extensions = [c"VK_EXT_debug_report".as_ptr()];
    let instance = layer.create_instance_with(Below::leak(), None, &extensions).unwrap();
    let create: vk::PFN_vkCreateDebugReportCallbackEXT =
        layer.instance_function(instance, c"vkCreateDebugReportCallbackEXT").unwrap();
    let say: vk::PFN_vkDebugReportMessageEXT =
        layer.instance_function(instance, c"vkDebugReportMessageEXT").unwrap();
    let counter = AtomicU32::new(0);
    let info = vk::DebugReportCallbackCreateInfoEXT::default()
        .flags(vk::DebugReportFlagsEXT::ERROR)
        .pfn_callback(Some(on_report))
        .user_data((&raw const counter).cast_mut().cast());
    let mut callback = vk::DebugReportCallbackEXT::null();
    // SAFETY: the instance lives and the counter outlives it.
    let result = unsafe { create(instance, &info, ptr::null(), &mut callback) };
    assert_eq!(result, vk::Result::SUCCESS);
    let unknown = vk::DebugReportObjectTypeEXT::UNKNOWN;
    let text = c"text".as_ptr();
    for flags in [vk::DebugReportFlagsEXT::ERROR, vk::DebugReportFlagsEXT::DEBUG] {
        // SAFETY: the instance lives.
        unsafe { say(instance, flags, unknown, 0, 0, 0, text, text) };
    }
    assert_eq!(counter.load(Ordering::Relaxed), 1);
    layer.destroy_instance(instance);
}
