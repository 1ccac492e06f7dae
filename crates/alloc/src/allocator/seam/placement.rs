//! The answer of an allocator: the nodes of a job, and the running jobs that must move first.

use meshreplay_base::job::Time;
use meshreplay_machine::machine::{Machine, NodeId};

/// The nodes that a job gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// The nodes in rank order: task `i` of the job runs on `nodes[i]`.
    pub nodes: Vec<NodeId>,
    /// The sides of a box that the nodes form in rank order across several cubes behind optical switches.
    /// There, node numbers do not show a box. `None` on other machines, or without a box.
    pub sides: Option<[u32; 3]>,
    /// The moves of running jobs that must happen first; `None` if all nodes are free already.
    pub rearrangement: Option<Box<Rearrangement>>,
}

impl Placement {
    /// Returns a placement on nodes that are free.
    pub fn of(nodes: Vec<NodeId>) -> Self {
        Self { nodes, ..Self::default() }
    }

    /// Returns a placement on nodes that are free and form a box with these sides, in rank order.
    pub fn of_box(nodes: Vec<NodeId>, sides: [u32; 3]) -> Self {
        Self { nodes, sides: Some(sides), rearrangement: None }
    }

    /// Returns a placement on all free nodes of the machine, in the order of their numbers.
    pub fn of_all_free(machine: &Machine) -> Self {
        Self::of(machine.free().iter().collect())
    }
}

/// A plan of moves that make room for a new job. The plan changes nothing by itself. The caller carries it
/// out and then reports this to the allocator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rearrangement {
    /// The jobs that move. All of them give up their old nodes before any job takes its new nodes.
    pub moves: Vec<JobMove>,
    /// The time from the request until the decision is made. If a job that should move ends within this time,
    /// the whole plan is dropped.
    pub decided: Time,
    /// The time from the decision until the new job can start.
    pub ready: Time,
    /// Whether some job is suspended for longer than it moves.
    pub delays: bool,
    /// Whether jobs are still moving when the new job can start.
    pub overruns: bool,
    /// When the caller refuses the plan.
    pub refusal: Refusal,
}

/// The condition under which the caller refuses a plan, so that the job goes on waiting. It is for the
/// caller to check, as allocators do not know when jobs end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Refusal {
    /// Every plan is carried out.
    #[default]
    Never,
    /// A plan is refused if enough adjacent nodes would be free without it, as soon as the plan ends or
    /// earlier.
    Sooner,
    /// A plan is refused if a job that it moves would end before its move does.
    Ending,
    /// Both reasons count.
    Both,
}

/// The move of one running job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobMove {
    /// The first of the job's old nodes, in rank order. It identifies the job.
    pub first: NodeId,
    /// The new nodes, in rank order.
    pub nodes: Vec<NodeId>,
    /// How long the job is suspended; 0 if its move costs it no time.
    pub suspended: Time,
    /// Whether it is suspended for longer than it moves.
    pub is_delayed: bool,
    /// The time from the decision until the job is on its new nodes. The job cannot end earlier.
    pub until: Time,
}
