//! What is drawn with: passes, targets, a pipeline and the images that it samples.

use ash::vk;
use tilelint_player::spirv::{self, Dim, Kind, Scalar, Shape, Use};

use super::gpu::{Gpu, whole};

pub const COLOR: vk::Format = vk::Format::R8G8B8A8_UNORM;
pub const DEPTH: vk::Format = vk::Format::D32_SFLOAT;
/// Width and height of the targets.
pub const SIDE: u32 = 1024;
/// Images that the pipeline samples.
pub const N_IMAGES: u32 = 16;
const N_MIPS: u32 = 5;

/// A pass's attachments and their framebuffer.
pub struct Target {
    pub pass: vk::RenderPass,
    pub framebuffer: vk::Framebuffer,
    images: [vk::Image; 2],
    views: [vk::ImageView; 2],
    memory: vk::DeviceMemory,
}

/// Everything that the loads use.
pub struct Scene {
    pub target: Target,
    pub pipelines: [vk::Pipeline; 2],
    pub layout: vk::PipelineLayout,
    pub sets: Vec<vk::DescriptorSet>,
    pub images: Vec<vk::Image>,
    views: Vec<vk::ImageView>,
    memory: vk::DeviceMemory,
    pub sampler: vk::Sampler,
    pub set_layout: vk::DescriptorSetLayout,
    /// Vertices, indices and parameters of draws.
    pub buffer: vk::Buffer,
    buffer_memory: vk::DeviceMemory,
    pool: vk::DescriptorPool,
}

fn attachment(format: vk::Format, layout: vk::ImageLayout) -> vk::AttachmentDescription {
    vk::AttachmentDescription::default()
        .format(format)
        .samples(vk::SampleCountFlags::TYPE_1)
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(vk::AttachmentStoreOp::STORE)
        .stencil_load_op(vk::AttachmentLoadOp::DONT_CARE)
        .stencil_store_op(vk::AttachmentStoreOp::DONT_CARE)
        .final_layout(layout)
}

/// A render pass that clears and stores colour and depth.
fn render_pass(gpu: &Gpu) -> vk::RenderPass {
    let color = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
    let depth = vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
    let attachments = [attachment(COLOR, color), attachment(DEPTH, depth)];
    let colors = [vk::AttachmentReference::default().attachment(0).layout(color)];
    let depth = vk::AttachmentReference::default().attachment(1).layout(depth);
    let subpass = vk::SubpassDescription::default()
        .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
        .color_attachments(&colors)
        .depth_stencil_attachment(&depth);
    let subpasses = [subpass];
    let info = vk::RenderPassCreateInfo::default().attachments(&attachments).subpasses(&subpasses);
    // SAFETY: the info is valid.
    unsafe { gpu.device.create_render_pass(&info, None) }.expect("a render pass")
}

impl Target {
    /// Makes new images, views, render pass and framebuffer.
    pub fn new(gpu: &Gpu) -> Target {
        let pass = render_pass(gpu);
        let images = [
            gpu.image(COLOR, SIDE, 1, vk::ImageUsageFlags::COLOR_ATTACHMENT),
            gpu.image(DEPTH, SIDE, 1, vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT),
        ];
        let memory = gpu.bind(&images);
        let views = [gpu.view(images[0], COLOR), gpu.view(images[1], DEPTH)];
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(pass)
            .attachments(&views)
            .width(SIDE)
            .height(SIDE)
            .layers(1);
        // SAFETY: the pass and the views live.
        let framebuffer = unsafe { gpu.device.create_framebuffer(&info, None) };
        let framebuffer = framebuffer.expect("a framebuffer");
        Target { pass, framebuffer, images, views, memory }
    }

    /// Destroys them; nothing uses them any more.
    pub fn destroy(self, gpu: &Gpu) {
        // SAFETY: nothing uses it any more.
        unsafe { gpu.device.destroy_framebuffer(self.framebuffer, None) };
        // SAFETY: as above.
        unsafe { gpu.device.destroy_render_pass(self.pass, None) };
        destroy_images(gpu, &self.images, &self.views, self.memory);
    }
}

