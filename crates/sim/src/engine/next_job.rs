//! The pending rearrangement: the waiting job for which running jobs move.

use meshreplay_alloc::allocator::{JobMove, Placement, Rearrangement};
use meshreplay_base::job::{JobId, Time};

/// A waiting job that starts once running jobs have moved out of its way. Until then no other job starts.
pub(super) struct NextJob {
    /// The waiting job.
    pub(super) job: JobId,
    /// The nodes of the job, and the moves that free them.
    pub(super) placement: Placement,
    /// The time of the allocator's proposal.
    pub(super) asked: Time,
    /// Nanoseconds of the allocator's call, or 0 if calls are not timed.
    pub(super) cost_ns: u64,
    /// The current stage.
    pub(super) stage: Stage,
}

/// The stages of a rearrangement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The allocator decides which jobs move, until this time.
    Deciding(Time),
    /// The running jobs move until this time. Then the waiting job starts.
    Moving(Time),
}

impl NextJob {
    /// Returns the end of the current stage.
    pub(super) fn due(&self) -> Time {
        match self.stage {
            Stage::Deciding(at) | Stage::Moving(at) => at,
        }
    }

    /// Returns the plan of the moves, or `None` if the placement has none.
    pub(super) fn plan(&self) -> Option<&Rearrangement> {
        self.placement.rearrangement.as_deref()
    }

    /// Returns the moves of the plan. Empty without a plan.
    pub(super) fn moves(&self) -> &[JobMove] {
        self.plan().map_or(&[], |plan| &plan.moves)
    }
}
