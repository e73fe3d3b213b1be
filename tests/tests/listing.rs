//! The listing: both examples of the format, round trips, errors, names, line numbers.

use ash::vk;
use tilelint::call::listing::{
    Header, attach_line, key_span, parse, parse_with_header, print, rendering_line,
};
use tilelint::call::*;

const SHORT: &str = include_str!("listing/short.calls");
const VERBS: &str = include_str!("listing/verbs.calls");
const FULL: &str = include_str!("listing/full.calls");

#[test]
fn examples_are_read() {
    for text in [SHORT, FULL] {
        if let Err(error) = parse(text) {
            panic!("{error}");
        }
    }
}

fn round_trip(text: &str) -> String {
    let read = parse(text).unwrap_or_else(|error| panic!("{error}"));
    let printed = print(&read.header, &read.entries);
    let again = parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert_eq!(read.header, again.header);
    for (index, (a, b)) in read.entries.iter().zip(&again.entries).enumerate() {
        assert_eq!(a, b, "entry {index} of\n{printed}");
    }
    assert_eq!(read.entries.len(), again.entries.len(), "{printed}");
    assert_eq!(print(&again.header, &again.entries), printed);
    printed
}

#[test]
fn examples_round_trip() {
    round_trip(SHORT);
    round_trip(FULL);
}

#[test]
fn every_verb_round_trips() {
    let printed = round_trip(VERBS);
    for line in VERBS.lines() {
        let verb = line.split_whitespace().next().unwrap_or("end");
        let found = printed.lines().any(|l| l.split_whitespace().next() == Some(verb));
        assert!(found, "no {verb} in\n{printed}");
    }
}

fn error(text: &str) -> String {
    match parse(text) {
        Ok(_) => panic!("this was read:\n{text}"),
        Err(error) => error.to_string(),
    }
}

const IMAGES: &str = "\
image color format=R8G8B8A8_UNORM extent=64x32 usage=COLOR_ATTACHMENT|SAMPLED mips=3 layers=2
image ms format=R8G8B8A8_UNORM extent=64x32 usage=COLOR_ATTACHMENT samples=4
image depth format=D24_UNORM_S8_UINT extent=64x32 usage=DEPTH_STENCIL_ATTACHMENT|SAMPLED
image small format=R32_UINT extent=16x64 usage=COLOR_ATTACHMENT|INPUT_ATTACHMENT
";

/// The calls of the images of `IMAGES` followed by more lines; these begin with line 5.
fn with_images(text: &str) -> Vec<Entry> {
    let text = format!("{IMAGES}{text}");
    round_trip(&text);
    parse(&text).expect("it was read just now").entries
}

fn render_passes(entries: &[Entry]) -> Vec<&RenderPassInfo> {
    entries
        .iter()
        .filter_map(|e| match &e.call {
            Call::RenderPass(_, info) => Some(&**info),
            _ => None,
        })
        .collect()
}

fn recordings(entries: &[Entry]) -> Vec<&Recording> {
    entries
        .iter()
        .filter_map(|e| match &e.call {
            Call::Commands(_, recording) => Some(&**recording),
            _ => None,
        })
        .collect()
}

fn begins(recording: &Recording) -> Vec<&PassBegin> {
    recording
        .commands
        .iter()
        .filter_map(|c| match c {
            Command::BeginPass(begin) => Some(&**begin),
            _ => None,
        })
        .collect()
}

fn pipelines(entries: &[Entry]) -> Vec<(&str, &PipelineInfo)> {
    entries
        .iter()
        .filter_map(|e| match &e.call {
            Call::Pipeline(_, info) => Some((e.name.as_deref().unwrap_or(""), &**info)),
            _ => None,
        })
        .collect()
}

