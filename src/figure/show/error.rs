//! Errors of drawings for a terminal.

use crate::machine::OccupyError;
use crate::spec::SpecError;
use crate::study::{JobsError, RunError};
use crate::trace::TraceError;
use crate::yardstick::OptimumError;

/// Why something could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum ShowError {
    /// An option asks for something that cannot be: the option, what was given, what is wrong with it, what is
    /// expected.
    #[error("{0}")]
    Option(String),
    /// A spec names something that does not exist, or that does not serve the machine.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// An allocator that is compared does not exist, or does not serve the machine.
    #[error("--allocator: {0}")]
    Allocator(SpecError),
    /// The log could not be read.
    #[error(transparent)]
    Log(#[from] TraceError),
    /// The jobs of the log do not suit the machine.
    #[error(transparent)]
    Jobs(#[from] JobsError),
    /// The replay failed.
    #[error(transparent)]
    Replay(#[from] RunError),
    /// There is no optimum of so many nodes.
    #[error(transparent)]
    Optimum(OptimumError),
    /// The search for the optimum was given up.
    #[error("--limit {limit}: {problem}")]
    Limit {
        /// The most candidates that were to be looked at.
        limit: u64,
        /// How far the search came.
        problem: OptimumError,
    },
    /// An allocator moves running jobs, which a state of nodes does not tell apart.
    #[error(
        "{allocator} cannot be shown here: it moves the jobs that run, and a state of nodes does not say which they are"
    )]
    Moves {
        /// The allocator.
        allocator: String,
    },
    /// An allocator placed a job on nodes that are not free.
    #[error("{allocator}: {problem}")]
    Placement {
        /// The allocator.
        allocator: String,
        /// The node.
        problem: OccupyError,
    },
    /// A schedule of moves breaks the rules of compaction.
    #[error("the schedule is wrong: {0}")]
    Schedule(String),
}

impl ShowError {
    /// Returns whether the command line asked for something that does not exist; otherwise an input or a replay failed.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Option(_) | Self::Spec(_) | Self::Allocator(_) | Self::Optimum(_))
    }
}
