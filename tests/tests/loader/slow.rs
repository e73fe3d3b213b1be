//! A program that is faster than its analysis.

use super::{DEPTH, EXTENT, assert_finds_depth, enabled};
use crate::world::World;
use serde_json::Value;
use std::process::Command;
use tilelint_tests::harness::{TempDir, in_child};

const N_FRAMES: usize = 10_000;

#[test]
fn the_program_never_waits() {
    let prepare = |command: &mut Command, folder: &TempDir| {
        enabled(command, folder);
        command.env_remove("TILELINT_EVERY_FRAME").env("TILELINT_DEBUG_QUEUE_LIMIT", "1000");
        // The analysis begins when the device is destroyed: a program that waited for it before
        // would wait for ever.
        command.env("TILELINT_DEBUG_STALL", "1");
    };
    let ran = in_child("slow::the_program_never_waits", prepare, || {
        let world = World::new(&[], &[]);
        let depth = world.depth(DEPTH, EXTENT);
        world.frames(&depth, N_FRAMES);
        world.destroy(vec![depth]);
        let text = std::fs::read_to_string(std::env::var("TILELINT_REPORT").unwrap()).unwrap();
        let report: Value = serde_json::from_str(&text).unwrap();
        let left_out = report["run"]["frames_not_analysed"].as_u64().unwrap();
        let seen = report["frames"]["seen"].as_u64().unwrap();
        assert_eq!(left_out + seen, N_FRAMES as u64, "{seen} seen, {left_out} left out");
        assert!((900..=1000).contains(&seen), "{seen} seen");
    });
    if let Some(ran) = ran {
        assert_finds_depth(&ran);
        assert_eq!(ran.stderr.matches("faster than its analysis").count(), 1, "{}", ran.stderr);
    }
}

#[test]
fn a_program_may_be_made_to_wait() {
    let prepare = |command: &mut Command, folder: &TempDir| {
        enabled(command, folder);
        command.env("TILELINT_DEBUG_QUEUE_LIMIT", "4");
    };
    let ran = in_child("slow::a_program_may_be_made_to_wait", prepare, || {
        let world = World::new(&[], &[]);
        let depth = world.depth(DEPTH, EXTENT);
        world.frames(&depth, 500);
        world.destroy(vec![depth]);
        let text = std::fs::read_to_string(std::env::var("TILELINT_REPORT").unwrap()).unwrap();
        let report: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(report["run"]["frames_not_analysed"], 0);
        assert_eq!(report["frames"]["seen"], 500);
    });
    if let Some(ran) = ran {
        assert_finds_depth(&ran);
    }
}
