//! Creation of objects other than passes.

use std::sync::Arc;

use ash::vk;

use super::key::*;

/// What is known of a device.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DeviceInfo {
    /// Version the application uses, `VK_MAKE_API_VERSION`; 0 where unknown.
    pub api: u32,
    /// `vendorID`; 0 where unknown.
    pub vendor: u32,
    /// `deviceID`.
    pub id: u32,
    /// `deviceName`.
    pub name: Box<str>,
    /// Enabled device extensions.
    pub extensions: Vec<Box<str>>,
    /// Enabled features, by their API names.
    pub features: Vec<Box<str>>,
}

impl DeviceInfo {
    /// Says whether the application enabled a device extension.
    pub fn has_extension(&self, name: &str) -> bool {
        self.extensions.iter().any(|e| **e == *name)
    }

    /// Says whether the application enabled a feature, by its API name.
    pub fn has_feature(&self, name: &str) -> bool {
        self.features.iter().any(|f| **f == *name)
    }
}

/// A queue: its family and what the family can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct QueueInfo {
    /// Queue family index.
    pub family: u32,
    /// Capabilities of the family.
    pub flags: vk::QueueFlags,
}

/// Who made an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ImageOrigin {
    /// The application, through this device.
    #[default]
    Application,
    /// A swapchain of this device.
    Swapchain,
    /// An XR runtime.
    Xr,
    /// A tile-memory heap.
    TileMemory,
}

/// An image.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageInfo {
    /// Format of all aspects.
    pub format: vk::Format,
    /// Extent of mip 0, in texels.
    pub extent: vk::Extent3D,
    /// Usage the application asked for.
    pub usage: vk::ImageUsageFlags,
    /// Array layers.
    pub layers: u32,
    /// Mip levels.
    pub mips: u32,
    /// Samples of a texel.
    pub samples: u32,
    /// 1D, 2D or 3D.
    pub kind: vk::ImageType,
    /// Creation flags.
    pub flags: vk::ImageCreateFlags,
    /// Tiling.
    pub tiling: vk::ImageTiling,
    /// `VkImageFormatListCreateInfo`.
    pub view_formats: Vec<vk::Format>,
    /// Initial layout.
    pub layout: vk::ImageLayout,
    /// Who made it.
    pub origin: ImageOrigin,
    /// Created with external memory handle types, or otherwise shared outside this device.
    pub external: bool,
    /// It existed before the recording began; then `memory` tells what it is bound to.
    pub before: bool,
    /// Memory of an image that is declared whole; `None`: a `Bind` follows.
    pub memory: Option<MemoryKind>,
    /// A structure the layer does not understand was chained: nothing certain is known of it.
    pub opaque: bool,
}

impl Default for ImageInfo {
    fn default() -> Self {
        Self {
            format: vk::Format::UNDEFINED,
            extent: vk::Extent3D { width: 0, height: 0, depth: 1 },
            usage: vk::ImageUsageFlags::empty(),
            layers: 1,
            mips: 1,
            samples: 1,
            kind: vk::ImageType::TYPE_2D,
            flags: vk::ImageCreateFlags::empty(),
            tiling: vk::ImageTiling::OPTIMAL,
            view_formats: Vec::new(),
            layout: vk::ImageLayout::UNDEFINED,
            origin: ImageOrigin::Application,
            external: false,
            before: false,
            memory: None,
            opaque: false,
        }
    }
}

/// Where an allocation lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// A memory type of the device by index.
    Type(u32),
    /// The first device-local type that is not lazily allocated.
    Device,
    /// The first lazily allocated type.
    Lazy,
    /// The first host-visible type.
    Host,
    /// Imported or exported memory.
    External,
}

/// An allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryInfo {
    /// Size in bytes.
    pub size: u64,
    /// Where it lies.
    pub kind: MemoryKind,
    /// Imported, exported or otherwise visible outside this device.
    pub external: bool,
}

/// An image bound to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BindInfo {
    /// The allocation.
    pub memory: MemoryKey,
    /// Offset in bytes.
    pub offset: u64,
    /// Size the driver asks for, in bytes; 0 where unknown (then computed from the format).
    pub size: u64,
    /// `memoryTypeBits` of the image; 0 where unknown.
    pub allowed_types: u32,
}

/// An image view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ViewInfo {
    /// The image.
    pub image: ImageKey,
    /// View type.
    pub kind: vk::ImageViewType,
    /// Format of the view; `UNDEFINED` is the image's.
    pub format: vk::Format,
    /// Aspects; empty means all of the format.
    pub aspects: vk::ImageAspectFlags,
    /// First mip level.
    pub base_mip: u32,
    /// Mip levels; `REMAINING_MIP_LEVELS` for all that follow.
    pub mips: u32,
    /// First array layer.
    pub base_layer: u32,
    /// Layers; `REMAINING_ARRAY_LAYERS` for all that follow.
    pub layers: u32,
}

