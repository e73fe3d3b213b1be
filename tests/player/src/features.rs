//! Features by their API names: which structure holds each, and the chains of structures.

use ash::vk;

/// When a structure may stand in the chain.
#[derive(Clone, Copy)]
enum Since {
    /// From this minor version of Vulkan 1 on.
    Core(u32),
    /// With the extension, on devices below this minor version (there the core structure has it).
    Extension(&'static str, u32),
}

/// Two spellings of a name are the same but for case and underscores.
fn same(field: &str, name: &str) -> bool {
    let plain = |s: &str| s.replace('_', "").to_ascii_lowercase();
    plain(field) == plain(name)
}

macro_rules! features {
    ($($part:ident: $structure:ty, $since:expr, { $($field:ident)* })*) => {
        /// The structures that the player knows.
        #[derive(Default)]
        pub struct Features {
            base: vk::PhysicalDeviceFeatures2<'static>,
            $($part: $structure,)*
        }

        impl Features {
            /// What offers each feature of this name: the extension that is needed on a device of
            /// this version, if any.
            pub fn holder(name: &str, api: u32) -> Option<Option<&'static str>> {
                if CORE.iter().any(|field| same(field, name)) {
                    return Some(None);
                }
                $(
                    let known: &[&str] = &[$(stringify!($field)),*];
                    if let Some(extension) = usable($since, api, None)
                        && known.iter().any(|field| same(field, name))
                    {
                        return Some(extension);
                    }
                )*
                None
            }

            /// Says whether a feature is on; `None` where the structure does not belong here.
            pub fn get(&mut self, name: &str, api: u32) -> Option<&mut vk::Bool32> {
                if let Some(value) = core_field(&mut self.base.features, name) {
                    return Some(value);
                }
                $(
                    if usable($since, api, None).is_some() {
                        $(
                            if same(stringify!($field), name) {
                                return Some(&mut self.$part.$field);
                            }
                        )*
                    }
                )*
                None
            }

            /// Chains the structures that belong on a device of this version with these
            /// extensions, and lends the first.
            pub fn chain(
                &mut self,
                api: u32,
                extensions: &[String],
            ) -> &mut vk::PhysicalDeviceFeatures2<'static> {
                self.base.p_next = std::ptr::null_mut();
                $(
                    self.$part.p_next = std::ptr::null_mut();
                    if usable($since, api, Some(extensions)).is_some() {
                        self.$part.p_next = self.base.p_next;
                        self.base.p_next = std::ptr::from_mut(&mut self.$part).cast();
                    }
                )*
                &mut self.base
            }
        }
    };
}

/// Says whether a structure belongs on a device; with the extension that offers it. `enabled`
/// limits it to extensions that are on.
fn usable(since: Since, api: u32, enabled: Option<&[String]>) -> Option<Option<&'static str>> {
    let minor = vk::api_version_minor(api);
    match since {
        Since::Core(from) => (minor >= from).then_some(None),
        Since::Extension(name, until) => {
            let on = enabled.is_none_or(|list| list.iter().any(|e| e == name));
            (minor < until && on).then_some(Some(name))
        }
    }
}

macro_rules! core {
    ($($field:ident)*) => {
        const CORE: &[&str] = &[$(stringify!($field)),*];

        fn core_field<'f>(
            features: &'f mut vk::PhysicalDeviceFeatures,
            name: &str,
        ) -> Option<&'f mut vk::Bool32> {
            $(
                if same(stringify!($field), name) {
                    return Some(&mut features.$field);
                }
            )*
            None
        }
    };
}

