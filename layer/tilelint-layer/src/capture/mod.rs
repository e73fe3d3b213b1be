//! What the calls show, as the library's calls. Safe code: it sees views, never pointers.
//!
//! [`DeviceCapture`] is shared by all threads of a device and holds the little that is needed to
//! translate a call; everything else is the model's. [`Recorder`] is private to a command buffer.

mod barrier;
mod codes;
mod commands;
mod commitment;
mod descriptor;
mod features;
mod objects;
mod pass;
mod pipeline;
mod queue;
mod quick;
mod recorder;
mod render_pass;
mod spares;
mod state;
mod transfer;
mod unknown;

pub(crate) use barrier::OldBarriers;
pub(crate) use descriptor::template_bytes;
pub(crate) use objects::BoundImage;
pub(crate) use recorder::Recorder;
pub(crate) use transfer::{blit_region, buffer_end, buffer_region, image_end, region};
pub(crate) use unknown::structures as unknown_structures;

use crate::ffi::asked::Asked;
use crate::ffi::device_info::PhysicalInfo;
use crate::ffi::read::View;
use crate::handles::Handles;
use crate::queue::Ticket;
use crate::session::Sink;
use crate::settings::InstanceSettings;
use ash::vk::{self, Handle};
use parking_lot::Mutex;
use rustc_hash::FxHashSet;
use std::ffi::{CStr, CString};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;
use tilelint::call::{
    BufferKey, Call, CommandsKey, DeviceInfo, DeviceKey, Entry, EventKey, FenceKey, FramebufferKey,
    ImageKey, MemoryKey, Object, PipelineKey, PipelineLayoutKey, QueryPoolKey, QueueInfo, QueueKey,
    RenderPassKey, SamplerKey, SemaphoreKey, SetKey, SetLayoutKey, ShaderKey, SwapchainKey,
    ViewKey,
};
use tilelint::model::Table;

/// Longest name or label that is kept, in bytes.
const TEXT_LIMIT: usize = 1024;

/// A finding for the application's callbacks.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    pub(crate) types: vk::DebugUtilsMessageTypeFlagsEXT,
    pub(crate) id_name: CString,
    pub(crate) id_number: i32,
    pub(crate) text: CString,
    pub(crate) objects: Vec<MessageObject>,
    /// Regions of the queue, outermost first.
    pub(crate) queue_labels: Vec<CString>,
    /// Regions of the command buffer, outermost first.
    pub(crate) labels: Vec<CString>,
}

/// An object that a message is about.
#[derive(Clone, Debug)]
pub(crate) struct MessageObject {
    pub(crate) object_type: vk::ObjectType,
    pub(crate) handle: u64,
    pub(crate) name: Option<CString>,
}

/// What the capture keeps for a device.
pub(crate) struct DeviceCapture {
    key: DeviceKey,
    sink: Arc<Sink>,
    outbox: Arc<Outbox>,
    spares: Arc<spares::SharedSpares>,
    codes: codes::Codes,
    is_on: AtomicBool,
    asked: Asked,
    lazy: commitment::LazyMemory,
    queue_families: Vec<vk::QueueFamilyProperties>,
    queues: Mutex<FxHashSet<u64>>,
    pools: Mutex<Table<Handles>>,
    set_images: Mutex<Table<descriptor::SetImages>>,
    templates: Mutex<Table<Arc<descriptor::Template>>>,
    timelines: Mutex<Table<()>>,
    /// When each swapchain was last presented.
    presented: Mutex<Table<Instant>>,
    render_passes: Mutex<Table<Arc<[render_pass::SubpassUse]>>>,
}

/// Findings on their way to the application's callbacks.
#[derive(Default)]
pub(crate) struct Outbox {
    waiting: AtomicBool,
    messages: Mutex<Vec<Message>>,
}

impl Outbox {
    /// Adds a message; it is delivered inside the application's own next call.
    pub(crate) fn push(&self, message: Message) {
        self.messages.lock().push(message);
        self.waiting.store(true, Ordering::Release);
    }

    /// Takes what waits.
    pub(crate) fn take(&self) -> Vec<Message> {
        self.waiting.store(false, Ordering::Relaxed);
        std::mem::take(&mut *self.messages.lock())
    }
}

