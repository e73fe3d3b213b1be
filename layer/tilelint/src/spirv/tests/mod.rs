//! Shaders as readable text, and garbage.

pub(crate) mod asm;
mod average;
mod facts;
mod garbage;
mod reads;
mod vertex;

use super::{ShaderFacts, facts};

/// Facts about a fragment shader with one colour output, `FragCoord` and one vec2 input, and an
/// image and a combined image sampler; `locals` are a function body's variables and the rest.
fn fragment(extra: &str, body: &str) -> ShaderFacts {
    facts(&fragment_words(extra, body), None).expect("a shader that is understood")
}

fn fragment_words(extra: &str, body: &str) -> Vec<u32> {
    asm::module(
        "OpEntryPoint Fragment %main \"main\" %frag_coord %uv %colour
         OpExecutionMode %main OriginUpperLeft
         OpDecorate %frag_coord BuiltIn FragCoord
         OpDecorate %uv Location 3
         OpDecorate %colour Location 0
         OpDecorate %image DescriptorSet 0
         OpDecorate %image Binding 1
         OpDecorate %texture DescriptorSet 0
         OpDecorate %texture Binding 2",
        &format!(
            "%frag_coord = OpVariable %in_vec4 Input
             %uv = OpVariable %in_vec2 Input
             %colour = OpVariable %out_vec4 Output
             %image = OpVariable %in_tex UniformConstant
             %texture = OpVariable %in_combined UniformConstant
             {extra}
             %main = OpFunction %void None %to_void
             %start = OpLabel
             {body}
             OpReturn
             OpFunctionEnd"
        ),
    )
}

/// The own pixel as integers in `%pixel`.
const PIXEL: &str = "
    %coord = OpLoad %vec4 %frag_coord
    %coord_xy = OpVectorShuffle %vec2 %coord %coord 0 1
    %pixel = OpConvertFToS %ivec2 %coord_xy";
