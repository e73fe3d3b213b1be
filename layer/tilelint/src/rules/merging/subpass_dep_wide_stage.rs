#![doc = include_str!("subpass_dep_wide_stage.md")]

use ash::vk;

use super::dependency::{self, framebuffer_stages};
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::Pass;
use crate::profile::DependencyPolicy;
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "subpass-dep-wide-stage",
    group: Group::Merging,
    level: Level::Warn,
    tier: Tier::C,
    folds: &["subpass-dep-not-by-region", "subpass-dep-shader-read"],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("subpass_dep_wide_stage.md"),
    checks: &[Check::Pass(check)],
};

const SRC: Field = Field::Dependency("src_stage", "srcStageMask");
const DST: Field = Field::Dependency("dst_stage", "dstStageMask");

fn check(pass: &Pass, cx: &mut Cx<'_>) {
    if cx.profile.dependency_policy() == DependencyPolicy::Never {
        return;
    }
    for internal in dependency::internal(pass) {
        let dependency = internal.dependency;
        let src =
            dependency.src_stage & !(framebuffer_stages() | vk::PipelineStageFlags2::TOP_OF_PIPE);
        let dst = dependency.dst_stage
            & !(framebuffer_stages() | vk::PipelineStageFlags2::BOTTOM_OF_PIPE);
        if src.is_empty() && dst.is_empty() || dependency::is_merged(cx, pass, dependency) {
            continue;
        }
        let field = if dst.is_empty() { SRC } else { DST };
        let place = dependency::place(pass, &internal, field, cx.device);
        let words = flag_words(&(src | dst));
        let message = format!(
            "dependency {}->{} names {words}, which no tile can wait for",
            dependency.src, dependency.dst
        );
        let why = "only fragment shading, depth and stencil tests and colour output happen tile \
                   by tile; any other stage ends the pass there, even with BY_REGION";
        let [from, to] = minimal(pass, dependency.src, dependency.dst);
        let by_region = dependency.flags.contains(vk::DependencyFlags::BY_REGION);
        let mut fix = Fix::text(format!(
            "srcStageMask = {}, dstStageMask = {}{}",
            flag_words(&from),
            flag_words(&to),
            if by_region { "" } else { ", dependencyFlags |= BY_REGION" }
        ));
        for (bad, field, now, wanted) in
            [(src, SRC, dependency.src_stage, from), (dst, DST, dependency.dst_stage, to)]
        {
            if !bad.is_empty() {
                let (now, wanted) = (flag_words(&now), flag_words(&wanted));
                fix = fix.edit(dependency::edit(pass, &internal, field, now, wanted));
            }
        }
        if !by_region {
            let field = Field::Dependency("flags", "dependencyFlags");
            let now = flag_words(&dependency.flags);
            let wanted = flag_words(&(dependency.flags | vk::DependencyFlags::BY_REGION));
            fix = fix.edit(dependency::edit(pass, &internal, field, now, wanted));
        }
        cx.report(
            Report::new(place, Confidence::Certain, message, why, fix)
                .cost(dependency::crossing(cx, pass, dependency)),
        );
    }
}

/// The stages in which the source writes and the destination uses attachments.
fn minimal(pass: &Pass, src: u32, dst: u32) -> [vk::PipelineStageFlags2; 2] {
    use vk::PipelineStageFlags2 as S;
    let outputs = |index: u32| {
        let Some(subpass) = pass.shape.subpasses.get(index as usize) else { return S::empty() };
        let mut stages = S::empty();
        if subpass.color.iter().flatten().next().is_some() {
            stages |= S::COLOR_ATTACHMENT_OUTPUT;
        }
        if subpass.depth.is_some() {
            stages |= S::EARLY_FRAGMENT_TESTS | S::LATE_FRAGMENT_TESTS;
        }
        stages
    };
    let mut to = S::FRAGMENT_SHADER;
    let shares_depth = pass.shape.subpasses.get(dst as usize).is_some_and(|s| s.depth.is_some());
    if shares_depth {
        to |= S::EARLY_FRAGMENT_TESTS;
    }
    [outputs(src), to]
}
