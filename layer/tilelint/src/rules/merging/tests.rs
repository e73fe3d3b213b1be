//! Own-pixel reads that the shaders' code proves or refutes.

use std::sync::Arc;

use ash::vk;

use crate::call::{Call, listing};
use crate::config::Config;
use crate::finding::{Finding, Level};
use crate::lint::lint;
use crate::spirv::tests::asm::module;

const VERTEX: &str = "
    %i = OpLoad %int %index
    %shifted = OpShiftLeftLogical %int %i %1
    %ux = OpBitwiseAnd %int %shifted %2
    %uy = OpBitwiseAnd %int %i %2
    %x = OpConvertSToF %float %ux
    %y = OpConvertSToF %float %uy
    %out = OpCompositeConstruct %vec2 %x %y
    %scaled = OpVectorTimesScalar %vec2 %out %2f
    %minus = OpCompositeConstruct %vec2 %-1f %-1f
    %xy = OpFAdd %vec2 %scaled %minus
    %position = OpCompositeConstruct %vec4 %xy %0f %1f
    OpStore %place %position
    OpStore %uv %out";

const OWN_PIXEL: &str = "
    %coord = OpLoad %vec4 %frag_coord
    %coord_xy = OpVectorShuffle %vec2 %coord %coord 0 1
    %at = OpConvertFToS %ivec2 %coord_xy
    %loaded = OpLoad %tex %image
    %texel = OpImageFetch %vec4 %loaded %at Lod %0
    OpStore %colour %texel";

const FIRST_TEXEL: &str = "
    %at = OpCompositeConstruct %ivec2 %0 %0
    %loaded = OpLoad %tex %image
    %texel = OpImageFetch %vec4 %loaded %at Lod %0
    OpStore %colour %texel";

const SAMPLED_UV: &str = "
    %at = OpLoad %vec2 %uv_in
    %loaded = OpLoad %combined %texture
    %texel = OpImageSampleImplicitLod %vec4 %loaded %at
    OpStore %colour %texel";

fn vertex() -> Vec<u32> {
    module(
        "OpEntryPoint Vertex %main \"main\" %index %place %uv
         OpDecorate %index BuiltIn VertexIndex
         OpDecorate %place BuiltIn Position
         OpDecorate %uv Location 1",
        &format!(
            "%index = OpVariable %in_int Input
             %place = OpVariable %out_vec4 Output
             %uv = OpVariable %out_vec2 Output
             %main = OpFunction %void None %to_void
             %start = OpLabel
             {VERTEX}
             OpReturn
             OpFunctionEnd"
        ),
    )
}

fn fragment(body: &str) -> Vec<u32> {
    module(
        "OpEntryPoint Fragment %main \"main\" %frag_coord %uv_in %colour
         OpExecutionMode %main OriginUpperLeft
         OpDecorate %frag_coord BuiltIn FragCoord
         OpDecorate %uv_in Location 1
         OpDecorate %colour Location 0
         OpDecorate %image DescriptorSet 0
         OpDecorate %image Binding 1
         OpDecorate %texture DescriptorSet 0
         OpDecorate %texture Binding 2",
        &format!(
            "%frag_coord = OpVariable %in_vec4 Input
             %uv_in = OpVariable %in_vec2 Input
             %colour = OpVariable %out_vec4 Output
             %image = OpVariable %in_tex UniformConstant
             %texture = OpVariable %in_combined UniformConstant
             %main = OpFunction %void None %to_void
             %start = OpLabel
             {body}
             OpReturn
             OpFunctionEnd"
        ),
    )
}

/// A pass that draws, and one that reads it with these shaders, by 3 vertices or another draw.
fn findings(body: &str, binding: u32, draw: &str) -> Vec<Finding> {
    let kind = if binding == 1 { "SAMPLED_IMAGE" } else { "COMBINED_IMAGE_SAMPLER" };
    let text = format!(
        "calls version=1\n\
         image scene format=R8G8B8A8_UNORM extent=1024x1024 usage=COLOR_ATTACHMENT|SAMPLED\n\
         view shown of=scene\n\
         sampler nearest min=NEAREST mag=NEAREST\n\
         swapchain screen format=R8G8B8A8_UNORM extent=1024x1024\n\
         shader corner file=corner.spv stage=VERTEX\n\
         shader paint file=paint.spv stage=FRAGMENT\n\
         set-layout one bindings={binding}:{kind}:FRAGMENT\n\
         pipeline-layout post sets=one\n\
         descriptor-set held layout=one\n\
         write held binding={binding} type={kind} images=shown:SHADER_READ_ONLY_OPTIMAL\n\
         pipeline last layout=post shaders=corner,paint depth_test=off depth_write=off\n\
         repeat 5\n\
         pass scene\n\
         attach scene load=CLEAR store=STORE\n\
         draw vertices=3600 times=100 pipeline=default\n\
         end\n\
         pass last\n\
         attach screen load=DONT_CARE store=STORE\n\
         bind-sets held layout=post\n\
         set viewport=0,0,1024,1024,0,1 scissor=1024x1024+0+0\n\
         {draw}\n\
         end\n\
         present screen\n\
         frame\n\
         end\n"
    );
    let mut listing = listing::parse(&text).expect("a listing");
    for entry in &mut listing.entries {
        if let Call::Shader(_, info) = &mut entry.call {
            let vertex_stage = info.stage == vk::ShaderStageFlags::VERTEX;
            let code = if vertex_stage { vertex() } else { fragment(body) };
            info.code = Some(Arc::from(code));
        }
    }
    let mut config = Config::default();
    config.take_targets(&listing.header, "test").expect("a target");
    let findings = lint(&listing, None, &config, None).judged.findings;
    findings.into_iter().filter(|finding| finding.rule == "separable-pass").collect()
}

#[test]
fn a_fetch_of_the_own_pixel_is_a_warning() {
    let found = findings(OWN_PIXEL, 1, "draw vertices=3 pipeline=last");
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].level, Level::Warn);
}

#[test]
fn a_draw_that_may_leave_pixels_out_is_told_as_information() {
    let found = findings(OWN_PIXEL, 1, "draw vertices=6 pipeline=last");
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].level, Level::Info);
}

#[test]
fn a_sample_at_full_screen_coordinates_is_told_as_information() {
    let found = findings(SAMPLED_UV, 2, "draw vertices=3 pipeline=last");
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].level, Level::Info);
    // Six vertices are no triangle over the target: the coordinate may be anything.
    assert!(findings(SAMPLED_UV, 2, "draw vertices=6 pipeline=last").is_empty());
}

#[test]
fn a_read_elsewhere_is_silent() {
    assert!(findings(FIRST_TEXEL, 1, "draw vertices=3 pipeline=last").is_empty());
}

#[test]
fn one_draw_that_reads_elsewhere_silences_all() {
    // The default pipeline's built-in shader is not known to stay at its pixel.
    let both = "draw vertices=3 pipeline=last\ndraw vertices=3600 pipeline=default";
    assert!(findings(OWN_PIXEL, 1, both).is_empty());
}
