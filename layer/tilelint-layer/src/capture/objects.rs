//! Images, views, buffers, memory, samplers, swapchains, synchronisation objects.

use super::DeviceCapture;
use super::render_pass::has_unknown;
use crate::ffi::read::View;
use ash::vk::{self, Handle};
use tilelint::call::{
    BindInfo, BufferInfo, BufferKey, Call, EventKey, FenceKey, HostAccess, HostVerb, ImageInfo,
    ImageKey, ImageOrigin, MemoryInfo, MemoryKey, MemoryKind, Object, QueryPoolInfo, QueryPoolKey,
    SamplerInfo, SamplerKey, SemaphoreInfo, SemaphoreKey, SwapchainInfo, SwapchainKey, ViewInfo,
    ViewKey,
};

/// An image bound to memory, and what the driver asks for it.
pub(crate) struct BoundImage {
    pub(crate) image: vk::Image,
    pub(crate) memory: vk::DeviceMemory,
    pub(crate) offset: u64,
    pub(crate) requirements: vk::MemoryRequirements,
}

impl DeviceCapture {
    /// Any object is destroyed.
    pub(crate) fn destroy(&self, object: impl Into<Object>) {
        let object = object.into();
        if object.key != 0 {
            self.emit(Call::Destroy(object));
        }
    }

    /// `vkCreateImage`.
    pub(crate) fn image(&self, image: vk::Image, info: View<'_, vk::ImageCreateInfo<'_>>) {
        let formats = info.next::<vk::ImageFormatListCreateInfo<'_>>();
        let stencil_usage = info.next::<vk::ImageStencilUsageCreateInfo<'_>>();
        let external = info.next::<vk::ExternalMemoryImageCreateInfo<'_>>();
        let is_swapchain = info
            .next::<vk::ImageSwapchainCreateInfoKHR<'_>>()
            .is_some_and(|info| !info.swapchain.is_null());
        // The usage of either aspect: what one of them allows must be expected.
        let usage =
            info.usage | stencil_usage.map_or(vk::ImageUsageFlags::empty(), |u| u.stencil_usage);
        let image_info = ImageInfo {
            format: info.format,
            extent: info.extent,
            usage,
            layers: info.array_layers,
            mips: info.mip_levels,
            samples: info.samples.as_raw(),
            kind: info.image_type,
            flags: info.flags,
            tiling: info.tiling,
            view_formats: formats.map_or_else(Vec::new, |list| list.formats().as_slice().to_vec()),
            layout: info.initial_layout,
            origin: ImageOrigin::Application,
            external: is_swapchain || external.is_some_and(|info| !info.handle_types.is_empty()),
            before: false,
            memory: None,
            opaque: has_unknown(info, KNOWN_IN_IMAGE),
        };
        self.emit(Call::Image(ImageKey(image.as_raw()), Box::new(image_info)));
    }

    /// `vkBindImageMemory`, any form.
    pub(crate) fn bind_image(&self, bound: &BoundImage) {
        self.emit(Call::Bind(
            ImageKey(bound.image.as_raw()),
            BindInfo {
                memory: MemoryKey(bound.memory.as_raw()),
                offset: bound.offset,
                size: bound.requirements.size,
                allowed_types: bound.requirements.memory_type_bits,
            },
        ));
    }

    /// `vkBindBufferMemory`, any form. What the driver asks for a buffer is not asked.
    pub(crate) fn bind_buffer(&self, buffer: vk::Buffer, memory: vk::DeviceMemory, offset: u64) {
        let memory = MemoryKey(memory.as_raw());
        let info = BindInfo { memory, offset, size: 0, allowed_types: 0 };
        self.emit(Call::BindBuffer(BufferKey(buffer.as_raw()), info));
    }

