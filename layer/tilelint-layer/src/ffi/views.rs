//! What can be read from each create-info: its arrays, its optional members, its unions.

use super::read::{View, Views, arrays, slice, string};
use ash::vk;
use std::ffi::{CStr, c_char};

arrays! {
    RenderPassCreateInfo {
        attachments: vk::AttachmentDescription = p_attachments[attachment_count];
        subpasses: vk::SubpassDescription<'a> = p_subpasses[subpass_count];
        dependencies: vk::SubpassDependency = p_dependencies[dependency_count];
    }
    SubpassDescription {
        input: vk::AttachmentReference = p_input_attachments[input_attachment_count];
        color: vk::AttachmentReference = p_color_attachments[color_attachment_count];
        resolve: vk::AttachmentReference = p_resolve_attachments[color_attachment_count];
        preserve: u32 = p_preserve_attachments[preserve_attachment_count];
    }
    RenderPassMultiviewCreateInfo {
        view_masks: u32 = p_view_masks[subpass_count];
        view_offsets: i32 = p_view_offsets[dependency_count];
    }
    RenderPassInputAttachmentAspectCreateInfo {
        aspects: vk::InputAttachmentAspectReference = p_aspect_references[aspect_reference_count];
    }
    RenderPassCreateInfo2 {
        attachments: vk::AttachmentDescription2<'a> = p_attachments[attachment_count];
        subpasses: vk::SubpassDescription2<'a> = p_subpasses[subpass_count];
        dependencies: vk::SubpassDependency2<'a> = p_dependencies[dependency_count];
    }
    SubpassDescription2 {
        input: vk::AttachmentReference2<'a> = p_input_attachments[input_attachment_count];
        color: vk::AttachmentReference2<'a> = p_color_attachments[color_attachment_count];
        resolve: vk::AttachmentReference2<'a> = p_resolve_attachments[color_attachment_count];
        preserve: u32 = p_preserve_attachments[preserve_attachment_count];
    }
    FramebufferAttachmentsCreateInfo {
        infos: vk::FramebufferAttachmentImageInfo<'a> =
            p_attachment_image_infos[attachment_image_info_count];
    }
    FramebufferAttachmentImageInfo {
        formats: vk::Format = p_view_formats[view_format_count];
    }
    RenderPassAttachmentBeginInfo {
        attachments: vk::ImageView = p_attachments[attachment_count];
    }
    RenderingInfo {
        color: vk::RenderingAttachmentInfo<'a> = p_color_attachments[color_attachment_count];
    }
    ImageFormatListCreateInfo { formats: vk::Format = p_view_formats[view_format_count]; }
    DependencyInfo {
        memory: vk::MemoryBarrier2<'a> = p_memory_barriers[memory_barrier_count];
        buffers: vk::BufferMemoryBarrier2<'a> =
            p_buffer_memory_barriers[buffer_memory_barrier_count];
        images: vk::ImageMemoryBarrier2<'a> = p_image_memory_barriers[image_memory_barrier_count];
    }
    DeviceCreateInfo {
        extension_names: *const c_char = pp_enabled_extension_names[enabled_extension_count];
    }
    SubmitInfo {
        waits: vk::Semaphore = p_wait_semaphores[wait_semaphore_count];
        wait_stages: vk::PipelineStageFlags = p_wait_dst_stage_mask[wait_semaphore_count];
        commands: vk::CommandBuffer = p_command_buffers[command_buffer_count];
        signals: vk::Semaphore = p_signal_semaphores[signal_semaphore_count];
    }
    TimelineSemaphoreSubmitInfo {
        wait_values: u64 = p_wait_semaphore_values[wait_semaphore_value_count];
        signal_values: u64 = p_signal_semaphore_values[signal_semaphore_value_count];
    }
    SubmitInfo2 {
        waits: vk::SemaphoreSubmitInfo<'a> = p_wait_semaphore_infos[wait_semaphore_info_count];
        commands: vk::CommandBufferSubmitInfo<'a> =
            p_command_buffer_infos[command_buffer_info_count];
        signals: vk::SemaphoreSubmitInfo<'a> =
            p_signal_semaphore_infos[signal_semaphore_info_count];
    }
    BindSparseInfo {
        waits: vk::Semaphore = p_wait_semaphores[wait_semaphore_count];
        signals: vk::Semaphore = p_signal_semaphores[signal_semaphore_count];
    }
    PresentInfoKHR {
        waits: vk::Semaphore = p_wait_semaphores[wait_semaphore_count];
        swapchains: vk::SwapchainKHR = p_swapchains[swapchain_count];
        image_indices: u32 = p_image_indices[swapchain_count];
    }
    SemaphoreWaitInfo {
        semaphores: vk::Semaphore = p_semaphores[semaphore_count];
        values: u64 = p_values[semaphore_count];
    }
    DescriptorSetLayoutCreateInfo {
        bindings: vk::DescriptorSetLayoutBinding<'a> = p_bindings[binding_count];
    }
    DescriptorSetLayoutBindingFlagsCreateInfo {
        flags: vk::DescriptorBindingFlags = p_binding_flags[binding_count];
    }
    DescriptorSetAllocateInfo {
        layouts: vk::DescriptorSetLayout = p_set_layouts[descriptor_set_count];
    }
    DescriptorUpdateTemplateCreateInfo {
        entries: vk::DescriptorUpdateTemplateEntry =
            p_descriptor_update_entries[descriptor_update_entry_count];
    }
    PipelineLayoutCreateInfo {
        sets: vk::DescriptorSetLayout = p_set_layouts[set_layout_count];
        ranges: vk::PushConstantRange = p_push_constant_ranges[push_constant_range_count];
    }
    GraphicsPipelineCreateInfo {
        stages: vk::PipelineShaderStageCreateInfo<'a> = p_stages[stage_count];
    }
    PipelineDynamicStateCreateInfo {
        states: vk::DynamicState = p_dynamic_states[dynamic_state_count];
    }
    PipelineVertexInputStateCreateInfo {
        bindings: vk::VertexInputBindingDescription =
            p_vertex_binding_descriptions[vertex_binding_description_count];
    }
    PipelineColorBlendStateCreateInfo {
        attachments: vk::PipelineColorBlendAttachmentState = p_attachments[attachment_count];
    }
    PipelineRenderingCreateInfo {
        formats: vk::Format = p_color_attachment_formats[color_attachment_count];
    }
    CommandBufferInheritanceRenderingInfo {
        formats: vk::Format = p_color_attachment_formats[color_attachment_count];
    }
    RenderingAttachmentLocationInfoKHR {
        locations: u32 = p_color_attachment_locations[color_attachment_count];
    }
    RenderingInputAttachmentIndexInfoKHR {
        indices: u32 = p_color_attachment_input_indices[color_attachment_count];
    }
    CopyImageInfo2 { regions: vk::ImageCopy2<'a> = p_regions[region_count]; }
    BlitImageInfo2 { regions: vk::ImageBlit2<'a> = p_regions[region_count]; }
    ResolveImageInfo2 { regions: vk::ImageResolve2<'a> = p_regions[region_count]; }
    CopyBufferToImageInfo2 { regions: vk::BufferImageCopy2<'a> = p_regions[region_count]; }
    CopyImageToBufferInfo2 { regions: vk::BufferImageCopy2<'a> = p_regions[region_count]; }
    PushDescriptorSetInfoKHR {
        writes: vk::WriteDescriptorSet<'a> = p_descriptor_writes[descriptor_write_count];
    }
    BindDescriptorSetsInfoKHR {
        sets: vk::DescriptorSet = p_descriptor_sets[descriptor_set_count];
        offsets: u32 = p_dynamic_offsets[dynamic_offset_count];
    }
}

/// Declares optional members as safe methods.
macro_rules! members {
    ($($ty:ident { $($name:ident: $item:ty = $pointer:ident;)* })*) => {$(
        impl<'a> View<'a, vk::$ty<'a>> {$(
            #[doc = concat!("Returns `", stringify!($pointer), "`.")]
            pub(crate) fn $name(self) -> Option<View<'a, $item>> {
                // SAFETY: C2 - NULL or one valid structure.
                unsafe { View::new(self.get().$pointer.cast::<$item>()) }
            }
        )*}
    )*};
}

members! {
    DeviceCreateInfo { enabled_features: vk::PhysicalDeviceFeatures = p_enabled_features; }
    SubpassDescription { depth: vk::AttachmentReference = p_depth_stencil_attachment; }
    SubpassDescription2 { depth: vk::AttachmentReference2<'a> = p_depth_stencil_attachment; }
    SubpassDescriptionDepthStencilResolve {
        target: vk::AttachmentReference2<'a> = p_depth_stencil_resolve_attachment;
    }
    RenderPassCreationFeedbackCreateInfoEXT {
        feedback: vk::RenderPassCreationFeedbackInfoEXT = p_render_pass_feedback;
    }
    RenderPassSubpassFeedbackCreateInfoEXT {
        feedback: vk::RenderPassSubpassFeedbackInfoEXT = p_subpass_feedback;
    }
    FragmentShadingRateAttachmentInfoKHR {
        attachment: vk::AttachmentReference2<'a> = p_fragment_shading_rate_attachment;
    }
    RenderingInfo {
        depth: vk::RenderingAttachmentInfo<'a> = p_depth_attachment;
        stencil: vk::RenderingAttachmentInfo<'a> = p_stencil_attachment;
    }
    GraphicsPipelineCreateInfo {
        dynamic: vk::PipelineDynamicStateCreateInfo<'a> = p_dynamic_state;
    }
}

/// Which parts of a graphics pipeline a create-info holds; the others' pointers are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PipelineParts {
    /// Vertex input state, unless a mesh shader replaces it or it is dynamic.
    pub(crate) vertex_input: bool,
    /// Rasterisation state.
    pub(crate) pre_rasterization: bool,
    /// Depth and stencil state of a subpass that has such an attachment.
    pub(crate) depth_stencil: bool,
    /// Multisample state.
    pub(crate) multisample: bool,
    /// Blend state of a subpass that has colour attachments.
    pub(crate) color_blend: bool,
    /// Viewport state.
    pub(crate) viewport: bool,
}

/// Declares the states of a graphics pipeline, each readable where its part is present.
macro_rules! states {
    ($($name:ident: $item:ident = $pointer:ident if $part:ident;)*) => {
        impl<'a> View<'a, vk::GraphicsPipelineCreateInfo<'a>> {$(
            #[doc = concat!("Returns `", stringify!($pointer), "` where it is not ignored.")]
            pub(crate) fn $name(self, parts: PipelineParts) -> Option<View<'a, vk::$item<'a>>> {
                if !parts.$part {
                    return None;
                }
                // SAFETY: C2 - not ignored, so NULL or one valid structure.
                unsafe { View::new(self.get().$pointer.cast::<vk::$item<'a>>()) }
            }
        )*}
    };
}

states! {
    vertex_input: PipelineVertexInputStateCreateInfo = p_vertex_input_state if vertex_input;
    input_assembly: PipelineInputAssemblyStateCreateInfo = p_input_assembly_state if vertex_input;
    viewport: PipelineViewportStateCreateInfo = p_viewport_state if viewport;
    rasterization: PipelineRasterizationStateCreateInfo =
        p_rasterization_state if pre_rasterization;
    multisample: PipelineMultisampleStateCreateInfo = p_multisample_state if multisample;
    depth_stencil: PipelineDepthStencilStateCreateInfo = p_depth_stencil_state if depth_stencil;
    color_blend: PipelineColorBlendStateCreateInfo = p_color_blend_state if color_blend;
}

impl<'a> View<'a, vk::PipelineViewportStateCreateInfo<'a>> {
    /// Returns `pViewports`, unless the viewport is dynamic and they are ignored.
    pub(crate) fn viewports(self, is_dynamic: bool) -> &'a [vk::Viewport] {
        let count = if is_dynamic { 0 } else { self.viewport_count };
        // SAFETY: C2 - not ignored, so as many as it says.
        unsafe { slice(self.p_viewports, count as usize) }
    }

    /// Returns `pScissors`, unless the scissor is dynamic and they are ignored.
    pub(crate) fn scissors(self, is_dynamic: bool) -> &'a [vk::Rect2D] {
        let count = if is_dynamic { 0 } else { self.scissor_count };
        // SAFETY: C2 - not ignored, so as many as it says.
        unsafe { slice(self.p_scissors, count as usize) }
    }
}

