//! Everything that was said so far, bounded.

use rustc_hash::{FxHashMap, FxHashSet};

use super::candidate::Candidate;

/// Findings at most. Of more, those go that were not confirmed, the least recently said first; once
/// all of them were told, what is new is not told: it is counted.
pub const MAX_CANDIDATES: usize = 1 << 13;
/// Findings that were left out are told apart up to this many.
pub const MAX_LEFT_OUT: usize = 1 << 16;

/// A device and a fingerprint.
pub type Key = (usize, u64);

/// Findings by device and fingerprint, in order.
pub struct Candidates {
    of: FxHashMap<Key, Candidate>,
    order: Vec<Key>,
    /// How many they are at most.
    most: usize,
    /// The last frame in which room was asked for.
    made_room: Option<u64>,
    /// Those for which there was no room.
    left_out: FxHashSet<Key>,
}

impl Default for Candidates {
    fn default() -> Self {
        Self::at_most(MAX_CANDIDATES)
    }
}

impl Candidates {
    /// None yet, and so many at most.
    pub fn at_most(most: usize) -> Self {
        Self {
            of: FxHashMap::default(),
            order: Vec::new(),
            most,
            made_room: None,
            left_out: FxHashSet::default(),
        }
    }

    /// How many findings there may be, and how many of more were left out.
    pub fn limit(&self) -> (usize, usize) {
        (self.most, self.left_out.len())
    }

    /// Number of findings.
    pub fn len(&self) -> usize {
        self.of.len()
    }

    /// A finding that was said before.
    pub fn get(&self, key: &Key) -> Option<&Candidate> {
        self.of.get(key)
    }

    /// A finding that was said before, to change it.
    pub fn get_mut(&mut self, key: &Key) -> Option<&mut Candidate> {
        self.of.get_mut(key)
    }

    /// Adds one that was not said before, where there is room for it in this frame.
    pub fn add(&mut self, key: Key, frame: u64, new: impl FnOnce() -> Candidate) {
        if self.of.len() >= self.most && self.made_room.replace(frame) != Some(frame) {
            self.make_room(frame);
        }
        if self.of.len() < self.most {
            self.left_out.remove(&key);
            self.order.push(key);
            self.of.insert(key, new());
        } else if self.left_out.len() < MAX_LEFT_OUT {
            self.left_out.insert(key);
        }
    }

    fn make_room(&mut self, frame: u64) {
        let open = self.of.iter().filter(|(_, one)| !one.delivered && one.last_frame != frame);
        let mut open: Vec<_> = open.map(|(key, one)| (one.last_frame, *key)).collect();
        open.sort_unstable();
        for (_, key) in open.iter().take(self.most / 4) {
            // Of passes nothing is said a second time, and no later frame has to confirm it.
            let is_told = self.of.remove(key).is_some_and(|one| one.of_passes);
            if is_told && self.left_out.len() < MAX_LEFT_OUT {
                self.left_out.insert(*key);
            }
        }
        self.order.retain(|key| self.of.contains_key(key));
    }

    /// All of them, in the order in which they were first said.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, &Candidate)> {
        self.order.iter().filter_map(|key| Some((key, self.of.get(key)?)))
    }

    /// All of a device, to change them.
    pub fn of_device(&mut self, device: usize) -> impl Iterator<Item = &mut Candidate> {
        self.of.iter_mut().filter(move |(key, _)| key.0 == device).map(|(_, one)| one)
    }
}
