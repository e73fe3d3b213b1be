//! What a program destroys leaves nothing behind, and what never comes again is forgotten.

use tilelint::call::listing::parse;
use tilelint::call::{Call, Entry};
use tilelint::config::Config;
use tilelint::model::MAX_VARIANTS;
use tilelint::rule::Needs;
use tilelint::session::Session;

/// A frame that makes everything that it uses, and destroys it again.
const FRAME: &str = "calls version=1 targets=quest2
set-layout slots bindings=0:COMBINED_IMAGE_SAMPLER:FRAGMENT,1:UNIFORM_BUFFER:FRAGMENT
pipeline-layout lit-layout sets=slots
pipeline lit layout=lit-layout shaders=none depth_test=off depth_write=off
memory heap size=16MiB type=device
image scene format=R8G8B8A8_UNORM extent=512x512 usage=COLOR_ATTACHMENT|SAMPLED memory=?
bind scene memory=heap+0
image screen format=R8G8B8A8_UNORM extent=512x512 usage=COLOR_ATTACHMENT memory=?
bind screen memory=heap+4MiB
view scene-view of=scene
sampler linear
buffer constants size=256 usage=UNIFORM_BUFFER
descriptor-set material layout=slots
write material binding=0 type=COMBINED_IMAGE_SAMPLER images=scene:SHADER_READ_ONLY_OPTIMAL
write material binding=1 type=UNIFORM_BUFFER buffers=constants
semaphore drawn
fence done
query-pool times type=TIMESTAMP count=2
event split
name scene text=\"the scene\"
commands work
  timestamp times index=0 stage=TOP_OF_PIPE
  pass one
    attach scene load=CLEAR store=STORE
    draw vertices=3
  end
  pass two
    attach screen load=CLEAR store=STORE
    bind-pipeline lit
    bind-sets material layout=lit-layout
    draw vertices=3
  end
end
submit graphics commands=work signal=drawn fence=done
wait fences=done
frame
destroy split
destroy times
destroy done
destroy drawn
destroy material
destroy constants
destroy linear
destroy scene-view
destroy screen
destroy scene
destroy heap
destroy lit
destroy lit-layout
destroy slots
destroy work
";

/// What the model holds after so many frames.
fn sizes(session: &Session) -> Vec<(&'static str, usize)> {
    session.devices()[0].table_sizes()
}

#[test]
fn ten_thousand_frames_leave_what_a_hundred_do() {
    let listing = parse(FRAME).expect("the listing is right");
    let is_device =
        |entry: &&Entry| matches!(entry.call, Call::Device(_) | Call::MemoryType { .. });
    let (device, frame): (Vec<_>, Vec<_>) = listing.entries.iter().partition(is_device);
    let mut session: Session = Config::new().session(Needs::ALL);
    device.into_iter().for_each(|entry| drop(session.apply(entry)));
    let mut after_hundred = Vec::new();
    for number in 1..=10_000 {
        frame.iter().for_each(|entry| drop(session.apply(entry)));
        if number == 100 {
            after_hundred = sizes(&session);
        }
    }
    assert_eq!(session.devices()[0].frame_counts().0, 10_000);
    assert!(!session.findings().is_empty(), "the frame has something to say");
    assert_eq!(sizes(&session), after_hundred);
    // What the listing makes by itself for passes and draws is never destroyed, and stores wait for
    // the end of the frame that ended them.
    let own = ["pipeline layouts", "pipelines", "render passes", "framebuffers", "views"];
    let rest = ["queues", "names", "stores", "verdicts", "pass keys", "variants"];
    let alive: Vec<_> = after_hundred.iter().filter(|(_, count)| *count != 0).collect();
    let known = |table: &str| own.contains(&table) || rest.contains(&table);
    assert!(alive.iter().all(|(table, count)| known(table) && *count < 8), "{alive:?}");
}

/// A frame that comes again: what its pass draws is never used.
const STEADY: &str = "calls version=1 targets=quest2
image scene format=R8G8B8A8_UNORM extent=512x512 usage=COLOR_ATTACHMENT
pass one
  attach scene load=CLEAR store=STORE
  draw vertices=3
end
submit graphics
frame
";

/// A number in letters: numbers in names count for nothing.
fn letters(number: usize) -> String {
    let digits = std::iter::successors(Some(number), |n| Some(n / 26).filter(|n| *n != 0));
    digits.map(|n| char::from(b'a' + (n % 26) as u8)).collect()
}

/// A frame like no other: its passes have their own names, sizes, targets and number of draws.
fn unlike(number: usize) -> String {
    let name = letters(number);
    let extent = format!("{}x{}", 65 + number % 1000, 65 + number / 1000);
    let images = [format!("target-{name}"), format!("other-{name}")];
    let mut text = "calls version=1 targets=quest2\n".to_owned();
    for image in &images {
        text += &format!("image {image} format=R32G32B32A32_SFLOAT extent={extent} ");
        text += "usage=COLOR_ATTACHMENT|SAMPLED\n";
    }
    for pass in ["one", "two", "three", "four", "five"] {
        text += &format!("pass {pass}-{name}\n");
        text +=
            &images.each_ref().map(|i| format!("  attach {i} load=LOAD store=STORE\n")).concat();
        text += &"  draw vertices=3\n".repeat(number % 7 + 1);
        text += "end\n";
    }
    text + "submit graphics\nframe\n" + &images.map(|image| format!("destroy {image}\n")).concat()
}

