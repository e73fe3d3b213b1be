#![doc = include_str!("slow_resolve_format.md")]

use ash::vk;

use crate::call::Via;
use crate::finding::{Confidence, Fix, Level, Tier};
use crate::format;
use crate::model::{Attachment, Pass, without_digits};
use crate::rule::*;
use crate::tiler::ops;

/// The rule.
pub static RULE: Rule = Rule {
    name: "slow-resolve-format",
    group: Group::Resolve,
    level: Level::Info,
    tier: Tier::C,
    folds: &[],
    correctness: false,
    needs: Needs::NONE,
    since: "0.1",
    page: include_str!("slow_resolve_format.md"),
    checks: &[Check::Pass(check)],
};

fn check(pass: &Pass, cx: &mut Cx<'_>) {
    if pass.shape.opaque || !cx.profile.slow_resolves {
        return;
    }
    for source in &pass.shape.attachments {
        for resolve in &source.resolves {
            let target = pass.shape.attachments.get(resolve.target as usize);
            let Some(target) = target.filter(|target| is_slow(target)) else { continue };
            let mut place = match pass.shape.via {
                Via::Dynamic => Place::attachment(pass, source, None, Field::Resolve, cx.device),
                _ => Place::resolve(pass, source, target, resolve.subpass, cx.device),
            };
            // The format is the image's, however many passes resolve to it.
            let image = target.image.as_ref().map(|image| image.name.text.to_string());
            place.object = image.as_deref().map(without_digits).unwrap_or_default();
            place.location.image = image;
            (place.location.pass, place.location.pass_key) = (None, None);
            (place.location.subpass, place.location.slot) = (None, None);
            let to = faster(target.format);
            let message = format!(
                "the resolve to `{}` takes a slow path, because its format is {:?}",
                target.name(),
                target.format
            );
            let why = "tile memory is averaged on its way out only where the first channel has \
                       at most 10 bits, without SNORM and pairs of 8 bits";
            let mut fix = Fix::text(format!(
                "a format that resolves fast, such as {to:?}, for `{}` and `{}`",
                source.name(),
                target.name()
            ));
            let from = format!("{:?}", target.format);
            for image in [source, target].into_iter().filter_map(|a| a.image.as_ref()) {
                let field = Field::Other("format", "format");
                fix = fix.edit(edit_image(image, field, &from, &format!("{to:?}")));
            }
            cx.report(
                Report::new(place, Confidence::Likely, message, why, fix)
                    .why("the slow path also leaves less tile memory to the bins")
                    .assume("the vendor's driver resolves these formats as the open one does"),
            );
        }
    }
}

fn is_slow(target: &Attachment) -> bool {
    let stored = target
        .aspects
        .iter()
        .any(|ops| ops.named && ops.store == Some(vk::AttachmentStoreOp::STORE));
    let known = !format::channel_bits(target.format).is_empty();
    // Identifiers cannot be packed into another format.
    stored && known && !format::is_integer(target.format) && !ops::resolves_fast(target.format)
}

/// A format for the same picture whose first channel is narrow.
fn faster(format: vk::Format) -> vk::Format {
    let bits = format::channel_bits(format);
    if bits.iter().all(|bits| *bits <= 8) {
        vk::Format::R8G8B8A8_UNORM
    } else {
        vk::Format::A2B10G10R10_UNORM_PACK32
    }
}
