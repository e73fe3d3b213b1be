//! `tilelint run` with the real layer, the null driver and the player: its exit codes, what it
//! leaves behind, and the forms that reports take, against their official schemas.

#[path = "cli_run/stage.rs"]
mod stage;
#[path = "cli_run/table.rs"]
mod table;
#[path = "cli_run/terminal.rs"]
mod terminal;
#[path = "cli_run/workflow.rs"]
mod workflow;

use std::fs;

use serde_json::Value;
use stage::{BAD, GOOD, Stage, as_text};
use tilelint_tests::harness::{TempDir, root, run};

#[test]
fn clean_and_found_have_their_exit_codes() {
    let stage = Stage::new();
    let good = stage.run(&["--deny", "warnings"], GOOD);
    assert_eq!(good.status.code(), Some(0), "{good:?}");
    assert!(good.stderr.contains("tilelint: no findings in "), "{}", good.stderr);
    assert!(!stage.exists("tilelint.calls"), "a clean run leaves no recording");

    let warned = stage.run(&[], BAD);
    assert_eq!(warned.status.code(), Some(0), "a warning fails nothing: {warned:?}");
    let denied = stage.run(&["--deny", "warnings"], BAD);
    assert_eq!(denied.status.code(), Some(1), "{denied:?}");
    let told = &denied.stderr;
    assert!(told.starts_with("error[msaa-store]: multisampled colour `ms`"), "{told}");
    assert!(told.contains(", tilelint.calls:"), "the place is in the recording: {told}");
    assert!(told.contains("^^^^^^^^^^^ asks for "), "{told}");
    assert!(told.ends_with("error: 1 new finding at level deny\n"), "{told}");
    assert_eq!(denied.stdout, "", "standard output is the program's");
    assert!(stage.exists("tilelint-report.json") && stage.exists("tilelint.calls"));
    let allowed = stage.run(&["--deny", "all", "--allow", "load-store,transient"], BAD);
    assert_eq!(allowed.status.code(), Some(0), "{allowed:?}");
    let over = stage.run(&["--budget", "1MB/frame"], GOOD);
    assert_eq!(over.status.code(), Some(1), "{over:?}");
    assert!(over.stderr.contains("error: over budget: quest2: "), "{}", over.stderr);
}

#[test]
fn settings_of_the_command_line_win_over_the_variable() {
    let stage = Stage::new();
    let levels = |variable: &str, options: &[&str]| {
        let mut command = stage.command(options, BAD);
        run(command.env("TILELINT_LEVELS", variable)).status.code()
    };
    assert_eq!(levels("msaa-store=deny", &[]), Some(1));
    assert_eq!(levels("msaa-store=deny", &["--allow", "load-store"]), Some(0));
    assert_eq!(levels("load-store=allow", &["--deny", "msaa-store"]), Some(1));
}

