//! A device: its objects, and what calls on them change.

use std::sync::Arc;

use ash::vk;
use rustc_hash::FxHashMap;

use super::frame::Frame;
use super::frames::Frames;
use super::ledger::{Fate, Ledger};
use super::objects::*;
use super::queues::Queues;
use super::run_pass::OpenPass;
use super::timeline::*;
use super::track::{Contents, Tracked};
use crate::call::*;

/// Settings of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Steady frames that a verdict over frames takes. 1 serves one-shot programs: then every
    /// frame counts as steady.
    pub steady_frames: u32,
    /// Only `frame` lines end frames.
    pub markers_only: bool,
    /// Frames before are missing: contents start as unknown.
    pub starts_unknown: bool,
    /// Number of the first frame.
    pub first_frame: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { steady_frames: 3, markers_only: false, starts_unknown: false, first_frame: 0 }
    }
}

/// Why the content of an image is always live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlwaysLive {
    /// A swapchain image.
    Swapchain,
    /// The application did not make it through this device.
    NotOurs,
    /// It lies in tile memory.
    TileMemory,
    /// Something about it is not understood.
    Opaque,
    /// External memory, or handed over outside the device.
    External,
    /// Sparse.
    Sparse,
    /// It shares its content with an identical image.
    Alias,
    /// Linear and host-visible.
    Host,
    /// Reachable through a bindless descriptor.
    Bindless,
}

/// How an image was used since it was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImageUse {
    /// Executed passes that had it as an attachment they use.
    pub passes: u64,
    /// A pass LOADed an aspect, or could have.
    pub loaded: bool,
    /// A pass STOREd an aspect, or could have.
    pub stored: bool,
    /// The stores, at most 16 of them; more set `stored_elsewhere`.
    pub stores: Vec<StoreKey>,
    /// A store that the list has no room for.
    pub stored_elsewhere: bool,
    /// A density map, a shading-rate image, or in the list of a pass that does not use it.
    pub other_role: bool,
    /// Kinds of read other than LOAD, as bits by [`Read`].
    pub reads: u16,
    /// Written by a command or a shader.
    pub written: bool,
}

impl ImageUse {
    pub(super) fn read(&mut self, read: Read) {
        self.reads |= 1 << read as u8;
    }

    /// Says whether something other than passes used it.
    pub fn elsewhere(&self) -> bool {
        self.reads & !(1 << Read::Load as u8 | 1 << Read::Input as u8) != 0 || self.written
    }
}

/// Frames in which a pass variant occurred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VariantCount {
    /// Frames.
    pub frames: u64,
    /// Steady frames.
    pub steady: u64,
    /// First frame.
    pub first: u64,
    /// Last frame.
    pub last: u64,
    /// Occurrences in the last frame.
    pub per_frame: u32,
}

/// A swapchain.
#[derive(Clone, Debug)]
pub struct Swapchain {
    /// What was asked for.
    pub info: SwapchainInfo,
    /// Its images.
    pub images: Vec<ImageId>,
}

/// A pipeline layout with the set layouts it was made from.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Number of sets.
    pub sets: usize,
}

/// A device.
#[derive(Debug)]
pub struct DeviceModel {
    key: DeviceKey,
    alive: bool,
    /// What was asked for.
    pub info: DeviceInfo,
    /// Name: `device.N`.
    pub name: Arc<str>,
    /// Settings.
    pub settings: Settings,
    /// Memory types: flags and heap size by index.
    pub memory_types: Vec<(vk::MemoryPropertyFlags, u64)>,
    pub(super) contents: Contents,
    pub(super) image_keys: Table<ImageId>,
    pub(super) views: Table<View>,
    pub(super) memories: Table<Memory>,
    pub(super) render_passes: Table<RenderPass>,
    pub(super) framebuffers: Table<Framebuffer>,
    pub(super) set_layouts: Table<Arc<SetLayoutInfo>>,
    pub(super) layouts: Table<Layout>,
    pub(super) sets: Table<Set>,
    pub(super) pipelines: Table<Arc<Pipeline>>,
    pub(super) shaders: Table<Arc<ShaderInfo>>,
    pub(super) swapchains: Table<Swapchain>,
    pub(super) commands: Table<(Arc<str>, Option<Arc<Recording>>)>,
    pub(super) queues: Queues,
    pub(super) frames: Frames,
    pub(super) ledger: Ledger,
    /// Frames by pass variant.
    pub(super) variants: FxHashMap<u64, VariantCount>,
    pub(super) suspended: FxHashMap<QueueKey, Box<OpenPass>>,
    next_image: u32,
    next_pipeline: u32,
}