/// Destroys images, their views and their memory; nothing uses them any more.
pub fn destroy_images(
    gpu: &Gpu,
    images: &[vk::Image],
    views: &[vk::ImageView],
    memory: vk::DeviceMemory,
) {
    for view in views {
        // SAFETY: nothing uses it any more.
        unsafe { gpu.device.destroy_image_view(*view, None) };
    }
    for image in images {
        // SAFETY: as above.
        unsafe { gpu.device.destroy_image(*image, None) };
    }
    // SAFETY: as above.
    unsafe { gpu.device.free_memory(memory, None) };
}

impl Scene {
    /// Makes everything.
    pub fn new(gpu: &Gpu) -> Scene {
        let usage = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST;
        let images: Vec<_> = (0..N_IMAGES).map(|_| gpu.image(COLOR, 256, N_MIPS, usage)).collect();
        let memory = gpu.bind(&images);
        let views: Vec<_> = images.iter().map(|image| gpu.view(*image, COLOR)).collect();
        // SAFETY: the info is valid.
        let sampler = unsafe { gpu.device.create_sampler(&Default::default(), None) };
        let sampler = sampler.expect("a sampler");
        let set_layout = set_layout(gpu);
        let (pool, sets) =
            descriptor_sets(gpu, set_layout, &[views.clone(), views.clone()], sampler);
        let layouts = [set_layout];
        let push =
            [vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::VERTEX).size(64)];
        let info = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(&layouts)
            .push_constant_ranges(&push);
        // SAFETY: the set's layout lives.
        let layout = unsafe { gpu.device.create_pipeline_layout(&info, None) };
        let layout = layout.expect("a layout");
        let target = Target::new(gpu);
        let pipelines = [(); 2].map(|()| pipeline(gpu, target.pass, layout));
        let (buffer, buffer_memory) = gpu.buffer();
        Scene {
            target,
            pipelines,
            layout,
            sets,
            images,
            views,
            memory,
            sampler,
            set_layout,
            buffer,
            buffer_memory,
            pool,
        }
    }

    /// Destroys everything.
    pub fn destroy(self, gpu: &Gpu) {
        for pipeline in self.pipelines {
            // SAFETY: nothing uses it any more.
            unsafe { gpu.device.destroy_pipeline(pipeline, None) };
        }
        // SAFETY: as above.
        unsafe { gpu.device.destroy_pipeline_layout(self.layout, None) };
        // SAFETY: as above.
        unsafe { gpu.device.destroy_descriptor_pool(self.pool, None) };
        // SAFETY: as above.
        unsafe { gpu.device.destroy_descriptor_set_layout(self.set_layout, None) };
        // SAFETY: as above.
        unsafe { gpu.device.destroy_sampler(self.sampler, None) };
        // SAFETY: as above.
        unsafe { gpu.device.destroy_buffer(self.buffer, None) };
        // SAFETY: as above.
        unsafe { gpu.device.free_memory(self.buffer_memory, None) };
        destroy_images(gpu, &self.images, &self.views, self.memory);
        self.target.destroy(gpu);
    }

    /// Barriers that bring all sampled images into the layout in which they are sampled.
    pub fn transitions(&self, old: vk::ImageLayout) -> Vec<vk::ImageMemoryBarrier<'static>> {
        let of = |image: &vk::Image| {
            vk::ImageMemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::SHADER_READ)
                .dst_access_mask(vk::AccessFlags::SHADER_READ)
                .old_layout(old)
                .new_layout(vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL)
                .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .image(*image)
                .subresource_range(whole(vk::ImageAspectFlags::COLOR))
        };
        self.images.iter().map(of).collect()
    }
}

fn set_layout(gpu: &Gpu) -> vk::DescriptorSetLayout {
    let binding = |at| {
        vk::DescriptorSetLayoutBinding::default()
            .binding(at)
            .descriptor_type(vk::DescriptorType::COMBINED_IMAGE_SAMPLER)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::FRAGMENT)
    };
    let bindings: Vec<_> = (0..N_IMAGES).map(binding).collect();
    let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
    // SAFETY: the info is valid.
    unsafe { gpu.device.create_descriptor_set_layout(&info, None) }.expect("a layout")
}

