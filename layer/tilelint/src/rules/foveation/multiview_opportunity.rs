#![doc = include_str!("multiview_opportunity.md")]

use super::maps::{has_color, has_depth, is_known};
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::{Attachment, DrawFacts, Frame, Pass};
use crate::rule::*;
use crate::rules::flow::pass_place;

/// The rule.
pub static RULE: Rule = Rule {
    name: "multiview-opportunity",
    group: Group::Foveation,
    level: Level::Warn,
    tier: Tier::F,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("multiview_opportunity.md"),
    checks: &[Check::Frame(check)],
};

/// Draws that make a scene.
pub const DRAWS: RuleSetting = RuleSetting {
    rule: "multiview-opportunity",
    name: "draws",
    default: 8,
    least: 1,
    most: u64::MAX,
    about: "draws that make a scene",
};

/// Draws of two eyes that may differ, in hundredths.
const MAY_DIFFER: u64 = 10;

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    let scenes: Vec<&Pass> =
        frame.passes().filter(|pass| is_scene(pass, cx.setting(&DRAWS))).collect();
    for (index, first) in scenes.iter().enumerate() {
        let twin = |other: &&&Pass| is_twin(first, other);
        let twins: Vec<_> =
            scenes.iter().filter(|p| !std::ptr::eq(**p, *first)).filter(twin).collect();
        // Two eyes; more are the faces of a cube, cascades or a wall of screens.
        let [second] = twins.as_slice() else { continue };
        if frame.passes().any(|pass| joins(pass, first, second)) {
            continue;
        }
        if scenes[..index].iter().any(|earlier| std::ptr::eq(*earlier, **second)) {
            continue;
        }
        report(cx, first, second);
    }
}

/// A pass that draws a scene for one view.
fn is_scene(pass: &Pass, fewest: u64) -> bool {
    is_known(pass)
        && has_color(pass)
        && has_depth(pass)
        && pass.draw_count >= fewest
        && pass.shape.view_mask == 0
        && pass.shape.layers <= 1
}

/// The same pass again, for another layer or image, independent of the first.
fn is_twin(a: &Pass, b: &Pass) -> bool {
    let (one, two) = (&a.shape, &b.shape);
    let alike = one.extent == two.extent
        && one.area.extent == two.area.extent
        && one.attachments.len() == two.attachments.len()
        && one.attachments.iter().zip(&two.attachments).all(|(x, y)| is_alike(x, y));
    let color = |shape: &[Attachment]| {
        let colors = shape.iter().filter(|a| a.roles.any(crate::model::Roles::COLOR));
        colors.map(|a| (a.image.as_ref().map(|i| i.id), a.range.base_layer)).collect::<Vec<_>>()
    };
    let (colors_a, colors_b) = (color(&one.attachments), color(&two.attachments));
    let apart = targets(a).all(|id| !b.reads_image(id)) && targets(b).all(|id| !a.reads_image(id));
    alike
        && a.queue == b.queue
        && colors_a.iter().all(|target| target.0.is_some() && !colors_b.contains(target))
        && apart
        && draws_alike(&a.draws, &b.draws)
}

/// The pass makes one picture of what both drew: they are layers of it, not eyes.
fn joins(pass: &Pass, a: &Pass, b: &Pass) -> bool {
    let reads = |drawn: &Pass| targets(drawn).any(|id| pass.reads_image(id));
    reads(a) && reads(b)
}

fn targets(pass: &Pass) -> impl Iterator<Item = crate::model::ImageId> + '_ {
    let stored = pass.shape.attachments.iter().filter(|attachment| attachment.stores());
    stored.filter_map(|attachment| attachment.image.as_ref()).map(|image| image.id)
}

fn is_alike(a: &Attachment, b: &Attachment) -> bool {
    let ops = |a: &Attachment| a.aspects.iter().map(|o| (o.load, o.store)).collect::<Vec<_>>();
    a.format == b.format
        && a.samples == b.samples
        && a.roles == b.roles
        && a.range.mip == b.range.mip
        && ops(a) == ops(b)
}

/// Nearly the same draws in the same order: culling may drop a few for either eye.
fn draws_alike(a: &[DrawFacts], b: &[DrawFacts]) -> bool {
    let same = |a: &DrawFacts, b: &DrawFacts| {
        let size = |d: &DrawFacts| (d.draw.kind, d.draw.vertices, d.draw.instances, d.subpass);
        // Pipelines without shaders of their own are one, whatever pass they were made for.
        let pipelines = a.pipeline.as_ref().zip(b.pipeline.as_ref());
        pipelines.is_some_and(|(a, b)| a.id == b.id || (a.built_in && b.built_in))
            && size(a) == size(b)
    };
    let count = |draws: &[DrawFacts]| draws.iter().map(|d| u64::from(d.draw.times)).sum::<u64>();
    let (mut common, mut from) = (0u64, 0);
    for draw in a {
        let Some(at) = b[from..].iter().position(|other| same(draw, other)) else { continue };
        common += u64::from(draw.draw.times.min(b[from + at].draw.times));
        from += at + 1;
    }
    let most = count(a).max(count(b));
    most > 0 && (most - common) * 100 <= most * MAY_DIFFER
}

fn report(cx: &mut Cx<'_>, first: &Pass, second: &Pass) {
    let place = pass_place(second, None, cx.device);
    let message = format!("`{}` and `{}` draw the same scene twice", first.name, second.name);
    let why = "with multiview one pass draws both: its draws are recorded once, and their vertices \
               may be shared";
    let fix = Fix::text(
        "one pass with viewMask = 0b11 on images of two layers; shaders pick the eye by ViewIndex",
    );
    let mut report = Report::new(place, Confidence::Likely, message, why, fix)
        .assume("both show one scene, from two eyes");
    if cx.profile.views_in_tile {
        report = report.why("both views share tile memory then: bins get half as large");
    }
    cx.report(report);
}