/// A session that has seen the device of a listing, and the other entries.
fn begun(text: &str) -> (Session, Vec<Entry>) {
    let listing = parse(text).expect("the listing is right");
    let is_device = |entry: &Entry| matches!(entry.call, Call::Device(_) | Call::MemoryType { .. });
    let mut session: Session = Config::new().session(Needs::ALL);
    let (device, rest): (Vec<_>, Vec<_>) = listing.entries.into_iter().partition(is_device);
    device.iter().for_each(|entry| drop(session.apply(entry)));
    (session, rest)
}

#[test]
fn frames_that_never_come_again_are_forgotten() {
    let (mut session, steady) = begun(STEADY);
    let (made, steady): (Vec<_>, Vec<_>) =
        steady.into_iter().partition(|entry| matches!(entry.call, Call::Image(..)));
    let all = |session: &Session| {
        let model = sizes(session).into_iter();
        model.chain(session.table_sizes()).collect::<Vec<_>>()
    };
    let run = |session: &mut Session, entries: &[Entry]| {
        entries.iter().for_each(|entry| drop(session.apply(entry)));
    };
    let found = |session: &Session, rule: &str| {
        session.findings().into_iter().any(|f| f.rule == rule && !f.only_unsteady)
    };
    let (mut half, n_frames) = (Vec::new(), 4_200);
    for number in 0..n_frames {
        let listing = parse(&unlike(number)).expect("the listing is right");
        let is_frame =
            |entry: &Entry| !matches!(entry.call, Call::Device(_) | Call::MemoryType { .. });
        let entries: Vec<_> = listing.entries.into_iter().filter(is_frame).collect();
        run(&mut session, &entries);
        if number == n_frames / 2 {
            half = all(&session);
        }
    }
    let late = all(&session);
    let bounds = [
        ("variants", MAX_VARIANTS),
        ("verdicts", 6 * MAX_VARIANTS),
        ("judged variants", MAX_VARIANTS),
        ("pass lines", 8192),
        ("candidates", 8192),
        ("held back", 2 * 8192),
        ("shapes", 4096),
        ("said of shapes", 1 << 17),
        ("kinds of frame", 4096),
        ("pass keys", 4096),
    ];
    let bound = |table| bounds.iter().find(|(name, _)| *name == table).map(|(_, bound)| *bound);
    for ((table, half), (_, late)) in half.iter().zip(&late) {
        match bound(*table) {
            Some(bound) => assert!(*late > 0 && *late <= bound, "{table}: {late} of {bound}"),
            None => assert_eq!(late, half, "{table}"),
        }
    }
    // Steady frames are still judged.
    assert!(!found(&session, "dead-render-pass"));
    run(&mut session, &made);
    (0..8).for_each(|_| run(&mut session, &steady));
    assert!(found(&session, "dead-render-pass"));
}

#[test]
fn a_program_without_frames_fills_no_memory() {
    let text = "calls version=1 targets=quest2\ncommands work\n  dispatch groups=1x1x1\nend\n\
                submit graphics commands=work\n";
    let (mut session, entries) = begun(text);
    let (made, submits): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|entry| !matches!(entry.call, Call::Submit(_)));
    made.iter().for_each(|entry| drop(session.apply(entry)));
    let steps = |session: &Session| {
        let sizes = sizes(session);
        sizes.iter().find(|(table, _)| *table == "steps of the frame").map(|(_, n)| *n)
    };
    let mut most = 0;
    for _ in 0..50_000 {
        submits.iter().for_each(|entry| drop(session.apply(entry)));
        most = most.max(steps(&session).expect("there is such a table"));
    }
    assert!(most > 1 << 15 && most <= 1 << 16, "{most} steps");
}

#[test]
fn a_program_that_stops_presenting_fills_no_memory() {
    let text = "calls version=1 targets=quest2\n\
                image scene format=R8G8B8A8_UNORM extent=64x64 usage=COLOR_ATTACHMENT\n\
                swapchain screen format=R8G8B8A8_UNORM extent=64x64\npresent screen\n\
                pass scene\n  attach scene load=CLEAR store=STORE\n  draw vertices=3\nend\n\
                submit graphics\n";
    let (mut session, entries) = begun(text);
    let (made, submits): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|entry| !matches!(entry.call, Call::Submit(_)));
    made.iter().for_each(|entry| drop(session.apply(entry)));
    let mut most = 0;
    for _ in 0..100_000 {
        submits.iter().for_each(|entry| drop(session.apply(entry)));
        let sizes = sizes(&session);
        let stores = sizes.iter().find(|(table, _)| *table == "stores").map(|(_, n)| *n);
        most = most.max(stores.expect("there is such a table"));
    }
    assert!(most > 1 << 14 && most <= 1 << 16, "{most} stores");
}
