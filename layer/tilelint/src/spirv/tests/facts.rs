//! Facts other than where images are read.

use super::super::{
    BindingKind, DepthPromise, Output, OutputType, ShaderFacts, Stage, facts, facts_of_stage,
};
use super::asm::module;
use super::{PIXEL, fragment};

#[test]
fn a_plain_fragment_shader() {
    let facts = fragment("", "OpStore %colour %grey");
    assert_eq!(facts.stage, Stage::Fragment);
    let said = [
        facts.opaque,
        facts.discards,
        facts.replaces_depth,
        facts.early_fragment_tests,
        facts.stores,
        facts.sample_shading,
    ];
    assert_eq!(said, [false; 6]);
    assert_eq!((facts.depth_promise, facts.workgroup_size), (None, None));
    assert_eq!((facts.covers_target, facts.averages_samples), (None, None));
    let kinds: Vec<_> = facts.bindings.iter().map(|b| (b.binding, b.kind, b.used)).collect();
    let sampled = (1, BindingKind::Sampled, false);
    assert_eq!(kinds, [sampled, (2, BindingKind::CombinedSampler, false)]);
}

#[test]
fn every_way_to_discard() {
    for discard in ["OpKill", "OpTerminateInvocation", "OpDemoteToHelperInvocation"] {
        let end = if discard == "OpDemoteToHelperInvocation" { "OpReturn" } else { "" };
        let body = format!("{discard}\n{end}\n%after = OpLabel");
        assert!(fragment("", &body).discards, "{discard}");
    }
}

#[test]
fn only_reachable_functions_count() {
    let helper = "
        %helper = OpFunction %void None %to_void
        %in_helper = OpLabel
        %loaded = OpLoad %tex %image
        OpKill
        OpFunctionEnd";
    let unreached = fragment(helper, "OpStore %colour %grey");
    assert!(!unreached.discards && !unreached.uses(0, 1));
    let reached = fragment(helper, "%called = OpFunctionCall %void %helper");
    assert!(reached.discards && reached.uses(0, 1) && !reached.uses(0, 2));
}

#[test]
fn unknown_opcodes_count_only_where_they_can_run() {
    let helper = "
        %helper = OpFunction %void None %to_void
        %in_helper = OpLabel
        Op#65000 1
        OpReturn
        OpFunctionEnd
        Op#65001 1 2";
    assert!(!fragment(helper, "").opaque);
    assert!(fragment(helper, "%called = OpFunctionCall %void %helper").opaque);
}

#[test]
fn imported_functions_are_opaque() {
    let helper = "
        %helper = OpFunction %void None %to_void
        OpFunctionEnd";
    assert!(!fragment(helper, "").opaque);
    assert!(fragment(helper, "%called = OpFunctionCall %void %helper").opaque);
}

#[test]
fn debug_information_uses_nothing() {
    let extra = "%debug = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"";
    let facts = fragment(extra, "%said = OpExtInst %void %debug 18 %image");
    assert!(!facts.opaque && !facts.uses(0, 1));
    let other = fragment(extra, "%said = OpExtInst %float %debug 18 %half");
    assert!(other.opaque);
}

#[test]
fn depth_modes() {
    for (mode, promise) in [
        ("OpExecutionMode %main DepthGreater", Some(DepthPromise::Greater)),
        ("OpExecutionMode %main DepthLess", Some(DepthPromise::Less)),
        ("OpExecutionMode %main DepthUnchanged", Some(DepthPromise::Unchanged)),
        ("", None),
    ] {
        let facts = fragment(&format!("OpExecutionMode %main DepthReplacing\n{mode}"), "");
        assert!(facts.replaces_depth && !facts.early_fragment_tests);
        assert_eq!(facts.depth_promise, promise);
    }
    assert!(fragment("OpExecutionMode %main EarlyFragmentTests", "").early_fragment_tests);
    // The mode of another entry point.
    assert!(!fragment("OpExecutionMode %other EarlyFragmentTests", "").early_fragment_tests);
}

#[test]
fn stores() {
    let extra = "
        OpDecorate %buffer DescriptorSet 2
        OpDecorate %buffer Binding 7
        %block = OpTypeStruct %int
        %buffer_block = OpTypePointer StorageBuffer %block
        %buffer_int = OpTypePointer StorageBuffer %int
        %buffer = OpVariable %buffer_block StorageBuffer";
    let member = "%at = OpAccessChain %buffer_int %buffer %0";
    for (access, stores) in [
        ("%read = OpLoad %int %at", false),
        ("%read = OpAtomicLoad %int %at %1 %0", false),
        ("OpStore %at %1", true),
        ("%sum = OpAtomicIAdd %int %at %1 %0 %1", true),
        ("OpAtomicStore %at %1 %0 %1", true),
        ("OpCopyMemory %at %at", true),
    ] {
        let facts = fragment(extra, &format!("{member}\n{access}"));
        assert_eq!(facts.stores, stores, "{access}");
        assert!(facts.uses(2, 7) && !facts.opaque);
        assert_eq!(facts.bindings[2].kind, BindingKind::Buffer);
    }
    assert!(!fragment(extra, "OpStore %colour %grey").uses(2, 7));
}

