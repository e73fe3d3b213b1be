//! The JSON report of a listing, whole and byte for byte.

use std::env;
use std::fs;
use std::path::Path;

use serde_json::json;
use tilelint::call::listing;
use tilelint::config::parse;
use tilelint::lint::lint;
use tilelint::report::{Input, Limit, build, from_json, to_json};

const LISTING: &str = "\
calls version=1 targets=quest2,mali-g78
device gpu api=1.3 vendor=0x5143 name=\"Adreno (TM) 650\"
image ms format=R8G8B8A8_UNORM extent=1024x1024 usage=COLOR_ATTACHMENT samples=4
image scene format=R8G8B8A8_UNORM extent=1024x1024 usage=COLOR_ATTACHMENT|SAMPLED
image depth format=D24_UNORM_S8_UINT extent=1024x1024 usage=DEPTH_STENCIL_ATTACHMENT samples=4
image eye format=R8G8B8A8_UNORM extent=1024x1024 usage=COLOR_ATTACHMENT memory=xr
repeat 6
  label-begin text=\"Frame\"
  pass main
    attach ms load=CLEAR store=STORE resolve=scene
    attach depth load=CLEAR store=STORE stencil_load=CLEAR stencil_store=DONT_CARE
    draw vertices=300 times=20
  end
  barrier scene src_stage=COLOR_ATTACHMENT_OUTPUT dst_stage=FRAGMENT_SHADER \
src_access=COLOR_ATTACHMENT_WRITE dst_access=SHADER_SAMPLED_READ \
old=COLOR_ATTACHMENT_OPTIMAL new=SHADER_READ_ONLY_OPTIMAL
  pass post
    attach eye load=DONT_CARE store=STORE
    draw vertices=3 reads=scene
  end
  label-end
  frame
end
";

const SETTINGS: &str = "\
[[suppress]]
rule = \"msaa-store\"
object = \"dep*\"
reason = \"read by a tool\"

[[suppress]]
rule = \"color-store\"
reason = \"no longer needed\"
";

fn report() -> String {
    let listing = listing::parse(LISTING).expect("the listing is right");
    let (mut config, problems) = parse(SETTINGS, "tilelint.toml");
    assert_eq!(problems, []);
    config.take_targets(&listing.header, "listing").expect("the targets exist");
    let linted = lint(&listing, Some(LISTING), &config, None);
    let mut input = Input::new("0.1.0", &config, &linted.session, &linted.judged);
    input.quote_file = Some("frame.calls");
    input.recording = Some("frame.calls");
    input.limits = vec![Limit { what: "findings per rule".into(), limit: 100, left_out: 3 }];
    input.unknown.commands.insert("vkCmdFooNV".into(), 12);
    input.unknown.structures.insert("1000999000".into(), 4);
    input.run = json!({"pid": 4711, "program": "game", "arguments": ["--headless"]});
    to_json(&build(input))
}

#[test]
fn the_report_is_as_documented() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/report.json");
    let report = report();
    if env::var_os("UPDATE").is_some_and(|value| value == "1") {
        fs::write(&path, &report).expect("the golden file can be written");
    }
    let golden = fs::read_to_string(&path).expect("the golden file exists");
    assert_eq!(report, golden, "UPDATE=1 rewrites {}", path.display());
}

#[test]
fn the_same_calls_give_the_same_bytes() {
    assert_eq!(report(), report());
}

#[test]
fn what_was_written_can_be_read() {
    let text = report();
    assert_eq!(to_json(&from_json(&text).expect("is a report")), text);
}
