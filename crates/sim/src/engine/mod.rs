//! The engine: a discrete-event simulation that replays jobs through a scheduler, an allocator and an
//! execution model.
//!
//! At each instant the engine applies departures, then arrivals, then asks the scheduler for one pass. A
//! scheduler can ask for more passes or another order, see [`crate::scheduler::Pass`]. Events of one kind
//! keep the order of their creation. A job enters when the clock reaches its arrival and leaves once its
//! record and all earlier records of the log are final. The engine owns the machine, checks and carries out
//! every placement, and reports plain records to an observer.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "jobs have numbers of 32 bits and machines at most 2^24 nodes; events are counted one by one, \
         of which 2^63 cannot happen"
)]

mod event_loop;
mod observer;
mod outages;
mod predictions;
mod rearrangement;
mod reservation;
mod state;
mod window;

pub use self::event_loop::{ArrivalSource, JobList, Opening, Parts, replay};
pub use self::observer::{Compaction, Fate, Observer, Placed, Record};
pub use self::outages::OutagePlan;
pub use self::predictions::PredictionPlan;

use meshreplay_base::job::Time;
use meshreplay_base::words::counted;
use meshreplay_machine::machine::{Mesh, OccupyError};

/// The reason why a replay failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// Another thread threw the switch of [`Parts::stop`].
    #[error("interrupted")]
    Interrupted,
    /// An allocator, a scheduler or an execution model from outside has failed with this message, given to
    /// [`meshreplay_base::stop::Stop::fail`].
    #[error("{0}")]
    Failed(String),
    /// A job asks for more processors than the machine has nodes.
    #[error("job {number} asks for {}, but machine {machine} has {nodes}", counted(.procs, "processor"))]
    Oversize {
        /// The log's number of the job.
        number: i64,
        /// Processors requested.
        procs: u32,
        /// The machine.
        machine: Mesh,
        /// The number of nodes of the machine.
        nodes: u32,
    },
    /// Jobs wait, the machine is idle, and no further event will come.
    #[error(
        "job {number} of {} is never started: the allocator refuses it on an idle machine",
        counted(.procs, "processor")
    )]
    Stuck {
        /// The log's number of the oldest waiting job.
        number: i64,
        /// Processors requested.
        procs: u32,
    },
    /// The window of the replay does not fit into memory: the waiting and running jobs, and the jobs that
    /// ended before an older job did.
    #[error(
        "more than {jobs} jobs wait or run at once; to keep twice as many takes about {} MB of memory, and \
         {} MB are free; `meshreplay trace cut` makes shorter logs",
        .needed_bytes / 1_000_000, .free_bytes / 1_000_000
    )]
    TooManyAtOnce {
        /// Jobs that the present window holds.
        jobs: usize,
        /// Bytes of a window twice as large.
        needed_bytes: u64,
        /// Bytes available to this process.
        free_bytes: u64,
    },
    /// A job would end after the largest time that can be represented.
    #[error(
        "job {number} would not end within the range of time, 292,000 years; the times of the log, or the \
         lengths that the network's or the allocator's parameters give, are too large"
    )]
    OutOfRange {
        /// The log's number of the job; 0 if the job is unknown.
        number: i64,
    },
    /// A job outlives its prediction, and predictions are not corrected.
    #[error(
        "job {number} runs longer than its prediction, {prediction}, and correct=error forbids it; give \
         correct=tsafrir or correct=request"
    )]
    Outlived {
        /// The log's number of the job.
        number: i64,
        /// The prediction that was made on its arrival.
        prediction: Time,
    },
    /// An allocator returned nodes that are in use, outside the machine or listed twice.
    #[error("the allocator's placement for job {number} is wrong: {problem}")]
    BadPlacement {
        /// The log's number of the job.
        number: i64,
        /// The reason why the nodes cannot be occupied.
        problem: OccupyError,
    },
    /// An allocator returned a plan that moves a job that does not run.
    #[error("the allocator's placement for job {number} moves a job that does not run")]
    BadMove {
        /// The log's number of the job.
        number: i64,
    },
    /// An allocator returned fewer nodes than were requested.
    #[error("the allocator's placement for job {number} has {}, {procs} were \
         requested", counted(.found, "node"))]
    WrongSize {
        /// The log's number of the job.
        number: i64,
        /// The number of nodes in the placement.
        found: usize,
        /// Processors requested.
        procs: u32,
    },
}
