#![doc = include_str!("density_map_missing.md")]

use super::maps::{density_map, has_color, has_depth, is_known, is_same_view, samples};
use crate::finding::{Beside, Confidence, Edit, Fix, Level, Tier};
use crate::model::{Attachment, Frame, Pass};
use crate::rule::*;
use crate::rules::flow::pass_place;

/// The rule.
pub static RULE: Rule = Rule {
    name: "density-map-missing",
    group: Group::Foveation,
    level: Level::Warn,
    tier: Tier::F,
    folds: &[],
    correctness: false,
    needs: Needs::DRAWS,
    since: "0.1",
    page: include_str!("density_map_missing.md"),
    checks: &[Check::Frame(check)],
};

/// Draws of a pass that does not shade much.
pub const DRAWS: RuleSetting = RuleSetting {
    rule: "density-map-missing",
    name: "draws",
    default: 8,
    least: 0,
    most: u64::MAX,
    about: "draws of a pass that does not shade much",
};

/// Draws that a pass has at least over those of the light one before it counts as the scene.
const TIMES_HEAVIER: u64 = 4;

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    if frame.passes().any(|pass| !is_known(pass)) {
        return;
    }
    let Some(heavy) = frame.passes().filter(|pass| has_color(pass)).max_by_key(|pass| work(pass))
    else {
        return;
    };
    // Without depth it is no scene; with a map of its own the application knows what it does.
    if !has_depth(heavy) || density_map(heavy).is_some() {
        return;
    }
    let light = frame.passes().find(|pass| {
        density_map(pass).is_some()
            && is_light(pass, cx.setting(&DRAWS))
            && is_same_view(pass, heavy)
            && TIMES_HEAVIER * pass.draw_count <= heavy.draw_count
    });
    let Some(light) = light else { return };
    let place = pass_place(heavy, None, cx.device);
    let message = format!(
        "the density map is attached to `{}`, while `{}` shades the scene without one",
        light.name, heavy.name
    );
    let why = "the map saves fragment work only in the pass that has it, and costs sharpness in \
               the last one";
    let subsampled = if cx.device.info.has_feature("fragmentDensityMapNonSubsampledImages") {
        ""
    } else {
        "; its images and their samplers then need the SUBSAMPLED flag"
    };
    let structure = match heavy.shape.via {
        crate::call::Via::Dynamic => "VkRenderingFragmentDensityMapAttachmentInfoEXT",
        _ => "VkRenderPassFragmentDensityMapCreateInfoEXT",
    };
    let mut fix = Fix::text(format!("chain {structure} to `{}`{subsampled}", heavy.name));
    if let (Some(map), Some(last)) = (density_map(light), last_attachment(heavy)) {
        let name = identifier(&map.name());
        let line = format!("attach {name} load=LOAD store=DONT_CARE as=density");
        fix = fix.edit(Edit::insert(structure, Beside::Behind(last.line), line).in_pass(heavy));
    }
    let report = Report::new(place, Confidence::Likely, message, why, fix);
    cx.report(report.assume("most fragments are shaded in the pass with most draws"));
}

/// The attachment that is described last.
fn last_attachment(pass: &Pass) -> Option<&Attachment> {
    pass.shape.attachments.iter().max_by_key(|attachment| attachment.line.0)
}

/// Texels drawn to, as many times as there are draws: a stand-in for fragments.
fn work(pass: &Pass) -> u64 {
    pass.shape.texels().saturating_mul(pass.draw_count)
}

/// Few draws, no depth, one sample: copies and overlays.
fn is_light(pass: &Pass, few: u64) -> bool {
    pass.draw_count <= few && !has_depth(pass) && samples(pass) == 1
}
