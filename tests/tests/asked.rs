//! What the layer asks the driver on its own, after opt-in: through loader, layer and null driver.

use tilelint_tests::page::listings_folder;
use tilelint_tests::played::{Stage, Told, linted};

/// Two subpasses that share an attachment, and what a driver says of them.
fn deferred(status: &str) -> String {
    format!(
        "calls version=1 targets=quest2
image a format=R8G8B8A8_UNORM extent=1024x1024 usage=COLOR_ATTACHMENT|INPUT_ATTACHMENT
image out format=R8G8B8A8_UNORM extent=1024x1024 usage=COLOR_ATTACHMENT memory=xr
repeat 5
  pass deferred merged=2
    attach a load=CLEAR store=DONT_CARE
    attach out load=DONT_CARE store=STORE
    subpass gbuffer color=a merge=MERGED
    subpass light color=out input=a merge={status} merge_index=1 \
         merge_text=\"too wide: 9 of \\\"8\\\"\"
    dependency gbuffer->light src_stage=COLOR_ATTACHMENT_OUTPUT dst_stage=FRAGMENT_SHADER \
         src_access=COLOR_ATTACHMENT_WRITE dst_access=INPUT_ATTACHMENT_READ flags=BY_REGION
    draw vertices=3
    next-subpass
    draw vertices=3
  end
  frame
end
"
    )
}

const MERGING: &str = "driver-merge-feedback";

/// Plays a listing; returns what a rule said, and the recording.
fn play(stage: &Stage, rule: &str, name: &str, text: &str) -> (Vec<Told>, String) {
    let listing = linted(text, None, &listings_folder()).unwrap().0;
    let told = stage.play(name, &listing, text, None, None).unwrap();
    let said = told.into_iter().filter(|told| told.rule == rule).collect();
    (said, stage.recording(name).unwrap_or_default())
}

#[test]
fn the_answer_is_told_and_recorded() {
    let stage = Stage::new();
    let (said, recording) = play(&stage, MERGING, "asked", &deferred("NOT_MERGED_UNSPECIFIED"));
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].text.contains("too wide: 9 of"), "{}", said[0].text);
    assert!(recording.contains(" merged=2\n"), "{recording}");
    let line = "merge=NOT_MERGED_UNSPECIFIED merge_index=1 merge_text=\"too wide: 9 of \\\"8\\\"\"";
    assert!(recording.contains(line), "{recording}");
    let repeated = stage.repeated("asked", None).unwrap();
    assert!(said.iter().all(|told| repeated.contains(told)), "{repeated:?}");
}

#[test]
fn nothing_is_asked_without_opt_in() {
    let stage = Stage::new().with("TILELINT_ASK_DRIVER", "off");
    let (said, recording) = play(&stage, MERGING, "silent", &deferred("NOT_MERGED_UNSPECIFIED"));
    assert_eq!(said, []);
    assert!(!recording.contains("merge="), "{recording}");
}

/// A driver that announces the extension and then refuses it.
#[test]
fn a_device_that_refuses_is_made_as_it_was_asked_for() {
    let refusal = "vkCreateDevice = { result = \"ERROR_EXTENSION_NOT_PRESENT\", call = 1 }";
    let stage = Stage::new().with_driver(&format!("[errors]\n{refusal}\n"));
    let (said, _) = play(&stage, MERGING, "refused", &deferred("NOT_MERGED_UNSPECIFIED"));
    assert_eq!(said, []);
}

/// A pass with a wide and a transient attachment, in a form.
fn wide(form: &str) -> String {
    format!(
        "calls version=1 targets=quest2
image eye format=R16G16B16A16_SFLOAT extent=1440x1584 usage=COLOR_ATTACHMENT memory=xr
image depth format=D32_SFLOAT_S8_UINT extent=1440x1584 \
         usage=DEPTH_STENCIL_ATTACHMENT|TRANSIENT_ATTACHMENT memory=lazy
repeat 8
  pass scene via={form} tiles=96x96
    attach eye load=CLEAR store=STORE
    attach depth load=CLEAR store=DONT_CARE
    draw vertices=3
  end
  frame
end
"
    )
}

#[test]
fn tiles_are_those_of_the_driver_in_every_form() {
    let stage = Stage::new();
    for form in ["rp1", "rp2", "dynamic"] {
        let (said, recording) = play(&stage, "many-bins", form, &wide(form));
        assert_eq!(said.len(), 1, "{form}: {said:?}");
        assert!(said[0].text.contains("255 bins of 96x96"), "{form}: {}", said[0].text);
        assert!(recording.contains(" tiles=96x96"), "{form}: {recording}");
    }
    let stage = stage.with("TILELINT_ASK_DRIVER", "off");
    let (_, recording) = play(&stage, "many-bins", "off", &wide("rp2"));
    assert!(!recording.contains(" tiles="), "{recording}");
}