impl DeviceCapture {
    /// Opens the capture of a new device and tells the model about it.
    pub(crate) fn new(
        settings: &InstanceSettings,
        physical: PhysicalInfo,
        info: View<'_, vk::DeviceCreateInfo<'_>>,
        extensions: &[&CStr],
        asked: Asked,
    ) -> DeviceCapture {
        let mut capture =
            DeviceCapture::with_sink(settings.sink(), physical.queue_families.clone());
        capture.asked = asked;
        capture.lazy = commitment::LazyMemory::new(&physical.memory);
        let memory = &physical.memory;
        capture.emit(Call::Device(Box::new(device_info(settings, &physical, info, extensions))));
        for (index, kind) in memory.memory_types_as_slice().iter().enumerate() {
            let heap = memory.memory_heaps.get(kind.heap_index as usize);
            capture.emit(Call::MemoryType {
                index: index as u32,
                flags: kind.property_flags,
                heap_size: heap.map_or(0, |heap| heap.size),
            });
        }
        capture.sink.add_device(capture.key, Arc::clone(&capture.outbox));
        capture
    }

    /// Returns the capture of a device that is not linted.
    pub(crate) fn off() -> DeviceCapture {
        let capture = DeviceCapture::with_sink(Sink::nowhere(), Vec::new());
        capture.silence();
        capture
    }

    fn with_sink(sink: Arc<Sink>, queue_families: Vec<vk::QueueFamilyProperties>) -> DeviceCapture {
        static LAST_KEY: AtomicU64 = AtomicU64::new(0);
        DeviceCapture {
            key: DeviceKey(LAST_KEY.fetch_add(1, Ordering::Relaxed) + 1),
            sink,
            outbox: Arc::default(),
            spares: Arc::default(),
            codes: codes::Codes::default(),
            is_on: AtomicBool::new(true),
            asked: Asked::default(),
            lazy: commitment::LazyMemory::default(),
            queue_families,
            queues: Mutex::default(),
            pools: Mutex::default(),
            set_images: Mutex::default(),
            templates: Mutex::default(),
            timelines: Mutex::default(),
            presented: Mutex::default(),
            render_passes: Mutex::default(),
        }
    }

    /// Returns what the device answers.
    pub(crate) fn asked(&self) -> Asked {
        self.asked
    }

    /// Says that nothing more is known of this device: the capture failed.
    pub(crate) fn silence(&self) {
        if self.is_on.swap(false, Ordering::Relaxed) {
            self.sink.device_silenced(self.key);
        }
    }

    /// Returns whether findings wait for delivery.
    #[inline]
    pub(crate) fn has_messages(&self) -> bool {
        self.outbox.waiting.load(Ordering::Acquire)
    }

    /// Takes the findings that wait for delivery.
    pub(crate) fn take_messages(&self) -> Vec<Message> {
        self.outbox.take()
    }

    /// Analyses what is left and writes the report; the device is about to go.
    pub(crate) fn finish(&self) {
        self.emit(Call::Destroy(self.key.into()));
        self.sink.finish_device(self.key);
    }

    /// Returns the recorder of a new command buffer.
    pub(crate) fn recorder(
        &self,
        buffer: vk::CommandBuffer,
        level: vk::CommandBufferLevel,
    ) -> Recorder {
        let is_secondary = level == vk::CommandBufferLevel::SECONDARY;
        let key = CommandsKey(buffer.as_raw());
        let (sink, spares) = (Arc::clone(&self.sink), Arc::clone(&self.spares));
        Recorder::new(self.key, key, is_secondary, sink, spares)
    }

    /// A command buffer was freed, also through its pool.
    pub(crate) fn free_buffer(&self, buffer: vk::CommandBuffer) {
        self.emit(Call::Destroy(CommandsKey(buffer.as_raw()).into()));
    }

    fn emit(&self, call: Call) {
        if self.is_on.load(Ordering::Relaxed) {
            self.sink.push(Entry::new(self.key, call));
        }
    }

    /// Queues a call whose result is not known yet; what follows waits for [`Self::resolve`].
    fn emit_pending(&self, call: Call) -> Option<Ticket> {
        self.is_on
            .load(Ordering::Relaxed)
            .then(|| self.sink.push_pending(Entry::new(self.key, call)))
    }

    /// Gives the result of a pending call.
    pub(crate) fn resolve(&self, ticket: Option<Ticket>, result: vk::Result) {
        if let Some(ticket) = ticket {
            self.sink.resolve(ticket, result);
        }
    }