#[test]
fn storage_images() {
    let extra = "
        OpDecorate %target DescriptorSet 0
        OpDecorate %target Binding 9
        %storage = OpTypeImage %float 2D 0 0 0 2 1
        %in_storage = OpTypePointer UniformConstant %storage
        %target = OpVariable %in_storage UniformConstant";
    let body = format!(
        "{PIXEL}
         %loaded = OpLoad %storage %target
         OpImageWrite %loaded %pixel %grey"
    );
    let facts = fragment(extra, &body);
    assert!(facts.stores && facts.uses(0, 9));
    assert_eq!(facts.bindings[2].kind, BindingKind::Storage);
}

#[test]
fn sample_shading() {
    for decoration in ["BuiltIn SampleId", "BuiltIn SamplePosition", "Sample"] {
        assert!(fragment(&format!("OpDecorate %uv {decoration}"), "").sample_shading);
    }
    assert!(!fragment("OpDecorate %uv Centroid", "").sample_shading);
}

#[test]
fn outputs_with_their_types() {
    let words = module(
        "OpEntryPoint Fragment %main \"main\" %a %b %depth
         OpDecorate %a Location 4
         OpDecorate %b Location 1
         OpDecorate %b Index 1
         OpDecorate %depth BuiltIn FragDepth",
        "%two = OpTypeArray %ivec2 %2
         %out_two = OpTypePointer Output %two
         %out_uint = OpTypePointer Output %uint
         %out_float = OpTypePointer Output %float
         %7 = OpConstant %uint 7
         %a = OpVariable %out_two Output
         %b = OpVariable %out_uint Output
         %depth = OpVariable %out_float Output
         %main = OpFunction %void None %to_void
         %start = OpLabel
         OpStore %b %7
         OpReturn
         OpFunctionEnd",
    );
    let facts = facts(&words, None).unwrap();
    let uint = Output {
        location: 1,
        index: 1,
        component: 0,
        components: 1,
        numeric: OutputType::Uint,
        written: true,
    };
    let int = Output {
        location: 4,
        index: 0,
        components: 2,
        numeric: OutputType::Int,
        written: false,
        ..uint
    };
    assert_eq!(facts.outputs, [uint, int, Output { location: 5, ..int }]);
}

#[test]
fn arrays_of_descriptors() {
    let extra = "
        OpDecorate %many DescriptorSet 0
        OpDecorate %many Binding 6
        %images = OpTypeRuntimeArray %tex
        %in_images = OpTypePointer UniformConstant %images
        %many = OpVariable %in_images UniformConstant";
    let body = format!(
        "{PIXEL}
         %at = OpAccessChain %in_tex %many %1
         %loaded = OpLoad %tex %at
         %texel = OpImageFetch %vec4 %loaded %pixel Lod %0"
    );
    let facts = fragment(extra, &body);
    let many = facts.bindings.iter().find(|binding| binding.binding == 6).unwrap();
    assert!(many.array && many.used);
    assert_eq!(many.kind, BindingKind::Sampled);
    assert_eq!(many.reads, super::super::ReadShape::OwnPixel);
}

fn compute(head: &str, extra: &str) -> ShaderFacts {
    let head = format!("OpEntryPoint GLCompute %main \"go\"\n{head}");
    let words = module(
        &head,
        &format!(
            "{extra}
             %main = OpFunction %void None %to_void
             %start = OpLabel
             OpReturn
             OpFunctionEnd"
        ),
    );
    facts(&words, Some("go")).unwrap()
}

#[test]
fn workgroup_sizes() {
    let size = "OpExecutionMode %main LocalSize 8 4 1";
    assert_eq!(compute(size, "").workgroup_size, Some([8, 4, 1]));
    let by_id = "OpExecutionModeId %main LocalSizeId %4 %2 %one";
    assert_eq!(compute(by_id, "%one = OpConstant %uint 1").workgroup_size, Some([4, 2, 1]));
    assert_eq!(compute(by_id, "%one = OpSpecConstant %uint 1").workgroup_size, None);
    let spec = "OpDecorate %size BuiltIn WorkgroupSize
                %uvec3 = OpTypeVector %uint 3
                %x = OpSpecConstant %uint 8
                %size = OpSpecConstantComposite %uvec3 %x %x %x";
    assert_eq!(compute(size, spec).workgroup_size, None);
}

#[test]
fn entry_points_by_name_and_stage() {
    let words = module(
        "OpEntryPoint Vertex %a \"main\"
         OpEntryPoint Fragment %b \"main\"
         OpEntryPoint Fragment %c \"other\"",
        "%a = OpFunction %void None %to_void
         %in_a = OpLabel
         OpReturn
         OpFunctionEnd
         %b = OpFunction %void None %to_void
         %in_b = OpLabel
         OpKill
         OpFunctionEnd
         %c = OpFunction %void None %to_void
         %in_c = OpLabel
         OpReturn
         OpFunctionEnd",
    );
    assert!(facts(&words, None).is_none());
    assert!(facts(&words, Some("main")).is_none());
    assert!(facts(&words, Some("absent")).is_none());
    assert!(!facts(&words, Some("other")).unwrap().discards);
    assert!(facts_of_stage(&words, Stage::Fragment, "main").unwrap().discards);
    assert!(!facts_of_stage(&words, Stage::Vertex, "main").unwrap().discards);
    assert!(facts_of_stage(&words, Stage::Compute, "main").is_none());
}
