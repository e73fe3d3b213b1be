//! The commands of devices, queues and command buffers.

use super::{Command, Index, VoidFunction, table};
use crate::ffi::commands::{
    barrier, bind, command_buffer, descriptor, device, draw, label, memory, merge, object, opaque,
    pass, pipeline, query, queue, state, state_other, swapchain, sync, transfer,
};
use ash::vk;
use once_cell::sync::Lazy;
use std::ffi::CStr;

table! {
    /// The next layer's device functions that the layer calls.
    struct DeviceTable, DEVICE_COMMANDS, DEVICE_INDEX;
    intercepted {
        barrier cmd_pipeline_barrier PFN_vkCmdPipelineBarrier c"vkCmdPipelineBarrier"
        barrier cmd_pipeline_barrier2 PFN_vkCmdPipelineBarrier2 c"vkCmdPipelineBarrier2"
        barrier cmd_pipeline_barrier2_khr PFN_vkCmdPipelineBarrier2 c"vkCmdPipelineBarrier2KHR"
        barrier cmd_reset_event PFN_vkCmdResetEvent c"vkCmdResetEvent"
        barrier cmd_reset_event2 PFN_vkCmdResetEvent2 c"vkCmdResetEvent2"
        barrier cmd_reset_event2_khr PFN_vkCmdResetEvent2 c"vkCmdResetEvent2KHR"
        barrier cmd_set_event PFN_vkCmdSetEvent c"vkCmdSetEvent"
        barrier cmd_set_event2 PFN_vkCmdSetEvent2 c"vkCmdSetEvent2"
        barrier cmd_set_event2_khr PFN_vkCmdSetEvent2 c"vkCmdSetEvent2KHR"
        barrier cmd_wait_events PFN_vkCmdWaitEvents c"vkCmdWaitEvents"
        barrier cmd_wait_events2 PFN_vkCmdWaitEvents2 c"vkCmdWaitEvents2"
        barrier cmd_wait_events2_khr PFN_vkCmdWaitEvents2 c"vkCmdWaitEvents2KHR"
        bind cmd_begin_conditional_rendering_ext PFN_vkCmdBeginConditionalRenderingEXT
            c"vkCmdBeginConditionalRenderingEXT"
        bind cmd_bind_index_buffer PFN_vkCmdBindIndexBuffer c"vkCmdBindIndexBuffer"
        bind cmd_bind_index_buffer2 PFN_vkCmdBindIndexBuffer2KHR c"vkCmdBindIndexBuffer2"
        bind cmd_bind_index_buffer2_khr PFN_vkCmdBindIndexBuffer2KHR c"vkCmdBindIndexBuffer2KHR"
        bind cmd_bind_pipeline PFN_vkCmdBindPipeline c"vkCmdBindPipeline"
        bind cmd_bind_shaders_ext PFN_vkCmdBindShadersEXT c"vkCmdBindShadersEXT"
        bind cmd_bind_vertex_buffers PFN_vkCmdBindVertexBuffers c"vkCmdBindVertexBuffers"
        bind cmd_bind_vertex_buffers2 PFN_vkCmdBindVertexBuffers2 c"vkCmdBindVertexBuffers2"
        bind cmd_bind_vertex_buffers2_ext PFN_vkCmdBindVertexBuffers2 c"vkCmdBindVertexBuffers2EXT"
        bind cmd_end_conditional_rendering_ext PFN_vkCmdEndConditionalRenderingEXT
            c"vkCmdEndConditionalRenderingEXT"
        bind cmd_execute_commands PFN_vkCmdExecuteCommands c"vkCmdExecuteCommands"
        bind cmd_push_constants PFN_vkCmdPushConstants c"vkCmdPushConstants"
        bind cmd_push_constants2 PFN_vkCmdPushConstants2KHR c"vkCmdPushConstants2"
        bind cmd_push_constants2_khr PFN_vkCmdPushConstants2KHR c"vkCmdPushConstants2KHR"
        command_buffer allocate_command_buffers PFN_vkAllocateCommandBuffers
            c"vkAllocateCommandBuffers"
        command_buffer begin_command_buffer PFN_vkBeginCommandBuffer c"vkBeginCommandBuffer"
        command_buffer create_command_pool PFN_vkCreateCommandPool c"vkCreateCommandPool"
        command_buffer destroy_command_pool PFN_vkDestroyCommandPool c"vkDestroyCommandPool"
        command_buffer end_command_buffer PFN_vkEndCommandBuffer c"vkEndCommandBuffer"
        command_buffer free_command_buffers PFN_vkFreeCommandBuffers c"vkFreeCommandBuffers"
        command_buffer reset_command_buffer PFN_vkResetCommandBuffer c"vkResetCommandBuffer"
        command_buffer reset_command_pool PFN_vkResetCommandPool c"vkResetCommandPool"
        descriptor allocate_descriptor_sets PFN_vkAllocateDescriptorSets c"vkAllocateDescriptorSets"
        descriptor cmd_bind_descriptor_sets PFN_vkCmdBindDescriptorSets c"vkCmdBindDescriptorSets"
        descriptor cmd_bind_descriptor_sets2 PFN_vkCmdBindDescriptorSets2KHR
            c"vkCmdBindDescriptorSets2"
        descriptor cmd_bind_descriptor_sets2_khr PFN_vkCmdBindDescriptorSets2KHR
            c"vkCmdBindDescriptorSets2KHR"
        descriptor cmd_push_descriptor_set PFN_vkCmdPushDescriptorSetKHR c"vkCmdPushDescriptorSet"
        descriptor cmd_push_descriptor_set2 PFN_vkCmdPushDescriptorSet2KHR
            c"vkCmdPushDescriptorSet2"
        descriptor cmd_push_descriptor_set2_khr PFN_vkCmdPushDescriptorSet2KHR
            c"vkCmdPushDescriptorSet2KHR"
        descriptor cmd_push_descriptor_set_khr PFN_vkCmdPushDescriptorSetKHR
            c"vkCmdPushDescriptorSetKHR"
        descriptor cmd_push_descriptor_set_with_template PFN_vkCmdPushDescriptorSetWithTemplateKHR
            c"vkCmdPushDescriptorSetWithTemplate"
        descriptor cmd_push_descriptor_set_with_template2 PFN_vkCmdPushDescriptorSetWithTemplate2KHR
            c"vkCmdPushDescriptorSetWithTemplate2"
        descriptor cmd_push_descriptor_set_with_template2_khr
            PFN_vkCmdPushDescriptorSetWithTemplate2KHR
            c"vkCmdPushDescriptorSetWithTemplate2KHR"
        descriptor cmd_push_descriptor_set_with_template_khr
            PFN_vkCmdPushDescriptorSetWithTemplateKHR
            c"vkCmdPushDescriptorSetWithTemplateKHR"
        descriptor create_descriptor_set_layout PFN_vkCreateDescriptorSetLayout
            c"vkCreateDescriptorSetLayout"
        descriptor create_descriptor_update_template PFN_vkCreateDescriptorUpdateTemplate
            c"vkCreateDescriptorUpdateTemplate"
        descriptor create_descriptor_update_template_khr PFN_vkCreateDescriptorUpdateTemplate
            c"vkCreateDescriptorUpdateTemplateKHR"
        descriptor create_pipeline_layout PFN_vkCreatePipelineLayout c"vkCreatePipelineLayout"
        descriptor destroy_descriptor_pool PFN_vkDestroyDescriptorPool c"vkDestroyDescriptorPool"
        descriptor destroy_descriptor_set_layout PFN_vkDestroyDescriptorSetLayout
            c"vkDestroyDescriptorSetLayout"
        descriptor destroy_descriptor_update_template PFN_vkDestroyDescriptorUpdateTemplate
            c"vkDestroyDescriptorUpdateTemplate"
        descriptor destroy_descriptor_update_template_khr PFN_vkDestroyDescriptorUpdateTemplate
            c"vkDestroyDescriptorUpdateTemplateKHR"
        descriptor destroy_pipeline_layout PFN_vkDestroyPipelineLayout c"vkDestroyPipelineLayout"
        descriptor free_descriptor_sets PFN_vkFreeDescriptorSets c"vkFreeDescriptorSets"
        descriptor reset_descriptor_pool PFN_vkResetDescriptorPool c"vkResetDescriptorPool"
        descriptor update_descriptor_set_with_template PFN_vkUpdateDescriptorSetWithTemplate
            c"vkUpdateDescriptorSetWithTemplate"
        descriptor update_descriptor_set_with_template_khr PFN_vkUpdateDescriptorSetWithTemplate
            c"vkUpdateDescriptorSetWithTemplateKHR"
        descriptor update_descriptor_sets PFN_vkUpdateDescriptorSets c"vkUpdateDescriptorSets"
        device destroy_device PFN_vkDestroyDevice c"vkDestroyDevice"
        device device_wait_idle PFN_vkDeviceWaitIdle c"vkDeviceWaitIdle"
        device get_device_queue PFN_vkGetDeviceQueue c"vkGetDeviceQueue"
        device get_device_queue2 PFN_vkGetDeviceQueue2 c"vkGetDeviceQueue2"
        draw cmd_clear_attachments PFN_vkCmdClearAttachments c"vkCmdClearAttachments"
        draw cmd_dispatch PFN_vkCmdDispatch c"vkCmdDispatch"
        draw cmd_dispatch_base PFN_vkCmdDispatchBase c"vkCmdDispatchBase"
        draw cmd_dispatch_base_khr PFN_vkCmdDispatchBase c"vkCmdDispatchBaseKHR"
        draw cmd_dispatch_indirect PFN_vkCmdDispatchIndirect c"vkCmdDispatchIndirect"
        draw cmd_draw PFN_vkCmdDraw c"vkCmdDraw"
        draw cmd_draw_indexed PFN_vkCmdDrawIndexed c"vkCmdDrawIndexed"
        draw cmd_draw_indexed_indirect PFN_vkCmdDrawIndexedIndirect c"vkCmdDrawIndexedIndirect"
        draw cmd_draw_indexed_indirect_count PFN_vkCmdDrawIndexedIndirectCount
            c"vkCmdDrawIndexedIndirectCount"
        draw cmd_draw_indexed_indirect_count_amd PFN_vkCmdDrawIndexedIndirectCount
            c"vkCmdDrawIndexedIndirectCountAMD"
        draw cmd_draw_indexed_indirect_count_khr PFN_vkCmdDrawIndexedIndirectCount
            c"vkCmdDrawIndexedIndirectCountKHR"
        draw cmd_draw_indirect PFN_vkCmdDrawIndirect c"vkCmdDrawIndirect"
        draw cmd_draw_indirect_byte_count_ext PFN_vkCmdDrawIndirectByteCountEXT
            c"vkCmdDrawIndirectByteCountEXT"
        draw cmd_draw_indirect_count PFN_vkCmdDrawIndirectCount c"vkCmdDrawIndirectCount"
        draw cmd_draw_indirect_count_amd PFN_vkCmdDrawIndirectCount c"vkCmdDrawIndirectCountAMD"
        draw cmd_draw_indirect_count_khr PFN_vkCmdDrawIndirectCount c"vkCmdDrawIndirectCountKHR"
        draw cmd_draw_mesh_tasks_ext PFN_vkCmdDrawMeshTasksEXT c"vkCmdDrawMeshTasksEXT"
        draw cmd_draw_mesh_tasks_indirect_count_ext PFN_vkCmdDrawMeshTasksIndirectCountEXT
            c"vkCmdDrawMeshTasksIndirectCountEXT"
        draw cmd_draw_mesh_tasks_indirect_count_nv PFN_vkCmdDrawMeshTasksIndirectCountNV
            c"vkCmdDrawMeshTasksIndirectCountNV"
        draw cmd_draw_mesh_tasks_indirect_ext PFN_vkCmdDrawMeshTasksIndirectEXT
            c"vkCmdDrawMeshTasksIndirectEXT"
        draw cmd_draw_mesh_tasks_indirect_nv PFN_vkCmdDrawMeshTasksIndirectNV
            c"vkCmdDrawMeshTasksIndirectNV"
        draw cmd_draw_mesh_tasks_nv PFN_vkCmdDrawMeshTasksNV c"vkCmdDrawMeshTasksNV"
        draw cmd_draw_multi_ext PFN_vkCmdDrawMultiEXT c"vkCmdDrawMultiEXT"
        draw cmd_draw_multi_indexed_ext PFN_vkCmdDrawMultiIndexedEXT c"vkCmdDrawMultiIndexedEXT"
        label cmd_begin_debug_utils_label_ext PFN_vkCmdBeginDebugUtilsLabelEXT
            c"vkCmdBeginDebugUtilsLabelEXT"
        label cmd_debug_marker_begin_ext PFN_vkCmdDebugMarkerBeginEXT c"vkCmdDebugMarkerBeginEXT"
        label cmd_debug_marker_end_ext PFN_vkCmdDebugMarkerEndEXT c"vkCmdDebugMarkerEndEXT"
        label cmd_debug_marker_insert_ext PFN_vkCmdDebugMarkerInsertEXT c"vkCmdDebugMarkerInsertEXT"
        label cmd_end_debug_utils_label_ext PFN_vkCmdEndDebugUtilsLabelEXT
            c"vkCmdEndDebugUtilsLabelEXT"
        label cmd_insert_debug_utils_label_ext PFN_vkCmdInsertDebugUtilsLabelEXT
            c"vkCmdInsertDebugUtilsLabelEXT"
        label debug_marker_set_object_name_ext PFN_vkDebugMarkerSetObjectNameEXT
            c"vkDebugMarkerSetObjectNameEXT"
        label debug_marker_set_object_tag_ext PFN_vkDebugMarkerSetObjectTagEXT
            c"vkDebugMarkerSetObjectTagEXT"
        label queue_begin_debug_utils_label_ext PFN_vkQueueBeginDebugUtilsLabelEXT
            c"vkQueueBeginDebugUtilsLabelEXT"
        label queue_end_debug_utils_label_ext PFN_vkQueueEndDebugUtilsLabelEXT
            c"vkQueueEndDebugUtilsLabelEXT"
        label queue_insert_debug_utils_label_ext PFN_vkQueueInsertDebugUtilsLabelEXT
            c"vkQueueInsertDebugUtilsLabelEXT"
        label set_debug_utils_object_name_ext PFN_vkSetDebugUtilsObjectNameEXT
            c"vkSetDebugUtilsObjectNameEXT"
        label set_debug_utils_object_tag_ext PFN_vkSetDebugUtilsObjectTagEXT
            c"vkSetDebugUtilsObjectTagEXT"
        memory allocate_memory PFN_vkAllocateMemory c"vkAllocateMemory"
        memory bind_buffer_memory PFN_vkBindBufferMemory c"vkBindBufferMemory"
        memory bind_buffer_memory2 PFN_vkBindBufferMemory2 c"vkBindBufferMemory2"
        memory bind_buffer_memory2_khr PFN_vkBindBufferMemory2 c"vkBindBufferMemory2KHR"
        memory bind_image_memory PFN_vkBindImageMemory c"vkBindImageMemory"
        memory bind_image_memory2 PFN_vkBindImageMemory2 c"vkBindImageMemory2"
        memory bind_image_memory2_khr PFN_vkBindImageMemory2 c"vkBindImageMemory2KHR"
        memory copy_image_to_image PFN_vkCopyImageToImageEXT c"vkCopyImageToImage"
        memory copy_image_to_image_ext PFN_vkCopyImageToImageEXT c"vkCopyImageToImageEXT"
        memory copy_image_to_memory PFN_vkCopyImageToMemoryEXT c"vkCopyImageToMemory"
        memory copy_image_to_memory_ext PFN_vkCopyImageToMemoryEXT c"vkCopyImageToMemoryEXT"
        memory copy_memory_to_image PFN_vkCopyMemoryToImageEXT c"vkCopyMemoryToImage"
        memory copy_memory_to_image_ext PFN_vkCopyMemoryToImageEXT c"vkCopyMemoryToImageEXT"
        memory free_memory PFN_vkFreeMemory c"vkFreeMemory"
        memory get_device_memory_commitment PFN_vkGetDeviceMemoryCommitment
            c"vkGetDeviceMemoryCommitment"
        memory invalidate_mapped_memory_ranges PFN_vkInvalidateMappedMemoryRanges
            c"vkInvalidateMappedMemoryRanges"
        memory map_memory PFN_vkMapMemory c"vkMapMemory"
        memory map_memory2 PFN_vkMapMemory2KHR c"vkMapMemory2"
        memory map_memory2_khr PFN_vkMapMemory2KHR c"vkMapMemory2KHR"
        memory unmap_memory PFN_vkUnmapMemory c"vkUnmapMemory"
        memory unmap_memory2 PFN_vkUnmapMemory2KHR c"vkUnmapMemory2"
        memory unmap_memory2_khr PFN_vkUnmapMemory2KHR c"vkUnmapMemory2KHR"
        object create_buffer PFN_vkCreateBuffer c"vkCreateBuffer"
        object create_image PFN_vkCreateImage c"vkCreateImage"
        object create_image_view PFN_vkCreateImageView c"vkCreateImageView"
        object create_sampler PFN_vkCreateSampler c"vkCreateSampler"
        object destroy_buffer PFN_vkDestroyBuffer c"vkDestroyBuffer"
        object destroy_image PFN_vkDestroyImage c"vkDestroyImage"
        object destroy_image_view PFN_vkDestroyImageView c"vkDestroyImageView"
        object destroy_sampler PFN_vkDestroySampler c"vkDestroySampler"
        opaque cmd_begin_custom_resolve_ext PFN_vkCmdEndRenderPass2 c"vkCmdBeginCustomResolveEXT"
        opaque cmd_begin_per_tile_execution_qcom PFN_vkCmdEndRenderPass2
            c"vkCmdBeginPerTileExecutionQCOM"
        opaque cmd_bind_descriptor_buffers_ext PFN_vkCmdBindDescriptorBuffersEXT
            c"vkCmdBindDescriptorBuffersEXT"
        opaque cmd_bind_invocation_mask_huawei PFN_vkCmdBindInvocationMaskHUAWEI
            c"vkCmdBindInvocationMaskHUAWEI"
        opaque cmd_bind_shading_rate_image_nv PFN_vkCmdBindShadingRateImageNV
            c"vkCmdBindShadingRateImageNV"
        opaque cmd_copy_memory_to_image_indirect_nv PFN_vkCmdCopyMemoryToImageIndirectNV
            c"vkCmdCopyMemoryToImageIndirectNV"
        opaque cmd_cu_launch_kernel_nvx PFN_vkCmdCuLaunchKernelNVX c"vkCmdCuLaunchKernelNVX"
        opaque cmd_decode_video_khr PFN_vkCmdDecodeVideoKHR c"vkCmdDecodeVideoKHR"
        opaque cmd_dispatch_graph_amdx PFN_vkCmdDispatchGraphAMDX c"vkCmdDispatchGraphAMDX"
        opaque cmd_dispatch_tile_qcom PFN_vkCmdEndRenderPass2 c"vkCmdDispatchTileQCOM"
        opaque cmd_encode_video_khr PFN_vkCmdEncodeVideoKHR c"vkCmdEncodeVideoKHR"
        opaque cmd_execute_generated_commands_ext PFN_vkCmdExecuteGeneratedCommandsNV
            c"vkCmdExecuteGeneratedCommandsEXT"
        opaque cmd_execute_generated_commands_nv PFN_vkCmdExecuteGeneratedCommandsNV
            c"vkCmdExecuteGeneratedCommandsNV"
        opaque cmd_optical_flow_execute_nv PFN_vkCmdOpticalFlowExecuteNV
            c"vkCmdOpticalFlowExecuteNV"
        opaque cmd_set_descriptor_buffer_offsets_ext PFN_vkCmdSetDescriptorBufferOffsetsEXT
            c"vkCmdSetDescriptorBufferOffsetsEXT"
        opaque cmd_subpass_shading_huawei PFN_vkCmdSubpassShadingHUAWEI c"vkCmdSubpassShadingHUAWEI"
        opaque cmd_trace_rays_indirect2_khr PFN_vkCmdTraceRaysIndirect2KHR
            c"vkCmdTraceRaysIndirect2KHR"
        opaque cmd_trace_rays_indirect_khr PFN_vkCmdTraceRaysIndirectKHR
            c"vkCmdTraceRaysIndirectKHR"
        opaque cmd_trace_rays_khr PFN_vkCmdTraceRaysKHR c"vkCmdTraceRaysKHR"
        pass cmd_begin_render_pass PFN_vkCmdBeginRenderPass c"vkCmdBeginRenderPass"
        pass cmd_begin_render_pass2 PFN_vkCmdBeginRenderPass2 c"vkCmdBeginRenderPass2"
        pass cmd_begin_render_pass2_khr PFN_vkCmdBeginRenderPass2 c"vkCmdBeginRenderPass2KHR"
        pass cmd_begin_rendering PFN_vkCmdBeginRendering c"vkCmdBeginRendering"
        pass cmd_begin_rendering_khr PFN_vkCmdBeginRendering c"vkCmdBeginRenderingKHR"
        pass cmd_end_render_pass PFN_vkCmdEndRenderPass c"vkCmdEndRenderPass"
        pass cmd_end_render_pass2 PFN_vkCmdEndRenderPass2 c"vkCmdEndRenderPass2"
        pass cmd_end_render_pass2_khr PFN_vkCmdEndRenderPass2 c"vkCmdEndRenderPass2KHR"
        pass cmd_end_rendering PFN_vkCmdEndRendering c"vkCmdEndRendering"
        pass cmd_end_rendering2_ext PFN_vkCmdEndRenderPass2 c"vkCmdEndRendering2EXT"
        pass cmd_end_rendering2_khr PFN_vkCmdEndRenderPass2 c"vkCmdEndRendering2KHR"
        pass cmd_end_rendering_khr PFN_vkCmdEndRendering c"vkCmdEndRenderingKHR"
        pass cmd_next_subpass PFN_vkCmdNextSubpass c"vkCmdNextSubpass"
        pass cmd_next_subpass2 PFN_vkCmdNextSubpass2 c"vkCmdNextSubpass2"
        pass cmd_next_subpass2_khr PFN_vkCmdNextSubpass2 c"vkCmdNextSubpass2KHR"
        pass create_framebuffer PFN_vkCreateFramebuffer c"vkCreateFramebuffer"
        pass create_render_pass PFN_vkCreateRenderPass c"vkCreateRenderPass"
        merge create_render_pass2 PFN_vkCreateRenderPass2 c"vkCreateRenderPass2"
        merge create_render_pass2_khr PFN_vkCreateRenderPass2 c"vkCreateRenderPass2KHR"
        pass destroy_framebuffer PFN_vkDestroyFramebuffer c"vkDestroyFramebuffer"
        pass destroy_render_pass PFN_vkDestroyRenderPass c"vkDestroyRenderPass"
        pipeline create_compute_pipelines PFN_vkCreateComputePipelines c"vkCreateComputePipelines"
        pipeline create_graphics_pipelines PFN_vkCreateGraphicsPipelines
            c"vkCreateGraphicsPipelines"
        pipeline create_ray_tracing_pipelines_khr PFN_vkCreateRayTracingPipelinesKHR
            c"vkCreateRayTracingPipelinesKHR"
        pipeline create_shader_module PFN_vkCreateShaderModule c"vkCreateShaderModule"
        pipeline create_shaders_ext PFN_vkCreateShadersEXT c"vkCreateShadersEXT"
        pipeline destroy_pipeline PFN_vkDestroyPipeline c"vkDestroyPipeline"
        pipeline destroy_shader_ext PFN_vkDestroyShaderEXT c"vkDestroyShaderEXT"
        pipeline destroy_shader_module PFN_vkDestroyShaderModule c"vkDestroyShaderModule"
        query cmd_begin_query PFN_vkCmdBeginQuery c"vkCmdBeginQuery"
        query cmd_begin_query_indexed_ext PFN_vkCmdBeginQueryIndexedEXT c"vkCmdBeginQueryIndexedEXT"
        query cmd_copy_query_pool_results PFN_vkCmdCopyQueryPoolResults c"vkCmdCopyQueryPoolResults"
        query cmd_end_query PFN_vkCmdEndQuery c"vkCmdEndQuery"
        query cmd_end_query_indexed_ext PFN_vkCmdEndQueryIndexedEXT c"vkCmdEndQueryIndexedEXT"
        query cmd_reset_query_pool PFN_vkCmdResetQueryPool c"vkCmdResetQueryPool"
        query cmd_write_timestamp PFN_vkCmdWriteTimestamp c"vkCmdWriteTimestamp"
        query cmd_write_timestamp2 PFN_vkCmdWriteTimestamp2 c"vkCmdWriteTimestamp2"
        query cmd_write_timestamp2_khr PFN_vkCmdWriteTimestamp2 c"vkCmdWriteTimestamp2KHR"
        queue queue_bind_sparse PFN_vkQueueBindSparse c"vkQueueBindSparse"
        queue queue_present_khr PFN_vkQueuePresentKHR c"vkQueuePresentKHR"
        queue queue_submit PFN_vkQueueSubmit c"vkQueueSubmit"
        queue queue_submit2 PFN_vkQueueSubmit2 c"vkQueueSubmit2"
        queue queue_submit2_khr PFN_vkQueueSubmit2 c"vkQueueSubmit2KHR"
        queue queue_wait_idle PFN_vkQueueWaitIdle c"vkQueueWaitIdle"
        state cmd_set_color_blend_enable_ext PFN_vkCmdSetColorBlendEnableEXT
            c"vkCmdSetColorBlendEnableEXT"
        state cmd_set_color_write_enable_ext PFN_vkCmdSetColorWriteEnableEXT
            c"vkCmdSetColorWriteEnableEXT"
        state cmd_set_color_write_mask_ext PFN_vkCmdSetColorWriteMaskEXT
            c"vkCmdSetColorWriteMaskEXT"
        state cmd_set_depth_bounds_test_enable PFN_vkCmdSetDepthBoundsTestEnable
            c"vkCmdSetDepthBoundsTestEnable"
        state cmd_set_depth_bounds_test_enable_ext PFN_vkCmdSetDepthBoundsTestEnable
            c"vkCmdSetDepthBoundsTestEnableEXT"
        state cmd_set_depth_compare_op PFN_vkCmdSetDepthCompareOp c"vkCmdSetDepthCompareOp"
        state cmd_set_depth_compare_op_ext PFN_vkCmdSetDepthCompareOp c"vkCmdSetDepthCompareOpEXT"
        state cmd_set_depth_test_enable PFN_vkCmdSetDepthTestEnable c"vkCmdSetDepthTestEnable"
        state cmd_set_depth_test_enable_ext PFN_vkCmdSetDepthTestEnable
            c"vkCmdSetDepthTestEnableEXT"
        state cmd_set_depth_write_enable PFN_vkCmdSetDepthWriteEnable c"vkCmdSetDepthWriteEnable"
        state cmd_set_depth_write_enable_ext PFN_vkCmdSetDepthWriteEnable
            c"vkCmdSetDepthWriteEnableEXT"
        state cmd_set_logic_op_enable_ext PFN_vkCmdSetLogicOpEnableEXT c"vkCmdSetLogicOpEnableEXT"
        state cmd_set_primitive_topology PFN_vkCmdSetPrimitiveTopology c"vkCmdSetPrimitiveTopology"
        state cmd_set_primitive_topology_ext PFN_vkCmdSetPrimitiveTopology
            c"vkCmdSetPrimitiveTopologyEXT"
        state cmd_set_rasterization_samples_ext PFN_vkCmdSetRasterizationSamplesEXT
            c"vkCmdSetRasterizationSamplesEXT"
        state cmd_set_rasterizer_discard_enable PFN_vkCmdSetRasterizerDiscardEnable
            c"vkCmdSetRasterizerDiscardEnable"
        state cmd_set_rasterizer_discard_enable_ext PFN_vkCmdSetRasterizerDiscardEnable
            c"vkCmdSetRasterizerDiscardEnableEXT"
        state cmd_set_rendering_attachment_locations PFN_vkCmdSetRenderingAttachmentLocationsKHR
            c"vkCmdSetRenderingAttachmentLocations"
        state cmd_set_rendering_attachment_locations_khr PFN_vkCmdSetRenderingAttachmentLocationsKHR
            c"vkCmdSetRenderingAttachmentLocationsKHR"
        state cmd_set_rendering_input_attachment_indices
            PFN_vkCmdSetRenderingInputAttachmentIndicesKHR
            c"vkCmdSetRenderingInputAttachmentIndices"
        state cmd_set_rendering_input_attachment_indices_khr
            PFN_vkCmdSetRenderingInputAttachmentIndicesKHR
            c"vkCmdSetRenderingInputAttachmentIndicesKHR"
        state cmd_set_scissor PFN_vkCmdSetScissor c"vkCmdSetScissor"
        state cmd_set_scissor_with_count PFN_vkCmdSetScissorWithCount c"vkCmdSetScissorWithCount"
        state cmd_set_scissor_with_count_ext PFN_vkCmdSetScissorWithCount
            c"vkCmdSetScissorWithCountEXT"
        state cmd_set_stencil_op PFN_vkCmdSetStencilOp c"vkCmdSetStencilOp"
        state cmd_set_stencil_op_ext PFN_vkCmdSetStencilOp c"vkCmdSetStencilOpEXT"
        state cmd_set_stencil_test_enable PFN_vkCmdSetStencilTestEnable c"vkCmdSetStencilTestEnable"
        state cmd_set_stencil_test_enable_ext PFN_vkCmdSetStencilTestEnable
            c"vkCmdSetStencilTestEnableEXT"
        state cmd_set_stencil_write_mask PFN_vkCmdSetStencilWriteMask c"vkCmdSetStencilWriteMask"
        state cmd_set_viewport PFN_vkCmdSetViewport c"vkCmdSetViewport"
        state cmd_set_viewport_with_count PFN_vkCmdSetViewportWithCount c"vkCmdSetViewportWithCount"
        state cmd_set_viewport_with_count_ext PFN_vkCmdSetViewportWithCount
            c"vkCmdSetViewportWithCountEXT"
        state_other cmd_set_blend_constants PFN_vkCmdSetBlendConstants c"vkCmdSetBlendConstants"
        state_other cmd_set_cull_mode PFN_vkCmdSetCullMode c"vkCmdSetCullMode"
        state_other cmd_set_cull_mode_ext PFN_vkCmdSetCullMode c"vkCmdSetCullModeEXT"
        state_other cmd_set_depth_bias PFN_vkCmdSetDepthBias c"vkCmdSetDepthBias"
        state_other cmd_set_depth_bias_enable PFN_vkCmdSetDepthBiasEnable c"vkCmdSetDepthBiasEnable"
        state_other cmd_set_depth_bias_enable_ext PFN_vkCmdSetDepthBiasEnable
            c"vkCmdSetDepthBiasEnableEXT"
        state_other cmd_set_front_face PFN_vkCmdSetFrontFace c"vkCmdSetFrontFace"
        state_other cmd_set_front_face_ext PFN_vkCmdSetFrontFace c"vkCmdSetFrontFaceEXT"
        state_other cmd_set_line_width PFN_vkCmdSetLineWidth c"vkCmdSetLineWidth"
        state_other cmd_set_stencil_compare_mask PFN_vkCmdSetStencilCompareMask
            c"vkCmdSetStencilCompareMask"
        state_other cmd_set_stencil_reference PFN_vkCmdSetStencilReference
            c"vkCmdSetStencilReference"
        swapchain acquire_next_image2_khr PFN_vkAcquireNextImage2KHR c"vkAcquireNextImage2KHR"
        swapchain acquire_next_image_khr PFN_vkAcquireNextImageKHR c"vkAcquireNextImageKHR"
        swapchain create_shared_swapchains_khr PFN_vkCreateSharedSwapchainsKHR
            c"vkCreateSharedSwapchainsKHR"
        swapchain create_swapchain_khr PFN_vkCreateSwapchainKHR c"vkCreateSwapchainKHR"
        swapchain destroy_swapchain_khr PFN_vkDestroySwapchainKHR c"vkDestroySwapchainKHR"
        sync create_event PFN_vkCreateEvent c"vkCreateEvent"
        sync create_fence PFN_vkCreateFence c"vkCreateFence"
        sync create_query_pool PFN_vkCreateQueryPool c"vkCreateQueryPool"
        sync create_semaphore PFN_vkCreateSemaphore c"vkCreateSemaphore"
        sync destroy_event PFN_vkDestroyEvent c"vkDestroyEvent"
        sync destroy_fence PFN_vkDestroyFence c"vkDestroyFence"
        sync destroy_query_pool PFN_vkDestroyQueryPool c"vkDestroyQueryPool"
        sync destroy_semaphore PFN_vkDestroySemaphore c"vkDestroySemaphore"
        sync get_query_pool_results PFN_vkGetQueryPoolResults c"vkGetQueryPoolResults"
        sync reset_fences PFN_vkResetFences c"vkResetFences"
        sync signal_semaphore PFN_vkSignalSemaphore c"vkSignalSemaphore"
        sync signal_semaphore_khr PFN_vkSignalSemaphore c"vkSignalSemaphoreKHR"
        sync wait_for_fences PFN_vkWaitForFences c"vkWaitForFences"
        sync wait_semaphores PFN_vkWaitSemaphores c"vkWaitSemaphores"
        sync wait_semaphores_khr PFN_vkWaitSemaphores c"vkWaitSemaphoresKHR"
        transfer cmd_blit_image PFN_vkCmdBlitImage c"vkCmdBlitImage"
        transfer cmd_blit_image2 PFN_vkCmdBlitImage2 c"vkCmdBlitImage2"
        transfer cmd_blit_image2_khr PFN_vkCmdBlitImage2 c"vkCmdBlitImage2KHR"
        transfer cmd_clear_color_image PFN_vkCmdClearColorImage c"vkCmdClearColorImage"
        transfer cmd_clear_depth_stencil_image PFN_vkCmdClearDepthStencilImage
            c"vkCmdClearDepthStencilImage"
        transfer cmd_copy_buffer PFN_vkCmdCopyBuffer c"vkCmdCopyBuffer"
        transfer cmd_copy_buffer2 PFN_vkCmdCopyBuffer2 c"vkCmdCopyBuffer2"
        transfer cmd_copy_buffer2_khr PFN_vkCmdCopyBuffer2 c"vkCmdCopyBuffer2KHR"
        transfer cmd_copy_buffer_to_image PFN_vkCmdCopyBufferToImage c"vkCmdCopyBufferToImage"
        transfer cmd_copy_buffer_to_image2 PFN_vkCmdCopyBufferToImage2 c"vkCmdCopyBufferToImage2"
        transfer cmd_copy_buffer_to_image2_khr PFN_vkCmdCopyBufferToImage2
            c"vkCmdCopyBufferToImage2KHR"
        transfer cmd_copy_image PFN_vkCmdCopyImage c"vkCmdCopyImage"
        transfer cmd_copy_image2 PFN_vkCmdCopyImage2 c"vkCmdCopyImage2"
        transfer cmd_copy_image2_khr PFN_vkCmdCopyImage2 c"vkCmdCopyImage2KHR"
        transfer cmd_copy_image_to_buffer PFN_vkCmdCopyImageToBuffer c"vkCmdCopyImageToBuffer"
        transfer cmd_copy_image_to_buffer2 PFN_vkCmdCopyImageToBuffer2 c"vkCmdCopyImageToBuffer2"
        transfer cmd_copy_image_to_buffer2_khr PFN_vkCmdCopyImageToBuffer2
            c"vkCmdCopyImageToBuffer2KHR"
        transfer cmd_resolve_image PFN_vkCmdResolveImage c"vkCmdResolveImage"
        transfer cmd_resolve_image2 PFN_vkCmdResolveImage2 c"vkCmdResolveImage2"
        transfer cmd_resolve_image2_khr PFN_vkCmdResolveImage2 c"vkCmdResolveImage2KHR"
    }
    called {
        get_dynamic_rendering_tile_properties_qcom PFN_vkGetDynamicRenderingTilePropertiesQCOM
            c"vkGetDynamicRenderingTilePropertiesQCOM"
        get_framebuffer_tile_properties_qcom PFN_vkGetFramebufferTilePropertiesQCOM
            c"vkGetFramebufferTilePropertiesQCOM"
        get_swapchain_images_khr PFN_vkGetSwapchainImagesKHR c"vkGetSwapchainImagesKHR"
        get_image_memory_requirements PFN_vkGetImageMemoryRequirements
            c"vkGetImageMemoryRequirements"
    }
}

/// Numbers below this tell the entry points of devices apart.
pub(crate) const fn n_device_commands() -> usize {
    size_of::<DeviceTable>() / size_of::<VoidFunction>()
}

/// Returns the intercepted entry points of devices, each with its number.
pub(crate) fn device_commands() -> impl Iterator<Item = (usize, &'static str)> {
    DEVICE_COMMANDS.iter().filter_map(|command| {
        Some((command.offset / size_of::<VoidFunction>(), command.name.to_str().ok()?))
    })
}
