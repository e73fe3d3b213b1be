//! A device that is not linted any more, beside one that is.

use super::fake::Below;
use super::layer::{Layer, Recording};
use ash::vk::{self, Handle};
use std::ptr;
use tilelint_tests::harness::in_child;

const COMMAND: &str = "cmd_next_subpass2";

fn next_subpass(recording: &Recording, buffer: vk::CommandBuffer) {
    let next: vk::PFN_vkCmdNextSubpass2 =
        recording.layer.device_function(recording.device, c"vkCmdNextSubpass2").unwrap();
    // SAFETY: the layer reads no NULL, and the one below reads nothing.
    unsafe { next(buffer, ptr::null(), ptr::null()) };
}

/// The first device gives up a command buffer, `free` says how, and the second one gets its handle,
/// which the end of the first device does not concern.
fn hand_over(free: impl FnOnce(&Recording, vk::CommandBuffer)) {
    let layer = Layer::open();
    let instance = layer.create_instance(Below::leak(), None).unwrap();
    let belows = [Below::leak(), Below::leak()];
    let devices = belows.map(|below| layer.create_device(instance, below).unwrap());
    let recordings = devices.map(|device| Recording::new(layer, device));
    let buffer = recordings[0].allocate().unwrap();
    next_subpass(&recordings[0], buffer);
    free(&recordings[0], buffer);
    belows[1].buffers.lock().unwrap().push(buffer.as_raw());
    assert_eq!(recordings[1].allocate().unwrap(), buffer);
    layer.destroy_device(devices[0]);
    next_subpass(&recordings[1], buffer);
    assert_eq!(belows.map(|below| below.count("vkCmdNextSubpass2")), [1, 1]);
    layer.destroy_device(devices[1]);
    layer.destroy_instance(instance);
}

fn check(test: &str, free: impl FnOnce(&Recording, vk::CommandBuffer)) {
    let prepare = |command: &mut std::process::Command, _: &_| {
        command.env("TILELINT_DEBUG_PANIC", COMMAND);
    };
    if let Some(ran) = in_child(test, prepare, || hand_over(free)) {
        // One of each device: the second one's command buffer is still known.
        let failed = format!("internal error in {COMMAND}");
        assert_eq!(ran.stderr.matches(&failed).count(), 2, "{}", ran.stderr);
    }
}

#[test]
fn a_freed_command_buffer_is_nothing_to_it() {
    check("silenced::a_freed_command_buffer_is_nothing_to_it", |recording, buffer| {
        recording.free(&[buffer]);
    });
}

#[test]
fn the_command_buffers_of_a_pool_that_is_gone_are_nothing_to_it() {
    let name = "silenced::the_command_buffers_of_a_pool_that_is_gone_are_nothing_to_it";
    check(name, |recording, _| recording.destroy_pool());
}