impl<'a> View<'a, vk::PipelineMultisampleStateCreateInfo<'a>> {
    /// Returns the first word of the sample mask; without one all samples count.
    pub(crate) fn sample_mask(self) -> u32 {
        // SAFETY: C2 - NULL or at least one word.
        unsafe { self.p_sample_mask.as_ref() }.copied().unwrap_or(!0)
    }
}

impl<'a> View<'a, vk::FramebufferCreateInfo<'a>> {
    /// Returns `pAttachments`, which an imageless framebuffer ignores.
    pub(crate) fn attachments(self) -> &'a [vk::ImageView] {
        if self.flags.contains(vk::FramebufferCreateFlags::IMAGELESS) {
            return &[];
        }
        // SAFETY: C2 - not imageless, so as many as it says.
        unsafe { slice(self.p_attachments, self.attachment_count as usize) }
    }
}

impl<'a> View<'a, vk::RenderPassBeginInfo<'a>> {
    /// Returns the clear values as raw words.
    pub(crate) fn clear_words(self) -> impl Iterator<Item = Option<[u32; 4]>> {
        // SAFETY: C2 - as many as it says.
        let values = unsafe { slice(self.p_clear_values, self.clear_value_count as usize) };
        values.iter().map(|value| Some(clear_words(value)))
    }
}

