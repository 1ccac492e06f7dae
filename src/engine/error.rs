//! Why a replay did not come to its end.

use crate::machine::{Mesh, OccupyError};

/// Why a replay did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The switch of [`super::Parts::stop`] was thrown.
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
