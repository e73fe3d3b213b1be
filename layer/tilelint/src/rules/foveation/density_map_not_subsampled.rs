#![doc = include_str!("density_map_not_subsampled.md")]

use ash::vk;

use super::maps::{density_map, is_known};
use crate::call::ImageOrigin;
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::model::{Attachment, Image, Pass, Read, Roles};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "density-map-not-subsampled",
    group: Group::Foveation,
    level: Level::Warn,
    tier: Tier::C,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("density_map_not_subsampled.md"),
    checks: &[Check::Pass(check)],
};

const FLAGS: Field = Field::Other("flags", "flags");

fn check(pass: &Pass, cx: &mut Cx<'_>) {
    if density_map(pass).is_none() || !is_known(pass) {
        return;
    }
    let info = &cx.device.info;
    // Where the main feature is not among them, the features are not known.
    if !info.has_feature("fragmentDensityMap")
        || info.has_feature("fragmentDensityMapNonSubsampledImages")
    {
        return;
    }
    let mut seen = Vec::new();
    for attachment in pass.shape.attachments.iter().filter(|a| is_rendered(a)) {
        let Some(image) = &attachment.image else { continue };
        let own = image.info.origin == ImageOrigin::Application && !image.info.opaque;
        if seen.contains(&image.id) || !own {
            continue;
        }
        seen.push(image.id);
        if !image.info.flags.contains(vk::ImageCreateFlags::SUBSAMPLED_EXT) {
            report_image(cx, pass, image);
        } else if sampled_otherwise(image, cx) {
            report_sampler(cx, pass, image);
        }
    }
}

fn is_rendered(attachment: &Attachment) -> bool {
    let roles = Roles::COLOR.or(Roles::DEPTH_STENCIL).or(Roles::RESOLVE).or(Roles::INPUT);
    attachment.roles.any(roles) && !attachment.is_rate()
}

fn report_image(cx: &mut Cx<'_>, pass: &Pass, image: &Image) {
    let mut place = Place::image(image, FLAGS, cx.device);
    place.variant = Some(pass.variant);
    let message = format!(
        "`{}` is drawn to with a density map, but is not SUBSAMPLED, and the feature that allows \
         it is off",
        image.name.text
    );
    let why = "without fragmentDensityMapNonSubsampledImages every attachment of such a pass must \
               be SUBSAMPLED: this is invalid usage, and drivers may ignore the map";
    let wanted = image.info.flags | vk::ImageCreateFlags::SUBSAMPLED_EXT;
    let fix = Fix::text("flags |= SUBSAMPLED; sample it with a SUBSAMPLED sampler")
        .edit(edit_image(image, FLAGS, &flag_words(&image.info.flags), &flag_words(&wanted)));
    let feature = Fix::text("enable fragmentDensityMapNonSubsampledImages where it is offered");
    cx.report(Report::new(place, Confidence::Certain, message, why, fix).or_fix(feature));
}

/// Shaders sample it, and none of the device's samplers is for subsampled images. Which sampler
/// belongs to which image is not followed.
fn sampled_otherwise(image: &Image, cx: &Cx<'_>) -> bool {
    let sampled = 1u16 << Read::Sampled as u8;
    let used = cx.device.image(image.id).is_some_and(|(_, used)| used.reads & sampled != 0);
    let subsampled =
        |flags: vk::SamplerCreateFlags| flags.contains(vk::SamplerCreateFlags::SUBSAMPLED_EXT);
    let mut samplers = cx.device.samplers();
    used && cx.device.samplers().next().is_some() && !samplers.any(|s| subsampled(s.flags))
}

fn report_sampler(cx: &mut Cx<'_>, pass: &Pass, image: &Image) {
    let mut place = Place::image(image, FLAGS, cx.device);
    place.variant = Some(pass.variant);
    let message =
        format!("SUBSAMPLED `{}` is sampled, but no sampler is SUBSAMPLED", image.name.text);
    let why = "only a sampler with the SUBSAMPLED flag finds the texels of such an image";
    let fix = Fix::text("sample it with a sampler whose flags have SUBSAMPLED");
    let report = Report::new(place, Confidence::Likely, message, why, fix);
    cx.report(report.assume("it is sampled with one of the samplers that the device has"));
}
