//! A device: its objects, and what calls on them change.

use std::sync::Arc;

use ash::vk;
use rustc_hash::FxHashMap;

use super::frame::Frame;
use super::frames::Frames;
use super::keys::Keys;
use super::ledger::{Fate, Ledger};
use super::names::Names;
use super::objects::*;
use super::open_pass::OpenPass;
use super::queues::Queues;
use super::range::FrameRange;
use super::timeline::*;
use super::track::Contents;
use super::variants::{MAX_VARIANTS, VariantCount};
use crate::call::*;
use crate::spirv::ShaderFacts;

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
    /// Frames that are judged; the others only say what contents are.
    pub frames: FrameRange,
    /// Groups of commands that are seen; of the others nothing is known.
    pub seen: Needs,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            steady_frames: 3,
            markers_only: false,
            starts_unknown: false,
            first_frame: 0,
            frames: FrameRange::ALL,
            seen: Needs::ALL,
        }
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

/// Reading passes of one image that are told apart at most.
const MAX_READERS: usize = 16;

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
    /// A shader read what an earlier frame had left in it.
    pub kept: bool,
    /// A storage descriptor of it was in reach of a draw or dispatch.
    pub storage: bool,
    /// Variants of the passes that read it, at most 16 of them; more set `read_elsewhere`.
    pub readers: Vec<u64>,
    /// A dispatch read it, or a pass that the list has no room for.
    pub read_elsewhere: bool,
}

/// What the executions of a pass variant ever did to its attachments, as bits by slot and plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touches {
    /// A draw, a clear or a resolve touched it.
    pub touched: u64,
    /// A draw, a clear or a resolve wrote it.
    pub written: u64,
    /// Last frame with one.
    pub last: u64,
}

impl Touches {
    /// The bit of an aspect; all bits for slots that have none of their own.
    pub(super) fn bit(slot: u32, plane: usize) -> u64 {
        1u64.checked_shl(slot * 2 + plane as u32).unwrap_or(u64::MAX)
    }
}

impl ImageUse {
    pub(super) fn read(&mut self, read: Read) {
        self.reads |= 1 << read as u8;
    }

    /// A pass reads it; returns whether that is new.
    pub(super) fn read_by_pass(&mut self, variant: u64) -> bool {
        if self.read_elsewhere || self.readers.contains(&variant) {
            return false;
        }
        if self.readers.len() < MAX_READERS {
            self.readers.push(variant);
        } else {
            self.read_elsewhere = true;
        }
        true
    }

    /// Says whether something other than passes used it.
    pub fn elsewhere(&self) -> bool {
        self.reads & !(1 << Read::Load as u8 | 1 << Read::Input as u8) != 0 || self.written
    }
}

/// A swapchain.
#[derive(Clone, Debug)]
pub struct Swapchain {
    /// Its key while it lives.
    pub key: SwapchainKey,
    /// What was asked for.
    pub info: SwapchainInfo,
    /// Its images.
    pub images: Vec<ImageId>,
    /// Line of its declaration in a listing.
    pub line: Line,
    /// Presents in a row that returned `SUBOPTIMAL`, up to the last.
    pub suboptimal: u32,
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
    pub(super) alive: bool,
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
    /// Facts by the hash of the code and of the entry point's name: worked out once, when a
    /// pipeline first uses it.
    pub(super) shader_facts: FxHashMap<u128, Vec<Arc<ShaderFacts>>>,
    pub(super) swapchains: Table<Swapchain>,
    pub(super) query_pools: Table<QueryPoolInfo>,
    pub(super) samplers: Table<SamplerInfo>,
    pub(super) commands: Table<(Arc<str>, Option<Arc<Recording>>)>,
    pub(super) queues: Queues,
    pub(super) names: Names,
    pub(super) frames: Frames,
    pub(super) ledger: Ledger,
    pub(super) keys: Keys,
    /// Frames by pass variant.
    pub(super) variants: FxHashMap<u64, VariantCount>,
    /// What passes did to their attachments, by pass variant.
    pub(super) touches: FxHashMap<u64, Touches>,
    /// Variants from which on some are forgotten.
    pub(super) max_variants: usize,
    pub(super) suspended: FxHashMap<QueueKey, Box<OpenPass>>,
    pub(super) next_image: u32,
    pub(super) next_pipeline: u32,
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
            shader_facts: FxHashMap::default(),
            swapchains: Table::default(),
            query_pools: Table::default(),
            samplers: Table::default(),
            commands: Table::default(),
            queues: Queues::default(),
            names: Names::default(),
            frames: Frames::new(settings),
            ledger: Ledger::default(),
            keys: Keys::default(),
            variants: FxHashMap::default(),
            touches: FxHashMap::default(),
            max_variants: MAX_VARIANTS,
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

    /// Judged frames and steady frames among them.
    pub fn frame_counts(&self) -> (u64, u64) {
        self.frames.counts()
    }

    /// Steps that a frame has at most, and how many were dropped as it had more.
    pub fn frame_limit(&self) -> (usize, u64) {
        self.frames.limit()
    }

    /// Frames seen, judged or not.
    pub fn frames_seen(&self) -> u64 {
        self.frames.seen()
    }

    /// What ends the frames of this device.
    pub fn boundary(&self) -> FrameBoundary {
        self.frames.boundary()
    }

    /// Images alive now.
    pub fn images(&self) -> impl Iterator<Item = (&Arc<Image>, &ImageUse)> {
        self.contents.images.values().map(|tracked| (&tracked.image, &tracked.used))
    }

