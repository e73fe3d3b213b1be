#![doc = include_str!("present_mode_not_fifo.md")]

use ash::vk;

use super::chains;
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::Frame;
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "present-mode-not-fifo",
    group: Group::Presentation,
    level: Level::Warn,
    tier: Tier::C,
    folds: &[],
    correctness: false,
    needs: Needs::NONE,
    since: "0.1",
    page: include_str!("present_mode_not_fifo.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    // Who waits for presents paces the frames on its own: the mode is meant.
    let paced = ["VK_KHR_present_wait", "VK_KHR_present_wait2"];
    let paced = paced.iter().any(|name| cx.device.info.has_extension(name));
    if !cx.profile.is_tiler() || paced {
        return;
    }
    let free = [vk::PresentModeKHR::MAILBOX, vk::PresentModeKHR::IMMEDIATE];
    for chain in chains::presented(frame, cx.device) {
        if !free.contains(&chain.info.mode) {
            continue;
        }
        let mode = format!("{:?}", chain.info.mode);
        let name = cx.device.name_of(chain.key).text;
        let place = chains::place(frame, chain, "mode", "presentMode", cx.device);
        let message = format!("swapchain `{name}` presents with {mode}");
        let why = "frames that nobody sees are drawn at full power: a mobile GPU heats up and \
                   then clocks down";
        let fix = Fix::text("presentMode = FIFO, which every device has").edit(chains::edit(
            chain,
            ("mode", "presentMode"),
            mode,
            "FIFO".to_owned(),
            cx.device,
        ));
        cx.report(
            Report::new(place, Confidence::Likely, message, why, fix)
                .assume("the lowest latency is not worth more than power"),
        );
    }
}
