//! The same frame in every form that Vulkan has for it is judged alike.

use super::world::{Form, World};
use super::{DEPTH, EXTENT, enabled};
use serde_json::Value;
use tilelint_tests::harness::in_child;

/// What a report says of the frame, without what names the form.
fn verdict(form: Form) -> Value {
    let world = World::new(&[], &[]);
    let depth = match form {
        Form::Rp2 | Form::Rp2Khr => world.depth_2(DEPTH, EXTENT),
        _ => world.depth(DEPTH, EXTENT),
    };
    world.frames_as(form, &depth, 6);
    world.destroy(vec![depth]);
    let text = std::fs::read_to_string(std::env::var("TILELINT_REPORT").unwrap()).unwrap();
    let report: Value = serde_json::from_str(&text).unwrap();
    let via = match form {
        Form::Rp1 => "rp1",
        Form::Rp2 | Form::Rp2Khr => "rp2",
        _ => "dynamic",
    };
    let pass = &report["passes"][0];
    assert_eq!(pass["via"], via);
    let finding = &report["findings"][0];
    serde_json::json!({
        "rules": report["findings"].as_array().unwrap().len(),
        "rule": finding["rule"], "count": finding["count"], "cost": finding["cost"],
        "confidence": finding["confidence"],
        "traffic": report["traffic"], "attachments": pass["attachments"],
        "extent": pass["extent"], "frames": pass["frames"],
    })
}

/// Each form in a process of its own: a process has one session.
#[track_caller]
fn same_verdict(test: &str, form: Form) {
    in_child(test, enabled, || {
        let expected = serde_json::json!({
            "rules": 1, "rule": "non-transient", "count": 6,
            "cost": {"store_bytes": 0, "load_bytes": 0, "memory_bytes": 512 * 256 * 4},
            "confidence": "certain",
            "traffic": {"load_bytes": 0, "store_bytes": 0, "avoidable_bytes": 0, "passes": 1},
            "attachments": [{
                "slot": 0, "image": "image.0", "format": "D32_SFLOAT", "samples": 1,
                "roles": ["depth"], "resolve": null, "memory": "device",
                "aspects": [{
                    "aspect": "depth", "load": "CLEAR", "store": "DONT_CARE",
                    "load_bytes": 0, "store_bytes": 0, "content": "dead", "next": null
                }]
            }],
            "extent": [512, 256], "frames": 6,
        });
        assert_eq!(verdict(form), expected);
    });
}

#[test]
fn a_render_pass_is_judged() {
    same_verdict("forms::a_render_pass_is_judged", Form::Rp1);
}

#[test]
fn a_render_pass_2_is_judged_alike() {
    same_verdict("forms::a_render_pass_2_is_judged_alike", Form::Rp2);
}

#[test]
fn the_extensions_render_pass_2_is_judged_alike() {
    same_verdict("forms::the_extensions_render_pass_2_is_judged_alike", Form::Rp2Khr);
}

#[test]
fn dynamic_rendering_is_judged_alike() {
    same_verdict("forms::dynamic_rendering_is_judged_alike", Form::Dynamic);
}

#[test]
fn the_extensions_dynamic_rendering_is_judged_alike() {
    same_verdict("forms::the_extensions_dynamic_rendering_is_judged_alike", Form::DynamicKhr);
}
