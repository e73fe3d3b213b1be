//! Features: every structure the driver knows, as the names of its members in order.

use std::ffi::c_void;

use ash::vk;

use crate::config::{Config, config};
use crate::raw;

/// A structure of features: after `sType` and `pNext` it is nothing but `VkBool32`.
struct Row {
    s_type: vk::StructureType,
    /// What offers the structure: a core version, or an extension.
    since: &'static str,
    members: &'static [&'static str],
}

macro_rules! members {
    ($($member:ident)+) => { &[$(stringify!($member)),+] };
}

macro_rules! rows {
    ($($s_type:ident $since:literal { $($member:ident)+ })+) => {
        &[$(Row {
            s_type: vk::StructureType::$s_type,
            since: $since,
            members: members!($($member)+),
        }),+]
    };
}

/// The members of `VkPhysicalDeviceFeatures` stand first.
static ROWS: &[Row] = rows! {
    PHYSICAL_DEVICE_FEATURES_2 "1.0" {
        robustBufferAccess fullDrawIndexUint32 imageCubeArray independentBlend geometryShader
        tessellationShader sampleRateShading dualSrcBlend logicOp multiDrawIndirect
        drawIndirectFirstInstance depthClamp depthBiasClamp fillModeNonSolid depthBounds wideLines
        largePoints alphaToOne multiViewport samplerAnisotropy textureCompressionETC2
        textureCompressionASTC_LDR textureCompressionBC occlusionQueryPrecise
        pipelineStatisticsQuery vertexPipelineStoresAndAtomics fragmentStoresAndAtomics
        shaderTessellationAndGeometryPointSize shaderImageGatherExtended
        shaderStorageImageExtendedFormats shaderStorageImageMultisample
        shaderStorageImageReadWithoutFormat shaderStorageImageWriteWithoutFormat
        shaderUniformBufferArrayDynamicIndexing shaderSampledImageArrayDynamicIndexing
        shaderStorageBufferArrayDynamicIndexing shaderStorageImageArrayDynamicIndexing
        shaderClipDistance shaderCullDistance shaderFloat64 shaderInt64 shaderInt16
        shaderResourceResidency shaderResourceMinLod sparseBinding sparseResidencyBuffer
        sparseResidencyImage2D sparseResidencyImage3D sparseResidency2Samples
        sparseResidency4Samples sparseResidency8Samples sparseResidency16Samples
        sparseResidencyAliased variableMultisampleRate inheritedQueries
    }
    PHYSICAL_DEVICE_PRIVATE_DATA_FEATURES "1.3 VK_EXT_private_data" {
        privateData
    }
    PHYSICAL_DEVICE_VARIABLE_POINTERS_FEATURES "1.1 VK_KHR_variable_pointers" {
        variablePointersStorageBuffer variablePointers
    }
    PHYSICAL_DEVICE_MULTIVIEW_FEATURES "1.1 VK_KHR_multiview" {
        multiview multiviewGeometryShader multiviewTessellationShader
    }
    PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR "VK_KHR_present_id" {
        presentId
    }
    PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR "VK_KHR_present_wait" {
        presentWait
    }
    PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES "1.1 VK_KHR_16bit_storage" {
        storageBuffer16BitAccess uniformAndStorageBuffer16BitAccess storagePushConstant16
        storageInputOutput16
    }
    PHYSICAL_DEVICE_SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES
        "1.2 VK_KHR_shader_subgroup_extended_types" {
        shaderSubgroupExtendedTypes
    }
    PHYSICAL_DEVICE_SAMPLER_YCBCR_CONVERSION_FEATURES "1.1 VK_KHR_sampler_ycbcr_conversion" {
        samplerYcbcrConversion
    }
    PHYSICAL_DEVICE_PROTECTED_MEMORY_FEATURES "1.1" {
        protectedMemory
    }
    PHYSICAL_DEVICE_MULTI_DRAW_FEATURES_EXT "VK_EXT_multi_draw" {
        multiDraw
    }
    PHYSICAL_DEVICE_INLINE_UNIFORM_BLOCK_FEATURES "1.3 VK_EXT_inline_uniform_block" {
        inlineUniformBlock descriptorBindingInlineUniformBlockUpdateAfterBind
    }
    PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES "1.3 VK_KHR_maintenance4" {
        maintenance4
    }
    PHYSICAL_DEVICE_SHADER_DRAW_PARAMETERS_FEATURES "1.1" {
        shaderDrawParameters
    }
    PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES "1.2 VK_KHR_shader_float16_int8" {
        shaderFloat16 shaderInt8
    }
    PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES "1.2 VK_EXT_host_query_reset" {
        hostQueryReset
    }
    PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES "1.2 VK_EXT_descriptor_indexing" {
        shaderInputAttachmentArrayDynamicIndexing shaderUniformTexelBufferArrayDynamicIndexing
        shaderStorageTexelBufferArrayDynamicIndexing shaderUniformBufferArrayNonUniformIndexing
        shaderSampledImageArrayNonUniformIndexing shaderStorageBufferArrayNonUniformIndexing
        shaderStorageImageArrayNonUniformIndexing shaderInputAttachmentArrayNonUniformIndexing
        shaderUniformTexelBufferArrayNonUniformIndexing
        shaderStorageTexelBufferArrayNonUniformIndexing
        descriptorBindingUniformBufferUpdateAfterBind descriptorBindingSampledImageUpdateAfterBind
        descriptorBindingStorageImageUpdateAfterBind descriptorBindingStorageBufferUpdateAfterBind
        descriptorBindingUniformTexelBufferUpdateAfterBind
        descriptorBindingStorageTexelBufferUpdateAfterBind
        descriptorBindingUpdateUnusedWhilePending descriptorBindingPartiallyBound
        descriptorBindingVariableDescriptorCount runtimeDescriptorArray
    }
    PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES "1.2 VK_KHR_timeline_semaphore" {
        timelineSemaphore
    }
    PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES "1.2 VK_KHR_8bit_storage" {
        storageBuffer8BitAccess uniformAndStorageBuffer8BitAccess storagePushConstant8
    }
    PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT "VK_EXT_conditional_rendering" {
        conditionalRendering inheritedConditionalRendering
    }
    PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES "1.2 VK_KHR_vulkan_memory_model" {
        vulkanMemoryModel vulkanMemoryModelDeviceScope
        vulkanMemoryModelAvailabilityVisibilityChains
    }
    PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES "1.2 VK_KHR_shader_atomic_int64" {
        shaderBufferInt64Atomics shaderSharedInt64Atomics
    }
    PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES_EXT "VK_EXT_vertex_attribute_divisor" {
        vertexAttributeInstanceRateDivisor vertexAttributeInstanceRateZeroDivisor
    }
    PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT "VK_EXT_transform_feedback" {
        transformFeedback geometryStreams
    }
    PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT "VK_EXT_mesh_shader" {
        taskShader meshShader multiviewMeshShader primitiveFragmentShadingRateMeshShader
        meshShaderQueries
    }
    PHYSICAL_DEVICE_FRAGMENT_DENSITY_MAP_FEATURES_EXT "VK_EXT_fragment_density_map" {
        fragmentDensityMap fragmentDensityMapDynamic fragmentDensityMapNonSubsampledImages
    }
    PHYSICAL_DEVICE_FRAGMENT_DENSITY_MAP_2_FEATURES_EXT "VK_EXT_fragment_density_map2" {
        fragmentDensityMapDeferred
    }
    PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES "1.2 VK_EXT_scalar_block_layout" {
        scalarBlockLayout
    }
    PHYSICAL_DEVICE_UNIFORM_BUFFER_STANDARD_LAYOUT_FEATURES
        "1.2 VK_KHR_uniform_buffer_standard_layout" {
        uniformBufferStandardLayout
    }
    PHYSICAL_DEVICE_DEPTH_CLIP_ENABLE_FEATURES_EXT "VK_EXT_depth_clip_enable" {
        depthClipEnable
    }
    PHYSICAL_DEVICE_MEMORY_PRIORITY_FEATURES_EXT "VK_EXT_memory_priority" {
        memoryPriority
    }
    PHYSICAL_DEVICE_PAGEABLE_DEVICE_LOCAL_MEMORY_FEATURES_EXT
        "VK_EXT_pageable_device_local_memory" {
        pageableDeviceLocalMemory
    }
    PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES "1.2 VK_KHR_buffer_device_address" {
        bufferDeviceAddress bufferDeviceAddressCaptureReplay bufferDeviceAddressMultiDevice
    }
    PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES_EXT "VK_EXT_buffer_device_address" {
        bufferDeviceAddress bufferDeviceAddressCaptureReplay bufferDeviceAddressMultiDevice
    }
    PHYSICAL_DEVICE_IMAGELESS_FRAMEBUFFER_FEATURES "1.2 VK_KHR_imageless_framebuffer" {
        imagelessFramebuffer
    }
    PHYSICAL_DEVICE_TEXTURE_COMPRESSION_ASTC_HDR_FEATURES
        "1.3 VK_EXT_texture_compression_astc_hdr" {
        textureCompressionASTC_HDR
    }
    PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES_EXT "VK_EXT_index_type_uint8" {
        indexTypeUint8
    }
    PHYSICAL_DEVICE_SEPARATE_DEPTH_STENCIL_LAYOUTS_FEATURES
        "1.2 VK_KHR_separate_depth_stencil_layouts" {
        separateDepthStencilLayouts
    }
    PHYSICAL_DEVICE_PRIMITIVE_TOPOLOGY_LIST_RESTART_FEATURES_EXT
        "VK_EXT_primitive_topology_list_restart" {
        primitiveTopologyListRestart primitiveTopologyPatchListRestart
    }
    PHYSICAL_DEVICE_SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES
        "1.3 VK_EXT_shader_demote_to_helper_invocation" {
        shaderDemoteToHelperInvocation
    }
    PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES "1.3 VK_EXT_subgroup_size_control" {
        subgroupSizeControl computeFullSubgroups
    }
    PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT "VK_EXT_line_rasterization" {
        rectangularLines bresenhamLines smoothLines stippledRectangularLines
        stippledBresenhamLines stippledSmoothLines
    }
    PHYSICAL_DEVICE_PIPELINE_CREATION_CACHE_CONTROL_FEATURES
        "1.3 VK_EXT_pipeline_creation_cache_control" {
        pipelineCreationCacheControl
    }
    PHYSICAL_DEVICE_VULKAN_1_1_FEATURES "1.2" {
        storageBuffer16BitAccess uniformAndStorageBuffer16BitAccess storagePushConstant16
        storageInputOutput16 multiview multiviewGeometryShader multiviewTessellationShader
        variablePointersStorageBuffer variablePointers protectedMemory samplerYcbcrConversion
        shaderDrawParameters
    }
    PHYSICAL_DEVICE_VULKAN_1_2_FEATURES "1.2" {
        samplerMirrorClampToEdge drawIndirectCount storageBuffer8BitAccess
        uniformAndStorageBuffer8BitAccess storagePushConstant8 shaderBufferInt64Atomics
        shaderSharedInt64Atomics shaderFloat16 shaderInt8 descriptorIndexing
        shaderInputAttachmentArrayDynamicIndexing shaderUniformTexelBufferArrayDynamicIndexing
        shaderStorageTexelBufferArrayDynamicIndexing shaderUniformBufferArrayNonUniformIndexing
        shaderSampledImageArrayNonUniformIndexing shaderStorageBufferArrayNonUniformIndexing
        shaderStorageImageArrayNonUniformIndexing shaderInputAttachmentArrayNonUniformIndexing
        shaderUniformTexelBufferArrayNonUniformIndexing
        shaderStorageTexelBufferArrayNonUniformIndexing
        descriptorBindingUniformBufferUpdateAfterBind descriptorBindingSampledImageUpdateAfterBind
        descriptorBindingStorageImageUpdateAfterBind descriptorBindingStorageBufferUpdateAfterBind
        descriptorBindingUniformTexelBufferUpdateAfterBind
        descriptorBindingStorageTexelBufferUpdateAfterBind
        descriptorBindingUpdateUnusedWhilePending descriptorBindingPartiallyBound
        descriptorBindingVariableDescriptorCount runtimeDescriptorArray samplerFilterMinmax
        scalarBlockLayout imagelessFramebuffer uniformBufferStandardLayout
        shaderSubgroupExtendedTypes separateDepthStencilLayouts hostQueryReset timelineSemaphore
        bufferDeviceAddress bufferDeviceAddressCaptureReplay bufferDeviceAddressMultiDevice
        vulkanMemoryModel vulkanMemoryModelDeviceScope
        vulkanMemoryModelAvailabilityVisibilityChains shaderOutputViewportIndex shaderOutputLayer
        subgroupBroadcastDynamicId
    }
    PHYSICAL_DEVICE_VULKAN_1_3_FEATURES "1.3" {
        robustImageAccess inlineUniformBlock descriptorBindingInlineUniformBlockUpdateAfterBind
        pipelineCreationCacheControl privateData shaderDemoteToHelperInvocation
        shaderTerminateInvocation subgroupSizeControl computeFullSubgroups synchronization2
        textureCompressionASTC_HDR shaderZeroInitializeWorkgroupMemory dynamicRendering
        shaderIntegerDotProduct maintenance4
    }
    PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_FEATURES_EXT "VK_EXT_custom_border_color" {
        customBorderColors customBorderColorWithoutFormat
    }
    PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_FEATURES_EXT "VK_EXT_extended_dynamic_state" {
        extendedDynamicState
    }
    PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_2_FEATURES_EXT "VK_EXT_extended_dynamic_state2" {
        extendedDynamicState2 extendedDynamicState2LogicOp extendedDynamicState2PatchControlPoints
    }
    PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT "VK_EXT_extended_dynamic_state3" {
        extendedDynamicState3TessellationDomainOrigin extendedDynamicState3DepthClampEnable
        extendedDynamicState3PolygonMode extendedDynamicState3RasterizationSamples
        extendedDynamicState3SampleMask extendedDynamicState3AlphaToCoverageEnable
        extendedDynamicState3AlphaToOneEnable extendedDynamicState3LogicOpEnable
        extendedDynamicState3ColorBlendEnable extendedDynamicState3ColorBlendEquation
        extendedDynamicState3ColorWriteMask extendedDynamicState3RasterizationStream
        extendedDynamicState3ConservativeRasterizationMode
        extendedDynamicState3ExtraPrimitiveOverestimationSize extendedDynamicState3DepthClipEnable
        extendedDynamicState3SampleLocationsEnable extendedDynamicState3ColorBlendAdvanced
        extendedDynamicState3ProvokingVertexMode extendedDynamicState3LineRasterizationMode
        extendedDynamicState3LineStippleEnable extendedDynamicState3DepthClipNegativeOneToOne
        extendedDynamicState3ViewportWScalingEnable extendedDynamicState3ViewportSwizzle
        extendedDynamicState3CoverageToColorEnable extendedDynamicState3CoverageToColorLocation
        extendedDynamicState3CoverageModulationMode
        extendedDynamicState3CoverageModulationTableEnable
        extendedDynamicState3CoverageModulationTable extendedDynamicState3CoverageReductionMode
        extendedDynamicState3RepresentativeFragmentTestEnable
        extendedDynamicState3ShadingRateImageEnable
    }
    PHYSICAL_DEVICE_ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES
        "1.3 VK_KHR_zero_initialize_workgroup_memory" {
        shaderZeroInitializeWorkgroupMemory
    }
    PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT "VK_EXT_robustness2" {
        robustBufferAccess2 robustImageAccess2 nullDescriptor
    }
    PHYSICAL_DEVICE_IMAGE_ROBUSTNESS_FEATURES "1.3 VK_EXT_image_robustness" {
        robustImageAccess
    }
    PHYSICAL_DEVICE_4444_FORMATS_FEATURES_EXT "VK_EXT_4444_formats" {
        formatA4R4G4B4 formatA4B4G4R4
    }
    PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_FEATURES_KHR "VK_KHR_fragment_shading_rate" {
        pipelineFragmentShadingRate primitiveFragmentShadingRate attachmentFragmentShadingRate
    }
    PHYSICAL_DEVICE_SHADER_TERMINATE_INVOCATION_FEATURES "1.3 VK_KHR_shader_terminate_invocation" {
        shaderTerminateInvocation
    }
    PHYSICAL_DEVICE_DEPTH_CLIP_CONTROL_FEATURES_EXT "VK_EXT_depth_clip_control" {
        depthClipControl
    }
    PHYSICAL_DEVICE_VERTEX_INPUT_DYNAMIC_STATE_FEATURES_EXT "VK_EXT_vertex_input_dynamic_state" {
        vertexInputDynamicState
    }
    PHYSICAL_DEVICE_COLOR_WRITE_ENABLE_FEATURES_EXT "VK_EXT_color_write_enable" {
        colorWriteEnable
    }
    PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES "1.3 VK_KHR_synchronization2" {
        synchronization2
    }
    PHYSICAL_DEVICE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_FEATURES_EXT
        "VK_EXT_multisampled_render_to_single_sampled" {
        multisampledRenderToSingleSampled
    }
    PHYSICAL_DEVICE_PROVOKING_VERTEX_FEATURES_EXT "VK_EXT_provoking_vertex" {
        provokingVertexLast transformFeedbackPreservesProvokingVertex
    }
    PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT "VK_EXT_descriptor_buffer" {
        descriptorBuffer descriptorBufferCaptureReplay descriptorBufferImageLayoutIgnored
        descriptorBufferPushDescriptors
    }
    PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES "1.3 VK_KHR_shader_integer_dot_product" {
        shaderIntegerDotProduct
    }
    PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES "1.3 VK_KHR_dynamic_rendering" {
        dynamicRendering
    }
    PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT "VK_EXT_graphics_pipeline_library" {
        graphicsPipelineLibrary
    }
    PHYSICAL_DEVICE_SUBPASS_MERGE_FEEDBACK_FEATURES_EXT "VK_EXT_subpass_merge_feedback" {
        subpassMergeFeedback
    }
    PHYSICAL_DEVICE_TILE_PROPERTIES_FEATURES_QCOM "VK_QCOM_tile_properties" {
        tileProperties
    }
    PHYSICAL_DEVICE_ATTACHMENT_FEEDBACK_LOOP_LAYOUT_FEATURES_EXT
        "VK_EXT_attachment_feedback_loop_layout" {
        attachmentFeedbackLoopLayout
    }
    PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT "VK_EXT_shader_object" {
        shaderObject
    }
    PHYSICAL_DEVICE_FRAME_BOUNDARY_FEATURES_EXT "VK_EXT_frame_boundary" {
        frameBoundary
    }
    PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR "VK_KHR_maintenance5" {
        maintenance5
    }
    PHYSICAL_DEVICE_MAINTENANCE_6_FEATURES_KHR "VK_KHR_maintenance6" {
        maintenance6
    }
    PHYSICAL_DEVICE_DYNAMIC_RENDERING_LOCAL_READ_FEATURES_KHR
        "VK_KHR_dynamic_rendering_local_read" {
        dynamicRenderingLocalRead
    }
    PHYSICAL_DEVICE_ATTACHMENT_FEEDBACK_LOOP_DYNAMIC_STATE_FEATURES_EXT
        "VK_EXT_attachment_feedback_loop_dynamic_state" {
        attachmentFeedbackLoopDynamicState
    }
    PHYSICAL_DEVICE_HOST_IMAGE_COPY_FEATURES_EXT "VK_EXT_host_image_copy" {
        hostImageCopy
    }
};

