//! Images and buffers, and the memory they lie in.

use ash::vk;
use tilelint::call::*;
use tilelint::format::{self, Aspect};

use crate::error::{Done, Error};
use crate::gpu::{Host, api};
use crate::player::{Buffer, Image, Player};

/// All aspects of a format.
pub(crate) fn aspects(of: vk::Format) -> vk::ImageAspectFlags {
    let mut all = vk::ImageAspectFlags::empty();
    for aspect in format::aspects(of) {
        all |= match aspect {
            Aspect::Color => vk::ImageAspectFlags::COLOR,
            Aspect::Depth => vk::ImageAspectFlags::DEPTH,
            Aspect::Stencil => vk::ImageAspectFlags::STENCIL,
        };
    }
    if all.is_empty() { vk::ImageAspectFlags::COLOR } else { all }
}

/// Number of samples as the API's flag.
pub(crate) fn samples(count: u32) -> vk::SampleCountFlags {
    vk::SampleCountFlags::from_raw(count.max(1))
}

fn is_external(info: &ImageInfo) -> bool {
    info.external
        || info.memory == Some(MemoryKind::External)
        || [ImageOrigin::Xr, ImageOrigin::TileMemory].contains(&info.origin)
}

/// Layout of a new image. What others made, or what existed before, has contents: a transition
/// from this layout keeps them.
fn start(info: &ImageInfo) -> vk::ImageLayout {
    let made_here = info.origin == ImageOrigin::Application && !info.before;
    match info.layout {
        // Contents from before are for a single sample: the API has no others of this kind.
        _ if info.samples > 1 => vk::ImageLayout::UNDEFINED,
        vk::ImageLayout::UNDEFINED if made_here => vk::ImageLayout::UNDEFINED,
        _ if made_here && info.layout != vk::ImageLayout::PREINITIALIZED => {
            vk::ImageLayout::UNDEFINED
        }
        // External memory begins undefined by the API's rules.
        _ if is_external(info) => vk::ImageLayout::UNDEFINED,
        _ => vk::ImageLayout::PREINITIALIZED,
    }
}

fn create_info<'i>(
    info: &'i ImageInfo,
    external: &'i mut vk::ExternalMemoryImageCreateInfo<'_>,
    list: &'i mut vk::ImageFormatListCreateInfo<'i>,
) -> vk::ImageCreateInfo<'i> {
    let mut out = vk::ImageCreateInfo::default()
        .flags(info.flags)
        .image_type(info.kind)
        .format(info.format)
        .extent(info.extent)
        .mip_levels(info.mips)
        .array_layers(info.layers)
        .samples(samples(info.samples))
        .tiling(info.tiling)
        .usage(info.usage)
        .initial_layout(start(info));
    if is_external(info) {
        external.handle_types = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
        out = out.push_next(external);
    }
    if !info.view_formats.is_empty() {
        *list = list.view_formats(&info.view_formats);
        out = out.push_next(list);
    }
    out
}

/// What the driver lacks for the images of a device: formats with their usage and samples, kinds
/// of memory.
pub(crate) fn lacking(host: &Host, entries: &[Entry], device: DeviceKey) -> Vec<String> {
    let types = api!(host.instance.get_physical_device_memory_properties(host.physical));
    let lazy = types
        .memory_types_as_slice()
        .iter()
        .any(|t| t.property_flags.contains(vk::MemoryPropertyFlags::LAZILY_ALLOCATED));
    let mut lacks = Vec::new();
    for entry in entries.iter().filter(|e| e.device == device && e.failed.is_none()) {
        let info = match &entry.call {
            Call::Image(_, info) => info,
            Call::Memory(_, info) if info.kind == MemoryKind::Lazy && !lazy => {
                lacks.push("lazily allocated memory".to_owned());
                continue;
            }
            _ => continue,
        };
        if info.memory == Some(MemoryKind::Lazy) && !lazy {
            lacks.push("lazily allocated memory".to_owned());
        }
        let supported = api!(host.instance.get_physical_device_image_format_properties(
            host.physical,
            info.format,
            info.kind,
            info.tiling,
            info.usage,
            info.flags,
        ));
        let what = format!("format {:?} with usage {:?}", info.format, info.usage);
        let Ok(has) = supported else {
            lacks.push(what);
            continue;
        };
        if !has.sample_counts.contains(samples(info.samples)) {
            lacks.push(format!("{what} and {} samples", info.samples));
        }
        let extent = has.max_extent;
        if extent.width < info.extent.width
            || extent.height < info.extent.height
            || extent.depth < info.extent.depth
            || has.max_array_layers < info.layers
            || has.max_mip_levels < info.mips
        {
            lacks.push(format!("{what} of this size, layers and mips"));
        }
    }
    lacks
}

