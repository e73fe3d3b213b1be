//! What one command buffer holds, and the memory that it lies in.

use std::fmt::Debug;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use ash::vk;

use super::spares::{Boxes, FIRST_COMMANDS, Home, Room, room_bytes};
use super::{BarrierCommand, Command, Dispatch, Draw, Line, PassBegin, key::*};

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

    /// The first so many words, and the others.
    #[inline(always)]
    pub fn split(self, first: u32) -> (Self, Self) {
        let first = first.min(self.len);
        let rest = Self { start: self.start + first, len: self.len - first };
        (Self { start: self.start, len: first }, rest)
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
    /// The first `n_words` of them; the others are memory for more, which is written without
    /// asking whether it has to grow.
    words: Vec<u64>,
    n_words: usize,
    /// For commands to come.
    boxes: Boxes,
    owner: u64,
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

impl Commands {
    /// Empties them, keeping their memory.
    fn clear(&mut self) {
        self.boxes.collect(&mut self.list);
        self.n_words = 0;
    }

    fn kept_words(&self) -> &[u64] {
        self.words.get(..self.n_words).unwrap_or(&[])
    }
}

impl Clone for Commands {
    fn clone(&self) -> Self {
        let (list, words) = (self.list.clone(), self.kept_words().to_vec());
        let boxes = Boxes::default();
        Self { list, words, n_words: self.n_words, boxes, owner: 0, home: None }
    }
}

impl PartialEq for Commands {
    fn eq(&self, other: &Self) -> bool {
        self.list == other.list && self.kept_words() == other.kept_words()
    }
}

impl Drop for Commands {
    fn drop(&mut self) {
        if let Some(home) = self.home.take() {
            self.clear();
            let (list, words) = (std::mem::take(&mut self.list), std::mem::take(&mut self.words));
            let boxes = std::mem::take(&mut self.boxes);
            home.give(Room { list, words, boxes, owner: self.owner });
        }
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
        commands.clear();
        *self = Self { commands, limit: self.limit, ..Self::default() };
    }

    /// Number of words of its lists.
    pub fn n_words(&self) -> usize {
        self.commands.n_words
    }

    /// Says whether it has no memory of its own yet.
    pub fn is_bare(&self) -> bool {
        self.commands.list.capacity() == 0
    }

    /// Bytes of memory that it holds, about; what secondary command buffers hold is theirs.
    pub fn bytes(&self) -> usize {
        let Commands { list, words, boxes, .. } = &self.commands;
        size_of_val(self) + room_bytes(list, words, boxes) + self.outside
    }

    /// Uses this memory, which goes home when nobody needs the recording any more.
    pub fn borrow(&mut self, memory: Room, home: Arc<dyn Home>) {
        let Room { mut list, words, boxes, owner } = memory;
        if self.limit != 0 && list.capacity() > self.limit {
            list.shrink_to(self.limit);
        }
        self.commands = Commands { list, words, n_words: 0, boxes, owner, home: Some(home) };
    }

    /// Returns the beginning of a pass, to be filled in and pushed. Its lists are empty and may
    /// have room; nothing else of it says anything.
    pub fn new_pass(&mut self) -> Box<PassBegin> {
        self.commands.boxes.pass()
    }

    /// Returns a command without barriers, to be filled in and pushed; its list may have room.
    pub fn new_barriers(&mut self) -> Box<BarrierCommand> {
        self.commands.boxes.barriers()
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
    pub fn push_within<const N: usize>(
        &mut self,
        words: [u64; N],
        command: impl FnOnce(List) -> Command,
    ) -> bool {
        let Commands { list, words: kept, n_words, .. } = &mut self.commands;
        let place = match N {
            1 => kept.get_mut(*n_words).map(std::slice::from_mut),
            _ => kept.get_mut(*n_words..).and_then(|rest| rest.get_mut(..N)),
        };
        let Some(place) = place else { return false };
        if list.len() == list.capacity() {
            return false;
        }
        list.push(command(List { start: *n_words as u32, len: N as u32 }));
        place.copy_from_slice(&words);
        *n_words += N;
        true
    }

    /// As [`Recording::push_within`], of a command without words.
    #[inline(always)]
    pub fn push_alone(&mut self, command: impl FnOnce() -> Command) -> bool {
        let list = &mut self.commands.list;
        if list.len() == list.capacity() {
            return false;
        }
        list.push(command());
        true
    }

    /// As [`Recording::draw`], if there is room; says whether it did.
    #[inline(always)]
    pub fn draw_within(&mut self, draw: Draw) -> bool {
        self.fold(draw) || self.push_alone(|| Command::Draw(draw))
    }

    /// Keeps words for a hot command and returns where they are; none where that is left out.
    #[inline]
    pub fn list(&mut self, words: impl IntoIterator<Item = u64>) -> List {
        let Commands { list, words: kept, n_words, .. } = &mut self.commands;
        if self.limit != 0 && list.len() >= self.limit {
            return List::default();
        }
        let start = *n_words;
        // One by one: there are few, and a loop for many costs more to enter than they do.
        for word in words {
            if *n_words == kept.len() {
                kept.resize((2 * kept.len()).max(FIRST_COMMANDS), 0);
            }
            kept[*n_words] = word;
            *n_words += 1;
        }
        List { start: start as u32, len: (*n_words - start) as u32 }
    }

    /// Returns the words of a list of this recording.
    pub fn words(&self, list: List) -> &[u64] {
        let start = list.start as usize;
        self.commands.kept_words().get(start..start + list.len as usize).unwrap_or(&[])
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
        self.fold_dispatch(dispatch) || self.push_alone(|| Command::Dispatch(dispatch))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(instances: u32) -> Draw {
        let (vertices, times, draw_count) = (3, 1, 1);
        let (kind, buffer) = Default::default();
        Draw { kind, vertices, instances, draw_count, times, total_vertices: 3, buffer }
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

    #[derive(Debug)]
    struct Nowhere;

    impl Home for Nowhere {
        fn give(&self, _memory: Room) {}
    }

    #[test]
    fn a_limit_is_kept_in_memory_for_more() {
        let mut recording = Recording::with_limit(100);
        let memory = crate::call::Spares::default().take(CommandsKey(1), 100, 100);
        recording.borrow(memory, Arc::new(Nowhere));
        (0..2000).for_each(|index| recording.draw(draw(index)));
        assert_eq!((recording.commands.len(), recording.left_out), (100, 1900));
    }

    #[test]
    fn commands_that_are_left_out_leave_no_words() {
        let mut recording = Recording::with_limit(3);
        for index in 0..10 {
            let list = recording.list([index, index]);
            recording.push(Command::BindShaders(list));
        }
        assert_eq!((recording.commands.len(), recording.left_out), (3, 7));
        assert_eq!(recording.n_words(), 6);
    }
}
