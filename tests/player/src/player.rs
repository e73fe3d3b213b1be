//! One device of a listing while it plays: the objects that exist, and the calls in turn.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use ash::vk::{self, Handle};
use tilelint::call::*;

use crate::error::{Done, Error};
use crate::gpu::{Gpu, Host, api, c_string};

/// An image.
pub(crate) struct Image {
    pub handle: vk::Image,
    pub info: ImageInfo,
    /// Memory of its own, or that it was bound to.
    pub memory: Option<vk::DeviceMemory>,
    pub owns: bool,
}

/// A buffer.
pub(crate) struct Buffer {
    pub handle: vk::Buffer,
    /// Size in bytes.
    pub size: u64,
    /// Memory of its own, or that it was bound to.
    pub memory: Option<vk::DeviceMemory>,
    pub owns: bool,
}

/// A swapchain.
pub(crate) struct Swapchain {
    pub handle: vk::SwapchainKHR,
    pub surface: vk::SurfaceKHR,
    pub images: Vec<ImageKey>,
    /// The image of the listing that is the driver's first.
    pub first: u32,
}

impl Swapchain {
    /// The driver's index of an image of the listing.
    pub fn real(&self, image: u32) -> u32 {
        let count = self.images.len().max(1) as u32;
        (image % count + count - self.first % count) % count
    }
}

/// A descriptor set with its pool.
#[derive(Clone, Copy)]
pub(crate) struct Set {
    pub handle: vk::DescriptorSet,
    pub pool: vk::DescriptorPool,
    pub layout: SetLayoutKey,
}

/// A pipeline, and what its draws need to know of it.
pub(crate) struct Pipeline {
    pub handle: vk::Pipeline,
    /// The same with a mesh shader in place of the vertex shader; null where no draw needs it.
    pub mesh: vk::Pipeline,
    pub dynamic: Vec<vk::DynamicState>,
}

/// A command buffer.
#[derive(Clone, Copy)]
pub(crate) struct Commands {
    pub handle: vk::CommandBuffer,
    pub secondary: bool,
    /// Family of its pool.
    pub family: u32,
    /// Number of the last submission that held it; 0 where none did.
    pub submitted: u64,
}

/// A submission that may still run.
pub(crate) struct Flight {
    pub number: u64,
    pub queue: vk::Queue,
    pub fence: Option<FenceKey>,
    pub signals: Vec<(SemaphoreKey, u64)>,
}

/// What exists on a device.
#[derive(Default)]
pub(crate) struct Objects {
    pub images: HashMap<ImageKey, Image>,
    pub memories: HashMap<MemoryKey, vk::DeviceMemory>,
    pub views: HashMap<ViewKey, (vk::ImageView, ViewInfo)>,
    pub buffers: HashMap<BufferKey, Buffer>,
    pub samplers: HashMap<SamplerKey, vk::Sampler>,
    pub swapchains: HashMap<SwapchainKey, Swapchain>,
    pub render_passes: HashMap<RenderPassKey, (vk::RenderPass, Arc<RenderPassInfo>)>,
    pub framebuffers: HashMap<FramebufferKey, (vk::Framebuffer, FramebufferInfo)>,
    pub shaders: HashMap<ShaderKey, (vk::ShaderModule, ShaderInfo)>,
    pub set_layouts: HashMap<SetLayoutKey, (vk::DescriptorSetLayout, SetLayoutInfo)>,
    pub layouts: HashMap<PipelineLayoutKey, (vk::PipelineLayout, PipelineLayoutInfo)>,
    pub sets: HashMap<SetKey, Set>,
    pub pipelines: HashMap<PipelineKey, Pipeline>,
    pub semaphores: HashMap<SemaphoreKey, vk::Semaphore>,
    pub fences: HashMap<FenceKey, vk::Fence>,
    pub events: HashMap<EventKey, vk::Event>,
    pub query_pools: HashMap<QueryPoolKey, (vk::QueryPool, QueryPoolInfo)>,
    pub commands: HashMap<CommandsKey, Commands>,
    /// Objects that only the player knows: destroyed at the end.
    pub extra_layouts: Vec<vk::PipelineLayout>,
    pub extra_buffers: Vec<Buffer>,
    pub pools: HashMap<u32, vk::CommandPool>,
}

