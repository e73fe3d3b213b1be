#![doc = include_str!("subpass_dep_not_by_region.md")]

use ash::vk;

use super::dependency;
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::Pass;
use crate::profile::DependencyPolicy;
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "subpass-dep-not-by-region",
    group: Group::Merging,
    level: Level::Warn,
    tier: Tier::C,
    folds: &["subpass-dep-shader-read"],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("subpass_dep_not_by_region.md"),
    checks: &[Check::Pass(check)],
};

const FIELD: Field = Field::Dependency("flags", "dependencyFlags");

fn check(pass: &Pass, cx: &mut Cx<'_>) {
    if cx.profile.dependency_policy() == DependencyPolicy::Never {
        return;
    }
    for internal in dependency::internal(pass) {
        let flags = internal.dependency.flags;
        if flags.contains(vk::DependencyFlags::BY_REGION)
            || internal.sampled
            || dependency::is_merged(cx, pass, internal.dependency)
        {
            continue;
        }
        let mut place = dependency::place(pass, &internal, FIELD, cx.device);
        if flags.is_empty() {
            // The field is not there to be marked: the line says it by its beginning.
            place.quote.marks[0].key = "";
        }
        let message = format!(
            "dependency {}->{} is not BY_REGION, so every tile waits for all others",
            internal.dependency.src, internal.dependency.dst
        );
        let why = "without the flag the destination may read any pixel, and the subpasses cannot \
                   share a visit to the tile";
        let mut wanted = flags | vk::DependencyFlags::BY_REGION;
        if pass.shape.view_mask != 0 {
            wanted |= vk::DependencyFlags::VIEW_LOCAL;
        }
        let edit =
            dependency::edit(pass, &internal, FIELD, flag_words(&flags), flag_words(&wanted));
        let fix = Fix::text(format!("dependencyFlags = {}", flag_words(&wanted))).edit(edit);
        cx.report(
            Report::new(place, Confidence::Certain, message, why, fix).cost(dependency::crossing(
                cx,
                pass,
                internal.dependency,
            )),
        );
    }
}
