use super::*;
use crate::call::Line;

const LISTING: &str = "\
swapchain screen format=B8G8R8A8_UNORM extent=64x64
image depth format=D32_SFLOAT extent=64x64 usage=DEPTH_STENCIL_ATTACHMENT|SAMPLED
repeat 5
  pass first
    attach screen load=CLEAR store=STORE # the picture
    attach depth load=CLEAR store=STORE
    draw vertices=3
  end
  barrier screen src_stage=ALL_COMMANDS dst_stage=ALL_COMMANDS
  pass second
    attach screen load=LOAD store=STORE
    attach depth load=LOAD store=DONT_CARE
    repeat 4
      bind-pipeline a
      draw vertices=36
    end
  end
  present screen
end
";

fn attachment(name: &str, key: &'static str, to: &str, line: u32) -> Edit {
    Edit::set(EditObject::Attachment, name, key, "", to).said_by(key, Line(line))
}

/// The lines that an edit takes away and those that it brings.
fn changed(edits: &[Edit]) -> (Vec<String>, Vec<String>) {
    let after = apply(LISTING, edits).expect("the edits have a place");
    let lines = |text: &str| text.lines().map(|l| l.trim().to_owned()).collect::<Vec<_>>();
    let (mut gone, mut come) = (lines(LISTING), Vec::new());
    for line in lines(&after) {
        match gone.iter().position(|old| *old == line) {
            Some(at) => drop(gone.remove(at)),
            None => come.push(line),
        }
    }
    (gone, come)
}

#[test]
fn nothing_changes_without_edits() {
    assert_eq!(apply(LISTING, []).as_deref(), Ok(LISTING));
}

#[test]
fn a_field_is_set_where_it_is_said() {
    let (gone, come) = changed(&[attachment("screen.1", "store", "DONT_CARE", 5)]);
    assert_eq!(gone, ["attach screen load=CLEAR store=STORE # the picture"]);
    assert_eq!(come, ["attach screen load=CLEAR store=DONT_CARE # the picture"]);
    let (_, come) = changed(&[attachment("screen", "clear", "0,0,0,1", 5)]);
    assert_eq!(come, ["attach screen load=CLEAR store=STORE clear=0,0,0,1 # the picture"]);
    let (_, come) = changed(&[attachment("depth", "store", "UNUSED", 6)]);
    assert_eq!(come, ["attach depth load=CLEAR"]);
}

#[test]
fn edits_of_one_field_add_up() {
    let usage = |to| {
        let from = "SAMPLED|DEPTH_STENCIL_ATTACHMENT";
        Edit::set(EditObject::Image, "depth", "usage", from, to).said_by("usage", Line(0))
    };
    let fewer = usage("DEPTH_STENCIL_ATTACHMENT");
    let more = usage("SAMPLED|DEPTH_STENCIL_ATTACHMENT|TRANSIENT_ATTACHMENT");
    let (_, come) = changed(&[fewer.clone(), more, fewer]);
    let image = "image depth format=D32_SFLOAT extent=64x64";
    assert_eq!(come, [format!("{image} usage=DEPTH_STENCIL_ATTACHMENT|TRANSIENT_ATTACHMENT")]);
}

#[test]
fn calls_go_and_come() {
    let (gone, come) = changed(&[Edit::remove("pass second", "vkCmdBeginRenderPass2", Line(10))]);
    assert_eq!((gone.len(), gone[0].as_str(), come.len()), (8, "pass second", 0));
    let before = Action::Insert(Beside::Before(Line(9)));
    let event = Edit { action: before, ..Edit::remove("", "", Line(0)) };
    let event = Edit { to: "event-reset e\nevent-set e".to_owned(), ..event };
    let after = apply(LISTING, [&event]).expect("the line is there");
    assert_eq!(
        after.lines().skip(7).take(3).collect::<Vec<_>>(),
        ["  end", "  event-reset e", "  event-set e"]
    );
    let replace = Edit::replace("barrier", "", Line(9), "barrier screen.0 old=GENERAL");
    assert_eq!(changed(&[replace]).1, ["barrier screen old=GENERAL"]);
}

