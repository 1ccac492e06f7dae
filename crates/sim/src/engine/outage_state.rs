//! State of the outages of a replay: the changes to come, and the job on each node.

use meshreplay_base::job::JobId;
use meshreplay_machine::machine::outages::{Outages, Treatment};
use meshreplay_machine::machine::{Mesh, NodeId};

/// The outages of a replay.
pub struct OutagePlan {
    /// The changes of nodes.
    pub changes: Outages,
    /// The treatment of jobs on a node that goes down.
    pub treatment: Treatment,
}

/// The fewest changes for which an idle machine waits for nodes if failures are drawn.
const IDLE_CHANGES: u32 = 100_000;

/// The outages of a replay with the engine's bookkeeping.
pub(super) struct OutageState {
    pub(super) changes: Outages,
    pub(super) treatment: Treatment,
    /// The running job on each node.
    pub(super) holders: Vec<Option<JobId>>,
    /// Nodes that are down and still in use.
    pub(super) draining: u32,
    /// Nodes that are up or still in use.
    pub(super) available: u32,
    /// Changes since the last arrival, start or end of a job.
    pub(super) idle_changes: u32,
    /// Changes after which an idle machine gives up waiting.
    pub(super) most_idle_changes: u32,
}

impl OutageState {
    /// Returns the state at the start of a replay, when all nodes are up.
    pub(super) fn new(plan: OutagePlan, mesh: &Mesh) -> Self {
        let nodes = mesh.nodes();
        Self {
            changes: plan.changes,
            treatment: plan.treatment,
            holders: vec![None; nodes as usize],
            draining: 0,
            available: mesh.available(),
            idle_changes: 0,
            // On a large machine: enough changes to take every node down and up twice.
            most_idle_changes: IDLE_CHANGES.max(nodes.saturating_mul(4)),
        }
    }

    /// Records that `job` holds `nodes`, or that no job does.
    pub(super) fn hold(&mut self, nodes: &[NodeId], job: Option<JobId>) {
        self.idle_changes = 0;
        for &node in nodes {
            self.holders[node as usize] = job;
        }
    }
}
