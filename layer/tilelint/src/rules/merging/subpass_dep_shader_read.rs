#![doc = include_str!("subpass_dep_shader_read.md")]

use ash::vk;

use super::dependency::{self, Internal};
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::Pass;
use crate::profile::Evidence;
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "subpass-dep-shader-read",
    group: Group::Merging,
    level: Level::Warn,
    tier: Tier::C,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("subpass_dep_shader_read.md"),
    checks: &[Check::Pass(check)],
};

const SHADER: vk::AccessFlags2 = vk::AccessFlags2::from_raw(
    vk::AccessFlags2::SHADER_READ.as_raw()
        | vk::AccessFlags2::SHADER_SAMPLED_READ.as_raw()
        | vk::AccessFlags2::SHADER_STORAGE_READ.as_raw(),
);
const FIELD: Field = Field::Dependency("dst_access", "dstAccessMask");

fn check(pass: &Pass, cx: &mut Cx<'_>) {
    for internal in dependency::internal(pass) {
        let access = internal.dependency.dst_access;
        let wide = access & (SHADER | vk::AccessFlags2::MEMORY_READ);
        if wide.is_empty() || internal.inputs.is_empty() {
            continue;
        }
        report(cx, pass, &internal, wide);
    }
}

fn report(cx: &mut Cx<'_>, pass: &Pass, internal: &Internal<'_>, wide: vk::AccessFlags2) {
    let place = dependency::place(pass, internal, FIELD, cx.device);
    let access = internal.dependency.dst_access;
    let words = flag_words(&wide);
    let message = format!(
        "dependency {}->{} declares {words}, but the data is read as an input attachment",
        internal.dependency.src, internal.dependency.dst
    );
    let shader = wide.intersects(SHADER);
    let why = if shader {
        "a shader read may touch any texel, so the tile must be finished first; and it does not \
         cover the read of an input attachment at all"
    } else {
        "a memory read may touch any texel, so the tile must be finished first"
    };
    let to = access & !wide | vk::AccessFlags2::INPUT_ATTACHMENT_READ;
    let edit = dependency::edit(pass, internal, FIELD, flag_words(&access), flag_words(&to));
    let fix = Fix::text(format!("dstAccessMask = {}", flag_words(&to))).edit(edit);
    let evidence = cx.profile.access_mask_splits_subpasses();
    let mut report = Report::new(place, Confidence::Likely, message, why, fix);
    if dependency::is_merged(cx, pass, internal.dependency) {
        report = report.at_most(Level::Info, "the driver says that it merges them all the same");
    } else if matches!(evidence, Evidence::Likely | Evidence::Certain) {
        report = report
            .cost(dependency::crossing(cx, pass, internal.dependency))
            .assume("the vendor's driver splits the subpasses here, as its guide says");
    } else {
        report = report.at_most(Level::Info, "this target is not known to look at access masks");
    }
    if internal.sampled {
        report = report.at_most(
            Level::Info,
            "the destination also samples what the source wrote, so the split is needed",
        );
    } else if !shader {
        report =
            report.at_most(Level::Info, "it does cover input attachments, so the picture is right");
    }
    cx.report(report);
}
