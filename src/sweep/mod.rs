//! A study and its directory: what is missing of it, its submission to Slurm, how far it is.
//!
//! ```text
//! DIR/slurm/shards.sh           what each task of the array runs
//! DIR/slurm/merge.sh            what the job after it runs
//! DIR/slurm/shard-JOB_TASK.log  what they say
//! DIR/slurm/merge-JOB.log
//! DIR/slurm/submitted.json      what was submitted
//! ```
//!
//! A task of Slurm runs `meshreplay sweep` with the options that [`Started`](crate::frame::Started) has. They come from
//! the table of options, [`OPTIONS`](crate::study::OPTIONS): this room knows none of them by name.

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
pub use status::{Status, status};
pub use submit::{preview, submit};
pub use whole::Sweep;
