//! Creation, naming and destruction of objects, and what the host does with them.

use std::hash::Hash;
use std::sync::Arc;

use ash::vk;
use xxhash_rust::xxh3::Xxh3Default;

use super::device::{DeviceModel, Swapchain};
use super::frame::HostStep;
use super::objects::*;
use super::timeline::*;
use super::track::Tracked;
use crate::call::*;
use crate::spirv::{self, ShaderFacts, Stage};

/// Shaders of which the facts are kept, whether they live or not.
const SHADERS_KNOWN: usize = 4096;

impl DeviceModel {
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

    pub(super) fn add_image(
        &mut self,
        key: ImageKey,
        info: &ImageInfo,
        name: Option<&str>,
        line: Line,
    ) -> ImageId {
        self.next_image += 1;
        let id = ImageId(self.next_image);
        // Images of a swapchain are named after it and do not count.
        let number = match info.origin {
            ImageOrigin::Swapchain => 1,
            _ => self.image_keys.next_number(),
        };
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

    pub(super) fn memory_flags(&self, kind: MemoryKind) -> Option<vk::MemoryPropertyFlags> {
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

    pub(super) fn add_memory(&mut self, key: MemoryKey, info: &MemoryInfo) {
        let flags = self.memory_flags(info.kind);
        self.memories.insert(key.0, Memory::new(info, flags));
    }

    pub(super) fn bind(&mut self, key: ImageKey, info: &BindInfo) {
        let Some(id) = self.image_keys.get(key.0).copied() else { return };
        self.unbind(id);
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
        let overlapping = memory.bound.overlapping(info.offset, size);
        memory.bound.insert(id, info.offset, size);
        if image.info.tiling != vk::ImageTiling::OPTIMAL {
            memory.linear.insert(id);
        }
        for (other, offset) in overlapping {
            let Some(other_tracked) = self.contents.images.get_mut(&other) else { continue };
            other_tracked.aliases.push(id);
            let same_start = offset == info.offset;
            let shares = same_start && shares_content(&image.info, &other_tracked.image.info);
            other_tracked.shares_content |= shares;
            if let Some(tracked) = self.contents.images.get_mut(&id) {
                tracked.aliases.push(other);
                tracked.shares_content |= shares;
            }
        }
    }

    pub(super) fn add_view(&mut self, key: ViewKey, info: &ViewInfo) {
        let Some(id) = self.image_keys.get(info.image.0).copied() else { return };
        let Some(tracked) = self.contents.images.get_mut(&id) else { return };
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
        tracked.add_view(view.format);
        if let Some(old) = self.views.insert(key.0, view) {
            self.view_is_gone(&old);
        }
    }

    fn view_is_gone(&mut self, view: &View) {
        if let Some(tracked) = self.contents.images.get_mut(&view.image) {
            tracked.remove_view(view.format);
        }
    }

    pub(super) fn add_swapchain(
        &mut self,
        key: SwapchainKey,
        info: &SwapchainInfo,
        name: Option<&str>,
        line: Line,
    ) {
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
        let (info, line) = (info.clone(), line);
        self.swapchains.insert(key.0, Swapchain { key, info, images, line, suboptimal: 0 });
        self.ledger.changes += 1;
        self.frames.made();
    }

    pub(super) fn add_pipeline(
        &mut self,
        key: PipelineKey,
        info: &PipelineInfo,
        name: Option<&str>,
    ) {
        self.next_pipeline += 1;
        let number = self.pipelines.next_number();
        let shaders = info.shaders.iter().flat_map(|key| self.facts_of(*key)).collect();
        let layout = info.layout.and_then(|layout| self.layouts.get(layout.0));
        let pipeline = Pipeline {
            id: self.next_pipeline,
            info: info.clone(),
            name: super::objects::name(Kind::Pipeline, name, number),
            sets: layout.map(|layout| layout.sets),
            built_in: info.shaders.is_empty(),
            shaders,
        };
        self.pipelines.insert(key.0, Arc::new(pipeline));
    }

    pub(super) fn add_shader(&mut self, key: ShaderKey, info: &ShaderInfo) {
        self.shaders.insert(key.0, Arc::new(info.clone()));
    }

    /// Facts of a shader: only the pipeline says which stage of a module it uses, so of all
    /// stages that it has an entry point for.
    fn facts_of(&mut self, key: ShaderKey) -> Vec<Arc<ShaderFacts>> {
        let Some(info) = self.shaders.get(key.0) else { return Vec::new() };
        let Some(code) = info.code.as_deref() else { return Vec::new() };
        let entry = if info.entry.is_empty() { "main" } else { &info.entry };
        // The same code comes again and again, as shaders that are other objects.
        let mut hasher = Xxh3Default::new();
        (entry, code).hash(&mut hasher);
        let hash = hasher.digest128();
        if let Some(known) = self.shader_facts.get(&hash) {
            return known.clone();
        }
        let facts: Vec<Arc<ShaderFacts>> = [Stage::Vertex, Stage::Fragment, Stage::Compute]
            .into_iter()
            .filter_map(|stage| spirv::facts_of_stage(code, stage, entry).map(Arc::new))
            .collect();
        if self.shader_facts.len() >= SHADERS_KNOWN {
            self.shader_facts.clear();
        }
        self.shader_facts.insert(hash, facts.clone());
        facts
    }

    pub(super) fn rename(&mut self, object: Object, text: &str) {
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

    pub(super) fn destroy(&mut self, object: Object, line: Line) {
        self.frames.count(object.kind, false, line);
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
                if let Some(view) = self.views.remove(object.key) {
                    self.view_is_gone(&view);
                }
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
            Kind::Set => self.destroy_set(SetKey(object.key)),
            Kind::Pipeline => {
                self.pipelines.remove(object.key);
            }
            Kind::Commands => {
                self.commands.remove(object.key);
            }
            Kind::Sampler => {
                self.samplers.remove(object.key);
            }
            Kind::QueryPool => {
                self.query_pools.remove(object.key);
            }
            Kind::Fence => self.queues.signals.forget(object),
            Kind::Semaphore => {
                self.queues.signals.forget(object);
                self.queues.forget_semaphore(SemaphoreKey(object.key));
            }
            Kind::Device => self.alive = false,
            _ => {}
        }
    }

    fn destroy_image(&mut self, id: ImageId) {
        self.unbind(id);
        let step = self.frames.step(StepKind::Destroy, "destroy".into(), Line(0));
        self.contents.destroy(id, &step);
    }

    fn unbind(&mut self, id: ImageId) {
        let Some(tracked) = self.contents.images.get(&id) else { return };
        let placement = &tracked.image.placement;
        if let Some(memory) = placement.memory.and_then(|key| self.memories.get_mut(key.0)) {
            memory.bound.remove(id, placement.offset, placement.size);
            memory.linear.remove(&id);
        }
    }

    pub(super) fn host(&mut self, access: &HostAccess, line: Line) {
        self.host_step(HostStep::Access(access.clone()), line);
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
                let memory = self.memories.get(access.object.key);
                for id in memory.iter().flat_map(|memory| &memory.linear) {
                    self.contents.read(*id, &SubresourceRange::ALL, Read::Host, &step);
                    self.contents.forget(*id);
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

/// The kind of object that a call makes.
pub(super) fn made_kind(call: &Call) -> Option<Kind> {
    Some(match call {
        Call::Image(..) => Kind::Image,
        Call::Memory(..) => Kind::Memory,
        Call::View(..) => Kind::View,
        Call::Buffer(..) => Kind::Buffer,
        Call::Sampler(..) => Kind::Sampler,
        Call::Swapchain(..) => Kind::Swapchain,
        Call::RenderPass(..) => Kind::RenderPass,
        Call::Framebuffer(..) => Kind::Framebuffer,
        Call::Shader(..) => Kind::Shader,
        Call::SetLayout(..) => Kind::SetLayout,
        Call::PipelineLayout(..) => Kind::PipelineLayout,
        Call::Set(..) => Kind::Set,
        Call::Pipeline(..) => Kind::Pipeline,
        Call::Semaphore(..) => Kind::Semaphore,
        Call::Fence(..) => Kind::Fence,
        Call::Event(..) => Kind::Event,
        Call::QueryPool(..) => Kind::QueryPool,
        _ => return None,
    })
}
