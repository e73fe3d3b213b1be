//! The listing: both examples of the format, round trips, errors, names, line numbers.

mod names;
mod passes;
mod random;
mod short;

use tilelint::call::listing::{Header, parse, parse_with_header, print};
use tilelint::call::*;

const SHORT: &str = include_str!("short.calls");

const VERBS: &str = include_str!("verbs.calls");

const FULL: &str = include_str!("full.calls");

const IMAGES: &str = "\
image color format=R8G8B8A8_UNORM extent=64x32 usage=COLOR_ATTACHMENT|SAMPLED mips=3 layers=2
image ms format=R8G8B8A8_UNORM extent=64x32 usage=COLOR_ATTACHMENT samples=4
image depth format=D24_UNORM_S8_UINT extent=64x32 usage=DEPTH_STENCIL_ATTACHMENT|SAMPLED
image small format=R32_UINT extent=16x64 usage=COLOR_ATTACHMENT|INPUT_ATTACHMENT
";

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

fn error(text: &str) -> String {
    match parse(text) {
        Ok(_) => panic!("this was read:\n{text}"),
        Err(error) => error.to_string(),
    }
}

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
fn examples_are_read() {
    for text in [SHORT, FULL] {
        if let Err(error) = parse(text) {
            panic!("{error}");
        }
    }
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
