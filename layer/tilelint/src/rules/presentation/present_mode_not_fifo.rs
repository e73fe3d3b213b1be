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

/// Who waits for presents paces the frames on its own, and who asks the driver for low latency
/// says what matters: the mode is meant.
fn is_meant(extension: &str) -> bool {
    let words = ["_present_wait", "_present_wait2", "_low_latency", "_low_latency2", "_anti_lag"];
    words.iter().any(|word| extension.ends_with(word))
}

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    if !cx.profile.is_tiler() || cx.device.info.extensions.iter().any(|name| is_meant(name)) {
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
