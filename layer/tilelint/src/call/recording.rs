//! What one command buffer holds, and the memory that it lies in.

use std::fmt::Debug;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use ash::vk;

use super::{Command, Dispatch, Draw, Line, key::*};

/// A run of words kept in [`Recording::words`]: lists of hot commands live there, so that
/// recording one allocates nothing in the steady state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct List {
    start: u32,
    len: u32,
}

impl List {
    /// Number of words.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Says whether there are none.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// The commands of a recording, and the words of their lists.
#[derive(Debug, Default)]
pub struct Commands {
    list: Vec<Command>,
    words: Vec<u64>,
    /// Where the memory goes when nobody needs the commands any more.
    home: Option<Arc<dyn Home>>,
}

impl Deref for Commands {
    type Target = Vec<Command>;

    fn deref(&self) -> &Vec<Command> {
        &self.list
    }
}

impl DerefMut for Commands {
    fn deref_mut(&mut self) -> &mut Vec<Command> {
        &mut self.list
    }
}

impl<'a> IntoIterator for &'a Commands {
    type Item = &'a Command;
    type IntoIter = std::slice::Iter<'a, Command>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

impl<'a> IntoIterator for &'a mut Commands {
    type Item = &'a mut Command;
    type IntoIter = std::slice::IterMut<'a, Command>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter_mut()
    }
}

impl IntoIterator for Commands {
    type Item = Command;
    type IntoIter = std::vec::IntoIter<Command>;

    fn into_iter(mut self) -> Self::IntoIter {
        std::mem::take(&mut self.list).into_iter()
    }
}

impl Clone for Commands {
    fn clone(&self) -> Self {
        Self { list: self.list.clone(), words: self.words.clone(), home: None }
    }
}

impl PartialEq for Commands {
    fn eq(&self, other: &Self) -> bool {
        self.list == other.list && self.words == other.words
    }
}

impl Drop for Commands {
    fn drop(&mut self) {
        if let Some(home) = self.home.take() {
            self.list.clear();
            self.words.clear();
            let (list, words) = (std::mem::take(&mut self.list), std::mem::take(&mut self.words));
            home.give(Room { list, words });
        }
    }
}

/// Memory for the commands of a recording.
#[derive(Debug, Default)]
pub struct Room {
    list: Vec<Command>,
    words: Vec<u64>,
}

impl Room {
    fn bytes(&self) -> usize {
        self.list.capacity() * size_of::<Command>() + self.words.capacity() * size_of::<u64>()
    }
}

/// Takes the memory of recordings that nobody needs any more, on whatever thread that is found.
pub trait Home: Debug + Send + Sync {
    /// Takes memory.
    fn give(&self, memory: Room);
}

/// Bytes of memory that are kept for recordings to come.
const SPARE_BYTES: usize = 16 << 20;
/// Recordings whose memory is kept.
const SPARE_COUNT: usize = 128;
/// Commands that a recording has room for at first.
const FIRST_COMMANDS: usize = 64;

/// Memory of recordings that are gone, for those to come: the thread that records neither
/// allocates nor touches fresh pages in the steady state.
#[derive(Debug, Default)]
pub struct Spares {
    kept: Vec<Room>,
    bytes: usize,
}

impl Spares {
    /// Takes the memory of commands that nobody needs any more.
    pub fn give(&mut self, memory: Room) {
        let size = memory.bytes();
        if size != 0 && self.bytes + size <= SPARE_BYTES && self.kept.len() < SPARE_COUNT {
            self.bytes += size;
            self.kept.push(memory);
        }
    }

