//! What the layer sees of memory and presents in a running program: through loader, layer and null
//! driver, and once more from its recording.

use tilelint_tests::page::listings_folder;
use tilelint_tests::played::{Stage, Told, ids, linted};

/// Plays a listing; returns what was linted and what was played of a rule, and the recording.
fn both(stage: &Stage, rule: &str, name: &str, text: &str) -> (Vec<Told>, Vec<Told>, String) {
    let (listing, mut linted) = linted(text, None, &listings_folder()).unwrap();
    let mut played = stage.play(name, &listing, text, None, None).unwrap();
    let repeated = stage.repeated(name, None).unwrap_or_default();
    assert_eq!(ids(&repeated), ids(&played), "{name}: the recording");
    linted.retain(|told| told.rule == rule);
    played.retain(|told| told.rule == rule);
    (linted, played, stage.recording(name).unwrap_or_default())
}

/// A copy to a buffer in memory that the host sees, and what the host does then.
fn readback(more: &str, host: &str) -> String {
    format!(
        "calls version=1 targets=quest2
image scene format=R8G8B8A8_UNORM extent=256x256 usage=COLOR_ATTACHMENT|TRANSFER_SRC
memory block size=1MiB type=host
buffer pixels size=262144 usage=TRANSFER_DST memory=none
bind pixels memory=block+0
{more}
repeat 6
  pass main
    attach scene load=CLEAR store=STORE final=TRANSFER_SRC_OPTIMAL
    draw vertices=36
  end
  copy from=scene to=pixels
{host}
  frame
end
"
    )
}

const RULE: &str = "synchronous-readback";
const OTHER: &str = "buffer staging size=65536 usage=TRANSFER_SRC memory=none\n\
                     bind staging memory=block+512KiB";
const MAPS: &str = "  map block\n  unmap block";

#[test]
fn a_buffer_is_read_where_its_own_memory_is_mapped() {
    let stage = Stage::new();
    let text = readback("", &format!("  wait-idle graphics\n{MAPS}"));
    let (linted, played, recording) = both(&stage, RULE, "mapped", &text);
    assert_eq!(linted.len(), 1, "{linted:?}");
    assert!(linted[0].text.contains("confidence=\"certain\""), "{linted:?}");
    assert_eq!(played, linted);
    assert!(recording.contains("\nbind pixels memory=block+0"), "{recording}");
}

#[test]
fn a_mapping_that_stays_is_read_where_it_is_invalidated() {
    let stage = Stage::new();
    let text = readback("map block", "  wait-idle graphics\n  host-read block");
    let (linted, played, recording) = both(&stage, RULE, "invalidated", &text);
    assert_eq!(linted.len(), 1, "{linted:?}");
    assert!(linted[0].text.contains("confidence=\"certain\""), "{linted:?}");
    assert_eq!(played, linted);
    assert!(recording.contains("host-read block"), "{recording}");
}

/// An allocator puts many buffers into one allocation: mapping it reads none of them for sure.
#[test]
fn shared_memory_may_be_mapped_for_another_buffer() {
    let stage = Stage::new();
    let (linted, played, _) = both(&stage, RULE, "shared", &readback(OTHER, MAPS));
    assert_eq!((linted, played), (vec![], vec![]));
}

/// One frame of a swapchain.
const PRESENTS: &str = "calls version=1 targets=quest2
swapchain screen format=B8G8R8A8_UNORM extent=1024x1024 mode=IMMEDIATE
repeat 6
  pass main
    attach screen load=CLEAR store=STORE
    draw vertices=36
  end
  present screen
end
";

#[test]
fn the_time_between_presents_is_recorded_where_times_count() {
    for (times, is_recorded) in [("on", true), ("off", false)] {
        // Something must be said for a recording to be made.
        let stage = Stage::new()
            .with("TILELINT_TIMES", times)
            .with("TILELINT_LEVELS", "present-mode-not-fifo=warn");
        let listing = linted(PRESENTS, None, &listings_folder()).unwrap().0;
        stage.play(times, &listing, PRESENTS, None, None).unwrap();
        let recording = stage.recording(times).unwrap();
        let presents: Vec<&str> =
            recording.lines().filter(|line| line.trim_start().starts_with("present ")).collect();
        assert!(presents.len() >= 6, "{recording}");
        // The first has none before it.
        let timed = presents.iter().filter(|line| line.contains(" time=")).count();
        assert_eq!(timed, if is_recorded { presents.len() - 1 } else { 0 }, "{recording}");
    }
}

/// A time that a present says is that of the frame which it ends.
#[test]
fn the_time_of_a_present_is_its_frames() {
    let said = |time: &str| {
        let text = PRESENTS.replace("present screen", &format!("present screen{time}"));
        let told = linted(&text, None, &listings_folder()).unwrap().1;
        told.into_iter().filter(|told| told.rule == "present-overdrive").count()
    };
    assert_eq!(said(" time=4000000"), 1);
    assert_eq!(said(" time=14000000"), 0);
    assert_eq!(said(""), 0);
    let twice = PRESENTS.replace("present screen", "present screen time=4000000\n  frame");
    let told = linted(&twice, None, &listings_folder()).unwrap().1;
    assert!(told.iter().any(|told| told.rule == "present-overdrive"), "{told:?}");
}
