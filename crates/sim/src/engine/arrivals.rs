//! The source of the jobs of a replay, which hands them out as the clock reaches them.

use std::time::Duration;

use super::error::ReplayError;
use meshreplay_base::job::{Job, JobId};

/// Hands out the jobs of a replay in the order of their arrival. Jobs that arrive at the same time keep the
/// order of the log.
pub trait Arrivals {
    /// Returns the next job with its position in the log; `None` after the last one. Every position from 0 on
    /// comes once. It stays the next one until [`Self::advance`] passes it, so that whoever wants it copies
    /// it straight to its place. Fails if the jobs cannot be read.
    fn next_job(&mut self) -> Result<Option<(JobId, &Job)>, ReplayError>;

    /// Passes the next job, which [`Self::next_job`] has returned. Fails if the jobs behind it cannot be
    /// numbered.
    fn advance(&mut self) -> Result<(), ReplayError>;

    /// Returns how long the replay has waited for jobs that were still read. This is not counted as time of
    /// the replay.
    fn waited(&self) -> Duration {
        Duration::ZERO
    }
}

/// The jobs of a list.
pub(super) struct Listed<'a> {
    jobs: &'a [Job],
    /// The positions of the jobs by arrival; `None` if the list has that order.
    order: Option<Vec<JobId>>,
    next: usize,
}

impl<'a> Listed<'a> {
    /// Makes the source of `jobs`. O(J) for J jobs that are in the order of their arrival, and O(J·log J) for
    /// others.
    pub(super) fn new(jobs: &'a [Job]) -> Self {
        let order = (!jobs.is_sorted_by_key(|job| job.submit)).then(|| {
            let mut order: Vec<JobId> = (0..jobs.len() as JobId).collect();
            // The sort is stable, so jobs that arrive together keep their order.
            order.sort_by_key(|&job| jobs[job as usize].submit);
            order
        });
        Self { jobs, order, next: 0 }
    }
}

impl Arrivals for Listed<'_> {
    fn next_job(&mut self) -> Result<Option<(JobId, &Job)>, ReplayError> {
        let at = match &self.order {
            Some(order) => order.get(self.next).copied(),
            None => Some(self.next as JobId),
        };
        Ok(at.and_then(|id| self.jobs.get(id as usize).map(|job| (id, job))))
    }

    fn advance(&mut self) -> Result<(), ReplayError> {
        self.next += 1;
        Ok(())
    }
}