/// A device that plays.
pub(crate) struct Player<'a> {
    pub host: &'a Host,
    pub gpu: Gpu,
    pub key: DeviceKey,
    /// All entries of the listing, to look ahead.
    pub entries: &'a [Entry],
    /// Folder of the listing: shaders are looked for from there.
    pub folder: &'a Path,
    pub objects: Objects,
    pub line: Line,
    /// Place of the entry that is being played.
    pub at: usize,
    /// Mapped memory.
    pub mapped: Vec<vk::DeviceMemory>,
    pub submissions: u64,
    pub flights: Vec<Flight>,
    /// Secondary command buffers that each command buffer executes.
    pub executed: HashMap<CommandsKey, Vec<CommandsKey>>,
    /// Labels of the passes of each render pass object.
    pub labels: HashMap<RenderPassKey, Vec<Box<str>>>,
    /// Memory types of the listing's device line.
    pub listed_types: HashMap<u32, vk::MemoryPropertyFlags>,
    /// Index and indirect buffer of draws that name none, with the vertices they hold.
    pub stand_ins: Option<crate::draw::StandIns>,
    /// A present or another boundary already ended this frame.
    pub frame_ended: bool,
}

impl<'a> Player<'a> {
    pub fn new(
        host: &'a Host,
        gpu: Gpu,
        key: DeviceKey,
        entries: &'a [Entry],
        folder: &'a Path,
    ) -> Self {
        Self {
            host,
            gpu,
            key,
            entries,
            folder,
            objects: Objects::default(),
            line: Line(0),
            at: 0,
            mapped: Vec::new(),
            submissions: 0,
            flights: Vec::new(),
            executed: HashMap::new(),
            labels: labels(entries, key),
            listed_types: HashMap::new(),
            stand_ins: None,
            frame_ended: false,
        }
    }

    /// The error about a call that failed.
    pub fn failed(&self, call: &'static str) -> impl Fn(vk::Result) -> Error + use<> {
        let line = self.line;
        move |result| Error::Driver(line, call, result)
    }

    /// An error about the listing.
    pub fn bad<T>(&self, message: impl Into<String>) -> Done<T> {
        Err(Error::Listing(self.line, message.into()))
    }

    /// Something that a table must hold.
    pub fn found<T>(&self, what: &str, value: Option<T>) -> Done<T> {
        match value {
            Some(value) => Ok(value),
            None => self.bad(format!("the {what} does not exist here")),
        }
    }

    /// Gives an object a debug name.
    pub fn name<T: Handle>(&self, handle: T, name: Option<&str>) -> Done {
        let Some(name) = name else { return Ok(()) };
        let name = c_string(name);
        let info =
            vk::DebugUtilsObjectNameInfoEXT::default().object_handle(handle).object_name(&name);
        let done = api!(self.gpu.debug.set_debug_utils_object_name(&info));
        done.map_err(self.failed("vkSetDebugUtilsObjectNameEXT"))
    }

    /// Plays one entry.
    pub fn play(&mut self, at: usize, entry: &Entry) -> Done {
        self.at = at;
        self.line = entry.line;
        let played = self.call(entry);
        match (played, entry.failed) {
            // The listing says that the call failed, and so it did.
            (Err(Error::Driver(_, _, result)), Some(expected)) if result == expected => Ok(()),
            (Ok(()), Some(expected)) if expected.as_raw() < 0 && makes(&entry.call) => {
                self.bad(format!("the call was to fail with {expected:?}, but it succeeded"))
            }
            (played, _) => played,
        }
    }

