//! Where images are read.

use super::super::{ReadShape, SampleIndex, ShaderFacts};
use super::{PIXEL, fragment};

const FULLSCREEN_UV: ReadShape = ReadShape::OwnPixelIfFullscreenUv { location: 3, component: 0 };

/// Reads `%image` with `%texel = ...`.
fn fetch(extra: &str, place: &str, read: &str) -> ReadShape {
    let body = format!(
        "{place}
         %loaded = OpLoad %tex %image
         %texel = {read}
         OpStore %colour %texel"
    );
    shape(&fragment(extra, &body), 1)
}

/// Samples `%texture` with `%texel = ...`.
fn sample(extra: &str, place: &str, read: &str) -> ReadShape {
    let body = format!(
        "%sampled = OpLoad %combined %texture
         {place}
         %texel = {read}
         OpStore %colour %texel"
    );
    shape(&fragment(extra, &body), 2)
}

fn shape(facts: &ShaderFacts, binding: u32) -> ReadShape {
    assert!(!facts.opaque);
    assert!(facts.uses(0, binding));
    facts.reads(0, binding)
}

#[test]
fn fetch_at_frag_coord_is_the_own_pixel() {
    let read = "OpImageFetch %vec4 %loaded %pixel Lod %0";
    assert_eq!(fetch("", PIXEL, read), ReadShape::OwnPixel);
    let no_level = "OpImageFetch %vec4 %loaded %pixel";
    assert_eq!(fetch("", PIXEL, no_level), ReadShape::OwnPixel);
}

#[test]
fn fetch_at_rounded_down_frag_coord_is_the_own_pixel() {
    let place = "
        %coord = OpLoad %vec4 %frag_coord
        %floor = OpExtInst %vec4 %glsl Floor %coord
        %x = OpCompositeExtract %float %floor 0
        %y_at = OpAccessChain %in_float %frag_coord %1
        %y = OpLoad %float %y_at
        %ix = OpConvertFToS %int %x
        %iy = OpConvertFToS %int %y
        %place = OpCompositeConstruct %ivec2 %ix %iy";
    let extra = "%in_float = OpTypePointer Input %float";
    let read = "OpImageFetch %vec4 %loaded %place Lod %0";
    assert_eq!(fetch(extra, place, read), ReadShape::OwnPixel);
}

#[test]
fn fetch_elsewhere_is_other() {
    for place in [
        // Transposed.
        "%coord = OpLoad %vec4 %frag_coord
         %yx = OpVectorShuffle %vec2 %coord %coord 1 0
         %place = OpConvertFToS %ivec2 %yx",
        // Moved by one.
        &format!(
            "{PIXEL}
             %one = OpCompositeConstruct %ivec2 %1 %1
             %place = OpIAdd %ivec2 %pixel %one"
        ),
        // Scaled.
        "%coord = OpLoad %vec4 %frag_coord
         %xy = OpVectorShuffle %vec2 %coord %coord 0 1
         %smaller = OpVectorTimesScalar %vec2 %xy %half
         %place = OpConvertFToS %ivec2 %smaller",
        // From an input.
        "%from = OpLoad %vec2 %uv
         %place = OpConvertFToS %ivec2 %from",
    ] {
        let read = "OpImageFetch %vec4 %loaded %place Lod %0";
        assert_eq!(fetch("", place, read), ReadShape::Other, "{place}");
    }
}

#[test]
fn other_levels_and_offsets_are_other() {
    let extra = "%at = OpConstantComposite %ivec2 %1 %0
                 %level = OpSpecConstant %int 0";
    for read in [
        "OpImageFetch %vec4 %loaded %pixel Lod %1",
        "OpImageFetch %vec4 %loaded %pixel Lod %level",
        "OpImageFetch %vec4 %loaded %pixel ConstOffset %at",
        "OpImageFetch %vec4 %loaded %pixel 1048576 %at",
    ] {
        assert_eq!(fetch(extra, PIXEL, read), ReadShape::Other, "{read}");
    }
}

