//! A program that is faster than its analysis.

use super::{DEPTH, EXTENT, assert_finds_depth, enabled};
use crate::world::World;
use serde_json::Value;
use std::process::Command;
use tilelint_tests::harness::{TempDir, in_child};

const N_FRAMES: usize = 10_000;

/// The fields of the report: frames that were left out, and frames that were seen.
fn counts() -> [u64; 2] {
    let text = std::fs::read_to_string(std::env::var("TILELINT_REPORT").unwrap()).unwrap();
    let report: Value = serde_json::from_str(&text).unwrap();
    let numbers = [&report["run"]["frames_not_analysed"], &report["frames"]["seen"]];
    numbers.map(|number| number.as_u64().unwrap())
}

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
        let [left_out, seen] = counts();
        assert_eq!(left_out + seen, N_FRAMES as u64, "{seen} seen, {left_out} left out");
        assert!((900..=1000).contains(&seen), "{seen} seen");
    });
    if let Some(ran) = ran {
        assert_finds_depth(&ran);
        assert_eq!(ran.stderr.matches("faster than its analysis").count(), 1, "{}", ran.stderr);
        let said = ran.stderr.contains(" frames came faster than the analysis\n");
        assert!(said, "{}", ran.stderr);
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
        assert_eq!(counts(), [0, 500]);
    });
    if let Some(ran) = ran {
        assert_finds_depth(&ran);
    }
}

/// What waits is bounded by its size too; but some frames in a row are taken however large they
/// are, since a verdict takes several.
#[test]
fn large_frames_are_left_out_before_there_are_many() {
    let prepare = |command: &mut Command, folder: &TempDir| {
        enabled(command, folder);
        // A recording has at least 2560 bytes.
        command.env_remove("TILELINT_EVERY_FRAME").env("TILELINT_DEBUG_QUEUE_BYTES", "12000");
        command.env("TILELINT_DEBUG_STALL", "1");
    };
    let ran = in_child("slow::large_frames_are_left_out_before_there_are_many", prepare, || {
        let world = World::new(&[], &[]);
        let depth = world.depth(DEPTH, EXTENT);
        (0..200).for_each(|_| world.frames(&depth, 1));
        world.destroy(vec![depth]);
        let [left_out, seen] = counts();
        assert_eq!(left_out + seen, 200, "{seen} seen, {left_out} left out");
        // The eighth would have ended with the first submission that is missing.
        assert!((7..=8).contains(&seen), "{seen} seen");
    });
    if let Some(ran) = ran {
        // Among others: each frame waits for the queue.
        assert!(ran.stderr.contains("warning[non-transient]: `image.0`"), "{}", ran.stderr);
        assert_eq!(ran.stderr.matches("faster than its analysis").count(), 1, "{}", ran.stderr);
    }
}

/// Each recording is larger than what may wait.
#[test]
fn a_program_may_be_made_to_wait_for_large_frames() {
    let prepare = |command: &mut Command, folder: &TempDir| {
        enabled(command, folder);
        command.env("TILELINT_DEBUG_QUEUE_BYTES", "1000");
    };
    let ran = in_child("slow::a_program_may_be_made_to_wait_for_large_frames", prepare, || {
        let world = World::new(&[], &[]);
        let depth = world.depth(DEPTH, EXTENT);
        (0..200).for_each(|_| world.frames(&depth, 1));
        world.destroy(vec![depth]);
        assert_eq!(counts(), [0, 200]);
    });
    if let Some(ran) = ran {
        assert!(ran.stderr.contains("warning[non-transient]: `image.0`"), "{}", ran.stderr);
    }
}
