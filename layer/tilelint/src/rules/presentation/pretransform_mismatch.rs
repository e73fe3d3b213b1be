#![doc = include_str!("pretransform_mismatch.md")]

use ash::vk;

use super::chains;
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::Frame;
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "pretransform-mismatch",
    group: Group::Presentation,
    level: Level::Warn,
    tier: Tier::C,
    folds: &["suboptimal-ignored"],
    correctness: false,
    needs: Needs::NONE,
    since: "0.1",
    page: include_str!("pretransform_mismatch.md"),
    checks: &[Check::Frame(check)],
};

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    let inherit = vk::SurfaceTransformFlagsKHR::INHERIT;
    for chain in chains::presented(frame, cx.device) {
        let pre = chain.info.transform;
        let Some(current) = chain.info.current_transform else { continue };
        // Who inherits leaves the turning to others.
        if pre == current || pre.contains(inherit) || current.contains(inherit) {
            continue;
        }
        let name = cx.device.name_of(chain.key).text;
        let (from, to) = (flag_words(&pre), flag_words(&current));
        let place = chains::place(frame, chain, "transform", "preTransform", cx.device);
        let message = format!("swapchain `{name}` says {from}, but the display stands at {to}");
        let why = "somebody has to turn every frame: a compositor's pass over the whole picture, \
                   where no display hardware does it";
        let fix = Fix::text(format!(
            "preTransform = {to}, and the same rotation in the projection matrix"
        ))
        .edit(chains::edit(chain, ("transform", "preTransform"), from, to, cx.device));
        cx.report(Report::new(place, Confidence::Certain, message, why, fix));
    }
}
