//! Instance, device and queue.

use ash::vk;

/// A device of the first driver that the loader finds.
pub struct Gpu {
    _entry: ash::Entry,
    instance: ash::Instance,
    pub device: ash::Device,
    pub queue: vk::Queue,
    memory_types: Vec<vk::MemoryType>,
}

impl Gpu {
    /// Opens it.
    ///
    /// # Panics
    ///
    /// If there is no Vulkan, as everything here does where a call fails.
    pub fn open() -> Gpu {
        // SAFETY: the system's loader.
        let entry = unsafe { ash::Entry::load() }.expect("the Vulkan loader is installed");
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: the info is valid.
        let instance = unsafe { entry.create_instance(&info, None) }.expect("an instance");
        // SAFETY: the instance lives.
        let devices = unsafe { instance.enumerate_physical_devices() }.expect("a list");
        let physical = *devices.first().expect("a device");
        let priorities = [1.0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
        // SAFETY: the physical device lives.
        let device = unsafe { instance.create_device(physical, &info, None) }.expect("a device");
        // SAFETY: the device has this queue.
        let queue = unsafe { device.get_device_queue(0, 0) };
        // SAFETY: the physical device lives.
        let memory = unsafe { instance.get_physical_device_memory_properties(physical) };
        let memory_types = memory.memory_types_as_slice().to_vec();
        Gpu { _entry: entry, instance, device, queue, memory_types }
    }

    /// Which library's function a draw calls.
    pub fn draw_at(&self) -> String {
        let function = self.device.fp_v1_0().cmd_draw as *const std::ffi::c_void;
        super::measure::library_of(function).unwrap_or_default()
    }

    /// Ends device and instance; their objects must be gone.
    pub fn close(self) {
        // SAFETY: nothing runs any more.
        unsafe { self.device.device_wait_idle() }.expect("the device lives");
        // SAFETY: its objects are gone.
        unsafe { self.device.destroy_device(None) };
        // SAFETY: its device is gone.
        unsafe { self.instance.destroy_instance(None) };
    }

    /// An image with one layer, without memory.
    pub fn image(
        &self,
        format: vk::Format,
        side: u32,
        mips: u32,
        usage: vk::ImageUsageFlags,
    ) -> vk::Image {
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(vk::Extent3D { width: side, height: side, depth: 1 })
            .mip_levels(mips)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(usage);
        // SAFETY: the info is valid.
        unsafe { self.device.create_image(&info, None) }.expect("an image")
    }

    /// One piece of memory for all of these images.
    pub fn bind(&self, images: &[vk::Image]) -> vk::DeviceMemory {
        let (mut size, mut bits, mut places) = (0, u32::MAX, Vec::new());
        for image in images {
            // SAFETY: the image lives.
            let needs = unsafe { self.device.get_image_memory_requirements(*image) };
            size = vk::DeviceSize::next_multiple_of(size, needs.alignment);
            places.push(size);
            size += needs.size;
            bits &= needs.memory_type_bits;
        }
        let memory = self.allocate(size, bits);
        for (image, place) in images.iter().zip(places) {
            // SAFETY: the image lives and fits there.
            unsafe { self.device.bind_image_memory(*image, memory, place) }.expect("it fits");
        }
        memory
    }

    /// Memory of the device, of one of these types.
    fn allocate(&self, size: vk::DeviceSize, types: u32) -> vk::DeviceMemory {
        let local = |(i, kind): &(usize, &vk::MemoryType)| {
            types & 1 << i != 0
                && kind.property_flags.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL)
        };
        let kind = self.memory_types.iter().enumerate().find(local).map_or(0, |(i, _)| i);
        let info =
            vk::MemoryAllocateInfo::default().allocation_size(size).memory_type_index(kind as u32);
        // SAFETY: the type exists.
        unsafe { self.device.allocate_memory(&info, None) }.expect("memory")
    }

    /// A buffer that draws can take anything from, and its memory.
    pub fn buffer(&self) -> (vk::Buffer, vk::DeviceMemory) {
        let usage = vk::BufferUsageFlags::VERTEX_BUFFER
            | vk::BufferUsageFlags::INDEX_BUFFER
            | vk::BufferUsageFlags::INDIRECT_BUFFER;
        let info = vk::BufferCreateInfo::default().size(1 << 16).usage(usage);
        // SAFETY: the info is valid.
        let buffer = unsafe { self.device.create_buffer(&info, None) }.expect("a buffer");
        // SAFETY: the buffer lives.
        let needs = unsafe { self.device.get_buffer_memory_requirements(buffer) };
        let memory = self.allocate(needs.size, needs.memory_type_bits);
        // SAFETY: the buffer lives and fits there.
        unsafe { self.device.bind_buffer_memory(buffer, memory, 0) }.expect("it fits");
        (buffer, memory)
    }

    /// A view of a whole image.
    pub fn view(&self, image: vk::Image, format: vk::Format) -> vk::ImageView {
        let aspect = match format {
            vk::Format::D32_SFLOAT => vk::ImageAspectFlags::DEPTH,
            _ => vk::ImageAspectFlags::COLOR,
        };
        let info = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(format)
            .subresource_range(whole(aspect));
        // SAFETY: the image lives and has memory.
        unsafe { self.device.create_image_view(&info, None) }.expect("a view")
    }
}

/// Everything of an image.
pub fn whole(aspect: vk::ImageAspectFlags) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange::default()
        .aspect_mask(aspect)
        .level_count(vk::REMAINING_MIP_LEVELS)
        .layer_count(vk::REMAINING_ARRAY_LAYERS)
}
