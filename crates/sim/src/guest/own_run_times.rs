//! An execution model made by a guest, which gives the run time of a job on its nodes.

use crate::execution::{Execution, Next, RecordedRunTimes, Started};
use meshreplay_base::job::{Job, JobId, Time};
use meshreplay_base::stop::Stop;

/// Run times given by a guest.
pub trait RunTime: Send {
    /// Returns the run time, at least 0, of a job that starts now. `None` if the guest has failed and has
    /// called [`Stop::fail`].
    fn run_time(&mut self, started: &Started<'_>) -> Option<Time>;

    /// The job has ended or was killed. Does nothing by default.
    fn ended(&mut self, _job: JobId) {}
}

/// An execution model with run times from a [`RunTime`], asked at each start. Jobs can be moved and killed as
/// with recorded run times.
pub struct OwnRunTimes<R> {
    guest: R,
    ends: RecordedRunTimes,
}

impl<R: RunTime> OwnRunTimes<R> {
    /// Creates the execution model of a guest.
    pub fn new(guest: R) -> Self {
        Self { guest, ends: RecordedRunTimes::default() }
    }
}

impl<R: RunTime> Execution for OwnRunTimes<R> {
    fn start(&mut self, started: Started<'_>) {
        if let Some(run) = self.guest.run_time(&started) {
            self.ends.start(Started { job: &Job { run, ..*started.job }, ..started });
        }
    }

    fn postpone(&mut self, jobs: &[(JobId, Time)]) {
        self.ends.postpone(jobs);
    }

    fn postpones(&self) -> bool {
        true
    }

    fn cancel(&mut self, job: JobId) {
        self.ends.cancel(job);
        self.guest.ended(job);
    }

    fn cancels(&self) -> bool {
        true
    }

    fn end_of(&self, job: JobId) -> Option<Time> {
        self.ends.end_of(job)
    }

    fn next_completion(&mut self, until: Time, stop: &Stop) -> Next {
        self.ends.next_completion(until, stop)
    }

    fn advance(&mut self, until: Time, done: &mut Vec<JobId>) {
        let before = done.len();
        self.ends.advance(until, done);
        done[before..].iter().for_each(|&job| self.guest.ended(job));
    }
}
