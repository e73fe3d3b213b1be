//! What is known of the content of each subresource aspect, and what became of what was stored.

use std::sync::Arc;

use ash::vk;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::removals::Removals;
use crate::call::Line;

/// Stores alive in one subresource at most; more make its content unknown.
const MAX_STORES: usize = 32;

/// A step of a frame that touched something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepRef {
    /// Frame.
    pub frame: u64,
    /// Position in the frame.
    pub index: u32,
    /// What it was.
    pub what: StepKind,
    /// Name of the pass or command.
    pub name: Arc<str>,
    /// Line in a listing.
    pub line: Line,
}

/// Kinds of step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepKind {
    /// A pass.
    Pass,
    /// A copy.
    Copy,
    /// A blit.
    Blit,
    /// A resolve command.
    Resolve,
    /// A clear command.
    Clear,
    /// A dispatch.
    Dispatch,
    /// A barrier.
    Barrier,
    /// A query command.
    Query,
    /// An event.
    Event,
    /// A submission.
    Submit,
    /// A present.
    Present,
    /// The host.
    Host,
    /// Something the layer does not understand.
    Opaque,
    /// Destruction.
    Destroy,
}

/// Why a content is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Undefined {
    /// Nothing was ever written.
    Never,
    /// A pass ended with a DONT_CARE store (or NONE after a write).
    Discarded,
    /// A transition from layout UNDEFINED.
    Transition,
    /// Other memory contents were written over it.
    Aliased,
}

/// Who wrote a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Writer {
    /// A pass stored it.
    Pass,
    /// A pass resolved into it.
    PassResolve,
    /// A copy.
    Copy,
    /// A blit.
    Blit,
    /// A resolve command.
    Resolve,
    /// A clear command.
    Clear,
    /// A shader, through a storage view.
    Storage,
}

/// State of a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// Nothing is known.
    Unknown,
    /// Undefined by the API's rules.
    Undefined(Undefined),
    /// Written.
    Written(Writer),
}

/// A content and who made it so.
#[derive(Clone, Debug, PartialEq)]
pub struct Content {
    /// State.
    pub state: State,
    /// The step that made it so.
    pub by: Option<Arc<StepRef>>,
}

impl Content {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { state: State::Unknown, by: None };
}

/// How a content was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Read {
    /// By a LOAD.
    Load,
    /// As an input attachment, by a later pass.
    Input,
    /// As a sampled image.
    Sampled,
    /// As a storage image.
    Storage,
    /// By a copy.
    Copy,
    /// By a blit.
    Blit,
    /// By a resolve command.
    Resolve,
    /// Presented.
    Present,
    /// By the host.
    Host,
    /// Handed over outside the device, or to something not understood.
    External,
    /// Perhaps, through a bindless descriptor.
    Perhaps,
}

impl Read {
    /// All kinds.
    pub const ALL: [Self; 11] = [
        Self::Load,
        Self::Input,
        Self::Sampled,
        Self::Storage,
        Self::Copy,
        Self::Blit,
        Self::Resolve,
        Self::Present,
        Self::Host,
        Self::External,
        Self::Perhaps,
    ];

    /// Says how, for a message.
    pub fn word(self) -> &'static str {
        match self {
            Self::Load => "loaded",
            Self::Input => "read as an input attachment",
            Self::Sampled => "sampled",
            Self::Storage => "read as a storage image",
            Self::Copy => "copied",
            Self::Blit => "blitted",
            Self::Resolve => "resolved",
            Self::Present => "presented",
            Self::Host => "read by the host",
            Self::External => "handed over",
            Self::Perhaps => "perhaps read",
        }
    }
}

/// How a content ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum End {
    /// A CLEAR load.
    Cleared,
    /// A DONT_CARE load.
    Discarded,
    /// A resolve of a pass wrote over it.
    Resolved,
    /// A transition from layout UNDEFINED.
    Transition,
    /// A complete overwrite by a command.
    Overwritten,
    /// A write to other contents of the same memory.
    Aliased,
    /// Destruction of the image.
    Destroyed,
}

/// Which store of which pass, over all frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StoreKey {
    /// Variant of the pass.
    pub variant: u64,
    /// Which occurrence of the variant in its frame.
    pub ordinal: u32,
    /// Attachment.
    pub attachment: u32,
    /// Aspect, as index among those of the format.
    pub plane: u8,
}

/// What became of one store.
#[derive(Clone, Debug)]
pub struct StoreRecord {
    /// Which.
    pub key: StoreKey,
    /// Frame of the store.
    pub frame: u64,
    /// Subresources in which the content still stands.
    pub standing: u32,
    /// The first read.
    pub read: Option<(Read, Arc<StepRef>)>,
    /// Every kind of read, as bits by [`Read`].
    pub reads: u16,
    /// How it ended last.
    pub end: Option<(End, Arc<StepRef>)>,
    /// Its end can no longer be known.
    pub lost: bool,
}

/// Identity of a store record.
pub type StoreId = u32;

/// A content that stands in a subresource.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// The store that made it.
    pub store: StoreId,
    /// The texels it covers.
    pub rect: vk::Rect2D,
}

/// One subresource of one aspect.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// Content now.
    pub content: Content,
    /// Stores whose content stands here.
    pub standing: SmallVec<[Standing; 1]>,
}

