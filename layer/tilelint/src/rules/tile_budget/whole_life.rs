//! What rules on images ask of their whole life: traffic of a frame, who reads them.

use std::sync::Arc;

use ash::vk;
use rustc_hash::FxHashMap;

use crate::call::ImageOrigin;
use crate::finding::Cost;
use crate::model::{Frame, Image, ImageId, ImageUse, Pass, Read, Roles};
use crate::rule::Cx;

/// An image that passes of a frame draw to or resolve into.
pub struct Target<'a> {
    /// The image.
    pub image: Arc<Image>,
    /// How it was used so far.
    pub used: &'a ImageUse,
    /// The first pass with it.
    pub pass: &'a Pass,
    /// What the passes of the frame load and store of it.
    pub traffic: Cost,
}

/// The images that the passes of a frame draw to or resolve into, each once. What is not
/// understood, or not the application's to change, is left out.
pub fn targets<'a>(frame: &'a Frame, cx: &Cx<'a>) -> Vec<Target<'a>> {
    let mut found: Vec<Target<'a>> = Vec::new();
    let mut places: FxHashMap<ImageId, usize> = FxHashMap::default();
    let drawn = Roles::COLOR.or(Roles::DEPTH_STENCIL).or(Roles::RESOLVE);
    for pass in frame.passes().filter(|pass| !pass.shape.opaque && !pass.unknown) {
        for attachment in pass.shape.attachments.iter().filter(|a| a.roles.any(drawn)) {
            let Some(id) = attachment.image.as_ref().map(|image| image.id) else { continue };
            let Some((image, used)) = cx.device.image(id) else { continue };
            if !is_own(image) {
                continue;
            }
            let load = |ops| pass.shape.load_bytes(attachment, ops).unwrap_or(0);
            let store = |ops| pass.shape.store_bytes(attachment, ops).unwrap_or(0);
            let traffic = Cost {
                load_bytes: attachment.aspects.iter().map(load).sum(),
                store_bytes: attachment.aspects.iter().map(store).sum(),
                memory_bytes: 0,
            };
            match places.get(&id) {
                Some(at) => found[*at].traffic = found[*at].traffic.plus(traffic),
                None => {
                    places.insert(id, found.len());
                    found.push(Target { image: Arc::clone(image), used, pass, traffic });
                }
            }
        }
    }
    found
}

/// The application made it, or its swapchain, for itself alone.
fn is_own(image: &Image) -> bool {
    let sparse = vk::ImageCreateFlags::SPARSE_BINDING;
    matches!(image.info.origin, ImageOrigin::Application | ImageOrigin::Swapchain)
        && !image.info.opaque
        && !image.info.external
        && !image.placement.external
        && !image.info.flags.contains(sparse)
}

/// Only the host can want what is drawn: linear, host-visible, and no read by the GPU so far.
pub fn is_for_the_host(image: &Image, used: &ImageUse) -> bool {
    let host = vk::MemoryPropertyFlags::HOST_VISIBLE;
    let mapped = image.placement.flags.is_none_or(|flags| flags.contains(host));
    let by_host = 1u16 << Read::Host as u8;
    mapped && used.stored && used.reads & !by_host == 0 && !used.loaded
}
