//! What no rule needs is not intercepted: the driver's own functions answer.

use super::world::World;
use super::{DEPTH, EXTENT, Path, known};
use ash::vk::Handle;
use serde_json::Value;
use std::ffi::CStr;
use std::process::Command;
use tilelint::config::Config;
use tilelint::rule::Needs;
use tilelint_tests::harness::{TempDir, in_child};

const NAME: &CStr = c"VK_LAYER_TILELINT_lint";

/// Device functions, by the group that they belong to.
const FUNCTIONS: [(Needs, &[&CStr]); 15] = [
    (
        Needs::NONE,
        &[
            c"vkBeginCommandBuffer",
            c"vkCmdBeginRenderPass",
            c"vkCmdEndRendering",
            c"vkCmdExecuteCommands",
            c"vkCreateImage",
            c"vkQueueSubmit",
            c"vkSignalSemaphore",
        ],
    ),
    (Needs::DRAWS, &[c"vkCmdDraw", c"vkCmdDrawIndexedIndirect", c"vkCmdClearAttachments"]),
    (Needs::DISPATCHES, &[c"vkCmdDispatch", c"vkCmdDispatchIndirect"]),
    (Needs::PIPELINES, &[c"vkCmdBindPipeline"]),
    (Needs::SETS, &[c"vkCmdBindDescriptorSets"]),
    (
        Needs::DESCRIPTORS,
        &[
            c"vkAllocateDescriptorSets",
            c"vkDestroyDescriptorPool",
            c"vkFreeDescriptorSets",
            c"vkResetDescriptorPool",
            c"vkUpdateDescriptorSets",
            c"vkUpdateDescriptorSetWithTemplate",
        ],
    ),
    (Needs::VERTICES, &[c"vkCmdBindIndexBuffer", c"vkCmdBindVertexBuffers"]),
    (Needs::PUSHES, &[c"vkCmdPushConstants"]),
    (Needs::STATE, &[c"vkCmdSetViewport", c"vkCmdSetScissor", c"vkCmdSetDepthTestEnable"]),
    (Needs::OTHER_STATE, &[c"vkCmdSetCullMode", c"vkCmdSetLineWidth"]),
    (Needs::BARRIERS, &[c"vkCmdPipelineBarrier", c"vkCmdPipelineBarrier2", c"vkCmdSetEvent"]),
    (Needs::QUERIES, &[c"vkCmdBeginQuery", c"vkCmdWriteTimestamp", c"vkGetQueryPoolResults"]),
    (Needs::TRANSFERS, &[c"vkCmdCopyImage", c"vkCmdClearColorImage", c"vkCmdCopyBuffer"]),
    (
        Needs::WAITS,
        &[c"vkDeviceWaitIdle", c"vkQueueWaitIdle", c"vkResetFences", c"vkWaitForFences"],
    ),
    (Needs::HOST, &[c"vkMapMemory", c"vkUnmapMemory", c"vkGetDeviceMemoryCommitment"]),
];

/// What the device answers to a name.
fn address(world: &World, name: &CStr) -> usize {
    let get = world.instance.fp_v1_0().get_device_proc_addr;
    // SAFETY: the device lives and the name is a string.
    let function = unsafe { get(world.device.handle(), name.as_ptr()) };
    function.unwrap_or_else(|| panic!("the driver has no {name:?}")) as usize
}

/// Each function is the driver's own unless its group is needed.
fn assert_intercepted(needs: Needs) {
    let (plain, linted) = (World::new(&[], &[]), World::new(&[], &[NAME]));
    for (group, names) in FUNCTIONS {
        for name in names {
            let ours = address(&plain, name) != address(&linted, name);
            assert_eq!(ours, needs.has(group), "{name:?}");
        }
    }
    assert!(!linted.device.handle().is_null());
    plain.destroy(Vec::new());
    linted.destroy(Vec::new());
}

/// Sets levels and says whether there is a recording.
fn levels(levels: &'static str, recording: &'static str) -> impl FnOnce(&mut Command, &TempDir) {
    move |command, folder| {
        known(command, folder);
        command.env("TILELINT_LEVELS", levels).env("TILELINT_RECORDING", recording);
        command.env("TILELINT_REPORT", folder.path().join("report.json"));
    }
}

fn needs_of(levels: &str) -> Needs {
    let mut config = Config::new();
    config.set("levels", levels, "test").unwrap();
    config.needs()
}

#[test]
fn without_rules_only_passes_are_watched() {
    in_child("needs::without_rules_only_passes_are_watched", levels("all=allow", "off"), || {
        assert_intercepted(Needs::NONE);
    });
}

#[test]
fn one_rule_brings_what_it_needs() {
    const LEVELS: &str = "all=allow,redundant-push-constants=warn";
    in_child("needs::one_rule_brings_what_it_needs", levels(LEVELS, "off"), || {
        assert_eq!(needs_of(LEVELS), Needs::PUSHES.and(Needs::PIPELINES));
        assert_intercepted(Needs::PUSHES.and(Needs::PIPELINES));
    });
}

#[test]
fn the_defaults_leave_push_constants_alone() {
    in_child("needs::the_defaults_leave_push_constants_alone", levels("", "off"), || {
        assert_eq!(needs_of(""), Needs::ALL.without(Needs::PUSHES));
        assert_intercepted(Needs::ALL.without(Needs::PUSHES));
    });
}

#[test]
fn a_recording_needs_what_it_holds() {
    in_child("needs::a_recording_needs_what_it_holds", levels("all=allow", "x.calls"), || {
        assert_intercepted(Needs::RECORDING);
    });
}

#[test]
fn what_is_not_seen_is_not_told() {
    let test = "needs::what_is_not_seen_is_not_told";
    in_child(test, levels("all=allow,excess-passes=info", "off"), || {
        let world = World::new(&[], &[NAME]);
        let depth = world.depth(DEPTH, EXTENT);
        world.frames(&depth, 6);
        world.destroy(vec![depth]);
        let path = std::env::var("TILELINT_REPORT").unwrap();
        let text = std::fs::read_to_string(Path::new(&path)).unwrap();
        let report: Value = serde_json::from_str(&text).unwrap();
        let pass = &report["passes"][0];
        assert_eq!((&pass["draws"], &pass["targets"]), (&Value::Null, &serde_json::json!({})));
        assert_eq!(pass["frames"], 6);
        assert_eq!(report["findings"], serde_json::json!([]));
    });
}
