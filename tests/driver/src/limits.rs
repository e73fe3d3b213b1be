//! Limits, as a large mobile GPU of today states them.

use ash::vk;

use crate::config::config;
use crate::memory::MAP_ALIGNMENT;

/// `VkPhysicalDeviceLimits`. What is not named is 0 and means little to programs.
pub fn limits() -> vk::PhysicalDeviceLimits {
    let counts = config().sample_counts;
    let mut limits = vk::PhysicalDeviceLimits {
        framebuffer_color_sample_counts: counts,
        framebuffer_depth_sample_counts: counts,
        framebuffer_stencil_sample_counts: counts,
        framebuffer_no_attachments_sample_counts: counts,
        sampled_image_color_sample_counts: counts,
        sampled_image_integer_sample_counts: counts,
        sampled_image_depth_sample_counts: counts,
        sampled_image_stencil_sample_counts: counts,
        storage_image_sample_counts: vk::SampleCountFlags::TYPE_1,
        max_sample_mask_words: 1,
        timestamp_compute_and_graphics: vk::TRUE,
        timestamp_period: 1.0,
        discrete_queue_priorities: 2,
        standard_sample_locations: vk::TRUE,
        strict_lines: vk::FALSE,
        ..Default::default()
    };
    sizes(&mut limits);
    descriptors(&mut limits);
    stages(&mut limits);
    raster(&mut limits);
    alignments(&mut limits);
    limits
}

fn sizes(limits: &mut vk::PhysicalDeviceLimits) {
    limits.max_image_dimension1_d = 16384;
    limits.max_image_dimension2_d = 16384;
    limits.max_image_dimension3_d = 2048;
    limits.max_image_dimension_cube = 16384;
    limits.max_image_array_layers = 2048;
    limits.max_texel_buffer_elements = 1 << 27;
    limits.max_uniform_buffer_range = 65536;
    limits.max_storage_buffer_range = 1 << 30;
    limits.max_push_constants_size = 256;
    limits.max_memory_allocation_count = 4096;
    limits.max_sampler_allocation_count = 4000;
    limits.sparse_address_space_size = 1 << 40;
    limits.max_framebuffer_width = 16384;
    limits.max_framebuffer_height = 16384;
    limits.max_framebuffer_layers = 1024;
    limits.max_color_attachments = 8;
    limits.max_viewports = 16;
    limits.max_viewport_dimensions = [16384, 16384];
    limits.viewport_bounds_range = [-32768.0, 32767.0];
    limits.viewport_sub_pixel_bits = 8;
    limits.max_draw_indexed_index_value = u32::MAX;
    limits.max_draw_indirect_count = u32::MAX;
}

fn descriptors(limits: &mut vk::PhysicalDeviceLimits) {
    const MANY: u32 = 1 << 19;
    limits.max_bound_descriptor_sets = 8;
    limits.max_per_stage_descriptor_samplers = MANY;
    limits.max_per_stage_descriptor_uniform_buffers = MANY;
    limits.max_per_stage_descriptor_storage_buffers = MANY;
    limits.max_per_stage_descriptor_sampled_images = MANY;
    limits.max_per_stage_descriptor_storage_images = MANY;
    limits.max_per_stage_descriptor_input_attachments = 8;
    limits.max_per_stage_resources = 4 * MANY;
    limits.max_descriptor_set_samplers = MANY;
    limits.max_descriptor_set_uniform_buffers = MANY;
    limits.max_descriptor_set_uniform_buffers_dynamic = 16;
    limits.max_descriptor_set_storage_buffers = MANY;
    limits.max_descriptor_set_storage_buffers_dynamic = 16;
    limits.max_descriptor_set_sampled_images = MANY;
    limits.max_descriptor_set_storage_images = MANY;
    limits.max_descriptor_set_input_attachments = 8;
}

fn stages(limits: &mut vk::PhysicalDeviceLimits) {
    limits.max_vertex_input_attributes = 32;
    limits.max_vertex_input_bindings = 32;
    limits.max_vertex_input_attribute_offset = 4095;
    limits.max_vertex_input_binding_stride = 2048;
    limits.max_vertex_output_components = 128;
    limits.max_tessellation_generation_level = 64;
    limits.max_tessellation_patch_size = 32;
    limits.max_tessellation_control_per_vertex_input_components = 128;
    limits.max_tessellation_control_per_vertex_output_components = 128;
    limits.max_tessellation_control_per_patch_output_components = 120;
    limits.max_tessellation_control_total_output_components = 4096;
    limits.max_tessellation_evaluation_input_components = 128;
    limits.max_tessellation_evaluation_output_components = 128;
    limits.max_geometry_shader_invocations = 32;
    limits.max_geometry_input_components = 64;
    limits.max_geometry_output_components = 128;
    limits.max_geometry_output_vertices = 256;
    limits.max_geometry_total_output_components = 1024;
    limits.max_fragment_input_components = 124;
    limits.max_fragment_output_attachments = 8;
    limits.max_fragment_dual_src_attachments = 1;
    limits.max_fragment_combined_output_resources = 72;
    limits.max_compute_shared_memory_size = 32768;
    limits.max_compute_work_group_count = [65535; 3];
    limits.max_compute_work_group_invocations = 1024;
    limits.max_compute_work_group_size = [1024, 1024, 64];
    limits.max_clip_distances = 8;
    limits.max_cull_distances = 8;
    limits.max_combined_clip_and_cull_distances = 8;
}

fn raster(limits: &mut vk::PhysicalDeviceLimits) {
    limits.sub_pixel_precision_bits = 8;
    limits.sub_texel_precision_bits = 8;
    limits.mipmap_precision_bits = 8;
    limits.max_sampler_lod_bias = 15.996;
    limits.max_sampler_anisotropy = 16.0;
    limits.min_texel_offset = -8;
    limits.max_texel_offset = 7;
    limits.min_texel_gather_offset = -32;
    limits.max_texel_gather_offset = 31;
    limits.min_interpolation_offset = -0.5;
    limits.max_interpolation_offset = 0.4375;
    limits.sub_pixel_interpolation_offset_bits = 4;
    limits.point_size_range = [1.0, 4092.0];
    limits.line_width_range = [1.0, 8.0];
    limits.point_size_granularity = 0.0625;
    limits.line_width_granularity = 0.5;
}

fn alignments(limits: &mut vk::PhysicalDeviceLimits) {
    limits.buffer_image_granularity = 1;
    limits.min_memory_map_alignment = MAP_ALIGNMENT;
    limits.min_texel_buffer_offset_alignment = 64;
    limits.min_uniform_buffer_offset_alignment = 64;
    limits.min_storage_buffer_offset_alignment = 64;
    limits.optimal_buffer_copy_offset_alignment = 64;
    limits.optimal_buffer_copy_row_pitch_alignment = 64;
    limits.non_coherent_atom_size = 64;
}