/// Returns a clear value as raw words.
pub(crate) fn clear_words(value: &vk::ClearValue) -> [u32; 4] {
    // SAFETY: C8 - every member is made of 32-bit words.
    let color = unsafe { value.color };
    color_words(&color)
}

/// Returns a clear colour as raw words.
pub(crate) fn color_words(value: &vk::ClearColorValue) -> [u32; 4] {
    // SAFETY: C8 - every member is made of 32-bit words.
    unsafe { value.uint32 }
}

impl<'a> View<'a, vk::CommandBufferBeginInfo<'a>> {
    /// Returns `pInheritanceInfo`, which a primary command buffer ignores.
    pub(crate) fn inheritance(
        self,
        is_secondary: bool,
    ) -> Option<View<'a, vk::CommandBufferInheritanceInfo<'a>>> {
        if !is_secondary {
            return None;
        }
        // SAFETY: C2 - a secondary command buffer has a valid one.
        unsafe { View::new(self.p_inheritance_info) }
    }
}

impl<'a> View<'a, vk::WriteDescriptorSet<'a>> {
    /// Returns `pImageInfo` where the descriptor type uses it.
    pub(crate) fn images(self) -> &'a [vk::DescriptorImageInfo] {
        if !is_image(self.descriptor_type) && self.descriptor_type != vk::DescriptorType::SAMPLER {
            return &[];
        }
        // SAFETY: C2 - used by this type, so as many as it says.
        unsafe { slice(self.p_image_info, self.descriptor_count as usize) }
    }

    /// Returns `pBufferInfo` where the descriptor type uses it.
    pub(crate) fn buffers(self) -> &'a [vk::DescriptorBufferInfo] {
        if !is_buffer(self.descriptor_type) {
            return &[];
        }
        // SAFETY: C2 - used by this type, so as many as it says.
        unsafe { slice(self.p_buffer_info, self.descriptor_count as usize) }
    }
}

