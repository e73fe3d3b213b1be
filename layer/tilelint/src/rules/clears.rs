//! What rules about clears share.

use ash::vk;

use crate::call::SubresourceRange;
use crate::format::Aspect;
use crate::model::{Attachment, ClearFacts, Image, Pass, aspects_in, contains};
use crate::rule::identifier;

/// A clear command as a listing writes it.
pub fn clear_text(image: &Image) -> String {
    format!("clear {}", identifier(&image.name.text))
}

/// The aspects that ranges of an image name.
pub fn aspects_of<'a>(
    image: &Image,
    ranges: &'a [SubresourceRange],
) -> impl Iterator<Item = Aspect> + use<'a> {
    let format = image.info.format;
    aspects_in(format, vk::ImageAspectFlags::empty()).filter(move |aspect| {
        ranges.iter().any(|range| aspects_in(format, range.aspects).any(|a| a == *aspect))
    })
}

/// Says whether a range holds all of another, of one image.
pub fn includes(image: &Image, outer: &SubresourceRange, inner: &SubresourceRange) -> bool {
    let end = |base: u32, count: u32, all: u32| base.saturating_add(count).min(all);
    let (mips, layers) = (image.info.mips, image.info.layers);
    let format = image.info.format;
    outer.base_mip <= inner.base_mip
        && end(outer.base_mip, outer.mips, mips) >= end(inner.base_mip, inner.mips, mips)
        && outer.base_layer <= inner.base_layer
        && end(outer.base_layer, outer.layers, layers)
            >= end(inner.base_layer, inner.layers, layers)
        && aspects_in(format, inner.aspects)
            .all(|aspect| aspects_in(format, outer.aspects).any(|a| a == aspect))
}

/// The subresources of an attachment that a pass acts on; `None` where views leave layers out.
pub fn acted_on(pass: &Pass, attachment: &Attachment) -> Option<SubresourceRange> {
    let indices = || pass.shape.layer_indices();
    let (first, count) = (indices().next()?, indices().count() as u32);
    let dense = indices().last()? + 1 - first == count;
    dense.then_some(SubresourceRange {
        aspects: vk::ImageAspectFlags::empty(),
        base_mip: attachment.range.mip,
        mips: 1,
        base_layer: attachment.range.base_layer + first,
        layers: count,
    })
}

/// The attachment of a pass whose load op acts on everything that ranges of an image name.
pub fn covered_by_pass<'a>(
    pass: &'a Pass,
    image: &Image,
    ranges: &[SubresourceRange],
) -> Option<&'a Attachment> {
    if pass.unknown || pass.shape.opaque || pass.reads_image(image.id) {
        return None;
    }
    let mut attachments = pass.shape.attachments.iter();
    let attachment =
        attachments.find(|a| a.image.as_ref().is_some_and(|other| other.id == image.id))?;
    let acted = acted_on(pass, attachment)?;
    let named = |aspect| attachment.ops(aspect).is_some_and(|ops| ops.named);
    let whole = pass.shape.covers(attachment) && !attachment.is_rate();
    (whole
        && ranges.iter().all(|range| includes(image, &acted, range))
        && aspects_of(image, ranges).all(named))
    .then_some(attachment)
}

/// A later clear of the same aspect that covers an earlier one, with nothing between.
pub fn again<'a>(
    pass: &'a Pass,
    attachment: &Attachment,
    aspect: Aspect,
    first: usize,
) -> Option<&'a ClearFacts> {
    let clear = pass.clears.get(first)?;
    let of = |clear: &ClearFacts| target(pass, clear, aspect) == Some(attachment.slot);
    let covers = |later: &ClearFacts| {
        clear.clear.rects.iter().all(|rect| {
            later.clear.rects.iter().any(|over| {
                contains(over.rect, rect.rect)
                    && over.base_layer <= rect.base_layer
                    && over.base_layer + over.layers >= rect.base_layer + rect.layers
            })
        })
    };
    pass.clears.iter().skip(first + 1).find(|later| {
        later.subpass == clear.subpass
            && later.draws_before == clear.draws_before
            && !later.conditional
            && of(later)
            && covers(later)
    })
}

/// The attachment whose aspect a clear inside a pass is about.
fn target(pass: &Pass, clear: &ClearFacts, aspect: Aspect) -> Option<u32> {
    let subpass = pass.shape.subpasses.get(clear.subpass as usize)?;
    clear.clear.attachments.iter().find_map(|(aspects, color, _)| match aspect {
        Aspect::Color if aspects.contains(vk::ImageAspectFlags::COLOR) => {
            Some(subpass.color.get(*color as usize).copied()??.attachment)
        }
        Aspect::Depth if aspects.contains(vk::ImageAspectFlags::DEPTH) => {
            Some(subpass.depth?.attachment)
        }
        Aspect::Stencil if aspects.contains(vk::ImageAspectFlags::STENCIL) => {
            Some(subpass.depth?.attachment)
        }
        _ => None,
    })
}
