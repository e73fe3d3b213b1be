//! What a listing needs of a driver: extensions and features, from its calls and its device line.

use std::collections::BTreeSet;

use ash::vk;
use tilelint::call::*;

use crate::features::Features;

/// What one device of a listing needs.
#[derive(Debug, Default)]
pub struct Needs {
    /// Version of Vulkan.
    pub api: u32,
    /// Device extensions.
    pub extensions: BTreeSet<String>,
    /// Device extensions that a layer enables: in them the driver says what the listing holds.
    pub answers: BTreeSet<String>,
    /// Features, by their API names.
    pub features: BTreeSet<String>,
    /// Those of them that the device line names.
    listed: BTreeSet<String>,
    /// A surface for swapchains.
    pub surface: bool,
    /// Features or extensions that the player does not know how to ask for.
    pub unknown: Vec<String>,
}

impl Needs {
    /// Reads the calls of one device.
    pub fn of(entries: &[Entry], device: DeviceKey) -> Self {
        let mut needs = Self { api: vk::API_VERSION_1_3, ..Self::default() };
        for entry in entries.iter().filter(|e| e.device == device) {
            if let Call::Device(info) = &entry.call {
                if info.api != 0 {
                    needs.api = info.api;
                }
                needs.extensions.extend(info.extensions.iter().map(|e| e.to_string()));
                needs.features.extend(info.features.iter().map(|f| f.to_string()));
            }
        }
        needs.listed = needs.features.clone();
        for entry in entries.iter().filter(|e| e.device == device) {
            needs.call(&entry.call);
        }
        needs.settle();
        needs
    }

    fn minor(&self) -> u32 {
        vk::api_version_minor(self.api)
    }

    fn feature(&mut self, name: &str) {
        self.features.insert(name.to_owned());
    }

    fn extension(&mut self, name: &str) {
        self.extensions.insert(name.to_owned());
    }

    /// An extension that became part of Vulkan 1.`core`.
    fn promoted(&mut self, name: &str, core: u32) {
        if self.minor() < core {
            self.extension(name);
        }
    }

    /// Adds the extensions that offer the features, and that extensions themselves need.
    fn settle(&mut self) {
        for name in self.features.clone() {
            match Features::holder(&name, self.api) {
                Some(Some(extension)) => self.extension(extension),
                Some(None) => {}
                None => self.unknown.push(format!("feature {name}")),
            }
        }
        self.surface |= self.extensions.contains("VK_KHR_swapchain");
        if self.extensions.contains("VK_KHR_fragment_shading_rate") {
            self.promoted("VK_KHR_create_renderpass2", 2);
        }
        if self.extensions.contains("VK_KHR_dynamic_rendering") && self.minor() < 2 {
            self.extension("VK_KHR_depth_stencil_resolve");
        }
        if self.extensions.contains("VK_KHR_depth_stencil_resolve") && self.minor() < 2 {
            self.extension("VK_KHR_create_renderpass2");
        }
        if self.extensions.contains("VK_KHR_imageless_framebuffer") && self.minor() < 2 {
            self.extension("VK_KHR_image_format_list");
        }
        if self.extensions.contains("VK_EXT_frame_boundary") {
            self.feature("frameBoundary");
        }
    }

