//! Tables give their memory back once much of what they held is gone.

use std::hash::{BuildHasher, Hash};

use std::collections::HashMap;

/// Removals at least before a table is made smaller.
const LEAST: usize = 1024;

/// Counts what was removed from a table.
#[derive(Clone, Copy, Debug, Default)]
pub struct Removals(usize);

impl Removals {
    /// An entry was removed. Once as many are gone as are left, the table is made smaller: that
    /// costs each removal the same, however large the table was.
    pub fn one<K: Eq + Hash, V, S: BuildHasher>(&mut self, table: &mut HashMap<K, V, S>) {
        self.0 += 1;
        if self.0 > LEAST.max(table.len()) {
            self.0 = 0;
            table.shrink_to(2 * table.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_stays_full_keeps_its_memory() {
        let mut table: HashMap<usize, ()> = (0..10_000).map(|key| (key, ())).collect();
        let mut removals = Removals::default();
        let room = table.capacity();
        for key in 0..100_000 {
            table.remove(&key);
            removals.one(&mut table);
            table.insert(key + 10_000, ());
        }
        assert!((room..=4 * 10_000).contains(&table.capacity()), "{}", table.capacity());
        for key in 100_000..110_000 {
            table.remove(&key);
            removals.one(&mut table);
        }
        assert!(table.is_empty() && table.capacity() < 4096, "{}", table.capacity());
    }
}
