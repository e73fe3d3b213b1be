//! A pass that is being executed, and what its commands add to it.

use std::sync::Arc;

use ash::vk;
use rustc_hash::FxHashSet;

use super::frame::{ClearFacts, FirstUse, ImageRead, Pass};
use super::objects::{ImageId, aspect_flag};
use super::timeline::Read;
use crate::call::BufferKey;

/// A pass that is being executed.
#[derive(Clone, Debug)]
pub struct OpenPass {
    /// What is known of it so far.
    pub pass: Pass,
    /// Subpass.
    pub subpass: u32,
    /// Sets that were read already: subpass, place of a push, key or number.
    pub read_sets: FxHashSet<(u32, u32, u64)>,
    /// What the pass is known to read, once that is much, and to write.
    pub known_reads: FxHashSet<ReadKey>,
    pub known_writes: FxHashSet<ImageId>,
}

/// All that tells two reads apart; a step by its frame and position.
type ReadKey = (ImageId, Read, u32, vk::ShaderStageFlags, bool, Option<(u32, u32)>, Option<StepAt>);
type StepAt = (u64, u32);

fn read_key(read: &ImageRead) -> ReadKey {
    let by = read.discarded_by.as_ref().map(|step| (step.frame, step.index));
    (read.image, read.how, read.subpass, read.stages, read.certain, read.at, by)
}

/// Reads of a pass that are many.
const MANY_READS: usize = 64;

impl OpenPass {
    /// Number of colour attachments of the subpass.
    pub fn colors(&self) -> usize {
        self.pass.shape.subpasses.get(self.subpass as usize).map_or(0, |s| s.color.len())
    }

    /// The next subpass begins.
    pub fn next_subpass(&mut self) {
        self.subpass += 1;
    }

    /// Says whether a read is not among those of the pass. A few are looked through; of many, all
    /// that tells them apart is kept.
    fn is_new(&mut self, read: &ImageRead) -> bool {
        let reads = &self.pass.reads;
        if reads.len() < MANY_READS {
            let key = read_key(read);
            return reads.iter().all(|known| known.image != read.image || read_key(known) != key);
        }
        if self.known_reads.is_empty() {
            self.known_reads.extend(reads.iter().map(read_key));
        }
        self.known_reads.insert(read_key(read))
    }

    /// Images are read and written through descriptors.
    pub fn add_reads(&mut self, reads: Vec<ImageRead>, writes: Vec<ImageId>) {
        for read in reads {
            if self.is_new(&read) {
                self.pass.reads.push(read);
            }
        }
        for write in writes {
            if self.known_writes.insert(write) {
                self.pass.writes.push(write);
            }
        }
    }

    /// Draws may read buffers.
    pub fn add_buffers(&mut self, buffers: impl IntoIterator<Item = BufferKey>) {
        for buffer in buffers {
            if buffer != BufferKey::default() {
                self.pass.buffers.insert(buffer);
            }
        }
    }

    /// Commands that are not understood ran inside the pass.
    pub fn unknown(&mut self) {
        self.pass.unknown = true;
        for facts in self.pass.facts.iter_mut().flatten() {
            facts.read = true;
            facts.written = true;
            facts.first.get_or_insert(FirstUse::Unknown);
        }
    }

    /// A clear inside the pass.
    pub fn add_clear(&mut self, facts: ClearFacts) {
        let index = self.pass.clears.len() as u32;
        let shape = Arc::clone(&self.pass.shape);
        let subpass = shape.subpasses.get(self.subpass as usize);
        for (aspects, color, _) in &facts.clear.attachments {
            let reference = if aspects.contains(vk::ImageAspectFlags::COLOR) {
                subpass.and_then(|s| s.color.get(*color as usize).copied().flatten())
            } else {
                subpass.and_then(|s| s.depth)
            };
            let Some(reference) = reference else { continue };
            let Some(attachment) = shape.attachments.get(reference.attachment as usize) else {
                continue;
            };
            for (plane, ops) in attachment.aspects.iter().enumerate() {
                if !aspects.contains(aspect_flag(ops.aspect)) {
                    continue;
                }
                let facts = &mut self.pass.facts[reference.attachment as usize][plane];
                facts.cleared = true;
                facts.first.get_or_insert(FirstUse::Clear(index));
            }
        }
        self.pass.clears.push(facts);
    }
}