impl DeviceModel {
    pub(super) fn new(
        key: DeviceKey,
        info: &DeviceInfo,
        name: Option<&str>,
        number: u32,
        settings: Settings,
    ) -> Self {
        Self {
            key,
            alive: true,
            info: info.clone(),
            name: match name {
                Some(name) => name.into(),
                None => format!("device.{number}").into(),
            },
            settings,
            memory_types: Vec::new(),
            contents: Contents::default(),
            image_keys: Table::default(),
            views: Table::default(),
            memories: Table::default(),
            render_passes: Table::default(),
            framebuffers: Table::default(),
            set_layouts: Table::default(),
            layouts: Table::default(),
            sets: Table::default(),
            pipelines: Table::default(),
            shaders: Table::default(),
            swapchains: Table::default(),
            commands: Table::default(),
            queues: Queues::default(),
            frames: Frames::new(settings),
            ledger: Ledger::default(),
            variants: FxHashMap::default(),
            suspended: FxHashMap::default(),
            next_image: 0,
            next_pipeline: 0,
        }
    }

    /// Its key while it lives.
    pub fn key(&self) -> DeviceKey {
        self.key
    }

    /// It was not destroyed yet.
    pub fn is_alive(&self) -> bool {
        self.alive
    }

    /// Frames seen and steady frames among them.
    pub fn frame_counts(&self) -> (u64, u64) {
        self.frames.counts()
    }

    /// What ends the frames of this device.
    pub fn boundary(&self) -> FrameBoundary {
        self.frames.boundary()
    }

    /// Images alive now.
    pub fn images(&self) -> impl Iterator<Item = (&Arc<Image>, &ImageUse)> {
        self.contents.images.values().map(|tracked| (&tracked.image, &tracked.used))
    }

    /// An image that lives, and how it was used.
    pub fn image(&self, id: ImageId) -> Option<(&Arc<Image>, &ImageUse)> {
        self.contents.images.get(&id).map(|tracked| (&tracked.image, &tracked.used))
    }

    /// Says why an image's content is always live, if it is. An image that is gone is not judged.
    pub fn always_live(&self, id: ImageId) -> Option<AlwaysLive> {
        match self.contents.images.get(&id) {
            Some(tracked) => tracked.always_live(),
            None => None,
        }
    }

    /// What becomes of a store.
    pub fn fate(&self, key: StoreKey) -> Fate {
        self.ledger.fate(key, self.settings.steady_frames)
    }

    /// In which frames a pass variant occurred.
    pub fn variant(&self, variant: u64) -> VariantCount {
        self.variants.get(&variant).copied().unwrap_or_default()
    }

    /// Some memory type is lazily allocated.
    pub fn has_lazy_memory(&self) -> bool {
        let lazy = vk::MemoryPropertyFlags::LAZILY_ALLOCATED;
        self.memory_types.iter().any(|(flags, _)| flags.contains(lazy))
    }

    /// Applies a call; returns the frame that it completed.
    pub(super) fn apply(&mut self, entry: &Entry) -> Option<Frame> {
        if entry.failed.is_some() {
            return None;
        }
        let name = entry.name.as_deref();
        match &entry.call {
            Call::Device(_) => {}
            Call::MemoryType { index, flags, heap_size } => {
                let index = *index as usize;
                if index < 32 {
                    let len = self.memory_types.len().max(index + 1);
                    self.memory_types.resize(len, (vk::MemoryPropertyFlags::empty(), 0));
                    self.memory_types[index] = (*flags, *heap_size);
                }
            }
            Call::Queue(key, info) => self.queues.add(*key, *info),
            Call::Image(key, info) => {
                self.add_image(*key, info, name, entry.line);
            }
            Call::Memory(key, info) => self.add_memory(*key, info),
            Call::Bind(key, info) => self.bind(*key, info),
            Call::View(key, info) => self.add_view(*key, info),
            Call::Swapchain(key, info) => self.add_swapchain(*key, info, name),
            Call::RenderPass(key, info) => {
                let number = self.render_passes.next_number();
                let name = super::objects::name(Kind::RenderPass, name, number);
                self.render_passes.insert(key.0, RenderPass { info: Arc::clone(info), name });
                self.frames.made();
            }
            Call::Framebuffer(key, info) => {
                let info = FramebufferInfo::clone(info);
                self.framebuffers.insert(key.0, Framebuffer { info });
            }
            Call::Shader(key, info) => {
                self.shaders.insert(key.0, Arc::new(ShaderInfo::clone(info)));
            }
            Call::SetLayout(key, info) => {
                self.set_layouts.insert(key.0, Arc::new(SetLayoutInfo::clone(info)));
            }
            Call::PipelineLayout(key, info) => {
                self.layouts.insert(key.0, Layout { sets: info.sets.len() });
            }
            Call::Set(key, info) => {
                let layout = self.set_layouts.get(info.layout.0).cloned().unwrap_or_default();
                self.sets.insert(key.0, Set { layout, images: FxHashMap::default() });
            }
            Call::Write(write) => self.write(write),
            Call::Pipeline(key, info) => self.add_pipeline(*key, info, name),
            Call::Name(object, text) => self.rename(*object, text),
            Call::Destroy(object) => self.destroy(*object),
            Call::Commands(key, recording) => {
                let (_, held) = self.commands_slot(*key, name);
                *held = Some(Arc::clone(recording));
            }
            Call::Reset(key) => self.commands_slot(*key, None).1 = None,
            Call::Host(access) => self.host(access),
            _ => return self.apply_queue(entry),
        }
        None
    }