/// `VkPhysicalDeviceVulkan14Features`, whose structure type is newer than ash's headers.
static VULKAN_1_4: Row = Row {
    s_type: vk::StructureType::from_raw(55),
    since: "1.4",
    members: members! {
        globalPriorityQuery shaderSubgroupRotate shaderSubgroupRotateClustered
        shaderFloatControls2 shaderExpectAssume rectangularLines bresenhamLines smoothLines
        stippledRectangularLines stippledBresenhamLines stippledSmoothLines
        vertexAttributeInstanceRateDivisor vertexAttributeInstanceRateZeroDivisor
        indexTypeUint8 dynamicRenderingLocalRead maintenance5 maintenance6
        pipelineProtectedAccess pipelineRobustness hostImageCopy pushDescriptor
    },
};

fn rows() -> impl Iterator<Item = &'static Row> {
    ROWS.iter().chain([&VULKAN_1_4])
}

/// `VkPhysicalDeviceFeatures2` before and after its members, and any other structure of features.
#[repr(C)]
struct Flags<const N: usize> {
    s_type: vk::StructureType,
    next: *mut c_void,
    flags: [vk::Bool32; N],
}

impl Row {
    fn offered(&self, config: &Config) -> bool {
        self.since.split(' ').any(|since| match since.split_once('.') {
            Some((_, minor)) => {
                vk::api_version_minor(config.api_version) >= minor.parse().unwrap_or(0)
            }
            None => config.device_extensions.iter().any(|(name, _)| name == since),
        })
    }

