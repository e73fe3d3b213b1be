//! An instance and a device on the null driver, and the questions the tests ask of them.

use std::ffi::{CStr, CString, c_void};

use ash::vk::{self, Handle};
use ash::{Device, Entry, Instance};

/// Everything needed to call Vulkan. Nothing is destroyed: the child process ends with it.
pub struct World {
    entry: Entry,
    instance: Instance,
    physical: vk::PhysicalDevice,
    count: usize,
    device: Device,
}

/// The names of the core device functions up to 1.3, as ash's tables ask for them.
pub fn core_device_functions() -> Vec<CString> {
    let mut names = Vec::new();
    let mut ask = |name: &CStr| -> *const c_void {
        names.push(name.to_owned());
        std::ptr::null()
    };
    ash::DeviceFnV1_0::load(&mut ask);
    ash::DeviceFnV1_1::load(&mut ask);
    ash::DeviceFnV1_2::load(&mut ask);
    ash::DeviceFnV1_3::load(&mut ask);
    assert!(names.len() > 180, "the tables are complete");
    names
}

/// The names of the device functions of the extensions that programs use most, as ash has them.
pub fn extension_device_functions() -> Vec<CString> {
    let mut names = Vec::new();
    let mut ask = |name: &CStr| -> *const c_void {
        names.push(name.to_owned());
        std::ptr::null()
    };
    macro_rules! load {
        ($($vendor:ident::$extension:ident)+) => {
            $(ash::$vendor::$extension::DeviceFn::load(&mut ask);)+
        };
    }
    load! {
        khr::bind_memory2 khr::buffer_device_address khr::copy_commands2 khr::create_renderpass2
        khr::descriptor_update_template khr::device_group khr::draw_indirect_count
        khr::dynamic_rendering khr::dynamic_rendering_local_read khr::external_fence_fd
        khr::external_memory_fd khr::external_semaphore_fd khr::fragment_shading_rate
        khr::get_memory_requirements2 khr::maintenance1 khr::maintenance3 khr::maintenance4
        khr::maintenance5 khr::maintenance6 khr::map_memory2 khr::present_wait
        khr::push_descriptor khr::sampler_ycbcr_conversion khr::swapchain khr::synchronization2
        khr::timeline_semaphore
        ext::attachment_feedback_loop_dynamic_state ext::color_write_enable
        ext::conditional_rendering ext::descriptor_buffer ext::extended_dynamic_state
        ext::extended_dynamic_state2 ext::host_image_copy
        ext::host_query_reset ext::line_rasterization ext::mesh_shader ext::multi_draw
        ext::pageable_device_local_memory ext::private_data ext::transform_feedback
        ext::vertex_input_dynamic_state
        ext::shader_object ext::extended_dynamic_state3
        amd::draw_indirect_count qcom::tile_properties
    }
    // Some functions of these tables are for vendor extensions that are not offered.
    let foreign = |name: &CString| {
        name.to_bytes().ends_with(b"NV") || name.as_c_str() == c"vkCmdWriteBufferMarker2AMD"
    };
    names.retain(|name| !foreign(name));
    names
}

fn try_device(
    instance: &Instance,
    physical: vk::PhysicalDevice,
    extensions: &[&CStr],
    features: &vk::PhysicalDeviceFeatures,
) -> Result<Device, vk::Result> {
    let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&names)
        .enabled_features(features);
    // SAFETY: the create info and what it points to live through the call.
    unsafe { instance.create_device(physical, &info, None) }
}

impl World {
    /// A device with these extensions.
    pub fn new(extensions: &[&CStr]) -> Self {
        Self::nth(0, extensions)
    }

    /// A device on the nth physical device.
    pub fn nth(index: usize, extensions: &[&CStr]) -> Self {
        // SAFETY: the system's loader is what this test is about; it stays loaded.
        let entry = unsafe { Entry::load() }.expect("the Vulkan loader (package libvulkan1)");
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        // The loader has VK_EXT_debug_utils itself, whatever the driver offers.
        let names = [c"VK_KHR_surface", c"VK_EXT_headless_surface", c"VK_EXT_debug_utils"];
        let names = names.map(CStr::as_ptr);
        let info = vk::InstanceCreateInfo::default()
            .application_info(&application)
            .enabled_extension_names(&names);
        // SAFETY: the create info and what it points to live through the call.
        let instance = unsafe { entry.create_instance(&info, None) }.unwrap();
        // SAFETY: the instance is alive.
        let all = unsafe { instance.enumerate_physical_devices() }.unwrap();
        let physical = all[index];
        let none = vk::PhysicalDeviceFeatures::default();
        let device = try_device(&instance, physical, extensions, &none).unwrap();
        World { entry, instance, physical, count: all.len(), device }
    }

