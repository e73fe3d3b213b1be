//! Which passes of a frame are dead: nothing that they make reaches anybody.

use rustc_hash::FxHashSet;

use crate::call::QueryVerb;
use crate::model::{DeviceModel, Fate, Frame, Image, Pass, Read, Step, StoreKey};

/// Passes of a frame, by position, of which nothing reaches anybody: every store is dead or read
/// by such passes alone. What two passes keep alive for each other counts as live, since death
/// is observed and never concluded from silence.
pub fn dead_passes(frame: &Frame, device: &DeviceModel) -> FxHashSet<u32> {
    let counted = counted(frame);
    let silent: Vec<&Pass> =
        frame.passes().filter(|pass| !has_other_effects(&counted, pass)).collect();
    let mut dead: FxHashSet<u32> = FxHashSet::default();
    loop {
        let variants: FxHashSet<u64> = {
            let alive = frame.passes().filter(|pass| !dead.contains(&pass.step.index));
            let alive: FxHashSet<u64> = alive.map(|pass| pass.variant).collect();
            let all = frame.passes().map(|pass| pass.variant);
            all.filter(|variant| !alive.contains(variant)).collect()
        };
        let before = dead.len();
        for pass in &silent {
            if outputs_are_dead(pass, device, &variants) {
                dead.insert(pass.step.index);
            }
        }
        if dead.len() == before {
            return dead;
        }
    }
}

fn outputs_are_dead(pass: &Pass, device: &DeviceModel, dead: &FxHashSet<u64>) -> bool {
    let mut stores = 0;
    for attachment in &pass.shape.attachments {
        let planes = pass.facts.get(attachment.slot as usize).into_iter().flatten();
        for store in planes.filter_map(|facts| facts.store) {
            stores += 1;
            let Some(image) = &attachment.image else { return false };
            if device.always_live(image.id).is_some() || !ends_in(device, image, store, dead) {
                return false;
            }
        }
    }
    stores > 0
}

fn ends_in(device: &DeviceModel, image: &Image, store: StoreKey, dead: &FxHashSet<u64>) -> bool {
    match device.fate(store) {
        Fate::Dead { .. } => return true,
        Fate::Unknown => return false,
        Fate::Live(_) => {}
    }
    let Some((_, used)) = device.image(image.id) else { return false };
    let by_passes = 1u16 << Read::Load as u8 | 1 << Read::Input as u8 | 1 << Read::Sampled as u8;
    used.reads & !by_passes == 0
        && !used.read_elsewhere
        && used.readers.iter().all(|reader| dead.contains(reader))
        && device.ended(store) >= device.settings.steady_frames
}

/// The pass does something beside its attachments, or may do.
fn has_other_effects(counted: &FxHashSet<u32>, pass: &Pass) -> bool {
    let opaque = pass.unknown || pass.shape.opaque;
    let effects = pass.side_effects || !pass.writes.is_empty() || !pass.queries.is_empty();
    opaque || effects || counted.contains(&pass.step.index)
}

/// The passes whose draws a query counts that was begun before them.
fn counted(frame: &Frame) -> FxHashSet<u32> {
    let (mut counted, mut open) = (FxHashSet::default(), 0i32);
    for step in &frame.steps {
        match step {
            Step::Query { facts, .. } if facts.command.verb == QueryVerb::Begin => open += 1,
            Step::Query { facts, .. } if facts.command.verb == QueryVerb::End => open -= 1,
            Step::Pass(pass) if open > 0 => {
                counted.insert(pass.step.index);
            }
            _ => {}
        }
    }
    counted
}
