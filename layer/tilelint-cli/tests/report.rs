//! Reports that are there already: checked, compared, in other forms.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Folder(PathBuf);

impl Folder {
    /// A folder with a listing, and the report on it.
    fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("out")).expect("the folder can be made");
        let folder = Folder(path);
        for (name, store) in [("bad", "STORE"), ("good", "DONT_CARE")] {
            let listing = format!(
                "calls version=1 targets=quest2\n\
                 image ms format=R8G8B8A8_UNORM extent=1024x1024 \
                 usage=COLOR_ATTACHMENT|TRANSIENT_ATTACHMENT samples=4 memory=lazy\n\
                 image eye format=R8G8B8A8_UNORM extent=1024x1024 usage=COLOR_ATTACHMENT \
                 memory=xr\nrepeat 5\n  pass main\n    attach ms load=CLEAR store={store} \
                 resolve=eye\n    draw vertices=3\n  end\n  frame\nend\n"
            );
            fs::write(folder.0.join(format!("{name}.calls")), listing).expect("can be written");
            let json = folder.tool(&["lint", &format!("{name}.calls"), "--format", "json"]).stdout;
            fs::write(folder.0.join(format!("{name}.json")), json).expect("can be written");
        }
        folder
    }

    fn tool(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tilelint"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("TILELINT_") {
                command.env_remove(name);
            }
        }
        command.args(arguments).current_dir(&self.0).output().expect("the tool runs")
    }

    #[track_caller]
    fn code(&self, arguments: &[&str]) -> Option<i32> {
        self.tool(arguments).status.code()
    }

    #[track_caller]
    fn text(&self, arguments: &[&str]) -> String {
        String::from_utf8(self.tool(arguments).stdout).expect("output is UTF-8")
    }
}

#[test]
fn a_check_decides_by_exit_code() {
    let folder = Folder::new("check");
    assert_eq!(folder.code(&["report", "bad.json", "--check"]), Some(0));
    assert_eq!(folder.code(&["report", "bad.json", "--deny", "warnings"]), Some(0), "no check");
    let denied = ["report", "bad.json", "--check", "--deny", "warnings"];
    assert_eq!(folder.code(&denied), Some(1));
    assert_eq!(folder.code(&["report", "good.json", "--check", "-D", "all"]), Some(0));
    assert_eq!(folder.code(&[&denied[..], &["--target", "mali-g78"]].concat()), Some(0));
    let based = [&denied[..], &["--baseline", "base.json"]].concat();
    assert_eq!(folder.code(&based), Some(2), "there is no baseline yet");
    assert_eq!(folder.code(&[&based[..], &["--update-baseline"]].concat()), Some(0));
    assert_eq!(folder.code(&based), Some(0));
    assert_eq!(folder.code(&["report", "good.json", "--check", "--budget", "1MB/frame"]), Some(1));
    let report = fs::read_to_string(folder.0.join("bad.json")).expect("it was written");
    let cut = report.replace("\"run\": null", "\"run\": {\"complete\": false}");
    assert_ne!(cut, report);
    fs::write(folder.0.join("cut.json"), cut).expect("can be written");
    assert_eq!(folder.code(&["report", "cut.json", "--check"]), Some(2), "less than happened");
    assert_eq!(folder.code(&["report", "base.json"]), Some(2), "a baseline is no report");
    assert_eq!(folder.code(&["report", "absent.json"]), Some(2));
}

#[test]
fn text_is_as_the_layer_writes_it_and_paths_fit_the_place() {
    let folder = Folder::new("text");
    let linted = folder.text(&["lint", "bad.calls"]);
    let shown = folder.text(&["report", "bad.json"]);
    let head = |text: &str| text.lines().next().map(str::to_owned);
    assert_eq!(head(&linted), head(&shown));
    assert!(shown.contains("--> frame 1, pass `main`, bad.calls:6:26\n"), "{shown}");
    assert!(shown.contains("\n 6 |     attach ms load=CLEAR store=STORE resolve=eye\n"), "{shown}");
    let caret = |text: &str| {
        let line = text.lines().find(|line| line.contains("^^^")).expect("carets");
        line.find('^')
    };
    assert_eq!(caret(&linted), caret(&shown));
    let moved = ["report", "bad.json", "--format", "json", "-o", "out/moved.json"];
    assert_eq!(folder.code(&moved), Some(0));
    let moved = fs::read_to_string(folder.0.join("out/moved.json")).expect("it was written");
    assert!(moved.contains("\"file\": \"../bad.calls\""), "{moved}");
    let again = folder.text(&["report", "out/moved.json", "--format", "github"]);
    assert!(again.starts_with("::warning file=bad.calls,line=6,col=26,endColumn=37,"), "{again}");
}

