//! Memory of the process, beside the same without the layer.

use serde_json::Value;

use super::{Layer, work};

/// The bound on what the layer takes for 20,000 draws a frame with three frames in flight.
const BOUND_KIB: u64 = 64 * 1024;
/// What a heap may come to differ by without a leak: 0.8 KiB a frame.
const WOBBLE_KIB: u64 = 8 * 1024;

/// The program is as fast as it can be, faster than its analysis.
fn peak_kib(layer: Layer, load: &str) -> u64 {
    let arguments = [load, "--units", "20000", "--frames", "200"];
    work(layer, &arguments, |_| {})["peak_kib"].as_u64().expect("a number")
}

#[test]
fn twenty_thousand_draws_a_frame() {
    for load in ["draws", "changes"] {
        let none = peak_kib(Layer::None, load);
        for layer in [Layer::Default, Layer::All] {
            let peak = peak_kib(layer, load);
            println!("{load}, {layer:?}: {} KiB over {none} KiB", peak - none);
            assert!(peak - none <= BOUND_KIB, "{load}, {layer:?}: {peak} KiB, {none} KiB without");
        }
    }
}

/// Objects are made and destroyed every frame, and every frame is analysed. The first half fills
/// what is bounded: the recording, and what is kept for reuse.
#[test]
fn ten_thousand_more_frames_of_object_churn_take_no_more() {
    let churn = work(Layer::Default, &["churn", "--frames", "20000"], |command| {
        command.env("TILELINT_EVERY_FRAME", "on");
    });
    assert_eq!(churn["frames"], 20_000);
    let resident = churn["resident_kib"].as_array().expect("samples");
    let kib: Vec<u64> = resident.iter().filter_map(Value::as_u64).collect();
    assert_eq!(kib.len(), 20);
    let (half, late) = (kib[9], kib[10..].iter().max().expect("samples"));
    assert!(*late <= half + WOBBLE_KIB, "{kib:?}");
}
