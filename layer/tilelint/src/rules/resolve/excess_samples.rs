#![doc = include_str!("excess_samples.md")]

use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::Pass;
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "excess-samples",
    group: Group::Resolve,
    level: Level::Info,
    tier: Tier::C,
    folds: &[],
    correctness: false,
    needs: Needs::NONE,
    since: "0.1",
    page: include_str!("excess_samples.md"),
    checks: &[Check::Pass(check)],
};

fn check(pass: &Pass, cx: &mut Cx<'_>) {
    let Some(limit) = cx.profile.full_rate_samples() else { return };
    if pass.shape.opaque {
        return;
    }
    // All that a subpass draws to has one sample count: its first image speaks for the rest.
    let drawn = |a: &&crate::model::Attachment| a.loads() && a.samples > limit;
    let Some(attachment) = pass.shape.attachments.iter().find(drawn) else { return };
    let Some(image) = &attachment.image else { return };
    let samples = attachment.samples;
    let field = Field::Other("samples", "samples");
    let mut place = Place::image(image, field, cx.device);
    place.variant = Some(pass.variant);
    let message = format!("`{}` has {samples} samples a pixel", image.name.text);
    let why = format!(
        "this target draws {limit} samples at full rate; with {samples} a tile holds 1/{} of the \
         pixels",
        samples / limit
    );
    let mut fix =
        Fix::text(format!("{limit} samples, in every image of the pass and in its pipelines"));
    for image in pass.shape.attachments.iter().filter(drawn).filter_map(|a| a.image.as_ref()) {
        fix = fix.edit(edit_image(image, field, &samples.to_string(), &limit.to_string()));
    }
    cx.report(Report::new(place, Confidence::Certain, message, why, fix));
}