    /// `vkAllocateMemory`.
    pub(crate) fn memory(
        &self,
        memory: vk::DeviceMemory,
        info: View<'_, vk::MemoryAllocateInfo<'_>>,
    ) {
        let is_exported = info
            .next::<vk::ExportMemoryAllocateInfo<'_>>()
            .is_some_and(|info| !info.handle_types.is_empty());
        let memory_info = MemoryInfo {
            size: info.allocation_size,
            kind: MemoryKind::Type(info.memory_type_index),
            external: is_exported || has_unknown(info, KNOWN_IN_MEMORY),
        };
        self.emit(Call::Memory(MemoryKey(memory.as_raw()), memory_info));
        self.lazy.add(memory, info.memory_type_index);
    }

    /// The host maps or unmaps memory, or reads it through a mapping.
    pub(crate) fn map(&self, memory: vk::DeviceMemory, verb: HostVerb) {
        self.emit(Call::Host(Box::new(HostAccess {
            verb,
            object: MemoryKey(memory.as_raw()).into(),
            index: 0,
            count: 0,
            wait: false,
            bytes: 0,
            took_ns: None,
        })));
    }

    /// `vkGetDeviceMemoryCommitment`.
    pub(crate) fn commitment(&self, memory: vk::DeviceMemory, bytes: u64) {
        self.emit(Call::Host(Box::new(HostAccess {
            verb: HostVerb::Commitment,
            object: MemoryKey(memory.as_raw()).into(),
            index: 0,
            count: 0,
            wait: false,
            bytes,
            took_ns: None,
        })));
    }

    /// The host copies to or from an image.
    pub(crate) fn host_access(&self, image: vk::Image, verb: HostVerb) {
        self.emit(Call::Host(Box::new(HostAccess {
            verb,
            object: ImageKey(image.as_raw()).into(),
            index: 0,
            count: 0,
            wait: false,
            bytes: 0,
            took_ns: None,
        })));
    }

    /// `vkGetQueryPoolResults`.
    pub(crate) fn query_read(
        &self,
        pool: vk::QueryPool,
        index: u32,
        count: u32,
        wait: bool,
        took_ns: u64,
    ) {
        self.emit(Call::Host(Box::new(HostAccess {
            verb: HostVerb::QueryRead,
            object: QueryPoolKey(pool.as_raw()).into(),
            index,
            count,
            wait,
            bytes: 0,
            took_ns: Some(took_ns),
        })));
    }

    /// `vkCreateImageView`.
    pub(crate) fn view(&self, view: vk::ImageView, info: View<'_, vk::ImageViewCreateInfo<'_>>) {
        let range = info.subresource_range;
        self.emit(Call::View(
            ViewKey(view.as_raw()),
            ViewInfo {
                image: ImageKey(info.image.as_raw()),
                kind: info.view_type,
                format: info.format,
                aspects: range.aspect_mask,
                base_mip: range.base_mip_level,
                mips: range.level_count,
                base_layer: range.base_array_layer,
                layers: range.layer_count,
            },
        ));
    }

    /// `vkCreateBuffer`.
    pub(crate) fn buffer(&self, buffer: vk::Buffer, info: View<'_, vk::BufferCreateInfo<'_>>) {
        self.emit(Call::Buffer(
            BufferKey(buffer.as_raw()),
            BufferInfo { size: info.size, usage: info.usage, memory: None },
        ));
    }

    /// `vkCreateSampler`.
    pub(crate) fn sampler(&self, sampler: vk::Sampler, info: View<'_, vk::SamplerCreateInfo<'_>>) {
        self.emit(Call::Sampler(
            SamplerKey(sampler.as_raw()),
            SamplerInfo {
                min: info.min_filter,
                mag: info.mag_filter,
                mip: info.mipmap_mode,
                address: info.address_mode_u,
                flags: info.flags,
            },
        ));
    }

