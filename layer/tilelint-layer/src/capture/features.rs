//! The features that an application enables.

use crate::ffi::read::View;
use ash::vk;

macro_rules! features {
    ($($structure:ident { $($name:literal $field:ident)* })*) => {
        /// The features of chained structures.
        fn chained(info: View<'_, vk::DeviceCreateInfo<'_>>, add: &mut impl FnMut(&str, u32)) {
            $(
                if let Some(features) = info.next::<vk::$structure<'_>>() {
                    $(add($name, features.$field);)*
                }
            )*
        }
    };
}

features! {
    PhysicalDeviceVulkan11Features {
        "multiview" multiview "protectedMemory" protected_memory
    }
    PhysicalDeviceVulkan12Features {
        "imagelessFramebuffer" imageless_framebuffer "timelineSemaphore" timeline_semaphore
        "descriptorIndexing" descriptor_indexing "bufferDeviceAddress" buffer_device_address
    }
    PhysicalDeviceVulkan13Features {
        "dynamicRendering" dynamic_rendering "synchronization2" synchronization2
    }
    PhysicalDeviceDynamicRenderingFeatures { "dynamicRendering" dynamic_rendering }
    PhysicalDeviceSynchronization2Features { "synchronization2" synchronization2 }
    PhysicalDeviceMultiviewFeatures { "multiview" multiview }
    PhysicalDeviceImagelessFramebufferFeatures { "imagelessFramebuffer" imageless_framebuffer }
    PhysicalDeviceTimelineSemaphoreFeatures { "timelineSemaphore" timeline_semaphore }
    PhysicalDeviceBufferDeviceAddressFeatures { "bufferDeviceAddress" buffer_device_address }
    PhysicalDeviceBufferDeviceAddressFeaturesEXT { "bufferDeviceAddress" buffer_device_address }
    PhysicalDeviceDynamicRenderingLocalReadFeaturesKHR {
        "dynamicRenderingLocalRead" dynamic_rendering_local_read
    }
    PhysicalDeviceFragmentDensityMapFeaturesEXT {
        "fragmentDensityMap" fragment_density_map
        "fragmentDensityMapNonSubsampledImages" fragment_density_map_non_subsampled_images
    }
    PhysicalDeviceShaderTileImageFeaturesEXT {
        "shaderTileImageColorReadAccess" shader_tile_image_color_read_access
    }
}

/// Returns the enabled features that decide what later calls mean, by their API names.
pub(super) fn features(info: View<'_, vk::DeviceCreateInfo<'_>>) -> Vec<Box<str>> {
    let mut names: Vec<Box<str>> = Vec::new();
    let mut add = |name: &str, value: vk::Bool32| {
        if value != 0 && !names.iter().any(|known| **known == *name) {
            names.push(name.into());
        }
    };
    chained(info, &mut add);
    let all = info.next::<vk::PhysicalDeviceFeatures2<'_>>().map(|all| all.features);
    let old = info.enabled_features().map(|all| *all);
    for features in [all, old].into_iter().flatten() {
        add("sparseBinding", features.sparse_binding);
    }
    names
}
