//! Keys of passes, kept: writing one out takes longer than all else about a pass.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};

use super::pass::PassShape;
use crate::call::AttachmentReference;

/// Keys remembered.
const MAX_KEYS: usize = 4096;

/// Keys by all that they are made of.
#[derive(Debug, Default)]
pub struct Keys(FxHashMap<(u64, Option<Arc<str>>), u64>);

impl Keys {
    /// Number of keys.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The key of a pass with a given name.
    pub fn of(&mut self, shape: &PassShape, given: Option<&Arc<str>>) -> u64 {
        let made_of = (hash(shape), given.cloned());
        if let Some(key) = self.0.get(&made_of) {
            return *key;
        }
        if self.0.len() >= MAX_KEYS {
            self.0.clear();
        }
        let key = shape.key(given.map(|name| &**name));
        self.0.insert(made_of, key);
        key
    }
}

/// Hash of all that a key is made of besides the name, and of more where that is simpler.
fn hash(shape: &PassShape) -> u64 {
    let mut hasher = FxHasher::default();
    (shape.view_mask != 0, shape.attachments.len()).hash(&mut hasher);
    for attachment in &shape.attachments {
        (attachment.format, attachment.samples > 1, attachment.roles).hash(&mut hasher);
    }
    let mut list = |references: &[Option<AttachmentReference>]| {
        references.len().hash(&mut hasher);
        for reference in references {
            reference.map(|reference| reference.attachment).hash(&mut hasher);
        }
    };
    for subpass in &shape.subpasses {
        list(&subpass.color);
        list(&[subpass.depth, subpass.depth_resolve.map(|resolve| resolve.target)]);
        list(&subpass.resolve);
        list(&subpass.input);
    }
    hasher.finish()
}