#[test]
fn a_baseline_covers_what_it_lists() {
    let stage = Stage::new();
    let options = ["--deny", "warnings", "--baseline", "base.json"];
    let missing = stage.run(&options, BAD);
    assert_eq!(missing.status.code(), Some(2), "{missing:?}");
    let made = stage.run(&[&options[..], &["--update-baseline"]].concat(), BAD);
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    let base: Value = stage.json("base.json");
    assert_eq!(base["known"][0]["rule"], "msaa-store", "{base}");
    assert_eq!(base["known"][0]["object"], "ms", "{base}");

    let covered = stage.run(&options, BAD);
    assert_eq!(covered.status.code(), Some(0), "{covered:?}");
    assert!(!covered.stderr.contains("[msaa-store]"), "{}", covered.stderr);
    assert!(covered.stderr.contains("; the baseline knows 1\n"), "{}", covered.stderr);
    let statuses = stage.json("tilelint-report.json");
    assert_eq!(statuses["findings"][0]["status"], "known");

    let text = stage.read("base.json").replace("\"reason\": \"\"", "\"reason\": \"known to us\"");
    fs::write(stage.folder().join("base.json"), &text).unwrap();
    let again = stage.run(&[&options[..], &["--update-baseline"]].concat(), BAD);
    assert_eq!((again.status.code(), stage.read("base.json")), (Some(0), text.clone()));

    let forms = ["--format", "sarif", "--format", "markdown", "--format", "code-scanning"];
    let files = ["-o", "gone.sarif", "-o", "gone.md", "-o", "gone-gh.sarif"];
    let fixed = stage.run(&[&options[..], &forms, &files].concat(), GOOD);
    assert_eq!(fixed.status.code(), Some(0), "{fixed:?}");
    let results = stage.json("gone.sarif")["runs"][0]["results"].clone();
    assert_eq!(results.as_array().map(Vec::len), Some(1), "{results}");
    assert_eq!(
        (&results[0]["baselineState"], &results[0]["kind"]),
        (&"absent".into(), &"pass".into())
    );
    let identity = &results[0]["partialFingerprints"]["tilelint/v1"];
    assert_eq!(identity, &base["known"][0]["fingerprint"]);
    stage.fits_sarif("gone.sarif");
    let alerts = stage.json("gone-gh.sarif")["runs"][0]["results"].clone();
    assert_eq!(alerts, serde_json::json!([]), "what is gone must not become an alert");
    stage.fits_sarif("gone-gh.sarif");
    let summary = stage.read("gone.md");
    let line = "\nGone, and still in the baseline: `msaa-store`, pass `main`, object `ms`.\n";
    assert!(summary.ends_with(line), "{summary}");
    let gone = "gone: msaa-store, pass `main`, object `ms` (base.json still lists it)\n";
    assert!(fixed.stderr.contains(gone), "{}", fixed.stderr);

    let other = text.replace(base["known"][0]["fingerprint"].as_str().unwrap(), "0123456789abcdef");
    fs::write(stage.folder().join("base.json"), other).unwrap();
    let new = stage.run(&options, BAD);
    assert_eq!(new.status.code(), Some(1), "{new:?}");
    assert_eq!(stage.json("tilelint-report.json")["findings"][0]["status"], "new");
}

#[test]
fn a_program_that_fails_keeps_its_exit_code() {
    let stage = Stage::new();
    let script = |tail: &str| format!("\"$PLAYER\" bad.calls; {tail}");
    let failed = stage.shell(&["--deny", "warnings"], &script("exit 41"));
    assert_eq!(failed.status.code(), Some(41), "{failed:?}");
    let told = "error: the program failed with exit code 41; the findings are those until then\n";
    assert!(failed.stderr.ends_with(told), "{}", failed.stderr);
    assert!(failed.stderr.contains("error[msaa-store]"), "{}", failed.stderr);

    let crashed = stage.shell(&[], &script("kill -ABRT $$"));
    assert_eq!(crashed.status.code(), Some(128 + 6), "{crashed:?}");
    assert!(crashed.stderr.contains("error: the program was ended by signal 6"), "{crashed:?}");
    let silent = stage.shell(&[], "exit 3");
    assert_eq!(silent.status.code(), Some(3), "{silent:?}");
    assert!(silent.stderr.contains("error: no report was written"), "{}", silent.stderr);
    let options = ["--baseline", "base.json", "--update-baseline"];
    let kept = stage.shell(&options, &script("exit 1"));
    assert_eq!(kept.status.code(), Some(1), "{kept:?}");
    assert!(!stage.exists("base.json"), "a run that failed makes no baseline");
}

#[test]
fn what_could_not_be_done_is_never_clean() {
    let stage = Stage::new();
    let none = stage.shell(&[], "true");
    assert_eq!(none.status.code(), Some(2), "no report: {none:?}");
    assert!(none.stderr.contains("error: no report was written"), "{}", none.stderr);

    let late = stage.shell(&["--timeout", "0.2"], "sleep 600");
    assert_eq!(late.status.code(), Some(2), "{late:?}");
    assert!(late.stderr.contains("was ended after 0.2 s (--timeout)"), "{}", late.stderr);

    for options in [
        &["--deny", "mssa-store"][..],
        &["--target", "quest9"],
        &["--driver", "best"],
        &["--timeout", "-1"],
        &["--budget", "much"],
        &["--format", "pdf"],
        &["--format", "sarif", "--format", "json"],
        &["-o", "file"],
        &["--update-baseline"],
        &["--no-such-option"],
        &["--frames", "5"],
        &["--frames", "5..2"],
        &["--frames", "5..6"],
        &["--set", "many-bins.bin=3"],
    ] {
        let bad = stage.run(options, GOOD);
        assert_eq!(bad.status.code(), Some(2), "{options:?}: {bad:?}");
        assert!(!bad.stderr.is_empty() && !stage.exists("tilelint-report.json"), "{options:?}");
    }
    let absent = run(&mut stage.tool(&["run", "--", "/no/such/program"]));
    assert_eq!(absent.status.code(), Some(2), "{absent:?}");
    assert!(absent.stderr.contains("cannot run /no/such/program: "), "{}", absent.stderr);
}