#[test]
fn reports_stand_side_by_side() {
    let folder = Folder::new("side");
    let diff = folder.text(&["diff", "good.json", "bad.json"]);
    assert!(diff.starts_with("### tilelint: 1 new, 0 dearer, 0 cheaper, 0 gone\n"), "{diff}");
    assert!(diff.contains("| new | `msaa-store` | pass `main`, image `ms` | - | 16.8 MB |"));
    assert!(diff.contains("\nTraffic a frame: 4.2 MB before, 21.0 MB now (+16.8 MB).\n"), "{diff}");
    assert_eq!(folder.code(&["diff", "good.json", "bad.json", "--check"]), Some(1));
    assert_eq!(folder.code(&["diff", "bad.json", "good.json", "--check"]), Some(0));
    let table = folder.text(&["merge", "good.json", "bad.json"]);
    let row = "\n| `msaa-store` | pass `main`, image `ms` | - | warn 16.8 MB |\n";
    assert!(table.starts_with("| rule | where | good.json | bad.json |\n"), "{table}");
    assert!(table.ends_with(row), "{table}");
    let markdown = folder.text(&["report", "bad.json", "--format", "markdown"]);
    assert!(markdown.contains("\n| warn | `msaa-store` | pass `main`, image `ms` | 16.8 MB each"));
}

/// Lints a frame with many mistakes; the report, and the same in another form.
fn engine(folder: &Folder, format: &str) -> (serde_json::Value, String) {
    let listing = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/listings/engine.calls");
    fs::copy(listing, folder.0.join("engine.calls")).expect("can be copied");
    let lint = |format: &str| folder.text(&["lint", "engine.calls", "--format", format]);
    (serde_json::from_str(&lint("json")).expect("it is JSON"), lint(format))
}

/// A line of a GitHub workflow command: word, properties, message, decoded as GitHub does.
fn command_of(line: &str) -> (String, Vec<(String, String)>, String) {
    let (head, message) = line.strip_prefix("::").and_then(|l| l.split_once("::")).expect("`::`");
    let (word, properties) = head.split_once(' ').expect("a word and properties");
    let decode = |text: &str| {
        assert!(!text.contains('\n') && !text.contains('\r'));
        text.replace("%0D", "\r")
            .replace("%0A", "\n")
            .replace("%3A", ":")
            .replace("%2C", ",")
            .replace("%25", "%")
    };
    let pair = |text: &str| {
        let (key, value) = text.split_once('=').expect("KEY=VALUE");
        (key.to_owned(), decode(value))
    };
    (word.to_owned(), properties.split(',').map(pair).collect(), decode(message))
}

#[test]
fn annotations_are_commands_that_github_reads() {
    let folder = Folder::new("github");
    let (report, text) = engine(&folder, "github");
    let findings = report["findings"].as_array().expect("a list");
    assert_eq!(text.lines().count(), findings.len());
    let source = fs::read_to_string(folder.0.join("engine.calls")).expect("it is there");
    let lines: Vec<&str> = source.lines().collect();
    for (line, finding) in text.lines().zip(findings) {
        let (word, properties, message) = command_of(line);
        let level = finding["level"].as_str().expect("a word");
        let expected = [("deny", "error"), ("warn", "warning"), ("info", "notice")];
        assert!(expected.contains(&(level, &word)), "{level}: {line}");
        let of = |key: &str| properties.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str());
        assert_eq!(of("title"), finding["rule"].as_str());
        assert_eq!(of("file"), Some("engine.calls"), "{line}");
        let number = |key: &str| of(key).and_then(|v| v.parse::<usize>().ok()).expect(key);
        let quoted = lines[number("line") - 1];
        assert!(quoted.get(number("col") - 1..number("endColumn") - 1).is_some(), "{line}");
        let known = ["title", "file", "line", "col", "endColumn"];
        assert!(properties.iter().all(|(key, _)| known.contains(&key.as_str())), "{line}");
        let says = finding["message"].as_str().expect("a text");
        assert!(message.starts_with(says) && message.contains("\nfix: "), "{message}");
    }
}

#[test]
fn code_quality_is_what_gitlab_reads() {
    let folder = Folder::new("gitlab");
    let (report, text) = engine(&folder, "gitlab");
    let issues: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let issues = issues.as_array().expect("a list");
    assert_eq!(issues.len(), report["findings"].as_array().map_or(0, Vec::len));
    let mut seen = Vec::new();
    for issue in issues {
        for key in ["description", "check_name", "fingerprint", "severity"] {
            assert!(issue[key].as_str().is_some_and(|text| !text.is_empty()), "{key}: {issue}");
        }
        let severities = ["info", "minor", "major", "critical", "blocker"];
        assert!(severities.contains(&issue["severity"].as_str().unwrap_or_default()), "{issue}");
        assert_eq!(issue["location"]["path"], "engine.calls");
        assert!(issue["location"]["lines"]["begin"].as_u64() > Some(0), "{issue}");
        // Of two with one fingerprint GitLab shows the first alone.
        assert!(!seen.contains(&issue["fingerprint"]), "{issue}");
        seen.push(issue["fingerprint"].clone());
    }
}

#[test]
fn what_was_left_out_of_a_report_cannot_be_asked_of_it() {
    let folder = Folder::new("late");
    for options in [["--frames", "3.."], ["--set", "many-bins.bins=3"], ["--steady-frames", "2"]] {
        let ran = folder.tool(&[&["report", "bad.json"][..], &options].concat());
        assert_eq!(ran.status.code(), Some(2));
        let told = String::from_utf8_lossy(&ran.stderr).into_owned();
        let start = format!("error: {} is not for a report: ", options[0]);
        assert!(told.starts_with(&start) && told.lines().count() == 1, "{told}");
    }
}
