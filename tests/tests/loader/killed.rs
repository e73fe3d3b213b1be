//! A program that never gets to its end, as mobile ones do not.

use super::{DEPTH, EXTENT, assert_finds_depth, enabled, lint};
use crate::world::World;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;
use tilelint_tests::harness::in_child;

#[test]
fn what_is_known_is_written_while_the_program_runs() {
    let test = "killed::what_is_known_is_written_while_the_program_runs";
    let ran = in_child(test, enabled, || {
        let world = World::new(&[], &[]);
        let depth = world.depth(DEPTH, EXTENT);
        world.frames(&depth, 6);
        // The report stands there as a whole once it is there, after what it names.
        let path = std::env::var("TILELINT_REPORT").unwrap();
        for _ in 0..1000 {
            if Path::new(&path).exists() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let report: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        assert_eq!(report["run"]["complete"], false);
        assert_eq!(report["findings"][0]["rule"], "non-transient");
        assert_eq!(report["recording"], "tilelint.calls");
        let recording = std::fs::read_to_string("tilelint.calls").unwrap();
        assert_eq!(lint(&recording), ["non-transient"]);
        world.destroy(vec![depth]);
    });
    if let Some(ran) = ran {
        assert_finds_depth(&ran);
    }
}
