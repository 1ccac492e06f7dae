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
mod error;
mod listing;
mod programs;
mod record;
mod slurm;
mod status;
mod submit;
mod whole;

pub use batch::Caller;
pub use error::SubmitError;
pub use slurm::Slurm;
pub use status::{Status, others, status};
pub use submit::{preview, submit};
pub use whole::Sweep;