impl Player<'_> {
    /// The driver's memory type for a kind, among those allowed.
    fn memory_type(&self, kind: MemoryKind, allowed: u32) -> Done<u32> {
        use vk::MemoryPropertyFlags as P;
        let types = self.gpu.memory.memory_types_as_slice();
        let find = |fits: &dyn Fn(P) -> bool| {
            let mut all = (0..).zip(types);
            let found = all.find(|(i, t)| allowed & (1 << *i) != 0 && fits(t.property_flags));
            found.map(|(index, _)| index)
        };
        let lazy = |f: P| f.contains(P::LAZILY_ALLOCATED);
        let (found, name) = match kind {
            MemoryKind::Device | MemoryKind::External => {
                let local = find(&|f| f.contains(P::DEVICE_LOCAL) && !lazy(f));
                (local.or_else(|| find(&|f| !lazy(f))), "device-local memory".to_owned())
            }
            MemoryKind::Lazy => (find(&lazy), "lazily allocated memory".to_owned()),
            MemoryKind::Host => {
                let best = find(&|f| f.contains(P::HOST_VISIBLE | P::HOST_COHERENT));
                (best.or_else(|| find(&|f| f.contains(P::HOST_VISIBLE))), "host memory".to_owned())
            }
            MemoryKind::Type(index) => match self.listed_types.get(&index) {
                Some(flags) => {
                    let exact = find(&|f| f == *flags);
                    let more = || find(&|f| f.contains(*flags) && lazy(f) == lazy(*flags));
                    (exact.or_else(more), format!("memory of type {flags:?}"))
                }
                None => (
                    Some(index).filter(|i| *i < 32 && allowed & (1 << i) != 0),
                    format!("memory type {index}"),
                ),
            },
        };
        found.ok_or_else(|| Error::Lacks(vec![format!("{name} for this resource")]))
    }

    fn allocate(
        &self,
        size: u64,
        kind: MemoryKind,
        allowed: u32,
        external: bool,
    ) -> Done<vk::DeviceMemory> {
        let mut export = vk::ExportMemoryAllocateInfo::default()
            .handle_types(vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD);
        let mut info = vk::MemoryAllocateInfo::default()
            .allocation_size(size)
            .memory_type_index(self.memory_type(kind, allowed)?);
        if external {
            info = info.push_next(&mut export);
        }
        let memory = api!(self.gpu.device.allocate_memory(&info, None));
        memory.map_err(self.failed("vkAllocateMemory"))
    }

    /// `vkCreateImage`, with memory of its own where the image is declared whole.
    pub(crate) fn image(&mut self, key: ImageKey, info: &ImageInfo, name: Option<&str>) -> Done {
        if info.opaque {
            return self.bad("the image holds a structure that is not known");
        }
        let mut external = vk::ExternalMemoryImageCreateInfo::default();
        let mut list = vk::ImageFormatListCreateInfo::default();
        let create = create_info(info, &mut external, &mut list);
        let handle = api!(self.gpu.device.create_image(&create, None));
        let handle = handle.map_err(self.failed("vkCreateImage"))?;
        let image = Image { handle, info: info.clone(), memory: None, owns: false };
        self.objects.images.insert(key, image);
        self.name(handle, name)?;
        let kind = match info.origin {
            ImageOrigin::Application => info.memory,
            _ => Some(MemoryKind::Device),
        };
        let Some(kind) = kind else { return Ok(()) };
        let needs = api!(self.gpu.device.get_image_memory_requirements(handle));
        let memory = self.allocate(needs.size, kind, needs.memory_type_bits, is_external(info))?;
        if let Some(image) = self.objects.images.get_mut(&key) {
            (image.memory, image.owns) = (Some(memory), true);
        }
        self.name(memory, name.map(|name| format!("{name} (memory)")).as_deref())?;
        let bound = api!(self.gpu.device.bind_image_memory(handle, memory, 0));
        bound.map_err(self.failed("vkBindImageMemory"))?;
        self.first_layout(key)
    }

    /// Brings an image into the layouts in which the listing says or expects it to be.
    fn first_layout(&mut self, key: ImageKey) -> Done {
        let Some(image) = self.objects.images.get(&key) else { return Ok(()) };
        let (handle, info) = (image.handle, image.info.clone());
        let none = [vk::ImageLayout::UNDEFINED, vk::ImageLayout::PREINITIALIZED];
        let parts = match none.contains(&info.layout) {
            false => {
                let mips = (0..info.mips).flat_map(|m| (0..info.layers).map(move |l| (m, l)));
                mips.map(|part| (part, info.layout)).collect()
            }
            true => self.first_layouts(key, &info),
        };
        if parts.is_empty() {
            return Ok(());
        }
        let barrier = |((mip, layer), layout)| {
            let range = vk::ImageSubresourceRange::default()
                .aspect_mask(aspects(info.format))
                .base_mip_level(mip)
                .level_count(1)
                .base_array_layer(layer)
                .layer_count(1);
            vk::ImageMemoryBarrier::default()
                .image(handle)
                .old_layout(start(&info))
                .new_layout(layout)
                .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .subresource_range(range)
        };
        let barriers: Vec<_> = parts.into_iter().map(barrier).collect();
        self.once(|device, commands| {
            api!(device.cmd_pipeline_barrier(
                commands,
                vk::PipelineStageFlags::TOP_OF_PIPE,
                vk::PipelineStageFlags::BOTTOM_OF_PIPE,
                vk::DependencyFlags::empty(),
                &[],
                &[],
                &barriers,
            ));
        })
    }

    /// What the images bound to an allocation need: its size, and the types that all allow.
    fn bound_to(&self, key: MemoryKey) -> (u64, u32) {
        let (mut size, mut allowed) = (0, u32::MAX);
        let mine = self.entries.iter().filter(|e| e.device == self.key && e.failed.is_none());
        for entry in mine.clone() {
            if let Call::BindBuffer(buffer, bind) = &entry.call
                && bind.memory == key
                && let Some(needs) = self.buffer_needs(*buffer)
            {
                let offset = bind.offset.next_multiple_of(needs.alignment.max(1));
                size = size.max(offset + needs.size);
                allowed &= needs.memory_type_bits;
            }
            let Call::Bind(image, bind) = &entry.call else { continue };
            if bind.memory != key {
                continue;
            }
            let info = mine.clone().find_map(|e| match &e.call {
                Call::Image(key, info) if key == image => Some(info),
                _ => None,
            });
            let needs = match (self.objects.images.get(image), info) {
                (Some(image), _) => {
                    api!(self.gpu.device.get_image_memory_requirements(image.handle))
                }
                (None, Some(info)) if self.gpu.at_least(3) => {
                    let mut external = vk::ExternalMemoryImageCreateInfo::default();
                    let mut list = vk::ImageFormatListCreateInfo::default();
                    let create = create_info(info, &mut external, &mut list);
                    let question =
                        vk::DeviceImageMemoryRequirements::default().create_info(&create);
                    let mut answer = vk::MemoryRequirements2::default();
                    api!(
                        self.gpu
                            .device
                            .get_device_image_memory_requirements(&question, &mut answer)
                    );
                    answer.memory_requirements
                }
                _ => continue,
            };
            let offset = bind.offset.next_multiple_of(needs.alignment.max(1));
            size = size.max(offset + needs.size);
            allowed &= needs.memory_type_bits;
        }
        (size, allowed)
    }

    /// What a buffer needs that was or will be made.
    fn buffer_needs(&self, key: BufferKey) -> Option<vk::MemoryRequirements> {
        if let Some(buffer) = self.objects.buffers.get(&key) {
            return Some(api!(self.gpu.device.get_buffer_memory_requirements(buffer.handle)));
        }
        let mut mine = self.entries.iter().filter(|e| e.device == self.key && e.failed.is_none());
        let info = mine.find_map(|e| match &e.call {
            Call::Buffer(made, info) if *made == key => Some(info),
            _ => None,
        });
        let info = info.filter(|_| self.gpu.at_least(3))?;
        let create = vk::BufferCreateInfo::default().size(info.size.max(4)).usage(info.usage);
        let question = vk::DeviceBufferMemoryRequirements::default().create_info(&create);
        let mut answer = vk::MemoryRequirements2::default();
        api!(self.gpu.device.get_device_buffer_memory_requirements(&question, &mut answer));
        Some(answer.memory_requirements)
    }

    /// `vkAllocateMemory`, at least as large as what will be bound to it needs here.
    pub(crate) fn memory(&mut self, key: MemoryKey, info: &MemoryInfo, name: Option<&str>) -> Done {
        let (size, allowed) = self.bound_to(key);
        let external = info.external || info.kind == MemoryKind::External;
        let memory = self.allocate(size.max(info.size), info.kind, allowed, external)?;
        self.objects.memories.insert(key, memory);
        self.name(memory, name)
    }

    /// `vkBindImageMemory`.
    pub(crate) fn bind(&mut self, key: ImageKey, info: &BindInfo) -> Done {
        let memory = self.objects.memories.get(&info.memory).copied();
        let memory = self.found("memory", memory)?;
        let image = self.objects.images.get(&key).map(|i| i.handle);
        let image = self.found("image", image)?;
        let needs = api!(self.gpu.device.get_image_memory_requirements(image));
        let offset = info.offset.next_multiple_of(needs.alignment.max(1));
        let bound = api!(self.gpu.device.bind_image_memory(image, memory, offset));
        bound.map_err(self.failed("vkBindImageMemory"))?;
        if let Some(image) = self.objects.images.get_mut(&key) {
            image.memory = Some(memory);
        }
        self.first_layout(key)
    }

    /// Says whether a line binds a buffer before it is destroyed.
    fn is_bound_later(&self, key: BufferKey) -> bool {
        let mut rest = self.entries[self.at..].iter().filter(|e| e.device == self.key);
        let bound = rest.find_map(|e| match &e.call {
            Call::BindBuffer(buffer, _) if *buffer == key => Some(true),
            Call::Destroy(object) if *object == key.into() => Some(false),
            _ => None,
        });
        bound.unwrap_or(false)
    }

    /// `vkBindBufferMemory`.
    pub(crate) fn bind_buffer(&mut self, key: BufferKey, info: &BindInfo) -> Done {
        let memory = self.objects.memories.get(&info.memory).copied();
        let memory = self.found("memory", memory)?;
        let buffer = self.objects.buffers.get(&key).map(|buffer| buffer.handle);
        let buffer = self.found("buffer", buffer)?;
        let needs = api!(self.gpu.device.get_buffer_memory_requirements(buffer));
        let offset = info.offset.next_multiple_of(needs.alignment.max(1));
        let bound = api!(self.gpu.device.bind_buffer_memory(buffer, memory, offset));
        bound.map_err(self.failed("vkBindBufferMemory"))?;
        if let Some(buffer) = self.objects.buffers.get_mut(&key) {
            buffer.memory = Some(memory);
        }
        Ok(())
    }

    /// A buffer with memory of its own.
    pub(crate) fn make_buffer(
        &self,
        size: u64,
        usage: vk::BufferUsageFlags,
        kind: MemoryKind,
    ) -> Done<Buffer> {
        let handle = self.bare_buffer(size, usage)?;
        let needs = api!(self.gpu.device.get_buffer_memory_requirements(handle));
        let external = kind == MemoryKind::External;
        let memory = self.allocate(needs.size, kind, needs.memory_type_bits, external)?;
        let bound = api!(self.gpu.device.bind_buffer_memory(handle, memory, 0));
        bound.map_err(self.failed("vkBindBufferMemory"))?;
        Ok(Buffer { handle, size: size.max(4), memory: Some(memory), owns: true })
    }

    fn bare_buffer(&self, size: u64, usage: vk::BufferUsageFlags) -> Done<vk::Buffer> {
        let info = vk::BufferCreateInfo::default().size(size.max(4)).usage(usage);
        let handle = api!(self.gpu.device.create_buffer(&info, None));
        handle.map_err(self.failed("vkCreateBuffer"))
    }

    /// `vkCreateBuffer`, with memory of its own unless a line binds it to some.
    pub(crate) fn buffer(&mut self, key: BufferKey, info: &BufferInfo, name: Option<&str>) -> Done {
        let buffer = if info.memory.is_none() && self.is_bound_later(key) {
            let handle = self.bare_buffer(info.size, info.usage)?;
            Buffer { handle, size: info.size.max(4), memory: None, owns: false }
        } else {
            let kind = info.memory.unwrap_or(MemoryKind::Device);
            self.make_buffer(info.size, info.usage, kind)?
        };
        let handle = buffer.handle;
        self.objects.buffers.insert(key, buffer);
        self.name(handle, name)
    }
}
