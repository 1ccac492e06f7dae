//! Finished jobs of a replay: their measurements, and the batches in which they go to the sink.

use std::collections::VecDeque;
use std::sync::Arc;

use super::measured::Measured;
use super::recording::Recording;
use crate::engine::Record;
use crate::metrics::dispersal::Meter;
use meshreplay_base::job::{Job, JobId};
use meshreplay_machine::machine::Held;

/// Finished jobs with their records and measurements. The recording has no totals, and no dispersal before
/// [`Self::measure`].
#[derive(Clone, Debug, Default)]
pub struct LeftJobs {
    /// The jobs in the order of the log.
    pub jobs: Vec<Job>,
    /// Their records.
    pub records: Vec<Record>,
    /// Their measurements.
    pub recording: Recording,
    /// The nodes of the jobs whose dispersal is measured by the sink. They stay here until the replay gets
    /// the batch back: freeing memory on another thread than the allocating one makes that thread wait.
    pub(super) held: Vec<Option<Arc<Held>>>,
}

impl LeftJobs {
    /// Removes the jobs, but keeps the memory of the lists that every replay has.
    pub fn clear(&mut self) {
        self.jobs.clear();
        self.records.clear();
        self.recording.clear_jobs();
    }

    /// Prepares a cleared batch for `jobs` jobs, and frees the nodes of the old ones.
    pub(super) fn reserve(&mut self, jobs: usize) {
        self.held.clear();
        self.jobs.reserve(jobs);
        self.records.reserve(jobs);
        self.held.reserve(jobs);
    }

    /// Measures the dispersal of the jobs.
    pub fn measure(&mut self, meter: &mut Meter) {
        for (held, dispersal) in self.held.iter().zip(&mut self.recording.dispersal) {
            if let Some(held) = held {
                *dispersal = meter.measure_held(held);
            }
        }
    }

    /// Appends the jobs of `later`, which have been measured.
    pub fn append(&mut self, later: &mut Self) {
        self.jobs.append(&mut later.jobs);
        self.records.append(&mut later.records);
        self.recording.append_jobs(&mut later.recording);
    }
}

/// Receives finished jobs, always the same number except in the last call. Returns no jobs, but possibly the
/// memory of an earlier batch for reuse.
pub type TakeLeft<'a> = &'a mut dyn FnMut(LeftJobs) -> LeftJobs;

/// The sink of finished jobs with the current batch.
pub(super) struct Leaving<'a> {
    pub(super) left: LeftJobs,
    /// Jobs per batch.
    pub(super) together: usize,
    /// Finished jobs whose nodes may be in memory at once.
    pub(super) kept: usize,
    /// Finished jobs since the memory of nodes was last counted from 0.
    pub(super) counted: usize,
    pub(super) take: TakeLeft<'a>,
}

/// The measurements of the jobs that are not final, by job.
#[derive(Debug, Default)]
pub(super) struct Open {
    first: JobId,
    jobs: VecDeque<Measured>,
}

impl Open {
    /// Returns the number of jobs from the oldest that is not final to the newest that was measured.
    pub(super) fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Returns the measurements of a job that is not final.
    pub(super) fn of(&mut self, job: JobId) -> &mut Measured {
        let at = (job - self.first) as usize;
        if at >= self.jobs.len() {
            self.jobs.resize_with(at + 1, Measured::default);
        }
        &mut self.jobs[at]
    }

    /// Returns the oldest job with its measurements.
    pub(super) fn next(&mut self) -> (JobId, &mut Measured) {
        let job = self.first;
        (job, self.of(job))
    }

    /// Removes the oldest job.
    pub(super) fn remove_next(&mut self) {
        self.first += 1;
        self.jobs.pop_front();
    }
}
