//! The code of shaders. Programs make the same shader again and again: what is held of it, while
//! it waits for the analysis and for the recording, is held once.

use parking_lot::Mutex;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;
use std::sync::{Arc, Weak};

/// New shaders after which it is asked which of the old ones are still held; then more, where
/// there are many.
const SWEEP_LEAST: usize = 64;
const SWEEP_PART: usize = 8;
/// The same in bytes of their code.
const SWEEP_BYTES: usize = 4 << 20;

/// Code that something still holds, by its hash.
#[derive(Default)]
pub(super) struct Codes(Mutex<Table>);

#[derive(Default)]
struct Table {
    by_hash: FxHashMap<u64, Weak<[u32]>>,
    /// What is gone keeps its memory until it is swept.
    n_new: usize,
    bytes_new: usize,
}

impl Codes {
    /// Returns the code of a shader, shared with an equal one that is still held.
    pub(super) fn share(&self, words: &[u32]) -> Arc<[u32]> {
        let hash = FxBuildHasher.hash_one(words);
        let known = self.0.lock().by_hash.get(&hash).and_then(Weak::upgrade);
        if let Some(known) = known.filter(|known| **known == *words) {
            return known;
        }
        let code = Arc::from(words);
        self.0.lock().keep(hash, &code);
        code
    }
}

impl Table {
    fn keep(&mut self, hash: u64, code: &Arc<[u32]>) {
        self.by_hash.insert(hash, Arc::downgrade(code));
        self.n_new += 1;
        self.bytes_new += size_of_val(&**code);
        let is_many = self.n_new >= SWEEP_LEAST.max(self.by_hash.len() / SWEEP_PART);
        if is_many || self.bytes_new >= SWEEP_BYTES {
            self.by_hash.retain(|_, code| code.strong_count() > 0);
            (self.n_new, self.bytes_new) = (0, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_code_that_is_gone_takes_no_memory() {
        let codes = Codes::default();
        for number in 0..40 {
            codes.share(&vec![number; SWEEP_BYTES / 16]);
        }
        let n_known = codes.0.lock().by_hash.len();
        assert!(n_known <= 4, "{n_known}");
    }

    #[test]
    fn equal_code_is_held_once_and_what_nobody_holds_is_gone() {
        let codes = Codes::default();
        let (first, other) = (codes.share(&[1, 2, 3]), codes.share(&[1, 2, 4]));
        assert!(Arc::ptr_eq(&first, &codes.share(&[1, 2, 3])));
        assert_eq!(*other, [1, 2, 4]);
        for number in 0..10_000 {
            codes.share(&[number; 100]);
        }
        let n_known = codes.0.lock().by_hash.len();
        assert!(n_known <= 2 + SWEEP_LEAST, "{n_known}");
        assert!(Arc::ptr_eq(&first, &codes.share(&[1, 2, 3])));

        let held: Vec<_> = (0..10_000).map(|number| codes.share(&[number; 2])).collect();
        assert!(held.iter().all(|code| Arc::ptr_eq(code, &codes.share(code))));
    }
}
