//! The source of the jobs of a replay, which hands them out as the clock reaches them.

use std::time::Duration;

use super::error::ReplayError;
use meshreplay_base::job::{Job, JobId};

/// Hands out the jobs of a replay in the order of their arrival. Jobs that arrive at the same time keep the
/// order of the log.
pub trait Arrivals {
    /// Returns the next job with its position in the log, or `None` after the last one. Every position from 0
    /// on appears once. Returns the same job until [`Self::advance`] is called, so that the caller can copy
    /// the job straight to its slot. Fails if the jobs cannot be read.
    fn next_job(&mut self) -> Result<Option<(JobId, &Job)>, ReplayError>;

    /// Moves on to the job after the one that [`Self::next_job`] returns. Fails if the later jobs cannot be
    /// numbered.
    fn advance(&mut self) -> Result<(), ReplayError>;

    /// Returns the time for which the replay was blocked on the reader of the log. It does not count as time
    /// of the replay.
    fn waited(&self) -> Duration {
        Duration::ZERO
    }
}

/// An in-memory list of jobs as a source.
pub(super) struct Listed<'a> {
    jobs: &'a [Job],
    /// The positions of the jobs by arrival; `None` if the list has that order.
    order: Option<Vec<JobId>>,
    next: usize,
}

impl<'a> Listed<'a> {
    /// Creates the source of `jobs`. O(J) for J jobs sorted by arrival, otherwise O(J·log J).
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
