//! Fixes are data: applied to the `Bad` listing of its own page, each makes its finding go away
//! and brings no other, and a frame asks for as many bytes less as the finding promised.

use std::fs;
use std::path::Path;

use tilelint::finding::{Confidence, Fix, Level, Tier};
use tilelint::model::Pass;
use tilelint::rule::{Check, Cx, Field, Group, Needs, Place, Report, Rule, edit_op, pass_aspects};
use tilelint::rules;
use tilelint_tests::cases::cases;
use tilelint_tests::fixes::{Mended, Unmended, mend, mend_each, saved};
use tilelint_tests::page::{Wrong, path, wrong};

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

/// What is wrong with the fixes of one listing.
fn problems(rule: &'static Rule, wrong: &Wrong, all: &[&'static Rule]) -> (bool, Vec<String>) {
    let by_hand = BY_HAND.iter().any(|(name, _)| *name == rule.name);
    let at = format!("{}, line {}", rule.name, wrong.line);
    let mended = match mend(wrong, rule, all) {
        Ok(_) if by_hand && wrong.bad => return (false, vec![format!("{at}: it has edits")]),
        Ok(mended) => mended,
        // Another of a page's listings may show what takes more than other calls.
        Err(Unmended::ByHand(_)) if by_hand || !wrong.bad => return (false, Vec::new()),
        Err(Unmended::Fails(_)) if by_hand => return (false, Vec::new()),
        Err(Unmended::ByHand(text)) => return (false, vec![format!("{at}: no edits: {text}")]),
        Err(Unmended::Fails(error)) => return (false, vec![format!("{at}: {error}")]),
    };
    let mut problems = Vec::new();
    for mut one in mended {
        one.faults.extend(saving(rule, &one).filter(|_| wrong.bad));
        if !one.faults.is_empty() {
            problems.push(format!("{at}:\n  {}\n{}", one.faults.join("\n  "), one.text));
        }
    }
    (true, problems)
}

#[test]
fn every_fix_mends_its_own_page() {
    let all: Vec<&'static Rule> = rules::all().collect();
    let (mut bads, mut others, mut wrongs) = (0, 0, Vec::new());
    for rule in &all {
        for wrong in wrong(&page(rule)) {
            let (applied, problems) = problems(rule, &wrong, &all);
            bads += usize::from(applied && wrong.bad);
            others += usize::from(applied && !wrong.bad);
            wrongs.extend(problems);
        }
    }
    println!("the edits of {bads} of {} rules mend their page, and {others} cases", all.len());
    assert!(wrongs.is_empty(), "{}", wrongs.join("\n"));
    assert!(bads >= 80 && others >= 30, "{bads} rules and {others} cases");
}

/// Findings of other listings whose fix, by itself, is not the end of it, and why.
const NOT_ALONE: &[(&str, &str, &str)] = &[
    ("N15-load-msaa-from-resolve", "msrtss-opportunity", "a listing has no word for it"),
    ("P26-vkd3d-transfer-clear-and-resolve", "resolve-outside-pass", "only passes resolve slowly"),
    ("aliased_outputs", "aliased-attachment", "only now it is known that nothing reads the pass"),
    ("suspended_store", "msaa-store", "both parts of a suspended pass say what it stores"),
];

#[test]
fn every_fix_mends_the_listing_that_it_is_about() {
    let all: Vec<&'static Rule> = rules::all().collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let (mut mended, mut problems) = (0, Vec::new());
    let mut left: Vec<_> = NOT_ALONE.iter().collect();
    for case in cases(&folder).expect("the folder has cases") {
        let each = mend_each(&case.text, &all)
            .unwrap_or_else(|error| panic!("{}: {error}", case.path.display()));
        for one in each {
            let rule = one.finding.split(' ').next().unwrap_or_default();
            let listed = left.iter().position(|(name, of, _)| *name == case.name() && *of == rule);
            match (listed, one.faults.is_empty()) {
                (None, true) => mended += 1,
                (None, false) => {
                    let faults = one.faults.join("\n  ");
                    problems.push(format!("{}: {}:\n  {faults}", case.name(), one.finding));
                }
                (Some(_), true) => {}
                (Some(listed), false) => drop(left.remove(listed)),
            }
        }
    }
    println!("{mended} findings of other listings are mended by their edits");
    problems.extend(left.iter().map(|(name, rule, _)| format!("{name}: {rule} is mended")));
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(mended >= 100, "{mended} findings");
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

/// A rule that speaks of every stored depth, with a fix of no use.
static USELESS: Rule = wrong_rule(&[Check::Pass(|pass, cx| advise(pass, cx, Field::Load, "LOAD"))]);
/// The same, with a fix that breaks what comes later.
static HARMFUL: Rule =
    wrong_rule(&[Check::Pass(|pass, cx| advise(pass, cx, Field::Store, "DONT_CARE"))]);

const fn wrong_rule(checks: &'static [Check]) -> Rule {
    Rule {
        name: "depth-store",
        group: Group::LoadStore,
        level: Level::Warn,
        tier: Tier::C,
        folds: &[],
        correctness: false,
        needs: Needs::CONTENTS,
        since: "0.1",
        page: "",
        checks,
    }
}

fn advise(pass: &Pass, cx: &mut Cx<'_>, field: Field, to: &str) {
    for (attachment, _, ops) in pass_aspects(pass) {
        let stored = ops.store == Some(ash::vk::AttachmentStoreOp::STORE);
        if stored && ops.aspect == tilelint::format::Aspect::Depth {
            let place = Place::attachment(pass, attachment, Some(ops.aspect), field, cx.device);
            let fix = Fix::text("try").edit(edit_op(pass, attachment, field, "", to));
            cx.report(Report::new(place, Confidence::Certain, "it is stored", "why", fix));
        }
    }
}

#[test]
fn a_wrong_fix_is_told() {
    let text = "\
        image depth format=D32_SFLOAT extent=64x64 usage=DEPTH_STENCIL_ATTACHMENT|SAMPLED\n\
        image eye format=R8G8B8A8_UNORM extent=64x64 usage=COLOR_ATTACHMENT memory=xr\n\
        repeat 5\n  pass first\n    attach depth load=CLEAR store=STORE\n    \
        draw vertices=36\n  end\n  pass second\n    attach eye load=CLEAR store=STORE\n    \
        draw vertices=36 reads=depth\n  end\n  frame\nend\n";
    let listing = || Wrong { bad: true, line: 1, info: String::new(), text: text.to_owned() };
    let discard = rules::by_name("discard-then-load").expect("it is a rule");
    let faults = |rule: &'static Rule| match mend(&listing(), rule, &[rule, discard]) {
        Ok(mended) => mended.into_iter().flat_map(|one| one.faults).collect::<Vec<_>>(),
        Err(_) => panic!("the fix can be applied"),
    };
    let useless = faults(&USELESS);
    assert!(useless[0].starts_with("still there: depth-store first depth"), "{useless:?}");
    let harmful = faults(&HARMFUL);
    assert!(harmful[0].starts_with("new: discard-then-load"), "{harmful:?}");
    let alone = mend_each(text, &[&USELESS]).expect("the listing can be read");
    assert_eq!(alone.len(), 1);
    assert_eq!(alone[0].faults.len(), 1, "{:?}", alone[0].faults);
}