#[test]
fn local_variables_are_followed() {
    let place = format!(
        "%place_at = OpVariable %fn_ivec2 Function
         {PIXEL}
         OpStore %place_at %pixel
         %place = OpLoad %ivec2 %place_at"
    );
    let read = "OpImageFetch %vec4 %loaded %place Lod %0";
    assert_eq!(fetch("", &place, read), ReadShape::OwnPixel);
}

#[test]
fn a_variable_that_moves_is_other_even_if_it_moves_later() {
    let place = format!(
        "%place_at = OpVariable %fn_ivec2 Function
         {PIXEL}
         OpStore %place_at %pixel
         %place = OpLoad %ivec2 %place_at
         %x_at = OpAccessChain %fn_int %place_at %0
         OpStore %x_at %1"
    );
    let read = "OpImageFetch %vec4 %loaded %place Lod %0";
    assert_eq!(fetch("", &place, read), ReadShape::Other);
}

#[test]
fn a_variable_that_was_elsewhere_before_is_other() {
    let place = format!(
        "%place_at = OpVariable %fn_ivec2 Function
         {PIXEL}
         %one = OpCompositeConstruct %ivec2 %1 %1
         %beside = OpIAdd %ivec2 %pixel %one
         OpStore %place_at %beside
         OpStore %place_at %pixel
         %place = OpLoad %ivec2 %place_at"
    );
    let read = "OpImageFetch %vec4 %loaded %place Lod %0";
    assert_eq!(fetch("", &place, read), ReadShape::Other);
}

#[test]
fn a_variable_that_is_written_in_another_way_is_other() {
    let place = format!(
        "%place_at = OpVariable %fn_ivec2 Function
         %other_at = OpVariable %fn_ivec2 Function
         {PIXEL}
         OpStore %place_at %pixel
         OpCopyMemory %place_at %other_at
         %place = OpLoad %ivec2 %place_at"
    );
    let read = "OpImageFetch %vec4 %loaded %place Lod %0";
    assert_eq!(fetch("", &place, read), ReadShape::Other);
}

#[test]
fn a_loop_that_walks_away_is_other() {
    let place = format!(
        "{PIXEL}
         OpBranch %loop
         %loop = OpLabel
         %place = OpPhi %ivec2 %pixel %start %next %again
         OpLoopMerge %end %again None
         OpBranch %again
         %again = OpLabel
         %step = OpCompositeConstruct %ivec2 %1 %0
         %next = OpIAdd %ivec2 %place %step
         OpBranchConditional %true %loop %end
         %end = OpLabel"
    );
    let read = "OpImageFetch %vec4 %loaded %place Lod %0";
    assert_eq!(fetch("%true = OpConstantTrue %bool", &place, read), ReadShape::Other);
}

#[test]
fn reads_are_joined() {
    let both = format!(
        "{PIXEL}
         %before = OpLoad %tex %image
         %one = OpCompositeConstruct %ivec2 %1 %1
         %beside = OpIAdd %ivec2 %pixel %one
         %other = OpImageFetch %vec4 %before %beside Lod %0"
    );
    let read = "OpImageFetch %vec4 %loaded %pixel Lod %0";
    assert_eq!(fetch("", &both, read), ReadShape::Other);
}

#[test]
fn sample_at_an_unchanged_input() {
    let place = "%place = OpLoad %vec2 %uv";
    for read in [
        "OpImageSampleImplicitLod %vec4 %sampled %place",
        "OpImageSampleExplicitLod %vec4 %sampled %place Lod %0f",
    ] {
        assert_eq!(sample("", place, read), FULLSCREEN_UV, "{read}");
    }
}

#[test]
fn sample_that_is_moved_biased_compared_or_gathered_is_other() {
    let place = "%place = OpLoad %vec2 %uv
                 %at_half = OpCompositeConstruct %vec2 %half %half
                 %moved = OpFAdd %vec2 %place %at_half
                 %turned = OpVectorShuffle %vec2 %place %place 1 0
                 %one_axis = OpVectorShuffle %vec2 %place %place 0 0";
    let extra = "%at = OpConstantComposite %ivec2 %0 %1";
    for read in [
        "OpImageSampleImplicitLod %vec4 %sampled %moved",
        "OpImageSampleImplicitLod %vec4 %sampled %place Bias %1f",
        "OpImageSampleImplicitLod %vec4 %sampled %place ConstOffset %at",
        "OpImageSampleExplicitLod %vec4 %sampled %place Lod %1f",
        "OpImageGather %vec4 %sampled %place %0",
        "OpImageSampleImplicitLod %vec4 %sampled %turned",
        "OpImageSampleImplicitLod %vec4 %sampled %one_axis",
    ] {
        assert_eq!(sample(extra, place, read), ReadShape::Other, "{read}");
    }
}

