//! What is alive before the first frame that is kept.
//!
//! An object that is gone is kept too while one that lives was made from it: a pipeline outlives
//! its shaders.

use super::codes::{HeldCode, without_code};
use crate::log;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;
use tilelint::call::{
    Call, DeviceKey, Entry, FenceKey, Kind, Object, SemaphoreKey, Submit, WriteInfo,
};
use tilelint::model::Removals;

/// Entries kept at most, of objects that are alive and what was done to them.
pub(super) const SIZE_LIMIT: usize = 1 << 19;
/// Objects that are gone and kept before it is asked whether they are needed.
const GONE_LIMIT: usize = 4096;

/// An object.
#[derive(Clone, Debug)]
struct Made {
    entry: Arc<Entry>,
    /// What was done to it, by number.
    after: Vec<(u64, Arc<Entry>)>,
    /// What was written into it, by binding, element and number.
    writes: BTreeMap<(u32, u32, u64), Arc<Entry>>,
    /// Numbers of the objects that it was made from.
    needs: Vec<u64>,
    /// The number and call of its end.
    gone: Option<(u64, Arc<Entry>)>,
    /// A fence is signalled.
    is_signalled: bool,
    /// The value of a timeline semaphore.
    value: u64,
}

impl Made {
    /// Number of its entries.
    fn size(&self) -> usize {
        1 + self.after.len() + self.writes.len()
    }
}

/// Objects by the number of the call that made them.
#[derive(Clone, Debug, Default)]
pub(super) struct Base {
    n_calls: u64,
    size: usize,
    has_lost_calls: bool,
    n_gone: usize,
    made: BTreeMap<u64, Made>,
    live: FxHashMap<(DeviceKey, Object), u64>,
    code: HeldCode,
    removals: Removals,
}

/// What declares the objects of a base.
pub(super) struct Declared {
    pub(super) entries: Vec<Entry>,
    /// The values of timeline semaphores may have been passed.
    pub(super) has_lost_calls: bool,
}

impl Base {
    /// Says whether no call was folded into it.
    pub(super) fn is_empty(&self) -> bool {
        self.n_calls == 0
    }

    /// Says whether it must not grow any more.
    pub(super) fn is_full(&self) -> bool {
        self.size > SIZE_LIMIT
    }

    /// Number of calls that were folded into it.
    pub(super) fn n_calls(&self) -> u64 {
        self.n_calls
    }

    /// Takes the calls of a frame that is not kept.
    pub(super) fn fold_all(&mut self, entries: &[Arc<Entry>]) {
        entries.iter().for_each(|entry| self.fold(entry));
    }

    /// Calls that run frames are missing.
    pub(super) fn lose(&mut self, n_calls: u64) {
        self.n_calls += n_calls;
        self.has_lost_calls = true;
    }

    /// Takes one call.
    pub(super) fn fold(&mut self, entry: &Arc<Entry>) {
        self.n_calls += 1;
        if entry.failed.is_some() {
            return;
        }
        if let Some(object) = made(&entry.call) {
            return self.add(entry, object);
        }
        let device = entry.device;
        match &entry.call {
            Call::Device(_) => self.add(entry, device.into()),
            Call::MemoryType { .. } => self.note(entry, device.into()),
            Call::Bind(image, _) => self.note(entry, (*image).into()),
            Call::BindBuffer(buffer, _) => self.note(entry, (*buffer).into()),
            Call::Write(write) => self.write(entry, write),
            Call::Name(object, text) => self.rename(entry, *object, text),
            Call::Destroy(object) => self.destroy(entry, *object),
            Call::Reset(commands) => self.remove(device, (*commands).into()),
            Call::QueueLabel { queue, text } => match text {
                Some(_) => self.note(entry, (*queue).into()),
                None => self.label_ends(device, (*queue).into()),
            },
            Call::FenceReset(fences) => {
                fences.iter().for_each(|fence| self.set_fence(device, *fence, false));
            }
            Call::Submit(submit) => self.submit(device, submit),
            Call::Acquire(acquire) => {
                acquire.fence.iter().for_each(|fence| self.set_fence(device, *fence, true));
            }
            Call::Signal(semaphore, value) => self.signal(device, *semaphore, *value),
            _ => {}
        }
    }

