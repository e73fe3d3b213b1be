//! What a physical device says of itself.

use std::ffi::c_void;

use ash::vk;

use crate::config::config;
use crate::entry::{Need, V1_0, V1_1, V1_3, entries, table};
use crate::instance::Physical;
use crate::raw::{self, Out};
use crate::{features, formats, properties};

/// The queue families: one for everything, and if wanted one for compute alone.
pub fn queue_families() -> Vec<vk::QueueFamilyProperties> {
    use vk::QueueFlags as Can;
    let family = |queue_flags, queue_count| vk::QueueFamilyProperties {
        queue_flags,
        queue_count,
        timestamp_valid_bits: 48,
        min_image_transfer_granularity: vk::Extent3D { width: 1, height: 1, depth: 1 },
    };
    let mut families = vec![family(Can::GRAPHICS | Can::COMPUTE | Can::TRANSFER, 3)];
    if config().async_compute {
        families.push(family(Can::COMPUTE | Can::TRANSFER, 2));
    }
    families
}

/// Memory types, and a heap for those that are device-local and one for those that are not.
fn memory() -> vk::PhysicalDeviceMemoryProperties {
    let config = config();
    let local =
        |flags: vk::MemoryPropertyFlags| flags.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL);
    let kinds = [vk::MemoryHeapFlags::DEVICE_LOCAL, vk::MemoryHeapFlags::empty()];
    let used = |flags: &vk::MemoryHeapFlags| {
        config.memory_types.iter().any(|t| local(*t) != flags.is_empty())
    };
    let heaps: Vec<_> = kinds.into_iter().filter(used).collect();
    let mut memory = vk::PhysicalDeviceMemoryProperties {
        memory_type_count: config.memory_types.len() as u32,
        memory_heap_count: heaps.len() as u32,
        ..Default::default()
    };
    for (place, flags) in memory.memory_heaps.iter_mut().zip(&heaps) {
        *place = vk::MemoryHeap { size: config.heap_bytes, flags: *flags };
    }
    for (place, property_flags) in memory.memory_types.iter_mut().zip(&config.memory_types) {
        let heap = heaps.iter().position(|heap| local(*property_flags) != heap.is_empty());
        let heap_index = heap.expect("there is a heap for every type") as u32;
        *place = vk::MemoryType { property_flags: *property_flags, heap_index };
    }
    memory
}

/// What an image of a format, type, tiling and usage may be; nothing if it may not be.
fn image_format(
    info: &vk::PhysicalDeviceImageFormatInfo2<'_>,
) -> Option<vk::ImageFormatProperties> {
    use vk::{FormatFeatureFlags as Can, ImageUsageFlags as Usage};
    let properties = formats::properties(info.format);
    let linear = info.tiling == vk::ImageTiling::LINEAR;
    let can = match linear {
        true => properties.linear_tiling_features,
        false => properties.optimal_tiling_features,
    };
    let attachment = Can::COLOR_ATTACHMENT | Can::DEPTH_STENCIL_ATTACHMENT;
    let needs = [
        (Usage::SAMPLED, Can::SAMPLED_IMAGE),
        (Usage::STORAGE, Can::STORAGE_IMAGE),
        (Usage::COLOR_ATTACHMENT, Can::COLOR_ATTACHMENT),
        (Usage::DEPTH_STENCIL_ATTACHMENT, Can::DEPTH_STENCIL_ATTACHMENT),
        (Usage::INPUT_ATTACHMENT, attachment),
        (Usage::TRANSIENT_ATTACHMENT, attachment),
        (Usage::TRANSFER_SRC, Can::TRANSFER_SRC),
        (Usage::TRANSFER_DST, Can::TRANSFER_DST),
    ];
    let mut wanted = needs.iter().filter(|(usage, _)| info.usage.contains(*usage));
    let extended = info.flags.contains(vk::ImageCreateFlags::EXTENDED_USAGE);
    if can.is_empty() || !extended && wanted.any(|(_, feature)| !can.intersects(*feature)) {
        return None;
    }
    let flat = info.ty == vk::ImageType::TYPE_2D;
    let cube = info.flags.contains(vk::ImageCreateFlags::CUBE_COMPATIBLE);
    let (width, height, depth) = match info.ty {
        vk::ImageType::TYPE_1D => (16384, 1, 1),
        vk::ImageType::TYPE_3D => (2048, 2048, 2048),
        _ => (16384, 16384, 1),
    };
    let many = flat && !linear && !cube && can.intersects(attachment);
    Some(vk::ImageFormatProperties {
        max_extent: vk::Extent3D { width, height, depth },
        max_mip_levels: if linear { 1 } else { 15 },
        max_array_layers: if info.ty == vk::ImageType::TYPE_3D || linear { 1 } else { 2048 },
        sample_counts: match many {
            true => config().sample_counts,
            false => vk::SampleCountFlags::TYPE_1,
        },
        max_resource_size: 1 << 32,
    })
}

