//! What a program destroys leaves nothing behind.

use tilelint::call::listing::parse;
use tilelint::call::{Call, Entry};
use tilelint::config::Config;
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
    let rest = ["queues", "names", "stores", "verdicts"];
    let alive: Vec<_> = after_hundred.iter().filter(|(_, count)| *count != 0).collect();
    let known = |table: &str| own.contains(&table) || rest.contains(&table);
    assert!(alive.iter().all(|(table, count)| known(table) && *count < 8), "{alive:?}");
}
