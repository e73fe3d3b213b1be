//! A Vulkan program that is linked with the loader, and a frame with one mistake.
//!
//! Linking matters: the loader exports most of the names that the layer exports.

use ash::vk;
use ash::{Device, Entry, Instance};
use std::ffi::{CStr, c_char};

#[link(name = "vulkan")]
unsafe extern "system" {
    fn vkGetInstanceProcAddr(instance: vk::Instance, name: *const c_char)
    -> vk::PFN_vkVoidFunction;
}

/// The form in which a pass is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Rp1,
    Rp2,
    Rp2Khr,
    Dynamic,
    DynamicKhr,
}

/// An instance, a device and a queue.
pub struct World {
    pub entry: Entry,
    pub instance: Instance,
    pub physical: vk::PhysicalDevice,
    pub device: Device,
    pub queue: vk::Queue,
    pool: vk::CommandPool,
}

/// Returns the loader's functions, linked.
pub fn entry() -> Entry {
    // SAFETY: the linked function is the loader's.
    unsafe {
        Entry::from_static_fn(ash::StaticFn { get_instance_proc_addr: vkGetInstanceProcAddr })
    }
}

impl World {
    /// Makes one with these instance extensions and layers.
    pub fn new(extensions: &[&CStr], layers: &[&CStr]) -> World {
        World::with(&vk::InstanceCreateInfo::default(), extensions, layers)
    }

    /// Makes one with what `info` has chained.
    pub fn with(
        info: &vk::InstanceCreateInfo<'_>,
        extensions: &[&CStr],
        layers: &[&CStr],
    ) -> World {
        let entry = entry();
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let extensions: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
        let layers: Vec<_> = layers.iter().map(|name| name.as_ptr()).collect();
        let info = info
            .application_info(&application)
            .enabled_extension_names(&extensions)
            .enabled_layer_names(&layers);
        // SAFETY: the info is valid.
        let instance = unsafe { entry.create_instance(&info, None) }.unwrap();
        // SAFETY: the instance lives.
        let physical = unsafe { instance.enumerate_physical_devices() }.unwrap()[0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let mut features = vk::PhysicalDeviceVulkan13Features::default().dynamic_rendering(true);
        let names = [c"VK_KHR_create_renderpass2".as_ptr(), c"VK_KHR_dynamic_rendering".as_ptr()];
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&names)
            .push_next(&mut features);
        // SAFETY: the physical device lives.
        let device = unsafe { instance.create_device(physical, &info, None) }.unwrap();
        // SAFETY: the device lives.
        let queue = unsafe { device.get_device_queue(0, 0) };
        let info = vk::CommandPoolCreateInfo::default();
        // SAFETY: the device lives.
        let pool = unsafe { device.create_command_pool(&info, None) }.unwrap();
        World { entry, instance, physical, device, queue, pool }
    }

    /// Returns the names of the tools that watch the device.
    pub fn tools(&self) -> Vec<String> {
        tool_names(self.instance.fp_v1_3().get_physical_device_tool_properties, self.physical)
    }

    /// Returns the same by the extension's name, the only one that older tools know.
    pub fn tools_ext(&self) -> Vec<String> {
        let name = c"vkGetPhysicalDeviceToolPropertiesEXT";
        // SAFETY: the instance lives.
        let function =
            unsafe { self.entry.get_instance_proc_addr(self.instance.handle(), name.as_ptr()) };
        let function = function.expect("the layer has it");
        // SAFETY: the function has the type of its name.
        let function = unsafe {
            std::mem::transmute::<
                unsafe extern "system" fn(),
                vk::PFN_vkGetPhysicalDeviceToolProperties,
            >(function)
        };
        tool_names(function, self.physical)
    }

    /// A depth image with memory of its own, used by a pass that clears it and drops it again.
    pub fn depth(&self, format: vk::Format, extent: vk::Extent2D) -> Depth {
        self.depth_with(format, extent, self.depth_pass(format))
    }

    /// The same with a render pass of the newer call.
    pub fn depth_2(&self, format: vk::Format, extent: vk::Extent2D) -> Depth {
        self.depth_with(format, extent, self.depth_pass_2(format))
    }

