//! What a replay keeps for its outages: the changes to come, and which job is on which node.

use meshreplay_base::job::JobId;
use meshreplay_machine::machine::outages::{Outages, Treatment};
use meshreplay_machine::machine::{Mesh, NodeId};

/// The outages of a replay.
pub struct OutagePlan {
    /// The changes of nodes.
    pub changes: Outages,
    /// What happens to a job on a node that goes down.
    pub treatment: Treatment,
}

/// The least number of changes for which an idle machine waits for nodes if failures are drawn.
const IDLE_CHANGES: u32 = 100_000;

/// The outages of a replay, and what the engine keeps for them.
pub(super) struct OutageState {
    pub(super) changes: Outages,
    pub(super) treatment: Treatment,
    /// The running job that holds each node; `None` if there is none.
    pub(super) holders: Vec<Option<JobId>>,
    /// The number of nodes that are down and still in use.
    pub(super) draining: u32,
    /// The number of nodes that are up or still in use.
    pub(super) available: u32,
    /// The number of changes since a job has last arrived, started or ended.
    pub(super) idle_changes: u32,
    /// The number of changes that end the wait of an idle machine.
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
            // On a large machine, as many changes as take every node down and up again twice.
            most_idle_changes: IDLE_CHANGES.max(nodes.saturating_mul(4)),
        }
    }

    /// Notes that `job` has started on `nodes`; `None` if it has ended there.
    pub(super) fn hold(&mut self, nodes: &[NodeId], job: Option<JobId>) {
        self.idle_changes = 0;
        for &node in nodes {
            self.holders[node as usize] = job;
        }
    }
}
