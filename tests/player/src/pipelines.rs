//! Shaders and pipelines; what a pipeline does not bring along is built in.

use std::ffi::CString;

use ash::vk;
use tilelint::call::*;
use tilelint::format::{self, Numeric};

use crate::error::{Done, Error};
use crate::gpu::{api, c_string};
use crate::memory::samples;
use crate::player::{Pipeline, Player};
use crate::spirv::{self, Scalar};
use crate::uses;

/// The type of a fragment output, or of what is read, for a format.
pub(crate) fn scalar(of: vk::Format) -> Scalar {
    match format::numeric(of) {
        Some(Numeric::Sint) => Scalar::Int,
        Some(Numeric::Uint) => Scalar::Uint,
        _ => Scalar::Float,
    }
}

/// One shader stage.
struct Stage {
    stage: vk::ShaderStageFlags,
    module: vk::ShaderModule,
    entry: CString,
    /// Made for this pipeline alone.
    built_in: bool,
}

/// What a pipeline renders to.
#[derive(Default)]
struct Targets {
    colors: Vec<vk::Format>,
    depth: vk::Format,
    stencil: vk::Format,
    pass: vk::RenderPass,
}

fn single_stages(all: vk::ShaderStageFlags) -> Vec<vk::ShaderStageFlags> {
    let bits = (0..32).map(|bit| vk::ShaderStageFlags::from_raw(1 << bit));
    bits.filter(|bit| all.contains(*bit)).collect()
}

fn face(face: &StencilFace) -> vk::StencilOpState {
    vk::StencilOpState {
        fail_op: face.fail,
        pass_op: face.pass,
        depth_fail_op: face.depth_fail,
        compare_op: face.compare,
        compare_mask: 0xff,
        write_mask: face.write_mask,
        reference: 0,
    }
}

impl Stage {
    fn create_info(&self) -> vk::PipelineShaderStageCreateInfo<'_> {
        vk::PipelineShaderStageCreateInfo::default()
            .stage(self.stage)
            .module(self.module)
            .name(&self.entry)
    }
}

fn multisample_state<'m>(
    info: &PipelineInfo,
    mask: &'m [u32; 2],
) -> vk::PipelineMultisampleStateCreateInfo<'m> {
    vk::PipelineMultisampleStateCreateInfo::default()
        .rasterization_samples(samples(info.samples))
        .sample_shading_enable(info.sample_shading)
        .min_sample_shading(if info.sample_shading { 1.0 } else { 0.0 })
        .sample_mask(&mask[..info.samples.div_ceil(32).max(1) as usize])
        .alpha_to_coverage_enable(info.alpha_to_coverage)
}

fn depth_state(info: &PipelineInfo) -> vk::PipelineDepthStencilStateCreateInfo<'static> {
    vk::PipelineDepthStencilStateCreateInfo::default()
        .depth_test_enable(info.depth_test)
        .depth_write_enable(info.depth_write)
        .depth_compare_op(info.depth_compare)
        .depth_bounds_test_enable(info.depth_bounds)
        .max_depth_bounds(1.0)
        .stencil_test_enable(info.stencil_test)
        .front(face(&info.stencil[0]))
        .back(face(&info.stencil[1]))
}

/// Viewport and scissor, where they are not dynamic.
fn area(info: &PipelineInfo) -> ([vk::Viewport; 1], [vk::Rect2D; 1]) {
    let [x, y, width, height] = info.viewport.unwrap_or([0, 0, 1, 1]).map(|v| v as f32);
    let one = vk::Extent2D { width: 1, height: 1 };
    let viewport = vk::Viewport { x, y, width, height, min_depth: 0.0, max_depth: 1.0 };
    ([viewport], [info.scissor.unwrap_or_else(|| one.into())])
}