    pub(super) fn commands_slot(
        &mut self,
        key: CommandsKey,
        name: Option<&str>,
    ) -> &mut (Arc<str>, Option<Arc<Recording>>) {
        if self.commands.get(key.0).is_none() {
            let number = self.commands.next_number();
            let text = super::objects::name(Kind::Commands, name, number).text;
            self.commands.insert(key.0, (text, None));
        }
        self.commands.get_mut(key.0).expect("was inserted above")
    }

    fn add_image(
        &mut self,
        key: ImageKey,
        info: &ImageInfo,
        name: Option<&str>,
        line: Line,
    ) -> ImageId {
        self.next_image += 1;
        let id = ImageId(self.next_image);
        let number = self.image_keys.next_number();
        let mut placement = Placement::default();
        if let Some(kind) = info.memory {
            placement.flags = self.memory_flags(kind);
            placement.external = kind == MemoryKind::External;
        }
        let image = Image {
            id,
            key,
            info: info.clone(),
            name: super::objects::name(Kind::Image, name, number),
            placement,
            line,
        };
        let known = info.origin == ImageOrigin::Application
            && !info.before
            && !info.external
            && info.layout == vk::ImageLayout::UNDEFINED;
        let untouched = if known { State::Undefined(Undefined::Never) } else { State::Unknown };
        if image.can_be_attachment() && info.origin == ImageOrigin::Application && !info.before {
            self.frames.made();
        }
        self.contents.images.insert(id, Tracked::new(Arc::new(image), untouched));
        self.image_keys.insert(key.0, id);
        id
    }

    fn memory_flags(&self, kind: MemoryKind) -> Option<vk::MemoryPropertyFlags> {
        use vk::MemoryPropertyFlags as F;
        let first = |with: F, without: F| {
            let mut types = self.memory_types.iter().map(|(flags, _)| *flags);
            types.find(|flags| flags.contains(with) && !flags.intersects(without))
        };
        match kind {
            MemoryKind::Type(index) => self.memory_types.get(index as usize).map(|(f, _)| *f),
            MemoryKind::Device | MemoryKind::External => {
                first(F::DEVICE_LOCAL, F::LAZILY_ALLOCATED)
            }
            MemoryKind::Lazy => first(F::LAZILY_ALLOCATED, F::empty()),
            MemoryKind::Host => first(F::HOST_VISIBLE, F::empty()),
        }
    }

    fn add_memory(&mut self, key: MemoryKey, info: &MemoryInfo) {
        let flags = self.memory_flags(info.kind);
        self.memories.insert(key.0, Memory { info: *info, flags, bound: Vec::new() });
    }

    fn bind(&mut self, key: ImageKey, info: &BindInfo) {
        let Some(id) = self.image_keys.get(key.0).copied() else { return };
        let Some(memory) = self.memories.get_mut(info.memory.0) else { return };
        let Some(tracked) = self.contents.images.get_mut(&id) else { return };
        let image = Arc::make_mut(&mut tracked.image);
        let size = if info.size != 0 { info.size } else { image.memory_bytes().unwrap_or(0) };
        image.placement = Placement {
            memory: Some(info.memory),
            offset: info.offset,
            size,
            flags: memory.flags,
            allowed_types: info.allowed_types,
            external: memory.info.external || memory.info.kind == MemoryKind::External,
        };
        let image = Arc::clone(&tracked.image);
        let end = info.offset.saturating_add(size);
        let overlapping: Vec<(ImageId, bool)> = memory
            .bound
            .iter()
            .filter(|(_, offset, size)| *offset < end && info.offset < offset.saturating_add(*size))
            .map(|(other, offset, _)| (*other, *offset == info.offset))
            .collect();
        memory.bound.push((id, info.offset, size));
        for (other, same_start) in overlapping {
            let Some(other_tracked) = self.contents.images.get_mut(&other) else { continue };
            other_tracked.aliases.push(id);
            let shares = same_start && shares_content(&image.info, &other_tracked.image.info);
            other_tracked.shares_content |= shares;
            if let Some(tracked) = self.contents.images.get_mut(&id) {
                tracked.aliases.push(other);
                tracked.shares_content |= shares;
            }
        }
    }

