//! The state of each command buffer, found in a nanosecond.
//!
//! A fixed array of buckets, indexed by a multiply-shift of the handle. A bucket is a chain of
//! slots that only grows: slots are recycled for later handles of the same bucket and never freed,
//! so a look-up needs no lock. A hit is right because the slot's own handle must match; a miss is
//! repeated under the lock that guards every change. The slot holds the device too, so that one
//! look-up serves both.

use super::registry::Device;
use crate::capture::Recorder;
use ash::vk::{self, Handle};
use parking_lot::Mutex;
use std::cell::UnsafeCell;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

const BUCKET_BITS: u32 = 14;
/// 2^64 divided by the golden ratio: spreads handles that differ in few bits.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
/// Stands for the command buffer in a free slot: no handle is this, since it points to something.
const FREE: u64 = u64::MAX;

static BUCKETS: [AtomicPtr<Slot>; 1 << BUCKET_BITS] =
    [const { AtomicPtr::new(ptr::null_mut()) }; 1 << BUCKET_BITS];
static CHANGES: Mutex<()> = Mutex::new(());

/// The place of one command buffer. It has its cache lines, and those that are fetched with them,
/// to itself: neighbours are written by other threads.
#[repr(align(128))]
pub(super) struct Slot {
    /// The command buffer, or [`FREE`].
    handle: AtomicU64,
    /// The next slot of the bucket; never changes once the slot is in the chain.
    next: *mut Slot,
    held: UnsafeCell<Option<Held>>,
}

/// What is known of a command buffer.
struct Held {
    device: Arc<Device>,
    recorder: Recorder,
}

// SAFETY: C4 - the cell is only touched by the thread that may use the command buffer, or under
// CHANGES while no thread may; the rest is atomic or constant.
unsafe impl Sync for Slot {}

impl Slot {
    /// Returns the device of a live command buffer, and the recording for writing.
    ///
    /// # Safety
    /// C4, C6: the command buffer lives, and the calling thread has it to itself; what was returned
    /// before is no longer used.
    #[inline]
    #[expect(clippy::mut_from_ref, reason = "C4 makes the calling thread the only one")]
    pub(super) unsafe fn held(&self) -> Option<(&Device, &mut Recorder)> {
        // SAFETY: C4 - this thread alone uses the cell.
        let held = unsafe { &mut *self.held.get() }.as_mut()?;
        Some((&held.device, &mut held.recorder))
    }

    /// Returns the recording for reading, as submitting and executing do.
    ///
    /// # Safety
    /// C4: nobody records the command buffer meanwhile.
    pub(super) unsafe fn recorded(&self) -> Option<&Recorder> {
        // SAFETY: the caller's promise.
        unsafe { &*self.held.get() }.as_ref().map(|held| &held.recorder)
    }

    /// Exchanges what the slot holds; the caller drops the old values without the lock.
    ///
    /// # Safety
    /// C4: no command buffer of this slot is in use, and CHANGES is locked.
    unsafe fn exchange(&self, held: Option<Held>) -> Option<Held> {
        // SAFETY: the caller's promise.
        unsafe { self.held.get().replace(held) }
    }
}

#[inline]
fn bucket(handle: u64) -> &'static AtomicPtr<Slot> {
    &BUCKETS[(handle.wrapping_mul(MULTIPLIER) >> (64 - BUCKET_BITS)) as usize]
}

#[inline]
fn search(handle: u64) -> Option<&'static Slot> {
    let mut current = bucket(handle).load(Ordering::Acquire);
    loop {
        // SAFETY: C8 - a pointer in a chain is NULL or a leaked slot, which is never freed.
        let slot = unsafe { current.as_ref() }?;
        if slot.handle.load(Ordering::Acquire) == handle {
            return Some(slot);
        }
        current = slot.next;
    }
}

/// Returns the slot of a command buffer, or `None` for one that this layer never saw.
#[inline]
pub(super) fn find(command_buffer: vk::CommandBuffer) -> Option<&'static Slot> {
    let handle = command_buffer.as_raw();
    search(handle).or_else(|| find_slowly(handle))
}

/// Returns what is known of a command buffer, where that is found at once and its device's calls
/// are looked at.
///
/// # Safety
/// C4, C6: the calling thread has the live command buffer to itself; what was returned before is
/// no longer used.
#[inline(always)]
pub(super) unsafe fn find_quickly<'a>(
    command_buffer: vk::CommandBuffer,
) -> Option<(&'a Device, &'a mut Recorder)> {
    let slot = search(command_buffer.as_raw())?;
    // SAFETY: the caller's promise.
    unsafe { slot.held() }
}

#[cold]
fn find_slowly(handle: u64) -> Option<&'static Slot> {
    let _changes = CHANGES.lock();
    search(handle)
}

/// Gives a new command buffer its slot. A slot left under the same handle is taken over.
///
/// # Safety
/// C4: the command buffer was just allocated, so no other thread uses it.
pub(super) unsafe fn insert(
    command_buffer: vk::CommandBuffer,
    device: Arc<Device>,
    recorder: Recorder,
) {
    let handle = command_buffer.as_raw();
    if handle == 0 || handle == FREE {
        return;
    }
    let held = Some(Held { device, recorder });
    let changes = CHANGES.lock();
    let mut old = None;
    if let Some(slot) = search(handle) {
        // SAFETY: C4, C6 - the handle's former owner is gone.
        old = Some(unsafe { slot.exchange(held) });
    } else if let Some(slot) = free_slot(handle) {
        // SAFETY: C4 - the slot is free.
        old = Some(unsafe { slot.exchange(held) });
        slot.handle.store(handle, Ordering::Release);
    } else {
        let head = bucket(handle);
        let slot = Slot {
            handle: AtomicU64::new(handle),
            next: head.load(Ordering::Relaxed),
            held: UnsafeCell::new(held),
        };
        head.store(Box::leak(Box::new(slot)), Ordering::Release);
    }
    drop(changes);
    drop(old);
}

/// Returns a free slot in the bucket of `handle`. Changes must be locked.
fn free_slot(handle: u64) -> Option<&'static Slot> {
    let mut current = bucket(handle).load(Ordering::Relaxed);
    loop {
        // SAFETY: C8 - a pointer in a chain is NULL or a leaked slot, which is never freed.
        let slot = unsafe { current.as_ref() }?;
        if slot.handle.load(Ordering::Relaxed) == FREE {
            return Some(slot);
        }
        current = slot.next;
    }
}

/// Frees the slot of a command buffer that is about to be freed.
///
/// # Safety
/// C4: no other thread uses the command buffer.
pub(super) unsafe fn remove(command_buffer: vk::CommandBuffer) {
    let handle = command_buffer.as_raw();
    if handle == FREE {
        return;
    }
    let changes = CHANGES.lock();
    let old = search(handle).map(|slot| {
        slot.handle.store(FREE, Ordering::Release);
        // SAFETY: C4 - the command buffer is no longer used, and changes are locked.
        unsafe { slot.exchange(None) }
    });
    drop(changes);
    drop(old);
}
