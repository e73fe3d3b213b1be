//! How work grows with the size of a frame: instructions of linting a listing, and what the layer
//! adds to making and destroying objects.

use super::{Layer, instructions};
use tilelint_tests::growth::exponent;

/// Draws of a frame; passes, images and descriptors grow with them.
const SIZES: [u32; 4] = [100, 200, 400, 800];
/// Where every second draw has a pass of its own.
const SIZES_OF_PASSES: [u32; 4] = [25, 50, 100, 200];
/// Where fifty draws share a pass: four to thirty-two passes.
const SIZES_OF_FRAMES: [u32; 4] = [200, 400, 800, 1600];
/// Objects of each kind: so many that tables shrink again.
const SIZES_OF_OBJECTS: [u32; 4] = [1250, 2500, 5000, 10_000];
/// Draws of the frames whose objects are made live: half as many images.
const SIZES_OF_LIVE_FRAMES: [u32; 4] = [2000, 4000, 8000, 16_000];
/// Times that something live is counted; the least counts, since what other threads do at that
/// moment only adds.
const N_COUNTS: usize = 2;
/// So often it is counted again where that was not enough.
const N_AGAIN: usize = 4;
/// At the small sizes the logarithm of sorting still shows.
const EXPONENT_MAX: f64 = 1.2;
/// What a large frame may grow with.
const EXPONENT_MAX_OF_FRAMES: f64 = 1.1;

#[test]
fn the_fit_knows_lines_and_squares() {
    let points = |power: i32| [1.0f64, 2.0, 4.0, 8.0].map(|x| (x, 3.0 * x.powi(power)));
    assert!((exponent(&points(1)) - 1.0).abs() < 1e-9);
    assert!((exponent(&points(2)) - 2.0).abs() < 1e-9);
}

/// The growth of counts with size. What happens once, whatever the size, cancels between
/// neighbours.
fn growth(counts: &[(f64, f64)]) -> Vec<(f64, f64)> {
    counts.windows(2).map(|w| (w[0].0, w[1].1 - w[0].1)).collect()
}

/// Says whether counts grow with size by a power that is small enough.
#[track_caller]
fn grows(what: &str, counts: &[(f64, f64)], exponent_max: f64) {
    let points = growth(counts);
    let exponent = exponent(&points);
    println!("{what}: to the power of {exponent:.3}: {points:?}");
    assert!(exponent <= exponent_max, "{what}: to the power of {exponent:.3}: {points:?}");
}

#[track_caller]
fn is_linear(shape: &str, sizes: [u32; 4], exponent_max: f64) {
    let count = |draws: u32| {
        let count = instructions(Layer::None, &["lint", shape, &draws.to_string()]);
        (f64::from(draws), count as f64)
    };
    grows(shape, &sizes.map(count), exponent_max);
}

/// What the layer adds on the calling thread.
#[track_caller]
fn is_linear_live(what: &str) {
    let count = |layer, draws: u32| {
        let units = draws.to_string();
        let arguments = ["work", "scale", "--units", &units, "--counted", what];
        let counts = (0..N_COUNTS).map(|_| instructions(layer, &arguments));
        counts.min().expect("it is counted more than once")
    };
    let without = SIZES_OF_LIVE_FRAMES.map(|draws| count(Layer::None, draws));
    let mut with = SIZES_OF_LIVE_FRAMES.map(|draws| count(Layer::Default, draws));
    let added = |with: &[u64; 4]| {
        let counts = SIZES_OF_LIVE_FRAMES.iter().zip(with).zip(without);
        let points = counts.map(|((draws, with), without)| {
            (f64::from(*draws), with.saturating_sub(without) as f64)
        });
        points.collect::<Vec<_>>()
    };
    for _ in 0..N_AGAIN {
        let points = growth(&added(&with));
        if points.iter().all(|(_, n)| *n > 0.0) && exponent(&points) <= EXPONENT_MAX_OF_FRAMES {
            break;
        }
        for (least, draws) in with.iter_mut().zip(SIZES_OF_LIVE_FRAMES) {
            *least = count(Layer::Default, draws).min(*least);
        }
    }
    grows(what, &added(&with), EXPONENT_MAX_OF_FRAMES);
}

#[test]
fn draws_of_one_pass() {
    is_linear("pass", SIZES, EXPONENT_MAX);
}

#[test]
fn passes_on_one_target() {
    is_linear("target", SIZES_OF_PASSES, EXPONENT_MAX);
}

#[test]
fn passes_that_sample_the_one_before() {
    is_linear("chain", SIZES_OF_PASSES, EXPONENT_MAX);
}

#[test]
fn passes_between_broad_barriers() {
    is_linear("barriers", SIZES_OF_PASSES, EXPONENT_MAX);
}

#[test]
fn passes_on_targets_of_their_own() {
    is_linear("frame", SIZES_OF_FRAMES, EXPONENT_MAX_OF_FRAMES);
}

#[test]
fn objects_that_are_made_and_destroyed() {
    is_linear("objects", SIZES_OF_OBJECTS, EXPONENT_MAX_OF_FRAMES);
}

#[test]
fn making_objects_live() {
    is_linear_live("objects");
}

#[test]
fn destroying_objects_live() {
    is_linear_live("destroy");
}
