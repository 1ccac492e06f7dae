//! The condition for starting a waiting job.

use meshreplay_base::job::{NodesFor, Time};

/// The condition for starting a waiting job now. The job must take at most `free` nodes, and must be short
/// (an estimate of at most `slack`) or narrow (at most `extra` nodes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// Free nodes.
    pub free: u32,
    /// Extra nodes: nodes that the reserved job does not need at its shadow time.
    pub extra: u32,
    /// The time from now to the shadow time of the reservation.
    pub slack: Time,
}

impl Admission {
    /// Admits every job.
    pub const ANY: Self = Self { free: u32::MAX, extra: u32::MAX, slack: Time::MAX };

    /// Admits every job of at most `free` nodes.
    pub fn by_count(free: u32) -> Self {
        Self { free, extra: free, slack: Time::MAX }
    }

    /// Returns whether the condition admits a job of `nodes` nodes with this estimate.
    pub fn admits(&self, nodes: NodesFor, estimate: Time) -> bool {
        nodes.least <= self.free && (nodes.most <= self.extra || estimate <= self.slack)
    }
}
