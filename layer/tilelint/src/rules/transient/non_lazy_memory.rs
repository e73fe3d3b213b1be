#![doc = include_str!("non_lazy_memory.md")]

use ash::vk;

use crate::finding::{Confidence, Cost, Fix, Level, Tier};
use crate::model::{Image, Pass};
use crate::rule::*;

/// The rule.
pub static RULE: Rule = Rule {
    name: "non-lazy-memory",
    group: Group::Transient,
    level: Level::Warn,
    tier: Tier::C,
    folds: &[],
    correctness: false,
    needs: Needs::CONTENTS,
    since: "0.1",
    page: include_str!("non_lazy_memory.md"),
    checks: &[Check::Pass(check)],
};

fn check(pass: &Pass, cx: &mut Cx<'_>) {
    let mut seen = Vec::new();
    for attachment in &pass.shape.attachments {
        let Some(image) = &attachment.image else { continue };
        let transient = image.info.usage.contains(vk::ImageUsageFlags::TRANSIENT_ATTACHMENT);
        if seen.contains(&image.id) || !transient || cx.device.always_live(image.id).is_some() {
            continue;
        }
        seen.push(image.id);
        let known = image.placement.flags.is_some();
        let Some(lazy) = lazy_type(image, cx).filter(|_| known && !image.is_lazy()) else {
            continue;
        };
        let mut place = Place::image(image, Field::Memory, cx.device);
        place.variant = Some(pass.variant);
        place.location.call = Some("vkBindImageMemory");
        // The image says what it is; the memory stands elsewhere.
        place.quote.marks[0].key = Field::Usage.key();
        let message = format!(
            "transient `{}` takes real memory, though a LAZILY_ALLOCATED type is offered",
            image.name.text
        );
        let why = "only a LAZILY_ALLOCATED type lets the driver leave the memory out; the usage \
                   bit alone saves nothing";
        let fix = Fix::text(format!(
            "bind it to memory type {lazy} (LAZILY_ALLOCATED); keep this type as the fallback"
        ))
        .edit(edit_image(image, Field::Memory, "", "LAZILY_ALLOCATED"));
        let bytes = image.memory_bytes().unwrap_or(0);
        cx.report(
            Report::new(place, Confidence::Certain, message, why, fix).cost(Cost::memory(bytes)),
        );
    }
}

/// A lazily allocated memory type that the image allows.
fn lazy_type(image: &Image, cx: &Cx<'_>) -> Option<usize> {
    let allowed = image.placement.allowed_types;
    let types = cx.device.memory_types.iter().enumerate();
    types
        .filter(|(index, _)| {
            allowed == 0 || allowed & 1u32.checked_shl(*index as u32).unwrap_or(0) != 0
        })
        .find(|(_, (flags, _))| flags.contains(vk::MemoryPropertyFlags::LAZILY_ALLOCATED))
        .map(|(index, _)| index)
}