    fn call(&mut self, call: &Call) {
        match call {
            Call::Image(_, info) => self.image(info),
            Call::Memory(_, info) if info.external || info.kind == MemoryKind::External => {
                self.extension("VK_KHR_external_memory_fd");
            }
            Call::View(_, info) if info.kind == vk::ImageViewType::CUBE_ARRAY => {
                self.feature("imageCubeArray");
            }
            Call::Swapchain(..) => {
                self.surface = true;
                self.extension("VK_KHR_swapchain");
            }
            Call::RenderPass(_, info) => self.render_pass(info),
            Call::Framebuffer(_, info) if info.imageless.is_some() => {
                self.feature("imagelessFramebuffer");
            }
            Call::SetLayout(_, info) => self.set_layout(info),
            Call::Write(info) => self.descriptors(&info.descriptors),
            Call::Pipeline(_, info) => self.pipeline(info),
            Call::Semaphore(_, info) if info.timeline => {
                self.feature("timelineSemaphore");
            }
            Call::QueryPool(_, info) if info.kind == vk::QueryType::PIPELINE_STATISTICS => {
                self.feature("pipelineStatisticsQuery");
            }
            Call::Commands(_, recording) => self.recording(recording),
            Call::Submit(info) => {
                if info.version == 2 {
                    self.feature("synchronization2");
                }
                if info.batches.iter().any(|batch| batch.frame_end) {
                    self.feature("frameBoundary");
                }
            }
            _ => {}
        }
    }

    fn image(&mut self, info: &ImageInfo) {
        let external = [ImageOrigin::Xr, ImageOrigin::TileMemory].contains(&info.origin);
        if info.external || external || info.memory == Some(MemoryKind::External) {
            self.extension("VK_KHR_external_memory_fd");
        }
        let has = |usage| info.usage.contains(usage);
        if has(vk::ImageUsageFlags::FRAGMENT_DENSITY_MAP_EXT) {
            self.density();
        }
        if has(vk::ImageUsageFlags::FRAGMENT_SHADING_RATE_ATTACHMENT_KHR) {
            self.feature("attachmentFragmentShadingRate");
        }
        if info.samples > 1 && has(vk::ImageUsageFlags::STORAGE) {
            self.feature("shaderStorageImageMultisample");
        }
        if !info.view_formats.is_empty() {
            self.promoted("VK_KHR_image_format_list", 2);
        }
    }

    fn density(&mut self) {
        // Attachments beside the map are ordinary images, unless the device line knows better.
        if !self.listed.contains("fragmentDensityMap") {
            self.feature("fragmentDensityMapNonSubsampledImages");
        }
        self.feature("fragmentDensityMap");
    }

    fn layout(&mut self, layout: vk::ImageLayout) {
        match layout {
            vk::ImageLayout::DEPTH_ATTACHMENT_OPTIMAL
            | vk::ImageLayout::DEPTH_READ_ONLY_OPTIMAL
            | vk::ImageLayout::STENCIL_ATTACHMENT_OPTIMAL
            | vk::ImageLayout::STENCIL_READ_ONLY_OPTIMAL => {
                self.feature("separateDepthStencilLayouts");
            }
            vk::ImageLayout::ATTACHMENT_OPTIMAL | vk::ImageLayout::READ_ONLY_OPTIMAL => {
                self.feature("synchronization2");
            }
            vk::ImageLayout::RENDERING_LOCAL_READ_KHR => self.feature("dynamicRenderingLocalRead"),
            _ => {}
        }
    }

    fn ops(&mut self, load: Option<vk::AttachmentLoadOp>, store: Option<vk::AttachmentStoreOp>) {
        if load == Some(vk::AttachmentLoadOp::NONE_KHR) {
            self.extension("VK_EXT_load_store_op_none");
        }
        if store == Some(vk::AttachmentStoreOp::NONE)
            && self.minor() < 3
            && !self.extensions.contains("VK_QCOM_render_pass_store_ops")
        {
            self.extension("VK_EXT_load_store_op_none");
        }
    }

    fn render_pass(&mut self, info: &RenderPassInfo) {
        if info.via == Via::Rp2 {
            self.promoted("VK_KHR_create_renderpass2", 2);
        }
        for a in &info.attachments {
            self.ops(a.load, a.store);
            self.ops(a.stencil_load, a.stencil_store);
            self.layout(a.initial);
            self.layout(a.final_);
            a.stencil_layouts.iter().flatten().for_each(|l| self.layout(*l));
        }
        for subpass in &info.subpasses {
            if subpass.merge.is_some() {
                self.answers.insert("VK_EXT_subpass_merge_feedback".to_owned());
            }
            if subpass.view_mask != 0 {
                self.feature("multiview");
            }
            if subpass.depth_resolve.is_some() {
                self.promoted("VK_KHR_depth_stencil_resolve", 2);
            }
            if subpass.shading_rate.is_some() {
                self.feature("attachmentFragmentShadingRate");
            }
            let all = subpass.color.iter().chain(&subpass.input).flatten().chain(&subpass.depth);
            all.for_each(|reference| self.layout(reference.layout));
        }
        if info.density.is_some() {
            self.density();
        }
        if info.dependencies.iter().any(|d| d.masks_64) {
            self.feature("synchronization2");
        }
    }

