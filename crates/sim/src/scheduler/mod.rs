//! Schedulers decide when a waiting job starts.
//!
//! A scheduler sees numbers of nodes and estimates, never the nodes themselves. It asks for the start of a
//! job and learns whether the allocator could serve it. To add a scheduler, write a file with an `ENTRY`, its
//! `mod` line here and its row in [`SCHEDULERS`].
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "slots are positions of waiting jobs in memory; a machine has at most 2^24 nodes and jobs have \
              numbers of 32 bits, so that sums of nodes fit 64 bits"
)]

mod admission;
mod bypass_queue;
mod conservative;
mod easy;
#[cfg(test)]
mod fake;
mod fcfs;
mod first_fit_queue;
mod priority;
mod ranked;
mod recorded;
mod registry;
mod running_jobs;
mod seam;
mod wait_index;
mod wait_queue;

pub use self::admission::Admission;
pub use self::priority::orders;
pub use self::registry::{RECORDED, SCHEDULERS, build, short};
pub use self::running_jobs::{Running, RunningJobs};
pub use self::seam::{Builder, Cause, Decides, Entry, Laws, Pass, Scheduler, View};
pub use self::wait_queue::{Slot, WaitQueue, Waiting};