impl Player<'_> {
    /// `vkCreateShaderModule`, from the file beside the listing.
    pub(crate) fn shader(&mut self, key: ShaderKey, info: &ShaderInfo, name: Option<&str>) -> Done {
        let words = match &info.code {
            Some(code) => code.to_vec(),
            None => {
                let path = self.folder.join(&*info.file);
                let bytes = std::fs::read(&path);
                let bytes = bytes.map_err(|e| Error::System(format!("{}: {e}", path.display())))?;
                let (words, rest) = bytes.as_chunks::<4>();
                if !rest.is_empty() || words.is_empty() {
                    return self.bad(format!("{} is not SPIR-V", path.display()));
                }
                words.iter().map(|word| u32::from_le_bytes(*word)).collect()
            }
        };
        let handle = self.module(&words)?;
        self.objects.shaders.insert(key, (handle, info.clone()));
        self.name(handle, name)
    }

    fn module(&self, words: &[u32]) -> Done<vk::ShaderModule> {
        let create = vk::ShaderModuleCreateInfo::default().code(words);
        let handle = api!(self.gpu.device.create_shader_module(&create, None));
        handle.map_err(self.failed("vkCreateShaderModule"))
    }

    /// The stages that the listing names.
    fn named_stages(&self, info: &PipelineInfo) -> Done<Vec<Stage>> {
        let mut stages = Vec::new();
        for key in &info.shaders {
            let (module, shader) = self.found("shader", self.objects.shaders.get(key))?;
            for stage in single_stages(shader.stage) {
                let entry = c_string(&shader.entry);
                stages.push(Stage { stage, module: *module, entry, built_in: false });
            }
        }
        Ok(stages)
    }

    fn stages(&self, info: &PipelineInfo, targets: &Targets, mesh: bool) -> Done<Vec<Stage>> {
        let mut stages = self.named_stages(info)?;
        let has = |stages: &[Stage], flag| stages.iter().any(|s| s.stage == flag);
        let mut wanted = info.stages;
        if info.topology == vk::PrimitiveTopology::PATCH_LIST {
            // Patches are for these alone.
            wanted |= vk::ShaderStageFlags::TESSELLATION_CONTROL;
            wanted |= vk::ShaderStageFlags::TESSELLATION_EVALUATION;
        }
        for mut stage in single_stages(wanted) {
            if mesh && stage == vk::ShaderStageFlags::VERTEX {
                stage = vk::ShaderStageFlags::MESH_EXT;
            }
            if has(&stages, stage) {
                continue;
            }
            let points = info.topology == vk::PrimitiveTopology::POINT_LIST;
            let words = match stage {
                vk::ShaderStageFlags::VERTEX => spirv::vertex(points),
                vk::ShaderStageFlags::FRAGMENT => {
                    let outputs: Vec<_> = targets
                        .colors
                        .iter()
                        .map(|f| (*f != vk::Format::UNDEFINED).then(|| scalar(*f)))
                        .collect();
                    spirv::fragment(&outputs, &uses::of(self, info, stage))
                }
                vk::ShaderStageFlags::TESSELLATION_CONTROL => spirv::tessellation().0,
                vk::ShaderStageFlags::TESSELLATION_EVALUATION => spirv::tessellation().1,
                vk::ShaderStageFlags::MESH_EXT => spirv::mesh(),
                vk::ShaderStageFlags::COMPUTE => spirv::compute(&uses::of(self, info, stage)),
                other => {
                    let message = format!("there is no built-in shader for {other:?}");
                    self.discard(&stages);
                    return self.bad(message);
                }
            };
            match self.module(&words) {
                Ok(module) => {
                    stages.push(Stage { stage, module, entry: c"main".to_owned(), built_in: true });
                }
                Err(error) => {
                    self.discard(&stages);
                    return Err(error);
                }
            }
        }
        Ok(stages)
    }

    fn discard(&self, stages: &[Stage]) {
        for stage in stages.iter().filter(|s| s.built_in) {
            api!(self.gpu.device.destroy_shader_module(stage.module, None));
        }
    }

    /// `vkCreateGraphicsPipelines` or `vkCreateComputePipelines`.
    pub(crate) fn pipeline(
        &mut self,
        key: PipelineKey,
        info: &PipelineInfo,
        name: Option<&str>,
    ) -> Done {
        if info.opaque {
            return self.bad("the pipeline holds a structure that is not known");
        }
        let layout = match info.layout {
            Some(key) => {
                let layout = self.objects.layouts.get(&key).map(|l| l.0);
                self.found("pipeline layout", layout)?
            }
            None => self.empty_layout()?,
        };
        let handle = self.make(key, info, layout, false)?;
        self.name(handle, name)?;
        // Mesh draws with the built-in shaders have a pipeline of their own.
        let vertex = info.stages.contains(vk::ShaderStageFlags::VERTEX);
        let mesh = match vertex && uses::draws_meshes(self, key) {
            true => self.make(key, info, layout, true)?,
            false => vk::Pipeline::null(),
        };
        let pipeline = Pipeline { handle, mesh, dynamic: info.dynamic.clone() };
        self.objects.pipelines.insert(key, pipeline);
        if mesh == vk::Pipeline::null() { Ok(()) } else { self.name(mesh, name) }
    }

    fn make(
        &self,
        key: PipelineKey,
        info: &PipelineInfo,
        layout: vk::PipelineLayout,
        mesh: bool,
    ) -> Done<vk::Pipeline> {
        match info.point {
            vk::PipelineBindPoint::GRAPHICS => {
                let targets = self.targets(info)?;
                let stages = self.stages(info, &targets, mesh)?;
                let instance = uses::instance_of(self, key);
                let made = self.graphics(info, layout, &stages, &targets, instance);
                self.discard(&stages);
                made
            }
            vk::PipelineBindPoint::COMPUTE => {
                let stages = self.stages(info, &Targets::default(), false)?;
                let made = self.compute(info, layout, &stages);
                self.discard(&stages);
                made
            }
            _ => self.bad("only graphics and compute pipelines can be made"),
        }
    }

    fn empty_layout(&mut self) -> Done<vk::PipelineLayout> {
        let create = vk::PipelineLayoutCreateInfo::default();
        let handle = api!(self.gpu.device.create_pipeline_layout(&create, None));
        let handle = handle.map_err(self.failed("vkCreatePipelineLayout"))?;
        self.objects.extra_layouts.push(handle);
        Ok(handle)
    }

    fn targets(&self, info: &PipelineInfo) -> Done<Targets> {
        let undefined = vk::Format::UNDEFINED;
        if let Some(key) = info.pass {
            let (pass, of) = self.found("render pass", self.objects.render_passes.get(&key))?;
            let subpass = self.found("subpass", of.subpasses.get(info.subpass as usize))?;
            let format = |r: &Option<AttachmentReference>| {
                let attachment = r.and_then(|r| of.attachments.get(r.attachment as usize));
                attachment.map_or(undefined, |a| a.format)
            };
            let colors = subpass.color.iter().map(format).collect();
            let depth = format(&subpass.depth);
            return Ok(Targets { colors, depth, stencil: depth, pass: *pass });
        }
        let count = info.formats.len().saturating_sub(2);
        let (colors, rest) = info.formats.split_at(count);
        Ok(Targets {
            colors: colors.to_vec(),
            depth: rest.first().copied().unwrap_or(undefined),
            stencil: rest.get(1).copied().unwrap_or(undefined),
            pass: vk::RenderPass::null(),
        })
    }

    fn compute(
        &self,
        info: &PipelineInfo,
        layout: vk::PipelineLayout,
        stages: &[Stage],
    ) -> Done<vk::Pipeline> {
        let Some(stage) = stages.first() else {
            return self.bad("a compute pipeline needs a shader");
        };
        let stage = stage.create_info();
        let create =
            vk::ComputePipelineCreateInfo::default().flags(info.flags).stage(stage).layout(layout);
        let cache = vk::PipelineCache::null();
        let made = api!(self.gpu.device.create_compute_pipelines(cache, &[create], None));
        match made {
            Ok(handles) => Ok(handles[0]),
            Err((_, result)) => Err(self.failed("vkCreateComputePipelines")(result)),
        }
    }

    fn graphics(
        &self,
        info: &PipelineInfo,
        layout: vk::PipelineLayout,
        stages: &[Stage],
        targets: &Targets,
        (views, flags): (u32, vk::PipelineCreateFlags),
    ) -> Done<vk::Pipeline> {
        let shaders: Vec<_> = stages.iter().map(Stage::create_info).collect();
        let binding = |b| vk::VertexInputBindingDescription::default().binding(b).stride(16);
        let bindings: Vec<_> = (0..info.vertex_bindings).map(binding).collect();
        let vertex = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(info.topology);
        let (ports, scissors) = area(info);
        let viewport =
            vk::PipelineViewportStateCreateInfo::default().viewports(&ports).scissors(&scissors);
        let raster = vk::PipelineRasterizationStateCreateInfo::default()
            .rasterizer_discard_enable(info.rasterizer_discard)
            .line_width(1.0);
        let mask = [info.sample_mask, info.sample_mask];
        let multisample = multisample_state(info, &mask);
        let depth = depth_state(info);
        let blends = blends(info, targets.colors.len());
        let blend = vk::PipelineColorBlendStateCreateInfo::default()
            .attachments(&blends)
            .logic_op_enable(info.logic_op.is_some())
            .logic_op(info.logic_op.unwrap_or(vk::LogicOp::COPY));
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&info.dynamic);
        let mut rendering = vk::PipelineRenderingCreateInfo::default()
            .view_mask(views)
            .color_attachment_formats(&targets.colors)
            .depth_attachment_format(targets.depth)
            .stencil_attachment_format(targets.stencil);
        let mut locations = vk::RenderingAttachmentLocationInfoKHR::default()
            .color_attachment_locations(info.color_locations.as_deref().unwrap_or_default());
        let mut inputs = vk::RenderingInputAttachmentIndexInfoKHR::default()
            .color_attachment_input_indices(info.input_indices.as_deref().unwrap_or_default());
        let patch = vk::PipelineTessellationStateCreateInfo::default().patch_control_points(3);
        let mut create = vk::GraphicsPipelineCreateInfo::default()
            .tessellation_state(&patch)
            .flags(info.flags | flags)
            .stages(&shaders)
            .vertex_input_state(&vertex)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&multisample)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(layout)
            .render_pass(targets.pass)
            .subpass(info.subpass);
        if info.pass.is_none() {
            create = create.push_next(&mut rendering);
        }
        if info.color_locations.is_some() {
            create = create.push_next(&mut locations);
        }
        if info.input_indices.is_some() {
            create = create.push_next(&mut inputs);
        }
        let cache = vk::PipelineCache::null();
        let made = api!(self.gpu.device.create_graphics_pipelines(cache, &[create], None));
        match made {
            Ok(handles) => Ok(handles[0]),
            Err((_, result)) => Err(self.failed("vkCreateGraphicsPipelines")(result)),
        }
    }
}

/// Blending of each colour attachment; a shorter list repeats its last entry.
fn blends(info: &PipelineInfo, count: usize) -> Vec<vk::PipelineColorBlendAttachmentState> {
    let usual = BlendState::default();
    let state = |index: usize| {
        let state = info.blend.get(index).or(info.blend.last()).unwrap_or(&usual);
        vk::PipelineColorBlendAttachmentState::default()
            .blend_enable(state.enable)
            .src_color_blend_factor(vk::BlendFactor::SRC_ALPHA)
            .dst_color_blend_factor(vk::BlendFactor::ONE_MINUS_SRC_ALPHA)
            .src_alpha_blend_factor(vk::BlendFactor::ONE)
            .dst_alpha_blend_factor(vk::BlendFactor::ONE_MINUS_SRC_ALPHA)
            .color_write_mask(state.write_mask)
    };
    (0..count).map(state).collect()
}
