//! Fixes are data: applied to the `Bad` listing of its own page, each makes its finding go away
//! and brings no other, and a frame asks for as many bytes less as the finding promised.

use std::fs;

use tilelint::rule::Rule;
use tilelint::rules;
use tilelint_tests::fixes::{Mended, mend, saved};
use tilelint_tests::page::path;

/// Rules whose fix is no edit of calls, and why.
const BY_HAND: &[(&str, &str)] = &[
    ("multiview-opportunity", "shaders have to pick the eye by ViewIndex"),
    ("msaa-framebuffer-fetch", "the effect is to be drawn elsewhere, by another shader"),
    ("msrtss-opportunity", "a listing has no word for rendering to single samples"),
    ("lazy-memory-committed", "it tells of what other findings or the driver have to mend"),
    ("driver-merge-feedback", "only the driver can say whether it is content then"),
    ("separable-pass", "a shader has to read an input attachment instead of a texture"),
    ("local-read-available", "a shader has to read an input attachment instead of a texture"),
    ("depth-copy-for-read", "a shader has to read an input attachment instead of a texture"),
    ("off-tile-input-attachment", "a shader has to sample a texture instead of its input"),
    ("portability-subpass", "shaders have to read the framebuffer"),
    ("excess-passes", "which passes can be one is what other findings say"),
    ("fat-attachment-format", "shaders have to rebuild what the attachment held"),
    ("excess-color-attachments", "shaders have to pack their outputs"),
    ("compute-between-passes", "it takes another algorithm, or another order of the frame"),
    ("fragment-compute-fragment", "it takes another algorithm, or another order of the frame"),
    ("backward-dependency", "it takes another algorithm, or another order of the frame"),
    ("wait-idle-in-frame", "it takes a fence for each frame in flight, and resources for each"),
    ("submit-then-wait", "it takes a fence for each frame in flight, and resources for each"),
    ("synchronous-readback", "it takes a ring of buffers, read frames later"),
    ("suboptimal-ignored", "the program has to make another swapchain as it runs"),
];

/// Rules that promise bytes which are not, or not all, those of load and store ops, and why.
const ELSEWHERE: &[(&str, &str)] = &[
    ("stencil-store", "a target that keeps both aspects in one plane stores both for either"),
    ("clear-outside-pass", "a command writes what is loaded"),
    ("redundant-clear", "a command writes it"),
    ("transfer-then-load", "a command writes what is loaded"),
    ("unaligned-render-area", "the tiles at the edge are loaded and stored whole"),
    ("missing-resolve-attachment", "a draw samples what is stored"),
    ("missing-depth-resolve", "a draw samples what is stored"),
    ("resolve-outside-pass", "a command reads what is stored, and writes the result"),
    ("mid-pass-resolve", "the target moves it in the middle of the pass"),
    ("transient-load-store", "the bytes are needed and move on, now to memory that is there"),
    ("subpass-dep-shader-read", "the target moves it in the middle of the pass"),
    ("subpass-dep-not-by-region", "the target moves it in the middle of the pass"),
    ("subpass-dep-wide-stage", "the target moves it in the middle of the pass"),
    ("subpass-merge-blocked", "the target moves it in the middle of the pass"),
    ("in-pass-barrier", "the target moves it in the middle of the pass"),
    ("compression-blocker", "the ops move as many bytes before compression"),
];

fn page(rule: &Rule) -> String {
    let path = path(rule);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What is wrong with the bytes that a fix saved.
fn saving(rule: &Rule, mended: &Mended) -> Option<String> {
    let promised = [mended.promised.load_bytes as i64, mended.promised.store_bytes as i64];
    let kept = promised == saved(mended);
    let elsewhere = ELSEWHERE.iter().any(|(name, _)| *name == rule.name);
    match (promised == [0, 0], kept, elsewhere) {
        (false, false, false) => Some(format!(
            "it promised to save {promised:?} bytes of loads and stores, and saved {:?}",
            saved(mended)
        )),
        (false, true, true) => Some("its bytes are seen in the ops after all".to_owned()),
        (true, _, true) => Some("it promises no bytes".to_owned()),
        _ => None,
    }
}

#[test]
fn every_fix_mends_its_own_page() {
    let all: Vec<&'static Rule> = rules::all().collect();
    let (mut applied, mut problems) = (0, Vec::new());
    for rule in &all {
        let by_hand = BY_HAND.iter().any(|(name, _)| *name == rule.name);
        match (mend(&page(rule), rule, &all), by_hand) {
            (Ok(_), true) => problems.push(format!("{}: it has edits after all", rule.name)),
            (Err(_), true) => {}
            (Err(error), false) => problems.push(format!("{}: {error}", rule.name)),
            (Ok(mended), false) => {
                applied += 1;
                for mut one in mended {
                    one.faults.extend(saving(rule, &one));
                    if !one.faults.is_empty() {
                        let faults = one.faults.join("\n  ");
                        problems.push(format!("{}:\n  {faults}\n{}", rule.name, one.text));
                    }
                }
            }
        }
    }
    println!("the edits of {applied} of {} rules mend their page", all.len());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_lists_name_rules() {
    for (name, why) in BY_HAND.iter().chain(ELSEWHERE) {
        assert!(rules::by_name(name).is_some(), "{name} is no rule");
        assert!(!why.is_empty());
    }
    let hand = |name: &str| BY_HAND.iter().any(|(by_hand, _)| *by_hand == name);
    assert!(ELSEWHERE.iter().all(|(name, _)| !hand(name)), "what is mended by hand saves nothing");
}
