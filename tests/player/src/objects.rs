//! Views, samplers, swapchains, synchronisation objects, names; and how everything is destroyed.

use ash::vk;
use tilelint::call::*;

use crate::error::{Done, Error};
use crate::gpu::api;
use crate::memory::aspects;
use crate::player::{Image, Player, Swapchain};

impl Player<'_> {
    /// `vkCreateImageView`.
    pub(crate) fn view(&mut self, key: ViewKey, info: &ViewInfo, name: Option<&str>) -> Done {
        let image = self.objects.images.get(&info.image);
        let (image, of) = self.found("image", image.map(|i| (i.handle, i.info.format)))?;
        let format = match info.format {
            vk::Format::UNDEFINED => of,
            format => format,
        };
        let aspect = match info.aspects.is_empty() {
            true => aspects(format),
            false => info.aspects,
        };
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(aspect)
            .base_mip_level(info.base_mip)
            .level_count(info.mips)
            .base_array_layer(info.base_layer)
            .layer_count(info.layers);
        let create = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(info.kind)
            .format(format)
            .subresource_range(range);
        let handle = api!(self.gpu.device.create_image_view(&create, None));
        let handle = handle.map_err(self.failed("vkCreateImageView"))?;
        self.objects.views.insert(key, (handle, *info));
        self.name(handle, name)
    }

    /// `vkCreateSampler`.
    pub(crate) fn sampler(
        &mut self,
        key: SamplerKey,
        info: &SamplerInfo,
        name: Option<&str>,
    ) -> Done {
        let create = vk::SamplerCreateInfo::default()
            .flags(info.flags)
            .min_filter(info.min)
            .mag_filter(info.mag)
            .mipmap_mode(info.mip)
            .address_mode_u(info.address)
            .address_mode_v(info.address)
            .address_mode_w(info.address)
            .max_lod(vk::LOD_CLAMP_NONE);
        let handle = api!(self.gpu.device.create_sampler(&create, None));
        let handle = handle.map_err(self.failed("vkCreateSampler"))?;
        self.objects.samplers.insert(key, handle);
        self.name(handle, name)
    }

    /// `vkCreateSwapchainKHR` on a surface of its own.
    pub(crate) fn swapchain(
        &mut self,
        key: SwapchainKey,
        info: &SwapchainInfo,
        name: Option<&str>,
    ) -> Done {
        let surface = self.host.surface(info.extent);
        let surface = surface.map_err(self.failed("vkCreateXlibSurfaceKHR"))?;
        let made = self.swapchain_on(key, info, surface);
        if made.is_err() {
            api!(self.host.surfaces.destroy_surface(surface, None));
        }
        let handle = made?;
        self.name(handle, name)?;
        self.chain_images(key, info, name)
    }

    fn swapchain_on(
        &mut self,
        key: SwapchainKey,
        info: &SwapchainInfo,
        surface: vk::SurfaceKHR,
    ) -> Done<vk::SwapchainKHR> {
        let physical = self.host.physical;
        let surfaces = &self.host.surfaces;
        let family = self.gpu.main.1;
        let can = api!(surfaces.get_physical_device_surface_support(physical, family, surface));
        let mut lacks = Vec::new();
        if !can.map_err(self.failed("vkGetPhysicalDeviceSurfaceSupportKHR"))? {
            lacks.push("presentation from the graphics queue".to_owned());
        }
        let formats = api!(surfaces.get_physical_device_surface_formats(physical, surface));
        let formats = formats.map_err(self.failed("vkGetPhysicalDeviceSurfaceFormatsKHR"))?;
        let format = formats.iter().find(|f| f.format == info.format);
        if format.is_none() {
            lacks.push(format!("surface format {:?}", info.format));
        }
        let modes = api!(surfaces.get_physical_device_surface_present_modes(physical, surface));
        let modes = modes.map_err(self.failed("vkGetPhysicalDeviceSurfacePresentModesKHR"))?;
        if !modes.contains(&info.mode) {
            lacks.push(format!("present mode {:?}", info.mode));
        }
        let can = api!(surfaces.get_physical_device_surface_capabilities(physical, surface));
        let can = can.map_err(self.failed("vkGetPhysicalDeviceSurfaceCapabilitiesKHR"))?;
        if !can.supported_usage_flags.contains(info.usage) {
            lacks.push(format!("surface usage {:?}", info.usage));
        }
        if !can.supported_transforms.contains(info.transform) {
            lacks.push(format!("surface transform {:?}", info.transform));
        }
        let count = info.images.len() as u32;
        let most = if can.max_image_count == 0 { u32::MAX } else { can.max_image_count };
        if !(can.min_image_count..=most).contains(&count) {
            lacks.push(format!("a swapchain of {count} images"));
        }
        if !lacks.is_empty() {
            return Err(Error::Lacks(lacks));
        }
        let alpha = match can.supported_composite_alpha.contains(vk::CompositeAlphaFlagsKHR::OPAQUE)
        {
            true => vk::CompositeAlphaFlagsKHR::OPAQUE,
            false => vk::CompositeAlphaFlagsKHR::INHERIT,
        };
        let create = vk::SwapchainCreateInfoKHR::default()
            .surface(surface)
            .min_image_count(count)
            .image_format(info.format)
            .image_color_space(format.map(|f| f.color_space).unwrap_or_default())
            .image_extent(info.extent)
            .image_array_layers(info.layers)
            .image_usage(info.usage)
            .pre_transform(info.transform)
            .composite_alpha(alpha)
            .present_mode(info.mode)
            .clipped(true);
        let handle = api!(self.gpu.swapchains.create_swapchain(&create, None));
        let handle = handle.map_err(self.failed("vkCreateSwapchainKHR"))?;
        let first = self.first_acquired(key);
        let chain = Swapchain { handle, surface, images: info.images.clone(), first };
        self.objects.swapchains.insert(key, chain);
        Ok(handle)
    }

    /// The image that the listing acquires first.
    pub(crate) fn first_acquired(&self, key: SwapchainKey) -> u32 {
        let mut rest = self.entries[self.at..].iter().filter(|e| e.device == self.key);
        let first = rest.find_map(|e| match &e.call {
            Call::Acquire(info) if info.swapchain == key => Some(info.image),
            _ => None,
        });
        first.unwrap_or(0)
    }

    fn chain_images(
        &mut self,
        key: SwapchainKey,
        info: &SwapchainInfo,
        name: Option<&str>,
    ) -> Done {
        let chain = self.objects.swapchains.get(&key).map(|c| c.handle).unwrap_or_default();
        let images = api!(self.gpu.swapchains.get_swapchain_images(chain));
        let images = images.map_err(self.failed("vkGetSwapchainImagesKHR"))?;
        if images.len() < info.images.len() {
            return self.bad("the driver's swapchain has fewer images");
        }
        // Drivers hand out the images in turn from the first; a recording begins anywhere.
        let count = info.images.len();
        let from = self.first_acquired(key) as usize % count.max(1);
        for (index, key) in info.images.iter().enumerate() {
            let handle = images[(index + count - from) % count];
            let of = ImageInfo {
                format: info.format,
                extent: info.extent.into(),
                usage: info.usage,
                layers: info.layers,
                origin: ImageOrigin::Swapchain,
                ..ImageInfo::default()
            };
            let image = Image { handle, info: of, memory: None, owns: false };
            self.objects.images.insert(*key, image);
            self.name(handle, name.map(|name| format!("{name}.{index}")).as_deref())?;
        }
        Ok(())
    }

    /// `vkCreateSemaphore`.
    pub(crate) fn semaphore(
        &mut self,
        key: SemaphoreKey,
        info: &SemaphoreInfo,
        name: Option<&str>,
    ) -> Done {
        let mut kind = vk::SemaphoreTypeCreateInfo::default()
            .semaphore_type(vk::SemaphoreType::TIMELINE)
            .initial_value(info.value);
        let mut create = vk::SemaphoreCreateInfo::default();
        if info.timeline {
            create = create.push_next(&mut kind);
        }
        let handle = api!(self.gpu.device.create_semaphore(&create, None));
        let handle = handle.map_err(self.failed("vkCreateSemaphore"))?;
        self.objects.semaphores.insert(key, handle);
        self.name(handle, name)
    }

    /// `vkCreateFence`.
    pub(crate) fn fence(&mut self, key: FenceKey, signaled: bool, name: Option<&str>) -> Done {
        let flags = match signaled {
            true => vk::FenceCreateFlags::SIGNALED,
            false => vk::FenceCreateFlags::empty(),
        };
        let create = vk::FenceCreateInfo::default().flags(flags);
        let handle = api!(self.gpu.device.create_fence(&create, None));
        let handle = handle.map_err(self.failed("vkCreateFence"))?;
        self.objects.fences.insert(key, handle);
        self.name(handle, name)
    }

    /// `vkCreateEvent`.
    pub(crate) fn event(&mut self, key: EventKey, name: Option<&str>) -> Done {
        let create = vk::EventCreateInfo::default();
        let handle = api!(self.gpu.device.create_event(&create, None));
        let handle = handle.map_err(self.failed("vkCreateEvent"))?;
        self.objects.events.insert(key, handle);
        self.name(handle, name)
    }

    /// `vkCreateQueryPool`.
    pub(crate) fn query_pool(
        &mut self,
        key: QueryPoolKey,
        info: &QueryPoolInfo,
        name: Option<&str>,
    ) -> Done {
        let statistics = match info.kind {
            vk::QueryType::PIPELINE_STATISTICS => {
                vk::QueryPipelineStatisticFlags::INPUT_ASSEMBLY_VERTICES
            }
            _ => vk::QueryPipelineStatisticFlags::empty(),
        };
        let create = vk::QueryPoolCreateInfo::default()
            .query_type(info.kind)
            .query_count(info.count)
            .pipeline_statistics(statistics);
        let handle = api!(self.gpu.device.create_query_pool(&create, None));
        let handle = handle.map_err(self.failed("vkCreateQueryPool"))?;
        self.objects.query_pools.insert(key, (handle, *info));
        self.name(handle, name)
    }

    /// `vkSetDebugUtilsObjectNameEXT` on an object that has one already or not.
    pub(crate) fn rename(&mut self, object: Object, text: &str) -> Done {
        let o = &self.objects;
        let text = Some(text);
        macro_rules! named {
            ($table:ident, $key:ident, $entry:pat => $handle:expr) => {
                match o.$table.get(&$key(object.key)) {
                    Some($entry) => self.name($handle, text),
                    None => self.bad(format!("the {} does not exist here", object.kind)),
                }
            };
        }
        match object.kind {
            Kind::Device => self.name(self.gpu.device.handle(), text),
            Kind::Queue => self.name(self.gpu.queue(QueueKey(object.key)).0, text),
            Kind::Image => named!(images, ImageKey, i => i.handle),
            Kind::Memory => named!(memories, MemoryKey, m => *m),
            Kind::View => named!(views, ViewKey, v => v.0),
            Kind::Buffer => named!(buffers, BufferKey, b => b.handle),
            Kind::Sampler => named!(samplers, SamplerKey, s => *s),
            Kind::Swapchain => named!(swapchains, SwapchainKey, s => s.handle),
            Kind::RenderPass => named!(render_passes, RenderPassKey, r => r.0),
            Kind::Framebuffer => named!(framebuffers, FramebufferKey, f => f.0),
            Kind::Shader => named!(shaders, ShaderKey, s => s.0),
            Kind::SetLayout => named!(set_layouts, SetLayoutKey, l => l.0),
            Kind::PipelineLayout => named!(layouts, PipelineLayoutKey, l => l.0),
            Kind::Set => named!(sets, SetKey, s => s.handle),
            Kind::Pipeline => named!(pipelines, PipelineKey, p => p.handle),
            Kind::Semaphore => named!(semaphores, SemaphoreKey, s => *s),
            Kind::Fence => named!(fences, FenceKey, f => *f),
            Kind::Event => named!(events, EventKey, e => *e),
            Kind::QueryPool => named!(query_pools, QueryPoolKey, q => q.0),
            Kind::Commands => named!(commands, CommandsKey, c => c.handle),
        }
    }
}
