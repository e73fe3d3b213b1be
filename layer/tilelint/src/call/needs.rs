//! Which commands a rule needs to see.
//!
//! Passes, submissions, frames, labels, the life of objects and what is not understood are always
//! seen. Of the rest, a program whose rules do not need a group calls its driver directly.

use super::{Call, Command, DynamicState, HostVerb, Kind};

/// Groups of commands, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Needs(u16);

impl Needs {
    /// Nothing beyond what is always seen.
    pub const NONE: Self = Self(0);
    /// Draws, clears inside passes, and conditional rendering.
    pub const DRAWS: Self = Self(1);
    /// Dispatches.
    pub const DISPATCHES: Self = Self(1 << 1);
    /// Binds of pipelines and shader objects.
    pub const PIPELINES: Self = Self(1 << 2);
    /// Binds and pushes of descriptor sets.
    pub const SETS: Self = Self(1 << 3);
    /// Descriptor sets that are allocated, freed and written.
    pub const DESCRIPTORS: Self = Self(1 << 4);
    /// Binds of vertex and index buffers.
    pub const VERTICES: Self = Self(1 << 5);
    /// Push constants.
    pub const PUSHES: Self = Self(1 << 6);
    /// Dynamic state that decides what a draw does to attachments.
    pub const STATE: Self = Self(1 << 7);
    /// Any other dynamic state.
    pub const OTHER_STATE: Self = Self(1 << 8);
    /// Barriers and events.
    pub const BARRIERS: Self = Self(1 << 9);
    /// Queries, and reads of their results.
    pub const QUERIES: Self = Self(1 << 10);
    /// Copies, blits, resolves and clears outside passes.
    pub const TRANSFERS: Self = Self(1 << 11);
    /// Waits of the host, and resets of fences.
    pub const WAITS: Self = Self(1 << 12);
    /// What the host does with memory and images.
    pub const HOST: Self = Self(1 << 13);

    /// Everything.
    pub const ALL: Self = Self((1 << 14) - 1);

    /// All that may read, write or order the content of an image: verdicts on contents, and on
    /// what stands between two passes, need it.
    pub const CONTENTS: Self = Self::ALL.without(Self::PUSHES).without(Self::OTHER_STATE);

    /// What a recording holds whatever the rules need: what is missing from it silences the rules
    /// that look for it and leads no other astray.
    pub const RECORDING: Self = Self::ALL.without(Self::PUSHES);

    /// The groups by name.
    pub const GROUPS: [(&str, Self); 14] = [
        ("draws", Self::DRAWS),
        ("dispatches", Self::DISPATCHES),
        ("pipelines", Self::PIPELINES),
        ("sets", Self::SETS),
        ("descriptors", Self::DESCRIPTORS),
        ("vertices", Self::VERTICES),
        ("pushes", Self::PUSHES),
        ("state", Self::STATE),
        ("other-state", Self::OTHER_STATE),
        ("barriers", Self::BARRIERS),
        ("queries", Self::QUERIES),
        ("transfers", Self::TRANSFERS),
        ("waits", Self::WAITS),
        ("host", Self::HOST),
    ];

    /// Both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// These without others.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Says whether all of `other` is among these; what is always seen is.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The group of a recorded command; [`Needs::NONE`] for what is always seen.
    pub fn of(command: &Command) -> Self {
        match command {
            Command::Draw(_)
            | Command::ClearAttachments(_)
            | Command::ConditionalBegin { .. }
            | Command::ConditionalEnd => Self::DRAWS,
            Command::Dispatch(_) => Self::DISPATCHES,
            Command::BindPipeline { .. } | Command::BindShaders(_) => Self::PIPELINES,
            Command::BindSets { .. } | Command::PushSet(_) => Self::SETS,
            Command::BindVertex { .. } | Command::BindIndex { .. } => Self::VERTICES,
            Command::PushConstants { .. } => Self::PUSHES,
            Command::Set(state) => match *state {
                // What the first viewport and scissor leave out comes with them.
                DynamicState::Other("vkCmdSetViewport" | "vkCmdSetScissor", _) => Self::STATE,
                DynamicState::Other(..) => Self::OTHER_STATE,
                _ => Self::STATE,
            },
            Command::Barrier(_)
            | Command::EventSet(_)
            | Command::EventWait(_)
            | Command::EventReset(_) => Self::BARRIERS,
            Command::Query(_) => Self::QUERIES,
            Command::Transfer(_) | Command::Clear(_) => Self::TRANSFERS,
            Command::BeginPass(_)
            | Command::NextSubpass(_)
            | Command::EndPass
            | Command::Label(_)
            | Command::Execute(_)
            | Command::Opaque(_) => Self::NONE,
        }
    }

    /// The group of a call outside command buffers.
    pub fn of_call(call: &Call) -> Self {
        match call {
            Call::Set(..) | Call::Write(_) => Self::DESCRIPTORS,
            Call::Destroy(object) if object.kind == Kind::Set => Self::DESCRIPTORS,
            Call::Wait(_) | Call::WaitIdle(_) | Call::FenceReset(_) => Self::WAITS,
            Call::Host(access) if access.verb == HostVerb::QueryRead => Self::QUERIES,
            Call::Host(_) => Self::HOST,
            _ => Self::NONE,
        }
    }
}
