//! The condition under which a waiting job may start.

use meshreplay_base::job::{NodesFor, Time};

/// The condition under which a scheduler may start a waiting job now. The job must take at most `free` nodes.
/// It must also be short (its estimate is at most `slack`) or narrow (it takes at most `extra` nodes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// The number of free nodes.
    pub free: u32,
    /// The number of extra nodes: nodes that the reserved job does not need at its shadow time.
    pub extra: u32,
    /// The time from now until the shadow time of the reservation.
    pub slack: Time,
}

impl Admission {
    /// The condition that admits every job.
    pub const ANY: Self = Self { free: u32::MAX, extra: u32::MAX, slack: Time::MAX };

    /// Returns the condition that admits every job of at most `free` nodes.
    pub fn by_count(free: u32) -> Self {
        Self { free, extra: free, slack: Time::MAX }
    }

    /// Returns whether the condition admits a job that takes `nodes` nodes and is estimated to run for
    /// `estimate`.
    pub fn admits(&self, nodes: NodesFor, estimate: Time) -> bool {
        nodes.least <= self.free && (nodes.most <= self.extra || estimate <= self.slack)
    }
}
