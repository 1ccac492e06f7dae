//! The audit of schedules, whatever tool has produced them. It checks whether a machine could carry a
//! schedule out and whether the schedule keeps the promises of a policy. It also finds the first difference
//! of two schedules.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "jobs, instants and decisions are counted one by one, and positions are those of jobs in memory"
)]

mod checks;
mod compare;
mod evalys;
#[cfg(test)]
mod fixture;
mod outages;
mod packed;
mod policy;
mod state;
mod swf;
mod walk;
mod watch;

pub use checks::audit;
pub use compare::{Comparison, Divergence, NotSameJobs, Read, Side, Spread, WaitingJob, What, compare};
pub use evalys::{evalys_heading, evalys_row};
pub use outages::{Downtime, KnownOutages, audit_outages};
pub use policy::{Fits, HasPlace, Policy, Promised};
pub use state::{Checked, Violation};
pub use swf::{LogSchedule, SwfError, record};
pub use walk::{Walk, audit_walk};
pub use watch::Watch;

use meshreplay_base::job::Time;
use meshreplay_base::words::counted;
use meshreplay_machine::machine::NodeId;

/// A schedule: the start, the end and the nodes of every job of a log. Jobs that arrive at the same time are
/// in the order of their arrival.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schedule {
    /// The jobs.
    pub jobs: Vec<ScheduledJob>,
    /// The number of records of jobs that never ran.
    pub left_out: u64,
}

/// A job of a schedule: when it ran, and on which nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScheduledJob {
    /// The row of its file, or the line of its log, from 1.
    pub row: u64,
    /// The log's number of the job.
    pub number: i64,
    /// The time of its arrival.
    pub submit: Time,
    /// The time of its start.
    pub start: Time,
    /// The time of its end.
    pub end: Time,
    /// The run time that the scheduler expected.
    pub estimate: Time,
    /// The number of processors that it asked for.
    pub procs: u32,
    /// The number of processors that its log says it asked for, where `procs` is what it got; `None`
    /// elsewhere.
    pub asked: Option<u32>,
    /// The number of nodes that it held.
    pub allocated: u32,
    /// The nodes that it held, as intervals from first to last; `None` if they are not known.
    pub nodes: Option<Vec<(NodeId, NodeId)>>,
    /// Whether it was moved while it ran. Its nodes are then known for its end only.
    pub moved: bool,
}

impl ScheduledJob {
    /// Returns the time of its first event: its arrival, or its start if that is wrongly before it.
    fn first_event(&self) -> Time {
        self.submit.min(self.start)
    }

    /// Returns when it was expected to end: its start plus its estimate.
    fn expected_end(&self) -> Time {
        self.start + self.estimate
    }

    /// Returns in words what contradicts itself in the job, and what was expected; `None` if nothing does.
    /// `placed` is the number of nodes of its placement; `None` if that is not known.
    fn contradiction(&self, placed: Option<u64>) -> Option<[String; 2]> {
        let Self { submit, start, end, procs, allocated, .. } = self;
        let has_placed = |nodes: u64| format!("has a placement of {}", counted(nodes, "node"));
        Some(if start < submit {
            ["starts before it arrives".to_owned(), format!("{submit} or later")]
        } else if end < start {
            [format!("ends before it starts, at {end}"), "a later end".to_owned()]
        } else if allocated < procs {
            [has_placed((*allocated).into()), format!("{procs}, which it asks for")]
        } else {
            let nodes = placed.filter(|&nodes| nodes != u64::from(*allocated))?;
            [has_placed(nodes), format!("{allocated}, which it is said to hold")]
        })
    }

    /// Returns its nodes one by one; none if they are not known.
    pub fn each_node(&self) -> impl Iterator<Item = NodeId> {
        self.nodes.iter().flatten().flat_map(|&(first, last)| first..=last)
    }
}
