//! The extensions that the driver offers.

/// Instance extensions. `VK_EXT_debug_utils` is known (`add_extensions`) but not offered, so that a
/// layer's own implementation is what programs see.
const INSTANCE: &str = "\
    VK_KHR_surface VK_KHR_xcb_surface VK_KHR_xlib_surface VK_KHR_wayland_surface
    VK_EXT_headless_surface VK_KHR_get_physical_device_properties2
    VK_KHR_get_surface_capabilities2 VK_KHR_external_memory_capabilities
    VK_KHR_external_semaphore_capabilities VK_KHR_external_fence_capabilities
    VK_KHR_device_group_creation VK_EXT_swapchain_colorspace";

/// Device extensions.
const DEVICE: &str = "\
    VK_KHR_swapchain VK_KHR_dynamic_rendering VK_KHR_create_renderpass2
    VK_KHR_synchronization2 VK_KHR_push_descriptor VK_EXT_multi_draw VK_EXT_mesh_shader
    VK_EXT_descriptor_indexing VK_EXT_load_store_op_none VK_EXT_descriptor_buffer
    VK_EXT_fragment_density_map VK_EXT_fragment_density_map2 VK_KHR_fragment_shading_rate
    VK_KHR_external_memory VK_KHR_external_memory_fd VK_EXT_external_memory_dma_buf
    VK_KHR_external_semaphore VK_KHR_external_semaphore_fd VK_KHR_external_fence
    VK_KHR_external_fence_fd VK_EXT_transform_feedback VK_EXT_extended_dynamic_state
    VK_EXT_extended_dynamic_state2 VK_EXT_extended_dynamic_state3
    VK_EXT_vertex_input_dynamic_state VK_EXT_color_write_enable VK_EXT_shader_object
    VK_EXT_conditional_rendering VK_EXT_multisampled_render_to_single_sampled
    VK_EXT_frame_boundary VK_KHR_maintenance1 VK_KHR_maintenance2 VK_KHR_maintenance3
    VK_KHR_maintenance4 VK_KHR_maintenance5 VK_KHR_bind_memory2
    VK_KHR_get_memory_requirements2 VK_KHR_dedicated_allocation
    VK_KHR_descriptor_update_template VK_KHR_device_group VK_KHR_draw_indirect_count
    VK_AMD_draw_indirect_count VK_KHR_timeline_semaphore VK_KHR_buffer_device_address
    VK_EXT_buffer_device_address VK_KHR_sampler_ycbcr_conversion VK_KHR_copy_commands2
    VK_KHR_multiview VK_KHR_imageless_framebuffer VK_KHR_image_format_list
    VK_KHR_depth_stencil_resolve VK_KHR_separate_depth_stencil_layouts
    VK_KHR_dynamic_rendering_local_read VK_EXT_host_query_reset VK_EXT_private_data
    VK_EXT_memory_budget VK_EXT_memory_priority VK_EXT_pageable_device_local_memory
    VK_EXT_line_rasterization VK_EXT_robustness2 VK_EXT_custom_border_color
    VK_EXT_depth_clip_enable VK_EXT_depth_clip_control VK_EXT_vertex_attribute_divisor
    VK_EXT_index_type_uint8 VK_EXT_primitive_topology_list_restart
    VK_EXT_rasterization_order_attachment_access VK_EXT_graphics_pipeline_library
    VK_KHR_pipeline_library VK_EXT_attachment_feedback_loop_layout
    VK_EXT_attachment_feedback_loop_dynamic_state VK_QCOM_render_pass_store_ops
    VK_QCOM_render_pass_transform VK_QCOM_tile_properties VK_EXT_provoking_vertex
    VK_EXT_4444_formats VK_EXT_scalar_block_layout VK_KHR_shader_float16_int8
    VK_KHR_16bit_storage VK_KHR_8bit_storage VK_KHR_uniform_buffer_standard_layout
    VK_KHR_spirv_1_4 VK_KHR_shader_float_controls VK_KHR_driver_properties
    VK_KHR_incremental_present VK_KHR_present_id VK_KHR_present_wait VK_KHR_maintenance6
    VK_KHR_map_memory2
    VK_EXT_host_image_copy VK_KHR_load_store_op_none VK_KHR_variable_pointers
    VK_KHR_vulkan_memory_model VK_KHR_shader_atomic_int64
    VK_KHR_shader_subgroup_extended_types VK_KHR_shader_draw_parameters
    VK_KHR_storage_buffer_storage_class VK_KHR_relaxed_block_layout
    VK_KHR_sampler_mirror_clamp_to_edge VK_EXT_sampler_filter_minmax
    VK_EXT_separate_stencil_usage VK_EXT_shader_viewport_index_layer
    VK_EXT_shader_demote_to_helper_invocation VK_EXT_subgroup_size_control
    VK_EXT_inline_uniform_block VK_EXT_pipeline_creation_cache_control
    VK_EXT_pipeline_creation_feedback VK_EXT_texture_compression_astc_hdr
    VK_EXT_ycbcr_2plane_444_formats VK_KHR_format_feature_flags2
    VK_KHR_zero_initialize_workgroup_memory VK_KHR_shader_terminate_invocation
    VK_KHR_shader_integer_dot_product VK_KHR_shader_non_semantic_info VK_EXT_image_robustness
    VK_EXT_queue_family_foreign VK_KHR_swapchain_mutable_format";

/// Instance extensions that a file may add.
const MORE_INSTANCE: &str = "VK_EXT_debug_utils VK_EXT_debug_report VK_EXT_validation_features";

/// Revisions that programs are known to look at; every other extension says 1.
const REVISIONS: &[(&str, u32)] =
    &[("VK_KHR_surface", 25), ("VK_KHR_swapchain", 70), ("VK_EXT_debug_utils", 2)];

/// An extension's name and revision.
pub type Offered = (String, u32);

/// The instance and device extensions, from the lists of the file. A name that is not known as an
/// instance extension is one of the device.
pub fn offered(
    exactly: Option<&[String]>,
    add: &[String],
    remove: &[String],
) -> (Vec<Offered>, Vec<Offered>) {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let mut names = match exactly {
        Some(names) => names.to_vec(),
        None => [words(INSTANCE), words(DEVICE)].concat(),
    };
    names.extend_from_slice(add);
    names.retain(|name| !remove.contains(name));
    names.sort_unstable();
    names.dedup();
    let instance = [words(INSTANCE), words(MORE_INSTANCE)].concat();
    let revision = |name: &str| REVISIONS.iter().find(|(n, _)| *n == name).map_or(1, |(_, r)| *r);
    let with_revision = names.into_iter().map(|name| {
        let revision = revision(&name);
        (name, revision)
    });
    with_revision.partition(|(name, _)| instance.contains(name))
}