/// Stores whose end is not known yet, and those that came to one.
#[derive(Clone, Debug, Default)]
pub struct Stores {
    records: FxHashMap<StoreId, StoreRecord>,
    removals: Removals,
    next: StoreId,
    /// Stores whose content stands nowhere any more, until they are taken.
    pub ended: Vec<StoreRecord>,
    /// Stores read for the first time, by kind.
    pub newly_read: Vec<(StoreKey, Read, Arc<StepRef>)>,
}

impl Stores {
    /// Number of stores that are followed, or wait to be entered.
    pub fn len(&self) -> usize {
        self.records.len() + self.ended.len() + self.newly_read.len()
    }

    /// Opens a record and returns its id.
    pub fn open(&mut self, key: StoreKey, frame: u64) -> StoreId {
        self.next = self.next.wrapping_add(1);
        let record =
            StoreRecord { key, frame, standing: 0, read: None, reads: 0, end: None, lost: false };
        self.records.insert(self.next, record);
        self.next
    }

    fn read(&mut self, id: StoreId, read: Read, step: &Arc<StepRef>) {
        let Some(record) = self.records.get_mut(&id) else { return };
        let bit = 1u16 << read as u8;
        if record.reads & bit != 0 {
            return;
        }
        record.reads |= bit;
        if record.read.is_none() {
            record.read = Some((read, Arc::clone(step)));
        }
        self.newly_read.push((record.key, read, Arc::clone(step)));
    }

    /// A store that no subresource could take: its content is not followed.
    pub fn drop_if_nowhere(&mut self, id: StoreId) {
        if self.records.get(&id).is_some_and(|record| record.standing == 0) {
            self.records.remove(&id);
        }
    }

    fn leave(&mut self, id: StoreId, end: Option<(End, &Arc<StepRef>)>) {
        let Some(record) = self.records.get_mut(&id) else { return };
        record.standing = record.standing.saturating_sub(1);
        match end {
            Some((end, step)) => record.end = Some((end, Arc::clone(step))),
            None => record.lost = true,
        }
        if record.standing == 0
            && let Some(record) = self.records.remove(&id)
        {
            self.removals.one(&mut self.records);
            self.ended.push(record);
        }
    }
}

impl Timeline {
    /// Returns a timeline with this content.
    pub fn new(state: State) -> Self {
        Self { content: Content { state, by: None }, standing: SmallVec::new() }
    }

    /// Everything that stands here is read.
    pub fn read(&mut self, stores: &mut Stores, read: Read, step: &Arc<StepRef>) {
        for standing in &self.standing {
            stores.read(standing.store, read, step);
        }
    }

    /// What stands inside the rectangle is read.
    pub fn read_rect(
        &mut self,
        stores: &mut Stores,
        read: Read,
        rect: vk::Rect2D,
        step: &Arc<StepRef>,
    ) {
        for standing in &self.standing {
            if overlaps(standing.rect, rect) {
                stores.read(standing.store, read, step);
            }
        }
    }

    /// What lies wholly inside the rectangle ends; the rest stands.
    pub fn end(
        &mut self,
        stores: &mut Stores,
        end: End,
        rect: Option<vk::Rect2D>,
        step: &Arc<StepRef>,
    ) {
        self.standing.retain(|standing| {
            let over = rect.is_none_or(|rect| contains(rect, standing.rect));
            if over {
                stores.leave(standing.store, Some((end, step)));
            }
            !over
        });
    }

    /// A store made the content of the rectangle; `whole` says that it is the whole subresource.
    pub fn store(&mut self, stores: &mut Stores, id: StoreId, rect: vk::Rect2D) {
        if self.standing.len() >= MAX_STORES {
            self.forget(stores);
            return;
        }
        if let Some(record) = stores.records.get_mut(&id) {
            record.standing += 1;
        }
        self.standing.push(Standing { store: id, rect });
    }

    /// Nothing is known of the content from now on.
    pub fn forget(&mut self, stores: &mut Stores) {
        for standing in std::mem::take(&mut self.standing) {
            stores.leave(standing.store, None);
        }
        self.content = Content::UNKNOWN;
    }
}

/// Says whether two rectangles share a texel.
pub fn overlaps(a: vk::Rect2D, b: vk::Rect2D) -> bool {
    let end = |offset: i32, extent: u32| i64::from(offset) + i64::from(extent);
    i64::from(a.offset.x) < end(b.offset.x, b.extent.width)
        && i64::from(b.offset.x) < end(a.offset.x, a.extent.width)
        && i64::from(a.offset.y) < end(b.offset.y, b.extent.height)
        && i64::from(b.offset.y) < end(a.offset.y, a.extent.height)
}

/// Says whether `outer` covers every texel of `inner`.
pub fn contains(outer: vk::Rect2D, inner: vk::Rect2D) -> bool {
    let end = |offset: i32, extent: u32| i64::from(offset) + i64::from(extent);
    outer.offset.x <= inner.offset.x
        && outer.offset.y <= inner.offset.y
        && end(outer.offset.x, outer.extent.width) >= end(inner.offset.x, inner.extent.width)
        && end(outer.offset.y, outer.extent.height) >= end(inner.offset.y, inner.extent.height)
}
