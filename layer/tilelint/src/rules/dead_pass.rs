//! Which passes of a frame are dead: nothing that they make reaches anybody.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::call::QueryVerb;
use crate::model::{DeviceModel, Fate, Frame, Image, Pass, Read, Step, StoreKey};

/// Passes of a frame, by position, of which nothing reaches anybody: every store is dead or read
/// by such passes alone. What two passes keep alive for each other counts as live, since death
/// is observed and never concluded from silence.
pub fn dead_passes(frame: &Frame, device: &DeviceModel) -> FxHashSet<u32> {
    let counted = counted(frame);
    // How many passes of a variant are not known to be dead, and which passes wait for that.
    let mut alive: FxHashMap<u64, usize> = FxHashMap::default();
    frame.passes().for_each(|pass| *alive.entry(pass.variant).or_default() += 1);
    let mut waiting: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    let silent = frame.passes().filter(|pass| !has_other_effects(pass, &counted));
    let mut candidates = Vec::new();
    for pass in silent {
        let Some(readers) = readers_of_outputs(pass, device) else { continue };
        for reader in &readers {
            waiting.entry(*reader).or_default().push(candidates.len());
        }
        candidates.push((pass, readers.len()));
    }
    let unread = candidates.iter().enumerate().filter(|(_, (_, n_readers))| *n_readers == 0);
    let mut next: Vec<usize> = unread.map(|(index, _)| index).collect();
    let mut dead = FxHashSet::default();
    while let Some(index) = next.pop() {
        let pass = candidates[index].0;
        dead.insert(pass.step.index);
        let n_alive = alive.entry(pass.variant).or_default();
        *n_alive -= 1;
        if *n_alive > 0 {
            continue;
        }
        for index in waiting.remove(&pass.variant).into_iter().flatten() {
            let n_readers = &mut candidates[index].1;
            *n_readers -= 1;
            if *n_readers == 0 {
                next.push(index);
            }
        }
    }
    dead
}

/// The variants of the passes that read what a pass stores; `None` where it reaches others too, or
/// where it stores nothing.
fn readers_of_outputs(pass: &Pass, device: &DeviceModel) -> Option<FxHashSet<u64>> {
    let (mut readers, mut n_stores) = (FxHashSet::default(), 0);
    for attachment in &pass.shape.attachments {
        let planes = pass.facts.get(attachment.slot as usize).into_iter().flatten();
        for store in planes.filter_map(|facts| facts.store) {
            n_stores += 1;
            let image = attachment.image.as_ref()?;
            if device.always_live(image.id).is_some() {
                return None;
            }
            readers.extend(readers_of(device, image, store)?);
        }
    }
    (n_stores > 0).then_some(readers)
}

/// The variants of the passes that read a store and are all that does.
fn readers_of<'a>(
    device: &'a DeviceModel,
    image: &Image,
    store: StoreKey,
) -> Option<impl Iterator<Item = u64> + use<'a>> {
    let readers = if device.fate(store).is_dead() {
        None
    } else {
        let Fate::Live(_) = device.fate(store) else { return None };
        let (_, used) = device.image(image.id)?;
        let by_passes =
            1u16 << Read::Load as u8 | 1 << Read::Input as u8 | 1 << Read::Sampled as u8;
        let only = used.reads & !by_passes == 0 && !used.read_elsewhere;
        if !only || device.ended(store) < device.settings.steady_frames {
            return None;
        }
        Some(used.readers.iter().copied())
    };
    Some(readers.into_iter().flatten())
}

/// The pass does something beside its attachments, or may do.
fn has_other_effects(pass: &Pass, counted: &FxHashSet<u32>) -> bool {
    let opaque = pass.unknown || pass.shape.opaque;
    let effects = pass.side_effects || !pass.writes.is_empty() || !pass.queries.is_empty();
    opaque || effects || counted.contains(&pass.step.index)
}

/// The steps that a query counts which was begun before them.
fn counted(frame: &Frame) -> FxHashSet<u32> {
    let (mut counted, mut n_open) = (FxHashSet::default(), 0i32);
    for step in &frame.steps {
        if n_open > 0 {
            counted.insert(step.index());
        }
        match step {
            Step::Query { facts, .. } if facts.command.verb == QueryVerb::Begin => n_open += 1,
            Step::Query { facts, .. } if facts.command.verb == QueryVerb::End => n_open -= 1,
            _ => {}
        }
    }
    counted
}
