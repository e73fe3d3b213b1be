//! What the application's own callbacks hear.

use super::{DEPTH, EXTENT, enabled, findings, name_of};
use crate::world::World;
use ash::vk::{self, Handle};
use std::ffi::{CStr, c_char, c_void};
use std::process::Command;
use tilelint_tests::harness::{TempDir, in_child};

/// One thing that was heard: its name, and the object.
type Heard = (String, u64);

unsafe extern "system" fn report_callback(
    flags: vk::DebugReportFlagsEXT,
    _object_type: vk::DebugReportObjectTypeEXT,
    object: u64,
    _location: usize,
    _code: i32,
    prefix: *const c_char,
    _text: *const c_char,
    user_data: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: every message has one.
    let prefix = unsafe { CStr::from_ptr(prefix) }.to_string_lossy().into_owned();
    if prefix != "Loader Message" {
        assert_eq!(flags, vk::DebugReportFlagsEXT::PERFORMANCE_WARNING);
        // SAFETY: a list of the test's own.
        unsafe { &mut *user_data.cast::<Vec<Heard>>() }.push((prefix, object));
    }
    vk::FALSE
}

#[expect(deprecated, reason = "the older extension is still in use")]
#[test]
fn report_callbacks_hear_each_finding_once() {
    in_child("messages::report_callbacks_hear_each_finding_once", enabled, || {
        let world = World::new(&[ash::ext::debug_report::NAME], &[]);
        let report = ash::ext::debug_report::Instance::new(&world.entry, &world.instance);
        let mut heard: Vec<Heard> = Vec::new();
        let info = vk::DebugReportCallbackCreateInfoEXT::default()
            .flags(vk::DebugReportFlagsEXT::PERFORMANCE_WARNING)
            .pfn_callback(Some(report_callback))
            .user_data((&raw mut heard).cast());
        // SAFETY: the instance lives and `heard` outlives the callback.
        let callback = unsafe { report.create_debug_report_callback(&info, None) }.unwrap();
        let depth = world.depth(DEPTH, EXTENT);
        let image = depth.image.as_raw();
        world.frames(&depth, 6);
        // SAFETY: the device lives; what it made goes with the test process.
        unsafe { world.device.destroy_device(None) };
        // SAFETY: the callback lives.
        unsafe { report.destroy_debug_report_callback(callback, None) };
        // SAFETY: the device is gone.
        unsafe { world.instance.destroy_instance(None) };
        assert_eq!(heard, [("non-transient".to_owned(), image)]);
    });
}

unsafe extern "system" fn messenger(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user_data: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the data is valid during the call.
    let data = unsafe { &*data };
    if types == vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE {
        assert_eq!(severity, vk::DebugUtilsMessageSeverityFlagsEXT::INFO);
        // SAFETY: the layer names every message.
        let name = unsafe { CStr::from_ptr(data.p_message_id_name) };
        // SAFETY: it is about one object.
        let object = unsafe { &*data.p_objects };
        let heard = (name.to_string_lossy().into_owned(), object.object_handle);
        // SAFETY: a list of the test's own.
        unsafe { &mut *user_data.cast::<Vec<Heard>>() }.push(heard);
    }
    vk::FALSE
}

#[test]
fn what_creation_shows_is_told_inside_the_call_and_nowhere_else() {
    let test = "messages::what_creation_shows_is_told_inside_the_call_and_nowhere_else";
    let ran = in_child(test, enabled, || {
        let world = World::new(&[ash::ext::debug_utils::NAME], &[]);
        let utils = ash::ext::debug_utils::Instance::new(&world.entry, &world.instance);
        let mut heard: Vec<Heard> = Vec::new();
        let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(vk::DebugUtilsMessageSeverityFlagsEXT::INFO)
            .message_type(vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE)
            .pfn_user_callback(Some(messenger))
            .user_data((&raw mut heard).cast());
        // SAFETY: the instance lives and `heard` outlives the messenger.
        let callback = unsafe { utils.create_debug_utils_messenger(&info, None) }.unwrap();
        let layout = vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
        let attachments = [vk::AttachmentDescription::default()
            .format(DEPTH)
            .samples(vk::SampleCountFlags::TYPE_1)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)
            .final_layout(layout)];
        let reference = vk::AttachmentReference { attachment: 0, layout };
        let subpasses = [vk::SubpassDescription::default().depth_stencil_attachment(&reference)];
        let info =
            vk::RenderPassCreateInfo::default().attachments(&attachments).subpasses(&subpasses);
        // SAFETY: the device lives.
        let pass = unsafe { world.device.create_render_pass(&info, None) }.unwrap();
        assert_eq!(heard, [("depth-store".to_owned(), pass.as_raw())]);
        // SAFETY: nothing uses it.
        unsafe { world.device.destroy_render_pass(pass, None) };
        // SAFETY: the messenger lives.
        unsafe { utils.destroy_debug_utils_messenger(callback, None) };
        world.destroy(Vec::new());
        assert_eq!(heard.len(), 1);
        let text = std::fs::read_to_string(std::env::var("TILELINT_REPORT").unwrap()).unwrap();
        assert!(!text.contains("depth-store"), "{text}");
    });
    if let Some(ran) = ran {
        assert_eq!(findings(&ran), Vec::<&str>::new());
        assert!(!ran.stderr.contains("depth-store"), "{}", ran.stderr);
    }
}