    /// Images alive now that are bound to an allocation, in no order.
    pub fn images_in(&self, memory: MemoryKey) -> impl Iterator<Item = &Arc<Image>> {
        let bound = self.memories.get(memory.0).into_iter().flat_map(|m| m.bound.images());
        bound.filter_map(|id| self.image(id)).map(|(image, _)| image)
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

    /// Nothing ever wrote to an image that the application made during this run.
    pub fn never_written(&self, id: ImageId) -> bool {
        self.contents.images.get(&id).is_some_and(|tracked| {
            let used = &tracked.used;
            let fresh = tracked.untouched == State::Undefined(Undefined::Never);
            fresh && !used.written && !used.stored
        })
    }

    /// What becomes of a store.
    pub fn fate(&self, key: StoreKey) -> Fate {
        self.ledger.fate(key, self.settings.steady_frames)
    }

    /// On how many steady frames a store came to an end, read before or not.
    pub fn ended(&self, key: StoreKey) -> u32 {
        self.ledger.ended(key)
    }

    /// Says whether any execution of a pass variant so far touched an aspect, and wrote it.
    pub fn touches(&self, variant: u64, slot: u32, plane: usize) -> (bool, bool) {
        let bit = Touches::bit(slot, plane);
        let seen = self.touches.get(&variant).copied().unwrap_or_default();
        (seen.touched & bit != 0, seen.written & bit != 0)
    }

    /// Counts everything that may change a verdict on stores.
    pub fn verdict_changes(&self) -> u64 {
        self.ledger.changes
    }

    /// In which frames a pass variant occurred.
    pub fn variant(&self, variant: u64) -> VariantCount {
        self.variants.get(&variant).copied().unwrap_or_default()
    }

    /// Swapchains alive now, in no order.
    pub fn swapchains(&self) -> impl Iterator<Item = &Swapchain> {
        self.swapchains.iter().map(|(_, swapchain)| swapchain)
    }

    /// Says whether other images lie on the same bytes of memory.
    pub fn is_aliased(&self, id: ImageId) -> bool {
        self.contents.images.get(&id).is_some_and(|tracked| !tracked.aliases.is_empty())
    }

    /// Says whether a live descriptor set holds a storage descriptor of an image.
    pub fn has_storage_descriptor(&self, id: ImageId) -> bool {
        self.contents.images.get(&id).is_some_and(|tracked| tracked.storage_descriptors != 0)
    }

    /// Formats of the live views of an image, each once, in no order.
    pub fn view_formats(&self, id: ImageId) -> impl Iterator<Item = vk::Format> {
        self.contents.images.get(&id).into_iter().flat_map(|tracked| tracked.view_formats())
    }

    /// Samplers alive now, in no order.
    pub fn samplers(&self) -> impl Iterator<Item = &SamplerInfo> {
        self.samplers.iter().map(|(_, sampler)| sampler)
    }

    /// A sampler that lives.
    pub fn sampler(&self, key: SamplerKey) -> Option<&SamplerInfo> {
        self.samplers.get(key.0)
    }

    /// A pipeline that lives.
    pub fn pipeline(&self, key: PipelineKey) -> Option<&Arc<Pipeline>> {
        self.pipelines.get(key.0)
    }

    /// The identity of an image that lives.
    pub fn image_id(&self, key: ImageKey) -> Option<ImageId> {
        self.image_keys.get(key.0).copied()
    }

    /// A shader that lives.
    pub fn shader(&self, key: ShaderKey) -> Option<&Arc<ShaderInfo>> {
        self.shaders.get(key.0)
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
        self.note_made(entry);
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
            Call::BindBuffer(key, info) => self.bind_buffer(*key, info),
            Call::View(key, info) => self.add_view(*key, info),
            Call::Swapchain(key, info) => self.add_swapchain(*key, info, name, entry.line),
            Call::RenderPass(key, info) => {
                let number = self.render_passes.next_number();
                let name = super::objects::name(Kind::RenderPass, name, number);
                self.render_passes.insert(key.0, RenderPass { info: Arc::clone(info), name });
                self.frames.made();
            }
            Call::Framebuffer(key, info) => {
                let info = FramebufferInfo::clone(info);
                self.framebuffers.insert(key.0, Framebuffer { info, formed: None });
            }
            Call::Shader(key, info) => {
                self.add_shader(*key, info);
            }
            Call::SetLayout(key, info) => {
                self.set_layouts.insert(key.0, Arc::new(SetLayoutInfo::clone(info)));
            }
            Call::PipelineLayout(key, info) => {
                self.layouts.insert(key.0, Layout { sets: info.sets.len() });
            }
            Call::Set(key, info) => self.add_set(*key, *info),
            Call::Write(write) => self.write(write),
            Call::Pipeline(key, info) => self.add_pipeline(*key, info, name),
            Call::Name(object, text) => self.rename(*object, text),
            Call::Destroy(object) => self.destroy(*object, entry.line),
            Call::Commands(key, recording) => {
                let (_, held) = self.commands_slot(*key, name);
                *held = Some(Arc::clone(recording));
            }
            Call::Reset(key) => self.commands_slot(*key, None).1 = None,
            Call::Sampler(key, info) => {
                self.samplers.insert(key.0, *info);
            }
            Call::QueryPool(key, info) => {
                self.query_pools.insert(key.0, *info);
            }
            Call::Host(access) => self.host(access, entry.line),
            _ => return self.apply_queue(entry),
        }
        None
    }
}
