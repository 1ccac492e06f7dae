//! Text drawings for a terminal, for the commands `show …`: machines, orders, blocks, placements, compactions
//! and running jobs; and measurements of a network.

pub mod allocation;
pub mod blocks;
pub mod compaction;
pub mod machine;
pub mod network;
pub mod optimum;
pub mod picture;
mod state;

pub use state::{Position, placed, sample};

use meshreplay_base::spec::SpecError;
use meshreplay_logs::TraceError;
use meshreplay_machine::machine::OccupyError;
use meshreplay_machine::yardstick::OptimumError;
use meshreplay_study::study::{JobsError, RunError};

/// Why a drawing could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ShowError {
    /// The value of an option is impossible. The text names the option, its value, the problem and the
    /// expected value.
    #[error("{0}")]
    Option(String),
    /// A spec names something unknown, or something unusable on the machine.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// An allocator for the comparison does not exist, or cannot be used on the machine.
    #[error("--allocator: {0}")]
    Allocator(SpecError),
    /// The log could not be read.
    #[error(transparent)]
    Log(#[from] TraceError),
    /// The jobs of the log cannot run on the machine.
    #[error(transparent)]
    Jobs(#[from] JobsError),
    /// The replay failed.
    #[error(transparent)]
    Replay(#[from] RunError),
    /// The optimum is not defined for this number of nodes.
    #[error(transparent)]
    Optimum(OptimumError),
    /// The search for the optimum stopped because it reached its limit.
    #[error("--limit {limit}: {problem}")]
    Limit {
        /// The largest number of candidates to examine.
        limit: u64,
        /// The progress of the search.
        problem: OptimumError,
    },
    /// The allocator moves running jobs. It cannot be shown, because a state of busy nodes does not say which
    /// jobs run.
    #[error(
        "{allocator} cannot be shown here: it moves the jobs that run, and a state of nodes does not say \
             which they are"
    )]
    Moves {
        /// The allocator.
        allocator: String,
    },
    /// The allocator placed a job on nodes that are not free.
    #[error("{allocator}: {problem}")]
    Placement {
        /// The allocator.
        allocator: String,
        /// The node that is not free.
        problem: OccupyError,
    },
    /// A schedule of moves violates the rules of compaction.
    #[error("the schedule is wrong: {0}")]
    Schedule(String),
}

impl ShowError {
    /// Returns whether the command line is at fault, because it asks for something that does not exist. If
    /// false, a file is at fault or a replay failed.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Option(_) | Self::Spec(_) | Self::Allocator(_) | Self::Optimum(_))
    }
}
