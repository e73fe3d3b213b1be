//! Triangles over the whole target.

use super::super::{FullscreenUv, ShaderFacts, facts};
use super::asm::module;

/// A vertex shader that stores a vec4 `%position` and a vec2 `%out` at location 1.
fn vertex(extra: &str, body: &str) -> ShaderFacts {
    let words = module(
        "OpEntryPoint Vertex %main \"main\" %index %place %uv %extra_out
         OpDecorate %index BuiltIn VertexIndex
         OpDecorate %place BuiltIn Position
         OpDecorate %uv Location 1",
        &format!(
            "%index = OpVariable %in_int Input
             %place = OpVariable %out_vec4 Output
             %uv = OpVariable %out_vec2 Output
             %out_float = OpTypePointer Output %float
             {extra}
             %main = OpFunction %void None %to_void
             %start = OpLabel
             {body}
             OpStore %place %position
             OpStore %uv %out
             OpReturn
             OpFunctionEnd"
        ),
    );
    facts(&words, Some("main")).expect("a shader that is understood")
}

/// `uv = ((i << 1) & 2, i & 2)`, `position = (uv * 2 - 1, 0, 1)`.
fn bits(scale: &str, depth: &str, w: &str) -> String {
    format!(
        "%i = OpLoad %int %index
         %shifted = OpShiftLeftLogical %int %i %1
         %ux = OpBitwiseAnd %int %shifted %2
         %uy = OpBitwiseAnd %int %i %2
         %x = OpConvertSToF %float %ux
         %y = OpConvertSToF %float %uy
         %out = OpCompositeConstruct %vec2 %x %y
         %scaled = OpVectorTimesScalar %vec2 %out {scale}
         %minus = OpCompositeConstruct %vec2 %-1f %-1f
         %xy = OpFAdd %vec2 %scaled %minus
         %position = OpCompositeConstruct %vec4 %xy {depth} {w}"
    )
}

const PLAIN_UV: FullscreenUv = FullscreenUv { location: 1, component: 0, flipped_y: false };

#[test]
fn the_classic_triangle_covers_the_target() {
    let facts = vertex("", &bits("%2f", "%0f", "%1f"));
    assert_eq!(facts.covers_target, Some(true));
    assert_eq!(facts.fullscreen_uvs, [PLAIN_UV]);
}

#[test]
fn a_smaller_or_clipped_triangle_does_not() {
    for body in [bits("%1f", "%0f", "%1f"), bits("%2f", "%2f", "%1f")] {
        let facts = vertex("", &body);
        assert_eq!(facts.covers_target, Some(false));
        assert!(facts.fullscreen_uvs.is_empty());
    }
}

#[test]
fn perspective_is_not_judged() {
    assert_eq!(vertex("", &bits("%2f", "%0f", "%2f")).covers_target, None);
}

/// Positions from a constant array, as `const vec2 p[3]` compiles, and uv by a fused multiply.
fn table(third: &str, scale_y: &str) -> ShaderFacts {
    let extra = format!(
        "%3f = OpConstant %float 3.0
         %-half = OpConstant %float -0.5
         %corners = OpTypeArray %vec2 %3
         %fn_corners = OpTypePointer Function %corners
         %a = OpConstantComposite %vec2 %-1f %-1f
         %b = OpConstantComposite %vec2 %3f %-1f
         %c = OpConstantComposite %vec2 %-1f {third}
         %all = OpConstantComposite %corners %a %b %c
         %scale = OpConstantComposite %vec2 %half {scale_y}
         %bias = OpConstantComposite %vec2 %half %half"
    );
    vertex(
        &extra,
        "%table = OpVariable %fn_corners Function
         OpStore %table %all
         %i = OpLoad %int %index
         %at = OpAccessChain %fn_vec2 %table %i
         %xy = OpLoad %vec2 %at
         %out = OpExtInst %vec2 %glsl Fma %xy %scale %bias
         %position = OpCompositeConstruct %vec4 %xy %0f %1f",
    )
}

#[test]
fn a_table_of_corners() {
    let facts = table("%3f", "%half");
    assert_eq!(facts.covers_target, Some(true));
    assert_eq!(facts.fullscreen_uvs, [PLAIN_UV]);
    let flipped = table("%3f", "%-half");
    assert_eq!(flipped.fullscreen_uvs, [FullscreenUv { flipped_y: true, ..PLAIN_UV }]);
    let scaled = table("%3f", "%1f");
    assert_eq!((scaled.covers_target, scaled.fullscreen_uvs), (Some(true), vec![]));
    assert_eq!(table("%1f", "%half").covers_target, Some(false));
}

#[test]
fn branches_and_selects_on_the_index() {
    let facts = vertex(
        "%3f = OpConstant %float 3.0
         %a = OpConstantComposite %vec2 %-1f %-1f
         %b = OpConstantComposite %vec2 %3f %-1f
         %c = OpConstantComposite %vec2 %-1f %3f",
        "%i = OpLoad %int %index
         %first = OpIEqual %bool %i %0
         OpSelectionMerge %end None
         OpBranchConditional %first %end %rest
         %rest = OpLabel
         %second = OpIEqual %bool %i %1
         %twice = OpCompositeConstruct %bvec2 %second %second
         %one = OpSelect %vec2 %twice %b %c
         OpBranch %end
         %end = OpLabel
         %xy = OpPhi %vec2 %a %start %one %rest
         %position = OpCompositeConstruct %vec4 %xy %0f %1f
         %out = OpCopyObject %vec2 %xy",
    );
    assert_eq!(facts.covers_target, Some(true));
}

#[test]
fn what_depends_on_anything_else_is_not_known() {
    let input = vertex(
        "%attribute = OpVariable %in_vec4 Input
         OpDecorate %attribute Location 0",
        "%position = OpLoad %vec4 %attribute
         %out = OpVectorShuffle %vec2 %position %position 0 1",
    );
    assert_eq!(input.covers_target, None);
    let spec = bits("%scale", "%0f", "%1f");
    assert_eq!(vertex("%scale = OpSpecConstant %float 2.0", &spec).covers_target, None);
    let unknown_opcode = format!("{}\nOp#65000 7", bits("%2f", "%0f", "%1f"));
    assert_eq!(vertex("", &unknown_opcode).covers_target, None);
}

#[test]
fn clip_distances_and_layers_are_not_judged() {
    for builtin in ["ClipDistance", "Layer", "ViewportIndex"] {
        let extra = format!(
            "OpDecorate %extra_out BuiltIn {builtin}
             %extra_out = OpVariable %out_float Output"
        );
        let body = format!("{}\nOpStore %extra_out %0f", bits("%2f", "%0f", "%1f"));
        assert_eq!(vertex(&extra, &body).covers_target, None, "{builtin}");
    }
    let extra = "OpDecorate %extra_out BuiltIn PointSize
                 %extra_out = OpVariable %out_float Output";
    let body = format!("{}\nOpStore %extra_out %1f", bits("%2f", "%0f", "%1f"));
    assert_eq!(vertex(extra, &body).covers_target, Some(true));
}

#[test]
fn an_endless_loop_is_given_up() {
    let body = format!(
        "OpBranch %loop
         %loop = OpLabel
         OpLoopMerge %end %loop None
         OpBranchConditional %true %loop %end
         %end = OpLabel
         {}",
        bits("%2f", "%0f", "%1f")
    );
    assert_eq!(vertex("%true = OpConstantTrue %bool", &body).covers_target, None);
}