fn external_memory() -> vk::ExternalMemoryProperties {
    let kinds = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD
        | vk::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT;
    vk::ExternalMemoryProperties {
        external_memory_features: vk::ExternalMemoryFeatureFlags::EXPORTABLE
            | vk::ExternalMemoryFeatureFlags::IMPORTABLE,
        export_from_imported_handle_types: kinds,
        compatible_handle_types: kinds,
    }
}

entries! {
    fn vkGetPhysicalDeviceFeatures(_: &Physical, out: Out<vk::PhysicalDeviceFeatures>) {
        out.set(features::core());
    }

    fn vkGetPhysicalDeviceFeatures2 | vkGetPhysicalDeviceFeatures2KHR(
        _: &Physical, out: *mut c_void
    ) {
        features::fill(out);
    }

    fn vkGetPhysicalDeviceProperties(
        physical: &Physical, out: Out<vk::PhysicalDeviceProperties>
    ) {
        out.set(properties::core(physical.index));
    }

    fn vkGetPhysicalDeviceProperties2 | vkGetPhysicalDeviceProperties2KHR(
        physical: &Physical, out: &mut vk::PhysicalDeviceProperties2<'_>
    ) {
        out.properties = properties::core(physical.index);
        properties::fill(physical.index, out.p_next);
    }

    fn vkGetPhysicalDeviceQueueFamilyProperties(
        _: &Physical, count: &mut u32, out: Out<vk::QueueFamilyProperties>
    ) {
        // The command has no result: a short array is simply filled.
        let _ = raw::enumerate(&queue_families(), count, &out);
    }

    fn vkGetPhysicalDeviceQueueFamilyProperties2 | vkGetPhysicalDeviceQueueFamilyProperties2KHR(
        _: &Physical, count: &mut u32, out: Out<vk::QueueFamilyProperties2<'_>>
    ) {
        let families = queue_families();
        let _ = raw::enumerate_with(families.len(), count, out.is_null(), |i| {
            raw::begun(out.pointer(), i).queue_family_properties = families[i];
        });
    }

    fn vkGetPhysicalDeviceMemoryProperties(
        _: &Physical, out: Out<vk::PhysicalDeviceMemoryProperties>
    ) {
        out.set(memory());
    }

    fn vkGetPhysicalDeviceMemoryProperties2 | vkGetPhysicalDeviceMemoryProperties2KHR(
        _: &Physical, out: &mut vk::PhysicalDeviceMemoryProperties2<'_>
    ) {
        out.memory_properties = memory();
        raw::fill::<vk::PhysicalDeviceMemoryBudgetPropertiesEXT<'_>>(out.p_next, |budget| {
            let heaps = memory().memory_heaps;
            budget.heap_budget = heaps.map(|heap| heap.size);
            budget.heap_usage = [0; vk::MAX_MEMORY_HEAPS];
        });
    }

    fn vkGetPhysicalDeviceFormatProperties(
        _: &Physical, format: vk::Format, out: Out<vk::FormatProperties>
    ) {
        out.set(formats::properties(format));
    }

    fn vkGetPhysicalDeviceFormatProperties2 | vkGetPhysicalDeviceFormatProperties2KHR(
        _: &Physical, format: vk::Format, out: &mut vk::FormatProperties2<'_>
    ) {
        let properties = formats::properties(format);
        out.format_properties = properties;
        raw::fill::<vk::SubpassResolvePerformanceQueryEXT<'_>>(out.p_next, |query| {
            query.optimal = vk::TRUE;
        });
        raw::fill::<vk::FormatProperties3<'_>>(out.p_next, |three| {
            // The bits of both enumerations agree as far as the first goes.
            let wide = |f: vk::FormatFeatureFlags| {
                vk::FormatFeatureFlags2::from_raw(u64::from(f.as_raw()))
            };
            three.linear_tiling_features = wide(properties.linear_tiling_features);
            three.optimal_tiling_features = wide(properties.optimal_tiling_features);
            three.buffer_features = wide(properties.buffer_features);
        });
    }

    fn vkGetPhysicalDeviceImageFormatProperties(
        _: &Physical, format: vk::Format, ty: vk::ImageType, tiling: vk::ImageTiling,
        usage: vk::ImageUsageFlags, flags: vk::ImageCreateFlags,
        out: Out<vk::ImageFormatProperties>
    ) -> vk::Result {
        let info = vk::PhysicalDeviceImageFormatInfo2 {
            format, ty, tiling, usage, flags, ..Default::default()
        };
        let found = image_format(&info);
        out.set(found.unwrap_or_default());
        found.map_or(vk::Result::ERROR_FORMAT_NOT_SUPPORTED, |_| vk::Result::SUCCESS)
    }

    fn vkGetPhysicalDeviceImageFormatProperties2 | vkGetPhysicalDeviceImageFormatProperties2KHR(
        _: &Physical, info: &vk::PhysicalDeviceImageFormatInfo2<'_>,
        out: &mut vk::ImageFormatProperties2<'_>
    ) -> vk::Result {
        let found = image_format(info);
        out.image_format_properties = found.unwrap_or_default();
        raw::fill::<vk::ExternalImageFormatProperties<'_>>(out.p_next, |external| {
            external.external_memory_properties = external_memory();
        });
        found.map_or(vk::Result::ERROR_FORMAT_NOT_SUPPORTED, |_| vk::Result::SUCCESS)
    }

    fn vkGetPhysicalDeviceSparseImageFormatProperties(
        _: &Physical, _format: vk::Format, _ty: vk::ImageType, _samples: vk::SampleCountFlags,
        _usage: vk::ImageUsageFlags, _tiling: vk::ImageTiling, count: &mut u32,
        _out: Out<vk::SparseImageFormatProperties>
    ) {
        *count = 0;
    }

    fn vkGetPhysicalDeviceSparseImageFormatProperties2 |
        vkGetPhysicalDeviceSparseImageFormatProperties2KHR(
        _: &Physical, _info: &vk::BaseInStructure<'_>, count: &mut u32,
        _out: Out<vk::SparseImageFormatProperties2<'_>>
    ) {
        *count = 0;
    }

    fn vkGetPhysicalDeviceExternalBufferProperties |
        vkGetPhysicalDeviceExternalBufferPropertiesKHR(
        _: &Physical, _info: &vk::BaseInStructure<'_>, out: &mut vk::ExternalBufferProperties<'_>
    ) {
        out.external_memory_properties = external_memory();
    }

    fn vkGetPhysicalDeviceExternalFenceProperties |
        vkGetPhysicalDeviceExternalFencePropertiesKHR(
        _: &Physical, _info: &vk::BaseInStructure<'_>, out: &mut vk::ExternalFenceProperties<'_>
    ) {
        let kinds = vk::ExternalFenceHandleTypeFlags::OPAQUE_FD;
        out.export_from_imported_handle_types = kinds;
        out.compatible_handle_types = kinds;
        out.external_fence_features = vk::ExternalFenceFeatureFlags::from_raw(3);
    }

    fn vkGetPhysicalDeviceExternalSemaphoreProperties |
        vkGetPhysicalDeviceExternalSemaphorePropertiesKHR(
        _: &Physical, _info: &vk::BaseInStructure<'_>,
        out: &mut vk::ExternalSemaphoreProperties<'_>
    ) {
        let kinds = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;
        out.export_from_imported_handle_types = kinds;
        out.compatible_handle_types = kinds;
        out.external_semaphore_features = vk::ExternalSemaphoreFeatureFlags::from_raw(3);
    }

    fn vkGetPhysicalDeviceToolProperties | vkGetPhysicalDeviceToolPropertiesEXT(
        _: &Physical, count: &mut u32, _out: Out<vk::PhysicalDeviceToolProperties<'_>>
    ) -> vk::Result {
        *count = 0;
        vk::Result::SUCCESS
    }

    fn vkGetPhysicalDeviceFragmentShadingRatesKHR(
        _: &Physical, count: &mut u32, out: Out<vk::PhysicalDeviceFragmentShadingRateKHR<'_>>
    ) -> vk::Result {
        let sizes = [(2, 2), (2, 1), (1, 1)];
        raw::enumerate_with(sizes.len(), count, out.is_null(), |i| {
            let (width, height) = sizes[i];
            let rate = raw::begun(out.pointer(), i);
            rate.fragment_size = vk::Extent2D { width, height };
            // 1x1 works with every count there could be.
            rate.sample_counts = match (width, height) {
                (1, 1) => vk::SampleCountFlags::from_raw(!0),
                _ => config().sample_counts,
            };
        })
    }
}