    fn set_layout(&mut self, info: &SetLayoutInfo) {
        use vk::DescriptorBindingFlags as F;
        use vk::DescriptorType as T;
        if info.flags.contains(vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR) {
            self.extension("VK_KHR_push_descriptor");
        }
        for binding in &info.bindings {
            if binding.flags.contains(F::PARTIALLY_BOUND) {
                self.feature("descriptorBindingPartiallyBound");
            }
            if binding.flags.contains(F::UPDATE_UNUSED_WHILE_PENDING) {
                self.feature("descriptorBindingUpdateUnusedWhilePending");
            }
            if binding.flags.contains(F::VARIABLE_DESCRIPTOR_COUNT) {
                self.feature("descriptorBindingVariableDescriptorCount");
            }
            if binding.flags.contains(F::UPDATE_AFTER_BIND) {
                match binding.kind {
                    T::UNIFORM_BUFFER => {
                        self.feature("descriptorBindingUniformBufferUpdateAfterBind");
                    }
                    T::STORAGE_BUFFER => {
                        self.feature("descriptorBindingStorageBufferUpdateAfterBind");
                    }
                    T::STORAGE_IMAGE => {
                        self.feature("descriptorBindingStorageImageUpdateAfterBind");
                    }
                    _ => self.feature("descriptorBindingSampledImageUpdateAfterBind"),
                }
            }
            let written = [T::STORAGE_IMAGE, T::STORAGE_BUFFER, T::STORAGE_BUFFER_DYNAMIC];
            if binding.stages.contains(vk::ShaderStageFlags::FRAGMENT)
                && written.contains(&binding.kind)
            {
                self.feature("fragmentStoresAndAtomics");
            }
            if binding.kind == T::STORAGE_IMAGE {
                self.feature("shaderStorageImageWriteWithoutFormat");
            }
        }
    }

    fn descriptors(&mut self, descriptors: &[Descriptor]) {
        if descriptors.contains(&Descriptor::Null) {
            self.feature("nullDescriptor");
        }
    }

    fn pipeline(&mut self, info: &PipelineInfo) {
        if info.depth_bounds {
            self.feature("depthBounds");
        }
        if info.sample_shading {
            self.feature("sampleRateShading");
        }
        if info.logic_op.is_some() {
            self.feature("logicOp");
        }
        if info.blend.windows(2).any(|pair| pair[0] != pair[1]) {
            self.feature("independentBlend");
        }
        let graphics = info.point == vk::PipelineBindPoint::GRAPHICS;
        if graphics && info.pass.is_none() {
            self.feature("dynamicRendering");
        }
        let tessellates = vk::ShaderStageFlags::TESSELLATION_CONTROL;
        if info.stages.contains(tessellates) || info.topology == vk::PrimitiveTopology::PATCH_LIST {
            self.feature("tessellationShader");
        }
        if info.stages.contains(vk::ShaderStageFlags::GEOMETRY) {
            self.feature("geometryShader");
        }
        if info.stages.contains(vk::ShaderStageFlags::MESH_EXT) {
            self.feature("meshShader");
        }
        if info.color_locations.is_some() || info.input_indices.is_some() {
            self.feature("dynamicRenderingLocalRead");
        }
        for state in &info.dynamic {
            self.dynamic_state(*state);
        }
    }

