//! Objects of a device, as rules see them.

use std::collections::BTreeSet;
use std::sync::Arc;

use ash::vk;
use rustc_hash::{FxHashMap, FxHashSet};

use super::formed::Formed;
use super::places::Places;
use super::removals::Removals;
use crate::call::*;
use crate::format::{self, Aspect};
use crate::spirv::{ShaderFacts, Stage};

/// Identity of an image over the whole run: keys are reused, ids are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ImageId(pub u32);

/// A name to show, and whether the application gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The application's debug name, else `kind.N`.
    pub text: Arc<str>,
    /// The application gave it.
    pub given: bool,
}

/// Where an image's memory is.
#[derive(Clone, Debug, Default)]
pub struct Placement {
    /// The allocation; `None` while unbound and for images the application did not make.
    pub memory: Option<MemoryKey>,
    /// Offset in bytes.
    pub offset: u64,
    /// Bytes that the image takes.
    pub size: u64,
    /// Property flags of its memory type; `None` where unknown.
    pub flags: Option<vk::MemoryPropertyFlags>,
    /// Memory types that the image allows, as bits; 0 where unknown.
    pub allowed_types: u32,
    /// Imported or exported.
    pub external: bool,
}

/// An image.
#[derive(Clone, Debug)]
pub struct Image {
    /// Identity.
    pub id: ImageId,
    /// Key while it lives.
    pub key: ImageKey,
    /// What was asked for.
    pub info: ImageInfo,
    /// Name.
    pub name: Name,
    /// Memory.
    pub placement: Placement,
    /// Line of its declaration in a listing.
    pub line: Line,
}

impl Image {
    /// Aspects of its format.
    pub fn aspects(&self) -> &'static [Aspect] {
        format::aspects(self.info.format)
    }

    /// Index of an aspect among the image's own.
    pub fn plane(&self, aspect: Aspect) -> Option<usize> {
        self.aspects().iter().position(|a| *a == aspect)
    }

    /// Width and height of a mip level, in texels.
    pub fn mip_extent(&self, mip: u32) -> vk::Extent2D {
        vk::Extent2D {
            width: (self.info.extent.width >> mip).max(1),
            height: (self.info.extent.height >> mip).max(1),
        }
    }

    /// Bytes of the whole image, all mips, layers, samples and aspects; `None` where the format
    /// has no known size.
    pub fn memory_bytes(&self) -> Option<u64> {
        let mut bytes = 0u64;
        for mip in 0..self.info.mips {
            let extent = self.mip_extent(mip);
            let depth = u64::from((self.info.extent.depth >> mip).max(1));
            for aspect in self.aspects() {
                let plane =
                    format::area_bytes(self.info.format, *aspect, extent.width, extent.height)?;
                bytes += plane * depth;
            }
        }
        Some(bytes * u64::from(self.info.layers) * u64::from(self.info.samples))
    }

    /// Usage allows it to be an attachment.
    pub fn can_be_attachment(&self) -> bool {
        can_be_attachment(self.info.usage)
    }

    /// Its memory is lazily allocated.
    pub fn is_lazy(&self) -> bool {
        self.placement.flags.is_some_and(|f| f.contains(vk::MemoryPropertyFlags::LAZILY_ALLOCATED))
    }
}

/// Says whether usage lets an image be an attachment.
pub fn can_be_attachment(usage: vk::ImageUsageFlags) -> bool {
    usage.intersects(
        vk::ImageUsageFlags::COLOR_ATTACHMENT
            | vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT
            | vk::ImageUsageFlags::INPUT_ATTACHMENT
            | vk::ImageUsageFlags::TRANSIENT_ATTACHMENT
            | vk::ImageUsageFlags::FRAGMENT_DENSITY_MAP_EXT
            | vk::ImageUsageFlags::FRAGMENT_SHADING_RATE_ATTACHMENT_KHR,
    )
}

/// A view, its counts resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// The image.
    pub image: ImageId,
    /// Format of the view.
    pub format: vk::Format,
    /// Aspects it shows.
    pub aspects: vk::ImageAspectFlags,
    /// First mip.
    pub base_mip: u32,
    /// Mips.
    pub mips: u32,
    /// First layer.
    pub base_layer: u32,
    /// Layers.
    pub layers: u32,
    /// It shows whole layers (a view of slices of a 3D image may not).
    pub whole: bool,
}

/// An allocation and the images bound to it.
#[derive(Clone, Debug)]
pub struct Memory {
    /// What was asked for.
    pub info: MemoryInfo,
    /// Property flags of its type.
    pub flags: Option<vk::MemoryPropertyFlags>,
    /// Images bound to it.
    pub bound: Places,
    /// Those of them that the host can read through a mapping, in the order of creation.
    pub linear: BTreeSet<ImageId>,
    /// Buffers bound to it.
    pub buffers: FxHashSet<BufferKey>,
}

impl Memory {
    /// An allocation to which nothing is bound yet.
    pub fn new(info: &MemoryInfo, flags: Option<vk::MemoryPropertyFlags>) -> Self {
        Self {
            info: *info,
            flags,
            bound: Places::default(),
            linear: BTreeSet::new(),
            buffers: FxHashSet::default(),
        }
    }
}

/// A render pass object.
#[derive(Clone, Debug)]
pub struct RenderPass {
    /// Description.
    pub info: Arc<RenderPassInfo>,
    /// Name.
    pub name: Name,
}

/// A framebuffer.
#[derive(Clone, Debug)]
pub struct Framebuffer {
    /// Description.
    pub info: FramebufferInfo,
    /// The last pass that it was used for.
    pub(super) formed: Option<Box<Formed>>,
}

