//! Audit of schedules of any tool: whether a machine could carry a schedule out, and whether the schedule
//! keeps the promises of a policy. Also compares two schedules.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "jobs, instants and decisions are counted one by one, and positions are those of jobs in memory"
)]

mod checks;
mod compare;
mod evalys;
#[cfg(test)]
mod fixture;
mod live_audit;
mod outages;
mod policy;
mod state;
mod stream;
mod swf;

pub use checks::audit;
pub use compare::{Comparison, Divergence, DivergenceKind, NotSameJobs, Read, Side, Spread, compare};
pub use evalys::{evalys_heading, evalys_row};
pub use live_audit::LiveAudit;
pub use outages::{Downtime, KnownOutages, audit_outages};
pub use policy::{Fits, HasPlace, Policy, PolicyCheck};
pub use state::{AuditCounts, Violation};
pub use stream::{ScheduleStream, audit_stream};
pub use swf::{LogSchedule, SwfError, record};

use meshreplay_base::job::{Period, Time};
use meshreplay_base::words::counted;
use meshreplay_machine::machine::NodeId;

/// A schedule: the start, the end and the nodes of every job of a log. Jobs that arrive at the same time are
/// in the order of arrival.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schedule {
    /// The jobs.
    pub jobs: Vec<ScheduledJob>,
    /// Records of jobs that never ran.
    pub left_out: u64,
}

/// A job of a schedule, with its times and nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScheduledJob {
    /// Row of its file, or line of its log, from 1.
    pub row: u64,
    /// The log's number of the job.
    pub number: i64,
    /// Arrival time.
    pub submit: Time,
    /// Start time.
    pub start: Time,
    /// End time.
    pub end: Time,
    /// Run time that the scheduler expected.
    pub estimate: Time,
    /// Requested processors.
    pub procs: u32,
    /// Requested processors, if `procs` are the allocated ones of a log; `None` otherwise.
    pub asked: Option<u32>,
    /// Allocated nodes.
    pub allocated: u32,
    /// Allocated nodes, as intervals from first to last; `None` if unknown.
    pub nodes: Option<Vec<(NodeId, NodeId)>>,
    /// Whether the job was moved while it ran. `nodes` then holds its last nodes.
    pub moved: bool,
}

impl ScheduledJob {
    /// Returns the first event: the arrival, or an (invalid) earlier start.
    fn first_event(&self) -> Time {
        self.submit.min(self.start)
    }

    /// Returns the expected end: the start plus the estimate.
    fn expected_end(&self) -> Time {
        self.start + self.estimate
    }

    /// Returns a contradiction in the job's times and counts, and what was expected, in words; `None` without
    /// one. `placed` is the number of nodes in its placement; `None` if unknown.
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

    /// Returns whether the job waits or runs inside a period.
    pub fn is_in(&self, period: Period) -> bool {
        self.submit < period.to && (self.submit >= period.from || self.end > period.from)
    }

    /// Returns the nodes one by one; none if they are unknown.
    pub fn each_node(&self) -> impl Iterator<Item = NodeId> {
        self.nodes.iter().flatten().flat_map(|&(first, last)| first..=last)
    }
}