#[test]
fn errors_name_the_place_and_the_nearest_word() {
    let pass = format!("{IMAGES}pass main\n  attach color load=CLEAR stroe=STORE\nend\n");
    let message = error(&pass);
    assert!(
        message.starts_with("line 6, column 27: unknown key \"stroe\"; did you mean \"store\"?")
    );
    assert!(message.contains("valid: load, store, stencil_load"), "{message}");

    let message = error(&pass.replace("stroe=STORE", "store=STROE"));
    assert!(
        message.starts_with("line 6, column 33: unknown value \"STROE\"; did you mean \"STORE\"?")
    );

    let message = error(&pass.replace("color load=CLEAR stroe", "colour load=CLEAR store"));
    assert!(
        message.starts_with("line 6, column 10: unknown image or view or swapchain \"colour\"")
    );
    assert!(message.contains("did you mean \"color\"?"), "{message}");

    let message = error("imgae x\n");
    assert!(
        message.starts_with("line 1, column 1: unknown verb \"imgae\"; did you mean \"image\"?")
    );

    let message = error("image x format=R8_UNORM extent=1x1 usage=SAMPLED|STORGE");
    assert!(
        message
            .starts_with("line 1, column 50: unknown flag \"STORGE\"; did you mean \"STORAGE\"?")
    );
    for (text, expected) in [
        ("image x format=R8_UNORM usage=SAMPLED", "line 1, column 1: `image` needs `extent=`"),
        (
            "image x format=R8_UNORM extent=4 usage=SAMPLED",
            "line 1, column 32: \"4\" is not a size",
        ),
        ("image none format=R8_UNORM extent=1x1 usage=SAMPLED", "column 7: \"none\" cannot be"),
        ("fence a\n# note\nsemaphore a", "line 3, column 11: the fence \"a\" exists already"),
        ("fence a signaled=on signaled=off", "column 21: `signaled` is given twice"),
        ("fence a signaled=", "column 18: `signaled` has no value"),
        ("fence a b", "column 9: \"b\" has no meaning here"),
        ("fence a\nwait fences=b", "line 2, column 13: unknown fence \"b\"; valid: a"),
        ("end", "`end` without a block"),
        ("commands a", "`commands` has no `end`"),
        ("repeat x\nend", "`repeat` needs a number"),
        ("repeat 0\nend", "`repeat` needs a number"),
        ("repeat 1000000\nrepeat 1000000\nframe\nend\nend", "too many rounds"),
        ("draw vertices=3", "outside a pass"),
        ("pass a\nend", "needs `extent=`"),
        ("pass a extent=1x1\nframe\nend", "`frame` cannot stand here"),
        ("next-subpass", "outside a pass"),
        ("calls version=2", "only version 1"),
        ("calls targets=x", "`calls` needs `version=`"),
        ("frame\ncalls version=1", "only be the first line"),
        ("set", "needs a state"),
        ("set depht_test=on", "unknown key \"depht_test\"; did you mean \"depth_test\"?"),
        ("fence a text=\"open", "unknown key \"text\""),
        ("label text=\"open", "the closing quote is missing"),
        ("label text=\"a\\q\"", "only \\\""),
    ] {
        let message = error(text);
        assert!(message.contains(expected), "{text}: {message}");
    }
}

#[test]
fn lines_have_at_most_4096_bytes() {
    let line = |bytes: usize| format!("frame # {}", "x".repeat(bytes - 8));
    assert!(parse(&line(4096)).is_ok());
    assert!(error(&line(4097)).contains("a line has at most 4096 bytes"));
}

#[test]
fn headers() {
    let listing = parse_with_header("calls targets=quest2", "frame\n").expect("a header");
    assert_eq!(listing.header.targets, ["quest2"]);
    assert_eq!(listing.header.version, 1);
    assert!(listing.has_frames);
    let listing = parse("").expect("nothing is a listing");
    assert_eq!(listing.header, Header::default());
    assert!(listing.entries.is_empty());
    let listing = parse("# note\ncalls version=1 first_frame=7 excerpt=on\n").expect("a header");
    assert_eq!((listing.header.first_frame, listing.header.excerpt), (7, true));
}

#[test]
fn names_become_keys_and_can_be_used_again() {
    let text =
        "fence a\nfence b\ndestroy a\nfence c\nfence a\nfence fence.4\nfence x name=\"A b\"\n";
    round_trip(text);
    let entries = parse(text).expect("fences").entries;
    let fences: Vec<(u64, Option<&str>)> = entries
        .iter()
        .filter_map(|e| match e.call {
            Call::Fence(key, _) => Some((key.0, e.name.as_deref())),
            _ => None,
        })
        .collect();
    let expected = [
        (1, Some("a")),
        (2, Some("b")),
        (3, Some("c")),
        (1, Some("a")),
        (4, None),
        (5, Some("A b")),
    ];
    assert_eq!(fences, expected);
    assert!(error("fence a\ndestroy a\nfence-reset a\n").contains("unknown fence \"a\""));
}

