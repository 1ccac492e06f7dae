//! The reservation of one waiting job.

use meshreplay_base::job::Time;

/// The place of a step of the profile in memory.
pub(super) type StepId = u32;

/// No step, or no reservation.
pub(super) const NONE: u32 = u32::MAX;

/// A number of nodes. That of free nodes can be less than none.
pub(super) type Nodes = i32;

/// Returns a number of nodes with a sign; of more than 2^30 this number, which no machine has free.
#[inline]
pub(super) fn nodes(nodes: u32) -> Nodes {
    nodes.min(1 << 30).cast_signed()
}

/// The reservation of a waiting job: it takes `procs` nodes from `start` on for a time of `length`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reservation {
    pub(super) procs: u32,
    /// The step of the profile that begins at `start`.
    pub(super) from: StepId,
    /// The step that begins at the end of its time.
    pub(super) until: StepId,
    /// Its neighbours among the reservations with the same start; `NONE` at either end of this list.
    pub(super) next: u32,
    pub(super) previous: u32,
    pub(super) start: Time,
    pub(super) length: Time,
}
