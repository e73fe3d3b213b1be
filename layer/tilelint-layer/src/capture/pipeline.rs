//! Shaders and pipelines.

use super::render_pass::has_unknown;
use super::state::viewport_texels;
use super::{DeviceCapture, text};
use crate::ffi::read::View;
use crate::ffi::views::PipelineParts;
use ash::vk::{self, Handle};
use std::sync::atomic::{AtomicU64, Ordering};
use tilelint::call::{
    BlendState, Call, PipelineInfo, PipelineKey, PipelineLayoutKey, RenderPassKey, ShaderInfo,
    ShaderKey, StencilFace,
};

impl DeviceCapture {
    /// `vkCreateShaderModule`.
    pub(crate) fn shader_module(
        &self,
        module: vk::ShaderModule,
        info: View<'_, vk::ShaderModuleCreateInfo<'_>>,
    ) {
        self.module(ShaderKey(module.as_raw()), info);
    }

    fn module(&self, key: ShaderKey, info: View<'_, vk::ShaderModuleCreateInfo<'_>>) {
        self.emit(Call::Shader(
            key,
            Box::new(ShaderInfo {
                stage: vk::ShaderStageFlags::empty(),
                entry: "main".into(),
                file: "".into(),
                code: Some(self.codes.share(info.code())),
            }),
        ));
    }

