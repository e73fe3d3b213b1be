#![doc = include_str!("object_churn.md")]

use super::churn::{churned, report};
use crate::call::Kind;
use crate::finding::{Level, Tier};
use crate::model::Frame;
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "object-churn",
    group: Group::ApiWork,
    level: Level::Warn,
    tier: Tier::F,
    folds: &[],
    correctness: false,
    needs: Needs::NONE,
    since: "0.1",
    page: include_str!("object_churn.md"),
    checks: &[Check::Frame(check)],
};

/// Kinds that outlive a frame in a program that keeps them: their plural, the call, why one
/// costs, what to do.
const KINDS: [(Kind, &str, &str, &str, &str); 5] = [
    (
        Kind::Pipeline,
        "pipelines",
        "vkCreateGraphicsPipelines",
        "a pipeline is compiled when it is made: milliseconds, even from a cache",
        "make pipelines while loading, and keep them by what they are made of",
    ),
    (
        Kind::RenderPass,
        "render passes",
        "vkCreateRenderPass2",
        "the driver lays out subpasses and tiles anew for each of them",
        "keep render passes by formats, samples and ops, or use dynamic rendering",
    ),
    (
        Kind::Framebuffer,
        "framebuffers",
        "vkCreateFramebuffer",
        "each of them is an allocation and a table of descriptors, and the old one has to outlive \
         the device's work",
        "keep framebuffers by their views, or use an imageless framebuffer or dynamic rendering",
    ),
    (
        Kind::View,
        "image views",
        "vkCreateImageView",
        "a view is a descriptor that the driver writes again each time",
        "make the views of an image together with the image, and keep them beside it",
    ),
    (
        Kind::Sampler,
        "samplers",
        "vkCreateSampler",
        "devices have few samplers, and every descriptor that names one has to be written again",
        "keep samplers by what they are made of: a program needs a dozen",
    ),
];

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for (kind, plural, call, why, fix) in KINDS {
        let Some((made, destroyed)) = churned(frame, kind) else { continue };
        // Views of images that come and go with them: loading and unloading, not churn.
        if kind == Kind::View && frame.made.iter().any(|(kind, _)| *kind == Kind::Image) {
            continue;
        }
        let message = format!("{plural} made and destroyed in every frame: {made} and {destroyed}");
        cx.report(report(frame, cx.device, kind, call, message, why, fix));
    }
}
