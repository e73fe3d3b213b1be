//! Memory of recordings, shared by the threads that record and the one that drops them last.

use parking_lot::Mutex;
use tilelint::call::{CommandsKey, Home, Room, Spares};

/// The spare memory of a device.
#[derive(Debug, Default)]
pub(crate) struct SharedSpares(Mutex<Spares>);

impl SharedSpares {
    /// Returns memory for about as many commands and words of a command buffer.
    pub(super) fn take(&self, owner: CommandsKey, commands: usize, words: usize) -> Room {
        self.0.lock().take(owner, commands, words)
    }
}

impl Home for SharedSpares {
    fn give(&self, memory: Room) {
        self.0.lock().give(memory);
    }
}
