#![doc = include_str!("two_image_swapchain.md")]

use ash::vk;

use super::chains;
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::Frame;
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "two-image-swapchain",
    group: Group::Presentation,
    level: Level::Info,
    tier: Tier::C,
    folds: &[],
    correctness: false,
    needs: Needs::NONE,
    since: "0.1",
    page: include_str!("two_image_swapchain.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    let queued = [vk::PresentModeKHR::FIFO, vk::PresentModeKHR::MAILBOX];
    for chain in chains::presented(frame, cx.device) {
        if chain.images.len() != 2 || !queued.contains(&chain.info.mode) {
            continue;
        }
        let name = cx.device.name_of(chain.key).text;
        let place = chains::place(frame, chain, "images", "minImageCount", cx.device);
        let message = format!("swapchain `{name}` has two images");
        let why = "one is shown and one waits to be shown: a frame that misses a refresh cannot \
                   begin the next, and the rate drops to a half, a third and so on";
        let fix = Fix::text("minImageCount = 3, where the surface allows it").edit(chains::edit(
            chain,
            ("images", "minImageCount"),
            "2".to_owned(),
            "3".to_owned(),
            cx.device,
        ));
        cx.report(
            Report::new(place, Confidence::Likely, message, why, fix)
                .assume("some frames take longer than a refresh"),
        );
    }
}