    /// Returns memory for about as many commands, the best that there is, or new memory with some
    /// room to spare. What is far too large stays for others, so that short recordings do not end
    /// up with the memory of long ones.
    pub fn take(&mut self, commands: usize) -> Room {
        let least = commands.max(FIRST_COMMANDS);
        let fits = self.kept.iter().enumerate().filter(|(_, memory)| {
            let capacity = memory.list.capacity();
            capacity >= least && capacity <= least.saturating_mul(4)
        });
        let best = fits.min_by_key(|(_, memory)| memory.list.capacity()).map(|(index, _)| index);
        let Some(best) = best else {
            let room = if commands == 0 { 0 } else { least + least / 8 };
            return Room { list: Vec::with_capacity(room), words: Vec::new() };
        };
        let memory = self.kept.swap_remove(best);
        self.bytes -= memory.bytes();
        memory
    }

    /// Bytes that are kept.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// What one command buffer holds.
///
/// While it is being recorded, only the recording thread touches it (Vulkan synchronises command
/// buffers externally); once complete it is immutable and shared by `Arc`. Where its commands were
/// written, and how many it could keep, makes no difference between two recordings.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// A secondary command buffer.
    pub secondary: bool,
    /// Usage flags of `vkBeginCommandBuffer`.
    pub usage: vk::CommandBufferUsageFlags,
    /// Render pass, subpass and framebuffer that a secondary inherits.
    pub inherits: Option<(Option<RenderPassKey>, u32, Option<FramebufferKey>)>,
    /// Colour, depth and stencil formats that a secondary inherits from dynamic rendering.
    pub inherited_formats: Vec<vk::Format>,
    /// Samples that a secondary inherits from dynamic rendering.
    pub inherited_samples: u32,
    /// View mask that a secondary inherits from dynamic rendering.
    pub inherited_views: u32,
    /// Flags that a secondary inherits from dynamic rendering.
    pub inherited_flags: vk::RenderingFlags,
    /// Commands.
    pub commands: Commands,
    /// Line of each command in a listing; empty in a live program.
    pub lines: Vec<Line>,
    limit: usize,
    /// Bytes that the commands keep outside their list, about.
    outside: usize,
    /// Commands left out because the limit was reached.
    pub left_out: u64,
}

impl PartialEq for Recording {
    fn eq(&self, other: &Self) -> bool {
        self.secondary == other.secondary
            && self.usage == other.usage
            && self.inherits == other.inherits
            && self.inherited_formats == other.inherited_formats
            && self.inherited_samples == other.inherited_samples
            && self.inherited_views == other.inherited_views
            && self.inherited_flags == other.inherited_flags
            && self.commands == other.commands
            && self.left_out == other.left_out
    }
}

impl Recording {
    /// Returns an empty recording that keeps at most `limit` commands (0: no limit).
    pub fn with_limit(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Empties it for reuse, keeping its memory.
    pub fn clear(&mut self) {
        let mut commands = std::mem::take(&mut self.commands);
        commands.list.clear();
        commands.words.clear();
        *self = Self { commands, limit: self.limit, ..Self::default() };
    }

    /// Says whether it has no memory of its own yet.
    pub fn is_bare(&self) -> bool {
        self.commands.list.capacity() == 0
    }

    /// Bytes of memory that it holds, about; what secondary command buffers hold is theirs.
    pub fn bytes(&self) -> usize {
        let Commands { list, words, .. } = &self.commands;
        size_of_val(self)
            + list.capacity() * size_of::<Command>()
            + words.capacity() * size_of::<u64>()
            + self.outside
    }

    /// Uses this memory, which goes home when nobody needs the recording any more.
    pub fn borrow(&mut self, memory: Room, home: Arc<dyn Home>) {
        let Room { list, words } = memory;
        self.commands = Commands { list, words, home: Some(home) };
    }

    /// Appends a command.
    #[inline]
    pub fn push(&mut self, command: Command) {
        // Where the kind of the command is known, so is this.
        if !command.is_hot() {
            self.outside += command.outside();
        }
        self.push_one(command);
    }

    #[inline]
    fn push_one(&mut self, command: Command) {
        let list = &mut self.commands.list;
        if list.len() == list.capacity() {
            self.push_slowly(command);
        } else {
            list.push(command);
        }
    }

    /// Makes room, unless the limit is reached: there is never room for more.
    #[cold]
    #[inline(never)]
    fn push_slowly(&mut self, command: Command) {
        let list = &mut self.commands.list;
        if self.limit != 0 && list.len() >= self.limit {
            self.left_out += 1;
            return;
        }
        let limit = if self.limit == 0 { usize::MAX } else { self.limit };
        let room = list.len().max(FIRST_COMMANDS).min(limit - list.len());
        list.reserve_exact(room);
        list.push(command);
    }

    /// Appends a hot command with these words, if there is room for both; says whether it did. It
    /// calls nothing, so that it is cheap to be part of.
    #[inline(always)]
    pub fn push_within(&mut self, words: &[u64], command: impl FnOnce(List) -> Command) -> bool {
        let Commands { list, words: kept, .. } = &mut self.commands;
        let start = kept.len();
        if list.len() == list.capacity() || kept.capacity() - start < words.len() {
            return false;
        }
        kept.extend_from_slice(words);
        list.push(command(List { start: start as u32, len: words.len() as u32 }));
        true
    }

    /// As [`Recording::push_within`], with two lists of any length.
    #[inline(always)]
    pub fn push_lists_within(
        &mut self,
        lists: (impl Iterator<Item = u64>, impl Iterator<Item = u64>),
        command: impl FnOnce(List, List) -> Command,
    ) -> bool {
        let Commands { list, words: kept, .. } = &mut self.commands;
        let start = kept.len();
        let has_room = list.len() < list.capacity();
        if has_room
            && let Some(first) = keep_within(kept, lists.0)
            && let Some(second) = keep_within(kept, lists.1)
        {
            list.push(command(first, second));
            return true;
        }
        kept.truncate(start);
        false
    }

    /// As [`Recording::draw`], if there is room; says whether it did.
    #[inline(always)]
    pub fn draw_within(&mut self, draw: Draw) -> bool {
        self.fold(draw) || self.push_within(&[], |_| Command::Draw(draw))
    }

    /// Keeps words for a hot command and returns where they are.
    #[inline]
    pub fn list(&mut self, words: impl IntoIterator<Item = u64>) -> List {
        let kept = &mut self.commands.words;
        let start = kept.len();
        // One by one: there are few, and a loop for many costs more to enter than they do.
        for word in words {
            kept.push(word);
        }
        List { start: start as u32, len: (kept.len() - start) as u32 }
    }

    /// Returns the words of a list of this recording.
    pub fn words(&self, list: List) -> &[u64] {
        let start = list.start as usize;
        self.commands.words.get(start..start + list.len as usize).unwrap_or(&[])
    }

    /// Appends a draw, folding it into the command before where only the vertices differ. It is
    /// part of its callers, which know most of the draw.
    #[inline(always)]
    pub fn draw(&mut self, draw: Draw) {
        if !self.fold(draw) {
            self.push_one(Command::Draw(draw));
        }
    }

    /// Folds a draw into the command before, if it can be.
    #[inline(always)]
    fn fold(&mut self, draw: Draw) -> bool {
        if let Some(Command::Draw(last)) = self.commands.list.last_mut()
            && last.kind == draw.kind
            && last.instances == draw.instances
            && last.draw_count == draw.draw_count
            && last.buffer == draw.buffer
        {
            last.times = last.times.saturating_add(draw.times);
            last.total_vertices = last.total_vertices.saturating_add(draw.total_vertices);
            return true;
        }
        false
    }

    /// Appends a dispatch, folding it into an equal one before it.
    #[inline]
    pub fn dispatch(&mut self, dispatch: Dispatch) {
        if !self.fold_dispatch(dispatch) {
            self.push_one(Command::Dispatch(dispatch));
        }
    }

    /// As [`Recording::dispatch`], if there is room; says whether it did.
    #[inline(always)]
    pub fn dispatch_within(&mut self, dispatch: Dispatch) -> bool {
        self.fold_dispatch(dispatch) || self.push_within(&[], |_| Command::Dispatch(dispatch))
    }

    /// Folds a dispatch into the command before, if it can be.
    #[inline(always)]
    fn fold_dispatch(&mut self, dispatch: Dispatch) -> bool {
        if let Some(Command::Dispatch(last)) = self.commands.list.last_mut()
            && last.groups == dispatch.groups
            && last.indirect == dispatch.indirect
        {
            last.times = last.times.saturating_add(dispatch.times);
            return true;
        }
        false
    }
}

/// Keeps words if there is room for all of them.
#[inline(always)]
fn keep_within(kept: &mut Vec<u64>, words: impl Iterator<Item = u64>) -> Option<List> {
    let start = kept.len();
    for word in words {
        if kept.len() == kept.capacity() {
            return None;
        }
        kept.push(word);
    }
    Some(List { start: start as u32, len: (kept.len() - start) as u32 })
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[derive(Debug, Default)]
    struct Shared(Mutex<Spares>);

    impl Home for Shared {
        fn give(&self, memory: Room) {
            self.0.lock().expect("no test panics with it").give(memory);
        }
    }

    impl Shared {
        fn bytes(&self) -> usize {
            self.0.lock().expect("no test panics with it").bytes()
        }
    }

    fn draw(instances: u32) -> Draw {
        let (vertices, times, draw_count) = (3, 1, 1);
        let (kind, buffer) = Default::default();
        Draw { kind, vertices, instances, draw_count, times, total_vertices: 3, buffer }
    }

    /// A recording of so many commands, in borrowed memory.
    fn recorded(spares: &Arc<Shared>, expected: usize, commands: u32) -> Arc<Recording> {
        let mut recording = Recording::with_limit(1 << 20);
        let memory = spares.0.lock().expect("no test panics with it").take(expected);
        recording.borrow(memory, Arc::clone(spares) as Arc<dyn Home>);
        (0..commands).for_each(|index| recording.draw(draw(index)));
        Arc::new(recording)
    }

    #[test]
    fn a_limit_is_kept_and_what_it_costs_is_counted() {
        for limit in [1, 63, 64, 65, 1000] {
            let mut recording = Recording::with_limit(limit);
            (0..2000).for_each(|index| recording.draw(draw(index)));
            assert_eq!(recording.commands.len(), limit);
            assert_eq!(recording.left_out, 2000 - limit as u64);
            recording.clear();
            assert_eq!((recording.commands.len(), recording.left_out), (0, 0));
        }
    }

    #[test]
    fn memory_is_used_again() {
        let spares = Arc::<Shared>::default();
        let first = recorded(&spares, 0, 1000);
        let (place, capacity) = (first.commands.as_ptr(), first.commands.capacity());
        let other = Arc::clone(&first);
        drop(first);
        assert_eq!(spares.bytes(), 0, "somebody still has it");
        drop(other);
        assert_eq!(spares.bytes(), capacity * size_of::<Command>());
        let second = recorded(&spares, 1000, 1000);
        assert_eq!((second.commands.as_ptr(), spares.bytes()), (place, 0));
    }

    #[test]
    fn short_recordings_leave_the_memory_of_long_ones() {
        let spares = Arc::<Shared>::default();
        drop(recorded(&spares, 0, 100_000));
        let kept = spares.bytes();
        assert!(kept >= 100_000 * size_of::<Command>());
        let short = recorded(&spares, 10, 10);
        assert!(short.commands.capacity() < 1000);
        assert_eq!(spares.bytes(), kept);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let spares = Arc::<Shared>::default();
        let many: Vec<_> = (0..40).map(|_| recorded(&spares, 0, 50_000)).collect();
        drop(many);
        assert!(spares.bytes() <= SPARE_BYTES);
        let many: Vec<_> = (0..1000).map(|_| recorded(&spares, 0, 1)).collect();
        drop(many);
        assert!(spares.0.lock().expect("as above").kept.len() <= SPARE_COUNT);
    }
}