    /// `vkCreateSwapchainKHR` and the images that it made.
    pub(crate) fn swapchain(
        &self,
        swapchain: vk::SwapchainKHR,
        info: View<'_, vk::SwapchainCreateInfoKHR<'_>>,
        images: &[vk::Image],
        current_transform: Option<vk::SurfaceTransformFlagsKHR>,
    ) {
        let swapchain_info = SwapchainInfo {
            format: info.image_format,
            extent: info.image_extent,
            layers: info.image_array_layers,
            usage: info.image_usage,
            mode: info.present_mode,
            transform: info.pre_transform,
            current_transform,
            images: images.iter().map(|image| ImageKey(image.as_raw())).collect(),
        };
        self.emit(Call::Swapchain(SwapchainKey(swapchain.as_raw()), Box::new(swapchain_info)));
    }

    /// `vkCreateSemaphore`.
    pub(crate) fn semaphore(
        &self,
        semaphore: vk::Semaphore,
        info: View<'_, vk::SemaphoreCreateInfo<'_>>,
    ) {
        let kind = info.next::<vk::SemaphoreTypeCreateInfo<'_>>();
        let timeline = kind.is_some_and(|kind| kind.semaphore_type == vk::SemaphoreType::TIMELINE);
        let value = kind.filter(|_| timeline).map_or(0, |kind| kind.initial_value);
        if timeline {
            self.timelines.lock().insert(semaphore.as_raw(), ());
        }
        self.emit(Call::Semaphore(
            SemaphoreKey(semaphore.as_raw()),
            SemaphoreInfo { timeline, value },
        ));
    }

    /// `vkDestroySemaphore`.
    pub(crate) fn destroy_semaphore(&self, semaphore: vk::Semaphore) {
        self.timelines.lock().remove(semaphore.as_raw());
        self.destroy(SemaphoreKey(semaphore.as_raw()));
    }

    /// `vkCreateFence`.
    pub(crate) fn fence(&self, fence: vk::Fence, info: View<'_, vk::FenceCreateInfo<'_>>) {
        let is_signaled = info.flags.contains(vk::FenceCreateFlags::SIGNALED);
        self.emit(Call::Fence(FenceKey(fence.as_raw()), is_signaled));
    }

    /// `vkCreateEvent`.
    pub(crate) fn event(&self, event: vk::Event) {
        self.emit(Call::Event(EventKey(event.as_raw())));
    }

    /// `vkCreateQueryPool`.
    pub(crate) fn query_pool(
        &self,
        pool: vk::QueryPool,
        info: View<'_, vk::QueryPoolCreateInfo<'_>>,
    ) {
        self.emit(Call::QueryPool(
            QueryPoolKey(pool.as_raw()),
            QueryPoolInfo { kind: info.query_type, count: info.query_count },
        ));
    }
}

/// What may be chained to an image and is read, or changes nothing that a rule asks.
const KNOWN_IN_IMAGE: &[vk::StructureType] = &[
    vk::StructureType::EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
    vk::StructureType::IMAGE_FORMAT_LIST_CREATE_INFO,
    vk::StructureType::IMAGE_STENCIL_USAGE_CREATE_INFO,
    vk::StructureType::IMAGE_SWAPCHAIN_CREATE_INFO_KHR,
    vk::StructureType::IMAGE_COMPRESSION_CONTROL_EXT,
    vk::StructureType::DEDICATED_ALLOCATION_IMAGE_CREATE_INFO_NV,
    vk::StructureType::OPAQUE_CAPTURE_DESCRIPTOR_DATA_CREATE_INFO_EXT,
];

/// What may be chained to an allocation without making it visible outside the device.
const KNOWN_IN_MEMORY: &[vk::StructureType] = &[
    vk::StructureType::EXPORT_MEMORY_ALLOCATE_INFO,
    vk::StructureType::MEMORY_ALLOCATE_FLAGS_INFO,
    vk::StructureType::MEMORY_DEDICATED_ALLOCATE_INFO,
    vk::StructureType::MEMORY_PRIORITY_ALLOCATE_INFO_EXT,
    vk::StructureType::MEMORY_OPAQUE_CAPTURE_ADDRESS_ALLOCATE_INFO,
    vk::StructureType::DEDICATED_ALLOCATION_MEMORY_ALLOCATE_INFO_NV,
];
