//! The jobs that leave a replay: what was measured of each so far, and the parts in which they are handed
//! over.

use std::collections::VecDeque;
use std::sync::Arc;

use super::measured::Measured;
use super::recording::Recording;
use crate::engine::Record;
use crate::metrics::dispersal::Meter;
use meshreplay_base::job::{Job, JobId};
use meshreplay_machine::machine::Held;

/// Jobs that have left a replay, with their records and with what was measured of each. Their recording has
/// no totals, and no dispersal before [`Self::measure`].
#[derive(Clone, Debug, Default)]
pub struct LeftJobs {
    /// The jobs, in the order of the log.
    pub jobs: Vec<Job>,
    /// The record of each job.
    pub records: Vec<Record>,
    /// What was measured of each job.
    pub recording: Recording,
    /// The nodes of each job whose dispersal is measured when it has left. Those that have been measured stay
    /// here until the replay takes the list back: freeing memory on another thread than the one that has
    /// asked for it makes that one wait.
    pub(super) held: Vec<Option<Arc<Held>>>,
}

impl LeftJobs {
    /// Forgets the jobs, but keeps the memory of those parts of them that every replay has.
    pub fn clear(&mut self) {
        self.jobs.clear();
        self.records.clear();
        self.recording.clear_jobs();
    }

    /// Makes room for so many jobs in what was cleared, and frees the nodes of those that were there.
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

    /// Takes the jobs from `later`, which left later and have been measured.
    pub fn append(&mut self, later: &mut Self) {
        self.jobs.append(&mut later.jobs);
        self.records.append(&mut later.records);
        self.recording.append_jobs(&mut later.recording);
    }
}

/// Takes jobs that have left. It is called with equally many each time, and with the rest at the end. It
/// returns no jobs, but maybe the memory of others that have been taken, for the next ones.
pub type TakeLeft<'a> = &'a mut dyn FnMut(LeftJobs) -> LeftJobs;

/// Where jobs go that leave a replay, if they do not stay in memory.
pub(super) struct Leaving<'a> {
    pub(super) left: LeftJobs,
    /// The number of jobs that are handed over together.
    pub(super) together: usize,
    /// The number of jobs whose nodes may be in memory together after they have left.
    pub(super) kept: usize,
    /// The number of jobs that have left since the memory for nodes was counted from 0.
    pub(super) counted: usize,
    pub(super) take: TakeLeft<'a>,
}

/// The measurements of the jobs that have not left, by job.
#[derive(Debug, Default)]
pub(super) struct Open {
    first: JobId,
    jobs: VecDeque<Measured>,
}

impl Open {
    /// Returns the number of jobs from the oldest one that has not left to the newest one that was measured.
    pub(super) fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Returns what was measured of a job that has not left.
    pub(super) fn of(&mut self, job: JobId) -> &mut Measured {
        let at = (job - self.first) as usize;
        if at >= self.jobs.len() {
            self.jobs.resize_with(at + 1, Measured::default);
        }
        &mut self.jobs[at]
    }

    /// Returns the job that leaves next, and what was measured of it.
    pub(super) fn next(&mut self) -> (JobId, &mut Measured) {
        let job = self.first;
        (job, self.of(job))
    }

    /// Removes the job that leaves next.
    pub(super) fn remove_next(&mut self) {
        self.first += 1;
        self.jobs.pop_front();
    }
}