#[test]
fn the_name_of_a_file_says_its_format() {
    let stage = Stage::new();
    let mut command = stage.tool(&["run", "--driver", "null", "-o", "page.html", "-o", "r.sarif"]);
    // Without `--` the program ends the options as well.
    let ran = run(command.args(["sh", "-c", "\"$PLAYER\" bad.calls --form rp1"]));
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
    assert!(stage.read("page.html").starts_with("<!doctype html>"));
    stage.fits_sarif("r.sarif");
    assert!(ran.stderr.starts_with("warning[msaa-store]: "), "{}", ran.stderr);
    assert!(ran.stderr.contains("\n  report: tilelint-report.json\n"), "{}", ran.stderr);
    let other = stage.run(&["-o", "page.pdf"], GOOD);
    assert_eq!(other.status.code(), Some(2));
    assert!(other.stderr.starts_with("error: -o page.pdf: give the format"), "{}", other.stderr);
    let both = stage.run(&["--format", "github"], BAD);
    assert!(both.stdout.starts_with("::warning file="), "{}", both.stdout);
    assert!(both.stderr.starts_with("tilelint: 1 finding"), "told once: {}", both.stderr);
}

#[test]
fn only_the_frames_that_are_asked_for_are_judged() {
    let stage = Stage::new();
    let judged = |options: &[&str]| {
        let ran = stage.run(options, BAD);
        (ran.status.code(), ran.stderr)
    };
    let (code, told) = judged(&["--frames", "3.."]);
    assert_eq!(code, Some(0), "{told}");
    let report = stage.json("tilelint-report.json");
    assert_eq!(report["frames"]["range"], "3..", "{report}");
    assert_eq!(
        (&report["frames"]["seen"], &report["findings"][0]["count"]),
        (&3.into(), &3.into())
    );
    assert!(told.contains("tilelint: 1 finding (1 warning) in 3 frames of 3..\n"), "{told}");
    let (code, told) = judged(&["--frames", "40..50"]);
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("error: the program ended before a frame of 40..50 did\n"), "{told}");
    let (code, told) = judged(&["--frames", "5..2"]);
    let wrong = "error: `5..2` holds no frame: 10..20 are frames 10 to 19\n";
    assert_eq!((code, told.as_str()), (Some(2), wrong));
    let mut command = stage.command(&["--deny", "warnings"], BAD);
    let by_variable = run(command.env("TILELINT_FRAMES", "30.."));
    assert_eq!(by_variable.status.code(), Some(2), "the variable counts: {by_variable:?}");
}

#[test]
fn a_missing_layer_is_told_with_the_places_looked_at() {
    let stage = Stage::new();
    let alone = TempDir::new();
    let tool = alone.path().join("tilelint");
    fs::copy(stage.program(), &tool).unwrap();
    let data = alone.path().join("data");
    let mut command = std::process::Command::new(&tool);
    command.args(["run", "--", "true"]).env("HOME", alone.path()).env("XDG_DATA_DIRS", &data);
    let ran = run(&mut command);
    assert_eq!(ran.status.code(), Some(2), "{ran:?}");
    assert!(ran.stderr.starts_with("error: there is no libVkLayer_tilelint.so; looked at\n"));
    let beside = alone.path().canonicalize().unwrap().join("libVkLayer_tilelint.so");
    let manifest = data.join("vulkan/explicit_layer.d/VkLayer_tilelint.json");
    for place in [&beside, &manifest] {
        assert!(ran.stderr.contains(&*place.to_string_lossy()), "{}", ran.stderr);
    }
    // An installed manifest is as good.
    fs::create_dir_all(manifest.parent().unwrap()).unwrap();
    let library = stage.program().with_file_name("libVkLayer_tilelint.so");
    let text = serde_json::json!({"layer": {"library_path": library}}).to_string();
    fs::write(&manifest, text).unwrap();
    let ran = run(&mut command);
    assert!(ran.stderr.starts_with("error: no report was written"), "{}", ran.stderr);
}