/// A buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferInfo {
    /// Size in bytes.
    pub size: u64,
    /// Usage.
    pub usage: vk::BufferUsageFlags,
    /// Memory, where known.
    pub memory: Option<MemoryKind>,
}

/// A sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplerInfo {
    /// Minification filter.
    pub min: vk::Filter,
    /// Magnification filter.
    pub mag: vk::Filter,
    /// Mip filter.
    pub mip: vk::SamplerMipmapMode,
    /// Address mode of u, v and w.
    pub address: vk::SamplerAddressMode,
    /// Creation flags.
    pub flags: vk::SamplerCreateFlags,
}

/// A swapchain.
#[derive(Clone, Debug, PartialEq)]
pub struct SwapchainInfo {
    /// Image format.
    pub format: vk::Format,
    /// Image extent.
    pub extent: vk::Extent2D,
    /// Layers of each image.
    pub layers: u32,
    /// Image usage.
    pub usage: vk::ImageUsageFlags,
    /// Present mode.
    pub mode: vk::PresentModeKHR,
    /// `preTransform`.
    pub transform: vk::SurfaceTransformFlagsKHR,
    /// `currentTransform` of the surface; `None` where unknown.
    pub current_transform: Option<vk::SurfaceTransformFlagsKHR>,
    /// The images, in order.
    pub images: Vec<ImageKey>,
}

/// A shader module or shader object.
#[derive(Clone, Debug, PartialEq)]
pub struct ShaderInfo {
    /// Stage; empty for a module (its stage is said by the pipeline).
    pub stage: vk::ShaderStageFlags,
    /// Entry point.
    pub entry: Box<str>,
    /// Path of the SPIR-V file in a listing.
    pub file: Box<str>,
    /// SPIR-V words; `None` where the code is not known.
    pub code: Option<Arc<[u32]>>,
}

/// One binding of a descriptor set layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DescriptorBinding {
    /// Binding number.
    pub binding: u32,
    /// Descriptor type.
    pub kind: vk::DescriptorType,
    /// Number of descriptors.
    pub count: u32,
    /// Stages that may use it.
    pub stages: vk::ShaderStageFlags,
    /// Binding flags.
    pub flags: vk::DescriptorBindingFlags,
}

/// A descriptor set layout.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct SetLayoutInfo {
    /// Creation flags.
    pub flags: vk::DescriptorSetLayoutCreateFlags,
    /// Bindings.
    pub bindings: Vec<DescriptorBinding>,
}

/// A pipeline layout.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct PipelineLayoutInfo {
    /// Set layouts; `None` where NULL.
    pub sets: Vec<Option<SetLayoutKey>>,
    /// Bytes of push constants.
    pub push_bytes: u32,
}

/// A descriptor set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetInfo {
    /// Its layout.
    pub layout: SetLayoutKey,
}

/// A descriptor that refers to an image, a buffer or a sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Descriptor {
    /// NULL.
    Null,
    /// An image view in a layout.
    Image {
        /// The view.
        view: ViewKey,
        /// Layout it is accessed in.
        layout: vk::ImageLayout,
    },
    /// A buffer.
    Buffer(BufferKey),
    /// A sampler alone.
    Sampler(SamplerKey),
    /// Anything else (texel buffer, inline block, acceleration structure).
    Other,
}

/// By which call descriptors were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum WriteVia {
    /// `vkUpdateDescriptorSets`.
    #[default]
    Update,
    /// An update template.
    Template,
    /// A copy from another set.
    Copy,
}

/// A write of consecutive descriptors.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteInfo {
    /// The set.
    pub set: SetKey,
    /// Binding.
    pub binding: u32,
    /// First array element.
    pub element: u32,
    /// Descriptor type.
    pub kind: vk::DescriptorType,
    /// The descriptors.
    pub descriptors: Vec<Descriptor>,
    /// By which call.
    pub via: WriteVia,
}

/// Stencil state of one face.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StencilFace {
    /// When the stencil test fails.
    pub fail: vk::StencilOp,
    /// When both pass.
    pub pass: vk::StencilOp,
    /// When the depth test fails.
    pub depth_fail: vk::StencilOp,
    /// Comparison.
    pub compare: vk::CompareOp,
    /// Write mask.
    pub write_mask: u32,
}

