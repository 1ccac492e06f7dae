//! Why a replay of a sweep has no result.

use crate::study::replay::RunError;
use crate::study::shared_jobs::LoadJobsError;

/// Any error that occurs while a result is kept.
pub type KeepError = Box<dyn std::error::Error + Send + Sync>;

/// The reason why a replay has no result.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The replay has no jobs.
    #[error(transparent)]
    LoadJobsError(#[from] LoadJobsError),
    /// The replay failed.
    #[error(transparent)]
    Replay(#[from] RunError),
    /// The result could not be kept.
    #[error(transparent)]
    Keep(KeepError),
    /// The program panicked, which is a defect of the program.
    #[error("{0}")]
    Panic(String),
    /// The replay was asked to stop.
    #[error("interrupted")]
    Interrupted,
}
