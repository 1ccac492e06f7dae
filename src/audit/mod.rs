//! Schedules of any tool: what each job of one got and when, whether a machine could carry it out, whether it is what a
//! policy promises, and where two of them part.

mod checks;
mod compare;
mod evalys;
#[cfg(test)]
mod fixture;
mod policy;
mod state;
mod swf;

pub use checks::audit;
pub use compare::{Comparison, Divergence, NotSameJobs, Side, Spread, Waits, What, compare};
pub use evalys::evalys;
pub use policy::{Fits, HasPlace, Policy, Promised};
pub use state::{Checked, Violation};
pub use swf::{SwfError, read_swf, record};

use crate::job::Time;
use crate::machine::NodeId;

/// What every job of a log got, in the order of arrival of jobs that arrive at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schedule {
    /// Its jobs.
    pub jobs: Vec<ScheduledJob>,
    /// Records of jobs that never ran.
    pub left_out: u64,
}

/// When a job ran, and where.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScheduledJob {
    /// Row of its file, from 1; of a log the line.
    pub row: u64,
    /// Its number in the log.
    pub number: i64,
    /// Arrival.
    pub submit: Time,
    /// Start.
    pub start: Time,
    /// End.
    pub end: Time,
    /// How long the scheduler believed that it would run.
    pub estimate: Time,
    /// Processors that it asked for.
    pub procs: u32,
    /// Nodes that it held.
    pub allocated: u32,
    /// Those nodes as intervals, if they are known.
    pub nodes: Option<Vec<(NodeId, NodeId)>>,
    /// Whether it was moved while it ran, so that its nodes are known of its end only.
    pub moved: bool,
}

impl ScheduledJob {
    /// When it was expected to end.
    fn expected_end(&self) -> Time {
        self.start + self.estimate
    }

    /// Returns the nodes one by one; none if they are not known.
    pub fn each_node(&self) -> impl Iterator<Item = NodeId> {
        self.nodes.iter().flatten().flat_map(|&(first, last)| first..=last)
    }
}
