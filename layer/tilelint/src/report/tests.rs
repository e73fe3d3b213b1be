use super::*;
use crate::finding::{
    self as found, Confidence, Cost as FoundCost, Level, Location as At, Quote as Quoted, Tier,
};
use crate::profile;

fn profiles() -> Vec<profile::Profile> {
    let names = profile::DEFAULT_TARGETS.iter();
    names.map(|name| profile::by_name(name).expect("is built in").clone()).collect()
}

fn line(number: u32, text: &str) -> found::QuoteLine {
    found::QuoteLine { number, text: text.to_owned() }
}

fn mark(line: usize, key: &'static str, label: &str, primary: bool) -> found::Mark {
    found::Mark { line, key, label: label.to_owned(), primary }
}

fn msaa_store() -> found::Finding {
    found::Finding {
        rule: "msaa-store",
        level: Level::Warn,
        confidence: Confidence::Certain,
        tier: Tier::F,
        fingerprint: 0xa41b_77c9_e0d2_5f13,
        count: 120,
        per_frame: 1,
        first_frame: 0,
        only_unsteady: false,
        seen_over: 3,
        targets: vec!["mali-g78".into(), "quest2".into(), "quest3".into()],
        message: "multisampled colour `scene_msaa` is written to memory although its samples \
                  are never read"
            .into(),
        why: vec!["the pass resolves it, and the next frame clears it".into()],
        assumes: Vec::new(),
        cost: FoundCost::store(47_300_000),
        fixes: vec![found::Fix::text(
            "storeOp = DONT_CARE; then usage |= TRANSIENT_ATTACHMENT and LAZILY_ALLOCATED memory",
        )],
        location: At {
            device: "device.0".into(),
            frame: Some(3),
            pass: Some("main".into()),
            image: Some("scene_msaa".into()),
            ..At::default()
        },
        quote: Quoted {
            lines: vec![line(4, "  attach scene_msaa load=CLEAR store=STORE")],
            marks: vec![mark(0, "store", "", true)],
        },
        notes: Vec::new(),
        by_target: Vec::new(),
        objects: Vec::new(),
    }
}

#[test]
fn a_finding_looks_as_designed() {
    let profiles = profiles();
    let file = Some("tilelint.calls");
    let renderer = Renderer { profiles: &profiles, file, ..Renderer::default() };
    let expected = "\
warning[msaa-store]: multisampled colour `scene_msaa` is written to memory although \
    its samples are never read
  --> frame 3, pass `main`, tilelint.calls:4:32
   |
 4 |   attach scene_msaa load=CLEAR store=STORE
   |                                ^^^^^^^^^^^ asks for 47.3 MB each frame (3.4 GB/s at 72 Hz)
   = why: the pass resolves it, and the next frame clears it
   = fix: storeOp = DONT_CARE; then usage |= TRANSIENT_ATTACHMENT and LAZILY_ALLOCATED memory
   = on: quest2, quest3, mali-g78; certain, seen over 3 frames          \
    (tilelint explain msaa-store)
";
    assert_eq!(renderer.finding(&msaa_store()), expected);
}

#[test]
fn lines_that_explain_stand_in_order() {
    let mut finding = msaa_store();
    finding.level = Level::Forbid;
    finding.seen_over = 1;
    finding.cost = FoundCost { memory_bytes: 12_500_000, ..FoundCost::load(900) };
    finding.quote.lines =
        vec![line(12, "  attach ms store=STORE"), line(11, "pass a"), line(3, "\timage ms x=1")];
    finding.quote.marks = vec![
        mark(0, "store", "stored here", true),
        mark(2, "usage", "made here", false),
        mark(1, "", "", false),
    ];
    finding.notes =
        vec![found::Note { rule: "non-transient", message: "it lies in memory".into() }];
    finding.assumes = vec!["no later frame reads it".into()];
    finding.fixes.push(found::Fix::text("drop the attachment"));
    finding.by_target = vec![found::TargetDifference {
        target: "mali-g78".into(),
        confidence: Some(Confidence::Likely),
        cost: Some(FoundCost::store(1_000)),
    }];
    finding.location.labels = vec!["Frame".into(), "main".into()];
    finding.location.subpass = Some(1);
    let profiles = profiles();
    let renderer = Renderer { profiles: &profiles, many_devices: true, ..Renderer::default() };
    let expected = "\
error[msaa-store]: multisampled colour `scene_msaa` is written to memory although \
    its samples are never read
   --> `device.0`, frame 3, pass `main`, subpass 1, in Frame
    |
  3 |  image ms x=1
    |  ----- made here
 ...
 11 | pass a
    | ----
 12 |   attach ms store=STORE
    |             ^^^^^^^^^^^ stored here, asks for 12.5 MB of memory and 900 B each frame \
    (64.8 kB/s at 72 Hz)
    = why: the pass resolves it, and the next frame clears it
    = assumes: no later frame reads it
    = fix: storeOp = DONT_CARE; then usage |= TRANSIENT_ATTACHMENT and LAZILY_ALLOCATED memory
    = or: drop the attachment
    = note: non-transient: it lies in memory
    = on: quest2, quest3, mali-g78; certain; on mali-g78 likely asks for 1.0 kB \
    each frame  (tilelint explain msaa-store)
";
    assert_eq!(renderer.finding(&finding), expected);
}

