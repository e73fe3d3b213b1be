//! Playing a listing under the layer gives the findings of linting it: from text through the
//! loader, the layer and the model, on the null driver.

#[path = "played/rasterised.rs"]
mod rasterised;

use std::sync::atomic::{AtomicUsize, Ordering};

use tilelint::rules;
use tilelint_tests::page;
use tilelint_tests::pieces::{self, Piece, same};
use tilelint_tests::played::{Stage, ids, linted};

/// Listings of pages, by rule and position on its page, that a live program on the null driver
/// cannot repeat, and why. One that can after all must be taken off the list.
const NOT_REPEATED: [(&str, &str); 11] = [
    ("event-set-then-wait-4", "a command that is not understood cannot be played"),
    ("host-visible-attachment-1", "the null driver has no linear attachments"),
    ("host-visible-attachment-3", "the null driver has no attachments in host memory"),
    ("host-visible-attachment-4", "the null driver has no linear attachments"),
    ("multiview-opportunity-1", "the player makes a pipeline for each pass"),
    ("present-overdrive-1", "times of frames are not measured in tests"),
    ("query-wait-4", "measured times are not taken in tests"),
    ("redundant-present-4", "a command that is not understood cannot be played"),
    ("submit-then-wait-3", "measured times are not taken in tests"),
    ("two-image-swapchain-3", "the null driver has no such present mode"),
    ("wait-idle-in-frame-3", "measured times are not taken in tests"),
];

fn is_repeated(name: &str) -> bool {
    !NOT_REPEATED.iter().any(|(other, _)| *other == name)
}

fn repeated_pieces() -> Vec<Piece> {
    pieces::of_pages().into_iter().filter(|piece| is_repeated(&piece.name)).collect()
}

fn play(stage: &Stage, piece: &Piece) -> Result<(), String> {
    let (listing, linted) = piece.linted()?;
    let played = stage.play(&piece.name, &listing, &piece.text, piece.rule, None)?;
    if !played.is_empty() {
        let repeated = stage.repeated(&piece.name, piece.rule)?;
        if ids(&repeated) != ids(&played) {
            let (gives, has) = (ids(&repeated), ids(&played));
            return Err(format!("the recording gives {gives:#?}, the report has {has:#?}"));
        }
    }
    same(&linted, &played)
}

#[track_caller]
fn assert_none(failures: &[(String, String)], pieces: &[Piece]) {
    let (count, all) = (failures.len(), pieces.len());
    let lines: Vec<String> = failures.iter().map(|(name, why)| format!("{name}: {why}")).collect();
    assert!(failures.is_empty(), "{count} of {all}:\n{}", lines.join("\n"));
}

#[test]
fn every_listing_of_every_page_says_the_same_when_it_is_played() {
    let pieces = pieces::of_pages();
    assert!(pieces.len() >= 2 * rules::all().count(), "pages have a bad and a good listing each");
    let stage = Stage::new();
    let failures = pieces::each(&pieces, |piece| play(&stage, piece));
    let (unlike, known): (Vec<_>, Vec<_>) =
        failures.into_iter().partition(|(name, _)| is_repeated(name));
    assert_none(&unlike, &pieces);
    for (listed, why) in NOT_REPEATED {
        assert!(known.iter().any(|(name, _)| name == listed), "{listed} is repeated, though {why}");
    }
}

/// Recordings that do not begin with the program.
static EXCERPTS: AtomicUsize = AtomicUsize::new(0);

/// What a recording of the last frames alone says was said of the program too.
fn play_excerpt(stage: &Stage, piece: &Piece) -> Result<(), String> {
    let (listing, _) = piece.linted()?;
    let played = stage.play(&piece.name, &listing, &piece.text, piece.rule, None)?;
    let Ok(text) = stage.recording(&piece.name) else { return Ok(()) };
    EXCERPTS.fetch_add(usize::from(text.contains(" excerpt=on\n")), Ordering::Relaxed);
    let repeated = stage.repeated(&piece.name, piece.rule)?;
    let (gives, has) = (ids(&repeated), ids(&played));
    match gives.iter().all(|id| has.contains(id)) {
        true => Ok(()),
        false => Err(format!("the recording gives {gives:#?}, the report has {has:#?}\n{text}")),
    }
}

#[test]
fn an_excerpt_says_nothing_new() {
    let pieces = repeated_pieces();
    for limit in [25, 60] {
        let stage = Stage::new().with("TILELINT_DEBUG_RECORDING_LIMIT", limit);
        assert_none(&pieces::each(&pieces, |piece| play_excerpt(&stage, piece)), &pieces);
    }
    assert!(EXCERPTS.load(Ordering::Relaxed) > 40, "{EXCERPTS:?}");
}

