//! A job that waits until others have made room for it.

use crate::allocator::{JobMove, Placement};
use crate::job::{JobId, Time};

/// The job that others make room for. Nothing else starts meanwhile.
pub(super) struct Held {
    pub(super) job: JobId,
    pub(super) placement: Placement,
    /// When it was decided that it is next.
    pub(super) asked: Time,
    /// What the call of the allocator took.
    pub(super) cost_ns: u64,
    pub(super) stage: Stage,
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The decision is ready at this time.
    Deciding(Time),
    /// The others are on their way; it starts at this time.
    Starting(Time),
}

impl Held {
    /// When it goes on.
    pub(super) fn due(&self) -> Time {
        match self.stage {
            Stage::Deciding(at) | Stage::Starting(at) => at,
        }
    }

    /// The jobs that move.
    pub(super) fn moves(&self) -> &[JobMove] {
        self.placement.rearrangement.as_ref().map_or(&[], |rearrangement| &rearrangement.moves)
    }
}
