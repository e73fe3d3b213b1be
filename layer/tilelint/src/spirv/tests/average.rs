//! Resolves written by hand.

use super::super::Average;
use super::{PIXEL, fragment};

const IMAGE: &str = "
    OpDecorate %msaa DescriptorSet 1
    OpDecorate %msaa Binding 5
    %msaa = OpVariable %in_texms UniformConstant
    %eighth = OpConstant %float 0.125
    %beside = OpConstantComposite %ivec2 %1 %1";

/// The sum of `count` samples in a loop, as `for` compiles.
fn looped(count: &str, place: &str, end: &str) -> Option<Average> {
    let body = format!(
        "%sum = OpVariable %fn_vec4 Function
         %i = OpVariable %fn_int Function
         {PIXEL}
         %moved = OpIAdd %ivec2 %pixel %beside
         OpStore %sum %black
         OpStore %i %0
         OpBranch %head
         %head = OpLabel
         OpLoopMerge %end %next None
         OpBranch %test
         %test = OpLabel
         %index = OpLoad %int %i
         %more = OpSLessThan %bool %index {count}
         OpBranchConditional %more %body %end
         %body = OpLabel
         %loaded = OpLoad %texms %msaa
         %texel = OpImageFetch %vec4 %loaded {place} Sample %index
         %before = OpLoad %vec4 %sum
         %after = OpFAdd %vec4 %before %texel
         OpStore %sum %after
         OpBranch %next
         %next = OpLabel
         %plus = OpIAdd %int %index %1
         OpStore %i %plus
         OpBranch %head
         %end = OpLabel
         %total = OpLoad %vec4 %sum
         {end}
         OpStore %colour %mean"
    );
    fragment(IMAGE, &body).averages_samples
}

#[test]
fn a_loop_over_all_samples_is_an_average() {
    let by_quarter = "%mean = OpVectorTimesScalar %vec4 %total %quarter";
    let four = Some(Average { set: 1, binding: 5, samples: 4 });
    assert_eq!(looped("%4", "%pixel", by_quarter), four);
    let divided = "%by = OpCompositeConstruct %vec4 %4f %4f %4f %4f
                   %mean = OpFDiv %vec4 %total %by";
    let four_f = "%4f = OpFAdd %float %2f %2f";
    assert_eq!(looped("%4", "%pixel", &format!("{four_f}\n{divided}")), four);
}

#[test]
fn another_weight_place_or_end_is_not() {
    let by_quarter = "%mean = OpVectorTimesScalar %vec4 %total %quarter";
    assert_eq!(looped("%2", "%pixel", by_quarter), None);
    assert_eq!(looped("%3", "%pixel", by_quarter), None);
    assert_eq!(looped("%4", "%moved", by_quarter), None);
    assert_eq!(looped("%4", "%pixel", "%mean = OpVectorTimesScalar %vec4 %total %eighth"), None);
    let half_grey = "%scaled = OpVectorTimesScalar %vec4 %total %eighth
                     %mean = OpFAdd %vec4 %scaled %grey";
    assert_eq!(looped("%4", "%pixel", half_grey), None);
    let swizzled = "%scaled = OpVectorTimesScalar %vec4 %total %quarter
                    %mean = OpVectorShuffle %vec4 %scaled %scaled 2 1 0 3";
    assert_eq!(looped("%4", "%pixel", swizzled), None);
    let toned = "%scaled = OpVectorTimesScalar %vec4 %total %quarter
                 %mean = OpExtInst %vec4 %glsl Sqrt %scaled";
    assert_eq!(looped("%4", "%pixel", toned), None);
}

/// Two fetches of samples and what becomes of them.
fn unrolled(second: &str, end: &str) -> Option<Average> {
    let body = format!(
        "{PIXEL}
         %loaded = OpLoad %texms %msaa
         %a = OpImageFetch %vec4 %loaded %pixel Sample %0
         %b = OpImageFetch %vec4 %loaded %pixel Sample {second}
         %sum = OpFAdd %vec4 %a %b
         {end}"
    );
    fragment(IMAGE, &body).averages_samples
}

#[test]
fn two_samples_unrolled() {
    let store = "%mean = OpVectorTimesScalar %vec4 %sum %half
                 OpStore %colour %mean";
    assert_eq!(unrolled("%1", store), Some(Average { set: 1, binding: 5, samples: 2 }));
    assert_eq!(unrolled("%0", store), None);
    assert_eq!(unrolled("%2", store), None);
}

#[test]
fn discards_and_unknown_branches_are_not_averages() {
    let discard = "%mean = OpVectorTimesScalar %vec4 %sum %half
                   OpStore %colour %mean
                   OpDemoteToHelperInvocation";
    assert_eq!(unrolled("%1", discard), None);
    let branch = "%mean = OpVectorTimesScalar %vec4 %sum %half
                  %x = OpCompositeExtract %float %mean 0
                  %bright = OpFOrdGreaterThan %bool %x %half
                  OpSelectionMerge %end None
                  OpBranchConditional %bright %then %end
                  %then = OpLabel
                  OpBranch %end
                  %end = OpLabel
                  OpStore %colour %mean";
    assert_eq!(unrolled("%1", branch), None);
}