    /// The module of a stage. One that stands in the stage's chain and has no handle becomes an
    /// object that is gone once the pipeline is made.
    fn module_of(
        &self,
        stage: View<'_, vk::PipelineShaderStageCreateInfo<'_>>,
        unnamed: &mut Vec<ShaderKey>,
    ) -> Option<ShaderKey> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        if !stage.module.is_null() {
            return Some(ShaderKey(stage.module.as_raw()));
        }
        let info = stage.next::<vk::ShaderModuleCreateInfo<'_>>()?;
        // Drivers count from the other end, or give addresses.
        let key = ShaderKey(u64::MAX - COUNT.fetch_add(1, Ordering::Relaxed));
        self.module(key, info);
        unnamed.push(key);
        Some(key)
    }

    fn made_pipeline(&self, pipeline: vk::Pipeline, info: PipelineInfo, unnamed: Vec<ShaderKey>) {
        self.emit(Call::Pipeline(PipelineKey(pipeline.as_raw()), Box::new(info)));
        unnamed.into_iter().for_each(|shader| self.emit(Call::Destroy(shader.into())));
    }

    /// `vkCreateShadersEXT`, one shader.
    pub(crate) fn shader(
        &self,
        shader: vk::ShaderEXT,
        info: View<'_, vk::ShaderCreateInfoEXT<'_>>,
    ) {
        self.emit(Call::Shader(
            ShaderKey(shader.as_raw()),
            Box::new(ShaderInfo {
                stage: info.stage,
                entry: text(info.entry()),
                file: "".into(),
                code: info.code().map(|code| self.codes.share(code)),
            }),
        ));
    }

    /// `vkCreateGraphicsPipelines`, one pipeline.
    pub(crate) fn graphics_pipeline(
        &self,
        pipeline: vk::Pipeline,
        info: View<'_, vk::GraphicsPipelineCreateInfo<'_>>,
    ) {
        let dynamic =
            info.dynamic().map_or_else(Vec::new, |list| list.states().as_slice().to_vec());
        let parts = self.parts(info, &dynamic);
        let mut result = PipelineInfo {
            layout: (!info.layout.is_null()).then(|| PipelineLayoutKey(info.layout.as_raw())),
            flags: info.flags,
            opaque: is_partial(info) || has_unknown(info, KNOWN_IN_PIPELINE),
            ..no_tests()
        };
        let unnamed = self.read_stages(info, &mut result);
        if !info.render_pass.is_null() {
            result.pass = Some(RenderPassKey(info.render_pass.as_raw()));
            result.subpass = info.subpass;
        } else if let Some(rendering) = info.next::<vk::PipelineRenderingCreateInfo<'_>>() {
            result.formats = rendering.formats().as_slice().to_vec();
            result.formats.push(rendering.depth_attachment_format);
            result.formats.push(rendering.stencil_attachment_format);
        }
        read_input(info, parts, &mut result);
        read_raster(info, parts, &dynamic, &mut result);
        read_output(info, parts, &mut result);
        // A render pass that was never seen leaves states unread that may hold.
        result.opaque |= !info.render_pass.is_null()
            && self.subpass_use(info.render_pass, info.subpass).is_none();
        if let Some(locations) = info.next::<vk::RenderingAttachmentLocationInfoKHR<'_>>() {
            result.color_locations = Some(locations.locations().as_slice().to_vec());
        }
        if let Some(indices) = info.next::<vk::RenderingInputAttachmentIndexInfoKHR<'_>>() {
            result.input_indices = Some(indices.indices().as_slice().to_vec());
        }
        result.dynamic = dynamic;
        self.made_pipeline(pipeline, result, unnamed);
    }

    /// `vkCreateComputePipelines`, one pipeline.
    pub(crate) fn compute_pipeline(
        &self,
        pipeline: vk::Pipeline,
        info: View<'_, vk::ComputePipelineCreateInfo<'_>>,
    ) {
        let mut unnamed = Vec::new();
        let module = self.module_of(info.stage(), &mut unnamed);
        let result = PipelineInfo {
            point: vk::PipelineBindPoint::COMPUTE,
            layout: Some(PipelineLayoutKey(info.layout.as_raw())),
            shaders: module.into_iter().collect(),
            stages: vk::ShaderStageFlags::COMPUTE,
            flags: info.flags,
            opaque: module.is_none(),
            ..no_tests()
        };
        self.made_pipeline(pipeline, result, unnamed);
    }

    /// A pipeline whose create-info is not read (ray tracing and the like).
    pub(crate) fn other_pipeline(&self, pipeline: vk::Pipeline, point: vk::PipelineBindPoint) {
        let info = PipelineInfo { point, opaque: true, ..PipelineInfo::default() };
        self.emit(Call::Pipeline(PipelineKey(pipeline.as_raw()), Box::new(info)));
    }

    /// Returns which states of the create-info are not ignored.
    fn parts(
        &self,
        info: View<'_, vk::GraphicsPipelineCreateInfo<'_>>,
        dynamic: &[vk::DynamicState],
    ) -> PipelineParts {
        let library = info.next::<vk::GraphicsPipelineLibraryCreateInfoEXT<'_>>();
        let is_linked = info.next::<vk::PipelineLibraryCreateInfoKHR<'_>>().is_some();
        let has = |part| match library {
            Some(library) => library.flags.contains(part),
            // Without the structure, a pipeline made of libraries has no state of its own.
            None => !is_linked,
        };
        let stages = info
            .stages()
            .iter()
            .fold(vk::ShaderStageFlags::empty(), |all, stage| all | stage.stage);
        let pre_rasterization = has(vk::GraphicsPipelineLibraryFlagsEXT::PRE_RASTERIZATION_SHADERS);
        let fragment = has(vk::GraphicsPipelineLibraryFlagsEXT::FRAGMENT_SHADER);
        let output = has(vk::GraphicsPipelineLibraryFlagsEXT::FRAGMENT_OUTPUT_INTERFACE);
        let mut parts = PipelineParts {
            vertex_input: has(vk::GraphicsPipelineLibraryFlagsEXT::VERTEX_INPUT_INTERFACE)
                && !stages.contains(vk::ShaderStageFlags::MESH_EXT)
                && !dynamic.contains(&vk::DynamicState::VERTEX_INPUT_EXT),
            pre_rasterization,
            depth_stencil: false,
            multisample: output,
            color_blend: false,
            viewport: pre_rasterization,
        };
        let discards = info.rasterization(parts).is_some_and(|state| {
            state.rasterizer_discard_enable != 0
                && !dynamic.contains(&vk::DynamicState::RASTERIZER_DISCARD_ENABLE)
        });
        if discards {
            return PipelineParts { multisample: false, viewport: false, ..parts };
        }
        let (has_color, has_depth) = self.uses(info);
        parts.depth_stencil = fragment && has_depth;
        parts.color_blend = output && has_color;
        parts
    }

    /// Returns whether the pipeline's subpass has colour and depth attachments. Where that is not
    /// known, states that might be ignored are not read.
    fn uses(&self, info: View<'_, vk::GraphicsPipelineCreateInfo<'_>>) -> (bool, bool) {
        if !info.render_pass.is_null() {
            let subpass = self.subpass_use(info.render_pass, info.subpass);
            return subpass.map_or((false, false), |used| (used.has_color, used.has_depth));
        }
        let rendering = info.next::<vk::PipelineRenderingCreateInfo<'_>>();
        rendering.map_or((false, false), |rendering| {
            let has_depth = rendering.depth_attachment_format != vk::Format::UNDEFINED
                || rendering.stencil_attachment_format != vk::Format::UNDEFINED;
            (rendering.color_attachment_count > 0, has_depth)
        })
    }

    fn read_stages(
        &self,
        info: View<'_, vk::GraphicsPipelineCreateInfo<'_>>,
        result: &mut PipelineInfo,
    ) -> Vec<ShaderKey> {
        let mut unnamed = Vec::new();
        for stage in info.stages().iter() {
            result.stages |= stage.stage;
            match self.module_of(stage, &mut unnamed) {
                Some(shader) => result.shaders.push(shader),
                // Only its identifier is known.
                None => result.opaque |= stage.stage.contains(vk::ShaderStageFlags::FRAGMENT),
            }
        }
        unnamed
    }
}

