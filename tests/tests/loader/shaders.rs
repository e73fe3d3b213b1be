//! Shaders that are no objects of their own.

use super::world::World;
use super::{DEPTH, EXTENT, enabled};
use ash::vk;
use tilelint_tests::harness::in_child;

/// The header of a module with nothing in it, as far as the driver that renders nothing asks.
const CODE: [u32; 5] = [0x0723_0203, 0x0001_0000, 0, 1, 0];

/// Makes a pipeline whose code stands in the chain of its stage, and ends.
fn pipeline(world: &World) {
    let info = vk::PipelineLayoutCreateInfo::default();
    // SAFETY: the info is valid.
    let layout = unsafe { world.device.create_pipeline_layout(&info, None) }.unwrap();
    let mut code = vk::ShaderModuleCreateInfo::default().code(&CODE);
    let stage = vk::PipelineShaderStageCreateInfo::default()
        .stage(vk::ShaderStageFlags::COMPUTE)
        .name(c"main")
        .push_next(&mut code);
    let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
    let cache = vk::PipelineCache::null();
    // SAFETY: the layout lives, and the stage has its code.
    let made = unsafe { world.device.create_compute_pipelines(cache, &[info], None) };
    for pipeline in made.unwrap() {
        // SAFETY: nothing uses it.
        unsafe { world.device.destroy_pipeline(pipeline, None) };
    }
    // SAFETY: its pipeline is gone.
    unsafe { world.device.destroy_pipeline_layout(layout, None) };
}

#[test]
fn code_in_the_chain_of_a_stage_is_a_shader() {
    let ran = in_child("shaders::code_in_the_chain_of_a_stage_is_a_shader", enabled, || {
        let world = World::new(&[], &[]);
        pipeline(&world);
        let depth = world.depth(DEPTH, EXTENT);
        world.frames(&depth, 6);
        world.destroy(vec![depth]);
        let recording = std::fs::read_to_string("tilelint.calls").unwrap();
        let at = |part: &str| {
            let at = recording.lines().position(|line| line.starts_with(part));
            at.unwrap_or_else(|| panic!("no {part:?} in\n{recording}"))
        };
        let lines = [
            at("shader shader.0 file=tilelint.calls.shaders/0.spv"),
            at("pipeline pipeline.0 layout=pipeline-layout.0 shaders=shader.0 stages=COMPUTE"),
            at("destroy shader.0"),
            at("destroy pipeline.0"),
        ];
        assert!(lines.is_sorted(), "{recording}");
        let bytes: Vec<u8> = CODE.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(std::fs::read("tilelint.calls.shaders/0.spv").unwrap(), bytes);
    });
    if let Some(ran) = ran {
        assert!(ran.stderr.contains("warning[non-transient]"), "{}", ran.stderr);
    }
}