    fn get(&mut self, device: DeviceKey, object: Object) -> Option<&mut Made> {
        let number = self.live.get(&(device, object))?;
        self.made.get_mut(number)
    }

    fn add(&mut self, entry: &Arc<Entry>, object: Object) {
        let device = entry.device;
        if object.kind == Kind::Commands {
            // Recorded anew: what it held before is gone without a trace.
            self.remove(device, object);
        }
        let entry = &self.with_code_that_fits(entry);
        let needs = needs(&entry.call);
        let needs = needs.iter().filter_map(|need| self.live.get(&(device, *need)).copied());
        let made = Made {
            entry: Arc::clone(entry),
            after: Vec::new(),
            writes: BTreeMap::new(),
            needs: needs.collect(),
            gone: None,
            is_signalled: matches!(entry.call, Call::Fence(_, true)),
            value: 0,
        };
        self.made.insert(self.n_calls, made);
        self.live.insert((device, object), self.n_calls);
        self.size += 1;
        if let Call::Swapchain(_, info) = &entry.call {
            for image in &info.images {
                self.live.insert((device, (*image).into()), self.n_calls);
            }
        }
    }

    fn with_code_that_fits(&mut self, entry: &Arc<Entry>) -> Arc<Entry> {
        // What is gone is not needed for long: it makes room first, if there is much of it.
        let fits = self.code.hold(entry) || {
            let has_much = self.n_gone > self.made.len() / 8;
            has_much && {
                self.sweep();
                self.code.hold(entry)
            }
        };
        if fits {
            return Arc::clone(entry);
        }
        if !std::mem::replace(&mut self.code.is_cut, true) {
            log::warning("the program has too many shaders: the recording leaves out their code");
        }
        Arc::new(without_code(entry))
    }

    /// Remembers what was done to an object.
    fn note(&mut self, entry: &Arc<Entry>, object: Object) {
        let number = self.n_calls;
        let Some(made) = self.get(entry.device, object) else { return };
        made.after.push((number, Arc::clone(entry)));
        self.size += 1;
    }

    /// Remembers a write instead of those whose descriptors it replaces. Of a set with many, only
    /// those are looked at.
    fn write(&mut self, entry: &Arc<Entry>, write: &WriteInfo) {
        let number = self.n_calls;
        let Some(made) = self.get(entry.device, write.set.into()) else { return };
        let binding = write.binding;
        let last = u32::try_from(end(write)).unwrap_or(u32::MAX);
        let near = made.writes.range((binding, write.element, 0)..=(binding, last, u64::MAX));
        let is_gone = |old: &Entry| matches!(&old.call, Call::Write(old) if end(old) <= end(write));
        let gone: Vec<_> = near.filter(|(_, old)| is_gone(old)).map(|(key, _)| *key).collect();
        gone.iter().for_each(|key| drop(made.writes.remove(key)));
        made.writes.insert((binding, write.element, number), Arc::clone(entry));
        self.size = self.size + 1 - gone.len();
    }

    fn label_ends(&mut self, device: DeviceKey, queue: Object) {
        let popped = self.get(device, queue).and_then(|queue| queue.after.pop());
        self.size -= usize::from(popped.is_some());
    }

    fn rename(&mut self, entry: &Arc<Entry>, object: Object, text: &str) {
        let Some(made) = self.get(entry.device, object) else { return };
        if super::base::made(&made.entry.call) == Some(object) {
            Arc::make_mut(&mut made.entry).name = Some(text.into());
        } else {
            // An image of a swapchain has no line of its own.
            self.note(entry, object);
        }
    }

    fn forget(&mut self, device: DeviceKey, object: Object) -> Option<u64> {
        let number = self.live.remove(&(device, object))?;
        self.removals.one(&mut self.live);
        Some(number)
    }

    fn remove(&mut self, device: DeviceKey, object: Object) {
        let number = self.forget(device, object);
        if let Some(made) = number.and_then(|number| self.made.remove(&number)) {
            self.size -= made.size();
        }
    }