/// What may be chained to a pipeline without hiding what it does to attachments.
const KNOWN_IN_PIPELINE: &[vk::StructureType] = &[
    vk::StructureType::PIPELINE_RENDERING_CREATE_INFO,
    vk::StructureType::PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
    vk::StructureType::PIPELINE_FRAGMENT_SHADING_RATE_STATE_CREATE_INFO_KHR,
    vk::StructureType::PIPELINE_DISCARD_RECTANGLE_STATE_CREATE_INFO_EXT,
    vk::StructureType::PIPELINE_ROBUSTNESS_CREATE_INFO_EXT,
    vk::StructureType::RENDERING_ATTACHMENT_LOCATION_INFO_KHR,
    vk::StructureType::RENDERING_INPUT_ATTACHMENT_INDEX_INFO_KHR,
    vk::StructureType::PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR,
];

/// Says whether a pipeline is a library or made of libraries.
fn is_partial(info: View<'_, vk::GraphicsPipelineCreateInfo<'_>>) -> bool {
    info.flags.contains(vk::PipelineCreateFlags::LIBRARY_KHR)
        || info.next::<vk::PipelineLibraryCreateInfoKHR<'_>>().is_some()
        || info.next::<vk::GraphicsPipelineLibraryCreateInfoEXT<'_>>().is_some()
}

/// A pipeline whose states are all off until they are read.
fn no_tests() -> PipelineInfo {
    PipelineInfo { depth_test: false, depth_write: false, ..PipelineInfo::default() }
}

fn read_input(
    info: View<'_, vk::GraphicsPipelineCreateInfo<'_>>,
    parts: PipelineParts,
    result: &mut PipelineInfo,
) {
    if let Some(input) = info.vertex_input(parts) {
        result.vertex_bindings = input.bindings().as_slice().len() as u32;
    }
    if let Some(assembly) = info.input_assembly(parts) {
        result.topology = assembly.topology;
    }
}

fn read_raster(
    info: View<'_, vk::GraphicsPipelineCreateInfo<'_>>,
    parts: PipelineParts,
    dynamic: &[vk::DynamicState],
    result: &mut PipelineInfo,
) {
    let is_dynamic = |states: &[vk::DynamicState]| states.iter().any(|s| dynamic.contains(s));
    if let Some(raster) = info.rasterization(parts) {
        result.rasterizer_discard = raster.rasterizer_discard_enable != 0;
    }
    if let Some(viewport) = info.viewport(parts) {
        let states = [vk::DynamicState::VIEWPORT, vk::DynamicState::VIEWPORT_WITH_COUNT];
        if let [one] = viewport.viewports(is_dynamic(&states)) {
            result.viewport = Some(viewport_texels(one));
        }
        let states = [vk::DynamicState::SCISSOR, vk::DynamicState::SCISSOR_WITH_COUNT];
        if let [one] = viewport.scissors(is_dynamic(&states)) {
            result.scissor = Some(*one);
        }
    }
    if let Some(multisample) = info.multisample(parts) {
        result.samples = multisample.rasterization_samples.as_raw();
        if !dynamic.contains(&vk::DynamicState::SAMPLE_MASK_EXT) {
            result.sample_mask = multisample.sample_mask();
        }
        result.alpha_to_coverage = multisample.alpha_to_coverage_enable != 0;
        result.sample_shading = multisample.sample_shading_enable != 0;
    }
}

fn read_output(
    info: View<'_, vk::GraphicsPipelineCreateInfo<'_>>,
    parts: PipelineParts,
    result: &mut PipelineInfo,
) {
    if let Some(depth) = info.depth_stencil(parts) {
        result.depth_test = depth.depth_test_enable != 0;
        result.depth_write = depth.depth_write_enable != 0;
        result.depth_compare = depth.depth_compare_op;
        result.depth_bounds = depth.depth_bounds_test_enable != 0;
        result.stencil_test = depth.stencil_test_enable != 0;
        result.stencil = [face(&depth.front), face(&depth.back)];
    }
    if let Some(blend) = info.color_blend(parts) {
        result.logic_op = (blend.logic_op_enable != 0).then_some(blend.logic_op);
        let state = |state: &vk::PipelineColorBlendAttachmentState| BlendState {
            enable: state.blend_enable != 0,
            write_mask: state.color_write_mask,
        };
        result.blend = blend.attachments().as_slice().iter().map(state).collect();
    }
}

fn face(state: &vk::StencilOpState) -> StencilFace {
    StencilFace {
        fail: state.fail_op,
        pass: state.pass_op,
        depth_fail: state.depth_fail_op,
        compare: state.compare_op,
        write_mask: state.write_mask,
    }
}
