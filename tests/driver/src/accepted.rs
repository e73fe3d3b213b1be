//! Commands whose only answer is that they succeeded.

use ash::vk;

use crate::entry::{Need, V1_0, V1_1, V1_4, idle};

idle! { vk::Result, vk::Result::SUCCESS;
    Device(V1_0) {
        vkQueueWaitIdle vkDeviceWaitIdle vkFlushMappedMemoryRanges vkInvalidateMappedMemoryRanges
        vkBindBufferMemory vkBindImageMemory vkMergePipelineCaches vkResetCommandPool
        vkBeginCommandBuffer vkEndCommandBuffer vkResetCommandBuffer
    }
    Device(V1_1) {
        vkBindBufferMemory2 vkBindImageMemory2
    }
    Device(Need::Extension("VK_EXT_debug_utils")) {
        vkSetDebugUtilsObjectNameEXT vkSetDebugUtilsObjectTagEXT
    }
    Device(Need::Extension("VK_KHR_bind_memory2")) {
        vkBindBufferMemory2KHR vkBindImageMemory2KHR
    }
    Device(Need::Extension("VK_KHR_present_wait")) {
        vkWaitForPresentKHR
    }
    Device(Need::Extension("VK_EXT_host_image_copy")) {
        vkCopyMemoryToImageEXT vkCopyImageToMemoryEXT vkCopyImageToImageEXT
        vkTransitionImageLayoutEXT
    }
    Device(V1_4) {
        vkCopyMemoryToImage vkCopyImageToMemory vkCopyImageToImage vkTransitionImageLayout
    }
}