/// Says whether descriptors of this type are image views.
pub(crate) fn is_image(kind: vk::DescriptorType) -> bool {
    matches!(
        kind,
        vk::DescriptorType::COMBINED_IMAGE_SAMPLER
            | vk::DescriptorType::SAMPLED_IMAGE
            | vk::DescriptorType::STORAGE_IMAGE
            | vk::DescriptorType::INPUT_ATTACHMENT
            | vk::DescriptorType::SAMPLE_WEIGHT_IMAGE_QCOM
            | vk::DescriptorType::BLOCK_MATCH_IMAGE_QCOM
    )
}

/// Says whether descriptors of this type are buffers.
pub(crate) fn is_buffer(kind: vk::DescriptorType) -> bool {
    matches!(
        kind,
        vk::DescriptorType::UNIFORM_BUFFER
            | vk::DescriptorType::STORAGE_BUFFER
            | vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC
            | vk::DescriptorType::STORAGE_BUFFER_DYNAMIC
    )
}

impl<'a> View<'a, vk::ComputePipelineCreateInfo<'a>> {
    /// Returns the only stage.
    pub(crate) fn stage(self) -> View<'a, vk::PipelineShaderStageCreateInfo<'a>> {
        // SAFETY: C2 - it is part of a valid structure.
        unsafe { View::new(&raw const self.get().stage) }.expect("it has an address")
    }
}

