//! Short forms of commands, pipelines, swapchains; unknown values.

use ash::vk;
use tilelint::call::*;

use crate::{pipelines, recordings, render_passes, with_images};

#[test]
fn reads_and_writes_bind_exactly_these() {
    let entries = with_images(
        "buffer b size=64 usage=STORAGE_BUFFER\npass main\n  attach ms load=CLEAR store=STORE\n  \
         draw vertices=3 reads=depth,color@1 writes=b\n  draw vertices=3 \
         reads=depth,color@1 writes=b\n  \
         draw vertices=3\nend\ndispatch groups=1x1x1 writes=small\n",
    );
    let writes: Vec<_> = entries
        .iter()
        .filter_map(|e| match &e.call {
            Call::Write(write) => Some((write.binding, write.kind, write.descriptors[0])),
            _ => None,
        })
        .collect();
    use vk::DescriptorType as T;
    let kinds: Vec<_> = writes.iter().map(|(binding, kind, _)| (*binding, *kind)).collect();
    let images = [(0, T::SAMPLED_IMAGE), (1, T::SAMPLED_IMAGE), (2, T::STORAGE_BUFFER)];
    assert_eq!(kinds[..3], images);
    assert_eq!(kinds[3..], [(0, T::STORAGE_IMAGE)]);
    let aspects: Vec<_> = entries
        .iter()
        .filter_map(|e| match &e.call {
            Call::View(_, view) if !view.aspects.is_empty() => Some(view.aspects),
            _ => None,
        })
        .collect();
    assert_eq!(aspects, [vk::ImageAspectFlags::DEPTH], "of depth and stencil, depth is read");
    let commands = &recordings(&entries)[0].commands;
    let binds = commands.iter().filter(|c| matches!(c, Command::BindPipeline { .. })).count();
    let sets = commands.iter().filter(|c| matches!(c, Command::BindSets { .. })).count();
    assert_eq!((binds, sets), (3, 2), "{commands:?}");
}

#[test]
fn pipelines_fit_the_subpass_they_are_used_in() {
    let entries = with_images(
        "shader f file=f.spv stage=FRAGMENT\npipeline g shaders=f depth_write=off\npipeline idle \
         shaders=f\nrepeat 2\npass one\n  attach ms load=CLEAR store=STORE\n  draw vertices=3 \
         pipeline=g times=2\n  draw vertices=3 pipeline=g\n  draw vertices=3 pipeline=default\n\
         end\npass two\n  attach color load=CLEAR store=STORE\n  bind-pipeline g\n  draw \
         vertices=3\nend\nend\nframe\ndestroy g\n",
    );
    let made = pipelines(&entries);
    let names: Vec<_> = made.iter().map(|(name, p)| (*name, p.samples, p.pass.is_some())).collect();
    let expected = [("g", 4, true), ("default", 4, true), ("g", 1, true), ("idle", 1, false)];
    assert_eq!(names, expected);
    let destroyed = entries.iter().filter(|e| matches!(e.call, Call::Destroy(_))).count();
    assert_eq!(destroyed, 2);
}

#[test]
fn swapchains_are_acquired_where_no_line_does() {
    let text = "swapchain screen format=B8G8R8A8_UNORM extent=64x32 images=2\nrepeat 3\npass a\n  \
                attach screen load=CLEAR store=STORE\nend\npass b\n  attach screen load=LOAD \
                store=STORE\nend\npresent screen\nend\n";
    let entries = with_images(text);
    let order: Vec<&str> = entries
        .iter()
        .filter_map(|e| match &e.call {
            Call::Acquire(_) => Some("acquire"),
            Call::Submit(_) => Some("submit"),
            Call::Present(_) => Some("present"),
            _ => None,
        })
        .collect();
    assert_eq!(order, ["acquire", "submit", "present"].repeat(3));
    let images: Vec<u32> = entries
        .iter()
        .filter_map(|e| match &e.call {
            Call::Present(present) => Some(present.image),
            _ => None,
        })
        .collect();
    assert_eq!(images, [0, 1, 0]);
    let submit = entries.iter().find_map(|e| match &e.call {
        Call::Submit(submit) => Some(submit),
        _ => None,
    });
    let batch = &submit.expect("a submit").batches[0];
    assert_eq!(batch.waits[0].stages, vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT);
    assert_eq!(batch.signals.len(), 1, "the present waits for it");
    let finals: Vec<_> =
        render_passes(&entries).iter().map(|pass| pass.attachments[0].final_).collect();
    use vk::ImageLayout as L;
    assert_eq!(finals, [L::COLOR_ATTACHMENT_OPTIMAL, L::PRESENT_SRC_KHR]);
    let Call::Device(device) = &entries[0].call else { panic!("no device") };
    assert!(device.has_extension("VK_KHR_swapchain"));

    let explicit = format!("semaphore s\n{text}")
        .replace("pass a", "acquire screen signal=s\npass a")
        .replace("present screen", "present screen wait=s");
    let entries = with_images(&explicit);
    let acquires = entries.iter().filter(|e| matches!(e.call, Call::Acquire(_))).count();
    assert_eq!(acquires, 3);
}

#[test]
fn unknown_values_are_silent() {
    let entries = with_images(
        "image x format=R8_UNORM extent=1x1 usage=SAMPLED flags=?\npass main\n  attach color \
         load=? \
         store=STORE\n  draw vertices=? times=2\n  draw vertices=3 kind=?\nend\nexecute ?\n",
    );
    let image = entries.iter().find_map(|e| match &e.call {
        Call::Image(_, info) if e.name.as_deref() == Some("x") => Some((info.opaque, &e.unknown)),
        _ => None,
    });
    assert_eq!(image, Some((true, &vec!["flags"])));
    let attachment = &render_passes(&entries)[0].attachments[0];
    assert_eq!(attachment.load, None);
    assert_eq!(attachment.initial, vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL);
    let commands = &recordings(&entries)[0].commands;
    assert!(matches!(commands[2], Command::Draw(Draw { vertices: 0, times: 2, .. })));
    assert!(matches!(&commands[3], Command::Opaque(o) if &*o.name == "vkCmdDraw"));
    assert!(matches!(&commands[5], Command::Execute(list) if list[0].key.is_none()));
}

#[test]
fn commands_outside_blocks_are_submitted_before_what_needs_them() {
    for last in ["wait-idle", "frame", "host-read color", "", "submit compute"] {
        let text = format!("clear color\ncommands b\nend\nsignal t value=2\n{last}\n");
        let entries = with_images(&format!("semaphore t type=TIMELINE\n{text}"));
        let at = |f: fn(&Call) -> bool| entries.iter().position(|e| f(&e.call));
        let signal = at(|c| matches!(c, Call::Signal(..))).expect("the signal");
        let submit = at(|c| matches!(c, Call::Submit(_))).expect("a submit");
        assert_eq!(submit, signal + 2, "{last}");
    }
}