#[test]
fn signals_reach_the_program() {
    let stage = Stage::new();
    let script = "trap 'exit 7' TERM; touch ready; while :; do sleep 0.01; done";
    let mut child = stage.start(&[], script);
    let id = child.id().to_string();
    while !stage.exists("ready") {
        assert!(child.try_wait().unwrap().is_none(), "the tool ended before the program began");
        std::thread::yield_now();
    }
    run(std::process::Command::new("kill").args(["-TERM", &id])).ok();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(7), "{}", as_text(&output.stderr));
}

#[test]
fn two_runs_give_the_same_report() {
    let stage = Stage::new();
    let engine = root().join("tests/listings/engine.calls");
    fs::copy(engine, stage.folder().join("engine.calls")).unwrap();
    let report = || {
        let ran = stage.run(&["--format", "json", "-o", "out/r.json"], "engine.calls");
        assert_eq!(ran.status.code(), Some(0), "{ran:?}");
        let mut report = stage.json("out/r.json");
        assert_eq!(report["recording"], "../tilelint.calls");
        let parts = report.as_object_mut().unwrap();
        assert!(parts.remove("run").is_some() && parts.remove("api_time").is_some());
        (report.to_string(), stage.read("tilelint.calls"))
    };
    fs::create_dir(stage.folder().join("out")).unwrap();
    assert_eq!(report(), report());
}

#[test]
fn the_forms_of_forges_fit_their_schemas() {
    let stage = Stage::new();
    let mut options = vec!["--deny", "warnings", "--budget", "99GB/s"];
    let forms =
        [("sarif", "r.sarif"), ("junit", "r.xml"), ("gitlab", "gl.json"), ("github", "gh.txt")];
    for (format, file) in forms {
        options.extend(["--format", format, "-o", file]);
    }
    let ran = stage.run(&options, BAD);
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    stage.fits_sarif("r.sarif");
    let file = |name: &str| stage.folder().join(name);
    let mut check = std::process::Command::new("xmllint");
    let schema = root().join("tests/data/schemas/junit-10.xsd");
    run(check.args(["--noout", "--schema"]).arg(schema).arg(file("r.xml"))).ok();
    let mut check = std::process::Command::new("xmllint");
    let cases = "concat(count(/testsuites/testsuite/testcase), ' ', /testsuites/@tests, ' ', \
         count(//testcase[failure]), ' ', /testsuites/testsuite/@failures)";
    let counted = run(check.args(["--xpath", cases]).arg(file("r.xml"))).ok().stdout;
    let counted: Vec<&str> = counted.split_whitespace().collect();
    assert!(counted[0] == counted[1] && counted[2..] == ["1", "1"], "{counted:?}");

    let sarif = stage.json("r.sarif");
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["level"], "error");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "tilelint.calls");
    let line = place["region"]["startLine"].as_u64().unwrap() as usize;
    let text = stage.read("tilelint.calls");
    let line = text.lines().nth(line - 1).unwrap();
    let column = |key: &str| place["region"][key].as_u64().unwrap() as usize - 1;
    assert_eq!(&line[column("startColumn")..column("endColumn")], "store=STORE");
    let rule = &sarif["runs"][0]["tool"]["driver"]["rules"][0];
    assert_eq!(rule["id"], "msaa-store");
    assert!(rule["help"]["markdown"].as_str().unwrap().starts_with("# `msaa-store`"));

    let junit = stage.read("r.xml");
    assert!(junit.contains("failures=\"1\"") && junit.contains("<failure message=\"multisampled"));
    let gitlab = stage.json("gl.json");
    assert_eq!(gitlab[0]["severity"], "critical");
    assert_eq!(gitlab[0]["location"]["path"], "tilelint.calls");
    let github = stage.read("gh.txt");
    assert!(github.starts_with("::error file=tilelint.calls,line="), "{github}");
    assert_eq!(github.lines().count(), 1, "{github}");
    assert!(github.contains("%0Afix: storeOp = DONT_CARE"), "{github}");
}
