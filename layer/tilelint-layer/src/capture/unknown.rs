//! Structures that were chained and not understood, for the report.

use ash::vk;
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// Kinds of structure that are told apart.
const KIND_LIMIT: usize = 256;

static STRUCTURES: Mutex<BTreeMap<i32, u64>> = Mutex::new(BTreeMap::new());

/// Counts a structure.
pub(super) fn count(s_type: vk::StructureType) {
    let mut structures = STRUCTURES.lock();
    if structures.len() < KIND_LIMIT || structures.contains_key(&s_type.as_raw()) {
        *structures.entry(s_type.as_raw()).or_default() += 1;
    }
}

/// Returns how often each was seen, by its number.
pub(crate) fn structures() -> BTreeMap<String, u64> {
    STRUCTURES.lock().iter().map(|(number, count)| (number.to_string(), *count)).collect()
}
