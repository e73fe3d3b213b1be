//! Commands that leave nothing behind: a null driver records and draws nothing.

use crate::entry::{Need, V1_0, V1_1, V1_2, V1_3, V1_4, idle};

idle! { (), ();
    Device(V1_0) {
        vkUnmapMemory vkUpdateDescriptorSets vkCmdBindPipeline vkCmdSetViewport vkCmdSetScissor
        vkCmdSetLineWidth vkCmdSetDepthBias vkCmdSetBlendConstants vkCmdSetDepthBounds
        vkCmdSetStencilCompareMask vkCmdSetStencilWriteMask vkCmdSetStencilReference
        vkCmdBindDescriptorSets vkCmdBindIndexBuffer vkCmdBindVertexBuffers vkCmdDraw
        vkCmdDrawIndexed vkCmdDrawIndirect vkCmdDrawIndexedIndirect vkCmdDispatch
        vkCmdDispatchIndirect vkCmdCopyBuffer vkCmdCopyImage vkCmdBlitImage vkCmdCopyBufferToImage
        vkCmdCopyImageToBuffer vkCmdUpdateBuffer vkCmdFillBuffer vkCmdClearColorImage
        vkCmdClearDepthStencilImage vkCmdClearAttachments vkCmdResolveImage vkCmdSetEvent
        vkCmdResetEvent vkCmdWaitEvents vkCmdPipelineBarrier vkCmdBeginQuery vkCmdEndQuery
        vkCmdResetQueryPool vkCmdWriteTimestamp vkCmdCopyQueryPoolResults vkCmdPushConstants
        vkCmdBeginRenderPass vkCmdNextSubpass vkCmdEndRenderPass vkCmdExecuteCommands
    }
    Device(V1_1) {
        vkCmdSetDeviceMask vkCmdDispatchBase vkTrimCommandPool vkUpdateDescriptorSetWithTemplate
    }
    Device(V1_2) {
        vkCmdDrawIndirectCount vkCmdDrawIndexedIndirectCount vkCmdBeginRenderPass2
        vkCmdNextSubpass2 vkCmdEndRenderPass2 vkResetQueryPool
    }
    Device(V1_3) {
        vkCmdSetEvent2 vkCmdResetEvent2 vkCmdWaitEvents2 vkCmdPipelineBarrier2
        vkCmdWriteTimestamp2 vkCmdCopyBuffer2 vkCmdCopyImage2 vkCmdCopyBufferToImage2
        vkCmdCopyImageToBuffer2 vkCmdBlitImage2 vkCmdResolveImage2 vkCmdBeginRendering
        vkCmdEndRendering vkCmdSetCullMode vkCmdSetFrontFace vkCmdSetPrimitiveTopology
        vkCmdSetViewportWithCount vkCmdSetScissorWithCount vkCmdBindVertexBuffers2
        vkCmdSetDepthTestEnable vkCmdSetDepthWriteEnable vkCmdSetDepthCompareOp
        vkCmdSetDepthBoundsTestEnable vkCmdSetStencilTestEnable vkCmdSetStencilOp
        vkCmdSetRasterizerDiscardEnable vkCmdSetDepthBiasEnable vkCmdSetPrimitiveRestartEnable
    }
    Device(Need::Extension("VK_EXT_debug_utils")) {
        vkQueueBeginDebugUtilsLabelEXT vkQueueEndDebugUtilsLabelEXT
        vkQueueInsertDebugUtilsLabelEXT vkCmdBeginDebugUtilsLabelEXT vkCmdEndDebugUtilsLabelEXT
        vkCmdInsertDebugUtilsLabelEXT
    }
    Device(Need::Extension("VK_KHR_dynamic_rendering")) {
        vkCmdBeginRenderingKHR vkCmdEndRenderingKHR
    }
    Device(Need::Extension("VK_KHR_create_renderpass2")) {
        vkCmdBeginRenderPass2KHR vkCmdNextSubpass2KHR vkCmdEndRenderPass2KHR
    }
    Device(Need::Extension("VK_KHR_synchronization2")) {
        vkCmdSetEvent2KHR vkCmdResetEvent2KHR vkCmdWaitEvents2KHR vkCmdPipelineBarrier2KHR
        vkCmdWriteTimestamp2KHR
    }
    Device(Need::Extension("VK_KHR_push_descriptor VK_KHR_descriptor_update_template")) {
        vkCmdPushDescriptorSetKHR vkCmdPushDescriptorSetWithTemplateKHR
    }
    Device(Need::Extension("VK_EXT_multi_draw")) {
        vkCmdDrawMultiEXT vkCmdDrawMultiIndexedEXT
    }
    Device(Need::Extension("VK_EXT_mesh_shader")) {
        vkCmdDrawMeshTasksEXT vkCmdDrawMeshTasksIndirectEXT vkCmdDrawMeshTasksIndirectCountEXT
    }
    Device(Need::Extension("VK_EXT_descriptor_buffer")) {
        vkCmdBindDescriptorBuffersEXT vkCmdSetDescriptorBufferOffsetsEXT
        vkCmdBindDescriptorBufferEmbeddedSamplersEXT
    }
    Device(Need::Extension("VK_KHR_fragment_shading_rate")) {
        vkCmdSetFragmentShadingRateKHR
    }
    Device(Need::Extension("VK_EXT_transform_feedback")) {
        vkCmdBindTransformFeedbackBuffersEXT vkCmdBeginTransformFeedbackEXT
        vkCmdEndTransformFeedbackEXT vkCmdBeginQueryIndexedEXT vkCmdEndQueryIndexedEXT
        vkCmdDrawIndirectByteCountEXT
    }
    Device(Need::Extension("VK_EXT_extended_dynamic_state VK_EXT_shader_object")) {
        vkCmdSetCullModeEXT vkCmdSetFrontFaceEXT vkCmdSetPrimitiveTopologyEXT
        vkCmdSetViewportWithCountEXT vkCmdSetScissorWithCountEXT vkCmdBindVertexBuffers2EXT
        vkCmdSetDepthTestEnableEXT vkCmdSetDepthWriteEnableEXT vkCmdSetDepthCompareOpEXT
        vkCmdSetDepthBoundsTestEnableEXT vkCmdSetStencilTestEnableEXT vkCmdSetStencilOpEXT
    }
    Device(Need::Extension("VK_EXT_extended_dynamic_state2 VK_EXT_shader_object")) {
        vkCmdSetPatchControlPointsEXT vkCmdSetRasterizerDiscardEnableEXT
        vkCmdSetDepthBiasEnableEXT vkCmdSetLogicOpEXT vkCmdSetPrimitiveRestartEnableEXT
    }
    Device(Need::Extension("VK_EXT_extended_dynamic_state3 VK_EXT_shader_object")) {
        vkCmdSetTessellationDomainOriginEXT vkCmdSetDepthClampEnableEXT vkCmdSetPolygonModeEXT
        vkCmdSetRasterizationSamplesEXT vkCmdSetSampleMaskEXT vkCmdSetAlphaToCoverageEnableEXT
        vkCmdSetAlphaToOneEnableEXT vkCmdSetLogicOpEnableEXT vkCmdSetColorBlendEnableEXT
        vkCmdSetColorBlendEquationEXT vkCmdSetColorWriteMaskEXT vkCmdSetRasterizationStreamEXT
        vkCmdSetConservativeRasterizationModeEXT vkCmdSetExtraPrimitiveOverestimationSizeEXT
        vkCmdSetDepthClipEnableEXT vkCmdSetSampleLocationsEnableEXT vkCmdSetColorBlendAdvancedEXT
        vkCmdSetProvokingVertexModeEXT vkCmdSetLineRasterizationModeEXT
        vkCmdSetLineStippleEnableEXT vkCmdSetDepthClipNegativeOneToOneEXT
    }
    Device(Need::Extension("VK_EXT_vertex_input_dynamic_state VK_EXT_shader_object")) {
        vkCmdSetVertexInputEXT
    }
    Device(Need::Extension("VK_EXT_color_write_enable")) {
        vkCmdSetColorWriteEnableEXT
    }
    Device(Need::Extension("VK_EXT_conditional_rendering")) {
        vkCmdBeginConditionalRenderingEXT vkCmdEndConditionalRenderingEXT
    }
    Device(Need::Extension("VK_KHR_maintenance1")) {
        vkTrimCommandPoolKHR
    }
    Device(Need::Extension("VK_KHR_descriptor_update_template")) {
        vkUpdateDescriptorSetWithTemplateKHR
    }
    Device(Need::Extension("VK_KHR_device_group")) {
        vkCmdSetDeviceMaskKHR vkCmdDispatchBaseKHR
    }
    Device(Need::Extension("VK_KHR_draw_indirect_count")) {
        vkCmdDrawIndirectCountKHR vkCmdDrawIndexedIndirectCountKHR
    }
    Device(Need::Extension("VK_AMD_draw_indirect_count")) {
        vkCmdDrawIndirectCountAMD vkCmdDrawIndexedIndirectCountAMD
    }
    Device(Need::Extension("VK_KHR_copy_commands2")) {
        vkCmdCopyBuffer2KHR vkCmdCopyImage2KHR vkCmdCopyBufferToImage2KHR
        vkCmdCopyImageToBuffer2KHR vkCmdBlitImage2KHR vkCmdResolveImage2KHR
    }
    Device(Need::Extension("VK_EXT_host_query_reset")) {
        vkResetQueryPoolEXT
    }
    Device(Need::Extension("VK_EXT_pageable_device_local_memory")) {
        vkSetDeviceMemoryPriorityEXT
    }
    Device(Need::Extension("VK_EXT_line_rasterization")) {
        vkCmdSetLineStippleEXT
    }
    Device(Need::Extension("VK_EXT_shader_object")) {
        vkCmdBindShadersEXT
    }
    Device(Need::Extension("VK_KHR_dynamic_rendering_local_read")) {
        vkCmdSetRenderingAttachmentLocationsKHR vkCmdSetRenderingInputAttachmentIndicesKHR
    }
    Device(Need::Extension("VK_EXT_attachment_feedback_loop_dynamic_state")) {
        vkCmdSetAttachmentFeedbackLoopEnableEXT
    }
    Device(Need::Extension("VK_KHR_maintenance5")) {
        vkCmdBindIndexBuffer2KHR
    }
    Device(Need::Extension("VK_KHR_maintenance6")) {
        vkCmdBindDescriptorSets2KHR vkCmdPushConstants2KHR vkCmdPushDescriptorSet2KHR
        vkCmdPushDescriptorSetWithTemplate2KHR vkCmdSetDescriptorBufferOffsets2EXT
        vkCmdBindDescriptorBufferEmbeddedSamplers2EXT
    }
    Device(V1_4) {
        vkCmdBindIndexBuffer2 vkCmdSetLineStipple vkCmdPushDescriptorSet
        vkCmdPushDescriptorSetWithTemplate vkCmdBindDescriptorSets2 vkCmdPushConstants2
        vkCmdPushDescriptorSet2 vkCmdPushDescriptorSetWithTemplate2
        vkCmdSetRenderingAttachmentLocations vkCmdSetRenderingInputAttachmentIndices
    }
}