/// The driver commits what the program never asks about.
#[test]
fn committed_memory_is_found_by_asking() {
    let driver = "committed_bytes = 4194304\n";
    let play = |asks: &str, name: &str| {
        let stage = Stage::new()
            .with("TILELINT_ASK_DRIVER", asks)
            .with("TILELINT_DEBUG_COMMITMENT_INTERVAL", 0)
            .with_driver(driver);
        play(&stage, "lazy-memory-committed", name, &wide("rp2"))
    };
    let (said, recording) = play("on", "committed");
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(recording.contains("commitment "), "{recording}");
    let (said, recording) = play("off", "not-asked");
    assert_eq!(said, []);
    assert!(!recording.contains("commitment "), "{recording}");
}

/// Within a second the driver is asked once, however many submissions there are.
#[test]
fn the_driver_is_not_asked_in_every_frame() {
    let stage = Stage::new().with("TILELINT_ASK_DRIVER", "on");
    let stage = stage.with("TILELINT_DEBUG_COMMITMENT_INTERVAL", 3_600_000);
    let (_, recording) = play(&stage, "lazy-memory-committed", "seldom", &wide("rp2"));
    let asked = recording.lines().filter(|line| line.trim_start().starts_with("commitment "));
    assert!(asked.count() <= 1, "{recording}");
}

/// What linting says of merging in a listing, as rule and level.
fn lints(text: &str) -> Vec<(String, String)> {
    let told = linted(text, None, &listings_folder()).unwrap().1;
    let level = |told: &Told| told.text.split(' ').next().unwrap_or_default().to_owned();
    let about = ["driver-merge-", "mid-pass-", "subpass-"];
    let told = told.iter().filter(|told| about.iter().any(|start| told.rule.starts_with(start)));
    told.map(|told| (told.rule.clone(), level(told))).collect()
}

fn said(rule: &str, level: &str) -> (String, String) {
    (rule.to_owned(), format!("level=\"{level}\""))
}

#[test]
fn what_the_program_disallows_is_a_remark() {
    assert_eq!(lints(&deferred("DISALLOWED")), [said(MERGING, "info")]);
    assert_eq!(lints(&deferred("NOT_MERGED_ALIASING")), [said(MERGING, "warn")]);
    assert_eq!(lints(&deferred("MERGED")), []);
}

#[test]
fn a_driver_that_merges_outranks_what_is_predicted() {
    let rule = "subpass-dep-shader-read";
    let sampled = deferred("MERGED").replace("INPUT_ATTACHMENT_READ flags", "SHADER_READ flags");
    assert_eq!(lints(&sampled), [said(rule, "info")], "it still misses a barrier");
    let wide =
        deferred("MERGED").replace("src_stage=COLOR_ATTACHMENT_OUTPUT", "src_stage=ALL_COMMANDS");
    assert_eq!(lints(&wide), []);
    let unasked = wide.replace(" merge=MERGED", "").replace(" merged=2", "");
    let unasked = unasked
        .replace(" merge_index=1", "")
        .replace(" merge_text=\"too wide: 9 of \\\"8\\\"\"", "");
    assert_eq!(lints(&unasked), [said("subpass-dep-wide-stage", "warn")]);
    // The word of a driver of another vendor says nothing about the target.
    let other = wide.replacen("image a", "device phone vendor=0x13b5\nimage a", 1);
    assert_eq!(lints(&other), [said("subpass-dep-wide-stage", "warn")]);
}

const RESOLVES: &str = "calls version=1 targets=quest2
image ms format=R8G8B8A8_UNORM extent=1024x1024 usage=COLOR_ATTACHMENT samples=4
image eye format=R8G8B8A8_UNORM extent=1024x1024 usage=COLOR_ATTACHMENT|INPUT_ATTACHMENT memory=xr
pass both
  attach ms load=CLEAR store=DONT_CARE
  attach eye load=DONT_CARE store=STORE
  subpass first color=ms resolve=eye
  subpass second color=ms
  dependency first->second src_stage=COLOR_ATTACHMENT_OUTPUT dst_stage=COLOR_ATTACHMENT_OUTPUT \
src_access=COLOR_ATTACHMENT_WRITE dst_access=COLOR_ATTACHMENT_WRITE flags=BY_REGION
  draw vertices=3
  next-subpass
  draw vertices=3
end
frame
";

#[test]
fn a_resolve_that_the_driver_merges_ends_no_pass() {
    let has = |text: &str| lints(text).iter().any(|(rule, _)| rule == "mid-pass-resolve");
    assert!(has(RESOLVES), "{:?}", lints(RESOLVES));
    let merged =
        RESOLVES.replace("subpass second color=ms", "subpass second color=ms merge=MERGED");
    assert!(!has(&merged), "{:?}", lints(&merged));
}