    fn call(&mut self, entry: &Entry) -> Done {
        let name = entry.name.as_deref();
        match &entry.call {
            Call::Device(_) => self.name(self.gpu.device.handle(), name),
            Call::MemoryType { index, flags, .. } => {
                self.listed_types.insert(*index, *flags);
                Ok(())
            }
            Call::Queue(key, _) => self.name_queue(*key, name),
            Call::Image(key, info) => self.image(*key, info, name),
            Call::Memory(key, info) => self.memory(*key, info, name),
            Call::Bind(key, info) => self.bind(*key, info),
            Call::BindBuffer(key, info) => self.bind_buffer(*key, info),
            Call::View(key, info) => self.view(*key, info, name),
            Call::Buffer(key, info) => self.buffer(*key, info, name),
            Call::Sampler(key, info) => self.sampler(*key, info, name),
            Call::Swapchain(key, info) => self.swapchain(*key, info, name),
            Call::RenderPass(key, info) => self.render_pass(*key, info, name),
            Call::Framebuffer(key, info) => self.framebuffer(*key, info, name),
            Call::Shader(key, info) => self.shader(*key, info, name),
            Call::SetLayout(key, info) => self.set_layout(*key, info, name),
            Call::PipelineLayout(key, info) => self.pipeline_layout(*key, info, name),
            Call::Set(key, info) => self.set(*key, info.layout, name),
            Call::Write(info) => self.write(info),
            Call::Pipeline(key, info) => self.pipeline(*key, info, name),
            Call::Semaphore(key, info) => self.semaphore(*key, info, name),
            Call::Fence(key, signaled) => self.fence(*key, *signaled, name),
            Call::Event(key) => self.event(*key, name),
            Call::QueryPool(key, info) => self.query_pool(*key, info, name),
            Call::Name(object, text) => self.rename(*object, text),
            Call::Destroy(object) => self.destroy(*object),
            Call::FenceReset(keys) => self.fence_reset(keys),
            Call::Commands(key, recording) => self.commands(*key, recording, name),
            Call::Reset(key) => self.reset(*key),
            Call::Submit(info) => self.submit(info),
            Call::Acquire(info) => self.acquire(info),
            Call::Present(info) => self.present(info, entry.failed),
            Call::Wait(info) => self.wait(info),
            Call::Signal(key, value) => self.signal(*key, *value),
            Call::WaitIdle(info) => self.wait_idle(info),
            Call::Host(info) => self.host_access(info),
            Call::QueueLabel { queue, text } => {
                self.queue_label(*queue, text.as_deref());
                Ok(())
            }
            Call::Frame { by, .. } => {
                self.frame(*by);
                Ok(())
            }
        }
    }

    fn name_queue(&self, key: QueueKey, name: Option<&str>) -> Done {
        let (handle, _) = self.gpu.queue(key);
        let shared = self.gpu.queues.iter().filter(|(_, (queue, _))| *queue == handle);
        let first = shared.map(|(key, _)| *key).min();
        // Where one queue stands for several, it has the name of the first.
        if first.is_none_or(|first| first == key) { self.name(handle, name) } else { Ok(()) }
    }

    /// Destroys an object.
    fn destroy(&mut self, object: Object) -> Done {
        self.forget(object);
        Ok(())
    }
}

/// Says whether a call makes an object, so that success must be noticed.
fn makes(call: &Call) -> bool {
    matches!(
        call,
        Call::Image(..) | Call::Memory(..) | Call::View(..) | Call::Buffer(..) | Call::Pipeline(..)
    )
}

/// The labels of the passes of each render pass object, in order, each once.
fn labels(entries: &[Entry], device: DeviceKey) -> HashMap<RenderPassKey, Vec<Box<str>>> {
    let mut labels: HashMap<RenderPassKey, Vec<Box<str>>> = HashMap::new();
    for entry in entries.iter().filter(|e| e.device == device) {
        let Call::Commands(_, recording) = &entry.call else { continue };
        for command in &recording.commands {
            let Command::BeginPass(begin) = command else { continue };
            let PassTarget::Object { render_pass, .. } = &begin.target else { continue };
            let label = begin.label.clone().unwrap_or_default();
            let all = labels.entry(*render_pass).or_default();
            if !all.contains(&label) {
                all.push(label);
            }
        }
    }
    labels
}
