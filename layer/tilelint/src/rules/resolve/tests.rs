//! What the shaders' code proves of multisampled depth and of input attachments.

use std::sync::Arc;

use crate::call::{Call, listing};
use crate::config::Config;
use crate::finding::{Confidence, Finding};
use crate::lint::lint;
use crate::spirv::tests::asm::module;

const PIXEL: &str = "
    %coord = OpLoad %vec4 %frag_coord
    %coord_xy = OpVectorShuffle %vec2 %coord %coord 0 1
    %pixel = OpConvertFToS %ivec2 %coord_xy
    %loaded = OpLoad %texms %depth";

fn fragment(body: &str) -> Vec<u32> {
    module(
        "OpEntryPoint Fragment %main \"main\" %frag_coord %sample_id %colour
         OpExecutionMode %main OriginUpperLeft
         OpDecorate %frag_coord BuiltIn FragCoord
         OpDecorate %sample_id BuiltIn SampleId
         OpDecorate %colour Location 0
         OpDecorate %depth DescriptorSet 0
         OpDecorate %depth Binding 1",
        &format!(
            "%frag_coord = OpVariable %in_vec4 Input
             %sample_id = OpVariable %in_int Input
             %colour = OpVariable %out_vec4 Output
             %depth = OpVariable %in_texms UniformConstant
             %main = OpFunction %void None %to_void
             %start = OpLabel
             {body}
             OpReturn
             OpFunctionEnd"
        ),
    )
}

/// What a rule says of a listing whose fragment shaders have this code.
fn findings(text: &str, body: Option<&str>, rule: &str) -> Vec<Finding> {
    let mut listing = listing::parse(text).expect("a listing");
    for entry in &mut listing.entries {
        if let Call::Shader(_, info) = &mut entry.call {
            info.code = body.map(|body| Arc::from(fragment(body)));
        }
    }
    let mut config = Config::default();
    config.take_targets(&listing.header, "test").expect("a target");
    let findings = lint(&listing, None, &config, None).judged.findings;
    findings.into_iter().filter(|finding| finding.rule == rule).collect()
}

/// A depth pass, and a pass that samples its depth with a shader of this code.
fn sampled(body: Option<&str>) -> Vec<Finding> {
    let text = "calls version=1 targets=generic-tiler\n\
         image depth_ms format=D32_SFLOAT extent=1024x1024 \
         usage=DEPTH_STENCIL_ATTACHMENT|SAMPLED samples=4\n\
         view shown of=depth_ms\n\
         swapchain screen format=R8G8B8A8_UNORM extent=1024x1024\n\
         shader fog file=fog.spv stage=FRAGMENT\n\
         set-layout one bindings=1:SAMPLED_IMAGE:FRAGMENT\n\
         pipeline-layout post sets=one\n\
         descriptor-set held layout=one\n\
         write held binding=1 type=SAMPLED_IMAGE images=shown:DEPTH_STENCIL_READ_ONLY_OPTIMAL\n\
         pipeline last layout=post shaders=fog depth_test=off depth_write=off\n\
         repeat 5\n\
         pass depth\n\
         attach depth_ms load=CLEAR store=STORE\n\
         draw vertices=3600 times=100 pipeline=default\n\
         end\n\
         pass fog\n\
         attach screen load=DONT_CARE store=STORE\n\
         bind-sets held layout=post\n\
         set viewport=0,0,1024,1024,0,1 scissor=1024x1024+0+0\n\
         draw vertices=3 pipeline=last\n\
         end\n\
         present screen\n\
         frame\n\
         end\n";
    findings(text, body, "missing-depth-resolve")
}

fn fetch(sample: &str) -> String {
    format!(
        "{PIXEL}
         %own = OpLoad %int %sample_id
         %texel = OpImageFetch %vec4 %loaded %pixel Sample {sample}
         OpStore %colour %texel"
    )
}

#[test]
fn sample_zero_is_certain() {
    let found = sampled(Some(&fetch("%0")));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].confidence, Confidence::Certain);
    // Three of four samples of 1024 x 1024 texels of 4 bytes.
    assert_eq!(found[0].cost.store_bytes, 3 << 22);
    assert_eq!(found[0].cost.load_bytes, 3 << 22);
}

#[test]
fn another_fixed_sample_is_likely() {
    let found = sampled(Some(&fetch("%2")));
    assert_eq!(found.iter().map(|f| f.confidence).collect::<Vec<_>>(), [Confidence::Likely]);
}

#[test]
fn samples_that_may_all_be_needed_are_silent() {
    assert!(sampled(Some(&fetch("%own"))).is_empty(), "the own sample");
    let two = format!(
        "{PIXEL}
         %first = OpImageFetch %vec4 %loaded %pixel Sample %0
         %second = OpImageFetch %vec4 %loaded %pixel Sample %1
         %sum = OpFAdd %vec4 %first %second
         OpStore %colour %sum"
    );
    assert!(sampled(Some(&two)).is_empty(), "two samples");
    let corner = "
         %at = OpCompositeConstruct %ivec2 %0 %0
         %loaded = OpLoad %texms %depth
         %texel = OpImageFetch %vec4 %loaded %at Sample %0
         OpStore %colour %texel";
    assert!(sampled(Some(corner)).is_empty(), "another pixel");
    assert!(sampled(None).is_empty(), "unknown code");
}

/// Draws to a multisampled attachment that is an input of the same subpass.
fn fetched(body: Option<&str>) -> Vec<Finding> {
    let text = "calls version=1 targets=generic-tiler\n\
         image scene_ms format=R8G8B8A8_UNORM extent=1024x1024 \
         usage=COLOR_ATTACHMENT|INPUT_ATTACHMENT|TRANSIENT_ATTACHMENT samples=4 memory=lazy\n\
         image eye format=R8G8B8A8_UNORM extent=1024x1024 usage=COLOR_ATTACHMENT memory=xr\n\
         shader glass file=glass.spv stage=FRAGMENT\n\
         pipeline-layout empty sets=none\n\
         pipeline drawn layout=empty shaders=glass samples=4\n\
         repeat 5\n\
         pass main\n\
         attach scene_ms load=CLEAR store=DONT_CARE as=color,input\n\
         attach eye load=DONT_CARE store=STORE as=resolve\n\
         subpass glass color=scene_ms:GENERAL input=scene_ms:GENERAL resolve=eye\n\
         draw vertices=600 times=10 pipeline=drawn\n\
         end\n\
         frame\n\
         end\n";
    findings(text, body, "msaa-framebuffer-fetch")
}

#[test]
fn a_shader_that_reads_no_input_attachment_fetches_nothing() {
    assert!(fetched(Some("OpStore %colour %grey")).is_empty());
    let unknown = fetched(None);
    assert_eq!(unknown.iter().map(|f| f.confidence).collect::<Vec<_>>(), [Confidence::Likely]);
}