#[test]
fn centroid_inputs_are_other() {
    let place = "%place = OpLoad %vec2 %uv";
    let read = "OpImageSampleImplicitLod %vec4 %sampled %place";
    for decoration in ["Flat", "Centroid", "Sample"] {
        let extra = format!("OpDecorate %uv {decoration}");
        assert_eq!(sample(&extra, place, read), ReadShape::Other, "{decoration}");
    }
}

#[test]
fn frag_coord_over_the_images_own_size() {
    let place = "
        %asked = OpImage %tex %sampled
        %size = OpImageQuerySizeLod %ivec2 %asked %0
        %float_size = OpConvertSToF %vec2 %size
        %coord = OpLoad %vec4 %frag_coord
        %xy = OpVectorShuffle %vec2 %coord %coord 0 1
        %place = OpFDiv %vec2 %xy %float_size";
    let read = "OpImageSampleExplicitLod %vec4 %sampled %place Lod %0f";
    assert_eq!(sample("", place, read), ReadShape::OwnPixelIfNearest);
}

#[test]
fn frag_coord_over_the_size_of_another_image_is_other() {
    let place = "
        %asked = OpLoad %tex %image
        %size = OpImageQuerySizeLod %ivec2 %asked %0
        %float_size = OpConvertSToF %vec2 %size
        %coord = OpLoad %vec4 %frag_coord
        %xy = OpVectorShuffle %vec2 %coord %coord 0 1
        %place = OpFDiv %vec2 %xy %float_size";
    let read = "OpImageSampleExplicitLod %vec4 %sampled %place Lod %0f";
    assert_eq!(sample("", place, read), ReadShape::Other);
}

#[test]
fn the_own_layer_of_an_array() {
    let extra = "
        OpDecorate %layers DescriptorSet 0
        OpDecorate %layers Binding 8
        OpDecorate %view BuiltIn ViewIndex
        %array = OpTypeImage %float 2D 0 1 0 1 Unknown
        %in_array = OpTypePointer UniformConstant %array
        %ivec3 = OpTypeVector %int 3
        %layers = OpVariable %in_array UniformConstant
        %view = OpVariable %in_int Input";
    let read = |layer: &str| {
        let body = format!(
            "{PIXEL}
             %own = OpLoad %int %view
             %place = OpCompositeConstruct %ivec3 %pixel {layer}
             %loaded = OpLoad %array %layers
             %texel = OpImageFetch %vec4 %loaded %place Lod %0
             OpStore %colour %texel"
        );
        shape(&fragment(extra, &body), 8)
    };
    assert_eq!(read("%own"), ReadShape::OwnPixel);
    assert_eq!(read("%0"), ReadShape::Other);
}

/// A helper function that samples `%texture` at its parameter, a pointer as compilers without
/// an optimizer pass it.
const HELPER: &str = "
    %of_place = OpTypeFunction %vec4 %fn_vec2
    %helper = OpFunction %vec4 None %of_place
    %parameter = OpFunctionParameter %fn_vec2
    %in_helper = OpLabel
    %helped = OpLoad %combined %texture
    %given = OpLoad %vec2 %parameter
    %sample = OpImageSampleImplicitLod %vec4 %helped %given
    OpReturnValue %sample
    OpFunctionEnd";

#[test]
fn parameters_are_followed() {
    let body = "
        %argument = OpVariable %fn_vec2 Function
        %place = OpLoad %vec2 %uv
        OpStore %argument %place
        %called = OpFunctionCall %vec4 %helper %argument
        OpStore %colour %called";
    assert_eq!(shape(&fragment(HELPER, body), 2), FULLSCREEN_UV);
}