    fn dynamic_state(&mut self, state: vk::DynamicState) {
        use vk::DynamicState as D;
        match state {
            D::COLOR_BLEND_ENABLE_EXT => self.feature("extendedDynamicState3ColorBlendEnable"),
            D::COLOR_WRITE_MASK_EXT => self.feature("extendedDynamicState3ColorWriteMask"),
            D::LOGIC_OP_ENABLE_EXT => self.feature("extendedDynamicState3LogicOpEnable"),
            D::RASTERIZATION_SAMPLES_EXT => {
                self.feature("extendedDynamicState3RasterizationSamples");
            }
            D::COLOR_WRITE_ENABLE_EXT => self.feature("colorWriteEnable"),
            D::RASTERIZER_DISCARD_ENABLE if self.minor() < 3 => {
                self.feature("extendedDynamicState2");
            }
            D::DEPTH_TEST_ENABLE
            | D::DEPTH_WRITE_ENABLE
            | D::DEPTH_COMPARE_OP
            | D::DEPTH_BOUNDS_TEST_ENABLE
            | D::STENCIL_TEST_ENABLE
            | D::STENCIL_OP
            | D::PRIMITIVE_TOPOLOGY
                if self.minor() < 3 =>
            {
                self.feature("extendedDynamicState");
            }
            _ => {}
        }
    }

    fn recording(&mut self, recording: &Recording) {
        if recording.secondary && recording.inherits.is_none() && recording.inherited_samples != 0 {
            self.feature("dynamicRendering");
        }
        for command in &recording.commands {
            self.command(command);
        }
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::BeginPass(begin) => {
                if let PassTarget::Dynamic(rendering) = &begin.target {
                    self.rendering(rendering);
                }
            }
            Command::Barrier(info) if info.version == 2 => self.feature("synchronization2"),
            Command::EventSet(info) | Command::EventWait(info) | Command::EventReset(info)
                if info.barriers.version == 2 =>
            {
                self.feature("synchronization2");
            }
            Command::Transfer(info) if info.version == 2 => {
                self.promoted("VK_KHR_copy_commands2", 3);
            }
            Command::Query(info) if info.version == 2 && info.verb == QueryVerb::Timestamp => {
                self.feature("synchronization2");
            }
            Command::BindShaders(_) => self.feature("shaderObject"),
            Command::PushSet(info) => {
                self.extension("VK_KHR_push_descriptor");
                info.writes.iter().for_each(|write| self.descriptors(&write.descriptors));
            }
            Command::ConditionalBegin { .. } => self.feature("conditionalRendering"),
            Command::Draw(draw) => self.draw(draw),
            Command::Set(state) => match *state {
                DynamicState::ColorWriteEnable(_) => self.feature("colorWriteEnable"),
                DynamicState::ColorLocations(_) | DynamicState::InputIndices(_) => {
                    self.feature("dynamicRenderingLocalRead");
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn rendering(&mut self, rendering: &Rendering) {
        self.feature("dynamicRendering");
        if rendering.view_mask != 0 {
            self.feature("multiview");
        }
        for attachment in &rendering.attachments {
            self.ops(attachment.load, attachment.store);
            self.layout(attachment.layout);
            match attachment.role {
                RenderingRole::Density => self.density(),
                RenderingRole::ShadingRate => self.feature("attachmentFragmentShadingRate"),
                _ => {}
            }
        }
    }

    fn draw(&mut self, draw: &Draw) {
        match draw.kind {
            DrawKind::Mesh => self.feature("meshShader"),
            DrawKind::Multi => self.feature("multiDraw"),
            DrawKind::TransformFeedback => self.feature("transformFeedback"),
            DrawKind::IndirectCount if self.minor() >= 2 => self.feature("drawIndirectCount"),
            DrawKind::IndirectCount => self.extension("VK_KHR_draw_indirect_count"),
            DrawKind::Indirect | DrawKind::IndexedIndirect if draw.draw_count > 1 => {
                self.feature("multiDrawIndirect");
            }
            _ => {}
        }
    }
}
