//! Memory of the process, beside the same without the layer.

use serde_json::Value;

use super::{Layer, work};

/// The bound on what the layer takes for 20,000 draws a frame with three frames in flight.
const BOUND_KIB: u64 = 64 * 1024;
/// What a heap may come to differ by without a leak.
const WOBBLE_KIB: u64 = 4 * 1024;

fn peak_kib(layer: Layer, load: &str) -> u64 {
    let arguments = [load, "--units", "20000", "--frames", "200"];
    work(layer, &arguments, |_| {})["peak_kib"].as_u64().expect("a number")
}

#[track_caller]
fn is_bounded(load: &str) {
    let none = peak_kib(Layer::None, load);
    for layer in [Layer::Default, Layer::All] {
        let peak = peak_kib(layer, load);
        println!("{load}, {layer:?}: {peak} KiB, {none} KiB without");
        assert!(peak - none <= BOUND_KIB, "{load}, {layer:?}: {peak} KiB, {none} KiB without");
    }
}

#[test]
fn twenty_thousand_equal_draws_a_frame() {
    is_bounded("draws");
}

#[test]
fn twenty_thousand_draws_with_a_change_of_state_each() {
    is_bounded("engine");
}

/// Objects are made and destroyed every frame, and every frame is analysed.
#[test]
fn ten_thousand_frames_of_object_churn_take_no_more_than_the_first() {
    for layer in [Layer::Default, Layer::All] {
        let churn = work(layer, &["churn", "--frames", "10000"], |command| {
            command.env("TILELINT_EVERY_FRAME", "on");
        });
        assert_eq!(churn["frames"], 10_000);
        let resident = churn["resident_kib"].as_array().expect("samples");
        let kib: Vec<u64> = resident.iter().filter_map(Value::as_u64).collect();
        println!("{layer:?}: {kib:?}");
        assert_eq!(kib.len(), 20);
        // A fifth of the frames fill what is kept for reuse.
        let early = kib[3];
        let late = kib[4..].iter().max().expect("samples");
        assert!(*late <= early + WOBBLE_KIB, "{layer:?}: {kib:?}");
    }
}
