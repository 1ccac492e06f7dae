//! What is measured of one job while it runs.

use std::sync::Arc;

use crate::metrics::contention::JobContention;
use crate::metrics::dispersal::Dispersal;
use meshreplay_machine::machine::Held;

/// What was measured so far of a job that has not left.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured {
    pub(super) dispersal: Dispersal,
    /// Its nodes, where they are measured after it has left.
    pub(super) held: Option<Arc<Held>>,
    pub(super) allocate_ns: u64,
    pub(super) placement: String,
    pub(super) sides: Option<[u32; 3]>,
    pub(super) refusals: u64,
    /// How many of its nodes are not in its list; `None` if it has no list, or no nodes yet.
    pub(super) replaced: Option<u32>,
    pub(super) contention: JobContention,
    pub(super) has_started: bool,
}