/// A pipeline.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// Identity over the whole run.
    pub id: u32,
    /// Description.
    pub info: PipelineInfo,
    /// Name.
    pub name: Name,
    /// Number of descriptor sets in its layout; `None` where unknown.
    pub sets: Option<usize>,
    /// A statically used read of every binding may be assumed (built-in shaders of a listing).
    pub built_in: bool,
    /// Facts of those of its shaders whose code is known and understood.
    pub shaders: Vec<Arc<ShaderFacts>>,
}

impl Pipeline {
    /// Facts of the shader of a stage; `None` where its code is not known.
    pub fn shader(&self, stage: Stage) -> Option<&ShaderFacts> {
        self.shaders.iter().find(|facts| facts.stage == stage).map(|facts| &**facts)
    }

    /// Every fragment that is covered gets its colour: the fragment shader drops none.
    pub fn keeps_fragments(&self) -> bool {
        self.built_in || self.shader(Stage::Fragment).is_some_and(|f| !f.opaque && !f.discards)
    }

    /// Three vertices without vertex buffers are known to cover the target.
    pub fn covers_target(&self) -> bool {
        let between = vk::ShaderStageFlags::GEOMETRY
            | vk::ShaderStageFlags::TESSELLATION_CONTROL
            | vk::ShaderStageFlags::TESSELLATION_EVALUATION;
        let vertex = self.shader(Stage::Vertex).and_then(|facts| facts.covers_target);
        !self.info.stages.intersects(between) && (self.built_in || vertex == Some(true))
    }

    /// A shader statically uses a binding.
    pub fn uses(&self, set: u32, binding: u32) -> bool {
        self.built_in || self.shaders.iter().any(|facts| facts.uses(set, binding))
    }
}

/// A descriptor set.
#[derive(Clone, Debug, Default)]
pub struct Set {
    /// Its layout.
    pub layout: Arc<SetLayoutInfo>,
    /// Image descriptors by binding and element.
    pub images: FxHashMap<(u32, u32), SetImage>,
    /// Buffer descriptors by binding and element, and whether shaders may write them.
    pub buffers: FxHashMap<(u32, u32), (BufferKey, bool)>,
}

/// An image descriptor in a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetImage {
    /// View as it was when written.
    pub view: View,
    /// Descriptor type.
    pub kind: vk::DescriptorType,
    /// The binding is update-after-bind or partially bound: it proves no read.
    pub bindless: bool,
    /// Stages that may use it, by the set layout; empty where unknown.
    pub stages: vk::ShaderStageFlags,
}

/// Finds live objects of one kind by key and gives them `kind.N` names.
#[derive(Clone, Debug)]
pub struct Table<T> {
    live: FxHashMap<u64, T>,
    made: u32,
    removals: Removals,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { live: FxHashMap::default(), made: 0, removals: Removals::default() }
    }
}

impl<T> Table<T> {
    /// Number of objects made so far, this one included.
    pub fn next_number(&mut self) -> u32 {
        self.made += 1;
        self.made
    }

    /// Adds an object, replacing one with the same key.
    pub fn insert(&mut self, key: u64, object: T) -> Option<T> {
        self.live.insert(key, object)
    }

    /// Removes an object.
    pub fn remove(&mut self, key: u64) -> Option<T> {
        let removed = self.live.remove(&key)?;
        self.removals.one(&mut self.live);
        Some(removed)
    }

    /// Finds an object.
    pub fn get(&self, key: u64) -> Option<&T> {
        self.live.get(&key)
    }

    /// Finds an object to change it.
    pub fn get_mut(&mut self, key: u64) -> Option<&mut T> {
        self.live.get_mut(&key)
    }

    /// Finds an object to change it; one that is not there is made.
    pub fn get_or_default(&mut self, key: u64) -> &mut T
    where
        T: Default,
    {
        self.live.entry(key).or_default()
    }

    /// All live objects, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&u64, &T)> {
        self.live.iter()
    }

    /// Number of live objects.
    pub fn len(&self) -> usize {
        self.live.len()
    }

    /// Says whether no object lives.
    pub fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    /// Number of objects that there is memory for.
    pub fn capacity(&self) -> usize {
        self.live.capacity()
    }
}

/// Makes a name: the application's, else `kind.N`.
pub fn name(kind: Kind, given: Option<&str>, number: u32) -> Name {
    match given {
        Some(text) if !text.is_empty() => Name { text: text.into(), given: true },
        _ => Name { text: format!("{kind}.{}", number - 1).into(), given: false },
    }
}

/// The aspects of a mask that a format has, in the format's order.
pub fn aspects_in(
    format: vk::Format,
    mask: vk::ImageAspectFlags,
) -> impl Iterator<Item = Aspect> + Clone {
    format::aspects(format).iter().copied().filter(move |aspect| {
        mask.is_empty()
            || match aspect {
                Aspect::Color => mask.intersects(
                    vk::ImageAspectFlags::COLOR
                        | vk::ImageAspectFlags::PLANE_0
                        | vk::ImageAspectFlags::PLANE_1
                        | vk::ImageAspectFlags::PLANE_2
                        | vk::ImageAspectFlags::MEMORY_PLANE_0_EXT,
                ),
                Aspect::Depth => mask.contains(vk::ImageAspectFlags::DEPTH),
                Aspect::Stencil => mask.contains(vk::ImageAspectFlags::STENCIL),
            }
    })
}

/// The flag of an aspect.
pub fn aspect_flag(aspect: Aspect) -> vk::ImageAspectFlags {
    match aspect {
        Aspect::Color => vk::ImageAspectFlags::COLOR,
        Aspect::Depth => vk::ImageAspectFlags::DEPTH,
        Aspect::Stencil => vk::ImageAspectFlags::STENCIL,
    }
}
