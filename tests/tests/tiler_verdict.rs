//! The open driver's rules where no row of ground truth shows them: the truth table of
//! dependencies, each reason against bins and their order, and slow stores.

use ash::vk;
use tilelint::profile::{self, Binned};
use tilelint::tiler::verdict::{self, Verdict};
use tilelint::tiler::{Layout, PassShape, Reason, ops, spec};

fn binned(target: &str) -> Binned {
    profile::by_name(target).unwrap().binned.clone().unwrap()
}

fn judge(lines: &[&str]) -> Verdict {
    let pass = spec::parse(lines.iter().copied()).unwrap();
    verdict::judge(&pass, &binned("adreno-650")).unwrap()
}

fn words(verdict: &Verdict) -> String {
    verdict.ops.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

const TWO_SUBPASSES: [&str; 6] = [
    "fb 1024 1024",
    "att RGBA8 1 clear dc dc dc",
    "att RGBA8 1 dc store dc dc",
    "sub color=0",
    "sub color=1 input=0",
    "op draw 100",
];

fn capable_with(more: &[&str]) -> bool {
    let verdict = judge(&[&TWO_SUBPASSES, more].concat());
    assert_eq!(verdict.capable, verdict.in_bins);
    if !verdict.capable {
        assert!(matches!(verdict.reason, Reason::Dependency { .. }));
    }
    verdict.capable
}

/// Stages and access of a dependency between two subpasses.
const LOCAL: [&str; 9] = [
    "color frag cw input",
    "color|late frag|early cw|dw input|dr",
    "late early dw dr",
    "color color cw cr",
    "frag frag sw sr",
    "color frag none none",
    "color frag mw mr",
    "top frag none input",
    "none none none none",
];

const WIDE: [&str; 16] = [
    "bottom frag none input",
    "color top cw none",
    "vert frag sw sr",
    "color vert cw sr",
    "color geom cw sr",
    "color vin cw vr",
    "color indirect cw ir",
    "comp frag sw sr",
    "color comp cw sr",
    "xfer frag xw input",
    "color xfer cw xr",
    "host frag hw input",
    "allgfx frag cw input",
    "color allgfx cw input",
    "all all mw mr",
    "color vert|frag cw input",
];

#[test]
fn the_truth_table_of_dependencies() {
    for words in LOCAL {
        for flags in ["region", "region|view", "region|device", "region|feedback"] {
            assert!(capable_with(&[&format!("dep 0 1 {words} {flags}")]), "{words} {flags}");
        }
        for flags in ["none", "view"] {
            assert!(!capable_with(&[&format!("dep 0 1 {words} {flags}")]), "{words} {flags}");
        }
    }
    for words in WIDE {
        for flags in ["none", "region", "region|view"] {
            assert!(!capable_with(&[&format!("dep 0 1 {words} {flags}")]), "{words} {flags}");
        }
        for ends in ["ext 0", "ext 1", "0 ext", "1 ext", "0 0", "1 1"] {
            assert!(capable_with(&[&format!("dep {ends} {words} none")]), "{ends} {words}");
        }
    }
    assert!(capable_with(&["dep 0 1 color bottom cw none region"]));
    assert!(!capable_with(&["dep 0 1 top bottom none none none"]));
    assert!(capable_with(&[]));
    let good = "dep 0 1 color frag cw input region";
    assert!(!capable_with(&[good, "dep 0 1 color frag cw input none"]));
}

#[test]
fn barriers_in_the_pass() {
    let reason = |barrier: &str| {
        let verdict = judge(&[&TWO_SUBPASSES[..], &[&format!("op barrier {barrier}")]].concat());
        assert!(verdict.capable);
        (verdict.in_bins, verdict.reason)
    };
    for barrier in ["color frag", "early|late frag", "top bottom", "color bottom", "none none"] {
        assert_eq!(reason(barrier), (true, Reason::Autotune), "{barrier}");
    }
    for barrier in ["vert frag", "frag indirect", "allgfx frag", "color all", "bottom frag"] {
        assert_eq!(reason(barrier), (false, Reason::Barrier), "{barrier}");
    }
}

/// Every reason against bins at once, strongest first; each must show when those before are gone.
#[test]
fn reasons_in_order() {
    let lines = [&TWO_SUBPASSES[..], &["op barrier vert frag", "dep 0 1 all all mw mr none"]];
    let mut pass = spec::parse(lines.concat()).unwrap();
    let small =
        Binned { tile_memory: 12_288, tile_memory_avoid_ccu: 12_288, ..binned("adreno-650") };
    pass.layers = 2;
    pass.tessellation = true;
    pass.feedback_loop = true;
    pass.area.width = 0;
    let first = |pass: &PassShape, binned: &Binned| {
        let verdict = verdict::judge(pass, binned).unwrap();
        assert!(!verdict.in_bins);
        verdict.reason
    };
    assert_eq!(first(&pass, &small), Reason::Dependency { index: 0 });
    pass.dependencies.clear();
    assert_eq!(first(&pass, &small), Reason::DoesNotFit);
    let enough = binned("adreno-650");
    assert_eq!(first(&pass, &enough), Reason::Layers);
    pass.layers = 1;
    assert_eq!(first(&pass, &enough), Reason::EmptyArea);
    pass.area.width = pass.width;
    assert_eq!(first(&pass, &enough), Reason::Tessellation);
    pass.tessellation = false;
    assert_eq!(first(&pass, &enough), Reason::Barrier);
    pass.barriers.clear();
    assert_eq!(first(&pass, &enough), Reason::FeedbackLoop);
    pass.feedback_loop = false;
    pass.draws = Some(5);
    assert_eq!(first(&pass, &enough), Reason::Autotune);
    for many in [Some(6), None] {
        pass.draws = many;
        assert!(verdict::judge(&pass, &enough).unwrap().in_bins);
    }
}

#[test]
fn primitives_are_counted_only_with_a_binning_pass() {
    let mut pass = spec::simple([1920, 1080], 1, 4, &[vk::Format::R16G16B16A16_SFLOAT; 4]);
    pass.counts_primitives = true;
    let verdict = |target| verdict::judge(&pass, &binned(target)).unwrap();
    assert_eq!(verdict("adreno-610").reason, Reason::CountsPrimitives);
    assert!(verdict("adreno-650").in_bins);
}

#[test]
fn few_draws_stay_in_bins_for_a_reason() {
    let pass = |change: fn(&mut PassShape)| {
        let mut pass = spec::simple([1024, 1024], 1, 1, &[vk::Format::R8G8B8A8_UNORM]);
        pass.draws = Some(1);
        change(&mut pass);
        verdict::judge(&pass, &binned("adreno-650")).unwrap().in_bins
    };
    assert!(!pass(|_| {}));
    assert!(pass(|pass| pass.density_map = true));
    assert!(pass(|pass| pass.ordered_access = true));
    assert!(pass(|pass| pass.attachments[0].samples = 2));
}

#[test]
fn slow_resolves() {
    for format in ["RGBA8", "RGBA8_SRGB", "BGRA8", "RGB10A2", "R8", "RGB565", "D16", "D32F", "S8"] {
        assert!(ops::resolves_fast(tilelint::format::by_name(format).unwrap()), "{format}");
    }
    let slow = ["RG11B10F", "R16F", "RGBA16F", "R32F", "RGBA8_SNORM", "RG8", "R8G8_SRGB", "R16"];
    for format in slow {
        assert!(!ops::resolves_fast(tilelint::format::by_name(format).unwrap()), "{format}");
    }
}

fn resolve(source: &str, target: &str) -> (Layout, String) {
    let target = format!("att {target}");
    let lines = [
        "fb 1024 1024",
        "att RGBA8 4 clear dc dc dc",
        source,
        &target,
        "sub color=0 ds=1 dsresolve=2",
        "op draw 100",
    ];
    let verdict = judge(&lines);
    (verdict.layout, words(&verdict))
}

#[test]
fn stencil_out_of_one_plane_is_slow() {
    let (layout, ops) = resolve("att D24S8 4 clear dc clear dc", "S8 1 dc dc dc store");
    assert_eq!(
        (layout, ops.as_str()),
        (Layout::AvoidCcu, "clear a0, clear a1, resolve a1->a2 SLOW",)
    );
    let (layout, ops) = resolve("att D32F 4 clear dc dc dc", "D32F 1 dc store dc dc");
    assert_eq!((layout, ops.as_str()), (Layout::Full, "clear a0, clear a1, resolve a1->a2"));
    // A target that is not kept costs nothing.
    let (_, ops) = resolve("att D32F 4 clear dc dc dc", "D32F 1 dc dc dc dc");
    assert_eq!(ops, "clear a0, clear a1");
}

#[test]
fn a_stored_stencil_keeps_the_colour_cache_but_is_fast() {
    let verdict = judge(&["fb 512 512", "att S8 1 dc dc clear store", "sub ds=0", "op draw 9"]);
    assert_eq!(
        (verdict.layout, words(&verdict)),
        (Layout::AvoidCcu, "clear a0, store a0".to_owned(),)
    );
}

#[test]
fn images_of_different_mutability_resolve_slowly() {
    let lines = |mutable: &str| {
        let source = format!("att RGBA8 4 clear dc dc dc undef color {mutable}");
        let target = "att RGBA8 1 dc store dc dc";
        let verdict = judge(&["fb 512 512", &source, target, "sub color=0 resolve=1", "op draw 9"]);
        (verdict.layout, words(&verdict))
    };
    let fast = (Layout::Full, "clear a0, resolve a0->a1".to_owned());
    assert_eq!(lines(""), fast);
    let slow = (Layout::AvoidCcu, "clear a0, resolve a0->a1 SLOW".to_owned());
    assert_eq!(lines("mutable"), slow);
}

#[test]
fn areas_that_end_at_the_edge_are_aligned() {
    let layout = |area: &str| {
        let area = format!("area {area}");
        let lines = ["fb 1001 999", &area, "att RGBA8 1 clear store dc dc", "sub color=0"];
        judge(&lines).layout
    };
    for aligned in ["0 0 1001 999", "16 4 985 995", "32 8 64 64"] {
        assert_eq!(layout(aligned), Layout::Full, "{aligned}");
    }
    for unaligned in ["8 0 64 64", "0 2 64 64", "0 0 1000 999", "0 0 1001 998"] {
        assert_eq!(layout(unaligned), Layout::AvoidCcu, "{unaligned}");
    }
}

#[test]
fn dynamic_rendering_bins_its_area_and_numbers_targets_behind_colour() {
    let lines = [
        "fb 2048 2048",
        "dynamic",
        "area 0 0 512 512",
        "att RGBA8 4 clear dc dc dc",
        "att D24S8 4 clear dc clear dc",
        "att RGBA8 1 dc dc dc dc",
        "sub color=0 ds=1 resolve=2",
        "op draw 100",
    ];
    let verdict = judge(&lines);
    // The target's store operation does not exist in dynamic rendering: it is always written.
    assert_eq!(words(&verdict), "clear a0, clear a2, resolve a0->a1");
    assert!(verdict.tiling.bins.unwrap().tile[0] <= 576);
}
