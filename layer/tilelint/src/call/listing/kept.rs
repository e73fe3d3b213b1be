//! What short forms make once for each shape, found by the shape.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Keys of objects by what they are.
#[derive(Debug)]
pub(super) struct Kept<T> {
    keys: FxHashMap<T, u64>,
    shapes: FxHashMap<u64, T>,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self { keys: FxHashMap::default(), shapes: FxHashMap::default() }
    }
}

impl<T: Clone + Eq + Hash> Kept<T> {
    /// The object of a shape.
    pub fn find(&self, shape: &T) -> Option<u64> {
        self.keys.get(shape).copied()
    }

    /// An object is made.
    pub fn add(&mut self, shape: T, key: u64) {
        self.shapes.insert(key, shape.clone());
        self.keys.insert(shape, key);
    }

    /// An object is gone.
    pub fn remove(&mut self, key: u64) {
        if let Some(shape) = self.shapes.remove(&key) {
            self.keys.remove(&shape);
        }
    }

    /// Objects of some shapes are gone.
    pub fn remove_if(&mut self, is_gone: impl Fn(&T) -> bool) {
        let gone: Vec<u64> =
            self.shapes.iter().filter(|(_, shape)| is_gone(shape)).map(|(key, _)| *key).collect();
        gone.into_iter().for_each(|key| self.remove(key));
    }
}
