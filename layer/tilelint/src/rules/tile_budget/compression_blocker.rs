#![doc = include_str!("compression_blocker.md")]

use ash::vk;

use super::whole_life::{Target, is_for_the_host, targets};
use crate::call::ImageOrigin;
use crate::finding::{Confidence, Cost, Edit, EditObject, Fix, Level, Tier};
use crate::format;
use crate::model::{Frame, Image, Read};
use crate::profile::Evidence;
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "compression-blocker",
    group: Group::TileBudget,
    level: Level::Warn,
    tier: Tier::F,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("compression_blocker.md"),
    checks: &[Check::Frame(check)],
};

const FLAGS: Field = Field::Other("flags", "flags");
const TILING: Field = Field::Other("tiling", "tiling");

/// What stands in the way, and how to remove it.
struct Blocker {
    field: Field,
    what: &'static str,
    fix: Fix,
}

fn check(frame: &Frame, cx: &mut Cx<'_>) {
    for target in targets(frame, cx) {
        let image = &target.image;
        let bytes = format::total_texel_bytes(image.info.format);
        let compressed = bytes.is_some_and(|b| cx.profile.compresses(image.info.samples, b));
        let transient = image.info.usage.contains(vk::ImageUsageFlags::TRANSIENT_ATTACHMENT);
        let moved = target.traffic.traffic_bytes();
        if !compressed || transient || moved == 0 || image.info.kind != vk::ImageType::TYPE_2D {
            continue;
        }
        let Some(blocker) = blocker(&target, cx) else { continue };
        let mut place = Place::image(image, blocker.field, cx.device);
        place.variant = Some(target.pass.variant);
        let message = format!("{} keeps `{}` uncompressed", blocker.what, image.name.text);
        let why = "the driver compresses what passes store only where nothing else may write the \
                   image; vendors measure 20 to 50 % of its traffic";
        // The least that vendors measured.
        let fifth = Cost {
            load_bytes: target.traffic.load_bytes / 5,
            store_bytes: target.traffic.store_bytes / 5,
            memory_bytes: 0,
        };
        let report = Report::new(place, Confidence::Likely, message, why, blocker.fix).cost(fifth);
        cx.report(report.assume("the driver compresses attachments of this format"));
    }
}

fn blocker(target: &Target<'_>, cx: &Cx<'_>) -> Option<Blocker> {
    let image = &target.image;
    let (info, compression) = (&image.info, &cx.profile.compression);
    let holds = |evidence: Evidence| evidence >= Evidence::Likely;
    let flag = |flag| info.flags.contains(flag);
    if info.tiling == vk::ImageTiling::LINEAR && holds(compression.linear) {
        let fix = Fix::text("tiling = OPTIMAL");
        let fix = fix.edit(edit_image(image, TILING, "LINEAR", "OPTIMAL"));
        let needed = is_for_the_host(image, target.used);
        return (!needed).then_some(Blocker { field: TILING, what: "LINEAR tiling", fix });
    }
    let storage = vk::ImageUsageFlags::STORAGE;
    if info.usage.contains(storage) && holds(compression.storage) && !uses_storage(target, cx) {
        let fix = Fix::text("drop STORAGE from its usage: no shader writes it")
            .edit(edit_usage(image, info.usage & !storage));
        return Some(Blocker { field: Field::Usage, what: "unused STORAGE usage", fix });
    }
    let mutable = vk::ImageCreateFlags::MUTABLE_FORMAT;
    let color = !format::is_depth_stencil(info.format);
    if color
        && flag(mutable)
        && info.view_formats.is_empty()
        && holds(compression.mutable_format)
        && info.origin == ImageOrigin::Application
    {
        let what = "MUTABLE_FORMAT without a list of formats";
        return Some(Blocker { field: FLAGS, what, fix: fix_mutable(image, cx) });
    }
    let alias = vk::ImageCreateFlags::ALIAS;
    if flag(alias) && holds(compression.alias) && !cx.device.is_aliased(image.id) {
        let fix = Fix::text("drop ALIAS from its flags: no other image shares its memory")
            .edit(edit_flags(image, info.flags & !alias));
        return Some(Blocker { field: FLAGS, what: "unused ALIAS", fix });
    }
    None
}

/// A shader reads or writes it as a storage image, or could, or a command that is not understood.
fn uses_storage(target: &Target<'_>, cx: &Cx<'_>) -> bool {
    let read = 1u16 << Read::Storage as u8 | 1 << Read::Perhaps as u8 | 1 << Read::External as u8;
    target.used.storage
        || target.used.reads & read != 0
        || cx.device.has_storage_descriptor(target.image.id)
}

/// Names the formats of its views; a single one needs no mutable image at all.
fn fix_mutable(image: &Image, cx: &Cx<'_>) -> Fix {
    let mut formats: Vec<_> = cx.device.view_formats(image.id).collect();
    formats.push(image.info.format);
    formats.sort_by_key(|format| format.as_raw());
    formats.dedup();
    if formats.len() == 1 {
        let flags = image.info.flags & !vk::ImageCreateFlags::MUTABLE_FORMAT;
        return Fix::text("drop MUTABLE_FORMAT from its flags: all its views have its own format")
            .edit(edit_flags(image, flags));
    }
    let words = formats.iter().map(|format| format!("{format:?}")).collect::<Vec<_>>();
    let list = Field::Other("view_formats", "pViewFormats");
    Fix::text(format!("chain VkImageFormatListCreateInfo with {}", words.join(", ")))
        .edit(edit_image(image, list, "", &words.join(",")))
}

fn edit_flags(image: &Image, to: vk::ImageCreateFlags) -> Edit {
    edit_image(image, FLAGS, &flag_words(&image.info.flags), &flag_words(&to))
}

fn edit_usage(image: &Image, to: vk::ImageUsageFlags) -> Edit {
    let edit = edit_image(image, Field::Usage, &flag_words(&image.info.usage), &flag_words(&to));
    if image.info.origin != ImageOrigin::Swapchain {
        return edit;
    }
    let name = edit.name.rsplit_once('.').map_or(edit.name.as_str(), |(chain, _)| chain).to_owned();
    Edit { object: EditObject::Swapchain, name, field: "imageUsage", ..edit }
}