    fn destroy(&mut self, entry: &Arc<Entry>, object: Object) {
        let device = entry.device;
        if object.kind == Kind::Device {
            self.live.retain(|(of, _), _| *of != device);
            self.made.retain(|_, made| made.entry.device != device);
            self.count();
            return;
        }
        if !may_be_needed(object.kind) {
            if let Some(made) = self.get(device, object)
                && let Call::Swapchain(_, info) = &made.entry.call
            {
                let images = info.images.clone();
                for image in images {
                    self.forget(device, image.into());
                }
            }
            return self.remove(device, object);
        }
        let number = self.n_calls;
        if let Some(made) = self.get(device, object) {
            made.gone = Some((number, Arc::clone(entry)));
            self.n_gone += 1;
        }
        self.forget(device, object);
        if self.n_gone > GONE_LIMIT.max(self.live.len()) {
            self.sweep();
        }
    }

    /// Numbers of the objects that live or that one of those was made from.
    fn needed(&self) -> FxHashSet<u64> {
        let mut needed = FxHashSet::default();
        let lives = self.made.iter().filter(|(_, made)| made.gone.is_none());
        let mut left: Vec<u64> = lives.map(|(number, _)| *number).collect();
        while let Some(number) = left.pop() {
            if needed.insert(number)
                && let Some(made) = self.made.get(&number)
            {
                left.extend(&made.needs);
            }
        }
        needed
    }

    fn sweep(&mut self) {
        let needed = self.needed();
        self.made.retain(|number, _| needed.contains(number));
        self.count();
    }

    /// Counts what is kept after some of it went.
    fn count(&mut self) {
        let made = self.made.values();
        self.n_gone = made.clone().filter(|made| made.gone.is_some()).count();
        self.size = made.clone().map(Made::size).sum();
        self.code.hold_only(made.map(|made| &*made.entry));
    }

    fn set_fence(&mut self, device: DeviceKey, fence: FenceKey, is_signalled: bool) {
        if let Some(made) = self.get(device, fence.into()) {
            made.is_signalled = is_signalled;
        }
    }

    fn submit(&mut self, device: DeviceKey, submit: &Submit) {
        for batch in &submit.batches {
            for signal in &batch.signals {
                self.signal(device, signal.semaphore, signal.value.unwrap_or(0));
            }
        }
        submit.fence.iter().for_each(|fence| self.set_fence(device, *fence, true));
    }

    fn signal(&mut self, device: DeviceKey, semaphore: SemaphoreKey, value: u64) {
        if let Some(made) = self.get(device, semaphore.into()) {
            made.value = made.value.max(value);
        }
    }

    /// Returns the calls that make what lives, in their order.
    pub(super) fn declared(&self) -> Declared {
        let needed = self.needed();
        let mut calls: Vec<(u64, Entry)> = Vec::new();
        for (number, made) in self.made.iter().filter(|(number, _)| needed.contains(number)) {
            let mut entry = Entry::clone(&made.entry);
            match &mut entry.call {
                Call::Image(_, info) => info.before = true,
                Call::Fence(_, is_signalled) => *is_signalled = made.is_signalled,
                Call::Semaphore(_, info) if info.timeline => {
                    info.value = info.value.max(made.value)
                }
                _ => {}
            }
            calls.push((*number, entry));
            let after = made.after.iter().filter(|(_, entry)| self.has_what_it_names(entry));
            let after = after.chain(&made.gone).map(|(number, entry)| (*number, entry));
            let writes = made.writes.iter().map(|((.., number), entry)| (*number, entry));
            calls.extend(after.chain(writes).map(|(number, entry)| (number, Entry::clone(entry))));
        }
        calls.sort_by_key(|(number, _)| *number);
        let entries = calls.into_iter().map(|(_, entry)| entry).collect();
        Declared { entries, has_lost_calls: self.has_lost_calls }
    }

    /// A binding to memory that was freed says nothing any more.
    fn has_what_it_names(&self, entry: &Entry) -> bool {
        match &entry.call {
            Call::Bind(_, info) | Call::BindBuffer(_, info) => {
                self.live.contains_key(&(entry.device, info.memory.into()))
            }
            _ => true,
        }
    }
}

/// The element behind the last that a write replaces.
fn end(write: &WriteInfo) -> u64 {
    u64::from(write.element) + write.descriptors.len() as u64
}

/// Says whether what was made from an object of this kind may outlive it.
fn may_be_needed(kind: Kind) -> bool {
    matches!(kind, Kind::Shader | Kind::SetLayout | Kind::PipelineLayout | Kind::RenderPass)
}

