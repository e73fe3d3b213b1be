//! Start-up, loading, resizes and screenshots are told apart from the steady frames.

use tilelint::call::listing::parse;
use tilelint::config::Config;
use tilelint::finding::{Finding, Level};
use tilelint::lint::lint;
use tilelint::rule::Needs;
use tilelint_tests::harness::{
    LAYER, LAYER_NAME, NULL_DRIVER, TempDir, build_cdylib, build_program, run as run_program,
    vulkan_command,
};

const IMAGES: &str = "\
image table format=R8G8B8A8_UNORM extent=512x512 usage=COLOR_ATTACHMENT|SAMPLED
image eye format=R8G8B8A8_UNORM extent=1024x1024 usage=COLOR_ATTACHMENT memory=xr
";

/// LOADs what nobody wrote, which is denied.
const BAKE: &str = "\
pass bake
  attach table load=LOAD store=STORE initial=UNDEFINED
  draw vertices=36
end
";

const MAIN: &str = "\
  pass main
    attach eye load=CLEAR store=STORE
    draw vertices=36 reads=table
  end
  frame
";

/// What is told while the listing runs, and at its end.
fn run(text: &str, config: &Config) -> (Vec<Finding>, Vec<Finding>) {
    let listing = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let linted = lint(&listing, Some(text), config, None);
    let mut session = config.session(Needs::ALL);
    let mut told: Vec<Finding> =
        listing.entries.iter().flat_map(|entry| session.apply(entry)).collect();
    told.extend(session.finish());
    (told, linted.judged.findings)
}

fn one(findings: &[Finding]) -> &Finding {
    assert_eq!(findings.len(), 1, "{findings:?}");
    &findings[0]
}

#[test]
fn what_only_the_start_does_is_listed_and_not_told() {
    let text = format!("{IMAGES}{BAKE}repeat 6\n{MAIN}end\n");
    let (told, findings) = run(&text, &Config::new());
    let finding = one(&findings);
    assert_eq!((finding.rule, finding.level), ("load-of-undefined", Level::Info));
    assert!(finding.only_unsteady && finding.count == 1 && told.is_empty(), "{told:?}");
    let mut config = Config::new();
    config.set("levels", "load-of-undefined=forbid", "test").expect("a rule and a level");
    let (told, findings) = run(&text, &config);
    assert_eq!((one(&findings).level, told.len()), (Level::Info, 0), "it is never denied");
}

#[test]
fn what_every_frame_does_is_told() {
    let text = format!("{IMAGES}repeat 6\n{BAKE}{MAIN}end\n");
    let (told, findings) = run(&text, &Config::new());
    let finding = one(&findings);
    assert_eq!((finding.level, finding.only_unsteady), (Level::Deny, false));
    assert_eq!((finding.count, finding.location.frame), (6, Some(1)));
    assert_eq!((told.len(), told[0].level), (1, Level::Deny));
}

#[test]
fn a_screenshot_in_a_steady_frame_is_none_of_them() {
    let pass = |name: &str| {
        format!(
            "  pass {name}\n    attach eye load=CLEAR store=STORE\n    draw vertices=36\n  end\n"
        )
    };
    let main = format!("{}{}{}{MAIN}", pass("a"), pass("b"), pass("c"));
    let text = format!("{IMAGES}repeat 6\n{main}end\n{BAKE}{main}repeat 6\n{main}end\n");
    let (told, findings) = run(&text, &Config::new());
    let shot: Vec<_> = findings.iter().filter(|f| f.rule == "load-of-undefined").collect();
    assert!(shot.len() == 1 && shot[0].only_unsteady && shot[0].count == 1, "{shot:?}");
    assert!(told.iter().all(|finding| finding.rule != "load-of-undefined"), "{told:?}");
}

#[test]
fn a_run_without_steady_frames_has_nothing_to_tell_apart() {
    let text = format!("{IMAGES}{BAKE}{MAIN}");
    let (told, findings) = run(&text, &Config::new());
    let finding = one(&findings);
    assert_eq!((finding.level, finding.only_unsteady), (Level::Deny, false));
    assert_eq!(told.len(), 1, "it is told at the end");
    let mut config = Config::new();
    config.set("steady_frames", "1", "test").expect("a number");
    let (told, findings) = run(&text, &config);
    assert_eq!((told.len(), one(&findings).level), (1, Level::Deny), "each frame is steady");
}

/// A live program: nothing is told while it runs, its summary has one line.
#[test]
fn a_live_program_hears_of_it_in_the_summary_alone() {
    let folder = TempDir::new();
    let driver = folder.driver_manifest(&build_cdylib(NULL_DRIVER));
    let layers = folder.layer_manifest(LAYER_NAME, &build_cdylib(LAYER));
    let play = |text: &str| {
        let file = folder.write("start.calls", text);
        let mut command = vulkan_command(build_program("tilelint-player"), &driver);
        command.arg(file).current_dir(folder.path());
        command.env("VK_LAYER_PATH", &layers).env("VK_INSTANCE_LAYERS", LAYER_NAME);
        command.env("TILELINT_TARGETS", "quest2");
        run_program(&mut command).ok().stderr
    };
    let heard = play(&format!("{IMAGES}{BAKE}repeat 6\n{MAIN}end\n"));
    assert!(!heard.contains("[load-of-undefined]"), "{heard}");
    let line = "\n  only outside steady frames: 1 finding (load-of-undefined)\n";
    assert!(heard.contains(line), "{heard}");
    let report = std::fs::read_to_string(folder.path().join("tilelint-report.json"));
    let report = report.expect("the report is written");
    assert!(report.contains("\"only_unsteady\": true"), "{report}");
    let heard = play(&format!("{IMAGES}repeat 6\n{BAKE}{MAIN}end\n"));
    assert!(heard.contains("error[load-of-undefined]"), "{heard}");
}
