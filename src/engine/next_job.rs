//! A job that waits until others have made room for it.

use crate::allocator::{JobMove, Placement, Rearrangement};
use crate::job::{JobId, Time};

/// The job that others make room for. Nothing else starts meanwhile.
pub(super) struct NextJob {
    pub(super) job: JobId,
    pub(super) placement: Placement,
    /// When it was decided that it is next.
    pub(super) asked: Time,
    /// The time that the call of the allocator took.
    pub(super) cost_ns: u64,
    pub(super) stage: Stage,
}

/// How far making room has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The decision is ready at this time.
    Deciding(Time),
    /// The others are on their way; the job starts at this time.
    Moving(Time),
}

impl NextJob {
    /// Returns the time at which its stage ends.
    pub(super) fn due(&self) -> Time {
        match self.stage {
            Stage::Deciding(at) | Stage::Moving(at) => at,
        }
    }

    /// Returns how the others make room.
    pub(super) fn plan(&self) -> Option<&Rearrangement> {
        self.placement.rearrangement.as_deref()
    }

    /// Returns the jobs that move.
    pub(super) fn moves(&self) -> &[JobMove] {
        self.plan().map_or(&[], |plan| &plan.moves)
    }
}
