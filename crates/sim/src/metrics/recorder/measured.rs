//! The measurements of one job while it runs.

use std::sync::Arc;

use crate::metrics::contention::JobContention;
use crate::metrics::dispersal::Dispersal;
use meshreplay_machine::machine::Held;

/// The measurements so far of a job that is not final.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured {
    pub(super) dispersal: Dispersal,
    /// Its nodes, if the sink measures them.
    pub(super) held: Option<Arc<Held>>,
    pub(super) allocate_ns: u64,
    pub(super) placement: String,
    pub(super) sides: Option<[u32; 3]>,
    pub(super) refusals: u64,
    /// How many of its nodes are not in its list. `None` without a list or before the first placement.
    pub(super) replaced: Option<u32>,
    pub(super) contention: JobContention,
    pub(super) has_started: bool,
}
