//! Time: replays jobs through a scheduler, an allocator and an execution model.
//!
//! Events of one instant: departures first, then arrivals, each in the order in which they came about, then one pass of
//! the scheduler (or as [`crate::scheduler::Pass`] says). The engine owns the machine, carries out and checks every
//! placement, and emits plain records; everything else reads them.

mod event_loop;
mod rearrangement;
mod reservation;
mod state;

pub use event_loop::{Parts, replay};

use crate::allocator::{Placement, Rearrangement};
use crate::job::{JobId, Time};
use crate::machine::{Mesh, NodeId, OccupyError};

/// When a job of a replay started and ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Start.
    pub start: Time,
    /// End.
    pub end: Time,
    /// Nodes that it held.
    pub allocated: u32,
    /// When it became the oldest waiting job, or started if it never was.
    pub head: Time,
    /// How often it was moved while it ran.
    pub moves: u32,
    /// How long it stood still because of that.
    pub suspended: Time,
}

/// The fate of a plan by which running jobs make room for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compaction {
    /// The allocator begins to decide.
    Begun,
    /// A job that would have moved has ended before the decision was made.
    Aborted,
    /// The jobs move.
    CarriedOut,
}

/// Is told what happens in a replay, at the instant at which it happens.
pub trait Observer {
    /// The allocator was asked for `job`, and has refused it (`None`) or proposed a placement, which was checked and
    /// carried out. It took `cost_ns`, with the allocator being told of it; 0 where calls are not timed.
    fn allocated(&mut self, job: JobId, placement: Option<&Placement>, cost_ns: u64);

    /// A job has taken nodes into use, at its start or as it moves.
    fn occupied(&mut self, _job: JobId, _nodes: &[NodeId], _now: Time) {}

    /// A job has given its nodes back, at its end or as it moves.
    fn vacated(&mut self, _nodes: &[NodeId], _now: Time) {}

    /// Running jobs are asked to make room, and do or do not.
    fn compaction(&mut self, _what: Compaction, _plan: &Rearrangement) {}

    /// An allocator was told of a release, which took it `cost_ns`.
    fn released(&mut self, cost_ns: u64);

    /// So many jobs have ended so far; reported now and then, and at the end.
    fn finished(&mut self, _jobs: usize) {}
}

/// Why a replay did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The switch of [`Parts::stop`] was thrown.
    #[error("interrupted")]
    Interrupted,
    /// A job asks for more processors than there are.
    #[error("job {number} asks for {procs} processors, but machine {machine} has {nodes}")]
    Oversize {
        /// The log's number of the job.
        number: i64,
        /// Processors requested.
        procs: u32,
        /// The machine.
        machine: Mesh,
        /// Its number of nodes.
        nodes: u32,
    },
    /// Jobs wait on an idle machine and nothing will change.
    #[error(
        "job {number} of {procs} processors is never started: the allocator refuses it on an idle machine"
    )]
    Stuck {
        /// The log's number of the oldest waiting job.
        number: i64,
        /// Processors requested.
        procs: u32,
    },
    /// A job runs longer than time can be told.
    #[error(
        "job {number} would not end within the range of time, 292,000 years; the times of the log, or the lengths that \
         the network's or the allocator's parameters give, are too large"
    )]
    OutOfRange {
        /// The log's number of the job.
        number: i64,
    },
    /// An allocator returned nodes that it must not.
    #[error("the allocator's placement for job {number} is wrong: {problem}")]
    BadPlacement {
        /// The log's number of the job.
        number: i64,
        /// The problem.
        problem: OccupyError,
    },
    /// An allocator moves a job that does not run.
    #[error("the allocator's placement for job {number} moves a job that does not run")]
    BadMove {
        /// The log's number of the job.
        number: i64,
    },
    /// An allocator returned fewer nodes than requested.
    #[error("the allocator's placement for job {number} has {found} nodes, {procs} were requested")]
    WrongSize {
        /// The log's number of the job.
        number: i64,
        /// Nodes in the placement.
        found: usize,
        /// Processors requested.
        procs: u32,
    },
}
