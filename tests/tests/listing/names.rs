//! Names, line numbers, lines for diagnostics.

use tilelint::call::listing::{Header, attach_line, key_span, parse, print, rendering_line};
use tilelint::call::*;

use crate::{begins, error, recordings, render_passes, round_trip, with_images};

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

#[test]
fn objects_that_were_destroyed_can_still_be_printed() {
    let device = DeviceKey(1);
    let fence = FenceKey(0x70);
    let mut named = Entry::new(device, Call::Fence(fence, false));
    named.name = Some("done".into());
    let entries = [
        Entry::new(device, Call::Device(Box::default())),
        named.clone(),
        Entry::new(device, Call::Destroy(fence.into())),
        Entry::new(device, Call::FenceReset(vec![fence])),
        named,
    ];
    let printed = print(&Header::default(), &entries);
    let lines: Vec<&str> = printed.lines().skip(2).collect();
    assert_eq!(lines, ["fence done", "destroy done", "fence-reset fence.0", "fence done"]);
    assert!(parse(&printed).is_ok());
}

#[test]
fn long_lists_take_further_lines() {
    let list = |word: &str, count: usize| {
        (0..count).map(|i| format!("{word}_{i}")).collect::<Vec<_>>().join(",")
    };
    let long = "x".repeat(60);
    let views = vec![format!("{long}:DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL"); 30].join(",");
    let write = |element: usize, joined: &str| {
        format!("write t binding=0 type=SAMPLED_IMAGE element={element} images={views}{joined}\n")
    };
    let text = format!(
        "device d extensions={}\ndevice d features={} joined=on\nqueue q\nimage i format=R8_UNORM \
         extent=1x1 usage=SAMPLED memory=none\nview {long} of=i\nset-layout l \
         bindings=0:SAMPLED_IMAGE*99:FRAGMENT\ndescriptor-set t layout=l\n{}{}{}",
        list("VK_EXT_an_extension", 150),
        list("descriptorBindingSampledImageUpdateAfterBind", 70),
        write(0, ""),
        write(30, " joined=on"),
        write(60, " joined=on"),
    );
    let printed = round_trip(&text);
    assert!(printed.lines().all(|line| line.len() <= 4096));
    let entries = parse(&printed).expect("it was read just now").entries;
    let Call::Device(device) = &entries[0].call else { panic!("{printed}") };
    assert_eq!((device.extensions.len(), device.features.len()), (150, 70));
    let Some(Call::Write(write)) = entries.last().map(|e| &e.call) else { panic!("{printed}") };
    assert_eq!((write.element, write.descriptors.len()), (0, 90));
    assert!(error("device d features=a joined=on").contains("`joined` needs"));
}

#[test]
fn long_texts_are_cut() {
    let device = DeviceKey(1);
    let text = "é".repeat(5000).into();
    let entries = [
        Entry::new(device, Call::Device(Box::default())),
        Entry::new(device, Call::Name(FenceKey(1).into(), text)),
    ];
    let printed = print(&Header::default(), &entries);
    assert!(printed.lines().all(|line| line.len() <= 4096));
    assert!(parse(&printed).is_ok());
    assert!(printed.ends_with("é…\"\n"));
}
