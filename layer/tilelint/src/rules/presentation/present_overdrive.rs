#![doc = include_str!("present_overdrive.md")]

use ash::vk;

use super::chains::{self, Shown};
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::{Frame, Swapchain};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "present-overdrive",
    group: Group::Presentation,
    level: Level::Warn,
    tier: Tier::D,
    folds: &["present-mode-not-fifo"],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("present_overdrive.md"),
    checks: &[Check::Frame(check)],
};

/// Presents over the display's rate that clocks and jitter may explain.
pub const EXCESS_PERCENT: RuleSetting = RuleSetting {
    rule: "present-overdrive",
    name: "excess_percent",
    default: 20,
    least: 0,
    most: 10_000,
    about: "presents over the display's rate that are no finding, in percent of that rate",
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for chain in chains::presented(frame, cx.device) {
        let shown: Vec<Shown<'_>> =
            chains::presents(frame).filter(|shown| shown.chain == chain.key).collect();
        let Some(last) = shown.last() else { continue };
        let name = cx.device.name_of(chain.key).text;
        let place = chains::present_place(last.step, chain, cx.device);
        let fix = Fix::text("presentMode = FIFO, or draw when the display asks for a frame");
        if let Some(refresh) = overdriven(frame, chain, shown.len(), cx) {
            let message =
                format!("`{name}` is presented more often than the display shows a picture");
            let why = format!(
                "the frames come more than {} % faster than its {refresh} Hz: some of them are \
                 drawn for nobody",
                cx.setting(&EXCESS_PERCENT)
            );
            let fix = fix.edit(chains::edit(
                chain,
                ("mode", "presentMode"),
                format!("{:?}", chain.info.mode),
                "FIFO".to_owned(),
                cx.device,
            ));
            cx.report(Report::new(place, Confidence::Certain, message, why, fix));
        } else if shown.iter().all(|shown| chains::is_unchanged(shown, chain)) {
            let message = format!("`{name}` is presented again although nothing has drawn to it");
            let why = "the display shows a picture until it gets the next: presenting it again \
                       costs a composition and wakes everything up";
            let fix = Fix::text("present only what changed, and wait for events between");
            cx.report(Report::new(place, Confidence::Certain, message, why, fix).tier(Tier::S));
        }
    }
}

/// The refresh rate, where the measured rate of presents is well above it.
fn overdriven(frame: &Frame, chain: &Swapchain, presents: usize, cx: &Cx<'_>) -> Option<u32> {
    // FIFO cannot be faster than the display: then the display is not the one assumed here.
    let free = [vk::PresentModeKHR::MAILBOX, vk::PresentModeKHR::IMMEDIATE];
    let refresh = cx.profile.refresh_hz.filter(|_| free.contains(&chain.info.mode))?;
    let time = u128::from(frame.time_ns.filter(|time| *time > 0)?);
    let percent = 100 + u128::from(cx.setting(&EXCESS_PERCENT));
    // presents / time > percent / 100 * refresh, in whole numbers.
    let faster = presents as u128 * 100_000_000_000 > percent * u128::from(refresh) * time;
    faster.then_some(refresh)
}
