//! Findings that no steady frame has: every output lists them apart, and none fails by them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// A pass that the first frame alone runs LOADs what nobody wrote, which is denied elsewhere.
const LISTING: &str = "\
calls version=1 targets=quest2
image table format=R8G8B8A8_UNORM extent=512x512 usage=COLOR_ATTACHMENT|SAMPLED
image eye format=R8G8B8A8_UNORM extent=1024x1024 usage=COLOR_ATTACHMENT memory=xr
pass bake
  attach table load=LOAD store=STORE initial=UNDEFINED
  draw vertices=36
end
repeat 6
  pass main
    attach eye load=CLEAR store=STORE
    draw vertices=36 reads=table
  end
  frame
end
";

fn tilelint(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tilelint"));
    for (name, _) in std::env::vars_os().filter(|(n, _)| n.to_string_lossy().starts_with("TILE")) {
        command.env_remove(name);
    }
    command.args(arguments).current_dir(folder).output().expect("the tool runs")
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("output is UTF-8")
}

#[test]
fn they_are_listed_apart_and_fail_nothing() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unsteady");
    fs::create_dir_all(&folder).expect("the folder can be made");
    fs::write(folder.join("start.calls"), LISTING).expect("can be written");

    let lint = tilelint(&folder, &["lint", "start.calls", "--deny", "all"]);
    let out = text(&lint);
    assert_eq!(lint.status.code(), Some(0), "{out}");
    let heading = "only outside steady frames (start-up, loading, resizing, screenshots):\n\n";
    assert!(out.starts_with(&format!("{heading}info[load-of-undefined]: ")), "{out}");
    assert!(out.contains("\ntilelint: no findings in 6 frames (5 steady); "), "{out}");
    assert!(
        out.ends_with("  only outside steady frames: 1 finding (load-of-undefined)\n"),
        "{out}"
    );

    let json = text(&tilelint(&folder, &["lint", "start.calls", "--format", "json"]));
    fs::write(folder.join("report.json"), &json).expect("can be written");
    let report: Value = serde_json::from_str(&json).expect("is JSON");
    let found = &report["findings"][0];
    assert_eq!((&found["only_unsteady"], &found["level"]), (&true.into(), &"info".into()));

    let form = |form: &str| {
        let check = ["report", "report.json", "--check", "--deny", "all", "--format", form];
        let output = tilelint(&folder, &check);
        assert_eq!(output.status.code(), Some(0), "{form}: {}", text(&output));
        text(&output)
    };
    assert!(form("text").starts_with(&format!("{heading}info[load-of-undefined]: ")));
    let sarif: Value = serde_json::from_str(&form("sarif")).expect("is JSON");
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(
        (&result["level"], &result["properties"]["onlyUnsteady"]),
        (&"note".into(), &true.into())
    );
    assert!(form("junit").contains("failures=\"0\""));
    assert!(form("github").starts_with("::notice "));
    assert!(
        form("markdown").contains("| info, only outside steady frames | `load-of-undefined` |")
    );

    let update = ["report", "report.json", "--baseline", "known.json", "--update-baseline"];
    assert_eq!(tilelint(&folder, &update).status.code(), Some(0));
    let baseline = fs::read_to_string(folder.join("known.json")).expect("is written");
    let baseline: Value = serde_json::from_str(&baseline).expect("is JSON");
    assert_eq!(baseline["known"], Value::Array(Vec::new()), "it needs no leave");
}
