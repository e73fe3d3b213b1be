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

/// Plays a listing; returns what was said of merging, and the recording.
fn play(stage: &Stage, name: &str, text: &str) -> (Vec<Told>, String) {
    let listing = linted(text, None, &listings_folder()).unwrap().0;
    let told = stage.play(name, &listing, text, None, None).unwrap();
    let said = told.into_iter().filter(|told| told.rule == "driver-merge-feedback").collect();
    (said, stage.recording(name).unwrap_or_default())
}

#[test]
fn the_answer_is_told_and_recorded() {
    let stage = Stage::new();
    let (said, recording) = play(&stage, "asked", &deferred("NOT_MERGED_UNSPECIFIED"));
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
    let (said, recording) = play(&stage, "silent", &deferred("NOT_MERGED_UNSPECIFIED"));
    assert_eq!(said, []);
    assert!(!recording.contains("merge="), "{recording}");
}

/// A driver that announces the extension and then refuses it.
#[test]
fn a_device_that_refuses_is_made_as_it_was_asked_for() {
    let refusal = "vkCreateDevice = { result = \"ERROR_EXTENSION_NOT_PRESENT\", call = 1 }";
    let stage = Stage::new().with_driver(&format!("[errors]\n{refusal}\n"));
    let (said, _) = play(&stage, "refused", &deferred("NOT_MERGED_UNSPECIFIED"));
    assert_eq!(said, []);
}