#[test]
fn a_program_without_line_numbers_is_quoted_too() {
    let mut finding = msaa_store();
    finding.quote.lines[0].number = 0;
    finding.location.pass = None;
    finding.location.frame = None;
    let text = Renderer { file: Some("x.calls"), ..Renderer::default() }.finding(&finding);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[1], "  --> image `scene_msaa`");
    assert_eq!(lines[3], "   |   attach scene_msaa load=CLEAR store=STORE");
    assert_eq!(
        lines[4],
        "   |                                ^^^^^^^^^^^ asks for 47.3 MB each frame"
    );
}

#[test]
fn colours_change_nothing_but_colours() {
    let profiles = profiles();
    let plain = Renderer { profiles: &profiles, ..Renderer::default() };
    let color = Renderer { color: true, ..plain };
    let colored = color.finding(&msaa_store());
    assert!(colored.contains("\x1b["));
    let mut stripped = String::new();
    let mut rest = colored.as_str();
    while let Some(start) = rest.find('\x1b') {
        stripped.push_str(&rest[..start]);
        let end = rest[start..].find('m').expect("an escape ends with m");
        rest = &rest[start + end + 1..];
    }
    stripped.push_str(rest);
    assert_eq!(stripped, plain.finding(&msaa_store()));
}

#[test]
fn a_long_line_is_cut_behind_its_mark() {
    let mut finding = msaa_store();
    let text = format!("  attach ms {} store=STORE {}", "x".repeat(200), "y".repeat(200));
    finding.quote.lines[0].text = text;
    let text = Renderer::default().finding(&finding);
    let quoted = text.lines().nth(3).expect("the quoted line");
    assert!(quoted.ends_with("store=STORE…"), "{quoted}");
}

fn report() -> Report {
    Report {
        schema: SCHEMA.into(),
        version: VERSION,
        frames: Frames { seen: 120, steady: 117, boundary: Some("present".into()), range: None },
        targets: vec![Target { name: "quest2".into(), refresh_hz: 72, ..Target::default() }],
        traffic: Traffic {
            load_bytes: Some(0),
            store_bytes: Some(91_238_400),
            avoidable_bytes: 0,
            passes: Some(2),
        },
        recording: Some("tilelint.calls".into()),
        ..Report::default()
    }
}

#[test]
fn a_clean_program_gets_one_line() {
    assert_eq!(
        summary(&report(), None),
        "tilelint: no findings in 120 frames (117 steady); 2 passes a frame load 0 B and store \
         91.2 MB (6.6 GB/s at 72 Hz)\n"
    );
    let mut one = report();
    one.frames = Frames { seen: 1, steady: 1, boundary: None, range: None };
    one.traffic = Traffic { passes: Some(1), ..Traffic::default() };
    assert_eq!(
        summary(&one, Some("out.json")),
        "tilelint: no findings in 1 frame; 1 pass a frame; not all of what they ask for is known; \
         report: out.json\n"
    );
    one.traffic = Traffic::default();
    one.frames = Frames::default();
    assert_eq!(
        summary(&one, None),
        "tilelint: no findings in 0 frames; no frame was seen to its end\n"
    );
}

#[test]
fn the_summary_names_the_dearest() {
    let mut report = report();
    let finding = |rule: &str, level: &str, store_bytes, memory_bytes| Finding {
        rule: rule.into(),
        level: level.into(),
        count: 120,
        cost: Cost { store_bytes, memory_bytes, ..Cost::default() },
        location: Location {
            pass: (memory_bytes == 0).then(|| "main".into()),
            image: Some("scene".into()),
            ..Location::default()
        },
        ..Finding::default()
    };
    report.findings = vec![
        finding("resolve-not-stored", "deny", 0, 0),
        finding("non-transient", "warn", 0, 9_000_000),
        finding("msaa-store", "warn", 72_990_720, 0),
    ];
    report.traffic.avoidable_bytes = 72_990_720;
    report.suppressed.push(Suppressed::default());
    report.unused.push(Unused {
        kind: "suppression".into(),
        by: "tilelint.toml:20".into(),
        rule: "depth-store".into(),
    });
    assert_eq!(
        summary(&report, Some("tilelint-report.json")),
        "\
tilelint: 3 findings (1 error, 2 warnings), 1 suppressed in 120 frames (117 steady)
  traffic: 2 passes a frame load 0 B and store 91.2 MB (6.6 GB/s at 72 Hz), \
    73.0 MB of it avoidable (80 %)
  dearest:  73.0 MB a frame  msaa-store          pass `main`, `scene`, in 120 frames
           9.0 MB of memory  non-transient       `scene`, in 120 frames
                          -  resolve-not-stored  pass `main`, `scene`, in 120 frames
  suppression: depth-store in tilelint.toml:20 does nothing
  report: tilelint-report.json
  recording: tilelint.calls
"
    );
}