    /// Returns the key of a queue, which the model hears of when it is first seen.
    fn queue_key(&self, queue: vk::Queue) -> QueueKey {
        QueueKey(queue.as_raw())
    }

    /// `vkGetDeviceQueue`, either form.
    pub(crate) fn queue(&self, queue: vk::Queue, family: u32) {
        if queue.is_null() || !self.queues.lock().insert(queue.as_raw()) {
            return;
        }
        let properties = self.queue_families.get(family as usize);
        let flags = properties.map_or(vk::QueueFlags::empty(), |family| family.queue_flags);
        self.emit(Call::Queue(self.queue_key(queue), QueueInfo { family, flags }));
    }

    /// An object got a name, or lost it.
    pub(crate) fn name(&self, object_type: vk::ObjectType, handle: u64, name: Option<&CStr>) {
        if let Some(object) = object(object_type, handle) {
            self.emit(Call::Name(object, text(name)));
        }
    }

    /// A label region of a queue begins.
    pub(crate) fn queue_label_begin(&self, queue: vk::Queue, label: Option<&CStr>) {
        let queue = self.queue_key(queue);
        self.emit(Call::QueueLabel { queue, text: Some(text(label)) });
    }

    /// A label region of a queue ends.
    pub(crate) fn queue_label_end(&self, queue: vk::Queue) {
        self.emit(Call::QueueLabel { queue: self.queue_key(queue), text: None });
    }
}

/// Returns a text of the application, owned and of bounded length.
pub(crate) fn text(name: Option<&CStr>) -> Box<str> {
    let bytes = name.map_or(&b""[..], CStr::to_bytes);
    let end = bytes.len().min(TEXT_LIMIT);
    String::from_utf8_lossy(&bytes[..end]).into_owned().into_boxed_str()
}

fn device_info(
    settings: &InstanceSettings,
    physical: &PhysicalInfo,
    info: View<'_, vk::DeviceCreateInfo<'_>>,
    extensions: &[&CStr],
) -> DeviceInfo {
    let properties = &physical.properties;
    // The driver's version where the application asked for a newer one.
    let api = settings.api_version().min(properties.api_version.max(vk::API_VERSION_1_0));
    DeviceInfo {
        api,
        vendor: properties.vendor_id,
        id: properties.device_id,
        name: text(properties.device_name_as_c_str().ok()),
        extensions: extensions.iter().map(|name| text(Some(name))).collect(),
        features: features::features(info),
    }
}

/// Returns the library's name for a handle, or `None` for kinds that it does not know.
fn object(object_type: vk::ObjectType, handle: u64) -> Option<Object> {
    Some(match object_type {
        vk::ObjectType::QUEUE => QueueKey(handle).into(),
        vk::ObjectType::IMAGE => ImageKey(handle).into(),
        vk::ObjectType::DEVICE_MEMORY => MemoryKey(handle).into(),
        vk::ObjectType::IMAGE_VIEW => ViewKey(handle).into(),
        vk::ObjectType::BUFFER => BufferKey(handle).into(),
        vk::ObjectType::SAMPLER => SamplerKey(handle).into(),
        vk::ObjectType::SWAPCHAIN_KHR => SwapchainKey(handle).into(),
        vk::ObjectType::RENDER_PASS => RenderPassKey(handle).into(),
        vk::ObjectType::FRAMEBUFFER => FramebufferKey(handle).into(),
        vk::ObjectType::SHADER_MODULE | vk::ObjectType::SHADER_EXT => ShaderKey(handle).into(),
        vk::ObjectType::DESCRIPTOR_SET_LAYOUT => SetLayoutKey(handle).into(),
        vk::ObjectType::PIPELINE_LAYOUT => PipelineLayoutKey(handle).into(),
        vk::ObjectType::DESCRIPTOR_SET => SetKey(handle).into(),
        vk::ObjectType::PIPELINE => PipelineKey(handle).into(),
        vk::ObjectType::SEMAPHORE => SemaphoreKey(handle).into(),
        vk::ObjectType::FENCE => FenceKey(handle).into(),
        vk::ObjectType::EVENT => EventKey(handle).into(),
        vk::ObjectType::QUERY_POOL => QueryPoolKey(handle).into(),
        vk::ObjectType::COMMAND_BUFFER => CommandsKey(handle).into(),
        _ => return None,
    })
}