core! {
    robust_buffer_access full_draw_index_uint32 image_cube_array independent_blend
    geometry_shader tessellation_shader sample_rate_shading dual_src_blend logic_op
    multi_draw_indirect draw_indirect_first_instance depth_clamp depth_bias_clamp
    fill_mode_non_solid depth_bounds wide_lines large_points alpha_to_one multi_viewport
    sampler_anisotropy texture_compression_etc2 texture_compression_astc_ldr
    texture_compression_bc occlusion_query_precise pipeline_statistics_query
    vertex_pipeline_stores_and_atomics fragment_stores_and_atomics
    shader_tessellation_and_geometry_point_size shader_image_gather_extended
    shader_storage_image_extended_formats shader_storage_image_multisample
    shader_storage_image_read_without_format shader_storage_image_write_without_format
    shader_uniform_buffer_array_dynamic_indexing shader_sampled_image_array_dynamic_indexing
    shader_storage_buffer_array_dynamic_indexing shader_storage_image_array_dynamic_indexing
    shader_clip_distance shader_cull_distance shader_float64 shader_int64 shader_int16
    shader_resource_residency shader_resource_min_lod sparse_binding sparse_residency_buffer
    sparse_residency_image2_d sparse_residency_image3_d sparse_residency2_samples
    sparse_residency4_samples sparse_residency8_samples sparse_residency16_samples
    sparse_residency_aliased variable_multisample_rate inherited_queries
}

