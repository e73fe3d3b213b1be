//! Memory that recordings lie in.

use std::fmt::Debug;

use super::{
    Barrier, BarrierCommand, Command, CommandsKey, PassBegin, PassTarget, RenderingAttachment,
};

/// Memory for the commands of a recording.
#[derive(Debug, Default)]
pub struct Room {
    pub(super) list: Vec<Command>,
    pub(super) words: Vec<u64>,
    pub(super) boxes: Boxes,
    /// The key of the command buffer that it was taken for.
    pub(super) owner: u64,
}

impl Room {
    fn bytes(&self) -> usize {
        room_bytes(&self.list, &self.words, &self.boxes)
    }
}

/// Bytes of the memory for commands.
pub(super) fn room_bytes(list: &Vec<Command>, words: &Vec<u64>, boxes: &Boxes) -> usize {
    list.capacity() * size_of::<Command>() + words.capacity() * size_of::<u64>() + boxes.bytes
}

/// What commands that are gone kept outside their list: memory that another thread gives back is
/// the dearest to allocate.
#[derive(Debug, Default)]
#[expect(clippy::vec_box, reason = "the boxes are the memory that is kept")]
pub(super) struct Boxes {
    passes: Vec<Box<PassBegin>>,
    barriers: Vec<Box<BarrierCommand>>,
    bytes: usize,
}

fn pass_bytes(pass: &PassBegin) -> usize {
    let attachments = match &pass.target {
        PassTarget::Dynamic(rendering) => rendering.attachments.capacity(),
        PassTarget::Object { .. } => 0,
    };
    size_of::<PassBegin>()
        + pass.clears.capacity() * size_of::<Option<[u32; 4]>>()
        + attachments * size_of::<RenderingAttachment>()
}

fn barrier_bytes(command: &BarrierCommand) -> usize {
    size_of::<BarrierCommand>() + command.barriers.capacity() * size_of::<Barrier>()
}

impl Boxes {
    /// Empties a list of commands and keeps what others can use.
    pub fn collect(&mut self, list: &mut Vec<Command>) {
        for command in list.drain(..) {
            match command {
                Command::BeginPass(mut pass) => {
                    pass.empty();
                    self.bytes += pass_bytes(&pass);
                    self.passes.push(pass);
                }
                Command::Barrier(mut command) => {
                    command.empty();
                    self.bytes += barrier_bytes(&command);
                    self.barriers.push(command);
                }
                _ => {}
            }
        }
    }

    /// An empty pass.
    pub fn pass(&mut self) -> Box<PassBegin> {
        let Some(pass) = self.passes.pop() else { return Box::default() };
        self.bytes -= pass_bytes(&pass);
        pass
    }

