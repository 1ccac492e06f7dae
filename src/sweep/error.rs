//! Why a study cannot be submitted, or nobody can say how far it is.

use std::io;
use std::path::PathBuf;

use crate::frame::FrameError;

/// Why a study cannot be submitted, or nobody can say how far it is.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// The study's directory cannot be read or written.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// Something that the submission needs is not to be had from the operating system.
    #[error("{what}")]
    System {
        /// What failed, such as "a.sh cannot be read".
        what: String,
        /// Why.
        source: io::Error,
    },
    /// A script cannot name this file.
    #[error("{} is not UTF-8, which scripts need; rename it", .0.display())]
    NotText(PathBuf),
    /// sbatch did not take the array, for this reason.
    #[error("nothing is submitted: {0}")]
    Refused(String),
    /// sbatch took the array and not the job after it.
    #[error(
        "job {array} runs the shards, but none is submitted that merges: {problem}; after it, run {merge}"
    )]
    NoMerge {
        /// The array.
        array: String,
        /// Why there is no job.
        problem: String,
        /// The command that does what the job would have done.
        merge: String,
    },
}

impl SubmitError {
    /// Returns what makes an error of what has failed.
    pub(super) fn system(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        |source| Self::System { what, source }
    }
}