features! {
    v11: vk::PhysicalDeviceVulkan11Features<'static>,
        Since::Core(2), {
        storage_buffer16_bit_access uniform_and_storage_buffer16_bit_access
        storage_push_constant16 storage_input_output16 multiview multiview_geometry_shader
        multiview_tessellation_shader variable_pointers_storage_buffer variable_pointers
        protected_memory sampler_ycbcr_conversion shader_draw_parameters
    }
    v12: vk::PhysicalDeviceVulkan12Features<'static>,
        Since::Core(2), {
        sampler_mirror_clamp_to_edge draw_indirect_count storage_buffer8_bit_access
        uniform_and_storage_buffer8_bit_access storage_push_constant8
        shader_buffer_int64_atomics shader_shared_int64_atomics shader_float16 shader_int8
        descriptor_indexing shader_input_attachment_array_dynamic_indexing
        shader_uniform_texel_buffer_array_dynamic_indexing
        shader_storage_texel_buffer_array_dynamic_indexing
        shader_uniform_buffer_array_non_uniform_indexing
        shader_sampled_image_array_non_uniform_indexing
        shader_storage_buffer_array_non_uniform_indexing
        shader_storage_image_array_non_uniform_indexing
        shader_input_attachment_array_non_uniform_indexing
        shader_uniform_texel_buffer_array_non_uniform_indexing
        shader_storage_texel_buffer_array_non_uniform_indexing
        descriptor_binding_uniform_buffer_update_after_bind
        descriptor_binding_sampled_image_update_after_bind
        descriptor_binding_storage_image_update_after_bind
        descriptor_binding_storage_buffer_update_after_bind
        descriptor_binding_uniform_texel_buffer_update_after_bind
        descriptor_binding_storage_texel_buffer_update_after_bind
        descriptor_binding_update_unused_while_pending descriptor_binding_partially_bound
        descriptor_binding_variable_descriptor_count runtime_descriptor_array
        sampler_filter_minmax scalar_block_layout imageless_framebuffer
        uniform_buffer_standard_layout shader_subgroup_extended_types
        separate_depth_stencil_layouts host_query_reset timeline_semaphore buffer_device_address
        buffer_device_address_capture_replay buffer_device_address_multi_device
        vulkan_memory_model vulkan_memory_model_device_scope
        vulkan_memory_model_availability_visibility_chains shader_output_viewport_index
        shader_output_layer subgroup_broadcast_dynamic_id
    }
    v13: vk::PhysicalDeviceVulkan13Features<'static>,
        Since::Core(3), {
        robust_image_access inline_uniform_block
        descriptor_binding_inline_uniform_block_update_after_bind
        pipeline_creation_cache_control private_data shader_demote_to_helper_invocation
        shader_terminate_invocation subgroup_size_control compute_full_subgroups
        synchronization2 texture_compression_astc_hdr shader_zero_initialize_workgroup_memory
        dynamic_rendering shader_integer_dot_product maintenance4
    }
    multiview: vk::PhysicalDeviceMultiviewFeatures<'static>,
        Since::Extension("VK_KHR_multiview", 2), {
        multiview multiview_geometry_shader multiview_tessellation_shader
    }
    timeline: vk::PhysicalDeviceTimelineSemaphoreFeatures<'static>,
        Since::Extension("VK_KHR_timeline_semaphore", 2), {
        timeline_semaphore
    }
    address: vk::PhysicalDeviceBufferDeviceAddressFeatures<'static>,
        Since::Extension("VK_KHR_buffer_device_address", 2), {
        buffer_device_address buffer_device_address_capture_replay
        buffer_device_address_multi_device
    }
    imageless: vk::PhysicalDeviceImagelessFramebufferFeatures<'static>,
        Since::Extension("VK_KHR_imageless_framebuffer", 2), {
        imageless_framebuffer
    }
    separate_layouts: vk::PhysicalDeviceSeparateDepthStencilLayoutsFeatures<'static>,
        Since::Extension("VK_KHR_separate_depth_stencil_layouts", 2), {
        separate_depth_stencil_layouts
    }
    indexing: vk::PhysicalDeviceDescriptorIndexingFeatures<'static>,
        Since::Extension("VK_EXT_descriptor_indexing", 2), {
        shader_input_attachment_array_dynamic_indexing
        shader_uniform_texel_buffer_array_dynamic_indexing
        shader_storage_texel_buffer_array_dynamic_indexing
        shader_uniform_buffer_array_non_uniform_indexing
        shader_sampled_image_array_non_uniform_indexing
        shader_storage_buffer_array_non_uniform_indexing
        shader_storage_image_array_non_uniform_indexing
        shader_input_attachment_array_non_uniform_indexing
        shader_uniform_texel_buffer_array_non_uniform_indexing
        shader_storage_texel_buffer_array_non_uniform_indexing
        descriptor_binding_uniform_buffer_update_after_bind
        descriptor_binding_sampled_image_update_after_bind
        descriptor_binding_storage_image_update_after_bind
        descriptor_binding_storage_buffer_update_after_bind
        descriptor_binding_uniform_texel_buffer_update_after_bind
        descriptor_binding_storage_texel_buffer_update_after_bind
        descriptor_binding_update_unused_while_pending descriptor_binding_partially_bound
        descriptor_binding_variable_descriptor_count runtime_descriptor_array
    }
    dynamic: vk::PhysicalDeviceDynamicRenderingFeatures<'static>,
        Since::Extension("VK_KHR_dynamic_rendering", 3), {
        dynamic_rendering
    }
    synchronization2: vk::PhysicalDeviceSynchronization2Features<'static>,
        Since::Extension("VK_KHR_synchronization2", 3), {
        synchronization2
    }
    dynamic_state: vk::PhysicalDeviceExtendedDynamicStateFeaturesEXT<'static>,
        Since::Extension("VK_EXT_extended_dynamic_state", u32::MAX), {
        extended_dynamic_state
    }
    dynamic_state2: vk::PhysicalDeviceExtendedDynamicState2FeaturesEXT<'static>,
        Since::Extension("VK_EXT_extended_dynamic_state2", u32::MAX), {
        extended_dynamic_state2 extended_dynamic_state2_logic_op
        extended_dynamic_state2_patch_control_points
    }
    dynamic_state3: vk::PhysicalDeviceExtendedDynamicState3FeaturesEXT<'static>,
        Since::Extension("VK_EXT_extended_dynamic_state3", u32::MAX), {
        extended_dynamic_state3_tessellation_domain_origin
        extended_dynamic_state3_depth_clamp_enable extended_dynamic_state3_polygon_mode
        extended_dynamic_state3_rasterization_samples extended_dynamic_state3_sample_mask
        extended_dynamic_state3_alpha_to_coverage_enable
        extended_dynamic_state3_alpha_to_one_enable extended_dynamic_state3_logic_op_enable
        extended_dynamic_state3_color_blend_enable extended_dynamic_state3_color_blend_equation
        extended_dynamic_state3_color_write_mask extended_dynamic_state3_rasterization_stream
        extended_dynamic_state3_conservative_rasterization_mode
        extended_dynamic_state3_extra_primitive_overestimation_size
        extended_dynamic_state3_depth_clip_enable
        extended_dynamic_state3_sample_locations_enable
        extended_dynamic_state3_color_blend_advanced
        extended_dynamic_state3_provoking_vertex_mode
        extended_dynamic_state3_line_rasterization_mode
        extended_dynamic_state3_line_stipple_enable
        extended_dynamic_state3_depth_clip_negative_one_to_one
        extended_dynamic_state3_viewport_w_scaling_enable
        extended_dynamic_state3_viewport_swizzle
        extended_dynamic_state3_coverage_to_color_enable
        extended_dynamic_state3_coverage_to_color_location
        extended_dynamic_state3_coverage_modulation_mode
        extended_dynamic_state3_coverage_modulation_table_enable
        extended_dynamic_state3_coverage_modulation_table
        extended_dynamic_state3_coverage_reduction_mode
        extended_dynamic_state3_representative_fragment_test_enable
        extended_dynamic_state3_shading_rate_image_enable
    }
    local_read: vk::PhysicalDeviceDynamicRenderingLocalReadFeaturesKHR<'static>,
        Since::Extension("VK_KHR_dynamic_rendering_local_read", u32::MAX), {
        dynamic_rendering_local_read
    }
    density: vk::PhysicalDeviceFragmentDensityMapFeaturesEXT<'static>,
        Since::Extension("VK_EXT_fragment_density_map", u32::MAX), {
        fragment_density_map fragment_density_map_dynamic
        fragment_density_map_non_subsampled_images
    }
    density2: vk::PhysicalDeviceFragmentDensityMap2FeaturesEXT<'static>,
        Since::Extension("VK_EXT_fragment_density_map2", u32::MAX), {
        fragment_density_map_deferred
    }
    shading_rate: vk::PhysicalDeviceFragmentShadingRateFeaturesKHR<'static>,
        Since::Extension("VK_KHR_fragment_shading_rate", u32::MAX), {
        pipeline_fragment_shading_rate primitive_fragment_shading_rate
        attachment_fragment_shading_rate
    }
    mesh: vk::PhysicalDeviceMeshShaderFeaturesEXT<'static>,
        Since::Extension("VK_EXT_mesh_shader", u32::MAX), {
        task_shader mesh_shader multiview_mesh_shader
        primitive_fragment_shading_rate_mesh_shader mesh_shader_queries
    }
    multi_draw: vk::PhysicalDeviceMultiDrawFeaturesEXT<'static>,
        Since::Extension("VK_EXT_multi_draw", u32::MAX), {
        multi_draw
    }
    feedback: vk::PhysicalDeviceTransformFeedbackFeaturesEXT<'static>,
        Since::Extension("VK_EXT_transform_feedback", u32::MAX), {
        transform_feedback geometry_streams
    }
    conditional: vk::PhysicalDeviceConditionalRenderingFeaturesEXT<'static>,
        Since::Extension("VK_EXT_conditional_rendering", u32::MAX), {
        conditional_rendering inherited_conditional_rendering
    }
    color_write: vk::PhysicalDeviceColorWriteEnableFeaturesEXT<'static>,
        Since::Extension("VK_EXT_color_write_enable", u32::MAX), {
        color_write_enable
    }
    robustness2: vk::PhysicalDeviceRobustness2FeaturesEXT<'static>,
        Since::Extension("VK_EXT_robustness2", u32::MAX), {
        robust_buffer_access2 robust_image_access2 null_descriptor
    }
    boundary: vk::PhysicalDeviceFrameBoundaryFeaturesEXT<'static>,
        Since::Extension("VK_EXT_frame_boundary", u32::MAX), {
        frame_boundary
    }
    shader_object: vk::PhysicalDeviceShaderObjectFeaturesEXT<'static>,
        Since::Extension("VK_EXT_shader_object", u32::MAX), {
        shader_object
    }
    single_sampled: vk::PhysicalDeviceMultisampledRenderToSingleSampledFeaturesEXT<'static>,
        Since::Extension("VK_EXT_multisampled_render_to_single_sampled", u32::MAX), {
        multisampled_render_to_single_sampled
    }
    ordered: vk::PhysicalDeviceRasterizationOrderAttachmentAccessFeaturesEXT<'static>,
        Since::Extension("VK_EXT_rasterization_order_attachment_access", u32::MAX), {
        rasterization_order_color_attachment_access rasterization_order_depth_attachment_access
        rasterization_order_stencil_attachment_access
    }
}