    fn add_view(&mut self, key: ViewKey, info: &ViewInfo) {
        let Some(id) = self.image_keys.get(info.image.0).copied() else { return };
        let Some(tracked) = self.contents.images.get(&id) else { return };
        let image = &tracked.image.info;
        let slices = image.kind == vk::ImageType::TYPE_3D;
        let count = |count: u32, all: u32, base: u32| count.min(all.saturating_sub(base));
        let view = View {
            image: id,
            format: if info.format == vk::Format::UNDEFINED { image.format } else { info.format },
            aspects: info.aspects,
            base_mip: info.base_mip,
            mips: count(info.mips, image.mips, info.base_mip),
            base_layer: if slices { 0 } else { info.base_layer },
            layers: if slices { 1 } else { count(info.layers, image.layers, info.base_layer) },
            whole: !slices || info.kind == vk::ImageViewType::TYPE_3D,
        };
        self.views.insert(key.0, view);
    }

    fn add_swapchain(&mut self, key: SwapchainKey, info: &SwapchainInfo, name: Option<&str>) {
        let number = self.swapchains.next_number();
        let name = super::objects::name(Kind::Swapchain, name, number);
        let image = ImageInfo {
            format: info.format,
            extent: vk::Extent3D { width: info.extent.width, height: info.extent.height, depth: 1 },
            usage: info.usage,
            layers: info.layers.max(1),
            origin: ImageOrigin::Swapchain,
            ..ImageInfo::default()
        };
        let images = info.images.iter().enumerate().map(|(index, image_key)| {
            let name = format!("{}.{index}", name.text);
            self.add_image(*image_key, &image, Some(&name), Line(0))
        });
        let images = images.collect();
        self.swapchains.insert(key.0, Swapchain { info: info.clone(), images });
        self.frames.made();
    }

    fn add_pipeline(&mut self, key: PipelineKey, info: &PipelineInfo, name: Option<&str>) {
        self.next_pipeline += 1;
        let number = self.pipelines.next_number();
        let layout = info.layout.and_then(|layout| self.layouts.get(layout.0));
        let pipeline = Pipeline {
            id: self.next_pipeline,
            info: info.clone(),
            name: super::objects::name(Kind::Pipeline, name, number),
            sets: layout.map(|layout| layout.sets),
            built_in: info.shaders.is_empty(),
        };
        self.pipelines.insert(key.0, Arc::new(pipeline));
    }

    fn write(&mut self, write: &WriteInfo) {
        let Some(set) = self.sets.get_mut(write.set.0) else { return };
        let flags = vk::DescriptorBindingFlags::UPDATE_AFTER_BIND
            | vk::DescriptorBindingFlags::PARTIALLY_BOUND
            | vk::DescriptorBindingFlags::UPDATE_UNUSED_WHILE_PENDING
            | vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT;
        let layout = Arc::clone(&set.layout);
        let mut bindings = layout.bindings.iter().filter(|b| b.binding >= write.binding);
        let (mut binding, mut element) = (write.binding, write.element);
        let mut described = bindings.next();
        for descriptor in &write.descriptors {
            // A write runs over into the bindings that follow.
            while let Some(b) = described
                && b.binding == binding
                && element >= b.count
            {
                described = bindings.next();
                binding = described.map_or(binding + 1, |b| b.binding);
                element = 0;
            }
            let bindless = described.is_some_and(|b| b.flags.intersects(flags));
            let view = match descriptor {
                Descriptor::Image { view, .. } => self.views.get(view.0).copied(),
                _ => None,
            };
            match view {
                Some(view) => {
                    set.images
                        .insert((binding, element), SetImage { view, kind: write.kind, bindless });
                    if bindless && let Some(t) = self.contents.images.get_mut(&view.image) {
                        t.bindless = true;
                    }
                }
                None => {
                    set.images.remove(&(binding, element));
                }
            }
            element += 1;
        }
    }