impl Default for StencilFace {
    fn default() -> Self {
        Self {
            fail: vk::StencilOp::KEEP,
            pass: vk::StencilOp::KEEP,
            depth_fail: vk::StencilOp::KEEP,
            compare: vk::CompareOp::ALWAYS,
            write_mask: 0,
        }
    }
}

/// Blending and write mask of one colour attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlendState {
    /// Blending is on.
    pub enable: bool,
    /// Channels written.
    pub write_mask: vk::ColorComponentFlags,
}

impl Default for BlendState {
    fn default() -> Self {
        Self { enable: false, write_mask: vk::ColorComponentFlags::RGBA }
    }
}

/// A graphics or compute pipeline: what decides which attachment it reads and writes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PipelineInfo {
    /// Graphics, compute or ray tracing.
    pub point: vk::PipelineBindPoint,
    /// Layout; `None` for a library that has none.
    pub layout: Option<PipelineLayoutKey>,
    /// Shaders. A stage of `stages` that none of them has is a built-in shader of a listing: its
    /// vertex shader covers the target with 3 vertices, its fragment shader writes all colour
    /// outputs and reads all descriptors of the layout, input attachments among them.
    pub shaders: Vec<ShaderKey>,
    /// Union of shader stages.
    pub stages: vk::ShaderStageFlags,
    /// Render pass it is compatible with; `None` for dynamic rendering.
    pub pass: Option<RenderPassKey>,
    /// Subpass.
    pub subpass: u32,
    /// Attachment formats of dynamic rendering: colours, then depth, then stencil.
    pub formats: Vec<vk::Format>,
    /// Primitive topology.
    pub topology: vk::PrimitiveTopology,
    /// Vertex buffer bindings used.
    pub vertex_bindings: u32,
    /// Static viewport, where it is one (x, y, width, height, in texels).
    pub viewport: Option<[i32; 4]>,
    /// Static scissor.
    pub scissor: Option<vk::Rect2D>,
    /// Rasterisation samples.
    pub samples: u32,
    /// Sample mask; `!0` is all.
    pub sample_mask: u32,
    /// Alpha to coverage.
    pub alpha_to_coverage: bool,
    /// Sample shading.
    pub sample_shading: bool,
    /// Rasterisation is off.
    pub rasterizer_discard: bool,
    /// Depth test.
    pub depth_test: bool,
    /// Depth write (only with the test).
    pub depth_write: bool,
    /// Depth comparison.
    pub depth_compare: vk::CompareOp,
    /// Depth bounds test.
    pub depth_bounds: bool,
    /// Stencil test.
    pub stencil_test: bool,
    /// Front and back faces.
    pub stencil: [StencilFace; 2],
    /// Blending of each colour attachment; a shorter list repeats its last entry.
    pub blend: Vec<BlendState>,
    /// Logic op, when enabled.
    pub logic_op: Option<vk::LogicOp>,
    /// `VkRenderingAttachmentLocationInfo`.
    pub color_locations: Option<Vec<u32>>,
    /// `VkRenderingInputAttachmentIndexInfo`.
    pub input_indices: Option<Vec<u32>>,
    /// Dynamic state.
    pub dynamic: Vec<vk::DynamicState>,
    /// Creation flags.
    pub flags: vk::PipelineCreateFlags,
    /// Something about it is not known (a library, a structure not understood).
    pub opaque: bool,
}

impl Default for PipelineInfo {
    fn default() -> Self {
        Self {
            point: vk::PipelineBindPoint::GRAPHICS,
            layout: None,
            shaders: Vec::new(),
            stages: vk::ShaderStageFlags::empty(),
            pass: None,
            subpass: 0,
            formats: Vec::new(),
            topology: vk::PrimitiveTopology::TRIANGLE_LIST,
            vertex_bindings: 0,
            viewport: None,
            scissor: None,
            samples: 1,
            sample_mask: !0,
            alpha_to_coverage: false,
            sample_shading: false,
            rasterizer_discard: false,
            depth_test: true,
            depth_write: true,
            depth_compare: vk::CompareOp::LESS,
            depth_bounds: false,
            stencil_test: false,
            stencil: [StencilFace::default(); 2],
            blend: Vec::new(),
            logic_op: None,
            color_locations: None,
            input_indices: None,
            dynamic: Vec::new(),
            flags: vk::PipelineCreateFlags::empty(),
            opaque: false,
        }
    }
}

/// A semaphore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SemaphoreInfo {
    /// Timeline rather than binary.
    pub timeline: bool,
    /// Initial value of a timeline.
    pub value: u64,
}

/// A query pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryPoolInfo {
    /// Query type.
    pub kind: vk::QueryType,
    /// Queries.
    pub count: u32,
}