#[test]
fn a_call_of_several_barriers_goes_whole() {
    let text = "barrier a\nbarrier b joined=on\nbarrier c joined=on\nbarrier d\n";
    let left = apply(text, [&Edit::remove("barrier a", "vkCmdPipelineBarrier2", Line(1))]);
    assert_eq!(left.as_deref(), Ok("barrier d\n"));
    let other = apply(text, [&Edit::replace("barrier a", "", Line(1), "event-set e")]);
    assert_eq!(other.as_deref(), Ok("event-set e\nbarrier d\n"));
}

#[test]
fn a_block_moves_whole() {
    let beside = Beside::Before(Line(4));
    let moved = Edit::moved("pass second", "vkCmdBeginRenderPass2", Line(10), beside, "");
    let after = apply(LISTING, [&moved]).expect("both are there");
    let passes: Vec<&str> = after.lines().filter(|line| line.starts_with("  pass")).collect();
    assert_eq!(passes, ["  pass second", "  pass first"]);
    assert_eq!(after.lines().count(), LISTING.lines().count());
}

#[test]
fn the_first_of_many_stays() {
    let after = apply(LISTING, [&Edit::once("bind-pipeline a", "", Line(14))]);
    let after = after.expect("the line is in a repeat");
    let inside = "\
    attach depth load=LOAD store=DONT_CARE
    bind-pipeline a
    draw vertices=36
    repeat 3
      draw vertices=36
    end
  end
";
    assert!(after.contains(inside), "{after}");
}

#[test]
fn two_passes_become_one() {
    let join = Edit::remove("pass second", "", Line(10));
    let after = apply(LISTING, [&Edit { action: Action::Join(Line(4)), ..join }]);
    let after = after.expect("the passes describe themselves");
    let pass = "\
  pass first
    attach screen load=CLEAR store=STORE # the picture
    attach depth load=CLEAR store=DONT_CARE
    draw vertices=3
    repeat 4
      bind-pipeline a
      draw vertices=36
    end
  end
  barrier screen";
    assert!(after.contains(pass), "{after}");
}

#[test]
fn what_has_no_place_is_told() {
    let fails = |edit: Edit| apply(LISTING, [&edit]).expect_err("it has no place").reason;
    assert_eq!(fails(Edit::remove("x", "", Line(0))), "it stands in no line of a listing");
    assert_eq!(fails(Edit::remove("x", "", Line(99))), "line 99 is gone");
    assert_eq!(fails(attachment("depth", "", "x", 6)), "a listing has no key for it");
    assert_eq!(fails(Edit::once("x", "", Line(1))), "line 1 is in no `repeat`");
    let reads = Edit::set(EditObject::Command, "draw", "", "depth", "x");
    let reads = fails(reads.said_by("reads", Line(7)));
    assert_eq!(reads, "`depth` is not read by name here");
}

#[test]
fn references_keep_their_positions() {
    use super::list::{reference, semaphore};
    assert_eq!(reference("a,b,c", "b", "UNUSED"), "a,-,c");
    assert_eq!(reference("a,b", "b", "UNUSED"), "a");
    assert_eq!(reference("a:GENERAL,b", "a", "c"), "c,b");
    assert_eq!(reference("", "UNUSED", "c"), "c");
    assert_eq!(semaphore("s:TOP_OF_PIPE,t>=5:ALL_COMMANDS", "s", "TOP_OF_PIPE", "TRANSFER"), {
        "s:TRANSFER,t>=5:ALL_COMMANDS"
    });
    assert_eq!(semaphore("s,t=6", "queue", "s", "none"), "t=6");
    assert_eq!(semaphore("s", "t", "none", "t=6"), "s,t=6");
}
