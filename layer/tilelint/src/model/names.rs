//! Names of the objects that no table of their own keeps, and buffers.

use std::sync::Arc;

use ash::vk;
use rustc_hash::FxHashMap;

use super::create::made_kind;
use super::device::DeviceModel;
use super::objects::{Name, Table, name};
use super::removals::Removals;
use crate::call::*;

/// A buffer.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// What was asked for.
    pub info: BufferInfo,
    /// Property flags of its memory type; `None` where unknown.
    pub flags: Option<vk::MemoryPropertyFlags>,
    /// The allocation it is bound to, where known.
    pub memory: Option<MemoryKey>,
}

impl Buffer {
    /// The host can map its memory; unknown is no.
    pub fn is_host_visible(&self) -> bool {
        self.flags.is_some_and(|f| f.contains(vk::MemoryPropertyFlags::HOST_VISIBLE))
    }
}

/// Names, and buffers that live.
#[derive(Debug, Default)]
pub struct Names {
    names: FxHashMap<Object, Name>,
    counts: FxHashMap<Kind, u32>,
    removals: Removals,
    pub(super) buffers: Table<Buffer>,
}

/// The object of a kind kept here that a call makes.
fn made(call: &Call) -> Option<Object> {
    Some(match call {
        Call::Buffer(key, _) => (*key).into(),
        Call::Queue(key, _) => (*key).into(),
        Call::Swapchain(key, _) => (*key).into(),
        Call::Semaphore(key, _) => (*key).into(),
        Call::Fence(key, _) => (*key).into(),
        Call::Event(key) => (*key).into(),
        Call::QueryPool(key, _) => (*key).into(),
        Call::Memory(key, _) => (*key).into(),
        _ => return None,
    })
}

impl Names {
    fn add(&mut self, object: Object, given: Option<&str>) {
        let count = self.counts.entry(object.kind).or_insert(0);
        *count += 1;
        self.names.insert(object, name(object.kind, given, *count));
    }

    fn remove(&mut self, object: &Object) {
        if self.names.remove(object).is_some() {
            self.removals.one(&mut self.names);
        }
    }

    /// Number of names, and of buffers.
    pub(super) fn len(&self) -> usize {
        self.names.len() + self.buffers.len()
    }

    /// Number of names that there is memory for.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.names.capacity()
    }

    fn rename(&mut self, object: Object, text: &str) {
        if let Some(known) = self.names.get_mut(&object).filter(|_| !text.is_empty()) {
            *known = Name { text: text.into(), given: true };
        }
    }
}

impl DeviceModel {
    /// Counts what a call makes, and keeps the names of what it makes, renames or destroys.
    pub(super) fn note_made(&mut self, entry: &Entry) {
        if let Some(kind) = made_kind(&entry.call) {
            self.frames.count(kind, true, entry.line);
        }
        if let Some(object) = made(&entry.call) {
            self.names.add(object, entry.name.as_deref());
        }
        match &entry.call {
            Call::Buffer(key, info) => {
                let flags = info.memory.and_then(|kind| self.memory_flags(kind));
                self.names.buffers.insert(key.0, Buffer { info: *info, flags, memory: None });
            }
            Call::Name(object, text) => self.names.rename(*object, text),
            Call::Destroy(object) => {
                self.names.remove(object);
                if object.kind == Kind::Buffer {
                    self.forget_buffer(BufferKey(object.key));
                }
            }
            _ => {}
        }
    }

    pub(super) fn bind_buffer(&mut self, key: BufferKey, info: &BindInfo) {
        let Some(memory) = self.memories.get_mut(info.memory.0) else { return };
        let Some(buffer) = self.names.buffers.get_mut(key.0) else { return };
        memory.buffers.insert(key);
        buffer.memory = Some(info.memory);
        buffer.flags = memory.flags;
    }

    fn forget_buffer(&mut self, key: BufferKey) {
        let buffer = self.names.buffers.remove(key.0);
        let memory = buffer.and_then(|buffer| buffer.memory);
        if let Some(memory) = memory.and_then(|memory| self.memories.get_mut(memory.0)) {
            memory.buffers.remove(&key);
        }
    }

    /// The allocation that an image or a buffer has for itself: what the host does to it, it does
    /// to the object.
    pub fn own_memory(&self, key: Option<MemoryKey>) -> Option<MemoryKey> {
        let memory = self.memories.get(key?.0)?;
        (memory.bound.len() + memory.buffers.len() == 1).then_some(key).flatten()
    }

    /// The name of a buffer, queue, swapchain, semaphore, fence, event, query pool or memory;
    /// the word of its kind once it is gone.
    pub fn name_of(&self, object: impl Into<Object>) -> Name {
        let object = object.into();
        let gone = || Name { text: Arc::from(object.kind.word()), given: false };
        self.names.names.get(&object).cloned().unwrap_or_else(gone)
    }

    /// A buffer that lives.
    pub fn buffer(&self, key: BufferKey) -> Option<&Buffer> {
        self.names.buffers.get(key.0)
    }
}