/// A pool with a set for each list of views, all of them sampled.
pub fn descriptor_sets(
    gpu: &Gpu,
    layout: vk::DescriptorSetLayout,
    lists: &[Vec<vk::ImageView>],
    sampler: vk::Sampler,
) -> (vk::DescriptorPool, Vec<vk::DescriptorSet>) {
    let n_sets = lists.len() as u32;
    let sizes = [vk::DescriptorPoolSize::default()
        .ty(vk::DescriptorType::COMBINED_IMAGE_SAMPLER)
        .descriptor_count(n_sets * N_IMAGES)];
    let info = vk::DescriptorPoolCreateInfo::default().max_sets(n_sets).pool_sizes(&sizes);
    // SAFETY: the info is valid.
    let pool = unsafe { gpu.device.create_descriptor_pool(&info, None) }.expect("a pool");
    let layouts = vec![layout; lists.len()];
    let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
    // SAFETY: the pool and the layout live.
    let sets = unsafe { gpu.device.allocate_descriptor_sets(&info) }.expect("the sets");
    let image = |view: &vk::ImageView| {
        vk::DescriptorImageInfo::default()
            .sampler(sampler)
            .image_view(*view)
            .image_layout(vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL)
    };
    for (set, views) in sets.iter().zip(lists) {
        let images: Vec<_> = views.iter().map(image).collect();
        let write = |(at, image)| {
            vk::WriteDescriptorSet::default()
                .dst_set(*set)
                .dst_binding(at)
                .descriptor_type(vk::DescriptorType::COMBINED_IMAGE_SAMPLER)
                .image_info(std::slice::from_ref(image))
        };
        let writes: Vec<_> = (0..).zip(&images).map(write).collect();
        // SAFETY: set, views and sampler live.
        unsafe { gpu.device.update_descriptor_sets(&writes, &[]) };
    }
    (pool, sets)
}

fn module(gpu: &Gpu, code: &[u32]) -> vk::ShaderModule {
    let info = vk::ShaderModuleCreateInfo::default().code(code);
    // SAFETY: the code is SPIR-V.
    unsafe { gpu.device.create_shader_module(&info, None) }.expect("a module")
}

/// A pipeline that samples every image.
pub fn pipeline(gpu: &Gpu, pass: vk::RenderPass, layout: vk::PipelineLayout) -> vk::Pipeline {
    let shape = Shape {
        dim: Dim::D2,
        arrayed: false,
        multisampled: false,
        scalar: Scalar::Float,
        format: 0,
    };
    let used = |binding| Use { set: 0, binding, count: 1, element: 0, kind: Kind::Combined(shape) };
    let uses: Vec<Use> = (0..N_IMAGES).map(used).collect();
    let vertex = module(gpu, &spirv::vertex(false));
    let fragment = module(gpu, &spirv::fragment(&[Some(Scalar::Float)], &uses));
    let stage = |flag, module| {
        vk::PipelineShaderStageCreateInfo::default().stage(flag).module(module).name(c"main")
    };
    let stages = [
        stage(vk::ShaderStageFlags::VERTEX, vertex),
        stage(vk::ShaderStageFlags::FRAGMENT, fragment),
    ];
    let input = vk::PipelineVertexInputStateCreateInfo::default();
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
        .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let side = SIDE as f32;
    let viewports = [vk::Viewport {
        x: 0.0,
        y: 0.0,
        width: side,
        height: side,
        min_depth: 0.0,
        max_depth: 1.0,
    }];
    let extent = vk::Extent2D { width: SIDE, height: SIDE };
    let scissors = [vk::Rect2D { offset: vk::Offset2D::default(), extent }];
    let viewport =
        vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
    let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
    let samples = vk::PipelineMultisampleStateCreateInfo::default()
        .rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let depth = vk::PipelineDepthStencilStateCreateInfo::default()
        .depth_test_enable(true)
        .depth_write_enable(true)
        .depth_compare_op(vk::CompareOp::LESS);
    let targets = [vk::PipelineColorBlendAttachmentState::default()
        .color_write_mask(vk::ColorComponentFlags::RGBA)];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&targets);
    let info = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&raster)
        .multisample_state(&samples)
        .depth_stencil_state(&depth)
        .color_blend_state(&blend)
        .layout(layout)
        .render_pass(pass);
    // SAFETY: everything that the info names lives.
    let made =
        unsafe { gpu.device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) };
    for module in [vertex, fragment] {
        // SAFETY: the pipeline keeps its own copy.
        unsafe { gpu.device.destroy_shader_module(module, None) };
    }
    made.expect("a pipeline")[0]
}
