//! `tilelint tile` and `tilelint gpus`, as a user runs them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn tilelint(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tilelint"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn stdout(args: &[&str]) -> String {
    let output = tilelint(args, "");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn failure(args: &[&str], input: &str) -> String {
    let output = tilelint(args, input);
    assert_eq!(output.status.code(), Some(2));
    String::from_utf8(output.stderr).unwrap()
}

fn ground_truth(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/groundtruth").join(file)
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const QUEST: [&str; 11] = [
    "tile",
    "--gpu",
    "quest2",
    "--size",
    "1440x1584",
    "--views",
    "2",
    "--samples",
    "4",
    "--color",
    "rgba8",
];

fn quest(more: &[&str]) -> Vec<String> {
    QUEST.iter().chain(&["--depth", "d24s8"]).chain(more).map(|arg| (*arg).to_owned()).collect()
}

fn run_quest(more: &[&str]) -> String {
    let args = quest(more);
    stdout(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn text() {
    let text = run_quest(&[]);
    for part in [
        "Quest 2 (Adreno 650) [quest2]",
        "1440x1584, 2 views, 4 samples: R8G8B8A8_UNORM + D24_UNORM_S8_UINT",
        "96x176, 135 bins   (estimate, fit: a rule fitted to numbers published from real devices)",
        "32 bytes per pixel and view: R8G8B8A8_UNORM 16 + D24_UNORM_S8_UINT 16",
        "1104 KiB of tile memory hold 35328 pixels over 2 views; a bin takes 33792 (95 %)",
        "Surface 1 | 1440x1584 | color 32bit, depth 24bit, stencil 8 bit, MSAA 4 | 135 96x176 bins \
         | stages: Binning Render StoreColor",
        "the open driver would take 288x64, 125 bins (full layout)",
        "binned.tile_memory_fitted       1130496  fit: a published 384x368 bin fills",
    ] {
        assert!(text.contains(part), "{part}\nis not in\n{text}");
    }
}

#[test]
fn json_models_and_layouts() {
    let tile = |more: &[&str]| {
        let value: Value = serde_json::from_str(&run_quest(more)).unwrap();
        (value[0]["tile"].clone(), value[0]["bins"].clone(), value[0]["estimate"].clone())
    };
    assert_eq!(tile(&["--json"]), (json!([96, 176]), json!(135), json!(true)));
    let open = tile(&["--json", "--model", "open"]);
    assert_eq!(open, (json!([288, 64]), json!(125), json!(false)));
    let avoid = tile(&["--json", "--model", "open", "--layout", "avoid-ccu"]);
    assert_eq!(avoid, (json!([96, 176]), json!(135), json!(false)));
}

#[test]
fn default_targets() {
    let text = stdout(&["tile", "--size", "1920x1080", "--color", "rgba8", "--json"]);
    let value: Value = serde_json::from_str(&text).unwrap();
    let names: Vec<&Value> = value.as_array().unwrap().iter().map(|row| &row["gpu"]).collect();
    assert_eq!(names, ["quest2", "quest3", "mali-g78"]);
}

#[test]
fn wrong_words() {
    let error = failure(&["tile", "--gpu", "qest2", "--size", "8x8"], "");
    assert!(error.contains("the nearest is `quest2`") && error.contains("mali-g78"), "{error}");
    let error = failure(&["tile", "--size", "8x8", "--color", "rgba9"], "");
    assert!(error.contains("the nearest is `rgba8`"), "{error}");
    let error = failure(&["tile", "--size", "8"], "");
    assert!(error.contains("WIDTHxHEIGHT"), "{error}");
    let error = failure(&["tile", "--size", "8x8", "--samples", "3"], "");
    assert!(error.contains("1, 2, 4, 8"), "{error}");
    let error = failure(&["tile", "--size", "8x8", "--color", "d32"], "");
    assert!(error.contains("the other kind of attachment"), "{error}");
    let error = failure(&["gpus", "voodoo"], "");
    assert!(error.contains("no target is called `voodoo`"), "{error}");
}

#[test]
fn batch_of_tiles() {
    let file = ground_truth("turnip-tiles.jsonl");
    let expected = lines(&std::fs::read_to_string(&file).unwrap());
    let answers = lines(&stdout(&["tile", "--batch", file.to_str().unwrap()]));
    assert_eq!(answers.len(), expected.len());
    for (answer, expected) in answers.iter().zip(&expected) {
        for (key, value) in expected.as_object().unwrap() {
            assert_eq!(&answer[key], value, "{key} of {expected}");
        }
        assert!(answer["fitted"].is_null() || answer["fitted"]["n"].is_u64(), "{answer}");
    }
}

#[test]
fn batch_of_published_bins() {
    let file = ground_truth("published_bins.jsonl");
    let expected = lines(&std::fs::read_to_string(&file).unwrap());
    let answers = lines(&stdout(&["tile", "--batch", file.to_str().unwrap()]));
    assert_eq!(answers.len(), expected.len());
    for (answer, expected) in answers.iter().zip(&expected) {
        assert_eq!(answer["id"], expected["id"]);
        assert_eq!(answer["fitted"]["n"], expected["n"], "{expected}");
        if !expected["bin"].is_null() {
            assert_eq!(answer["fitted"]["tile"], expected["bin"], "{expected}");
        }
        // Only inputs are repeated.
        assert!(answer.get("bin").is_none() && answer.get("n").is_none());
    }
}

#[test]
fn verdicts() {
    let file = ground_truth("turnip-merge.jsonl");
    let expected = lines(&std::fs::read_to_string(&file).unwrap());
    let answers = lines(&stdout(&["tile", "--verdicts", file.to_str().unwrap()]));
    assert_eq!(answers.len(), expected.len());
    for (answer, expected) in answers.iter().zip(&expected) {
        for key in ["gpu", "case", "gmem_capable", "mode", "reason", "gmem_ops", "layout"] {
            assert_eq!(answer[key], expected[key], "{key} of {expected}");
        }
    }
}

#[test]
fn a_bad_row_is_told_and_the_rest_answered() {
    let rows = "{\"gpu\":\"a999\",\"w\":8,\"h\":8}\n\n{\"gpu\":\"a650\",\"w\":8,\"h\":8,\
                \"color\":[\"RGBA8\"]}\nnothing\n";
    let output = tilelint(&["tile", "--batch", "-"], rows);
    assert_eq!(output.status.code(), Some(2));
    let answers = lines(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(answers.len(), 3);
    assert!(answers[0]["error"].as_str().unwrap().contains("a999"));
    assert_eq!(answers[1]["full"]["tile"], json!([96, 16]));
    assert!(answers[2]["error"].is_string());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.starts_with("-:1: ") && errors.contains("-:4: "), "{errors}");
    let verdict = "{\"gpu\":\"a650\",\"spec\":[\"fb 8 8\",\"sub color=3\"]}";
    let error = failure(&["tile", "--verdicts", "-"], verdict);
    assert!(error.contains("names an attachment that it has not"), "{error}");
}

#[test]
fn gpus() {
    let text = stdout(&["gpus"]);
    assert!(text.lines().any(|line| line.starts_with("* quest2 ")), "{text}");
    let numbers = stdout(&["gpus", "adreno-650"]);
    assert!(numbers.contains("1179648  run: Turnip 25.0.7"), "{numbers}");
    let list: Value = serde_json::from_str(&stdout(&["gpus", "--json"])).unwrap();
    assert_eq!(list.as_array().unwrap().len(), text.lines().take_while(|l| !l.is_empty()).count());
    let one: Value = serde_json::from_str(&stdout(&["gpus", "a650", "--json"])).unwrap();
    assert_eq!(one[0]["numbers"]["binned.align"]["value"], json!([96, 16]));
}

#[test]
fn own_profiles() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("own-profiles");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("studio.toml");
    let mine = "[[profile]]\nname = \"studio\"\ninherits = \"quest2\"\n\
                binned.tile_memory_fitted = 1048576\n";
    std::fs::write(&file, mine).unwrap();
    let folder = folder.to_str().unwrap().to_owned();
    let args = ["tile", "--profiles", &folder, "--gpu", "studio", "--size", "1440x1584"];
    let mut args = args.to_vec();
    args.extend(["--views", "2", "--samples", "4", "--color", "rgba8", "--depth", "d24s8"]);
    let text = stdout(&args);
    assert!(text.contains("96x160") && text.contains("user: "), "{text}");
    std::fs::write(&file, format!("{mine}refresh = 90\n")).unwrap();
    let error = failure(&args, "");
    assert!(error.contains("studio.toml:5: unknown key `refresh`"), "{error}");
    assert!(error.contains("the nearest is `refresh_hz`"), "{error}");
}