    fn rename(&mut self, object: Object, text: &str) {
        let given = |name: &mut Name| {
            if !text.is_empty() {
                *name = Name { text: text.into(), given: true };
            }
        };
        match object.kind {
            Kind::Image => {
                if let Some(id) = self.image_keys.get(object.key)
                    && let Some(tracked) = self.contents.images.get_mut(id)
                {
                    given(&mut Arc::make_mut(&mut tracked.image).name);
                }
            }
            Kind::RenderPass => {
                if let Some(pass) = self.render_passes.get_mut(object.key) {
                    given(&mut pass.name);
                }
            }
            Kind::Pipeline => {
                if let Some(pipeline) = self.pipelines.get_mut(object.key) {
                    given(&mut Arc::make_mut(pipeline).name);
                }
            }
            Kind::Commands => {
                let slot = self.commands_slot(CommandsKey(object.key), Some(text));
                slot.0 = text.into();
            }
            _ => {}
        }
    }

    fn destroy(&mut self, object: Object) {
        match object.kind {
            Kind::Image => {
                if let Some(id) = self.image_keys.remove(object.key) {
                    self.destroy_image(id);
                }
            }
            Kind::Swapchain => {
                if let Some(swapchain) = self.swapchains.remove(object.key) {
                    for (id, key) in swapchain.images.iter().zip(&swapchain.info.images) {
                        self.image_keys.remove(key.0);
                        self.destroy_image(*id);
                    }
                    self.frames.swapchain_gone(SwapchainKey(object.key));
                }
            }
            Kind::Memory => {
                self.memories.remove(object.key);
            }
            Kind::View => {
                self.views.remove(object.key);
            }
            Kind::RenderPass => {
                self.render_passes.remove(object.key);
            }
            Kind::Framebuffer => {
                self.framebuffers.remove(object.key);
            }
            Kind::Shader => {
                self.shaders.remove(object.key);
            }
            Kind::SetLayout => {
                self.set_layouts.remove(object.key);
            }
            Kind::PipelineLayout => {
                self.layouts.remove(object.key);
            }
            Kind::Set => {
                self.sets.remove(object.key);
            }
            Kind::Pipeline => {
                self.pipelines.remove(object.key);
            }
            Kind::Commands => {
                self.commands.remove(object.key);
            }
            Kind::Semaphore => self.queues.forget_semaphore(SemaphoreKey(object.key)),
            Kind::Device => self.alive = false,
            _ => {}
        }
    }

    fn destroy_image(&mut self, id: ImageId) {
        let step = self.frames.step(StepKind::Destroy, "destroy".into(), Line(0));
        let Some(tracked) = self.contents.destroy(id, &step) else { return };
        if let Some(key) = tracked.image.placement.memory
            && let Some(memory) = self.memories.get_mut(key.0)
        {
            memory.bound.retain(|(bound, _, _)| *bound != id);
        }
    }

    fn host(&mut self, access: &HostAccess) {
        let step = self.frames.step(StepKind::Host, "host".into(), Line(0));
        match (access.object.kind, access.verb) {
            (Kind::Image, HostVerb::Read) => {
                if let Some(id) = self.image_keys.get(access.object.key).copied() {
                    self.contents.read(id, &SubresourceRange::ALL, Read::Host, &step);
                }
            }
            (Kind::Image, HostVerb::Write) => {
                if let Some(id) = self.image_keys.get(access.object.key).copied() {
                    self.contents.forget(id);
                }
            }
            (Kind::Memory, HostVerb::Map) => {
                let bound = self.memories.get(access.object.key).map(|m| m.bound.clone());
                for (id, _, _) in bound.unwrap_or_default() {
                    let linear = self.contents.images.get(&id).is_some_and(|tracked| {
                        tracked.image.info.tiling != vk::ImageTiling::OPTIMAL
                    });
                    if linear {
                        self.contents.read(id, &SubresourceRange::ALL, Read::Host, &step);
                        self.contents.forget(id);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Two images that both say `ALIAS` and were made alike read each other's content.
fn shares_content(a: &ImageInfo, b: &ImageInfo) -> bool {
    let alias = vk::ImageCreateFlags::ALIAS;
    a.flags.contains(alias)
        && b.flags.contains(alias)
        && a.format == b.format
        && a.extent == b.extent
        && a.layers == b.layers
        && a.mips == b.mips
        && a.samples == b.samples
        && a.usage == b.usage
        && a.tiling == b.tiling
}
