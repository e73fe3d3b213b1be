//! Handles that belong to a pool.

use tilelint::model::Table;

/// Handles in the order in which they were given out. One is taken out without a look at the
/// others.
#[derive(Debug, Default)]
pub(crate) struct Handles {
    numbers: Table<u64>,
    next: u64,
}

impl Handles {
    /// Adds handles.
    pub(crate) fn extend(&mut self, handles: impl IntoIterator<Item = u64>) {
        for handle in handles {
            self.next += 1;
            self.numbers.insert(handle, self.next);
        }
    }

    /// Takes a handle out.
    pub(crate) fn remove(&mut self, handle: u64) {
        self.numbers.remove(handle);
    }

    /// Returns all of them, in order.
    pub(crate) fn in_order(&self) -> Vec<u64> {
        let mut all: Vec<(u64, u64)> =
            self.numbers.iter().map(|(handle, number)| (*number, *handle)).collect();
        all.sort_unstable();
        all.into_iter().map(|(_, handle)| handle).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_keep_their_order() {
        let mut handles = Handles::default();
        handles.extend([9, 4, 7]);
        handles.remove(4);
        handles.remove(4);
        handles.extend([1, 4]);
        assert_eq!(handles.in_order(), [9, 7, 1, 4]);
    }

    #[test]
    fn what_is_taken_out_takes_no_memory() {
        let mut handles = Handles::default();
        handles.extend(0..50_000);
        assert!(handles.numbers.capacity() >= 50_000);
        (0..49_990).for_each(|handle| handles.remove(handle));
        assert_eq!(handles.in_order().len(), 10);
        assert!(handles.numbers.capacity() < 5_000, "{}", handles.numbers.capacity());
    }
}
