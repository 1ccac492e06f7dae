//! Sweeps: running a study in a directory. A sweep finds the cells that are missing, submits them to Slurm,
//! and reports the status.
//!
//! ```text
//! DIR/slurm/shards.sh           the script of each task of the array
//! DIR/slurm/merge.sh            the script of the job after the array
//! DIR/slurm/shard-JOB_TASK.log  the output of each task
//! DIR/slurm/merge-JOB.log       the output of the job after the array
//! DIR/slurm/submitted.json      the record of submissions
//! ```
//!
//! A task of Slurm runs `meshreplay sweep` with the options that [`Started`](crate::frame::Started) holds.
//! They come from the table of options, [`OPTIONS`](meshreplay_study::study::OPTIONS). This module names no
//! option itself.

mod batch;
mod listing;
mod programs;
mod record;
mod slurm;
mod status;
mod submit;
mod whole;

pub use batch::Caller;
pub use slurm::Slurm;
pub use status::{Status, others, status};
pub use submit::{preview, submit};
pub use whole::Sweep;

use std::io;
use std::path::PathBuf;

use crate::frame::FrameError;

/// The errors of submitting a study and of reading its status.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// A file of the study's directory cannot be read or written.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// A call of the operating system failed.
    #[error("{what}")]
    System {
        /// What failed, in words, such as "a.sh cannot be read".
        what: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A path is not UTF-8, so that a script cannot name it.
    #[error("{} is not UTF-8, which scripts need; rename it", .0.display())]
    NotText(PathBuf),
    /// sbatch refused the array, for this reason.
    #[error("nothing is submitted: {0}")]
    Refused(String),
    /// sbatch accepted the array, but not the job that follows it.
    #[error(
        "job {array} runs the shards, but none is submitted that merges: {problem}; after it, run {merge}"
    )]
    NoMerge {
        /// The number of the array's job.
        array: String,
        /// The reason.
        problem: String,
        /// The command that the user can run in place of the job.
        merge: String,
    },
}

impl SubmitError {
    /// Returns a function that adds a description of what failed to an error of the operating system.
    pub(super) fn system(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        |source| Self::System { what, source }
    }
}