#[test]
fn printed_names_are_unique() {
    let device = DeviceKey(1);
    let fence = |key: u64, name: Option<&str>| {
        let mut entry = Entry::new(device, Call::Fence(FenceKey(key), false));
        entry.name = name.map(Into::into);
        entry
    };
    let mut entries = vec![Entry::new(device, Call::Device(Box::default()))];
    entries.extend([
        fence(0x70, Some("a b")),
        fence(0x71, Some("a.b")),
        fence(0x72, Some("a b")),
        fence(0x73, None),
        fence(0x74, None),
        fence(0x75, Some("fence.2")),
        fence(0x76, None),
        fence(0x77, Some("none")),
        fence(0x78, Some("")),
    ]);
    entries.push(Entry::new(device, Call::FenceReset(vec![FenceKey(0x71), FenceKey(0x99)])));
    let printed = print(&Header::default(), &entries);
    let lines: Vec<&str> = printed.lines().skip(2).collect();
    let expected = [
        "fence a_b name=\"a b\"",
        "fence a.b",
        "fence a_b.2 name=\"a b\"",
        "fence fence.0",
        "fence fence.1",
        "fence fence.2 name=\"fence.2\"",
        "fence fence.3",
        "fence _none name=\"none\"",
        "fence _ name=\"\"",
        "fence-reset a.b,fence.4",
    ];
    assert_eq!(lines, expected);
    assert!(parse(&printed).is_ok());
}

#[test]
fn lines_are_kept() {
    let entries = with_images(
        "pass main # line 5\n  attach ms load=CLEAR store=DONT_CARE resolve=color\n\n  \
         attach depth load=CLEAR store=DONT_CARE\n  draw vertices=3 # 9\nend\nframe # 11\n",
    );
    let pass = render_passes(&entries)[0];
    let lines: Vec<u32> = pass.attachments.iter().map(|a| a.line.0).collect();
    assert_eq!(lines, [6, 8, 6]);
    assert_eq!(pass.subpasses[0].line.0, 6);
    let recording = recordings(&entries)[0];
    let begin = begins(recording)[0];
    assert_eq!(begin.line.0, 5);
    assert_eq!(begin.attach_lines.iter().map(|l| l.0).collect::<Vec<_>>(), [6, 8, 6]);
    assert_eq!(recording.lines.iter().map(|l| l.0).collect::<Vec<_>>(), [5, 9, 9, 10]);
    assert_eq!(entries.last().map(|e| e.line.0), Some(11));
    assert_eq!(entries[0].line.0, 0, "the implicit device has no line");
    let entries = parse(
        "renderpass r\n  attach a load=LOAD store=STORE format=R8_UNORM\n  subpass color=a\n  \
         subpass color=a\n  dependency 0->1 src_stage=0 dst_stage=0\nend\n",
    );
    let entries = entries.expect("a render pass").entries;
    let pass = render_passes(&entries)[0];
    assert_eq!(pass.subpasses.iter().map(|s| s.line.0).collect::<Vec<_>>(), [3, 4]);
    assert_eq!(pass.dependencies[0].line.0, 5);
}

#[test]
fn lines_of_a_repeat_are_those_of_its_first_round() {
    let entries = with_images("repeat 3\nframe\nend\n");
    let frames: Vec<u32> =
        entries.iter().filter(|e| matches!(e.call, Call::Frame { .. })).map(|e| e.line.0).collect();
    assert_eq!(frames, [6, 6, 6]);
}

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
        "pass main via=dynamic\n  attach ms load=CLEAR store=DONT_CARE resolve=color clear=1,0,0,1\n  \
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

#[test]
fn reads_and_writes_bind_exactly_these() {
    let entries = with_images(
        "buffer b size=64 usage=STORAGE_BUFFER\npass main\n  attach ms load=CLEAR store=STORE\n  draw \
         vertices=3 reads=depth,color@1 writes=b\n  draw vertices=3 reads=depth,color@1 writes=b\n  \
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
        "image x format=R8_UNORM extent=1x1 usage=SAMPLED flags=?\npass main\n  attach color load=? \
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

#[test]
fn diagnostics_can_quote_lines() {
    let line = "  attach color load=CLEAR store=STORE  # store=NONE";
    assert_eq!(key_span(line, "store"), Some(26..37));
    assert_eq!(&line[26..37], "store=STORE");
    assert_eq!(key_span(line, "stor"), None);
    assert_eq!(key_span("set x=\"a store=b\" store=c", "store"), Some(18..25));
    let entries =
        with_images("pass m\n  attach depth load=CLEAR store=STORE stencil_load=LOAD\nend\n");
    let attachment = &render_passes(&entries)[0].attachments[0];
    assert_eq!(
        attach_line("depth", attachment, None, Some("out")),
        "attach depth load=CLEAR store=STORE stencil_load=LOAD resolve=out"
    );
    let entries = with_images("pass m via=dynamic\n  attach depth load=CLEAR store=STORE\nend\n");
    let begin = begins(recordings(&entries)[0])[0];
    let PassTarget::Dynamic(rendering) = &begin.target else { panic!("{begin:?}") };
    let [depth, stencil] = &rendering.attachments[..] else { panic!("{rendering:?}") };
    assert_eq!(
        rendering_line("depth", depth, Some(stencil), None),
        "attach depth load=CLEAR store=STORE"
    );
}
