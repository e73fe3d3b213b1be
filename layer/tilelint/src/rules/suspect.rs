//! What the creation of a render pass alone shows: suspicions, which the frames confirm or not.

use ash::vk;

use crate::call::{AttachmentDescription, RenderPassInfo, SubpassDescription};
use crate::format::{self, Aspect};

/// Something that is probably a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspicion {
    /// Name of the rule that will tell.
    pub rule: &'static str,
    /// What is suspected.
    pub message: String,
    /// Index of the attachment.
    pub attachment: u32,
    /// The field of its description, by its API name.
    pub field: &'static str,
}

/// Returns what is suspected of a render pass. Nothing is of one that is not understood.
pub fn suspect(info: &RenderPassInfo) -> Vec<Suspicion> {
    if info.opaque {
        return Vec::new();
    }
    let attachments = (0..).zip(&info.attachments);
    attachments.flat_map(|(index, attachment)| of_attachment(info, index, attachment)).collect()
}

fn of_attachment(
    info: &RenderPassInfo,
    index: u32,
    attachment: &AttachmentDescription,
) -> Vec<Suspicion> {
    let mut found = Vec::new();
    let is_drawn = info.subpasses.iter().any(|subpass| draws(subpass, index));
    let is_read = info
        .subpasses
        .iter()
        .any(|subpass| subpass.input.iter().flatten().any(|input| input.attachment == index));
    let mut add = |rule, field, what: String| {
        let message = format!("attachment {index}: {what}");
        found.push(Suspicion { rule, message, attachment: index, field });
    };
    for aspect in format::aspects(attachment.format) {
        let is_stencil = *aspect == Aspect::Stencil;
        let (load, load_field) = match is_stencil {
            true => (attachment.stencil_load, "stencilLoadOp"),
            false => (attachment.load, "loadOp"),
        };
        let is_undefined = attachment.initial == vk::ImageLayout::UNDEFINED;
        let has_layout = is_stencil && attachment.stencil_layouts.is_some();
        let is_loaded = load == Some(vk::AttachmentLoadOp::LOAD) && (is_drawn || is_read);
        if is_loaded && is_undefined && !has_layout {
            let what = format!("{load_field} = LOAD reads what initialLayout = UNDEFINED drops");
            add("load-of-undefined", load_field, what);
        }
        let (store, store_field) = match is_stencil {
            true => (attachment.stencil_store, "stencilStoreOp"),
            false => (attachment.store, "storeOp"),
        };
        if store != Some(vk::AttachmentStoreOp::STORE) || !is_drawn {
            continue;
        }
        let (rule, what) = match aspect {
            _ if attachment.samples > 1 => ("msaa-store", "all samples"),
            Aspect::Depth => ("depth-store", "depth"),
            Aspect::Stencil => ("stencil-store", "stencil"),
            Aspect::Color => continue,
        };
        add(rule, store_field, format!("{store_field} = STORE sends {what} to memory"));
        let is_averaged = *aspect == Aspect::Color && !format::is_integer(attachment.format);
        if is_averaged && attachment.samples > 1 && !is_resolved(info, index) {
            let what = "no subpass resolves its samples before they leave the tile".to_owned();
            add("missing-resolve-attachment", store_field, what);
        }
    }
    found
}

fn draws(subpass: &SubpassDescription, index: u32) -> bool {
    let mut references = subpass.color.iter().flatten().chain(&subpass.depth);
    references.any(|reference| reference.attachment == index)
}

fn is_resolved(info: &RenderPassInfo, index: u32) -> bool {
    info.subpasses.iter().any(|subpass| {
        let mut pairs = subpass.color.iter().zip(&subpass.resolve);
        pairs.any(|(color, target)| {
            target.is_some() && color.is_some_and(|color| color.attachment == index)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use crate::call::listing::parse;

    fn suspected(lines: &str) -> Vec<(&'static str, u32, &'static str)> {
        let text = format!("calls version=1\nrenderpass r\n{lines}\nend\n");
        let listing = parse(&text).expect("the listing is right");
        let info = listing.entries.iter().find_map(|entry| match &entry.call {
            Call::RenderPass(_, info) => Some(info),
            _ => None,
        });
        let found = suspect(info.expect("it has a render pass"));
        found.iter().map(|one| (one.rule, one.attachment, one.field)).collect()
    }

    #[test]
    fn stores_of_samples_and_depth_are_suspected() {
        let found = suspected(
            "attach c load=CLEAR store=STORE format=R8G8B8A8_UNORM samples=4\n\
             attach d load=CLEAR store=STORE stencil_store=STORE format=D24_UNORM_S8_UINT\n\
             subpass color=c depth=d",
        );
        let expected = [
            ("msaa-store", 0, "storeOp"),
            ("missing-resolve-attachment", 0, "storeOp"),
            ("depth-store", 1, "storeOp"),
            ("stencil-store", 1, "stencilStoreOp"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_load_from_an_undefined_layout_is_suspected() {
        let found = suspected(
            "attach c load=LOAD store=STORE initial=UNDEFINED format=R8G8B8A8_UNORM\n\
             subpass color=c",
        );
        assert_eq!(found, [("load-of-undefined", 0, "loadOp")]);
    }

    #[test]
    fn what_is_right_is_not_suspected() {
        let found = suspected(
            "attach c load=CLEAR store=DONT_CARE format=R8G8B8A8_UNORM samples=4\n\
             attach r load=DONT_CARE store=STORE format=R8G8B8A8_UNORM\n\
             attach d load=CLEAR store=DONT_CARE format=D32_SFLOAT\n\
             subpass color=c resolve=r depth=d",
        );
        assert_eq!(found, []);
    }
}
