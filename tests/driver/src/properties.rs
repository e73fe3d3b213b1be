//! Properties: `VkPhysicalDeviceProperties` and the structures of its chain that programs read.

use std::ffi::c_void;

use ash::vk::{self, TaggedStructure};

use crate::config::config;
use crate::descriptors::DESCRIPTOR_BYTES;
use crate::limits::limits;
use crate::raw;

/// An identity for caches: the vendor, the device and a number.
pub fn uuid(index: u32) -> [u8; vk::UUID_SIZE] {
    let config = config();
    let mut bytes = [0; vk::UUID_SIZE];
    let words = [config.vendor_id, config.device_id, config.driver_version, index];
    for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_be_bytes());
    }
    bytes
}

/// The properties of the device of an index.
pub fn core(index: u32) -> vk::PhysicalDeviceProperties {
    let config = config();
    vk::PhysicalDeviceProperties {
        api_version: config.api_version,
        driver_version: config.driver_version,
        vendor_id: config.vendor_id,
        device_id: config.device_id,
        device_type: config.device_type,
        device_name: raw::name(&config.device_name),
        pipeline_cache_uuid: uuid(index),
        limits: limits(),
        sparse_properties: vk::PhysicalDeviceSparseProperties::default(),
    }
}

/// Writes the fields of the structure of a type, and leaves the rest as the application has it.
macro_rules! answer {
    ($s_type:ident $address:ident; $($name:ident { $($field:ident: $value:expr),+ $(,)? })+) => {
        $(if $s_type == vk::$name::STRUCTURE_TYPE {
            let out = raw::begun($address.cast::<vk::$name<'_>>(), 0);
            $(out.$field = $value;)+
        })+
    };
}

/// Fills the chain of `VkPhysicalDeviceProperties2`.
pub fn fill(index: u32, next: *mut c_void) {
    raw::each(next, |s_type, address| {
        one_to_three(index, s_type, address);
        parts(index, s_type, address);
        descriptor_indexing(s_type, address);
        extensions(s_type, address);
        rates(s_type, address);
    });
}

const ALL_STAGES: vk::ShaderStageFlags = vk::ShaderStageFlags::ALL;
const RESOLVES: vk::ResolveModeFlags = vk::ResolveModeFlags::from_raw(0xf);
const MANY: u32 = 1 << 19;

fn subgroup_operations() -> vk::SubgroupFeatureFlags {
    vk::SubgroupFeatureFlags::from_raw(0xff)
}

fn conformance() -> vk::ConformanceVersion {
    vk::ConformanceVersion { major: 1, minor: 3, subminor: 0, patch: 0 }
}

fn driver_id() -> vk::DriverId {
    match config().vendor_id {
        0x5143 => vk::DriverId::QUALCOMM_PROPRIETARY,
        0x13b5 => vk::DriverId::ARM_PROPRIETARY,
        0x1010 => vk::DriverId::IMAGINATION_PROPRIETARY,
        0x10de => vk::DriverId::NVIDIA_PROPRIETARY,
        0x1002 => vk::DriverId::AMD_PROPRIETARY,
        _ => vk::DriverId::MESA_LLVMPIPE,
    }
}

/// The structures named after core versions.
fn one_to_three(index: u32, s_type: vk::StructureType, address: *mut c_void) {
    let counts = config().sample_counts;
    answer! { s_type address;
        PhysicalDeviceVulkan11Properties {
            device_uuid: uuid(index),
            driver_uuid: uuid(u32::MAX),
            device_luid_valid: vk::FALSE,
            subgroup_size: 64,
            subgroup_supported_stages: ALL_STAGES,
            subgroup_supported_operations: subgroup_operations(),
            subgroup_quad_operations_in_all_stages: vk::TRUE,
            point_clipping_behavior: vk::PointClippingBehavior::ALL_CLIP_PLANES,
            max_multiview_view_count: 6,
            max_multiview_instance_index: u32::MAX >> 4,
            protected_no_fault: vk::FALSE,
            max_per_set_descriptors: MANY,
            max_memory_allocation_size: config().heap_bytes,
        }
        PhysicalDeviceVulkan12Properties {
            driver_id: driver_id(),
            driver_name: raw::name(&config().driver_name),
            driver_info: raw::name("renders nothing"),
            conformance_version: conformance(),
            supported_depth_resolve_modes: RESOLVES,
            supported_stencil_resolve_modes: RESOLVES,
            independent_resolve_none: vk::TRUE,
            independent_resolve: vk::TRUE,
            filter_minmax_single_component_formats: vk::TRUE,
            filter_minmax_image_component_mapping: vk::TRUE,
            max_timeline_semaphore_value_difference: u64::MAX >> 1,
            framebuffer_integer_color_sample_counts: counts,
            max_update_after_bind_descriptors_in_all_pools: MANY,
            max_per_stage_update_after_bind_resources: MANY,
            max_per_stage_descriptor_update_after_bind_samplers: MANY,
            max_per_stage_descriptor_update_after_bind_uniform_buffers: MANY,
            max_per_stage_descriptor_update_after_bind_storage_buffers: MANY,
            max_per_stage_descriptor_update_after_bind_sampled_images: MANY,
            max_per_stage_descriptor_update_after_bind_storage_images: MANY,
            max_per_stage_descriptor_update_after_bind_input_attachments: MANY,
            max_descriptor_set_update_after_bind_samplers: MANY,
            max_descriptor_set_update_after_bind_uniform_buffers: MANY,
            max_descriptor_set_update_after_bind_uniform_buffers_dynamic: 16,
            max_descriptor_set_update_after_bind_storage_buffers: MANY,
            max_descriptor_set_update_after_bind_storage_buffers_dynamic: 16,
            max_descriptor_set_update_after_bind_sampled_images: MANY,
            max_descriptor_set_update_after_bind_storage_images: MANY,
            max_descriptor_set_update_after_bind_input_attachments: MANY,
        }
        PhysicalDeviceVulkan13Properties {
            min_subgroup_size: 64,
            max_subgroup_size: 128,
            max_compute_workgroup_subgroups: 16,
            required_subgroup_size_stages: ALL_STAGES,
            max_inline_uniform_block_size: 256,
            max_per_stage_descriptor_inline_uniform_blocks: 8,
            max_per_stage_descriptor_update_after_bind_inline_uniform_blocks: 8,
            max_descriptor_set_inline_uniform_blocks: 8,
            max_descriptor_set_update_after_bind_inline_uniform_blocks: 8,
            max_inline_uniform_total_size: 2048,
            storage_texel_buffer_offset_alignment_bytes: 64,
            uniform_texel_buffer_offset_alignment_bytes: 64,
            max_buffer_size: 1 << 32,
        }
    }
}

/// The same facts in the structures from before those.
fn parts(index: u32, s_type: vk::StructureType, address: *mut c_void) {
    answer! { s_type address;
        PhysicalDeviceIDProperties {
            device_uuid: uuid(index), driver_uuid: uuid(u32::MAX), device_luid_valid: vk::FALSE,
        }
        PhysicalDeviceDriverProperties {
            driver_id: driver_id(),
            driver_name: raw::name(&config().driver_name),
            driver_info: raw::name("renders nothing"),
            conformance_version: conformance(),
        }
        PhysicalDeviceSubgroupProperties {
            subgroup_size: 64,
            supported_stages: ALL_STAGES,
            supported_operations: subgroup_operations(),
            quad_operations_in_all_stages: vk::TRUE,
        }
        PhysicalDevicePointClippingProperties {
            point_clipping_behavior: vk::PointClippingBehavior::ALL_CLIP_PLANES,
        }
        PhysicalDeviceMultiviewProperties {
            max_multiview_view_count: 6, max_multiview_instance_index: u32::MAX >> 4,
        }
        PhysicalDeviceMaintenance3Properties {
            max_per_set_descriptors: MANY, max_memory_allocation_size: config().heap_bytes,
        }
        PhysicalDeviceMaintenance4Properties { max_buffer_size: 1 << 32 }
        PhysicalDeviceDepthStencilResolveProperties {
            supported_depth_resolve_modes: RESOLVES,
            supported_stencil_resolve_modes: RESOLVES,
            independent_resolve_none: vk::TRUE,
            independent_resolve: vk::TRUE,
        }
        PhysicalDeviceSamplerFilterMinmaxProperties {
            filter_minmax_single_component_formats: vk::TRUE,
            filter_minmax_image_component_mapping: vk::TRUE,
        }
        PhysicalDeviceTimelineSemaphoreProperties {
            max_timeline_semaphore_value_difference: u64::MAX >> 1,
        }
        PhysicalDeviceSubgroupSizeControlProperties {
            min_subgroup_size: 64,
            max_subgroup_size: 128,
            max_compute_workgroup_subgroups: 16,
            required_subgroup_size_stages: ALL_STAGES,
        }
        PhysicalDeviceInlineUniformBlockProperties {
            max_inline_uniform_block_size: 256,
            max_per_stage_descriptor_inline_uniform_blocks: 8,
            max_per_stage_descriptor_update_after_bind_inline_uniform_blocks: 8,
            max_descriptor_set_inline_uniform_blocks: 8,
            max_descriptor_set_update_after_bind_inline_uniform_blocks: 8,
        }
        PhysicalDeviceTexelBufferAlignmentProperties {
            storage_texel_buffer_offset_alignment_bytes: 64,
            uniform_texel_buffer_offset_alignment_bytes: 64,
        }
    }
}

fn descriptor_indexing(s_type: vk::StructureType, address: *mut c_void) {
    answer! { s_type address;
        PhysicalDeviceDescriptorIndexingProperties {
            max_update_after_bind_descriptors_in_all_pools: MANY,
            max_per_stage_update_after_bind_resources: MANY,
            max_per_stage_descriptor_update_after_bind_samplers: MANY,
            max_per_stage_descriptor_update_after_bind_uniform_buffers: MANY,
            max_per_stage_descriptor_update_after_bind_storage_buffers: MANY,
            max_per_stage_descriptor_update_after_bind_sampled_images: MANY,
            max_per_stage_descriptor_update_after_bind_storage_images: MANY,
            max_per_stage_descriptor_update_after_bind_input_attachments: MANY,
            max_descriptor_set_update_after_bind_samplers: MANY,
            max_descriptor_set_update_after_bind_uniform_buffers: MANY,
            max_descriptor_set_update_after_bind_uniform_buffers_dynamic: 16,
            max_descriptor_set_update_after_bind_storage_buffers: MANY,
            max_descriptor_set_update_after_bind_storage_buffers_dynamic: 16,
            max_descriptor_set_update_after_bind_sampled_images: MANY,
            max_descriptor_set_update_after_bind_storage_images: MANY,
            max_descriptor_set_update_after_bind_input_attachments: MANY,
        }
        PhysicalDeviceDescriptorBufferPropertiesEXT {
            max_descriptor_buffer_bindings: 8,
            max_resource_descriptor_buffer_bindings: 8,
            max_sampler_descriptor_buffer_bindings: 8,
            max_embedded_immutable_sampler_bindings: 8,
            max_embedded_immutable_samplers: 2048,
            descriptor_buffer_offset_alignment: 64,
            sampler_descriptor_size: DESCRIPTOR_BYTES,
            combined_image_sampler_descriptor_size: DESCRIPTOR_BYTES,
            sampled_image_descriptor_size: DESCRIPTOR_BYTES,
            storage_image_descriptor_size: DESCRIPTOR_BYTES,
            uniform_texel_buffer_descriptor_size: DESCRIPTOR_BYTES,
            storage_texel_buffer_descriptor_size: DESCRIPTOR_BYTES,
            uniform_buffer_descriptor_size: DESCRIPTOR_BYTES,
            storage_buffer_descriptor_size: DESCRIPTOR_BYTES,
            input_attachment_descriptor_size: DESCRIPTOR_BYTES,
            max_sampler_descriptor_buffer_range: 1 << 27,
            max_resource_descriptor_buffer_range: 1 << 30,
            sampler_descriptor_buffer_address_space_size: 1 << 27,
            resource_descriptor_buffer_address_space_size: 1 << 30,
            descriptor_buffer_address_space_size: 1 << 30,
        }
    }
}

fn extensions(s_type: vk::StructureType, address: *mut c_void) {
    answer! { s_type address;
        PhysicalDevicePushDescriptorPropertiesKHR { max_push_descriptors: 32 }
        PhysicalDeviceMultiDrawPropertiesEXT { max_multi_draw_count: 2048 }
        PhysicalDeviceVertexAttributeDivisorPropertiesEXT { max_vertex_attrib_divisor: 65535 }
        PhysicalDeviceCustomBorderColorPropertiesEXT { max_custom_border_color_samplers: 32 }
        PhysicalDeviceRobustness2PropertiesEXT {
            robust_storage_buffer_access_size_alignment: 4,
            robust_uniform_buffer_access_size_alignment: 64,
        }
        PhysicalDeviceLineRasterizationPropertiesEXT { line_sub_pixel_precision_bits: 8 }
        PhysicalDeviceTransformFeedbackPropertiesEXT {
            max_transform_feedback_streams: 4,
            max_transform_feedback_buffers: 4,
            max_transform_feedback_buffer_size: 1 << 32,
            max_transform_feedback_stream_data_size: 512,
            max_transform_feedback_buffer_data_size: 512,
            max_transform_feedback_buffer_data_stride: 2048,
            transform_feedback_queries: vk::TRUE,
            transform_feedback_draw: vk::TRUE,
        }
        PhysicalDeviceMeshShaderPropertiesEXT {
            max_task_work_group_total_count: 1 << 22,
            max_task_work_group_count: [65535; 3],
            max_task_work_group_invocations: 128,
            max_task_work_group_size: [128; 3],
            max_task_payload_size: 16384,
            max_task_shared_memory_size: 32768,
            max_mesh_work_group_total_count: 1 << 22,
            max_mesh_work_group_count: [65535; 3],
            max_mesh_work_group_invocations: 128,
            max_mesh_work_group_size: [128; 3],
            max_mesh_shared_memory_size: 28672,
            max_mesh_output_components: 128,
            max_mesh_output_vertices: 256,
            max_mesh_output_primitives: 256,
            max_mesh_output_layers: 8,
            max_mesh_multiview_view_count: 4,
            max_preferred_task_work_group_invocations: 64,
            max_preferred_mesh_work_group_invocations: 64,
        }
    }
}

fn rates(s_type: vk::StructureType, address: *mut c_void) {
    let small = vk::Extent2D { width: 8, height: 8 };
    let large = vk::Extent2D { width: 32, height: 32 };
    answer! { s_type address;
        PhysicalDeviceFragmentDensityMapPropertiesEXT {
            min_fragment_density_texel_size: small,
            max_fragment_density_texel_size: large,
            fragment_density_invocations: vk::FALSE,
        }
        PhysicalDeviceFragmentDensityMap2PropertiesEXT {
            max_subsampled_array_layers: 2, max_descriptor_set_subsampled_samplers: 1,
        }
        PhysicalDeviceFragmentShadingRatePropertiesKHR {
            min_fragment_shading_rate_attachment_texel_size: small,
            max_fragment_shading_rate_attachment_texel_size: large,
            max_fragment_shading_rate_attachment_texel_size_aspect_ratio: 2,
            max_fragment_size: vk::Extent2D { width: 2, height: 2 },
            max_fragment_size_aspect_ratio: 2,
            max_fragment_shading_rate_coverage_samples: 16,
            max_fragment_shading_rate_rasterization_samples: config().sample_counts,
        }
    }
}
