//! Commands that the model does not understand: what they touch is unknown.

use crate::ffi::hooks::cmd_hooks;
use ash::vk;

/// Declares such commands by their name and arguments.
macro_rules! opaque_hooks {
    ($($field:ident $name:literal ($($argument:ident: $ty:ty),* $(,)?);)*) => {
        cmd_hooks! {$(
            [$field](command_buffer: vk::CommandBuffer, $($argument: $ty),*) (dev, recorder) {
                recorder.opaque($name);
            }
        )*}
    };
}

opaque_hooks! {
    cmd_bind_descriptor_buffers_ext "vkCmdBindDescriptorBuffersEXT" (
        count: u32,
        infos: *const vk::DescriptorBufferBindingInfoEXT<'_>
    );
    cmd_trace_rays_khr "vkCmdTraceRaysKHR" (
        raygen: *const vk::StridedDeviceAddressRegionKHR,
        miss: *const vk::StridedDeviceAddressRegionKHR,
        hit: *const vk::StridedDeviceAddressRegionKHR,
        callable: *const vk::StridedDeviceAddressRegionKHR,
        width: u32,
        height: u32,
        depth: u32
    );
    cmd_trace_rays_indirect_khr "vkCmdTraceRaysIndirectKHR" (
        raygen: *const vk::StridedDeviceAddressRegionKHR,
        miss: *const vk::StridedDeviceAddressRegionKHR,
        hit: *const vk::StridedDeviceAddressRegionKHR,
        callable: *const vk::StridedDeviceAddressRegionKHR,
        address: vk::DeviceAddress
    );
    cmd_trace_rays_indirect2_khr "vkCmdTraceRaysIndirect2KHR" (address: vk::DeviceAddress);
    cmd_execute_generated_commands_nv "vkCmdExecuteGeneratedCommandsNV" (
        is_preprocessed: vk::Bool32,
        info: *const vk::GeneratedCommandsInfoNV<'_>
    );
    cmd_decode_video_khr "vkCmdDecodeVideoKHR" (info: *const vk::VideoDecodeInfoKHR<'_>);
    cmd_encode_video_khr "vkCmdEncodeVideoKHR" (info: *const vk::VideoEncodeInfoKHR<'_>);
    cmd_subpass_shading_huawei "vkCmdSubpassShadingHUAWEI" ();
    cmd_optical_flow_execute_nv "vkCmdOpticalFlowExecuteNV" (
        session: vk::OpticalFlowSessionNV,
        info: *const vk::OpticalFlowExecuteInfoNV<'_>
    );
    cmd_copy_memory_to_image_indirect_nv "vkCmdCopyMemoryToImageIndirectNV" (
        address: vk::DeviceAddress,
        copy_count: u32,
        stride: u32,
        image: vk::Image,
        layout: vk::ImageLayout,
        layers: *const vk::ImageSubresourceLayers
    );
    cmd_cu_launch_kernel_nvx "vkCmdCuLaunchKernelNVX" (info: *const vk::CuLaunchInfoNVX<'_>);
    cmd_bind_invocation_mask_huawei "vkCmdBindInvocationMaskHUAWEI" (
        view: vk::ImageView,
        layout: vk::ImageLayout
    );
    cmd_bind_shading_rate_image_nv "vkCmdBindShadingRateImageNV" (
        view: vk::ImageView,
        layout: vk::ImageLayout
    );
    cmd_dispatch_graph_amdx "vkCmdDispatchGraphAMDX" (
        scratch: vk::DeviceAddress,
        info: *const vk::DispatchGraphCountInfoAMDX
    );
    // Newer than the headers: the infos go down unread.
    cmd_execute_generated_commands_ext "vkCmdExecuteGeneratedCommandsEXT" (
        is_preprocessed: vk::Bool32,
        info: *const vk::GeneratedCommandsInfoNV<'_>
    );
    cmd_dispatch_tile_qcom "vkCmdDispatchTileQCOM" (info: *const vk::SubpassEndInfo<'_>);
    cmd_begin_per_tile_execution_qcom "vkCmdBeginPerTileExecutionQCOM" (
        info: *const vk::SubpassEndInfo<'_>
    );
    cmd_begin_custom_resolve_ext "vkCmdBeginCustomResolveEXT" (
        info: *const vk::SubpassEndInfo<'_>
    );
    cmd_set_descriptor_buffer_offsets_ext "vkCmdSetDescriptorBufferOffsetsEXT" (
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        first_set: u32,
        set_count: u32,
        buffer_indices: *const u32,
        offsets: *const vk::DeviceSize
    );
}