impl<'a> View<'a, vk::ShaderModuleCreateInfo<'a>> {
    /// Returns the SPIR-V words.
    pub(crate) fn code(self) -> &'a [u32] {
        // SAFETY: C2 - codeSize bytes, a multiple of four.
        unsafe { slice(self.p_code, self.code_size / 4) }
    }
}

impl<'a> View<'a, vk::ShaderCreateInfoEXT<'a>> {
    /// Returns the SPIR-V words, or nothing for a driver's binary.
    pub(crate) fn code(self) -> Option<&'a [u32]> {
        let words = self.p_code.cast::<u32>();
        if self.code_type != vk::ShaderCodeTypeEXT::SPIRV || !words.is_aligned() {
            return None;
        }
        // SAFETY: C2 - codeSize bytes, a multiple of four, and aligned.
        Some(unsafe { slice(words, self.code_size / 4) })
    }

    /// Returns the entry point.
    pub(crate) fn entry(self) -> Option<&'a CStr> {
        // SAFETY: C2 - NULL or a string.
        unsafe { string(self.p_name) }
    }
}

impl<'a> View<'a, vk::LayerSettingsCreateInfoEXT<'a>> {
    /// Returns the settings.
    pub(crate) fn settings(self) -> Views<'a, vk::LayerSettingEXT<'a>> {
        // SAFETY: C2 - as many as it says.
        unsafe { Views::new(self.p_settings, self.setting_count) }
    }
}

impl<'a> View<'a, vk::InstanceCreateInfo<'a>> {
    /// Returns `pApplicationInfo`, which may be NULL.
    pub(crate) fn application(self) -> Option<View<'a, vk::ApplicationInfo<'a>>> {
        // SAFETY: C2 - NULL or valid.
        unsafe { View::new(self.p_application_info) }
    }
}

/// The value of a layer setting, as text.
impl<'a> View<'a, vk::LayerSettingEXT<'a>> {
    /// Returns the layer that the setting is for.
    pub(crate) fn layer(self) -> Option<&'a CStr> {
        // SAFETY: C2 - a string.
        unsafe { string(self.p_layer_name) }
    }

    /// Returns the setting's name.
    pub(crate) fn name(self) -> Option<&'a CStr> {
        // SAFETY: C2 - a string.
        unsafe { string(self.p_setting_name) }
    }

    /// Returns the values as words.
    pub(crate) fn values(self) -> Vec<String> {
        match self.ty {
            vk::LayerSettingTypeEXT::BOOL32 => {
                self.numbers::<u32>().iter().map(|value| (*value != 0).to_string()).collect()
            }
            vk::LayerSettingTypeEXT::INT32 => self.words::<i32>(),
            vk::LayerSettingTypeEXT::INT64 => self.words::<i64>(),
            vk::LayerSettingTypeEXT::UINT32 => self.words::<u32>(),
            vk::LayerSettingTypeEXT::UINT64 => self.words::<u64>(),
            vk::LayerSettingTypeEXT::FLOAT32 => self.words::<f32>(),
            vk::LayerSettingTypeEXT::FLOAT64 => self.words::<f64>(),
            vk::LayerSettingTypeEXT::STRING => self.strings(),
            _ => Vec::new(),
        }
    }

    fn words<N: ToString>(self) -> Vec<String> {
        self.numbers::<N>().iter().map(N::to_string).collect()
    }

    fn numbers<N>(self) -> &'a [N] {
        // SAFETY: C2 - `type` says what the values are.
        unsafe { slice(self.p_values.cast::<N>(), self.value_count as usize) }
    }

    fn strings(self) -> Vec<String> {
        let pointers = self.numbers::<*const c_char>();
        let read = |pointer: &*const c_char| {
            // SAFETY: C2 - each value is a string.
            unsafe { string(*pointer) }
        };
        pointers.iter().filter_map(read).map(|text| text.to_string_lossy().into_owned()).collect()
    }
}