#[test]
fn a_reader_ignores_keys_that_it_does_not_know() {
    let text = to_json(&report());
    assert_eq!(from_json(&text).expect("is a report"), report());
    let more = text.replacen("\"tool\"", "\"later\": {\"x\": [1]}, \"tool\"", 1);
    assert_eq!(from_json(&more).expect("is a report"), report());
    let less = r#"{"schema": "tilelint-report", "version": 1, "frames": {"seen": 4}}"#;
    assert_eq!(from_json(less).expect("is a report").frames.seen, 4);
    let newer = text.replacen("\"version\": 1", "\"version\": 2", 1);
    assert!(matches!(from_json(&newer), Err(ReadError::Version(2))));
    assert!(matches!(from_json("{}"), Err(ReadError::Schema(_))));
    assert!(matches!(from_json("{"), Err(ReadError::Json(_))));
}

#[test]
fn the_table_shows_ops_bytes_and_targets() {
    let aspect = |aspect: &str, load: Option<&str>, store_bytes| AspectOps {
        aspect: aspect.into(),
        load: load.map(str::to_owned),
        store: Some("STORE".into()),
        load_bytes: Some(0),
        store_bytes,
        content: Some("dead".into()),
        next: Some("cleared by pass `main`".into()),
    };
    let attachment = |image: Option<&str>, samples, aspects| Attachment {
        image: image.map(str::to_owned),
        format: "R8G8B8A8_UNORM".into(),
        samples,
        resolve: (samples > 1).then(|| "scene".into()),
        aspects,
        ..Attachment::default()
    };
    let forecast = Forecast {
        mode: "direct".into(),
        reason: Some("one draw".into()),
        surface: "Surface 1 | 1440x1584 | mode: Direct".into(),
        ..Forecast::default()
    };
    let report = Report {
        passes: vec![Pass {
            name: "main".into(),
            via: "rp2".into(),
            frames: 120,
            per_frame: 2,
            extent: [1440, 1584],
            area: [0, 0, 1440, 1584],
            layers: 1,
            views: 3,
            subpasses: 1,
            draws: Some(312),
            attachments: vec![
                attachment(Some("ms"), 4, vec![aspect("color", Some("CLEAR"), Some(72_990_720))]),
                attachment(None, 1, vec![aspect("color", None, None)]),
            ],
            targets: [("quest2".to_owned(), forecast)].into(),
            ..Pass::default()
        }],
        ..Report::default()
    };
    let expected = "\
pass `main`: 1440x1584, rp2, views 0b11, 312 draws, 2 a frame, in 120 frames
  ms            R8G8B8A8_UNORM 4x color  CLEAR -> STORE  loads 0 B, stores 73.0 MB  \
    resolved to scene, dead: cleared by pass `main`
  attachment 0  R8G8B8A8_UNORM color     ? -> STORE      loads 0 B, stores ?        \
    dead: cleared by pass `main`
  quest2: Surface 1 | 1440x1584 | mode: Direct
    direct: one draw
";
    assert_eq!(pass_table(&report), expected);
}

#[test]
fn findings_for_which_there_is_no_room_are_a_limit_that_was_hit() {
    let mut text = "calls version=1 targets=quest2\nimage eye format=R8G8B8A8_UNORM \
                    extent=1024x1024 usage=COLOR_ATTACHMENT memory=xr\n"
        .to_owned();
    for name in ["sky", "sea", "land", "sun"] {
        text += &format!(
            "image {name} format=R8G8B8A8_UNORM extent=1024x1024 samples=4 \
             usage=COLOR_ATTACHMENT|TRANSIENT_ATTACHMENT memory=lazy\nrepeat 6\n  pass {name}\n    \
             attach {name} load=CLEAR store=STORE resolve=eye\n    draw vertices=3\n  end\n  \
             frame\nend\n"
        );
    }
    let listing = crate::call::listing::parse(&text).expect("the listing is right");
    let mut config = crate::config::Config::new();
    config.set("targets", "quest2", "test").expect("is right");
    let report = |most: usize| {
        let settings = crate::model::Settings { markers_only: true, ..config.model() };
        let engine = config.engine().with_at_most(most);
        let mut session = crate::session::Session::new(settings, engine);
        listing.entries.iter().for_each(|entry| drop(session.apply(entry)));
        session.finish();
        let judged = config.judge(session.findings(), None);
        build(Input::new("0", &config, &session, &judged))
    };
    let all = report(100);
    assert!(all.findings.len() >= 4 && all.limits.is_empty(), "{}", all.findings.len());
    let few = report(2);
    let limit = few.limits.first().expect("the limit was hit");
    assert_eq!((few.limits.len(), limit.what.as_str(), limit.limit), (1, "findings", 2));
    assert_eq!(few.findings.len() as u64 + limit.left_out, all.findings.len() as u64);
    assert!(summary(&few, None).contains("limit: findings of 2"), "{}", summary(&few, None));
}
