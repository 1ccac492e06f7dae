//! Why nothing can be found out about a schedule.

use crate::audit::{NotSameJobs, SwfError};
use crate::frame::{FrameError, ScheduleError};

/// Why nothing can be found out about a schedule.
#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] SwfError),
    /// The table cannot be read.
    #[error(transparent)]
    Table(#[from] ScheduleError),
    /// The summary beside it cannot be read.
    #[error(transparent)]
    Summary(#[from] FrameError),
    /// Nothing says which machine it is of.
    #[error("{0} does not say which machine it is of; give --machine, such as 16x8")]
    NoMachine(String),
    /// The two cannot be compared.
    #[error("{first} and {second}: {problem}")]
    NotComparable {
        /// Where the first was read from.
        first: String,
        /// Where the second was read from.
        second: String,
        /// Why.
        problem: NotSameJobs,
    },
    /// A job's nodes are not known.
    #[error("{name}: the nodes of job {job} are not known, and evalys needs them; replay with --placements")]
    NoNodes {
        /// Where the schedule was read from.
        name: String,
        /// The job's number.
        job: i64,
    },
}

impl InspectError {
    /// Returns whether the command asks for what does not exist, rather than that an input is wrong.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::NoMachine(_) | Self::NotComparable { .. })
    }
}