    /// The result of creating a device.
    pub fn create_device(
        &self,
        extensions: &[&CStr],
        features: &vk::PhysicalDeviceFeatures,
    ) -> vk::Result {
        let made = try_device(&self.instance, self.physical, extensions, features);
        made.map_or_else(|error| error, |_| vk::Result::SUCCESS)
    }

    pub fn physical_devices(&self) -> usize {
        self.count
    }

    pub fn properties(&self) -> vk::PhysicalDeviceProperties {
        // SAFETY: the physical device is the instance's.
        unsafe { self.instance.get_physical_device_properties(self.physical) }
    }

    pub fn name(&self) -> String {
        let properties = self.properties();
        properties.device_name_as_c_str().unwrap().to_str().unwrap().to_owned()
    }

    pub fn memory_types(&self) -> Vec<vk::MemoryPropertyFlags> {
        // SAFETY: the physical device is the instance's.
        let memory = unsafe { self.instance.get_physical_device_memory_properties(self.physical) };
        memory.memory_types_as_slice().iter().map(|ty| ty.property_flags).collect()
    }

    pub fn device_extensions(&self) -> Vec<String> {
        // SAFETY: the physical device is the instance's.
        let all =
            unsafe { self.instance.enumerate_device_extension_properties(self.physical) }.unwrap();
        let name = |e: &vk::ExtensionProperties| {
            e.extension_name_as_c_str().unwrap().to_str().unwrap().to_owned()
        };
        all.iter().map(name).collect()
    }

    /// Whether vkGetDeviceProcAddr knows a function.
    pub fn device_function(&self, name: &CStr) -> bool {
        let get = self.instance.fp_v1_0().get_device_proc_addr;
        // SAFETY: the device is alive and the name ends with a zero.
        unsafe { get(self.device.handle(), name.as_ptr()) }.is_some()
    }

    /// Bytes and memory types of an image.
    pub fn requirements(
        &self,
        format: vk::Format,
        (width, height): (u32, u32),
        mips: u32,
        samples: u32,
        usage: vk::ImageUsageFlags,
    ) -> (u64, u32) {
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(vk::Extent3D { width, height, depth: 1 })
            .mip_levels(mips)
            .array_layers(1)
            .samples(vk::SampleCountFlags::from_raw(samples))
            .usage(usage);
        // SAFETY: the create info is complete.
        let image = unsafe { self.device.create_image(&info, None) }.unwrap();
        // SAFETY: the image is the device's.
        let memory = unsafe { self.device.get_image_memory_requirements(image) };
        (memory.size, memory.memory_type_bits)
    }

    /// Memory types of a buffer.
    pub fn buffer_types(&self) -> u32 {
        let usage = vk::BufferUsageFlags::VERTEX_BUFFER;
        let info = vk::BufferCreateInfo::default().size(100).usage(usage);
        // SAFETY: the create info is complete.
        let buffer = unsafe { self.device.create_buffer(&info, None) }.unwrap();
        // SAFETY: the buffer is the device's.
        unsafe { self.device.get_buffer_memory_requirements(buffer) }.memory_type_bits
    }

    pub fn fence(&self) -> Result<vk::Fence, vk::Result> {
        // SAFETY: the create info is complete.
        unsafe { self.device.create_fence(&vk::FenceCreateInfo::default(), None) }
    }

    /// Names an object, which only a driver with VK_EXT_debug_utils hears of.
    pub fn name_object(&self) -> Result<(), vk::Result> {
        let loader = ash::ext::debug_utils::Device::new(&self.instance, &self.device);
        let fence = self.fence()?;
        let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(fence);
        // SAFETY: the fence is the device's.
        unsafe { loader.set_debug_utils_object_name(&info.object_name(c"name")) }
    }

    /// Calls a function that returns nothing.
    pub fn trim(&self) {
        let info = vk::CommandPoolCreateInfo::default();
        // SAFETY: the create info is complete.
        let pool = unsafe { self.device.create_command_pool(&info, None) }.unwrap();
        let flags = vk::CommandPoolTrimFlags::empty();
        // SAFETY: the pool is the device's.
        unsafe { self.device.trim_command_pool(pool, flags) };
    }

    pub fn destroy_fence(&self, fence: vk::Fence) {
        // SAFETY: the fence is the device's and used no more.
        unsafe { self.device.destroy_fence(fence, None) }
    }