    fn depth_with(&self, format: vk::Format, extent: vk::Extent2D, pass: vk::RenderPass) -> Depth {
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(extent.into())
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT);
        // SAFETY: the device lives.
        let image = unsafe { self.device.create_image(&info, None) }.unwrap();
        // SAFETY: the image lives.
        let needs = unsafe { self.device.get_image_memory_requirements(image) };
        let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size);
        // SAFETY: the device lives; type 0 is allowed for every image on the drivers used.
        let memory = unsafe { self.device.allocate_memory(&info, None) }.unwrap();
        // SAFETY: both live and fit.
        unsafe { self.device.bind_image_memory(image, memory, 0) }.unwrap();
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(vk::ImageAspectFlags::DEPTH)
            .level_count(1)
            .layer_count(1);
        let info = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(format)
            .subresource_range(range);
        // SAFETY: the image lives.
        let view = unsafe { self.device.create_image_view(&info, None) }.unwrap();
        let views = [view];
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(pass)
            .attachments(&views)
            .width(extent.width)
            .height(extent.height)
            .layers(1);
        // SAFETY: the pass and the view live.
        let framebuffer = unsafe { self.device.create_framebuffer(&info, None) }.unwrap();
        Depth { image, memory, view, pass, framebuffer, extent }
    }

    /// The same render pass by the newer call.
    fn depth_pass_2(&self, format: vk::Format) -> vk::RenderPass {
        let layout = vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
        let attachments = [vk::AttachmentDescription2::default()
            .format(format)
            .samples(vk::SampleCountFlags::TYPE_1)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::DONT_CARE)
            .stencil_load_op(vk::AttachmentLoadOp::DONT_CARE)
            .stencil_store_op(vk::AttachmentStoreOp::DONT_CARE)
            .final_layout(layout)];
        let reference = vk::AttachmentReference2::default().attachment(0).layout(layout);
        let subpasses = [vk::SubpassDescription2::default().depth_stencil_attachment(&reference)];
        let info =
            vk::RenderPassCreateInfo2::default().attachments(&attachments).subpasses(&subpasses);
        // SAFETY: the device lives.
        unsafe { self.device.create_render_pass2(&info, None) }.unwrap()
    }

    fn depth_pass(&self, format: vk::Format) -> vk::RenderPass {
        let layout = vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
        let attachments = [vk::AttachmentDescription::default()
            .format(format)
            .samples(vk::SampleCountFlags::TYPE_1)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::DONT_CARE)
            .stencil_load_op(vk::AttachmentLoadOp::DONT_CARE)
            .stencil_store_op(vk::AttachmentStoreOp::DONT_CARE)
            .final_layout(layout)];
        let reference = vk::AttachmentReference::default().attachment(0).layout(layout);
        let subpasses = [vk::SubpassDescription::default().depth_stencil_attachment(&reference)];
        let info =
            vk::RenderPassCreateInfo::default().attachments(&attachments).subpasses(&subpasses);
        // SAFETY: the device lives.
        unsafe { self.device.create_render_pass(&info, None) }.unwrap()
    }

    /// Records and submits the pass `n_frames` times.
    pub fn frames(&self, depth: &Depth, n_frames: usize) {
        self.frames_as(Form::Rp1, depth, n_frames);
    }

    /// The same in the given form.
    pub fn frames_as(&self, form: Form, depth: &Depth, n_frames: usize) {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .command_buffer_count(1);
        // SAFETY: the pool lives.
        let buffer = unsafe { self.device.allocate_command_buffers(&info) }.unwrap()[0];
        let begin = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::SIMULTANEOUS_USE);
        // SAFETY: this thread has the command buffer to itself.
        unsafe { self.device.begin_command_buffer(buffer, &begin) }.unwrap();
        if matches!(form, Form::Dynamic | Form::DynamicKhr) {
            self.record_rendering(form, buffer, depth);
        } else {
            self.record_pass(form, buffer, depth);
        }
        // SAFETY: as above.
        unsafe { self.device.end_command_buffer(buffer) }.unwrap();
        let buffers = [buffer];
        let submits = [vk::SubmitInfo::default().command_buffers(&buffers)];
        for _ in 0..n_frames {
            // SAFETY: the command buffer may be pending several times.
            unsafe { self.device.queue_submit(self.queue, &submits, vk::Fence::null()) }.unwrap();
        }
        // SAFETY: the queue lives.
        unsafe { self.device.queue_wait_idle(self.queue) }.unwrap();
    }

    fn record_pass(&self, form: Form, buffer: vk::CommandBuffer, depth: &Depth) {
        let clears = [CLEAR];
        let info = vk::RenderPassBeginInfo::default()
            .render_pass(depth.pass)
            .framebuffer(depth.framebuffer)
            .render_area(depth.extent.into())
            .clear_values(&clears);
        let subpass = vk::SubpassBeginInfo::default();
        let end = vk::SubpassEndInfo::default();
        let khr = ash::khr::create_renderpass2::Device::new(&self.instance, &self.device);
        match form {
            Form::Rp2 => {
                // SAFETY: the command buffer is being recorded; the objects live.
                unsafe { self.device.cmd_begin_render_pass2(buffer, &info, &subpass) };
                // SAFETY: as above.
                unsafe { self.device.cmd_end_render_pass2(buffer, &end) };
            }
            Form::Rp2Khr => {
                // SAFETY: as above.
                unsafe { khr.cmd_begin_render_pass2(buffer, &info, &subpass) };
                // SAFETY: as above.
                unsafe { khr.cmd_end_render_pass2(buffer, &end) };
            }
            _ => {
                let inline = vk::SubpassContents::INLINE;
                // SAFETY: as above.
                unsafe { self.device.cmd_begin_render_pass(buffer, &info, inline) };
                // SAFETY: as above.
                unsafe { self.device.cmd_end_render_pass(buffer) };
            }
        }
    }

    fn record_rendering(&self, form: Form, buffer: vk::CommandBuffer, depth: &Depth) {
        let attachment = vk::RenderingAttachmentInfo::default()
            .image_view(depth.view)
            .image_layout(vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::DONT_CARE)
            .clear_value(CLEAR);
        let info = vk::RenderingInfo::default()
            .render_area(depth.extent.into())
            .layer_count(1)
            .depth_attachment(&attachment);
        let khr = ash::khr::dynamic_rendering::Device::new(&self.instance, &self.device);
        if form == Form::Dynamic {
            // SAFETY: the command buffer is being recorded; the view lives.
            unsafe { self.device.cmd_begin_rendering(buffer, &info) };
            // SAFETY: as above.
            unsafe { self.device.cmd_end_rendering(buffer) };
        } else {
            // SAFETY: as above.
            unsafe { khr.cmd_begin_rendering(buffer, &info) };
            // SAFETY: as above.
            unsafe { khr.cmd_end_rendering(buffer) };
        }
    }

    /// Destroys everything.
    pub fn destroy(self, depths: Vec<Depth>) {
        for depth in depths {
            // SAFETY: nothing uses it any more.
            unsafe { self.device.destroy_framebuffer(depth.framebuffer, None) };
            // SAFETY: as above.
            unsafe { self.device.destroy_render_pass(depth.pass, None) };
            // SAFETY: as above.
            unsafe { self.device.destroy_image_view(depth.view, None) };
            // SAFETY: as above.
            unsafe { self.device.destroy_image(depth.image, None) };
            // SAFETY: as above.
            unsafe { self.device.free_memory(depth.memory, None) };
        }
        // SAFETY: nothing uses it any more.
        unsafe { self.device.destroy_command_pool(self.pool, None) };
        // SAFETY: all its objects are gone.
        unsafe { self.device.destroy_device(None) };
        // SAFETY: its device is gone.
        unsafe { self.instance.destroy_instance(None) };
    }
}

fn tool_names(
    list: vk::PFN_vkGetPhysicalDeviceToolProperties,
    physical: vk::PhysicalDevice,
) -> Vec<String> {
    let mut count = 0;
    // SAFETY: asks for the count only.
    let result = unsafe { list(physical, &mut count, std::ptr::null_mut()) };
    assert_eq!(result, vk::Result::SUCCESS);
    let mut tools = vec![vk::PhysicalDeviceToolProperties::default(); count as usize];
    // SAFETY: there is as much room as is said.
    let result = unsafe { list(physical, &mut count, tools.as_mut_ptr()) };
    assert_eq!(result, vk::Result::SUCCESS);
    let name = |tool: &vk::PhysicalDeviceToolProperties<'_>| {
        tool.name_as_c_str().unwrap().to_string_lossy().into_owned()
    };
    tools.iter().map(name).collect()
}

const CLEAR: vk::ClearValue =
    vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth: 1.0, stencil: 0 } };

/// A depth attachment and its pass.
pub struct Depth {
    pub image: vk::Image,
    memory: vk::DeviceMemory,
    view: vk::ImageView,
    pass: vk::RenderPass,
    framebuffer: vk::Framebuffer,
    extent: vk::Extent2D,
}
