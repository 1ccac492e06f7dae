//! Execution models: how long a started job runs.

mod recorded;

pub use recorded::RecordedRunTimes;

use crate::job::{JobId, Time};

/// Decides when started jobs end. The engine asks when the next one does and moves the model there.
pub trait Execution: Send {
    /// A job starts `now`; its recorded run time is `run`.
    fn start(&mut self, job: JobId, now: Time, run: Time);

    /// Running jobs stand still for a while and end so much later: each with how much.
    fn postpone(&mut self, jobs: &[(JobId, Time)]);

    /// When a running job will end; `None` if that cannot be told or it does not run.
    fn end_of(&self, job: JobId) -> Option<Time>;

    /// When the next running job ends, if any runs.
    fn next_completion(&self) -> Option<Time>;

    /// Ends the jobs that end until `until`, appending them to `done` in the order of their ends.
    fn advance(&mut self, until: Time, done: &mut Vec<JobId>);
}