    fn flags<'a>(&self, address: *mut c_void) -> &'a mut [vk::Bool32] {
        let start = address.wrapping_byte_add(std::mem::offset_of!(Flags<1>, flags));
        raw::slice_mut(start.cast(), self.members.len())
    }
}

/// Fills `VkPhysicalDeviceFeatures2`, or any structure of its chain.
pub fn fill(next: *mut c_void) {
    let config = config();
    raw::each(next, |s_type, address| {
        let Some(row) = rows().find(|row| row.s_type == s_type) else { return };
        let offered = row.offered(config);
        for (flag, member) in row.flags(address).iter_mut().zip(row.members) {
            *flag = u32::from(offered && config.feature(member));
        }
    });
}

/// `VkPhysicalDeviceFeatures`.
pub fn core() -> vk::PhysicalDeviceFeatures {
    let mut all = vk::PhysicalDeviceFeatures2::default();
    fill((&raw mut all).cast());
    all.features
}

/// Whether all features that a device is created with exist.
pub fn supported(info: &vk::DeviceCreateInfo<'_>) -> bool {
    let config = config();
    let mut good = true;
    let mut check = |row: &Row, flags: &[vk::Bool32]| {
        let offered = row.offered(config);
        good &= flags
            .iter()
            .zip(row.members)
            .all(|(flag, member)| *flag == vk::FALSE || offered && config.feature(member));
    };
    if let Some(core) = raw::read(info.p_enabled_features) {
        let first = std::ptr::from_ref(core).cast::<vk::Bool32>();
        check(&ROWS[0], raw::slice(first, ROWS[0].members.len() as u32));
    }
    raw::each(info.p_next.cast_mut(), |s_type, address| {
        if let Some(row) = rows().find(|row| row.s_type == s_type) {
            check(row, row.flags(address));
        }
    });
    good
}

/// Whether any structure has a member of this name.
pub fn known(name: &str) -> bool {
    rows().any(|row| row.members.contains(&name))
}

/// The members that share most of a name's beginning, for a message.
pub fn nearest(name: &str) -> String {
    let common =
        |member: &str| member.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
    let members = || rows().flat_map(|row| row.members.iter().copied());
    let most = members().map(common).max().unwrap_or(0);
    let mut near: Vec<_> = members().filter(|m| most > 2 && common(m) == most).collect();
    near.dedup();
    match near.is_empty() {
        true => "names are those of Vulkan, e.g. `multiview`, `geometryShader`".to_owned(),
        false => format!("nearest are {}", near.join(", ")),
    }
}
