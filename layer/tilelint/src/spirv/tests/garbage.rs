//! Words that are no module, or not any more.

use super::super::facts;
use super::{PIXEL, fragment_words};
use proptest::prelude::*;

/// A shader that every part of the analysis has something to do with.
fn shader() -> Vec<u32> {
    let extra = "
        OpDecorate %msaa DescriptorSet 1
        OpDecorate %msaa Binding 5
        %msaa = OpVariable %in_texms UniformConstant
        %of_place = OpTypeFunction %vec4 %fn_vec2
        %helper = OpFunction %vec4 None %of_place
        %parameter = OpFunctionParameter %fn_vec2
        %in_helper = OpLabel
        %helped = OpLoad %combined %texture
        %given = OpLoad %vec2 %parameter
        %sample = OpImageSampleImplicitLod %vec4 %helped %given
        OpReturnValue %sample
        OpFunctionEnd";
    let body = format!(
        "%argument = OpVariable %fn_vec2 Function
         {PIXEL}
         %place = OpLoad %vec2 %uv
         OpStore %argument %place
         %called = OpFunctionCall %vec4 %helper %argument
         %loaded = OpLoad %texms %msaa
         %a = OpImageFetch %vec4 %loaded %pixel Sample %0
         OpBranch %loop
         %loop = OpLabel
         %sum = OpPhi %vec4 %a %start %more %loop
         %more = OpFAdd %vec4 %sum %called
         OpLoopMerge %end %loop None
         %x = OpCompositeExtract %float %more 0
         %bright = OpFOrdGreaterThan %bool %x %half
         OpBranchConditional %bright %loop %end
         %end = OpLabel
         OpStore %colour %more"
    );
    fragment_words(extra, &body)
}

#[test]
fn not_a_module() {
    assert!(facts(&[], None).is_none());
    assert!(facts(&[spirv::MAGIC_NUMBER], None).is_none());
    let words = shader();
    assert!(facts(&words, None).is_some());
    let swapped: Vec<u32> = words.iter().map(|word| word.swap_bytes()).collect();
    assert!(facts(&swapped, None).is_none());
    let mut version_2 = words.clone();
    version_2[1] = 0x0002_0000;
    assert!(facts(&version_2, None).is_none());
}

#[test]
fn an_instruction_of_no_words_or_too_many() {
    let words = shader();
    for bad in [0, 0x00ff_0000 | (words[5] & 0xffff), 0xffff_0000] {
        let mut words = words.clone();
        words[5] = bad;
        assert!(facts(&words, None).is_none());
    }
}

#[test]
fn a_last_instruction_that_is_cut_off() {
    let mut words = shader();
    words.extend([3 << 16, 0]);
    assert!(facts(&words, None).is_none());
    words.push(0);
    assert!(facts(&words, None).is_some());
}

#[test]
fn every_truncation_is_survived() {
    let words = shader();
    for length in 0..words.len() {
        assert!(facts(&words[..length], None).is_none(), "{length} words");
    }
}

#[test]
fn an_id_that_is_defined_twice() {
    let words = fragment_words("%twice = OpUndef %float\n%twice = OpUndef %float", "");
    assert!(facts(&words, None).is_none());
}

#[test]
fn deep_expressions_do_not_exhaust_the_stack() {
    let mut body = "%place0 = OpLoad %vec2 %uv".to_owned();
    for at in 1..20_000 {
        body += &format!("\n%place{at} = OpCopyObject %vec2 %place{}", at - 1);
    }
    body += "\n%sampled = OpLoad %combined %texture
             %texel = OpImageSampleImplicitLod %vec4 %sampled %place19999";
    let facts = facts(&fragment_words("", &body), None).unwrap();
    assert_eq!(facts.reads(0, 2), super::super::ReadShape::Other);
}

#[test]
fn functions_that_call_themselves() {
    let extra = "
        %helper = OpFunction %void None %to_void
        %in_helper = OpLabel
        %again = OpFunctionCall %void %helper
        OpReturn
        OpFunctionEnd";
    let words = fragment_words(extra, "%called = OpFunctionCall %void %helper");
    assert!(facts(&words, None).is_some());
}

#[test]
fn composites_that_double_are_given_up() {
    let mut extra = "OpDecorate %msaa DescriptorSet 1
                     %msaa = OpVariable %in_texms UniformConstant
                     %type0 = OpTypeStruct %int %int"
        .to_owned();
    let mut body = "%value0 = OpCompositeConstruct %type0 %1 %1".to_owned();
    for at in 1..60 {
        extra += &format!("\n%type{at} = OpTypeStruct %type{0} %type{0}", at - 1);
        let value = format!("%value{0} %value{0}", at - 1);
        body += &format!("\n%value{at} = OpCompositeConstruct %type{at} {value}");
    }
    assert!(facts(&fragment_words(&extra, &body), None).is_some());
}

proptest! {
    #[test]
    fn random_words(mut words in proptest::collection::vec(any::<u32>(), 0..200)) {
        let _ = facts(&words, None);
        if words.len() > 1 {
            words[0] = spirv::MAGIC_NUMBER;
            words[1] = 0x0001_0000;
        }
        let _ = facts(&words, None);
    }

    /// Instructions of a right length whose words are small, so that ids meet.
    #[test]
    fn random_instructions(
        insts in proptest::collection::vec(
            (1u32..420, proptest::collection::vec(1u32..40, 0..8)),
            0..150,
        ),
    ) {
        let mut words = shader();
        let end = words.len() - 2;
        let random = insts.iter().flat_map(|(op, rest)| {
            std::iter::once((rest.len() as u32 + 1) << 16 | op).chain(rest.iter().copied())
        });
        words.splice(end..end, random);
        let _ = facts(&words, None);
    }

    /// A shader with some of its words replaced.
    #[test]
    fn damaged_shaders(
        damage in proptest::collection::vec((5usize..2000, 0u32..160, any::<bool>()), 1..12),
    ) {
        let mut words = shader();
        let length = words.len();
        for (at, value, whole) in damage {
            let word = &mut words[at % (length - 5) + 5];
            *word = if whole { value } else { *word & 0xffff_0000 | value };
        }
        let _ = facts(&words, None);
    }
}