/// What is said of a program that is too fast was said of the whole program too. Where too few
/// steady frames in a row were seen, it is only told.
fn play_fast(stage: &Stage, piece: &Piece) -> Result<(), String> {
    let (listing, linted) = piece.linted()?;
    let played = stage.play(&piece.name, &listing, &piece.text, piece.rule, None)?;
    let mut says = played;
    if !says.is_empty() && stage.recording(&piece.name).is_ok() {
        says.extend(stage.repeated(&piece.name, piece.rule)?);
    }
    let (says, has) = (ids(&says), ids(&linted));
    let known = |id: &&str| {
        let told = id.strip_suffix("\"info\"");
        has.contains(id) || told.is_some_and(|told| has.iter().any(|id| id.starts_with(told)))
    };
    match says.iter().all(known) {
        true => Ok(()),
        false => Err(format!("it says {says:#?} instead of {has:#?}")),
    }
}

#[test]
fn frames_that_are_left_out_make_nothing_up() {
    let pieces = repeated_pieces();
    for limit in [1, 8, 40] {
        let stage = Stage::new().with("TILELINT_DEBUG_QUEUE_LIMIT", limit);
        let stage = stage.with("TILELINT_EVERY_FRAME", "off");
        assert_none(&pieces::each(&pieces, |piece| play_fast(&stage, piece)), &pieces);
    }
}

const LATE: &str = "calls version=1 targets=quest2,mali-g78
image scene format=R8G8B8A8_UNORM extent=1024x1024 usage=COLOR_ATTACHMENT|TRANSFER_SRC
image shadow format=D32_SFLOAT extent=1024x1024 usage=DEPTH_STENCIL_ATTACHMENT
image out format=R8G8B8A8_UNORM extent=1024x1024 usage=TRANSFER_DST
repeat 40
  pass main
    attach scene load=CLEAR store=STORE
    draw vertices=3000
  end
  copy from=scene to=out
  frame
end
repeat 6
  pass main
    attach scene load=CLEAR store=STORE
    attach shadow load=CLEAR store=STORE
    draw vertices=3000
  end
  copy from=scene to=out
  frame
end
";

#[test]
fn a_late_finding_is_repeated_by_the_frames_before_it() {
    let stage = Stage::new().with("TILELINT_DEBUG_RECORDING_LIMIT", 200);
    let listing = linted(LATE, None, &page::listings_folder()).unwrap().0;
    let played = stage.play("late", &listing, LATE, None, None).unwrap();
    assert!(!played.is_empty());
    let text = stage.recording("late").unwrap();
    let repeated = stage.repeated("late", None).unwrap();
    assert_eq!(ids(&repeated), ids(&played), "{text}");
    let mut lines = text.lines();
    let header = lines.next().unwrap();
    assert!(header.contains(" first_frame=") && header.ends_with(" excerpt=on"), "{text}");
    let left_out = lines.next().unwrap();
    let is_said = left_out.starts_with("# ") && left_out.ends_with(" are left out");
    assert!(is_said, "{text}");
    let frames = text.lines().filter(|line| *line == "frame by=label").count();
    assert!((8..30).contains(&frames), "{text}");
    let image = text.lines().find(|line| line.starts_with("image scene ")).unwrap();
    assert!(image.ends_with(" before=on"), "{text}");
    assert!(!text.contains("\nname "), "{text}");
}

/// Features by which rules judge: the recording's device line has each that the program enables.
#[test]
fn features_that_are_enabled_are_seen() {
    let image = "image scene format=R8G8B8A8_UNORM extent=1024x1024 usage=COLOR_ATTACHMENT";
    let body = LATE.split_once(image).map(|(_, body)| format!("{image}{body}")).unwrap();
    let features = "bufferDeviceAddress,dynamicRenderingLocalRead,fragmentDensityMap,\
                    fragmentDensityMapNonSubsampledImages,sparseBinding";
    for api in ["1.1", "1.3"] {
        let extensions = if api == "1.1" { "VK_KHR_buffer_device_address," } else { "" };
        let text = format!(
            "calls version=1\ndevice gpu api={api} features={features} extensions={extensions}\
             VK_EXT_fragment_density_map,VK_KHR_dynamic_rendering_local_read\n\
             memory-type 0 flags=DEVICE_LOCAL\nqueue graphics\n{body}"
        );
        let listing = linted(&text, None, &page::listings_folder()).unwrap().0;
        let name = format!("features-{api}");
        let stage = Stage::new();
        stage.play(&name, &listing, &text, None, None).unwrap();
        let recording = stage.recording(&name).unwrap();
        let device = recording.lines().find(|line| line.starts_with("device ")).unwrap();
        let seen = device.split_once(" features=").map_or("", |(_, seen)| seen);
        let seen: Vec<&str> = seen.split(' ').next().unwrap_or_default().split(',').collect();
        for feature in features.split(',') {
            assert!(seen.contains(&feature), "{feature}: {device}");
        }
    }
}
