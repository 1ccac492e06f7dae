//! The job for which running jobs are making room.

use meshreplay_alloc::allocator::{JobMove, Placement, Rearrangement};
use meshreplay_base::job::{JobId, Time};

/// A waiting job that starts once running jobs have moved out of its way. No other job starts until then.
pub(super) struct NextJob {
    /// The waiting job.
    pub(super) job: JobId,
    /// The nodes that it will get, with the moves that come first.
    pub(super) placement: Placement,
    /// The time at which the allocator proposed the placement.
    pub(super) asked: Time,
    /// The time that the allocator's call took, in nanoseconds; 0 if calls are not timed.
    pub(super) cost_ns: u64,
    /// The current stage.
    pub(super) stage: Stage,
}

/// The two stages of making room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The allocator decides which jobs move. The decision is ready at this time.
    Deciding(Time),
    /// The running jobs move. The waiting job starts at this time.
    Moving(Time),
}

impl NextJob {
    /// Returns the time at which the current stage ends.
    pub(super) fn due(&self) -> Time {
        match self.stage {
            Stage::Deciding(at) | Stage::Moving(at) => at,
        }
    }

    /// Returns the plan by which running jobs move; `None` if the placement has none.
    pub(super) fn plan(&self) -> Option<&Rearrangement> {
        self.placement.rearrangement.as_deref()
    }

    /// Returns the moves of the plan; an empty slice if there is no plan.
    pub(super) fn moves(&self) -> &[JobMove] {
        self.plan().map_or(&[], |plan| &plan.moves)
    }
}