/// The objects that a call makes its own from.
fn needs(call: &Call) -> Vec<Object> {
    match call {
        Call::Framebuffer(_, info) => vec![info.render_pass.into()],
        Call::PipelineLayout(_, info) => info.sets.iter().flatten().map(|s| (*s).into()).collect(),
        Call::Set(_, info) => vec![info.layout.into()],
        Call::Pipeline(_, info) => {
            let shaders = info.shaders.iter().map(|shader| (*shader).into());
            let pass = info.pass.map(Into::into);
            shaders.chain(pass).chain(info.layout.map(Into::into)).collect()
        }
        _ => Vec::new(),
    }
}

/// The object that a call makes.
pub(super) fn made(call: &Call) -> Option<Object> {
    Some(match call {
        Call::Queue(key, _) => (*key).into(),
        Call::Image(key, _) => (*key).into(),
        Call::Memory(key, _) => (*key).into(),
        Call::View(key, _) => (*key).into(),
        Call::Buffer(key, _) => (*key).into(),
        Call::Sampler(key, _) => (*key).into(),
        Call::Swapchain(key, _) => (*key).into(),
        Call::RenderPass(key, _) => (*key).into(),
        Call::Framebuffer(key, _) => (*key).into(),
        Call::Shader(key, _) => (*key).into(),
        Call::SetLayout(key, _) => (*key).into(),
        Call::PipelineLayout(key, _) => (*key).into(),
        Call::Set(key, _) => (*key).into(),
        Call::Pipeline(key, _) => (*key).into(),
        Call::Semaphore(key, _) => (*key).into(),
        Call::Fence(key, _) => (*key).into(),
        Call::Event(key) => (*key).into(),
        Call::QueryPool(key, _) => (*key).into(),
        Call::Commands(key, _) => (*key).into(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ash::vk;
    use tilelint::call::{Descriptor, SetInfo, SetKey, SetLayoutKey, WriteVia};

    const SET: SetKey = SetKey(7);

    fn fold(base: &mut Base, call: Call) {
        base.fold(&Arc::new(Entry::new(DeviceKey(1), call)));
    }

    fn write(binding: u32, element: u32, count: usize) -> Call {
        Call::Write(Box::new(WriteInfo {
            set: SET,
            binding,
            element,
            kind: vk::DescriptorType::SAMPLED_IMAGE,
            descriptors: vec![Descriptor::Null; count],
            via: WriteVia::Update,
        }))
    }

    /// Binding, first element and number of the descriptors of the writes that are declared.
    fn written(base: &Base) -> Vec<(u32, u32, usize)> {
        let of = |entry: Entry| match entry.call {
            Call::Write(write) => Some((write.binding, write.element, write.descriptors.len())),
            _ => None,
        };
        base.declared().entries.into_iter().filter_map(of).collect()
    }

    #[test]
    fn a_write_takes_the_place_of_those_that_it_covers() {
        let mut base = Base::default();
        fold(&mut base, Call::Set(SET, SetInfo { layout: SetLayoutKey(1) }));
        (0..6).for_each(|element| fold(&mut base, write(0, element, 1)));
        fold(&mut base, write(1, 2, 1));
        fold(&mut base, write(0, 3, 2));
        assert_eq!(
            written(&base),
            [(0, 0, 1), (0, 1, 1), (0, 2, 1), (0, 5, 1), (1, 2, 1), (0, 3, 2)]
        );
        // It covers a part of one, which stays before it.
        fold(&mut base, write(0, 1, 3));
        assert_eq!(written(&base), [(0, 0, 1), (0, 5, 1), (1, 2, 1), (0, 3, 2), (0, 1, 3)]);
        assert_eq!(base.size, 6);
        fold(&mut base, Call::Destroy(SET.into()));
        assert!(base.size == 0 && written(&base).is_empty());
    }

    #[test]
    fn objects_that_come_and_go_leave_nothing() {
        let mut base = Base::default();
        for key in 0..50_000 {
            fold(&mut base, Call::Set(SetKey(key), SetInfo { layout: SetLayoutKey(1) }));
        }
        assert_eq!((base.size, base.made.len(), base.live.len()), (50_000, 50_000, 50_000));
        (0..50_000).for_each(|key| fold(&mut base, Call::Destroy(SetKey(key).into())));
        assert_eq!((base.size, base.made.len(), base.live.len()), (0, 0, 0));
        assert!(base.live.capacity() < 5_000, "{}", base.live.capacity());
    }
}