    /// Allocates, frees and allocates a command buffer: both handles.
    pub fn command_buffer_twice(&self) -> (vk::CommandBuffer, vk::CommandBuffer) {
        let info = vk::CommandPoolCreateInfo::default();
        // SAFETY: the create info is complete.
        let pool = unsafe { self.device.create_command_pool(&info, None) }.unwrap();
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool);
        let info = info.command_buffer_count(1);
        // SAFETY: the pool is the device's.
        let first = unsafe { self.device.allocate_command_buffers(&info) }.unwrap();
        // SAFETY: the command buffer is the pool's and used no more.
        unsafe { self.device.free_command_buffers(pool, &first) };
        // SAFETY: the pool is the device's.
        let second = unsafe { self.device.allocate_command_buffers(&info) }.unwrap();
        (first[0], second[0])
    }

    pub fn event(&self) -> Result<vk::Event, vk::Result> {
        // SAFETY: the create info is complete.
        unsafe { self.device.create_event(&vk::EventCreateInfo::default(), None) }
    }

    /// Allocates with a handle that is not null beforehand.
    pub fn allocate_command_buffer(&self) -> (vk::Result, vk::CommandBuffer) {
        let info = vk::CommandPoolCreateInfo::default();
        // SAFETY: the create info is complete.
        let pool = unsafe { self.device.create_command_pool(&info, None) }.unwrap();
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool);
        let info = info.command_buffer_count(1);
        let mut buffer = vk::CommandBuffer::from_raw(1);
        let allocate = self.device.fp_v1_0().allocate_command_buffers;
        // SAFETY: there is room for the one command buffer.
        let result = unsafe { allocate(self.device.handle(), &info, &mut buffer) };
        (result, buffer)
    }

    fn queue(&self) -> vk::Queue {
        // SAFETY: the device has this queue.
        unsafe { self.device.get_device_queue(0, 0) }
    }

    /// Host-visible memory keeps what is written; other memory cannot be mapped.
    pub fn check_mapping(&self) {
        let allocate = |index| {
            let info =
                vk::MemoryAllocateInfo::default().allocation_size(4096).memory_type_index(index);
            // SAFETY: the memory type exists.
            unsafe { self.device.allocate_memory(&info, None) }.unwrap()
        };
        let flags = vk::MemoryMapFlags::empty();
        let memory = allocate(1);
        // SAFETY: the range lies in the allocation.
        let address = unsafe { self.device.map_memory(memory, 64, 128, flags) }.unwrap();
        assert_eq!(address.align_offset(64), 0);
        // SAFETY: 128 bytes are mapped there.
        unsafe { address.cast::<u8>().write_bytes(7, 128) };
        // SAFETY: the memory is mapped.
        unsafe { self.device.unmap_memory(memory) };
        // SAFETY: the range lies in the allocation.
        let again = unsafe { self.device.map_memory(memory, 0, 4096, flags) }.unwrap();
        // SAFETY: 4096 bytes are mapped there.
        let bytes = unsafe { std::slice::from_raw_parts(again.cast::<u8>(), 4096) };
        assert_eq!((bytes[63], bytes[64], bytes[191], bytes[192]), (0, 7, 7, 0));
        // SAFETY: the driver says no, whatever the range.
        let refused = unsafe { self.device.map_memory(allocate(0), 0, 4096, flags) };
        assert_eq!(refused, Err(vk::Result::ERROR_MEMORY_MAP_FAILED));
    }

    /// A fence is signalled by a submit and by nothing before.
    pub fn check_submission(&self) {
        let fence = self.fence().unwrap();
        // SAFETY: the fence is the device's.
        let status = || unsafe { self.device.get_fence_status(fence) };
        // SAFETY: as above.
        let wait = |timeout| unsafe { self.device.wait_for_fences(&[fence], true, timeout) };
        assert_eq!(status(), Ok(false));
        assert_eq!(wait(0), Err(vk::Result::TIMEOUT));
        // SAFETY: nothing is submitted but the fence.
        unsafe { self.device.queue_submit(self.queue(), &[], fence) }.unwrap();
        assert_eq!(status(), Ok(true));
        assert_eq!(wait(u64::MAX), Ok(()));
        // SAFETY: nothing waits for the fence.
        unsafe { self.device.reset_fences(&[fence]) }.unwrap();
        assert_eq!(status(), Ok(false));
    }

    /// A timeline semaphore counts submits, old and new.
    pub fn check_timeline(&self) {
        let mut kind = vk::SemaphoreTypeCreateInfo::default()
            .semaphore_type(vk::SemaphoreType::TIMELINE)
            .initial_value(5);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        // SAFETY: the create info is complete.
        let semaphore = unsafe { self.device.create_semaphore(&info, None) }.unwrap();
        // SAFETY: the semaphore is the device's.
        let value = || unsafe { self.device.get_semaphore_counter_value(semaphore) }.unwrap();
        assert_eq!(value(), 5);
        let semaphores = [semaphore];
        let mut values = vk::TimelineSemaphoreSubmitInfo::default().signal_semaphore_values(&[7]);
        let submit =
            vk::SubmitInfo::default().signal_semaphores(&semaphores).push_next(&mut values);
        // SAFETY: the submit is complete.
        unsafe { self.device.queue_submit(self.queue(), &[submit], vk::Fence::null()) }.unwrap();
        assert_eq!(value(), 7);
        let infos = [vk::SemaphoreSubmitInfo::default().semaphore(semaphore).value(9)];
        let submit = vk::SubmitInfo2::default().signal_semaphore_infos(&infos);
        // SAFETY: the submit is complete.
        unsafe { self.device.queue_submit2(self.queue(), &[submit], vk::Fence::null()) }.unwrap();
        assert_eq!(value(), 9);
        let wait = vk::SemaphoreWaitInfo::default().semaphores(&semaphores);
        let (reached, early) = (wait.values(&[9]), wait.values(&[10]));
        // SAFETY: the semaphore is the device's.
        assert_eq!(unsafe { self.device.wait_semaphores(&reached, u64::MAX) }, Ok(()));
        // SAFETY: as above.
        let late = unsafe { self.device.wait_semaphores(&early, 0) };
        assert_eq!(late, Err(vk::Result::TIMEOUT));
    }

    /// Timestamps grow, so that differences of them are not 0.
    pub fn check_queries(&self) {
        let info =
            vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(2);
        // SAFETY: the create info is complete.
        let pool = unsafe { self.device.create_query_pool(&info, None) }.unwrap();
        let mut values = [[0_u64; 2]; 2];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WITH_AVAILABILITY;
        // SAFETY: there is room for the pool's two queries.
        unsafe { self.device.get_query_pool_results(pool, 0, &mut values, flags) }.unwrap();
        assert_eq!(values, [[1, 1], [2, 1]]);
    }

    /// Acquires and presents so many images of a headless surface: which, and whether the present
    /// was suboptimal.
    pub fn present_frames(&self, frames: u32) -> Vec<(u32, Result<bool, vk::Result>)> {
        let headless = ash::ext::headless_surface::Instance::new(&self.entry, &self.instance);
        let info = vk::HeadlessSurfaceCreateInfoEXT::default();
        // SAFETY: the instance has the extension.
        let surface = unsafe { headless.create_headless_surface(&info, None) }.unwrap();
        let loader = ash::khr::swapchain::Device::new(&self.instance, &self.device);
        let info = vk::SwapchainCreateInfoKHR::default()
            .surface(surface)
            .min_image_count(2)
            .image_format(vk::Format::B8G8R8A8_UNORM)
            .image_extent(vk::Extent2D { width: 64, height: 64 })
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::COLOR_ATTACHMENT);
        // SAFETY: the create info is complete.
        let swapchain = unsafe { loader.create_swapchain(&info, None) }.unwrap();
        // SAFETY: the swapchain is the device's.
        let images = unsafe { loader.get_swapchain_images(swapchain) }.unwrap();
        assert_eq!(images.len(), 3);
        // SAFETY: the image is the device's.
        let memory = unsafe { self.device.get_image_memory_requirements(images[0]) };
        assert_eq!(memory.size, 64 * 64 * 4);
        let frame = |_| {
            let fence = self.fence().unwrap();
            let semaphore = vk::Semaphore::null();
            // SAFETY: the swapchain and the fence are the device's.
            let acquired =
                unsafe { loader.acquire_next_image(swapchain, u64::MAX, semaphore, fence) };
            // SAFETY: the fence is the device's.
            assert_eq!(unsafe { self.device.get_fence_status(fence) }, Ok(true));
            let (swapchains, indices) = ([swapchain], [acquired.unwrap().0]);
            let info =
                vk::PresentInfoKHR::default().swapchains(&swapchains).image_indices(&indices);
            // SAFETY: the image was acquired.
            (indices[0], unsafe { loader.queue_present(self.queue(), &info) })
        };
        (0..frames).map(frame).collect()
    }
}