table! {
    Physical(V1_0) {
        vkGetPhysicalDeviceFeatures vkGetPhysicalDeviceProperties
        vkGetPhysicalDeviceQueueFamilyProperties vkGetPhysicalDeviceMemoryProperties
        vkGetPhysicalDeviceFormatProperties vkGetPhysicalDeviceImageFormatProperties
        vkGetPhysicalDeviceSparseImageFormatProperties
    }
    Physical(V1_1) {
        vkGetPhysicalDeviceFeatures2 vkGetPhysicalDeviceProperties2
        vkGetPhysicalDeviceQueueFamilyProperties2 vkGetPhysicalDeviceMemoryProperties2
        vkGetPhysicalDeviceFormatProperties2 vkGetPhysicalDeviceImageFormatProperties2
        vkGetPhysicalDeviceSparseImageFormatProperties2
        vkGetPhysicalDeviceExternalBufferProperties vkGetPhysicalDeviceExternalFenceProperties
        vkGetPhysicalDeviceExternalSemaphoreProperties
    }
    Physical(V1_3) { vkGetPhysicalDeviceToolProperties }
    Physical(Need::Extension("VK_KHR_get_physical_device_properties2")) {
        vkGetPhysicalDeviceFeatures2KHR vkGetPhysicalDeviceProperties2KHR
        vkGetPhysicalDeviceQueueFamilyProperties2KHR vkGetPhysicalDeviceMemoryProperties2KHR
        vkGetPhysicalDeviceFormatProperties2KHR vkGetPhysicalDeviceImageFormatProperties2KHR
        vkGetPhysicalDeviceSparseImageFormatProperties2KHR
    }
    Physical(Need::Extension("VK_KHR_external_memory_capabilities")) {
        vkGetPhysicalDeviceExternalBufferPropertiesKHR
    }
    Physical(Need::Extension("VK_KHR_external_fence_capabilities")) {
        vkGetPhysicalDeviceExternalFencePropertiesKHR
    }
    Physical(Need::Extension("VK_KHR_external_semaphore_capabilities")) {
        vkGetPhysicalDeviceExternalSemaphorePropertiesKHR
    }
    Physical(Need::Extension("VK_EXT_tooling_info")) { vkGetPhysicalDeviceToolPropertiesEXT }
    Physical(Need::Extension("VK_KHR_fragment_shading_rate")) {
        vkGetPhysicalDeviceFragmentShadingRatesKHR
    }
}
