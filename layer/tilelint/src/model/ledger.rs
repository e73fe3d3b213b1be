//! What became of each store over all frames: the proof behind every verdict on stores.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::timeline::{End, Read, StepRef, StoreKey, StoreRecord};

/// Verdict on a store.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    /// Not enough was seen, or something could not be known.
    Unknown,
    /// Read at least once: how, and by which step.
    Live(Vec<(Read, Arc<StepRef>)>),
    /// On every steady frame seen it ended unread.
    Dead {
        /// Steady frames over which that was seen.
        frames: u32,
        /// How it ended last.
        end: End,
        /// By which step.
        by: Arc<StepRef>,
        /// It ended in the frame that stored it.
        same_frame: bool,
    },
}

impl Fate {
    /// Says whether the content is dead.
    pub fn is_dead(&self) -> bool {
        matches!(self, Self::Dead { .. })
    }

    /// The step that read it in this way, if one did.
    pub fn read_by(&self, read: Read) -> Option<&Arc<StepRef>> {
        match self {
            Self::Live(reads) => reads.iter().find(|(r, _)| *r == read).map(|(_, step)| step),
            _ => None,
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Line {
    reads: Vec<(Read, Arc<StepRef>)>,
    dead: u32,
    ended: u32,
    lost: bool,
    end: Option<(End, Arc<StepRef>, bool)>,
    last_frame: u64,
}

/// Ends and reads of stores, by which store of which pass they are.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    lines: FxHashMap<StoreKey, Line>,
    /// Counts everything that may change a verdict.
    pub changes: u64,
}

/// Deaths of one store after which one more changes no verdict.
const ENOUGH_DEATHS: u32 = 16;

impl Ledger {
    /// Number of stores that are told apart.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// A store was read in a way not seen of that record before.
    pub fn read(&mut self, key: StoreKey, read: Read, step: &Arc<StepRef>) {
        let line = self.lines.entry(key).or_default();
        if !line.reads.iter().any(|(r, _)| *r == read) {
            line.reads.push((read, Arc::clone(step)));
            self.changes += 1;
        }
    }

    /// A store ended. It proves death only if its own frame was steady, and so was the frame of
    /// a destruction (at shutdown everything is destroyed).
    pub fn end(&mut self, record: &StoreRecord, steady: impl Fn(u64) -> bool) {
        let line = self.lines.entry(record.key).or_default();
        line.last_frame = line.last_frame.max(record.frame);
        if record.lost && !line.lost {
            line.lost = true;
            self.changes += 1;
        }
        let Some((end, step)) = &record.end else { return };
        if !record.lost && steady(record.frame) {
            line.ended += 1;
            self.changes += u64::from(line.ended <= ENOUGH_DEATHS);
        }
        if record.reads != 0 || record.lost || !steady(record.frame) {
            return;
        }
        if *end == End::Destroyed && !steady(step.frame) {
            return;
        }
        line.dead += 1;
        if line.dead <= ENOUGH_DEATHS {
            self.changes += 1;
        }
        line.end = Some((*end, Arc::clone(step), step.frame == record.frame));
    }

    /// Returns the verdict on a store, given how many steady frames it takes.
    pub fn fate(&self, key: StoreKey, frames: u32) -> Fate {
        let Some(line) = self.lines.get(&key) else { return Fate::Unknown };
        if !line.reads.is_empty() {
            return Fate::Live(line.reads.clone());
        }
        match &line.end {
            Some((end, by, same_frame)) if !line.lost && line.dead >= frames => Fate::Dead {
                frames: line.dead,
                end: *end,
                by: Arc::clone(by),
                same_frame: *same_frame,
            },
            _ => Fate::Unknown,
        }
    }

    /// Returns on how many steady frames a store came to an end, read before or not.
    pub fn ended(&self, key: StoreKey) -> u32 {
        self.lines.get(&key).map_or(0, |line| line.ended)
    }

    /// Forgets stores of passes that no frame since `frame` contained; of those that were never
    /// seen to end unread only such whose variant is not remembered.
    pub fn forget_before(&mut self, frame: u64, is_remembered: impl Fn(u64) -> bool) {
        self.lines.retain(|key, line| {
            line.last_frame >= frame || (line.dead == 0 && is_remembered(key.variant))
        });
    }

    /// Forgets stores by their variants.
    pub fn forget(&mut self, is_forgotten: impl Fn(u64) -> bool) {
        self.lines.retain(|key, _| !is_forgotten(key.variant));
    }
}
