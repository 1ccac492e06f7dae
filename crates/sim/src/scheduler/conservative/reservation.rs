//! The reservation of one waiting job.

use meshreplay_base::job::Time;

/// The place of a step of the profile in memory.
pub(super) type StepId = u32;

/// No step, or no reservation.
pub(super) const NONE: u32 = u32::MAX;

/// A number of nodes. Free nodes can be negative.
pub(super) type Nodes = i32;

/// Converts a number of nodes, at most 2^30, which is more than any machine has.
#[inline]
pub(super) fn nodes(nodes: u32) -> Nodes {
    nodes.min(1 << 30).cast_signed()
}

/// The reservation of a waiting job: `procs` nodes from `start` on for a time of `length`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reservation {
    pub(super) procs: u32,
    /// The step of the profile that begins at `start`.
    pub(super) from: StepId,
    /// The step that begins at its end.
    pub(super) until: StepId,
    /// Neighbours in the list of reservations with the same start, `NONE` at the ends.
    pub(super) next: u32,
    pub(super) previous: u32,
    pub(super) start: Time,
    pub(super) length: Time,
}