    /// No barriers.
    pub fn barriers(&mut self) -> Box<BarrierCommand> {
        let Some(command) = self.barriers.pop() else { return Box::default() };
        self.bytes -= barrier_bytes(&command);
        command
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
pub(super) const FIRST_COMMANDS: usize = 64;

/// Memory of recordings that are gone, for those to come: the thread that records neither
/// allocates nor touches fresh pages in the steady state.
#[derive(Debug, Default)]
pub struct Spares {
    kept: Vec<Room>,
    bytes: usize,
}

impl Spares {
    /// Takes the memory of commands that nobody needs any more. What was kept longest makes room:
    /// no recording may ever fit it again.
    pub fn give(&mut self, memory: Room) {
        let size = memory.bytes();
        if size == 0 || size > SPARE_BYTES {
            return;
        }
        while self.bytes + size > SPARE_BYTES || self.kept.len() >= SPARE_COUNT {
            let gone = self.kept.remove(0);
            self.bytes -= gone.bytes();
        }
        self.bytes += size;
        self.kept.push(memory);
    }

    /// Returns memory for about as many commands, and words of their lists: what this command
    /// buffer had before, since the thread that records it has that at hand; else the best that
    /// there is, or new memory with some room to spare. What is far too large stays for others, so
    /// that short recordings do not end up with the memory of long ones.
    pub fn take(&mut self, owner: CommandsKey, commands: usize, words: usize) -> Room {
        let owner = owner.0;
        let least = commands.max(FIRST_COMMANDS);
        let fits = self.kept.iter().enumerate().filter(|(_, memory)| {
            let capacity = memory.list.capacity();
            capacity >= least && capacity <= least.saturating_mul(4)
        });
        let best = fits.min_by_key(|(_, memory)| (memory.owner != owner, memory.list.capacity()));
        let Some((best, _)) = best else {
            let room = if commands == 0 { 0 } else { least + least / 8 };
            let list = Vec::with_capacity(room);
            return Room { list, words: vec![0; words + words / 8], owner, ..Room::default() };
        };
        let memory = self.kept.remove(best);
        self.bytes -= memory.bytes();
        Room { owner, ..memory }
    }

    /// Bytes that are kept.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::call::{Draw, Recording};

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
        recorded_by(1, spares, expected, commands)
    }

    fn recorded_by(
        owner: u64,
        spares: &Arc<Shared>,
        expected: usize,
        commands: u32,
    ) -> Arc<Recording> {
        let mut recording = Recording::with_limit(1 << 20);
        let mut kept = spares.0.lock().expect("no test panics with it");
        let memory = kept.take(CommandsKey(owner), expected, 0);
        drop(kept);
        recording.borrow(memory, Arc::clone(spares) as Arc<dyn Home>);
        (0..commands).for_each(|index| recording.draw(draw(index)));
        Arc::new(recording)
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
    fn each_command_buffer_gets_its_own_again() {
        let spares = Arc::<Shared>::default();
        let owners = [3, 1, 2, 4];
        let all = owners.map(|owner| recorded_by(owner, &spares, 1000, 1000));
        let places = all.each_ref().map(|recording| recording.commands.as_ptr());
        drop(all);
        for (owner, place) in owners.into_iter().zip(places).rev() {
            assert_eq!(recorded_by(owner, &spares, 1000, 1000).commands.as_ptr(), place);
        }
        // Another takes what there is.
        let other = recorded_by(9, &spares, 1000, 1000).commands.as_ptr();
        assert!(places.contains(&other));
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
    fn what_lies_outside_the_list_is_used_again() {
        let spares = Arc::<Shared>::default();
        let record = |n_clears: usize, n_barriers: usize| {
            let mut recording = Recording::with_limit(0);
            let memory = spares.0.lock().expect("as above").take(CommandsKey(1), 0, 0);
            recording.borrow(memory, Arc::clone(&spares) as Arc<dyn Home>);
            let mut pass = recording.new_pass();
            assert_eq!(*pass, PassBegin::default());
            pass.clears.extend(vec![None; n_clears]);
            let mut command = recording.new_barriers();
            assert_eq!(*command, BarrierCommand::default());
            command.barriers.reserve(n_barriers);
            let places = (pass.clears.as_ptr(), command.barriers.as_ptr());
            let boxes: (*const PassBegin, *const BarrierCommand) = (&*pass, &*command);
            recording.push(Command::BeginPass(pass));
            recording.push(Command::Barrier(command));
            (Arc::new(recording), places, boxes)
        };
        let (first, places, boxes) = record(4, 4);
        let bytes = first.bytes();
        drop(first);
        let kept = spares.bytes();
        assert!(kept >= size_of::<PassBegin>() + 4 * size_of::<Barrier>());
        let (second, places_again, boxes_again) = record(4, 4);
        assert_eq!((places, boxes), (places_again, boxes_again));
        assert_eq!((second.bytes(), spares.bytes()), (bytes, 0));
        drop(second);
        assert_eq!(spares.bytes(), kept);
    }

    #[test]
    fn what_nobody_takes_makes_room() {
        let spares = Arc::<Shared>::default();
        let small: Vec<_> = (0..200).map(|owner| recorded_by(owner, &spares, 0, 1)).collect();
        drop(small);
        let place = recorded(&spares, 0, 1000).commands.as_ptr();
        assert_eq!(recorded(&spares, 1000, 1000).commands.as_ptr(), place);
        let large: Vec<_> = (0..40).map(|_| recorded(&spares, 0, 50_000)).collect();
        drop(large);
        let place = recorded(&spares, 0, 1000).commands.as_ptr();
        assert_eq!(recorded(&spares, 1000, 1000).commands.as_ptr(), place);
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