#[test]
fn a_function_called_for_a_neighbour_too_is_other() {
    let body = "
        %argument = OpVariable %fn_vec2 Function
        %second = OpVariable %fn_vec2 Function
        %place = OpLoad %vec2 %uv
        OpStore %argument %place
        %moved = OpFNegate %vec2 %place
        OpStore %second %moved
        %called = OpFunctionCall %vec4 %helper %argument
        %again = OpFunctionCall %vec4 %helper %second
        OpStore %colour %called";
    assert_eq!(shape(&fragment(HELPER, body), 2), ReadShape::Other);
}

#[test]
fn samples_of_a_multisampled_image() {
    let extra = "
        OpDecorate %msaa DescriptorSet 0
        OpDecorate %msaa Binding 5
        OpDecorate %sample_id BuiltIn SampleId
        %msaa = OpVariable %in_texms UniformConstant
        %sample_id = OpVariable %in_int Input";
    let read = |index: &str| {
        let body = format!(
            "{PIXEL}
             %own = OpLoad %int %sample_id
             %sum = OpIAdd %int %own %1
             %loaded = OpLoad %texms %msaa
             %first = OpImageFetch %vec4 %loaded %pixel Sample %0
             %second = OpImageFetch %vec4 %loaded %pixel Sample {index}
             OpStore %colour %second"
        );
        let facts = fragment(extra, &body);
        assert!(facts.bindings.iter().any(|b| b.binding == 5 && b.multisampled));
        shape(&facts, 5)
    };
    let samples = |index| ReadShape::OwnPixelSamples(index);
    assert_eq!(read("%3"), samples(SampleIndex::Constants(0b1001)));
    assert_eq!(read("%own"), samples(SampleIndex::Any));
    assert_eq!(read("%sum"), samples(SampleIndex::Any));
}

#[test]
fn input_attachments_are_read_at_the_own_pixel() {
    let extra = "
        OpDecorate %input DescriptorSet 0
        OpDecorate %input Binding 4
        OpDecorate %input InputAttachmentIndex 2
        %subpass = OpTypeImage %float SubpassData 0 0 0 2 Unknown
        %in_subpass = OpTypePointer UniformConstant %subpass
        %input = OpVariable %in_subpass UniformConstant
        %origin = OpConstantComposite %ivec2 %0 %0";
    let body = "
        %loaded = OpLoad %subpass %input
        %texel = OpImageRead %vec4 %loaded %origin
        OpStore %colour %texel";
    let facts = fragment(extra, body);
    let input = facts.bindings.iter().find(|binding| binding.binding == 4).unwrap();
    assert_eq!(input.kind, super::super::BindingKind::Input(2));
    assert_eq!(shape(&facts, 4), ReadShape::OwnPixel);
}

#[test]
fn an_opcode_that_is_not_known_makes_every_read_other() {
    let body = format!(
        "{PIXEL}
         Op#65000 1 2 3
         %loaded = OpLoad %tex %image
         %texel = OpImageFetch %vec4 %loaded %pixel Lod %0
         OpStore %colour %texel"
    );
    let facts = fragment("", &body);
    assert!(facts.opaque);
    assert!(facts.uses(0, 1));
    assert_eq!(facts.reads(0, 1), ReadShape::Other);
}

#[test]
fn joined_shapes_do_not_depend_on_the_order() {
    use ReadShape::{None, Other, OwnPixel, OwnPixelIfNearest};
    let samples = |index| ReadShape::OwnPixelSamples(index);
    let all = [
        None,
        OwnPixel,
        OwnPixelIfNearest,
        FULLSCREEN_UV,
        ReadShape::OwnPixelIfFullscreenUv { location: 1, component: 0 },
        samples(SampleIndex::Constants(1)),
        samples(SampleIndex::Own),
        samples(SampleIndex::Any),
        Other,
    ];
    for a in all {
        assert_eq!(a.join(a), a);
        assert_eq!(a.join(None), a);
        assert_eq!(a.join(Other), Other);
        for b in all {
            assert_eq!(a.join(b), b.join(a));
            for c in all {
                assert_eq!(a.join(b).join(c), a.join(b.join(c)), "{a:?} {b:?} {c:?}");
            }
        }
    }
}
