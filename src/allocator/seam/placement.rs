//! What a job gets of an allocator.

use crate::job::Time;
use crate::machine::{Machine, NodeId};

/// The nodes that a job gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// The nodes in rank order: task `i` of the job runs on `nodes[i]`.
    pub nodes: Vec<NodeId>,
    /// The moves that have to happen first, if other jobs are in the way; `None` if none are.
    pub rearrangement: Option<Box<Rearrangement>>,
}

impl Placement {
    /// Returns a placement on nodes that are free.
    pub fn of(nodes: Vec<NodeId>) -> Self {
        Self { nodes, rearrangement: None }
    }

    /// Returns all nodes that are free, in the order of their numbers.
    pub fn of_all_free(machine: &Machine) -> Self {
        Self::of(machine.free().iter().collect())
    }
}

/// How running jobs make room for another one. Nothing has changed yet: the caller tells the allocator when it is done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rearrangement {
    /// The jobs that move. All of them give up their nodes before any takes its new ones.
    pub moves: Vec<JobMove>,
    /// How long it takes to decide; if one of the jobs ends until then, all of it is void.
    pub decided: Time,
    /// How long it then takes until the new job can start.
    pub ready: Time,
    /// Whether a job stands still for a while without moving.
    pub delays: bool,
    /// Whether jobs are still on their way when the new one can start.
    pub overruns: bool,
}

/// A running job that moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobMove {
    /// The first of its nodes, by which it is known.
    pub first: NodeId,
    /// Its new nodes, in rank order.
    pub nodes: Vec<NodeId>,
    /// How long it stands still.
    pub suspended: Time,
    /// When it has moved, from the decision on; it cannot end before.
    pub until: Time,
}
