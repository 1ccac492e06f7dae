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
mod running_jobs;
mod seam;
mod wait_queue;

pub use self::priority::orders;
pub use self::running_jobs::{Running, RunningJobs};
pub use self::seam::{Builder, Cause, Decides, Laws, Pass, Scheduler, SchedulerEntry, View};
pub use self::wait_queue::{Slot, WaitQueue, Waiting};
pub use wait_queue::Admission;

use meshreplay_base::spec::{Params, Spec, SpecError, unknown};

/// The rows of all schedulers.
pub const SCHEDULERS: &[SchedulerEntry] = &[
    fcfs::ENTRY,
    easy::ENTRY,
    conservative::ENTRY,
    first_fit_queue::ENTRY,
    bypass_queue::ENTRY,
    recorded::ENTRY,
];

/// Name of the scheduler that starts jobs at their recorded starts. It needs a log with recorded waits.
pub const RECORDED: &str = recorded::ENTRY.name;

/// Builds the scheduler named by `spec`. Returns it with the spec with all defaults written out. Fails for an
/// unknown name, or an unknown or invalid parameter.
pub fn build(spec: &Spec) -> Result<(Box<dyn Scheduler>, Spec), SpecError> {
    let Some(entry) = SCHEDULERS.iter().find(|entry| entry.name == spec.name) else {
        return Err(unknown("scheduler", &spec.name, SCHEDULERS.iter().map(|entry| entry.name)));
    };
    let mut params = Params::new(spec);
    let scheduler = (entry.build)(&mut params)?;
    Ok((scheduler, params.finish()?))
}

/// Returns the spec without parameters at their defaults, such as `easy` or `easy:pass=per-event`.
pub fn short(spec: &Spec) -> Spec {
    let mut short = spec.clone();
    if let Ok((_, default)) = build(&Spec::named(&spec.name)) {
        short.params.retain(|key, value| default.params.get(key) != Some(value));
    }
    short
}