/// Notes every message of the layer's: its name, its types and how many queues' labels it has.
unsafe extern "system" fn chained(
    _severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user_data: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the data is valid during the call.
    let data = unsafe { &*data };
    if let Some(name) = name_of(data) {
        // SAFETY: a list of the test's own.
        unsafe { &mut *user_data.cast::<Vec<Told>>() }.push((name, types));
    }
    vk::FALSE
}

type Told = (String, vk::DebugUtilsMessageTypeFlagsEXT);

fn info(heard: &mut Vec<Told>) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
    vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(
            vk::DebugUtilsMessageSeverityFlagsEXT::WARNING
                | vk::DebugUtilsMessageSeverityFlagsEXT::INFO,
        )
        .message_type(
            vk::DebugUtilsMessageTypeFlagsEXT::GENERAL
                | vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE,
        )
        .pfn_user_callback(Some(chained))
        .user_data((&raw mut *heard).cast())
}

fn unknown_target(command: &mut Command, folder: &TempDir) {
    enabled(command, folder);
    command.env("TILELINT_TARGETS", "quest2,toaster");
}

#[test]
fn a_messenger_chained_to_the_instance_hears_of_its_creation() {
    let test = "messages::a_messenger_chained_to_the_instance_hears_of_its_creation";
    in_child(test, unknown_target, || {
        let mut heard: Vec<Told> = Vec::new();
        let mut messenger = info(&mut heard);
        let create = vk::InstanceCreateInfo::default().push_next(&mut messenger);
        let world = World::with(&create, &[ash::ext::debug_utils::NAME], &[]);
        let problem = [("tilelint".to_owned(), vk::DebugUtilsMessageTypeFlagsEXT::GENERAL)];
        assert_eq!(heard, problem);
        // It is for the creation and the destruction of the instance only.
        let depth = world.depth(DEPTH, EXTENT);
        world.frames(&depth, 6);
        // SAFETY: the device lives; what it made goes with the test process.
        unsafe { world.device.destroy_device(None) };
        assert_eq!(heard, problem);
        // SAFETY: the device is gone.
        unsafe { world.instance.destroy_instance(None) };
        assert_eq!(heard, problem);
    });
}

/// A program whose last frame ends with it: what that frame confirms is found when the instance
/// goes.
#[test]
fn a_messenger_chained_to_the_instance_hears_what_its_end_shows() {
    let test = "messages::a_messenger_chained_to_the_instance_hears_what_its_end_shows";
    in_child(test, enabled, || {
        let mut heard: Vec<Told> = Vec::new();
        let mut messenger = info(&mut heard);
        let create = vk::InstanceCreateInfo::default().push_next(&mut messenger);
        let world = World::with(&create, &[ash::ext::debug_utils::NAME], &[]);
        let depth = world.depth(DEPTH, EXTENT);
        world.frames(&depth, 4);
        // SAFETY: the device lives; what it made goes with the test process.
        unsafe { world.device.destroy_device(None) };
        assert_eq!(heard, []);
        // SAFETY: the device is gone.
        unsafe { world.instance.destroy_instance(None) };
        let found = ("non-transient".to_owned(), vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE);
        assert_eq!(heard, [found]);
    });
}
