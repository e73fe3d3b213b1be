//! Short forms of passes.

use ash::vk;
use tilelint::call::*;

use crate::{begins, pipelines, recordings, render_passes, with_images};

#[test]
fn short_passes_make_their_objects_once() {
    let entries = with_images(
        "repeat 3\n  pass main\n    attach ms load=CLEAR store=DONT_CARE resolve=color@1/1\n    \
         attach depth load=LOAD store=DONT_CARE clear=0.5,3\n    attach small load=LOAD \
         store=STORE as=input\n    draw vertices=3\n  end\n  frame\nend\n",
    );
    let passes = render_passes(&entries);
    assert_eq!(passes.len(), 1);
    let framebuffers: Vec<_> = entries
        .iter()
        .filter_map(|e| match &e.call {
            Call::Framebuffer(_, info) => Some(info),
            _ => None,
        })
        .collect();
    assert_eq!(framebuffers.len(), 1);
    let extent = framebuffers[0].extent;
    assert_eq!((extent.width, extent.height), (16, 16), "the smallest of each: mip 1 of color");
    let attachments = &passes[0].attachments;
    let labels: Vec<&str> = attachments.iter().map(|a| &*a.label).collect();
    assert_eq!(labels, ["ms", "depth", "small", "color"]);
    use vk::ImageLayout as L;
    let layouts: Vec<_> = attachments.iter().map(|a| (a.initial, a.final_)).collect();
    assert_eq!(layouts[0], (L::UNDEFINED, L::COLOR_ATTACHMENT_OPTIMAL));
    assert_eq!(
        layouts[1],
        (L::DEPTH_STENCIL_ATTACHMENT_OPTIMAL, L::DEPTH_STENCIL_ATTACHMENT_OPTIMAL)
    );
    assert_eq!(layouts[2], (L::SHADER_READ_ONLY_OPTIMAL, L::SHADER_READ_ONLY_OPTIMAL));
    assert_eq!(layouts[3], (L::UNDEFINED, L::COLOR_ATTACHMENT_OPTIMAL));
    assert_eq!(attachments[3].load, Some(vk::AttachmentLoadOp::DONT_CARE));
    assert_eq!(attachments[3].store, Some(vk::AttachmentStoreOp::STORE));
    let subpass = &passes[0].subpasses[0];
    assert_eq!(subpass.resolve[0].map(|r| r.attachment), Some(3));
    assert_eq!(subpass.input[0].map(|r| r.attachment), Some(2));
    let begin = begins(recordings(&entries)[0])[0];
    assert_eq!(begin.clears, [Some([0; 4]), Some([0.5f32.to_bits(), 3, 0, 0])]);
    let view = entries.iter().find_map(|e| match &e.call {
        Call::View(key, view) if framebuffers[0].views[3] == Some(*key) => Some(view),
        _ => None,
    });
    let view = view.expect("the view of the resolve target");
    assert_eq!((view.base_mip, view.mips, view.base_layer, view.layers), (1, 1, 1, 1));
    assert_eq!(recordings(&entries).len(), 3, "one command buffer a frame");
}

#[test]
fn subpasses_of_short_passes() {
    let entries = with_images(
        "pass main views=0b11\n  attach ms load=CLEAR store=DONT_CARE\n  attach depth load=CLEAR \
         store=STORE resolve=out stencil_resolve_mode=SAMPLE_ZERO\n  attach color load=DONT_CARE \
         store=STORE\n  subpass gbuffer color=ms depth=depth\n  subpass light color=color \
         input=depth views=0b1\n  dependency gbuffer->light src_stage=LATE_FRAGMENT_TESTS \
         dst_stage=FRAGMENT_SHADER\n  draw vertices=3\n  next-subpass\n  draw vertices=3\nend\n"
            .replace(
                "pass main",
                "image out format=D24_UNORM_S8_UINT extent=64x32 \
                usage=DEPTH_STENCIL_ATTACHMENT layers=2\npass main",
            )
            .as_str(),
    );
    let pass = render_passes(&entries)[0];
    assert_eq!(pass.subpasses.iter().map(|s| s.view_mask).collect::<Vec<_>>(), [3, 1]);
    let resolve = pass.subpasses[0].depth_resolve.expect("depth is resolved");
    assert_eq!(&*pass.attachments[resolve.target.attachment as usize].label, "out");
    assert_eq!(pass.attachments[3].stencil_store, Some(vk::AttachmentStoreOp::STORE));
    assert_eq!((pass.dependencies[0].src, pass.dependencies[0].dst), (0, 1));
    assert_eq!(pass.attachments[1].final_, vk::ImageLayout::DEPTH_STENCIL_READ_ONLY_OPTIMAL);
    let made = pipelines(&entries);
    let shape: Vec<_> = made.iter().map(|(name, p)| (*name, p.subpass, p.samples)).collect();
    assert_eq!(shape, [("default", 0, 4), ("default", 1, 1)]);
    assert!(made[0].1.depth_write && !made[1].1.depth_test);
    let input = entries.iter().find_map(|e| match &e.call {
        Call::Write(write) => Some(write.kind),
        _ => None,
    });
    assert_eq!(input, Some(vk::DescriptorType::INPUT_ATTACHMENT));
}

#[test]
fn dynamic_passes() {
    let entries = with_images(
        "pass main via=dynamic\n  attach ms load=CLEAR store=DONT_CARE resolve=color \
         clear=1,0,0,1\n  \
         attach depth load=CLEAR store=STORE stencil_load=LOAD stencil_store=NONE\n  draw \
         vertices=3\nend\n",
    );
    assert!(render_passes(&entries).is_empty());
    let begin = begins(recordings(&entries)[0])[0];
    let PassTarget::Dynamic(rendering) = &begin.target else { panic!("{begin:?}") };
    let roles: Vec<_> = rendering.attachments.iter().map(|a| a.role).collect();
    assert_eq!(roles, [RenderingRole::Color(0), RenderingRole::Depth, RenderingRole::Stencil]);
    let color = &rendering.attachments[0];
    assert_eq!(color.resolve_mode, vk::ResolveModeFlags::AVERAGE);
    assert!(color.resolve_view.is_some());
    assert_eq!(color.clear, Some([1f32.to_bits(), 0, 0, 1f32.to_bits()]));
    let stencil = &rendering.attachments[2];
    assert_eq!(stencil.load, Some(vk::AttachmentLoadOp::LOAD));
    assert_eq!(stencil.store, Some(vk::AttachmentStoreOp::NONE));
    let formats = &pipelines(&entries)[0].1.formats;
    assert_eq!(formats.len(), 3);
    assert_eq!(begin.area.extent.width, 64);
}
