//! Traffic of attachments that a pass has and does not use.

use ash::vk;

use super::dead::{DeadStore, dead_store};
use crate::finding::Cost;
use crate::model::{AlwaysLive, AspectOps, Attachment, Pass};
use crate::rule::Cx;

/// Traffic of an aspect that nothing in the pass uses.
pub struct Idle<'a> {
    /// The aspect's ops.
    pub ops: &'a AspectOps,
    /// It is loaded.
    pub loads: bool,
    /// It is stored.
    pub stores: bool,
    /// Why the store is dead, where the pass clears or discards the aspect first.
    pub dead: Option<DeadStore>,
    /// What it moves.
    pub cost: Cost,
}

/// Returns the traffic of an aspect that nothing in the pass uses; `None` where something does,
/// nothing moves, or dropping it alone saves nothing.
pub fn idle<'a>(
    cx: &Cx<'_>,
    pass: &Pass,
    attachment: &'a Attachment,
    plane: usize,
) -> Option<Idle<'a>> {
    let ops = &attachment.aspects[plane];
    let facts = pass.aspect(attachment.slot, plane)?;
    let image = attachment.image.as_ref()?.id;
    let (ever, _) = cx.device.touches(pass.variant, attachment.slot, plane);
    let elsewhere = pass.reads_image(image) || pass.writes.contains(&image);
    let hidden =
        matches!(cx.device.always_live(image), Some(AlwaysLive::TileMemory | AlwaysLive::Opaque));
    if !ops.named || facts.touched() || ever || elsewhere || hidden {
        return None;
    }
    let loads = ops.load? == vk::AttachmentLoadOp::LOAD;
    let stores = facts.store.is_some();
    let keeps = loads || ops.load? == vk::AttachmentLoadOp::NONE_EXT;
    // A clear may be there to initialise: then somebody reads it later.
    let dead = if keeps { None } else { dead_store(cx, pass, attachment, plane) };
    if !(loads || stores) || (!keeps && dead.is_none()) {
        return None;
    }
    let bytes = cx.aspect_bytes(pass, attachment, ops.aspect);
    let (mut load_bytes, mut store_bytes) = (u64::from(loads) * bytes, u64::from(stores) * bytes);
    let other = attachment.aspects.iter().find(|other| other.aspect != ops.aspect);
    if let Some(other) = other.filter(|_| cx.one_plane(attachment)) {
        // The plane moves once for both aspects: for whichever of them asks.
        let used = pass.aspect(attachment.slot, 1 - plane).is_none_or(|facts| facts.touched());
        if used && (asks(other.load) || other.store == Some(vk::AttachmentStoreOp::STORE)) {
            return None;
        }
        let rest = if used { cx.aspect_bytes(pass, attachment, other.aspect) } else { 0 };
        load_bytes += u64::from(loads) * rest;
        store_bytes += u64::from(stores) * rest;
    }
    Some(Idle { ops, loads, stores, dead, cost: Cost { load_bytes, store_bytes, memory_bytes: 0 } })
}

fn asks(load: Option<vk::AttachmentLoadOp>) -> bool {
    load.is_none_or(|load| load == vk::AttachmentLoadOp::LOAD)
}
